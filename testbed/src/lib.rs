//! Drives a generated design with packets.
//!
//! An engine runs a design behind the [`dut::Dut`] trait ([`native`], [`verilator`]). [`run`] sends packets through
//! it under a [`pace`], collects fates and packets, and checks the rules of the streams at every clock;
//! [`host`] reads and writes maps and registers through the design's own host port, before, after and in the
//! middle of traffic; [`contents`] looks at all maps at once where an engine lets it. Packets come from [`capture`] files or from [`traffic`]; map contents from [`mapfile`].
//!
//! This crate knows the ports of a design (`hardpath_blocks::interface`) and its registers (`hardpath_registers`), and not how
//! designs are made.
#![warn(missing_docs)]

pub mod axilite;
pub mod bench;
pub mod capture;
pub mod contents;
pub mod dut;
pub mod host;
pub mod journal;
pub mod native;
pub mod pace;
pub mod pins;
pub mod run;
pub mod statistics;
pub mod stream;
pub mod traffic;
pub mod verilator;
pub mod watch;
