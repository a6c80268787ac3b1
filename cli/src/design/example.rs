//! What the test bench that a design comes with plays: a few hundred packets made for the program, and a host that works
//! between them.
//!
//! What must come out is the interpreter's answer, packet by packet and operation by operation. The native simulator only
//! says in which slot of a hash table a key stands, and plays everything once before it is written, so that no bench is
//! written that its design does not pass.

mod change;
mod churn;
mod contents;
mod crowd;
mod explore;
mod host;
mod kin;
mod scenario;
mod ways;

use crate::contents::fill;
use crate::target::Hardware;
use change::Change;
use explore::{answer, explore, Explored, Step};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_ir::{MapDecl, MapId, Program};
use hardpath_packet::{Packet, Port, Ports, Sideband};
use hardpath_packet::{MAX_PACKET_BYTES, MIN_PACKET_BYTES};
use hardpath_testbed::bench::script;
use hardpath_testbed::native::Native;
use hardpath_testbed::traffic::{generate, Protocol, Size, TrafficOptions, Tunnel};
use scenario::Scenario;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// Ingress ports that packets come in at.
const PORTS: u32 = 4;
/// Packets of a few flows in both directions, packets in tunnels, and such as nobody should send.
const PLAIN: usize = 16;
const TUNNELLED: usize = 3;
const HOSTILE: usize = 8;
/// Entries of an array that are set: each is a few lines in the file, and most programs look at the first ones.
const ARRAY_ENTRIES: u32 = 8;
/// Contents of the maps that are tried.
const TRIALS: u64 = 4;
/// Sorts of packets that come in bursts, and how many of each.
const BURSTS: usize = 8;
const BURST: usize = 6;
/// Clocks that the sink stalls.
const STALL: u32 = 300;

/// What the port table says of an ingress port.
fn port(number: u8) -> Port {
    Port {
        interface: 1 + u32::from(number),
        first_queue: 3 * u32::from(number),
    }
}

fn sideband_of(packet: &Packet) -> Sideband {
    Ports((0..=packet.port).map(port).collect()).sideband(packet)
}

/// Data sections, which libbpf makes arrays of, hold what the object says.
fn may_be_changed(decl: &MapDecl) -> bool {
    !decl.name.contains('.')
}

/// The text that the bench plays.
///
/// # Errors
/// `bench-differs`: the design does not what the program does.
pub fn example(program: &Program, hardware: &Hardware) -> Result<String, Diagnostic> {
    let seeds = seeds()?;
    let (image, explored) = best(program, &seeds);
    let interface = &hardware.interface;
    let mut dut = Native::new(&hardware.design)?;
    let mut scenario = Scenario::new(program, interface, &mut dut)?;
    scenario.say(&format!(
        "{} packets that take {} of {} ways at the program's branches",
        explored.steps.len(),
        explored.ways.0,
        explored.ways.1
    ));
    scenario.identify()?;
    scenario.load(&image);
    for step in &explored.steps {
        for change in &step.changes {
            scenario.change(change);
        }
        scenario.packet(&step.packet);
    }
    scenario.say("contents of the maps with which the program does most");
    for change in contents::busiest(program, &image, &explored.steps) {
        scenario.restore(&change);
    }
    bursts(&mut scenario, &explored.steps);
    unwanted(&mut scenario, &explored.steps);
    stalls(&mut scenario, &explored.steps)?;
    lengths(&mut scenario, &explored.steps)?;
    crowd::crowds(&mut scenario, &explored.steps)?;
    host::works(&mut scenario, &explored.steps)?;
    scenario.finish()?;
    // They come at clocks that are counted from what a packet takes, which is not the same each time in a processor.
    if !scenario.is_processor() {
        reset(&mut scenario, &explored.steps)?;
    }
    scenario.end()?;
    Ok(script::text(scenario.lines(), interface))
}

