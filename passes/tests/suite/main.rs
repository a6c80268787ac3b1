//! Tests of the passes (texts in, texts out stand in `filetests`): random programs and every small constant before and after; large programs in time.

mod count_rounds;
mod depth;
mod large_programs;
mod random_programs;
mod small_constants;
mod structured;
