//! Cores that are built once, and programs that are loaded into them.

use crate::common::{hardpath, object, path, root};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// Large enough for the firewall, whose table then has shorter keys than its slot.
const SLOTS: &str = r#"[
    {"kind": "hash", "key_bytes": 20, "value_bytes": 24, "entries": 20000},
    {"kind": "array", "value_bytes": 16, "entries": 64, "count": 2},
    {"kind": "devmap", "value_bytes": 4, "entries": 8}
]"#;

struct Built {
    place: TempDir,
    answer: Value,
}

impl Built {
    fn new(slots: &str, options: &[&str]) -> Built {
        let place = tempfile::tempdir().unwrap();
        let (list, folder) = (place.path().join("slots.json"), place.path().join("core"));
        fs::write(&list, slots).unwrap();
        let core = ["core", "--maps", path(&list), "-o", path(&folder), "--json"];
        let run = hardpath(&[&core[..], options].concat());
        assert_eq!(run.status, 0, "{}", run.stdout);
        let answer = run.json();
        Built { place, answer }
    }

    fn file(&self, name: &str) -> String {
        path(&self.place.path().join(name)).to_owned()
    }

    fn core(&self) -> String {
        self.file("core/core.json")
    }
}

fn error(arguments: &[&str], code: &str) -> String {
    let run = hardpath(&[arguments, &["--json"]].concat());
    let status = if ["core-lacks", "device-to-come"].contains(&code) {
        3
    } else {
        2
    };
    let error = run.error(status, code);
    error["message"].as_str().expect("a message").to_owned()
}

