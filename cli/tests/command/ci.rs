//! What `.ci/run` says after the tests.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn script(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci");
    folder.join(name)
}

/// Runs `.ci/run` with a `make` that prints a text and ends with a status; gives its status and its lines.
fn run_ci(printed: &str, status: i32) -> (i32, Vec<String>) {
    let place = tempfile::tempdir().unwrap();
    let text = place.path().join("printed");
    std::fs::write(&text, printed).unwrap();
    let make = place.path().join("make");
    let body = format!("#!/bin/sh\ncat {}\nexit {status}\n", text.display());
    std::fs::write(&make, body).unwrap();
    std::fs::set_permissions(&make, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let output = Command::new(script("run"))
        .env("PATH", format!("{}:{path}", place.path().display()))
        .env("CI_LOG", place.path().join("ci.log"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines = said.lines().map(str::to_owned);
    (output.status.code().unwrap(), lines.collect())
}

#[test]
fn the_twenty_slowest_tests_come_before_the_sum() {
    let mut printed = String::from(
        "     Running unittests src/lib.rs (target/ci/deps/hardpath_ir-0123456789abcdef)\n",
    );
    // In no order: 7 has no common divisor with 25.
    for number in (0..25).map(|step| step * 7 % 25) {
        printed += &format!("test maps::number_{number} ... ok <{number}.250s>\n");
    }
    printed += "test result: ok. 25 passed; 0 failed; 0 ignored; finished in 300.00s\n";
    printed += "     Running tests/suite/main.rs (target/ci/deps/suite-00e9db0260722c47)\n";
    printed += "test slow - should panic ... FAILED <12.600s>\n";
    printed += "test result: FAILED. 0 passed; 1 failed; 0 ignored; finished in 12.61s\n";
    let (status, said) = run_ci(&printed, 2);
    assert_eq!(status, 2);
    let start = said
        .iter()
        .position(|line| line.starts_with("the 20 slowest"));
    let (last, slowest) = said[start.unwrap() + 1..].split_last().unwrap();
    assert_eq!(last, "25 passed, 1 failed");
    let mut wanted: Vec<String> = (6..25)
        .rev()
        .map(|number| {
            format!(
                "{:9.1}  hardpath_ir: maps::number_{number}",
                f64::from(number) + 0.25
            )
        })
        .collect();
    wanted.insert(12, format!("{:9.1}  suite: slow", 12.6));
    assert_eq!(slowest, wanted);
}

#[test]
fn a_test_binary_without_a_result_has_failed() {
    let (status, said) = run_ci(
        "     Running unittests src/lib.rs (target/ci/deps/hardpath_ir-0123456789abcdef)\n\
         test result: ok. 3 passed; 0 failed; finished in 0.00s\n\
         \x20    Running tests/suite/main.rs (target/ci/deps/suite-00e9db0260722c47)\n\
         test one ... ok <0.001s>\n\
         error: test failed, to rerun pass `-p hardpath-rtl --test suite`\n\
         \x20 process didn't exit successfully: `target/ci/deps/suite-00e9db0260722c47` (signal: 6, SIGABRT)\n\
         \x20  Doc-tests hardpath_ir\n\
         test result: ok. 1 passed; 0 failed; finished in 0.10s\n\
         \x20    Running tests/last.rs (target/ci/deps/last-00e9db0260722c48)\n",
        101,
    );
    assert_eq!(status, 101);
    let end = &said[said.len() - 3..];
    assert_eq!(
        end,
        ["crashed: suite", "crashed: last", "4 passed, 2 failed"]
    );
}

#[test]
fn without_tests_the_sum_is_nothing() {
    let (status, said) = run_ci("make: *** [style] Error 1\n", 2);
    assert_eq!(
        (status, said.last().unwrap().as_str()),
        (2, "0 passed, 0 failed")
    );
}

/// The harness of the toolchain of the day says what a test took.
#[test]
fn test_binaries_print_times() {
    let output = Command::new(script("timed"))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "ci::without_tests_the_sum_is_nothing"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find(|line| line.starts_with("test ci::"));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    assert!(
        line.contains(" ... ok <0.") && line.ends_with("s>"),
        "{line}"
    );
}
