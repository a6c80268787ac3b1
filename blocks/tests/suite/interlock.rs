//! The interlock: a packet waits exactly while an older one with the same tag is inside, or while any is that must have
//! written before.

use crate::bench::Bench;
use hardpath_blocks::interlock::{interlock, Interlock};
use hardpath_testkit::Random;

#[test]
fn equal_tags_are_kept_apart() {
    for window in [1, 2, 3, 7, 20] {
        heads_wait_for_those_inside(window, None);
        heads_wait_for_those_inside(window, Some(window));
    }
}

#[test]
fn some_wait_longer_or_shorter_for_all() {
    for window in [0, 1, 2, 5, 9] {
        for for_all in [1, 2, 4, 12, 25] {
            heads_wait_for_those_inside(window, Some(for_all));
        }
    }
}

fn heads_wait_for_those_inside(window: u32, waits_for_all: Option<u32>) {
    let config = Interlock {
        name: "gate".into(),
        tag_bits: 5,
        window,
        waits_for_all,
    };
    let mut bench = Bench::of(interlock(&config));
    let mut random = Random::new(u64::from(window * 100 + waits_for_all.unwrap_or(0)));
    // (clock, tag) of those that went in and use the map.
    let mut inside: Vec<(u32, u64)> = Vec::new();
    let mut head = None;
    let (mut entered, mut waited, mut waited_for_all) = (0, 0, 0);
    for clock in 0..4000 {
        if head.is_none() && random.below(5) > 0 {
            let tags = if clock % 400 < 200 { 2 } else { 32 };
            head = Some((
                random.below(tags),
                random.below(4) > 0,
                random.below(8) == 0,
            ));
        }
        let (tag, uses, for_all) = head.unwrap_or((random.below(32), false, false));
        let for_all = waits_for_all.filter(|_| for_all);
        let same = inside
            .iter()
            .any(|(since, other)| clock - since <= window && *other == tag);
        let any =
            for_all.is_some_and(|clocks| inside.iter().any(|(since, _)| clock - since <= clocks));
        let blocks = uses && (same || any);
        let enter = head.is_some() && !blocks;
        bench.set("head_tag", tag);
        bench.set("head_uses", uses.into());
        bench.set("enter", enter.into());
        if waits_for_all.is_some() {
            bench.set("head_waits_for_all", for_all.is_some().into());
        }
        bench.step();
        assert_eq!(
            bench.get("blocks") == 1,
            blocks,
            "window {window}, for all {waits_for_all:?}, clock {clock}"
        );
        if enter {
            entered += 1;
            head = None;
            if uses {
                inside.push((clock, tag));
            }
        }
        waited += u32::from(blocks);
        waited_for_all += u32::from(uses && any && !same);
    }
    assert!(entered > 300 && waited > 100, "{entered} {waited}");
    assert!(
        waits_for_all.is_none() || waited_for_all > 50,
        "{waited_for_all}"
    );
}
