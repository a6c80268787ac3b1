//! The way of packets through the processor: memory, intake and transmit side, each beside a model.

mod bench;
mod intake;
mod memory;
mod transmit;
mod whole;
