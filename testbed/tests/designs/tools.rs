//! What is said when Verilator is missing or fails.

use crate::toy::{toy, Flaw};
use hardpath_testbed::verilator::{Verilator, VerilatorOptions};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_missing_or_failing_verilator_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (design, _) = toy(64, Flaw::None);
    let mut options = VerilatorOptions {
        executable: Some("/nonexistent/verilator_bin".into()),
        cache: Some(folder.path().join("cache")),
        ..VerilatorOptions::default()
    };
    let error = Verilator::new(&design, &options).err().unwrap();
    assert_eq!(error.code, "verilator-missing");
    assert_eq!(error.place_text(), "/nonexistent/verilator_bin");

    // One that is there, but takes no design.
    let (bin, include) = (folder.path().join("bin"), folder.path().join("include"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir(&include).unwrap();
    for part in ["verilated.cpp", "verilated_threads.cpp"] {
        fs::write(include.join(part), "").unwrap();
    }
    let script = "#!/bin/sh\n[ $1 = --version ] && echo fake 1.0 && exit\n\
                  echo first line\necho '%Error: toy.sv:1: broken' >&2\nexit 1\n";
    let fake = bin.join("verilator_bin");
    fs::write(&fake, script).unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    options.executable = Some(fake);
    let error = Verilator::new(&design, &options).err().unwrap();
    if error.code == "compiler-missing" && std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none() {
        println!("note: {error}");
        return;
    }
    assert_eq!(error.code, "verilator-failed", "{error}");
    assert!(
        error.message.contains("%Error: toy.sv:1: broken"),
        "{error}"
    );
    let left: Vec<_> = fs::read_dir(folder.path().join("cache"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left.len(), 1, "only the run-time library stays: {left:?}");
}
