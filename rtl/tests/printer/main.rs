//! Tests of the printers.

mod clocks;
mod designs;
mod ghdl;
mod golden;
mod installed;
mod random;
mod recording;
mod tools;
