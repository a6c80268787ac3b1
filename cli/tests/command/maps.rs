//! Programs with maps of every kind, compiled here and compared with the kernel: hardware, interpreter and kernel do
//! the same. These tests need clang.

use crate::common::{compile, hardpath, judge, path};
use serde_json::{json, Value};

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
fn broadcasts_to_all_devices_of_a_map() {
    let maps = ["--maps", "cli/tests/command/data/broadcasts.maps.json"];
    let packets = ["--flows", "3000", "--seed", "5"];
    for bus in ["512", "256", "128", "64"] {
        let arguments = [maps[0], maps[1], "--bus", bus];
        let answer = is_as_the_kernel_has_it("broadcasts", &packets, &arguments);
        let Some(answer) = answer else { return };
        assert_eq!(answer["maps_compared"], 5, "{answer:#}");
    }
}

#[test]
fn hashes_of_every_kind() {
    let packets = ["--flows", "60", "--seed", "6"];
    is_as_the_kernel_has_it("keyed", &packets, &[]);
}

/// Keys that no packet can have take places from those that packets put in, to the last one.
#[test]
fn keys_that_only_the_host_has() {
    let Some((place, object)) = compile("keyed") else {
        return;
    };
    let [maps, capture] = ["maps.json", "traffic.pcapng"].map(|name| place.path().join(name));
    let packets = ["--packets", "3000", "--flows", "300", "--seed", "16"];
    assert_eq!(
        hardpath(&[&["traffic", "-o", path(&capture)], &packets[..]].concat()).status,
        0
    );
    let mut dropped = Vec::new();
    for count in [0_u8, 1, 39, 40] {
        let entry = |number: u8| {
            let bytes = |all: &[u8]| all.iter().map(|b| format!("{b:#04x}")).collect();
            let (key, value): (Vec<String>, Vec<String>) =
                (bytes(&[number, 1, 0, number % 3 + 1]), bytes(&[number; 8]));
            json!({"key": key, "values": [{"cpu": 0, "value": value}]})
        };
        let entries: Vec<Value> = (0..count).map(entry).collect();
        std::fs::write(&maps, json!({"of_a_cpu": entries}).to_string()).unwrap();
        let (object, capture) = (path(&object), path(&capture));
        let given = [object, "--json", "--pcap", capture, "--maps", path(&maps)];
        for engine in ["native", "verilator"] {
            let against = ["--against", judge(), "--engine", engine];
            let run = hardpath(&[&["check"], &given[..], &against].concat());
            assert_eq!(run.status, 0, "{count} keys: {:#}", run.json());
        }
        let answer = hardpath(&[&["sim"], &given[..]].concat()).json();
        dropped.push(answer["verdicts"]["XDP_DROP"].as_u64().expect("a count"));
    }
    assert!(
        dropped.is_sorted_by(|less, more| less < more),
        "{dropped:?}"
    );
}

#[test]
fn pointers_into_maps_stack_and_packet() {
    let packets = ["--flows", "60", "--seed", "12"];
    is_as_the_kernel_has_it("pointers", &packets, &[]);
}

#[test]
fn values_under_spin_locks() {
    let packets = ["--flows", "60", "--seed", "7"];
    for program in ["locks", "in_one_piece", "always_locked"] {
        for time in ["1000:700", "5:30000"] {
            let arguments = ["--program", program, "--time", time];
            is_as_the_kernel_has_it("locks", &packets, &arguments);
        }
    }
}

#[test]
fn clocks_and_cpus() {
    let packets = ["--flows", "60", "--seed", "8"];
    for time in ["capture", "3999999:1", "18446744073709551000:999983"] {
        is_as_the_kernel_has_it("clocks", &packets, &["--time", time]);
    }
}

/// An entry of a map file: a prefix of so many bits, and a value.
fn prefix(length: u32, data: &[u8], value: &[u8]) -> Value {
    let bytes = |all: &[u8]| -> Vec<String> { all.iter().map(|b| format!("{b:#04x}")).collect() };
    let key = [length.to_le_bytes().as_slice(), data].concat();
    json!({"key": bytes(&key), "value": bytes(value)})
}

#[test]
fn longest_prefixes() {
    let place = tempfile::tempdir().unwrap();
    let maps = place.path().join("maps.json");
    let mut routes = Vec::new();
    let mut services = Vec::new();
    let mut hops = vec![prefix(
        0,
        &[1, 2, 3, 4],
        &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9],
    )];
    for (number, length) in [1, 4, 8, 9, 10, 11, 12, 13, 15, 32].into_iter().enumerate() {
        let address = [10, 0x5a + number as u8, 0x81, 7];
        routes.push(prefix(length, &address, &[number as u8 + 1; 4]));
    }
    routes.push(prefix(3, &[0xc0, 0, 0, 0], &[0xaa; 4]));
    for number in 0..7_u8 {
        let address = [[10, 198][usize::from(number & 1)], number << 5 | 18, 0, 0];
        let value = [&[number + 2, 0, 0, 0], [0; 12].as_slice()].concat();
        hops.push(prefix(3 * u32::from(number) + 1, &address, &value));
    }
    for number in 0..100_u32 {
        let mut data = [198, 18, 0, 0, 0, 53, 0, 0];
        data[0] ^= (0x80_u32 >> (number % 32)) as u8;
        data[1] += number as u8 & 1;
        data[2] = (number.wrapping_mul(0x9e37_79b9) >> 24) as u8;
        let length = number * 3 % 65;
        services.push(prefix(length, &data, &[number as u8, 0x77]));
    }
    // Keys that differ behind their prefix are one: the last of them counts.
    let file = json!({"routes": routes, "hops": hops, "services": services});
    std::fs::write(&maps, file.to_string()).unwrap();
    let packets = ["--flows", "2000", "--seed", "9"];
    let arguments = ["--maps", path(&maps)];
    if let Some(answer) = is_as_the_kernel_has_it("routes", &packets, &arguments) {
        assert_eq!(answer["maps_compared"], 3, "{answer:#}");
    }
}

