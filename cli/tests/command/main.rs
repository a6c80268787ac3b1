//! The `hardpath` command as its users see it: exit status, JSON, files.

mod asking;
mod bad_input;
mod ci;
mod commands;
mod common;
mod egress;
mod events;
mod explain;
mod fusesoc;
mod hardware;
mod levels;
mod live_kernel;
mod maps;
mod mtu;
mod offsets;
mod packets;
mod protocol;
mod rates;
mod refused;
mod savings;
mod sections;
mod supported;
mod vendor;
mod verilog;
mod vhdl;
mod warnings;
