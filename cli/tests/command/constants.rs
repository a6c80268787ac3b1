//! What a loader sets before it loads a program: `--set` and `--rodata`.

use crate::common::{compile, hardpath, judge, path, Run};
use hardpath_testbed::capture;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// `sizeof(struct config)` of data/constants.c.
const CONFIG_BYTES: usize = 112;

struct Place {
    folder: TempDir,
    object: PathBuf,
    capture: PathBuf,
}

fn place() -> Option<Place> {
    let (folder, object) = compile("constants")?;
    let capture = folder.path().join("in.pcapng");
    let run = hardpath(&[
        "traffic",
        "--packets",
        "2",
        "--size",
        "200",
        "-o",
        path(&capture),
    ]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    Some(Place {
        folder,
        object,
        capture,
    })
}

impl Place {
    /// What the program sees, with these options; the kernel sees the same.
    fn seen(&self, options: &[&str]) -> Vec<u8> {
        let out = self.folder.path().join("out.pcapng");
        let judge = judge();
        let mut arguments = vec!["check", path(&self.object), "--against", judge];
        arguments.extend(["--pcap", path(&self.capture), "--out", path(&out)]);
        arguments.extend(options);
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        let packets = capture::read(&out).unwrap();
        packets[0].data[..CONFIG_BYTES + 8].to_vec()
    }

    fn compiled(&self, options: &[&str]) -> Run {
        let mut arguments = vec!["compile", path(&self.object), "--json"];
        arguments.extend(options);
        hardpath(&arguments)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let file = self.folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        path(&file).to_owned()
    }
}

#[test]
fn values_by_name() {
    let Some(place) = place() else { return };
    let mut expected = vec![0; CONFIG_BYTES];
    expected[0] = 80;
    expected[48] = 1;
    expected[56] = 2;
    expected.extend([5, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(place.seen(&[]), expected);

    let values = [
        "config.port=0x1f90",
        "config.level=-2",
        "config.on=true",
        "config.mode=MODE_DROP",
        "config.address=192.0.2.1",
        "config.mac=02:00:00:00:00:aB",
        "config.address6=2001:db8::1",
        "config.name=eth0",
        "config.kind=5",
        "config.offset=-3",
        "config.ranges[2].max=18446744073709551615",
        "config.table[1][0]=9",
        "limit=7",
        "start=4",
    ];
    let options: Vec<&str> = values.iter().flat_map(|value| ["--set", value]).collect();
    expected[0..2].copy_from_slice(&[0x90, 0x1f]);
    expected[2..5].copy_from_slice(&[0xfe, 1, 7]);
    expected[8..12].copy_from_slice(&[192, 0, 2, 1]);
    expected[12..18].copy_from_slice(&[2, 0, 0, 0, 0, 0xab]);
    expected[18..22].copy_from_slice(&[0x20, 1, 0xd, 0xb8]);
    expected[33] = 1;
    expected[34..38].copy_from_slice(b"eth0");
    expected[42] = 5 | (-3i8 as u8) << 3;
    expected[88..96].fill(0xff);
    expected[104] = 9;
    expected[CONFIG_BYTES] = 7;
    expected[CONFIG_BYTES + 4] = 4;
    assert_eq!(place.seen(&options), expected);
}

#[test]
fn values_that_do_not_fit() {
    let Some(place) = place() else { return };
    let cases = [
        ("config.port=65536", "from 0 to 65535"),
        ("config.port=-1", "from 0 to 65535"),
        ("config.level=128", "from -128 to 127"),
        ("config.kind=8", "from 0 to 7"),
        ("config.on=2", "true"),
        ("config.mode=MODE_DRIP", "MODE_COUNT"),
        ("config.port=http", "number of 16 bits"),
        ("config.mac=10.0.0.1", "config.mac[0] to config.mac[5]"),
        ("config.address=2001:db8::1", "192.0.2.1"),
        ("config.name=enp0s31f", "shorter"),
        ("config.ranges[0]=1", "min, max"),
        ("config=1", "port, level"),
    ];
    for (value, help) in cases {
        let error = place.compiled(&["--set", value]).error(2, "global-value");
        assert!(error["help"].as_str().unwrap().contains(help), "{error}");
    }
}

#[test]
fn names_that_are_not_there() {
    let Some(place) = place() else { return };
    let cases = [
        ("confg.port=1", "did you mean config?"),
        ("zzz=1", "it has config"),
        ("config.prot=1", "did you mean port?"),
        (
            "config.ranges[3].min=1",
            "config.ranges[0] to config.ranges[2]",
        ),
        (
            "config.ranges.min=1",
            "config.ranges[0] to config.ranges[2]",
        ),
        ("config.port.low=1", "one value"),
        ("config.port[0]=1", "one value"),
        ("config.ranges[x=1", "config.ranges[2]"),
        ("config.=1", "port"),
    ];
    for (value, help) in cases {
        let error = place.compiled(&["--set", value]).error(2, "unknown-global");
        assert!(error["help"].as_str().unwrap().contains(help), "{error}");
    }
}

#[test]
fn bytes_of_a_section() {
    let Some(place) = place() else { return };
    let bytes: Vec<u8> = (1..=CONFIG_BYTES as u8).collect();
    let file = place.file("rodata", &bytes);
    let limits = place.file("limits", &[9, 8, 7, 6]);
    let limits = format!(".rodata.limits={limits}");
    let options = [
        "--rodata",
        &file,
        "--rodata",
        &limits,
        "--set",
        "config.level=0",
    ];
    let seen = place.seen(&options);
    let mut expected = bytes;
    expected[2] = 0;
    assert_eq!(seen[..CONFIG_BYTES], expected);
    assert_eq!(seen[CONFIG_BYTES..CONFIG_BYTES + 4], [9, 8, 7, 6]);

    let short = place.file("short", &[0; CONFIG_BYTES - 1]);
    let error = place
        .compiled(&["--rodata", &short])
        .error(2, "section-contents");
    assert!(error["message"].as_str().unwrap().contains("112 bytes"));
    assert!(error["place"].as_str().unwrap().ends_with("short"));
    let wrong = format!(".rodata.limit={short}");
    let error = place
        .compiled(&["--rodata", &wrong])
        .error(2, "section-contents");
    assert!(error["help"].as_str().unwrap().contains(".rodata.limits"));
    place
        .compiled(&["--rodata", "no-such-file"])
        .error(2, "cannot-read");
}

/// The notes of a program, by code; `compile` and `ir` say the same.
fn notes(program: &str, options: &[&str]) -> Option<Vec<(String, String)>> {
    let (_folder, object) = compile("open")?;
    let said = ["compile", "ir"].map(|command| {
        let mut arguments = vec![command, path(&object), "--program", program, "--json"];
        arguments.extend(options);
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{}", run.stdout);
        let answer = run.json();
        let warnings = answer["warnings"].as_array().unwrap().clone();
        let notes = (warnings.iter()).filter(|warning| warning["severity"] == "note");
        let text = |note: &serde_json::Value, key: &str| note[key].as_str().unwrap().to_owned();
        notes
            .inspect(|note| assert!(text(note, "place").contains("open.o: section ")))
            .map(|note| (text(note, "code"), text(note, "message")))
            .collect::<Vec<_>>()
    });
    assert_eq!(said[0], said[1]);
    Some(said[0].clone())
}

/// What nobody set and what decides something is named, and whether nothing is left of a program.
#[test]
fn what_was_left_open() {
    let is_said = |program: &str, options: &[&str], expected: &[(&str, &str)]| {
        let Some(notes) = notes(program, options) else {
            return;
        };
        assert_eq!(notes.len(), expected.len(), "{program}: {notes:?}");
        for ((code, message), (expected_code, ending)) in notes.iter().zip(expected) {
            assert_eq!(code, expected_code);
            assert!(message.ends_with(ending), "{message}");
        }
    };
    let off = [
        ("constants-left", ": feature.on=false"),
        (
            "constant-program",
            "every packet gets XDP_PASS, and nothing else happens: it has feature.on=false",
        ),
    ];
    is_said("switched", &[], &off);
    let port = [("constants-left", ": feature.port=-3")];
    is_said("switched", &["--set", "feature.on=1"], &port);
    let both = ["--set", "feature.on=true", "--set", "feature.port=9"];
    is_said("switched", &both, &[]);
    // As long as it is off, the port is nobody's.
    let unread = [
        off[0],
        ("constants-unread", ": feature.port, feature.unused"),
        off[1],
    ];
    let port = ["--set", "feature.port=9", "--set", "feature.unused=1"];
    is_said("switched", &port, &unread);
    // Said, even if it is what the object has.
    is_said("switched", &["--set", "feature.on=false"], &[]);
    let limited = [
        ("unknown-section", "limited is taken as an XDP program"),
        ("constants-left", ": limit=100"),
    ];
    is_said("limited", &[], &limited);
    is_said("any_port", &[], &[("constants-left", ": ports")]);
    let walk = [("constant-program", "nothing is in steps")];
    is_said("walk", &[], &walk);
    is_said(
        "walk",
        &["--prog-array", "steps:2=any_port"],
        &[("constants-left", ": ports")],
    );
    is_said("pass", &[], &[]);
}

/// A design says which constants are built into it.
#[test]
fn a_design_names_its_constants() {
    let Some(place) = place() else { return };
    let design = place.folder.path().join("design");
    let run = place.compiled(&["--set", "limit=7", "-o", path(&design)]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let readme = std::fs::read_to_string(design.join("README.md")).unwrap();
    assert!(readme.contains("program show; with limit=7"), "{readme}");
}

/// Without types nothing has a name, but there are bytes.
#[test]
fn an_object_without_types() {
    let Some(place) = place() else { return };
    let bare = place.folder.path().join("bare.o");
    let stripped = std::process::Command::new("llvm-objcopy")
        .args(["--remove-section", ".BTF", "--remove-section", ".BTF.ext"])
        .args([
            "--remove-section",
            ".rel.BTF",
            "--remove-section",
            ".rel.BTF.ext",
        ])
        .args([&place.object, &bare])
        .status();
    assert!(stripped.is_ok_and(|status| status.success()));
    let compile = |option: &str, value: &str| {
        hardpath(&["compile", path(Path::new(&bare)), "--json", option, value])
    };
    let error = compile("--set", "limit=1").error(2, "unknown-global");
    assert!(error["help"].as_str().unwrap().contains("--rodata"));
    let limits = place.file("limits", &[1, 0, 0, 0]);
    let run = compile("--rodata", &format!(".rodata.limits={limits}"));
    assert_eq!(run.status, 0, "{}", run.stdout);
}
