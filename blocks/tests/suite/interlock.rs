//! The interlock: a packet waits exactly while an older one with the same tag is inside.

use crate::bench::Bench;
use crate::random::Random;
use hardpath_blocks::interlock::{interlock, Interlock};

#[test]
fn equal_tags_are_kept_apart() {
    for window in [1, 2, 3, 7, 20] {
        for waits_for_all in [false, true] {
            let config = Interlock {
                name: "gate".into(),
                tag_bits: 5,
                window,
                waits_for_all: waits_for_all.then_some(window),
            };
            let mut bench = Bench::of(interlock(&config));
            let mut random = Random::new(u64::from(window));
            // (clock, tag) of those that went in and use the map.
            let mut inside: Vec<(u32, u64)> = Vec::new();
            let mut head = None;
            let (mut entered, mut waited) = (0, 0);
            for clock in 0..4000 {
                if head.is_none() && random.below(5) > 0 {
                    let tags = if clock % 400 < 200 { 2 } else { 32 };
                    head = Some((
                        random.below(tags),
                        random.below(4) > 0,
                        random.below(8) == 0,
                    ));
                }
                inside.retain(|(since, _)| clock - since <= window);
                let (tag, uses, for_all) = head.unwrap_or((random.below(32), false, false));
                let for_all = for_all && waits_for_all;
                let blocks = uses && inside.iter().any(|(_, other)| *other == tag || for_all);
                let enter = head.is_some() && !blocks;
                bench.set("head_tag", tag);
                bench.set("head_uses", uses.into());
                bench.set("enter", enter.into());
                if waits_for_all {
                    bench.set("head_waits_for_all", for_all.into());
                }
                bench.step();
                assert_eq!(
                    bench.get("blocks") == 1,
                    blocks,
                    "window {window}, clock {clock}"
                );
                if enter {
                    entered += 1;
                    head = None;
                    if uses {
                        inside.push((clock, tag));
                    }
                }
                waited += u32::from(blocks);
            }
            assert!(entered > 300 && waited > 100, "{entered} {waited}");
        }
    }
}
