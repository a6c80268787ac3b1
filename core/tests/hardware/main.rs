//! Every part of the processor in the native simulator, beside what the instruction set says.

mod alu;
mod decode;
mod lanes;
mod lint;
mod operand;
mod operations;
mod products;
mod proofs;
mod reference;
mod registers;
mod threads;

#[path = "../../../blocks/tests/suite/bench.rs"]
#[allow(dead_code)]
mod bench;
// The tools are found by the tests of the printers; not all of them are needed here.
#[allow(dead_code)]
#[path = "../../../rtl/tests/printer/installed.rs"]
mod installed;
