//! The processor as a whole: programs in the form of rows, loaded through the host port, beside their interpreter. What front ends make
//! is compared with their judges elsewhere.

#[path = "../packets/bench.rs"]
mod bench;
mod changes;
mod copies;
mod core;
mod loads;
mod programs;
mod slots;
mod statistics;
