//! What tables with masks cost, and how deep they are: `cargo run --profile ci -p hardpath-synth --example ternary`, with entries and bits of
//! a key behind `--`, as in `2048x72`, and with few masks as in `2048x72/16`.

mod common;

use hardpath_blocks::ternary::{ternary, Match, Ternary};
use hardpath_rtl::Design;

fn main() {
    let usual = ["128x104", "512x128", "2048x72", "2048x72/16"].map(String::from);
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let sizes = if wanted.is_empty() {
        &usual[..]
    } else {
        &wanted
    };
    common::head("entries  bits");
    for size in sizes {
        let (size, masks) = match size.split_once('/') {
            Some((size, masks)) => (size, Some(masks.parse().expect("masks"))),
            None => (size.as_str(), None),
        };
        let (entries, bits) = size.split_once('x').expect("such as 2048x72");
        let (entries, bits) = (entries.parse(), bits.parse());
        row(entries.expect("entries"), bits.expect("bits"), masks);
    }
}

fn row(entries: u32, bits: u32, masks: Option<u32>) {
    let mut design = Design::new();
    design.add(ternary(&Ternary {
        name: "rules".into(),
        map: "rules".into(),
        fields: vec![(Match::Ternary, bits)],
        entries,
        masks,
        registers: false,
    }));
    common::row(&format!("{entries:>7}  {bits:>4}"), "rules", design);
}
