//! Programs in text form, wherever an object can stand.

use crate::common::{captures, hardpath, object, path, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The text of an object's program, in a folder of its own.
fn text_of(object: &str, after: &str) -> (TempDir, PathBuf) {
    let run = hardpath(&["ir", object, "--after", after]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("program.hir");
    fs::write(&file, run.stdout).unwrap();
    (place, file)
}

/// The files of the design that a program becomes.
fn design(file: &str, options: &[&str]) -> BTreeMap<String, String> {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("design");
    let run = hardpath(&[&["compile", file, "-o", path(&folder)], options].concat());
    assert_eq!(run.status, 0, "{file}: {}", run.stderr);
    let files = fs::read_dir(&folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read_to_string(entry.path()).unwrap())
    });
    files.collect()
}

#[test]
fn the_text_of_a_program_becomes_the_same_design() {
    for name in [
        "blocklist",
        "firewall",
        "listing1",
        "redirector",
        "reflector",
    ] {
        let object = object(name);
        let (_place, text) = text_of(&object, "lift");
        for options in [&[][..], &["--hdl", "vhdl", "--family", "ecp5"]] {
            let mut of_object = design(&object, options);
            let mut of_text = design(path(&text), options);
            // Two files name what they were made from.
            for files in [&mut of_object, &mut of_text] {
                files.retain(|name, _| name != "README.md" && !name.ends_with(".core"));
            }
            assert!(of_object.len() > 8, "{name}");
            assert_eq!(of_object, of_text, "{name}");
        }
    }
}

#[test]
fn a_text_is_what_it_was() {
    for after in ["lift", "control-flow", "dataflow", "scheduled"] {
        let (_place, text) = text_of(&object("firewall"), after);
        let again = hardpath(&["ir", path(&text)]);
        assert_eq!(again.status, 0, "{after}: {}", again.stderr);
        assert_eq!(again.stdout, fs::read_to_string(&text).unwrap());
    }
}

#[test]
fn packets_go_through_a_text_as_through_its_object() {
    let object = object("firewall");
    let (_place, text) = text_of(&object, "lift");
    let run = [
        "--pcap",
        "programs/firewall.pcap",
        "--maps",
        "programs/firewall.maps.json",
    ];
    for engine in ["interpreter", "native"] {
        let sim = |file: &str| {
            let run = hardpath(&[&["sim", file, "--engine", engine, "--json"], &run[..]].concat());
            assert_eq!(run.status, 0, "{}", run.stdout);
            let mut answer = run.json();
            // The object's notes speak of the object.
            answer["warnings"].take();
            answer
        };
        assert_eq!(sim(&object), sim(path(&text)), "{engine}");
    }
    let check = ["check", path(&text), "--against", "interpreter", "--json"];
    let check = hardpath(&[&check[..], &run].concat());
    assert_eq!(check.status, 0, "{}", check.stdout);
    let answer = check.json();
    assert_eq!(
        (&answer["packets"], &answer["mismatches"]),
        (&2020.into(), &0.into())
    );
}

#[test]
fn the_interpreter_runs_every_phase() {
    let run = [
        "--pcap",
        "programs/firewall.pcap",
        "--engine",
        "interpreter",
        "--json",
    ];
    let verdicts = |file: &str| {
        let run = hardpath(&[&["sim", file], &run[..]].concat());
        assert_eq!(run.status, 0, "{}", run.stdout);
        run.json()["verdicts"].clone()
    };
    let wanted = verdicts(&object("listing1"));
    for after in ["control-flow", "dataflow", "scheduled"] {
        let (_place, text) = text_of(&object("listing1"), after);
        assert_eq!(verdicts(path(&text)), wanted, "{after}");
    }
}

#[test]
fn scripts_of_vendors_come_for_a_text() {
    let (place, text) = text_of(&object("listing1"), "lift");
    let folder = place.path().join("design");
    let run = hardpath(&[
        "synth",
        path(&text),
        "--flow",
        "vivado",
        "-o",
        path(&folder),
    ]);
    assert!([0, 1].contains(&run.status), "{}", run.stderr);
    assert!(folder.join("listing1_vivado.tcl").exists());
}

