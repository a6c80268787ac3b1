//! Drivers against a model of the host port: what goes over the bus, what comes of it, and what becomes of buses and devices
//! that misbehave.

mod entries;
mod loads;
mod maps;
mod misbehaving;
mod port;
mod spaces;
