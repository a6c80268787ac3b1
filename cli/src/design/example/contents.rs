//! Which of all contents that the host gave the maps serve the program best.

use super::change::Change;
use super::explore::Step;
use super::{may_be_changed, sideband_of, sorts};
use crate::contents::Random;
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::May;
use hardpath_ir::{MapId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Packets that put keys in, and others like each of them.
const PUTTING: usize = 4;
const VARIANTS: usize = 24;
/// Values that are tried.
const CLIMBS: usize = 120;
/// So far into them bytes are changed.
const FRONT: usize = 48;

/// What the host gave: `None` for what it took away.
type Given = BTreeMap<(MapId, Vec<u8>), Option<Vec<u8>>>;

/// While ways are looked for, the contents change and change again, and at the end a program may do little. Of all of them
/// these are those with which packets of most sorts are sent on or write something.
pub fn busiest(program: &Program, image: &Image, steps: &[Step]) -> Vec<Change> {
    let mut given = Given::new();
    for (map, decl) in &program.maps {
        for (key, value) in image.get(&decl.name).into_iter().flatten() {
            given.insert((map, key.clone()), Some(value.clone()));
        }
    }
    let mut prepared = Prepared::new(program);
    let mut best = (
        value_of(program, &mut prepared, &given, steps),
        given.clone(),
    );
    for step in steps.iter().filter(|step| !step.changes.is_empty()) {
        for change in &step.changes {
            given.insert((change.map, change.key.clone()), change.value.clone());
        }
        let value = value_of(program, &mut prepared, &given, steps);
        if value > best.0 {
            best = (value, given.clone());
        }
    }
    climb(program, &mut prepared, &mut best, steps);
    // What was first given later is as the best contents had it: not there, or zeros.
    let absent = given
        .into_keys()
        .filter(|place| !best.1.contains_key(place));
    let absent: Vec<(MapId, Vec<u8>)> = absent.collect();
    let zeros = |map: MapId| {
        let decl = &program.maps[map];
        decl.is_array().then(|| vec![0; decl.value_bytes as usize])
    };
    let absent = absent
        .into_iter()
        .map(|(map, key)| ((map, key), zeros(map)));
    let all = absent
        .chain(best.1)
        .map(|((map, key), value)| Change { map, key, value });
    all.collect()
}

/// Changes values as long as more comes of it: a mask, a limit or a number of ports is seldom what serves a program best.
fn climb(program: &Program, prepared: &mut Prepared, best: &mut (usize, Given), steps: &[Step]) {
    let mut random = Random(13);
    let maps: Vec<MapId> = program.maps.keys().collect();
    if maps.is_empty() {
        return;
    }
    for _ in 0..CLIMBS {
        let map = maps[random.below(maps.len() as u32) as usize];
        let is_of_map = |place: &(MapId, Vec<u8>)| place.0 == map;
        let places: Vec<_> = (best.1.keys())
            .filter(|place| is_of_map(place))
            .cloned()
            .collect();
        if places.is_empty() || !may_be_changed(&program.maps[map]) {
            continue;
        }
        let mut given = best.1.clone();
        let place = &places[random.below(places.len() as u32) as usize];
        if let Some(Some(value)) = given.get_mut(place) {
            let width = 1 << random.below(3);
            let fields = (value.len() / width).max(1);
            let at = width * random.below(fields as u32) as usize;
            let with = [0, u64::MAX, random.next()][random.below(3) as usize];
            for (byte, with) in value.iter_mut().skip(at).zip(&with.to_le_bytes()[..width]) {
                *byte = *with;
            }
        }
        let value = value_of(program, prepared, &given, steps);
        if value > best.0 {
            *best = (value, given);
        }
    }
}

/// The ways on which packets do something.
fn value_of(program: &Program, prepared: &mut Prepared, given: &Given, steps: &[Step]) -> usize {
    let mut maps = Maps::new(&program.maps);
    for ((map, key), value) in given {
        if let Some(value) = value {
            maps.update(*map, key, value, May::PUT);
        }
    }
    let mut busy = BTreeSet::new();
    let mut putting = Vec::new();
    for packet in sorts(steps) {
        for _ in 0..2 {
            maps.watch_changes();
            let outcome = prepared.run(&mut maps, &packet.data, &sideband_of(packet));
            let changes = maps.take_changes();
            if !changes.is_empty() || !outcome.copies.is_empty() {
                busy.insert((prepared.way().to_vec(), outcome.outputs));
            }
            if changes
                .iter()
                .any(|change| program.maps[change.map].is_exact())
            {
                putting.push(packet);
            }
        }
    }
    // Others like those that put keys in: do they, too?
    let mut random = Random(11);
    let mut put = BTreeSet::new();
    for packet in putting.iter().rev().take(PUTTING) {
        for _ in 0..VARIANTS {
            let mut data = packet.data.clone();
            let front = data.len().min(FRONT) as u32;
            for _ in 0..4 {
                data[random.below(front) as usize] = random.next() as u8;
            }
            maps.watch_changes();
            prepared.run(&mut maps, &data, &sideband_of(packet));
            let changes = maps.take_changes().into_iter();
            let keys = changes.filter(|change| program.maps[change.map].is_exact());
            put.extend(keys.map(|change| (change.map, change.key)));
        }
    }
    2 * busy.len() + put.len()
}