#[test]
fn pointers_from_before_an_update() {
    let packets = ["--flows", "30", "--seed", "10"];
    is_as_the_kernel_has_it("in_place", &packets, &[]);
}

/// Which keys a full LRU map forgets is its own affair; that it takes every new one, keeps as many as it must, and forgets
/// at all, is not.
#[test]
fn a_full_lru_map_takes_new_keys() {
    let Some((place, object)) = compile("recent") else {
        return;
    };
    let capture = place.path().join("traffic.pcapng");
    let maps = place.path().join("maps.json");
    let flows = ["--flows", "900", "--packets", "4000"];
    let mut traffic = vec!["traffic", "-o", path(&capture)];
    traffic.extend(flows);
    assert_eq!(hardpath(&traffic).status, 0);
    let files = ["--pcap", path(&capture), "--maps-out", path(&maps)];
    let mut simulate = vec!["sim", path(&object), "--json"];
    simulate.extend(files);
    let run = hardpath(&simulate);
    let answer = run.json();
    assert_eq!(run.status, 0, "{answer:#}");
    assert_eq!(answer["verdicts"]["XDP_ABORTED"], 0, "{answer:#}");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&maps).unwrap()).unwrap();
    let kept = written["recent"].as_array().unwrap().len();
    assert!((100..400).contains(&kept), "{kept} keys");
}

/// An update leaves a spin lock alone, whatever a map file says: it stays open.
#[test]
fn a_map_file_cannot_close_a_lock() {
    let Some((place, object)) = crate::common::compile_source("programs", "nat") else {
        return;
    };
    let maps = place.path().join("maps.json");
    let entry = r#"{"pool": [{"key": ["0", "0", "0", "0"], "value": ["1", "2", "3", "4", "5", "0", "0", "0"]}]}"#;
    std::fs::write(&maps, entry).unwrap();
    let run = hardpath(&[
        "check",
        path(&object),
        "--pcap",
        "programs/firewall.pcap",
        "--maps",
        path(&maps),
        "--against",
        judge(),
        "--json",
    ]);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

/// The command's answer about `reach`, the program of `data/reach.c`.
fn reach(object: &std::path::Path, command: &str, arguments: &[&str]) -> crate::common::Run {
    let mut all = vec![command, path(object), "--json"];
    all.extend(arguments);
    hardpath(&all)
}

/// A program has the maps that it can come to with the constants as they are: `compile` asks for the sizes of those alone
/// and lists them, map files fill them, `check` compares them. What else its instructions name is nobody's business.
#[test]
fn a_program_has_the_maps_that_it_comes_to() {
    let Some((place, object)) = compile("reach") else {
        return;
    };
    let asked = |arguments: &[&str]| {
        let answer = reach(&object, "compile", arguments).json();
        let one = [answer["error"].clone()];
        let errors = answer["errors"].as_array().map_or(&one[..], |all| all);
        let helps = errors.iter().map(|error| error["help"].to_string());
        helps.collect::<Vec<_>>()
    };
    let helps = asked(&[]);
    assert!(
        helps.len() == 1 && helps[0].contains("choice=N"),
        "{helps:?}"
    );
    let helps = asked(&["--set", "cpus=2"]);
    assert_eq!(helps.len(), 2, "{helps:?}");
    assert!(helps[0].contains("choice=N") && helps[1].contains("cpu_map=N"));

    let (capture, file) = (
        place.path().join("in.pcapng"),
        place.path().join("maps.json"),
    );
    let traffic = ["traffic", "--packets", "200", "-o", path(&capture)];
    assert_eq!(hardpath(&traffic).status, 0);
    let choice = json!([{"key": [0, 0, 0, 0], "value": [2, 0, 0, 0]}]);
    let cpus = json!([{"key": [1, 0, 0, 0], "value": [192, 0, 0, 0]}]);
    let without = ["--max-entries", "choice=1"];
    let with = [
        without[0],
        without[1],
        "--max-entries",
        "cpu_map=3",
        "--set",
        "cpus=2",
    ];
    let cases = [
        (&without[..], json!({"choice": choice}), &["choice"][..]),
        (
            &with,
            json!({"choice": choice, "cpu_map": cpus}),
            &["choice", "cpu_map"],
        ),
    ];
    for (arguments, contents, names) in cases {
        std::fs::write(&file, contents.to_string()).unwrap();
        let compiled = reach(&object, "compile", arguments).json();
        let maps = compiled["maps"].as_array().unwrap().iter();
        assert_eq!(
            maps.map(|map| map["name"].as_str().unwrap())
                .collect::<Vec<_>>(),
            names
        );
        let mut check = arguments.to_vec();
        check.extend([
            "--maps",
            path(&file),
            "--pcap",
            path(&capture),
            "--against",
            judge(),
        ]);
        let run = reach(&object, "check", &check);
        assert_eq!(run.status, 0, "{}", run.stdout);
        assert_eq!(run.json()["maps_compared"], names.len());
    }
    // What `compile` does not mention, no map file fills.
    let mut check = without.to_vec();
    check.extend(["--maps", path(&file), "--pcap", path(&capture)]);
    let error = reach(&object, "check", &check).error(2, "unknown-map");
    assert!(
        error["message"].as_str().unwrap().contains("it has choice"),
        "{error}"
    );
}
