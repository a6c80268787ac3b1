//! What a core counts: every clock once, and events as often as they happen.

use crate::core::{rows, Core};
use crate::programs::{packets, ADDS, COUNTS, ROUND, SLOW};
use hardpath_core::hardware::processor::stream::{Before, Load};
use hardpath_core::image::Image;
use hardpath_core::interpreter::{self, MOST_ROWS};
use hardpath_ir::maps::Maps;
use hardpath_packet::Sideband;
use hardpath_registers::{Event, Events, Stall};

/// A round of the counters' turns, and what an event takes to get to them.
const LATE: u32 = 64;

fn events(core: &mut Core) -> Events {
    (0..LATE).for_each(|_| core.step());
    let mut events = Events::default();
    // The last one alone goes on while nothing is inside.
    let traffic = Event::Stall(Stall::Traffic).place();
    let others = (0..events.0.len()).filter(|place| *place != traffic);
    for place in others.chain([traffic]) {
        let address = u64::from(Event::Rows.address()) + 8 * place as u64;
        let (low, response) = core.read(address);
        assert_eq!(response, 0);
        events.0[place] = low | core.read(address + 4).0 << 32;
    }
    events
}

/// Packets through a core that is out of reset for as long as it has stepped.
fn ran(image: &Image, threads: u8, packets: &[Vec<u8>]) -> Events {
    let mut core = Core::with(image, threads);
    packets.iter().for_each(|packet| core.send(packet));
    core.until_fates(packets.len());
    let events = events(&mut core);
    let behind = core.clocks - events.clocks();
    assert!(
        behind <= u64::from(LATE),
        "{} of {} clocks are counted",
        events.clocks(),
        core.clocks
    );
    events
}

fn rows_of(image: &Image, packets: &[Vec<u8>]) -> u64 {
    let mut maps = Maps::new(&image.maps);
    let mut core = interpreter::Core::new(image);
    let ran = packets.iter().map(|packet| {
        let ran = core.run(MOST_ROWS, &mut maps, packet, &Sideband::default());
        ran.expect("an end").rows
    });
    ran.sum()
}

fn stall(events: &Events, stall: Stall) -> u64 {
    events.of(Event::Stall(stall))
}

#[test]
fn rows_are_those_of_the_interpreter() {
    let all = packets(60, 1);
    for (text, threads) in [(ADDS, 16), (ADDS, 1), (SLOW, 4), (COUNTS, 1)] {
        let image = rows(text);
        let events = ran(&image, threads, &all);
        assert_eq!(events.of(Event::Rows), rows_of(&image, &all), "{text}");
        assert_eq!(events.of(Event::Reruns), 0);
        assert_eq!(events.of(Event::Cuts), 0);
    }
}

#[test]
fn who_begins_again_is_counted() {
    let image = rows(COUNTS);
    let all = packets(200, 16);
    let events = ran(&image, 16, &all);
    let (reruns, again) = (events.of(Event::Reruns), events.of(Event::Rows));
    let once = rows_of(&image, &all);
    assert!(reruns > 20, "{events:?}");
    // The shortest way that reads has two rows, the longest one five.
    let more = again - once;
    assert!((reruns..=5 * reruns).contains(&more), "{more} of {reruns}");
    assert!(stall(&events, Stall::Order) > 0, "{events:?}");
    assert!(stall(&events, Stall::Parked) > 0, "{events:?}");
}

#[test]
fn full_logs_and_cuts_are_counted() {
    // Six additions in each packet, and room for four.
    let events = ran(&rows(ADDS), 16, &packets(50, 2));
    assert_eq!(events.of(Event::Overflows), 100);
    assert!(stall(&events, Stall::Commit) > 0, "{events:?}");
    let [goes, stays] = [vec![0; 60], vec![1; 60]];
    let all = [goes.clone(), stays.clone(), goes, stays.clone(), stays];
    let events = ran(&rows(ROUND), 4, &all);
    assert_eq!(events.of(Event::Cuts), 3);
    assert_eq!(events.of(Event::Overflows), 0);
}

#[test]
fn what_the_oldest_packet_waits_for_is_the_reason() {
    let all = packets(60, 3);
    let slow = ran(&rows(SLOW), 2, &all);
    let maps = ran(&rows(COUNTS), 1, &all);
    let rounds = ran(&rows(ROUND), 2, &vec![vec![1; 60]; 4]);
    for (events, most) in [(&slow, Stall::Units), (&rounds, Stall::Rows)] {
        let found = Stall::ALL.map(|one| (stall(events, one), one));
        let inside = found
            .into_iter()
            .filter(|(_, one)| !matches!(one, Stall::Traffic | Stall::Intake));
        assert_eq!(inside.max().map(|(_, one)| one), Some(most), "{events:?}");
    }
    assert!(stall(&maps, Stall::Maps) > 500, "{maps:?}");
    assert_eq!(
        (stall(&slow, Stall::Maps), stall(&maps, Stall::Units)),
        (0, 0)
    );
    assert_eq!(
        stall(&rounds, Stall::Maps) + stall(&rounds, Stall::Units),
        0
    );
}

#[test]
fn a_sink_that_is_not_ready_is_the_reason() {
    let mut core = Core::with(&rows(COUNTS), 4);
    for _ in 0..60 {
        core.send(&[0; 60]);
    }
    core.stalls = true;
    (0..4000).for_each(|_| core.step());
    let events = events(&mut core);
    assert!(stall(&events, Stall::Transmit) > 2000, "{events:?}");
    assert_eq!(stall(&events, Stall::Closed), 0);
}

#[test]
fn a_program_that_waits_for_the_host_closes_the_entrance() {
    let mut core = Core::with(&rows(ROUND), 4);
    core.send(&[1; 60]);
    (0..40).for_each(|_| core.step());
    // A load that waits for the packet inside.
    let image = rows(ROUND);
    let load = Load::new(&core.config, &image, Before::Unknown, true);
    core.send(&[0; 60]);
    core.load(&load.expect("it fits").words);
    (0..20).for_each(|_| core.step());
    core.send(&[0; 60]);
    core.until_fates(2);
    assert_eq!(core.write(0x400, 2), 0);
    core.until_fates(3);
    let events = events(&mut core);
    assert!(stall(&events, Stall::Closed) > 100, "{events:?}");
}
