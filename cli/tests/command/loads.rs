//! Programs that are loaded into a core in the middle of traffic.

use crate::common::{compile, compile_source, hardpath, path, root};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Packets of some flows, back to back.
fn traffic(packets: usize) -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let capture = place.path().join("traffic.pcap");
    let packets = packets.to_string();
    let made = hardpath(&[
        "traffic",
        "--packets",
        &packets,
        "--flows",
        "20",
        "--output",
        path(&capture),
    ]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    (place, capture)
}

/// A command over them, with a core.
fn run(command: &str, first: &str, capture: &Path, options: &[&str]) -> (i32, Value) {
    let usual = [
        command,
        first,
        "--target",
        "core",
        "--pcap",
        path(capture),
        "--json",
    ];
    let run = hardpath(&[&usual[..], options].concat());
    (run.status, run.json())
}

/// The programs of these tests: the first one drops, the next one sends back, the last one passes, and all count in one map.
struct Programs {
    _places: Vec<TempDir>,
    first: String,
    next: String,
    last: String,
}

impl Programs {
    /// `None`: there is no compiler.
    fn new() -> Option<Programs> {
        let all = ["loaded_first", "loaded_next", "loaded_last"].map(compile);
        let all: Option<Vec<_>> = all.into_iter().collect();
        let (places, objects): (Vec<_>, Vec<_>) = all?.into_iter().unzip();
        let name = |at: usize| path(&objects[at]).to_owned();
        Some(Programs {
            first: name(0),
            next: name(1),
            last: name(2),
            _places: places,
        })
    }
}

fn load(packets: usize, object: &str) -> String {
    format!("{packets}:{object}")
}

#[test]
fn each_packet_is_run_by_the_program_in_force() {
    let Some(programs) = Programs::new() else {
        return;
    };
    let (_place, capture) = traffic(1500);
    let loads = [load(300, &programs.next), load(900, &programs.first)];
    let options = ["--load", &loads[0], "--load", &loads[1]];
    let (status, answer) = run("sim", &programs.first, &capture, &options);
    assert_eq!(status, 0, "{answer}");
    assert_eq!(
        (&answer["mismatches"], &answer["map_mismatches"]),
        (&0.into(), &0.into())
    );
    let all = answer["loads"].as_array().expect("they are told");
    let number = |load: usize, key: &str| all[load][key].as_u64().expect("a number");
    for (load, after) in [(0, 300), (1, 900)] {
        assert_eq!(number(load, "after_packets"), after);
        assert!((after + 1..after + 200).contains(&number(load, "first_packet")));
        assert_eq!(number(load, "words"), number(load, "load_clocks"));
        assert!(
            (1..=200).contains(&number(load, "switch_clocks")),
            "{answer}"
        );
        assert_eq!(all[load]["kept_maps"], serde_json::json!(["seen"]));
    }
    // Those that were sent back are those between the two.
    let between = number(1, "first_packet") - number(0, "first_packet");
    assert_eq!(answer["verdicts"]["XDP_TX"], between);
    assert_eq!(answer["verdicts"]["XDP_DROP"], 1500 - between);
}

#[test]
fn maps_stay_or_become_empty() {
    let Some(programs) = Programs::new() else {
        return;
    };
    let (place, capture) = traffic(800);
    let maps = place.path().join("maps.json");
    let after = load(400, &programs.next);
    let counted = |options: &[&str]| {
        let usual = ["--load", &after, "--maps-out", path(&maps)];
        let options = [&usual[..], options].concat();
        let (status, answer) = run("sim", &programs.first, &capture, &options);
        assert_eq!(status, 0, "{answer}");
        let first = answer["loads"][0]["first_packet"]
            .as_u64()
            .expect("a number");
        let clocks = answer["loads"][0]["switch_clocks"]
            .as_u64()
            .expect("a number");
        let maps: Value = serde_json::from_str(&fs::read_to_string(&maps).unwrap()).unwrap();
        (first, clocks, sum(&maps["seen"]))
    };
    let (_, clocks, all) = counted(&[]);
    assert_eq!(all, 800);
    assert!(clocks <= 200, "{clocks}");
    // The entrance closes, the packets inside end, and 256 entries are swept.
    let (first, clocks, all) = counted(&["--clear-maps"]);
    assert_eq!(all, 801 - first);
    assert!(clocks > 50, "{clocks}");
}

