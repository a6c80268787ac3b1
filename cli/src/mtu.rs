//! The MTUs of interfaces, for programs that call `bpf_check_mtu`.

use crate::arguments::RunArguments;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::tables::map_type;
use hardpath_ebpf::MTU_MAP;
use hardpath_ir::maps::Image;
use hardpath_ir::Program;
use std::collections::BTreeSet;

/// MTU of an interface that the command line and the map file say nothing about, in bytes: that of Ethernet.
const USUAL_MTU: u32 = 1500;
/// The interface that every network namespace of Linux has.
const LOOPBACK: u32 = 1;

/// Completes the map of MTUs: what the command line says, and the usual MTU for the other interfaces of the run: the
/// one that the packets come in at, those in device maps, and the loopback.
///
/// # Errors
/// `unused-mtu`: the command line gives an MTU to a program that asks for none.
pub fn set(
    arguments: &RunArguments,
    program: &Program,
    image: &mut Image,
) -> Result<(), Diagnostic> {
    if !program.maps.values().any(|map| map.name == MTU_MAP) {
        return match arguments.mtu.is_empty() {
            true => Ok(()),
            false => Err(unused(program)),
        };
    }
    let mut interfaces = BTreeSet::from([arguments.ifindex, LOOPBACK]);
    let devices = program
        .maps
        .values()
        .filter(|map| map_type(map).is_device());
    for entries in devices.filter_map(|map| image.get(&map.name)) {
        let ifindex = |value: &Vec<u8>| value.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        interfaces.extend(entries.values().filter_map(ifindex));
    }
    interfaces.remove(&0);
    let mtus = image.entry(MTU_MAP.to_owned()).or_default();
    for interface in interfaces {
        mtus.entry(interface.to_le_bytes().to_vec())
            .or_insert_with(|| USUAL_MTU.to_le_bytes().to_vec());
    }
    for (interface, mtu) in &arguments.mtu {
        mtus.insert(interface.to_le_bytes().to_vec(), mtu.to_le_bytes().to_vec());
    }
    Ok(())
}

fn unused(program: &Program) -> Diagnostic {
    Diagnostic::input(
        "unused-mtu",
        format!(
            "--mtu gives the MTU of an interface, and {} does not ask for one",
            program.name
        ),
    )
    .help("leave --mtu out: only bpf_check_mtu asks for an MTU")
}