#[test]
fn a_text_leaves_nothing_open_that_an_option_could_say() {
    let (_place, text) = text_of(&object("firewall"), "lift");
    let text = path(&text);
    for options in [
        &["--program", "firewall"][..],
        &["--as-xdp"],
        &["--max-entries", "flows=16"],
        &["--set", "limit=1"],
        &["--rodata", "no/such.bin"],
        &["--prog-array", "steps:0=firewall"],
        &["--drop-events"],
        &["--btf", "no/such"],
    ] {
        let error = hardpath(&[&["compile", text, "--json"], options].concat());
        let error = error.error(2, "option-needs-object");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(options[0]), "{message}");
        assert!(error["help"].as_str().unwrap().contains(options[0]));
    }
    let both = hardpath(&["ir", text, "--as-xdp", "--set", "limit=1", "--json"]);
    let error = both.error(2, "option-needs-object");
    assert!(error["message"]
        .as_str()
        .unwrap()
        .starts_with("--as-xdp, --set say"));
    assert_eq!(
        hardpath(&["ir", text, "--depth", "64", "--bus", "64"]).status,
        0
    );
}

#[test]
fn what_no_text_can_do() {
    let (_place, text) = text_of(&object("listing1"), "scheduled");
    let text = path(&text);
    hardpath(&["compile", text, "--json"]).error(2, "wrong-phase");
    hardpath(&["compile", text, "--depth", "64", "--json"]).error(2, "wrong-phase");
    for after in ["control-flow", "dataflow", "scheduled"] {
        hardpath(&["ir", text, "--after", after, "--json"]).error(2, "wrong-phase");
    }
    let check = ["check", text, "--pcap", "programs/firewall.pcap", "--json"];
    hardpath(&check).error(2, "kernel-needs-object");
}

/// Every text with an error in it is refused with the file's name, and where it is known the line.
#[test]
fn texts_with_errors() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let file = place.path().join(name);
        fs::write(&file, bytes).unwrap();
        file
    };
    let compile = |file: &Path| hardpath(&["compile", path(file), "--json"]);
    let syntax = write(
        "syntax.hir",
        b"program \"a\" control-flow\noutput \"verdict\" 32\n\nblock0:\n    v0 = const\n",
    );
    let error = compile(&syntax).error(2, "ir-syntax");
    assert!(
        error["place"].as_str().unwrap().contains("syntax.hir:5:"),
        "{error}"
    );
    let empty = write("empty.hir", b"");
    compile(&empty).error(2, "ir-syntax");
    let no_text = write("binary.hir", b"program \xff");
    compile(&no_text).error(2, "not-text");
    // By its first word, whatever it is called.
    let other_name = write(
        "program",
        b"; no end\nprogram \"a\" control-flow\noutput \"verdict\" 32\nblock0:\n",
    );
    let run = compile(&other_name);
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert_eq!(run.json()["error"]["code"], "invalid-ir");
}

/// Looks for a byte of 6 from byte 12 on.
const WALK: &str = r#"
program "walk" structured
output "verdict" 2 values "aborted", "drop", "pass"

place0 slot 5 file "walk.c" line 12 source "while (*at != 6)"

block0:
    v0:64 = const 12
    jump block1(v0)
block1(v3:64) BOUND at place0:
    v4:8 = packet.load v3
    v5:8 = const 6
    v6:1 = eq v4, v5
    branch v6, block2, block3
block3:
    v7:64 = const 1
    v8:64 = add v3, v7
    jump block1(v8)
block2:
    v9:2 = const 2
    v10:1 = const 1
    emit v10 with v9
"#;

