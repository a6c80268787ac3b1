//! Tests of the printers.

mod designs;
mod ghdl;
mod golden;
mod installed;
mod random;
mod recording;
mod tools;
