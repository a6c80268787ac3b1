//! What tables of many prefixes cost, and how deep they are: `cargo run --profile ci -p hardpath-synth --example prefixes`, with entries and bits
//! of a key behind `--`, as in `1024x32`.

mod common;

use hardpath_blocks::lpm::{lpm, Lpm, Search};
use hardpath_rtl::Design;

fn main() {
    let usual = ["256x32", "1024x32", "16384x32"].map(String::from);
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let sizes = if wanted.is_empty() {
        &usual[..]
    } else {
        &wanted
    };
    common::head("entries  bits  clocks");
    for size in sizes {
        let (entries, bits) = size.split_once('x').expect("such as 1024x32");
        let number = |text: &str| -> u32 { text.parse().expect("a number") };
        row(number(entries), number(bits));
    }
}

fn row(max_entries: u32, bits: u32) {
    let search = Search::Ranges { apart: false };
    let key_bytes = 4 + bits / 8;
    let mut design = Design::new();
    design.add(lpm(&Lpm {
        name: "routes".into(),
        map: "routes".into(),
        key_bytes,
        max_entries,
        registers: false,
        search,
        bounded: false,
    }));
    let clocks = Lpm::clocks(key_bytes, max_entries, false, search);
    let what = format!("{max_entries:>7}  {bits:>4}  {clocks:>6}");
    common::row(&what, "routes", design);
}
