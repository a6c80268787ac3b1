//! Traffic that is made to break a program's maps: one key, two keys, few and many, in bursts, keys that share buckets; back to
//! back, with gaps, with backpressure; the host works beside it.

use crate::running::{Running, MANNERS};
use crate::traffic::{colliding, events, only_on, operation, packets, Keys};
use hardpath_ir::maps::Maps;
use hardpath_testkit::Random;

/// Packets of one run, where nothing else is said.
pub const PACKETS: usize = 1500;

/// All kinds of keys.
pub fn torture(hardware: &mut Running, seed: u64, count: usize) {
    let mut kinds = vec![
        Keys::One,
        Keys::Two,
        Keys::Of(9),
        Keys::Of(3000),
        Keys::Bursts,
    ];
    kinds.extend(colliding(hardware.interface()));
    torture_with(hardware, seed, count, &kinds);
}

/// Traffic with these keys in all manners.
pub fn torture_with(hardware: &mut Running, seed: u64, count: usize, kinds: &[Keys]) {
    let mut random = Random::new(seed);
    let interface = hardware.interface().clone();
    for &keys in kinds {
        for manner in MANNERS {
            hardware.reset();
            let mut maps = Maps::new(&hardware.program.maps);
            if !interface.maps.is_empty() {
                let mut before: Vec<_> = (0..20)
                    .map(|_| operation(&mut random, &interface))
                    .collect();
                for operation in &mut before {
                    only_on(&keys, operation);
                }
                hardware.prepare(&mut maps, &before);
            }
            let sent = packets(&mut random, count, keys);
            let mut beside = match interface.maps.is_empty() {
                true => Vec::new(),
                false => events(&mut random, &interface, count, count / 20),
            };
            for event in &mut beside {
                only_on(&keys, &mut event.operation);
            }
            hardware.check(&mut maps, &sent, &beside, manner);
        }
    }
}
