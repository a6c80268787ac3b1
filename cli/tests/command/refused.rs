//! Programs that hardpath refuses: the reason, the source line and the way out, exit status 3, and nothing written.
//! They are compiled here, so these tests need clang.

use crate::common::{compile, hardpath, path};
use std::path::PathBuf;
use tempfile::TempDir;

fn object() -> Option<(TempDir, PathBuf)> {
    compile("refused")
}

/// The program is refused with this code, in a place that holds `source`.
fn is_refused(program: &str, code: &str, source: &str) {
    let Some((place, object)) = object() else {
        return;
    };
    let output = place.path().join("design");
    let arguments = [
        "compile",
        path(&object),
        "--program",
        program,
        "-o",
        path(&output),
        "--json",
    ];
    let error = hardpath(&arguments).error(3, code);
    let at = error["place"].as_str().unwrap();
    assert!(
        at.contains("refused.o: section xdp, instruction "),
        "{error}"
    );
    assert!(at.contains("refused.c:") && at.contains(source), "{error}");
    assert!(error["help"].is_string(), "{error}");
    assert!(!output.exists());
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        1,
        "only the object is there"
    );
}

#[test]
fn helper() {
    is_refused(
        "unsupported_helper",
        "unsupported-helper",
        "bpf_fib_lookup(ctx, 0, 0, 0)",
    );
}

#[test]
fn map() {
    is_refused(
        "unsupported_map",
        "unsupported-map",
        "bpf_map_lookup_elem(&sockets",
    );
}

#[test]
fn relocation() {
    is_refused(
        "unsupported_relocation",
        "unresolved-symbol",
        "LINUX_KERNEL_VERSION",
    );
}

#[test]
fn loop_back() {
    is_refused("loop", "loop", "");
}

#[test]
fn size_that_is_left_open() {
    let Some((_place, object)) = object() else {
        return;
    };
    let arguments = [
        "ir",
        path(&object),
        "--program",
        "map_without_size",
        "--json",
    ];
    let error = hardpath(&arguments).json()["error"].clone();
    assert!(
        error["help"]
            .as_str()
            .unwrap()
            .contains("--max-entries open_size="),
        "{error}"
    );
    let mut with_size = arguments.to_vec();
    with_size.extend(["--max-entries", "open_size=8"]);
    let run = hardpath(&with_size);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn choice_between_programs() {
    let Some((_place, object)) = object() else {
        return;
    };
    let error = hardpath(&["ir", path(&object), "--json"]).error(2, "several-programs");
    assert!(
        error["help"]
            .as_str()
            .unwrap()
            .contains("unsupported_helper"),
        "{error}"
    );
}