/// The interpreter goes round a loop that only the data bound, as long as it ends; hardware needs a bound.
#[test]
fn loops_in_a_text() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, bound: &str| {
        let file = place.path().join(name);
        fs::write(&file, WALK.replace("BOUND", bound)).unwrap();
        file
    };
    let unknown = write("unknown.hir", "loop unknown");
    let bounded = write("bounded.hir", "loop up-to 40");
    let capture = place.path().join("tcp.pcapng");
    let traffic = hardpath(&[
        "traffic",
        "--packets",
        "20",
        "--proto",
        "tcp",
        "-o",
        path(&capture),
    ]);
    assert_eq!(traffic.status, 0);
    let refused = hardpath(&["compile", path(&unknown)]);
    assert_eq!(refused.status, 3, "{}", refused.stderr);
    for words in ["error[loop]", "walk.c:12", "while (*at != 6)"] {
        assert!(
            refused.stderr.contains(words),
            "{words}: {}",
            refused.stderr
        );
    }
    let sim = |file: &Path, capture: &str| {
        let engine = ["--engine", "interpreter", "--json"];
        hardpath(&[&["sim", path(file), "--pcap", capture][..], &engine].concat())
    };
    let run = sim(&unknown, path(&capture));
    assert_eq!(run.json()["verdicts"]["pass"], 20);
    let never = place.path().join("never.hir");
    let text = WALK.replace("BOUND", "loop unknown");
    fs::write(&never, text.replace("eq v4, v5", "const 0")).unwrap();
    let endless = sim(&never, path(&capture));
    assert_eq!(endless.status, 2);
    assert_eq!(endless.json()["error"]["code"], "run-without-end");
    let checked = hardpath(&[
        "check",
        path(&bounded),
        "--pcap",
        path(&capture),
        "--against",
        "interpreter",
        "--json",
    ]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
    assert_eq!(checked.json()["packets"], 20);
    assert!(design(path(&bounded), &[]).len() > 8);
}

/// An object's loops as loops, in a text that goes the way of every other one.
#[test]
fn loops_of_an_object() {
    let place = tempfile::tempdir().unwrap();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/../ebpf/tests/data/loops_o2.o");
    let ir = |arguments: &[&str]| {
        let all = [&["ir", object, "--program", "vlans"][..], arguments].concat();
        let run = hardpath(&all);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    let usual = ir(&[]);
    assert!(usual.contains("\" control-flow") && !usual.contains(" loop "));
    let with_loops = ir(&["--structured"]);
    assert!(with_loops.contains("\" structured") && with_loops.contains(" loop unknown"));
    let flat = ir(&["--structured", "--after", "control-flow"]);
    assert!(flat.contains("\" control-flow"), "{flat}");
    let file = place.path().join("vlans.hir");
    fs::write(&file, with_loops).unwrap();
    let counted = hardpath(&["pass", "count_rounds", path(&file)]);
    assert!(
        counted.stdout.contains(" loop up-to 3"),
        "{}",
        counted.stdout
    );
    let text = hardpath(&["ir", path(&file), "--structured", "--json"]);
    text.error(2, "option-needs-object");
    assert!(design(path(&file), &[]).len() > 8);
}

/// Entries that match by masks and in a range, from a map file: in simulation, in the folder of a design with its bench, and in
/// what the README says of their keys.
#[test]
fn entries_with_masks_and_priorities() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("filter.hir");
    let text = include_str!("../../../filetests/cases/packets/filter.hir");
    let text = text.lines().filter(|line| !line.starts_with(';'));
    fs::write(&file, text.collect::<Vec<_>>().join("\n")).unwrap();
    // Any frame whose first byte is even, and all others with less priority.
    let entry = |mask: &str, priority: u8, verdict: u8| {
        let zeros = |count: usize| vec!["\"0\""; count].join(",");
        format!(
            "{{\"key\":[{},\"{mask}\",{},\"255\",\"255\",\"0\",\"0\",\"{priority}\",{}],\"value\":[\"{verdict}\",{}]}}",
            zeros(8),
            zeros(3),
            zeros(3),
            zeros(3)
        )
    };
    let maps = place.path().join("maps.json");
    let entries = [entry("1", 9, 3), entry("0", 1, 2)].join(",");
    fs::write(&maps, format!("{{\"filter\":[{entries}]}}")).unwrap();
    // The last field is exact, so it must be what frames have there: two bytes of the source's address.
    let wider = fs::read_to_string(&file).unwrap();
    let wider = wider.replace("exact 16", "ternary 16");
    fs::write(&file, wider).unwrap();
    let captures = captures();
    let mut inputs = vec!["--maps", path(&maps), "--json"];
    for capture in &captures {
        inputs.extend(["--pcap", capture]);
    }
    for engine in ["native", "verilator"] {
        let check = ["check", path(&file), "--against", "interpreter"];
        let run = hardpath(&[&check[..], &["--engine", engine], &inputs].concat());
        assert_eq!(run.status, 0, "{engine}: {}", run.stderr);
        let answer = run.json();
        assert_eq!(
            (&answer["mismatches"], &answer["map_mismatches"]),
            (&0.into(), &0.into())
        );
    }
    let counted = &hardpath(&[&["sim", path(&file)], &inputs[..]].concat()).json()["verdicts"];
    assert!(counted["forwarded"].as_u64() > Some(0), "{counted}");
    for language in ["verilog", "vhdl"] {
        let files = design(path(&file), &["--hdl", language]);
        let readme = &files["README.md"];
        assert!(readme.contains("### Entries with masks"), "{readme}");
        assert!(readme.contains("| `filter` | 47:32 | from the field to the mask |"));
    }
}