/// All that a map of counters holds.
fn sum(maps: &Value) -> u64 {
    match maps {
        Value::Object(fields) => {
            let value = fields.get("value").map(number);
            value.unwrap_or_else(|| fields.values().map(sum).sum())
        }
        Value::Array(all) => all.iter().map(sum).sum(),
        _ => 0,
    }
}

/// A number, or bytes as text, the lowest first.
fn number(value: &Value) -> u64 {
    let byte = |byte: &Value| {
        let text = byte.as_str().expect("a byte").trim_start_matches("0x");
        u64::from_str_radix(text, 16).expect("a byte")
    };
    match value {
        Value::Array(bytes) => bytes.iter().rev().fold(0, |all, one| all << 8 | byte(one)),
        value => value.as_u64().unwrap_or(0),
    }
}

#[test]
fn the_judge_is_asked_about_each_program() {
    let Some(programs) = Programs::new() else {
        return;
    };
    let (_place, capture) = traffic(900);
    // The host writes what the last one's data section holds before it takes packets.
    let loads = [
        load(200, &programs.next),
        load(400, &programs.last),
        load(600, &programs.next),
    ];
    let loads: Vec<&str> = loads.iter().flat_map(|load| ["--load", load]).collect();
    for against in ["interpreter", "kernel"] {
        let options = [&["--against", against], &loads[..]].concat();
        let (status, answer) = run("check", &programs.first, &capture, &options);
        if answer["error"]["code"] == "kernel-unavailable" {
            assert!(std::env::var_os("HARDPATH_REQUIRE_KERNEL").is_none());
            continue;
        }
        assert_eq!(status, 0, "{answer}");
        assert_eq!(answer["packets"], 900);
        assert_eq!(answer["mismatches"], 0);
        assert_eq!(answer["loads"].as_array().map(Vec::len), Some(3));
    }
}

#[test]
fn what_cannot_be_loaded_says_why() {
    let Some(programs) = Programs::new() else {
        return;
    };
    let (place, capture) = traffic(50);
    let first = programs.first.clone();
    let error = |options: &[&str], status: i32, code: &str| {
        let usual = ["sim", &first, "--pcap", path(&capture), "--json"];
        let run = hardpath(&[&usual[..], options].concat());
        run.error(status, code)
    };
    let (early, late) = (load(10, &programs.last), load(51, &programs.last));
    error(&["--load", &early], 2, "option-needs-core");
    let core = ["--target", "core"];
    let with = |options: &[&'static str], load: &str| -> Vec<String> {
        let all = core.iter().chain(options).map(|one| (*one).to_owned());
        all.chain(["--load".into(), load.into()]).collect()
    };
    let check = |options: Vec<String>, status: i32, code: &str| {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        error(&options, status, code)
    };
    check(
        with(&["--engine", "rows"], &early),
        2,
        "load-needs-hardware",
    );
    let told = check(with(&[], &late), 2, "load-too-late");
    let message = told["message"].as_str().expect("a message");
    assert!(
        message.contains("51 packets") && message.contains("has 50"),
        "{message}"
    );
    for wrong in ["10", "10:", "x:a.o", "-1:a.o"] {
        check(with(&[], wrong), 2, "usage");
    }
    check(with(&[], "10:nothing.o"), 2, "cannot-read");
    check(with(&["--bench", "some.txt"], &early), 2, "usage");
    // A core that is there has no slot for the program's map.
    let slots = place.path().join("slots.json");
    let arrays = r#"[{"kind": "array", "value_bytes": 8, "entries": 256, "count": 2}]"#;
    fs::write(&slots, arrays).unwrap();
    let folder = place.path().join("core");
    let built = hardpath(&["core", "--maps", path(&slots), "-o", path(&folder)]);
    assert_eq!(built.status, 0, "{}", built.stderr);
    let file = folder.join("core.json");
    let other = load(10, &programs.next);
    let options = ["--target", "core", "--core", path(&file), "--load", &other];
    let told = error(&options, 3, "core-lacks");
    assert!(
        told["place"].to_string().contains("loaded_next.o"),
        "{told}"
    );
    let (status, answer) = run(
        "sim",
        &first,
        &capture,
        &["--core", path(&file), "--load", &early],
    );
    assert_eq!(status, 0, "{answer}");
}

