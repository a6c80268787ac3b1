//! Tests of the SystemVerilog printer.

mod designs;
mod golden;
mod installed;
mod random;
mod tools;