fn seeds() -> Result<Vec<Packet>, Diagnostic> {
    let of = |packets, options: TrafficOptions| {
        generate(&TrafficOptions {
            packets,
            protocol: Protocol::Mixed,
            size: Size::Fixed(60),
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
    let packets = all.concat().into_iter().enumerate();
    Ok(packets
        .map(|(index, captured)| Packet {
            data: captured.data,
            queue: index as u16 % 4,
            time_ns: 1_000_000 + 1000 * index as u64,
            random: index as u32,
            egress: 1,
            ..Packet::default()
        })
        .collect())
}

/// The contents of the maps with which most ways are taken, and the packets that take them.
fn best(program: &Program, seeds: &[Packet]) -> (Image, Explored) {
    let captured: Vec<_> = (seeds.iter())
        .map(|packet| hardpath_testbed::capture::Captured {
            data: packet.data.clone(),
            time_ns: packet.time_ns,
            ..Default::default()
        })
        .collect();
    let trials = (0..TRIALS).map(|seed| match seed {
        0 => Image::new(),
        _ => fill(program, &captured, port(0).interface, ARRAY_ENTRIES, seed),
    });
    let explored = trials.map(|image| {
        let explored = explore(program, &image, (seeds, &captured), 1);
        (image, explored)
    });
    // Of equal ones the first: the less is put in, the more the program shows by itself.
    explored
        .reduce(|best, next| match next.1.ways.0 > best.1.ways.0 {
            true => next,
            false => best,
        })
        .expect("there is a trial")
}

/// A short packet of each sort, by the way that it took.
fn sorts(steps: &[Step]) -> Vec<&Packet> {
    let mut shortest: BTreeMap<u64, &Packet> = BTreeMap::new();
    for step in steps {
        let packet = shortest.entry(step.way).or_insert(&step.packet);
        // Of equal ones the last: it comes after most of the maps' contents.
        if step.packet.data.len() <= packet.data.len() {
            *packet = &step.packet;
        }
    }
    shortest.into_values().collect()
}

/// One flow back to back, two that take turns, and the answers to both.
fn bursts(scenario: &mut Scenario, steps: &[Step]) {
    let sorts = sorts(steps);
    // Those that send something on or write say most.
    let mut best: Vec<&Packet> = Vec::new();
    for packet in &sorts {
        if best.len() < BURSTS && scenario.does_something(packet) {
            best.push(packet);
        }
    }
    scenario.say("one flow back to back, two flows that take turns, and answers");
    for (index, packet) in best.iter().enumerate() {
        let other = best[(index + 1) % best.len()];
        let back = Packet {
            data: answer(&packet.data),
            port: (packet.port + 1) % PORTS as u8,
            ..(*packet).clone()
        };
        let turns = (0..BURST).map(|turn| if turn % 2 == 0 { *packet } else { other });
        let burst = std::iter::repeat_n(*packet, BURST);
        let all = burst.chain([&back; 3]).chain(turns).chain([&back, packet]);
        for (step, packet) in all.enumerate() {
            let later = packet.time_ns + 7 * step as u64;
            scenario.back_to_back(&Packet {
                time_ns: later,
                ..packet.clone()
            });
        }
    }
}

/// Frames that must not come in, between such as do.
fn unwanted(scenario: &mut Scenario, steps: &[Step]) {
    scenario.say(
        "frames that are too short, too long or marked bad, and the shortest and longest good ones",
    );
    let Some(good) = steps.last().map(|step| step.packet.clone()) else {
        return;
    };
    let of_length = |bytes: usize| {
        let mut packet = good.clone();
        packet.data.resize(bytes, 0x5a);
        packet
    };
    let (shortest, longest) = (MIN_PACKET_BYTES as usize, MAX_PACKET_BYTES as usize);
    for packet in sorts(steps).into_iter().take(6) {
        let bad = Packet {
            bad: true,
            ..packet.clone()
        };
        scenario.back_to_back(&bad);
        scenario.back_to_back(packet);
    }
    let long = Packet {
        bad: true,
        ..of_length(700)
    };
    scenario.back_to_back(&long);
    for bytes in [
        1,
        13,
        8,
        shortest,
        9,
        shortest + 1,
        longest + 1,
        64,
        65,
        longest,
        128,
        longest + 700,
    ] {
        scenario.back_to_back(&of_length(bytes));
        scenario.packet(&good);
    }
}

/// A sink that is not ready for a long time: first short packets stand behind it, then long ones.
fn stalls(scenario: &mut Scenario, steps: &[Step]) -> Result<(), Diagnostic> {
    scenario.say("the sink stalls");
    let sorts = sorts(steps);
    let leaving = sorts.iter().find(|packet| scenario.leaves(packet));
    let Some(packet) = leaving.or(sorts.first()) else {
        return Ok(());
    };
    scenario.stall(STALL);
    for turn in 0..96 {
        let other = sorts[turn % sorts.len()];
        scenario.back_to_back(if turn % 4 == 3 { other } else { packet });
    }
    scenario.settle()?;
    scenario.stall(STALL);
    for turn in 0..12 {
        let mut long = (*packet).clone();
        long.data.resize(1514 - turn, turn as u8);
        scenario.back_to_back(&long);
    }
    scenario.settle()
}

/// A packet that is sent on, at every length that its last beat can have.
fn lengths(scenario: &mut Scenario, steps: &[Step]) -> Result<(), Diagnostic> {
    let sorts = sorts(steps);
    let leaving = sorts.iter().find(|packet| scenario.leaves(packet));
    let Some(packet) = leaving.or(sorts.first()) else {
        return Ok(());
    };
    scenario.say("every length of a last beat");
    for more in 0..scenario.interface.bus_bits as usize / 8 {
        let mut packet = (*packet).clone();
        packet.data.resize(60 + more, more as u8);
        scenario.back_to_back(&packet);
    }
    scenario.settle()
}

/// Packets or operations are inside when a reset comes; nothing of them is left, nor of what was before.
fn reset(scenario: &mut Scenario, steps: &[Step]) -> Result<(), Diagnostic> {
    let sorts = sorts(steps);
    scenario.say("a reset while packets are inside");
    let shorts = sorts.iter().filter(|packet| packet.data.len() <= 64);
    let mut shorts: Vec<&Packet> = shorts.copied().collect();
    let leaving = shorts.iter().position(|packet| scenario.leaves(packet));
    if let Some(at) = leaving {
        shorts.swap(0, at);
    }
    scenario.reset_inside(&shorts)?;
    // Which ones leave is another matter now that the maps are empty.
    let mut one_beat = shorts.iter();
    if let Some(packet) = one_beat.find(|packet| scenario.leaves_in_a_beat(packet)) {
        scenario.say("a reset while one stands at the output");
        scenario.reset_at_output(packet)?;
    }
    let changed = |map: &MapId| may_be_changed(scenario.decl(*map));
    if let Some(map) = scenario.map_ids().into_iter().find(changed) {
        scenario.say("resets while the host's command is on its way");
        let decl = scenario.decl(map);
        let (key, value) = (
            vec![0; decl.entry_key_bytes() as usize],
            vec![0x5a; decl.value_bytes as usize],
        );
        for clocks in [0, 9] {
            scenario.reset_at_command(map, key.clone(), &value, clocks)?;
        }
    }
    for packet in sorts.iter().take(24) {
        scenario.back_to_back(packet);
    }
    scenario.counters()
}
