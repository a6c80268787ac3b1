//! Programs with maps of every kind, compiled here and compared with the kernel: hardware, interpreter and kernel do
//! the same. These tests need clang.

use crate::common::{compile, hardpath, judge, path};
use serde_json::Value;

/// The program of `data/NAME.c` does what the kernel does on 3,000 packets of many flows, at random paces.
fn is_as_the_kernel_has_it(name: &str, packets: &[&str], arguments: &[&str]) -> Option<Value> {
    let (place, object) = compile(name)?;
    let capture = place.path().join("traffic.pcapng");
    let mut traffic = vec!["traffic", "-o", path(&capture), "--packets", "3000"];
    traffic.extend(packets);
    assert_eq!(hardpath(&traffic).status, 0);
    let mut check = vec![
        "check",
        path(&object),
        "--json",
        "--pcap",
        path(&capture),
        "--against",
        judge(),
        "--pace",
        "random:3",
        "--backpressure",
        "4",
    ];
    check.extend(arguments);
    let run = hardpath(&check);
    let answer = run.json();
    assert_eq!(run.status, 0, "{name}: {answer:#}");
    Some(answer)
}

#[test]
fn redirects_through_every_kind_of_map() {
    let maps = ["--maps", "cli/tests/command/data/targets.maps.json"];
    let packets = ["--flows", "3000", "--seed", "5"];
    if let Some(answer) = is_as_the_kernel_has_it("targets", &packets, &maps) {
        assert_eq!(answer["maps_compared"], 7, "{answer:#}");
    }
}

#[test]
fn hashes_of_every_kind() {
    let packets = ["--flows", "60", "--seed", "6"];
    is_as_the_kernel_has_it("keyed", &packets, &[]);
}

#[test]
fn values_under_spin_locks() {
    let packets = ["--flows", "60", "--seed", "7"];
    for time in ["1000:700", "5:30000"] {
        is_as_the_kernel_has_it("locks", &packets, &["--time", time]);
    }
}

#[test]
fn clocks_and_cpus() {
    let packets = ["--flows", "60", "--seed", "8"];
    for time in ["capture", "3999999:1", "18446744073709551000:999983"] {
        is_as_the_kernel_has_it("clocks", &packets, &["--time", time]);
    }
}
