//! What the test bench that a design comes with plays: a few packets of every sort, and maps with which the program does
//! something with them.

use crate::contents::fill;
use crate::engine;
use crate::packets::Packet;
use hardpath_ir::interpreter::{Outcome, PacketContext, Prepared};
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{verdict, Diagnostic, MapId, Program};
use hardpath_pipeline::Compiled;
use hardpath_testbed::capture::Captured;
use hardpath_testbed::traffic::{generate, Protocol, Size, TrafficOptions, Tunnel};
use std::collections::BTreeSet;
use std::net::Ipv4Addr;

const IFINDEX: u32 = 1;
/// Packets of a few flows in both directions, packets in tunnels, and such as nobody should send.
const PLAIN: usize = 16;
const TUNNELLED: usize = 3;
const HOSTILE: usize = 5;
/// Entries of an array that are set: each is a line in the file, and most programs look at the first ones.
const ARRAY_ENTRIES: u32 = 8;
/// Contents of the maps that are tried.
const TRIALS: u64 = 16;

/// Stimuli and what the native simulator answers to them.
pub fn example(program: &Program, compiled: &Compiled) -> Result<String, Diagnostic> {
    let packets = packets()?;
    let image = contents(program, &packets);
    let packets = packets.into_iter().enumerate().map(|(index, captured)| {
        let context = context(&captured);
        Packet::new(0, index + 1, captured, context)
    });
    let text = engine::record(program, compiled, &image, packets.collect())?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn packets() -> Result<Vec<Captured>, Diagnostic> {
    let of = |packets, options: TrafficOptions| {
        generate(&TrafficOptions {
            packets,
            protocol: Protocol::Mixed,
            size: Size::Imix,
            both_directions: true,
            flows: 4,
            ..options
        })
    };
    let ends = Tunnel {
        from: Ipv4Addr::new(192, 0, 2, 1),
        to: Ipv4Addr::new(192, 0, 2, 2),
    };
    let tunnelled = TrafficOptions {
        tunnel: Some(ends),
        ..TrafficOptions::default()
    };
    let hostile = TrafficOptions {
        hostile: true,
        ..TrafficOptions::default()
    };
    let all = [
        of(PLAIN, TrafficOptions::default())?,
        of(TUNNELLED, tunnelled)?,
        of(HOSTILE, hostile)?,
    ];
    let mut all = all.concat();
    // One line for all of them.
    let first_ns = all[0].time_ns;
    for (index, packet) in all.iter_mut().enumerate() {
        packet.time_ns = first_ns + 1000 * index as u64;
    }
    Ok(all)
}

fn context(packet: &Captured) -> PacketContext {
    PacketContext {
        time_ns: packet.time_ns,
        ingress_ifindex: IFINDEX,
        ..PacketContext::default()
    }
}

/// Contents of the maps with which the packets fare most differently, and among those the most of them leave.
fn contents(program: &Program, packets: &[Captured]) -> Image {
    let mut prepared = Prepared::new(program);
    let filled = (0..TRIALS).map(|seed| fill(program, packets, IFINDEX, ARRAY_ENTRIES, seed));
    // Of equal ones `max_by_key` takes the last, which shall be the first one here.
    let trials: Vec<Image> = std::iter::once(Image::new()).chain(filled).collect();
    let best = trials.into_iter().rev().max_by_key(|image| {
        let mut maps = Maps::new(&program.maps);
        if maps.load(image).is_err() {
            return (0, 0);
        }
        let fates: Vec<Fate> = packets
            .iter()
            .map(|packet| Fate::of(&mut prepared, &mut maps, packet))
            .collect();
        let leaving = fates.iter().filter(|fate| fate.leaves).count();
        (BTreeSet::from_iter(fates).len(), leaving)
    });
    best.unwrap_or_default()
}

/// What a program did with a packet, as far as it is of another kind than what it did with others.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Fate {
    verdict: u64,
    destination: u32,
    leaves: bool,
    is_rewritten: bool,
    growth: i64,
    writes: BTreeSet<MapId>,
}

impl Fate {
    fn of(prepared: &mut Prepared, maps: &mut Maps, packet: &Captured) -> Fate {
        maps.watch_changes();
        let Outcome {
            verdict,
            destination,
            packet: left,
            ..
        } = prepared.run(maps, &packet.data, &context(packet));
        Fate {
            verdict,
            destination,
            leaves: verdict::leaves(verdict),
            is_rewritten: left != packet.data,
            growth: left.len() as i64 - packet.data.len() as i64,
            writes: maps
                .take_changes()
                .into_iter()
                .map(|change| change.map)
                .collect(),
        }
    }
}
