//! Designs that the tests share, and the tools that they run.

pub mod designs;
pub mod random;
pub mod tools;
