//! The kernel as judge, the interpreter beside it, and comparing. Tests that need the kernel say so with a note
//! where it cannot be asked; with HARDPATH_REQUIRE_KERNEL=1 they fail there.

mod assembly;
mod checksum;
mod compare;
mod control_flow;
mod judge;
mod kernel;
mod lifted;
mod maps;
mod moves;
mod programs;
mod reference;
mod restrained;
