//! The map files and the output capture of a run.

use crate::arguments::RunArguments;
use crate::engine::Ran;
use crate::files;
use crate::load::Loaded;
use crate::mtu;
use crate::packets::Packet;
use hardpath_ir::maps::Image;
use hardpath_ir::{Diagnostic, Program};
use hardpath_testbed::capture::{self, Captured};
use hardpath_testbed::mapfile;

/// What the maps hold before the first packet.
pub fn read_maps(arguments: &RunArguments, loaded: &Loaded) -> Result<Image, Vec<Diagnostic>> {
    let mut image = match &arguments.maps {
        Some(path) => mapfile::read(path, loaded.program.maps.values())?,
        None => Image::new(),
    };
    for map in &loaded.object.maps {
        // An update does not touch the lock (copy_map_value in the kernel's include/linux/bpf.h): it stays open.
        let (Some(lock), Some(entries)) = (map.lock_offset, image.get_mut(&map.name)) else {
            continue;
        };
        let lock = lock as usize..lock as usize + LOCK_BYTES;
        for value in entries.values_mut() {
            if let Some(bytes) = value.get_mut(lock.clone()) {
                bytes.fill(0);
            }
        }
    }
    mtu::set(arguments, &loaded.program, &mut image).map_err(|error| vec![error])?;
    Ok(image)
}

/// Bytes of `struct bpf_spin_lock`.
const LOCK_BYTES: usize = 4;

/// Writes what the command line asks for.
pub fn write(
    arguments: &RunArguments,
    program: &Program,
    packets: &[Packet],
    ran: &Ran,
) -> Result<(), Diagnostic> {
    if let Some(path) = &arguments.maps_out {
        files::write(path, |path| {
            mapfile::write(path, &ran.maps, program.maps.values())
        })?;
    }
    if let Some(path) = &arguments.out {
        let sent_on = sent_on(packets, ran);
        files::write(path, |path| capture::write(path, &sent_on))?;
    }
    Ok(())
}

/// The packets that came out, in order, every copy of a broadcast, with their verdict as comment and the time of the
/// packet that went in.
fn sent_on(packets: &[Packet], ran: &Ran) -> Vec<Captured> {
    let mut sent = Vec::new();
    for (packet, outcome) in packets.iter().zip(&ran.outcomes) {
        let Some(outcome) = outcome else { continue };
        let Some(data) = &outcome.data else { continue };
        let only = [outcome.destination];
        let destinations = outcome.broadcast.as_deref().unwrap_or(&only);
        sent.extend(destinations.iter().map(|destination| Captured {
            data: data.clone(),
            time_ns: packet.captured_ns,
            comment: Some(capture::verdict_comment(outcome.verdict, *destination)),
        }));
    }
    sent
}