#[test]
fn programs_that_follow_each_other_take_the_same_packets() {
    let Some(programs) = Programs::new() else {
        return;
    };
    let (place, capture) = traffic(50);
    let text = hardpath(&["ir", &programs.last]).stdout;
    let other = place.path().join("other.hir");
    let text = text.replacen("\noutput ", "\nlimits longest 1000\noutput ", 1);
    fs::write(&other, text).unwrap();
    let load = format!("10:{}", path(&other));
    let run = hardpath(&[
        "sim",
        &programs.first,
        "--target",
        "core",
        "--pcap",
        path(&capture),
        "--load",
        &load,
        "--json",
    ]);
    let told = run.error(2, "load-other-lengths");
    let message = told["message"].as_str().expect("a message");
    assert!(message.contains("14 to 1000 bytes"), "{message}");
}

/// A program that calls a step, and the step.
fn steps() -> Option<(TempDir, [String; 2])> {
    let (place, caller) = compile("steps_caller")?;
    let (other, later) = compile("steps_later")?;
    let copied = place.path().join("later.o");
    fs::copy(&later, &copied).unwrap();
    drop(other);
    Some((
        place,
        [caller, copied].map(|path| path.display().to_string()),
    ))
}

#[test]
fn tail_calls_into_another_object() {
    let Some((_objects, [caller, later])) = steps() else {
        return;
    };
    let (_place, capture) = traffic(300);
    let entry = format!("steps:0=later@{later}");
    for target in ["pipeline", "core"] {
        let options = ["--target", target, "--pcap", path(&capture), "--json"];
        let with = |command: &str, entry: &str| {
            let usual = [command, &caller, "--prog-array", entry];
            hardpath(&[&usual[..], &options].concat())
        };
        for entry in [entry.clone(), format!("steps:0=@{later}")] {
            let [checked, run] = ["check", "sim"].map(|command| with(command, &entry).json());
            assert_eq!(checked["mismatches"], 0, "{checked}");
            assert_eq!(checked["map_mismatches"], 0, "{checked}");
            assert_eq!(checked["maps_compared"], 2, "{checked}");
            assert_eq!(run["verdicts"]["XDP_TX"], 300, "{run}");
        }
        for (entry, about) in [
            (format!("steps:2=later@{later}"), "has no entry 2"),
            (format!("stops:0=later@{later}"), "no program array stops"),
            (format!("steps:0=latest@{later}"), "latest"),
            (format!("steps:0=later@{later}.o"), "cannot be read"),
        ] {
            let run = with("check", &entry);
            assert_eq!(run.status, 2, "{}", run.stdout);
            assert!(run.stdout.contains(about), "{about}: {}", run.stdout);
        }
    }
}

#[test]
fn maps_of_one_name_are_declared_in_one_way() {
    let Some((place, [caller, _])) = steps() else {
        return;
    };
    let source = root().join("cli/tests/command/data/steps_later.c");
    let text = fs::read_to_string(source).unwrap();
    let other = text.replace("max_entries, 4", "max_entries, 5");
    assert_ne!(other, text);
    fs::write(place.path().join("other.c"), other).unwrap();
    let (_made, other) = compile_source(path(place.path()), "other").expect("there is a compiler");
    let entry = format!("steps:0=later@{}", path(&other));
    let error =
        hardpath(&["compile", &caller, "--prog-array", &entry, "--json"]).error(2, "prog-array");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("the map seen"), "{error}");
}

#[test]
fn tail_calls_into_programs_that_are_loaded_later() {
    let Some((_objects, [caller, later])) = steps() else {
        return;
    };
    let (place, capture) = traffic(900);
    let maps = place.path().join("maps.json");
    let entry = format!("400:steps:0=later@{later}");
    let options = ["--load", &entry, "--maps-out", path(&maps)];
    let (status, answer) = run("check", &caller, &capture, &options[..2]);
    assert_eq!(status, 0, "{answer}");
    let (status, answer) = run("sim", &caller, &capture, &options);
    assert_eq!(status, 0, "{answer}");
    let load = &answer["loads"][0];
    assert_eq!(load["entry"], format!("steps:0=later@{later}"));
    assert_eq!(load["kept_maps"], serde_json::json!(["seen"]));
    let first = load["first_packet"].as_u64().expect("a number");
    assert!((401..600).contains(&first), "{answer}");
    assert_eq!(answer["verdicts"]["XDP_DROP"], first - 1);
    assert_eq!(answer["verdicts"]["XDP_TX"], 901 - first);
    let maps: Value = serde_json::from_str(&fs::read_to_string(&maps).unwrap()).unwrap();
    assert_eq!(sum(&maps["seen"]), 900);
    assert_eq!(sum(&maps["sizes"]), 901 - first);
}