/// `--input` gives a program's own inputs to whoever runs it; the contract of the design says where they stand.
#[test]
fn inputs_of_the_programs_own() {
    let file = root().join("filetests/cases/packets/own_inputs.hir");
    let (file, captures) = (path(&file), captures());
    let given = ["--input", "mark=2748", "--input", "colour=0x2", "--json"];
    for engine in ["native", "verilator"] {
        let check = [
            "check",
            file,
            "--against",
            "interpreter",
            "--engine",
            engine,
        ];
        let run = hardpath(&[&check[..], &["--pcap", &captures[0]], &given].concat());
        assert_eq!(run.status, 0, "{engine}: {}", run.stderr);
        assert_eq!(run.json()["mismatches"], 0);
    }
    let counted = |inputs: &[&str]| {
        let sim = ["sim", file, "--json", "--pcap", &captures[0]];
        let run = hardpath(&[&sim[..], inputs].concat());
        (run.status, run.json()["verdicts"].clone(), run.stderr)
    };
    assert!(counted(&given[..4]).1["forwarded"].as_u64() > Some(0));
    assert!(counted(&["--input", "colour=3"]).1["not forwarded"].as_u64() > Some(0));
    for (wrong, code, help) in [
        (
            &["--input", "marks=5"][..],
            "unknown-input",
            "did you mean mark? it has mark, spare, colour",
        ),
        (
            &["--input", "colour=4"],
            "input-too-large",
            "input `colour` has 2 bits, 4 has more",
        ),
        (
            &["--input", "colour=1", "--input", "colour=2"],
            "input-twice",
            "input `colour` is given twice",
        ),
    ] {
        let sim = ["sim", file, "--pcap", &captures[0]];
        let run = hardpath(&[&sim[..], wrong].concat());
        assert_ne!(run.status, 0);
        let said = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(code) && said.contains(help), "{said}");
    }
    let files = design(file, &[]);
    let readme = &files["README.md"];
    let told: serde_json::Value = serde_json::from_str(&files["own_inputs.json"]).unwrap();
    let mark = serde_json::json!({"name": "mark", "port": "s_axis_tuser", "lo": 25, "width": 12});
    let colour =
        serde_json::json!({"name": "colour", "port": "m_axis_tuser", "lo": 12, "width": 2});
    assert_eq!((&told["inputs"][0], &told["outputs"][1]), (&mark, &colour));
    let bits = "bits 36:25 `mark`, bits 76:37 `spare`, bits 78:77 `colour`";
    assert!(readme.contains(bits), "{readme}");
}

/// The test bench of a folder takes both ways of a branch that an input of the program's own decides.
#[test]
fn a_bench_finds_the_input_that_a_branch_asks_for() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("asks.hir");
    let text = "program \"asks\" control-flow\n\
        input \"other\" 9\n\
        input \"mark\" 32\n\
        block0:\n\
        v0:32 = input \"mark\"\n\
        v1:32 = const 0xdeadbeef\n\
        v2:1 = eq v0, v1\n\
        emit v2\n";
    fs::write(&file, text).unwrap();
    let lines = &design(path(&file), &[])["asks_tb.txt"];
    let fates: std::collections::BTreeSet<&str> = lines
        .lines()
        .filter(|line| line.starts_with("V "))
        .collect();
    assert_eq!(fates.len(), 2, "{fates:?}");
}
