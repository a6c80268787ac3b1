//! The printed text of each test design equals the files in `tests/expected`. `UPDATE_EXPECT=1` writes the files anew.

use crate::designs;
use hardpath_rtl::{check, verilog, vhdl};
use std::path::Path;

#[test]
fn printed_text_is_as_expected() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected");
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let mut different = Vec::new();
    for (number, design) in designs::all().into_iter().enumerate() {
        check::check(&design).expect("the test designs are good");
        let vhdl = vhdl::print(&design).expect("it has a text");
        // The packages differ in their names only.
        let vhdl = vhdl.into_iter().skip(usize::from(number > 0));
        for (file, text) in verilog::print(&design)
            .expect("it has a text")
            .into_iter()
            .chain(vhdl)
        {
            let path = directory.join(&file);
            if update {
                std::fs::write(&path, &text).expect("an expectation is written");
            }
            if std::fs::read_to_string(&path).unwrap_or_default() != text {
                different.push(file);
            }
        }
    }
    assert!(
        different.is_empty(),
        "the text of {different:?} changed; run with UPDATE_EXPECT=1 and read the difference"
    );
}

#[test]
fn printing_is_deterministic() {
    for design in designs::all() {
        assert_eq!(verilog::print(&design), verilog::print(&design));
        assert_eq!(vhdl::print(&design), vhdl::print(&design));
    }
}
