//! The core beside the figures and tables of hXDP's paper, one row each: `docs/core.md`.
//!
//! ```text
//! make bench-core
//! ```
//!
//! `--docs FILE` in front keeps the page; `--kernel FOLDER` says where the kernel's samples lie as objects, `--packages FOLDER`
//! those of libxdp. A path that does not do what its row says ends the run: its packets have another fate, or its helper did not run.

mod area;
mod cases;
mod clocks;
mod figures;
mod frames;
mod machine;
mod made;
mod micro;
mod paper;
mod programs;
mod rows;
mod setting;

use hardpath_diagnostic::Diagnostic;
use programs::Folders;
use setting::Setting;
use std::process::ExitCode;

const INTRODUCTION: &str = "# The core, beside hXDP

`make bench-core` wrote this page, all of it with one build: the figures and tables of the paper of hXDP (OSDI 2020), a VLIW processor
for XDP programs with four lanes on a Virtex-7 at 156.25 MHz, and the same of the core. *hXDP* marks what the paper says; some of it is read
from its figures. The kernel's programs are those of Linux 6.1, and hXDP's those of 2020: where a program has changed since, *rows a slot*
compares better than rows. A slot is an eBPF instruction.

What has no counterpart: x86 processors, which the paper has beside its own, were not measured here. The paper's figures are taken at the
ports of its network card; ours at the streams of the core, in simulation, clock by clock, with no card around it. Its balancer
(katran) and its firewall are not among our sources: the firewall here is [ours](../programs/firewall.c).
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            for error in errors {
                eprintln!("{error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Vec<String>) -> Result<(), Vec<Diagnostic>> {
    let mut folders = Folders::default();
    let mut docs = None;
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        let value = words.next();
        match (word.as_str(), value) {
            ("--docs", Some(file)) => docs = Some(file),
            ("--kernel", Some(folder)) => folders.kernel = folder.into(),
            ("--packages", Some(folder)) => folders.packages = folder.into(),
            _ => return Err(wrong(format!("{word} is not known here, or has no value"))),
        }
    }
    let mut setting = Setting::new(folders)?;
    let mut page = String::from(INTRODUCTION);
    for part in [
        rows::table,
        rows::savings,
        clocks::tables,
        micro::tables,
        area::table,
    ] {
        let text = part(&mut setting)?;
        print!("{text}");
        page.push_str(&text);
    }
    match docs.map(|file| std::fs::write(&file, page).map_err(|error| (file, error))) {
        Some(Err((file, error))) => Err(wrong(format!("{file} cannot be written: {error}"))),
        _ => Ok(()),
    }
}

/// What ends a run.
pub fn wrong(message: String) -> Vec<Diagnostic> {
    vec![Diagnostic::input("bench-core", message)]
}
