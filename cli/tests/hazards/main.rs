//! Hazards end to end: programs become hardware, get traffic that is made to break them, and are compared with the
//! interpreter, packet for packet, answer for answer and map for map.

mod broadcasts;
mod drivers;
mod foreign_keys;
mod forgetting;
mod generator;
mod harness;
mod known_programs;
mod mutants;
mod programs;
mod random;
mod random_programs;
