//! The steps between a control-flow graph and a schedule: texts in, texts out; and what comes out means what went in.

mod equivalence;
mod files;
mod key_bits;
mod limits;
mod old_pointers;
mod refusals;
mod schedules;
