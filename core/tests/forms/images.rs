//! Random programs.

use crate::operations::Operations;
use cranelift_entity::PrimaryMap;
use hardpath_core::encode::Bounds;
use hardpath_core::image::{Image, Row, LANES};
use hardpath_ir::{Field, Find, Limits, MapDecl, Match, Output, OwnInput};
use hardpath_testkit::Random;

/// A program with everything that one can have. Declarations are not those of a sensible program.
pub fn image(seed: u64, rows: u32) -> Image {
    let mut random = Random::new(seed);
    let maps = maps(&mut random);
    let bounds = Bounds {
        lanes: *random.pick(&LANES),
        registers: random.below(64) as u8 + 1,
        rows,
        maps: maps.len() as u8,
    };
    let inputs = vec![own("mark", 12), own("a \"name\"", 33)];
    Image {
        name: String::from("tes\tt \"1\""),
        lanes: bounds.lanes,
        registers: bounds.registers,
        rows: self::rows(seed, bounds),
        stack: random.below(5000) as u32,
        limits: Limits {
            headroom: random.below(300) as u32,
            ..Limits::default()
        },
        inputs,
        outputs: vec![
            output("verdict", 3, &["aborted", "drop"]),
            output("x", 64, &[]),
        ],
        maps,
    }
}

fn own(name: &str, width: u32) -> OwnInput {
    let name = name.to_owned();
    OwnInput { name, width }
}

fn output(name: &str, width: u32, values: &[&str]) -> Output {
    Output {
        values: values.iter().map(|value| value.to_string()).collect(),
        ..Output::new(name, width)
    }
}

fn rows(seed: u64, bounds: Bounds) -> Vec<Row> {
    let mut operations = Operations::new(seed, bounds);
    let row = |_| {
        let lane = |lane| operations.flag().then(|| operations.any(lane));
        Row {
            lanes: (0..bounds.lanes).map(lane).collect(),
        }
    };
    (0..bounds.rows).map(row).collect()
}

fn maps(random: &mut Random) -> PrimaryMap<hardpath_ir::MapId, MapDecl> {
    let mut maps = PrimaryMap::new();
    for (number, (_, find)) in Find::ALL.into_iter().enumerate() {
        let name = format!("map {number}");
        let mut map = MapDecl::new(&name, find, (4, 8), 100);
        map.key_bytes = random.below(30) as u32;
        map.forgets = random.below(2) == 0;
        map.broadcast = random.below(2) == 0;
        maps.push(map);
    }
    let mut map = MapDecl::new("", Find::Ternary, (8, 8), 16);
    map.fields = Match::ALL.map(|(_, by)| Field { by, bits: 16 }).to_vec();
    map.outside = String::from("acl");
    map.packets_write = false;
    map.in_place = true;
    map.initial = Some(vec![0, 255, 3]);
    maps.push(map);
    maps
}