#[test]
fn a_core_is_built_once_and_runs_what_fits() {
    let built = Built::new(SLOTS, &["--name", "nic", "--threads", "16"]);
    assert_eq!(built.answer["slots"].as_array().map(Vec::len), Some(4));
    for name in [
        "README.md",
        "core.json",
        "verilog/nic.sv",
        "verilog/nic_tb.txt",
        "vhdl/nic.vhd",
        "vhdl/nic.xdc",
    ] {
        assert!(
            built.place.path().join("core").join(name).exists(),
            "{name}"
        );
    }
    let (firewall, core) = (object("firewall"), built.core());
    let rows = built.file("rows");
    let compile = [
        "compile", &firewall, "--target", "core", "--fit", &core, "-o", &rows, "--json",
    ];
    let run = hardpath(&compile);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let answer = run.json();
    assert_eq!(
        (&answer["fits"], &answer["threads"]),
        (&true.into(), &16.into())
    );
    let slots: Vec<&Value> = (0..3).map(|map| &answer["maps"][map]["slot"]).collect();
    assert!([1, 2].contains(&slots[0].as_u64().unwrap()), "{slots:?}");
    assert_eq!([slots[1], slots[2]], [0, 3]);
    let pcap = root().join("programs/firewall.pcap");
    let maps = root().join("programs/firewall.maps.json");
    let check = [
        "check",
        &firewall,
        "--target",
        "core",
        "--core",
        &core,
        "--pcap",
        path(&pcap),
        "--maps",
        path(&maps),
        "--against",
        "interpreter",
        "--json",
    ];
    let run = hardpath(&check);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert_eq!(run.json()["mismatches"], 0);
    let image = format!("{rows}/firewall.hpi");
    let words = built.file("load.txt");
    let run = hardpath(&["load", &image, "--core", &core, "--words", &words, "--json"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let answer = run.json();
    assert_eq!(answer["maps"][0]["kept"], false);
    writes(&words, &answer);
    let keep = ["load", &image, "--core", &core, "--keep", &image, "--json"];
    assert_eq!(hardpath(&keep).json()["maps"][0]["kept"], true);
}

/// The beginning, then one word behind the other, the last of which is the checksum of all.
fn writes(file: &str, answer: &Value) {
    let text = fs::read_to_string(file).unwrap();
    let number = |word: &str| u32::from_str_radix(word, 16).expect("a number");
    let writes: Vec<(u32, u32)> = text
        .lines()
        .map(|line| {
            let (address, data) = line.split_once(' ').expect("two numbers");
            (number(address), number(data))
        })
        .collect();
    assert_eq!(Some(writes.len() as u64), answer["writes"].as_u64());
    assert_eq!(writes[0], (0x400, 0));
    assert_eq!(Some(u64::from(writes[1].1)), answer["identity"].as_u64());
    for (at, (address, _)) in writes[1..].iter().enumerate() {
        assert_eq!(*address, 0x800 + 4 * (at as u32 % 256));
    }
    let (sum, words) = writes[1..].split_last().expect("there are words");
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|(_, data)| data.to_le_bytes())
        .collect();
    assert_eq!(sum.1, crc32fast::hash(&bytes));
}

#[test]
fn what_does_not_fit_says_why() {
    let small = r#"[{"kind": "array", "value_bytes": 4, "entries": 2}]"#;
    let built = Built::new(small, &["--lanes", "2"]);
    let (firewall, core) = (object("firewall"), built.core());
    let fit = ["compile", &firewall, "--target", "core", "--fit", &core];
    let message = error(&fit, "core-lacks");
    assert!(
        message.contains("slot 0: it is of another kind: array"),
        "{message}"
    );
    error(
        &[
            "check",
            &firewall,
            "--target",
            "core",
            "--core",
            &core,
            "--pcap",
            path(&root().join("programs/firewall.pcap")),
            "--against",
            "interpreter",
        ],
        "core-lacks",
    );
    // Made for other lanes.
    let rows = built.file("rows");
    let compile = [
        "compile", &firewall, "--target", "core", "--lanes", "4", "-o", &rows,
    ];
    assert_eq!(hardpath(&compile).status, 0);
    let image = format!("{rows}/firewall.hpi");
    let words = built.file("load.txt");
    let message = error(
        &["load", &image, "--core", &core, "--words", &words],
        "core-lacks",
    );
    assert!(message.contains("needs 4 lanes"), "{message}");
    assert!(!built.place.path().join("load.txt").exists());
    error(
        &["load", &image, "--core", &core, "--device", "card0"],
        "device-to-come",
    );
}

#[test]
fn files_that_are_none_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file.json");
    let firewall = object("firewall");
    for (text, part) in [
        ("nothing", "no JSON"),
        ("{}", "describes no core"),
        (r#"{"hardpath_core": 7}"#, "version 7"),
        (r#"{"hardpath_core": 1, "lanes": 4}"#, "missing field"),
    ] {
        fs::write(&file, text).unwrap();
        let fit = [
            "compile",
            &firewall,
            "--target",
            "core",
            "--fit",
            path(&file),
        ];
        let message = error(&fit, "core-file");
        assert!(message.contains(part), "{message}");
    }
    let small = r#"[{"kind": "array", "value_bytes": 4, "entries": 2}]"#;
    let built = Built::new(small, &["--lanes", "1"]);
    let text = fs::read_to_string(built.core()).unwrap();
    fs::write(&file, text.replace("\"entries\": 2", "\"entries\": 3")).unwrap();
    let fit = [
        "compile",
        &firewall,
        "--target",
        "core",
        "--fit",
        path(&file),
    ];
    assert!(error(&fit, "core-file").contains("altered"));
    for (text, code) in [
        ("[", "core-slots"),
        (
            r#"[{"kind": "hsh", "key_bytes": 4, "value_bytes": 4, "entries": 2}]"#,
            "core-slots",
        ),
        (
            r#"[{"kind": "array", "key_bytes": 8, "value_bytes": 4, "entries": 2}]"#,
            "core-slots",
        ),
        (
            r#"[{"kind": "hash", "key_bytes": 8, "value_bytes": 0, "entries": 2}]"#,
            "core-slots",
        ),
        (
            r#"[{"kind": "hash", "value_bytes": 4, "entries": 2, "size": 1}]"#,
            "core-slots",
        ),
        (
            r#"[{"kind": "array", "value_bytes": 4, "entries": 2, "count": 99}]"#,
            "core-slots",
        ),
    ] {
        fs::write(&file, text).unwrap();
        error(&["core", "--maps", path(&file)], code);
    }
    fs::write(
        &file,
        r#"[{"kind": "lpm_trie", "key_bytes": 8, "value_bytes": 4, "entries": 2000000}]"#,
    )
    .unwrap();
    hardpath(&["core", "--maps", path(&file), "--json"]).error(3, "map-too-large");
    let without = ["compile", &firewall, "--fit", path(&file)];
    error(&without, "option-needs-core");
}
