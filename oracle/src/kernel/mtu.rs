//! The MTUs of interfaces, for programs that call `bpf_check_mtu`.
//!
//! In hardware they stand in a map, [`MTU_MAP`]; here they belong to the interfaces of the private network namespace.
//! The kernel has more interfaces than the map may name: the loopback, and all that packets come in at or are sent
//! to. An interface that the map does not have does not exist for the hardware, so the kernel cannot be asked while
//! one of its own is missing there.

use super::network::LOOPBACK;
use super::tail_calls;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::{helpers, Object, ProgramImage, MTU_MAP};
use std::collections::BTreeSet;

/// The interfaces in the map of MTUs.
pub struct MtuTable {
    interfaces: BTreeSet<u32>,
}

impl MtuTable {
    /// An empty table, when the program or one that its tail calls reach calls `bpf_check_mtu`.
    pub fn of(object: &Object, program: &ProgramImage) -> Option<MtuTable> {
        let (_, tail_calls) = tail_calls::reachable(object, program);
        let called = tail_calls
            .iter()
            .filter_map(|entry| object.programs.get(entry.program));
        let mut programs = std::iter::once(program).chain(called);
        programs
            .any(|program| helpers::checks_mtu(&program.insns))
            .then(|| MtuTable {
                interfaces: BTreeSet::new(),
            })
    }

    /// Notes that the map has an interface.
    pub fn add(&mut self, ifindex: u32) {
        self.interfaces.insert(ifindex);
    }

    /// What there is against asking the kernel while it has this interface.
    pub fn objection(&self, ifindex: u32) -> Option<String> {
        let missing = [LOOPBACK, ifindex]
            .into_iter()
            .find(|ifindex| !self.interfaces.contains(ifindex))?;
        Some(format!(
            "interface {missing} has no MTU in the map {MTU_MAP}, and every interface of the kernel has one"
        ))
    }
}

/// An entry of the map of MTUs: interface and MTU.
pub fn entry(key: &[u8], value: &[u8]) -> Result<(u32, u32), Diagnostic> {
    match (key.try_into(), value.try_into()) {
        (Ok(key), Ok(value)) => Ok((u32::from_le_bytes(key), u32::from_le_bytes(value))),
        _ => Err(Diagnostic::input(
            "kernel-rejects-entry",
            "an interface and its MTU have 4 bytes each",
        )
        .at(format!("map {MTU_MAP}"))),
    }
}
