//! Programs as rows of a core: compiled, written as text and read again, run beside the judge.

use crate::common::{compile, hardpath, judge, object, path, root, Run};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn on_core(command: &str, file: &str, options: &[&str]) -> Run {
    hardpath(&[&[command, file, "--target", "core", "--json"], options].concat())
}

fn codes(answer: &Value) -> Vec<&str> {
    let errors = answer["errors"].as_array().expect("errors");
    let codes = errors.iter().map(|error| error["code"].as_str());
    codes.map(|code| code.expect("a code")).collect()
}

#[test]
fn a_program_becomes_rows() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("rows");
    let file = object("firewall");
    let run = on_core("compile", &file, &["-o", path(&folder), "--lanes", "2"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let answer = run.json();
    assert_eq!(
        (&answer["target"], &answer["lanes"]),
        (&"core".into(), &2.into())
    );
    assert_eq!(answer["threads"], 32);
    let count = |key: &str| {
        answer[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key}: {answer}"))
    };
    assert!(count("operations") >= count("rows"), "{answer}");
    assert!(count("operations") <= 2 * count("rows"), "{answer}");
    assert!(count("operations") < count("instructions"), "{answer}");
    assert!(count("program_words") > count("operations"), "{answer}");
    let map = &answer["maps"][0];
    for key in ["name", "kind", "key_bytes", "value_bytes", "entries"] {
        assert!(map.get(key).is_some(), "{key}: {map}");
    }
    let files: Vec<&str> = answer["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file.as_str().unwrap())
        .collect();
    let [image, listing] = files[..] else {
        panic!("{files:?}");
    };
    let text = fs::read_to_string(listing).unwrap();
    assert!(text.contains("row0:\n    lane0: "), "{text}");
    assert!(text.contains("programs/firewall.c:"), "{text}");
    // The folder is one of ours, and is replaced.
    assert_eq!(on_core("compile", &file, &["-o", path(&folder)]).status, 0);
    let other = object("listing1");
    on_core("compile", &other, &["-o", path(&folder)]).error(2, "folder-in-use");
    assert!(Path::new(image).exists());
}

#[test]
fn rows_are_text_and_back() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("rows");
    let run = on_core("compile", &object("firewall"), &["-o", path(&folder)]);
    assert_eq!(run.status, 0);
    let words = run.json()["program_words"].clone();
    let (image, listing) = (folder.join("firewall.hpi"), folder.join("firewall.hps"));
    let again = place.path().join("again.hpi");
    let run = hardpath(&["asm", path(&listing), "-o", path(&again), "--json"]);
    assert_eq!((run.status, &run.json()["program_words"]), (0, &words));
    assert_eq!(fs::read(&image).unwrap(), fs::read(&again).unwrap());
    let run = hardpath(&["disasm", path(&image)]);
    assert_eq!(run.status, 0);
    let without_comments = |text: &str| {
        let lines = text
            .lines()
            .map(|line| line.split(" ; ").next().unwrap().trim_end());
        lines.collect::<Vec<&str>>().join("\n")
    };
    let listing = fs::read_to_string(&listing).unwrap();
    assert_eq!(without_comments(&listing), without_comments(&run.stdout));
    assert_eq!(
        hardpath(&["disasm", path(&image), "--json"]).json()["text"],
        run.stdout
    );
}

#[test]
fn what_is_wrong_with_a_text_is_said_at_once() {
    let place = tempfile::tempdir().unwrap();
    let (text, image) = (place.path().join("a.hps"), place.path().join("a.hpi"));
    fs::write(&text, "core \"a\" lanes 2 registers 16 stack 0\nrow0:\n    lane0: r0.1 = mvoe 3\n    lane1: branch row7\n").unwrap();
    let run = hardpath(&["asm", path(&text), "-o", path(&image), "--json"]);
    run.error(2, "microcode-syntax");
    let answer = run.json();
    assert_eq!(codes(&answer), ["microcode-syntax"; 2]);
    let place = |at: usize| answer["errors"][at]["place"].to_string();
    assert!(place(0).contains(":3:19"), "{}", place(0));
    assert!(place(1).contains(":4:19"), "{}", place(1));
    assert!(!image.exists());
}

#[test]
fn what_is_no_program_of_a_core() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("rows");
    assert_eq!(
        on_core("compile", &object("listing1"), &["-o", path(&folder)]).status,
        0
    );
    let image = folder.join("listing1.hpi");
    let run = hardpath(&["asm", path(&image), "--json"]);
    let help = run.error(2, "not-text")["help"].to_string();
    assert!(help.contains("hardpath disasm"), "{help}");
    let mut bytes = fs::read(&image).unwrap();
    bytes[40] ^= 4;
    fs::write(&image, bytes).unwrap();
    hardpath(&["disasm", path(&image), "--json"]).error(2, "malformed-microcode");
    let listing = path(&folder).to_owned() + "/listing1.hps";
    hardpath(&["disasm", &listing, "--json"]).error(2, "malformed-microcode");
}

#[test]
fn options_that_need_a_core() {
    let file = object("listing1");
    for option in ["--lanes", "--threads"] {
        let run = hardpath(&["compile", &file, option, "8", "--json"]);
        let error = run.error(2, "option-needs-core");
        assert!(error["message"].as_str().unwrap().starts_with(option));
        assert!(error["help"].as_str().unwrap().contains("--target core"));
    }
    let pcap = ["--pcap", "programs/firewall.pcap"];
    let rows = ["check", &file, "--engine", "rows", "--json"];
    hardpath(&[&rows[..], &pcap].concat()).error(2, "option-needs-core");
    on_core("compile", &file, &["--lanes", "3"]).error(2, "usage");
    // What only a pipeline has changes nothing.
    let usual = on_core("compile", &file, &[]).json();
    let other = on_core(
        "compile",
        &file,
        &["--bus", "64", "--clock", "100", "--family", "ecp5"],
    );
    assert_eq!(usual, other.json());
}

#[test]
fn a_program_on_the_processor() {
    let file = object("blocklist");
    let pcap = ["--pcap", "programs/firewall.pcap"];
    let answer = on_core("sim", &file, &pcap).json();
    assert_eq!(answer["packets"], 2020, "{answer}");
    let rows = on_core("sim", &file, &[&pcap[..], &["--engine", "rows"]].concat()).json();
    assert_eq!(answer["verdicts"], rows["verdicts"]);
    // Nothing begins again, so the hardware begins as many rows as the interpreter of rows.
    assert_eq!(answer["reruns"], 0, "{answer}");
    assert_eq!(answer["rows_per_packet"], rows["rows_per_packet"]);
    assert!(answer["rows_per_packet"].as_f64() >= Some(1.0), "{answer}");
    assert!(
        answer["operations_per_row"].as_f64() >= Some(1.0),
        "{answer}"
    );
    let stalls = answer["stalls"].as_object().expect("clocks by reason");
    assert!(
        stalls.len() == 11 && stalls.contains_key("maps"),
        "{answer}"
    );
    let counted = stalls.values().map(|clocks| clocks.as_u64().unwrap());
    let counted = counted.sum::<u64>() + answer["answers"].as_u64().unwrap();
    assert!(counted > 0, "{answer}");
    assert_eq!(rows["stalls"], Value::Null);
    for options in [
        &["--threads", "1"][..],
        &["--threads", "2", "--lanes", "1", "--bus", "64"],
        &["--threads", "64", "--lanes", "8", "--bus", "256"],
    ] {
        let against = ["--against", "interpreter"];
        let run = on_core("check", &file, &[&pcap[..], options, &against].concat());
        assert_eq!(run.status, 0, "{options:?}: {}", run.stdout);
        let answer = run.json();
        assert_eq!(answer["engine"], "native");
        assert_eq!(
            (&answer["mismatches"], &answer["map_mismatches"]),
            (&0.into(), &0.into())
        );
        assert!(answer["simulated_clocks"].as_u64() > Some(2020), "{answer}");
    }
    on_core("sim", &file, &[&pcap[..], &["--threads", "3"]].concat()).error(2, "usage");
}

#[test]
fn the_processor_says_what_it_has_no_unit_for() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("copies.hir");
    let text = "program \"copies\" structured\n\noutput \"verdict\" 3\n\nblock0:\n    v0:64 = const 0\n    v1:64 = const 8\n    v5:16 = const 8\n    \
        v6:16 = input length\n    v2:16 = sub v6, v5\n    copy packet packet up-to MOST v0, v1, v2\n    v3:3 = const 2\n    v4:1 = const 1\n    emit v4 with v3\n";
    let program = |most: &str| fs::write(&file, text.replace("MOST", most)).unwrap();
    let against = [
        "--pcap",
        "programs/firewall.pcap",
        "--against",
        "interpreter",
    ];
    program("4096");
    let run = on_core("check", path(&file), &against);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let jumbo = place.path().join("jumbo.pcap");
    let frames = [
        "traffic",
        "--packets",
        "20",
        "--size",
        "4000:4096",
        "--output",
    ];
    let made = hardpath(&[&frames[..], &[path(&jumbo)]].concat());
    assert_eq!(made.status, 0, "{}", made.stderr);
    let run = on_core(
        "check",
        path(&file),
        &["--pcap", path(&jumbo), "--against", "interpreter"],
    );
    assert_eq!(run.status, 0, "{}", run.stdout);
    program("4097");
    let error = on_core("check", path(&file), &against).error(3, "core-unit-missing");
    assert!(
        error["message"].as_str().unwrap().contains("4,096 bytes"),
        "{error}"
    );
    assert!(
        error["help"].as_str().unwrap().contains("--engine rows"),
        "{error}"
    );
}

#[test]
fn an_entry_that_a_map_may_have_forgotten() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("entry.hir");
    let put = "    v6:32 = const 7\n    v10:2 = const 3\n    v7:3 = map.update @m v6, v1, v10\n";
    let store = "    map.store @m v3, v0, v1\n";
    let program = |behind: &[&str]| {
        let head = "program \"entry\" structured\n\noutput \"verdict\" 3\n\nmap @m exact key 4 value 8 entries 8 forgets as \"lru_hash\"\n\n\
            block0:\n    v0:32 = const 0\n    v1:64 = const 1\n    v2:1, v3:32 = map.lookup @m v0\n    branch v2, block1, block2\n\nblock1:\n";
        let end = "    jump block2\n\nblock2:\n    v8:3 = const 2\n    v9:1 = const 1\n    emit v9 with v8\n";
        fs::write(&file, [head, &behind.concat(), end].concat()).unwrap();
    };
    let pcap = ["--pcap", "programs/firewall.pcap"];
    program(&[store, put]);
    let run = on_core("sim", path(&file), &pcap);
    assert_eq!(run.status, 0, "{}", run.stdout);
    program(&[put, store]);
    let run = on_core("sim", path(&file), &pcap);
    assert_eq!(run.status, 0, "{}", run.stdout);
    // The map holds the entries of the last four lookups.
    let lookup = |number: u32| {
        let [key, hit, entry, byte] = [0, 1, 2, 3].map(|node| 20 + 4 * number + node);
        format!(
            "    v{key}:32 = const {number}\n    v{hit}:1, v{entry}:32 = map.lookup @m v{key}\n    v{byte}:8 = zext v{hit}\n    \
             map.store @m v3, v{key}, v{byte}\n"
        )
    };
    let lookups: String = (1..5).map(lookup).collect();
    program(&[&lookups, put, store]);
    let error = on_core("sim", path(&file), &pcap).error(3, "core-unit-missing");
    assert!(
        error["message"].as_str().unwrap().contains("map m"),
        "{error}"
    );
}

#[test]
fn the_processor_in_verilator() {
    if crate::verilog::verilator().is_none() {
        return;
    }
    let options = [
        "--pcap",
        "programs/firewall.pcap",
        "--engine",
        "verilator",
        "--against",
        "interpreter",
    ];
    let run = on_core("check", &object("firewall"), &options);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn rows_do_what_the_judge_does() {
    let more = ["--pcap", "programs/firewall.pcap", "--against", judge()];
    for (name, lanes) in [
        ("firewall", "1"),
        ("blocklist", "2"),
        ("redirector", "4"),
        ("reflector", "8"),
    ] {
        let maps = format!("programs/{name}.maps.json");
        let maps = match root().join(&maps).exists() {
            true => vec!["--maps", maps.as_str()],
            false => Vec::new(),
        };
        let options = [&more[..], &maps, &["--lanes", lanes]].concat();
        // On the processor, too.
        let run = on_core("check", &object(name), &options);
        assert_eq!(run.status, 0, "{name}: {}", run.stdout);
        assert_eq!(run.json()["engine"], "native");
        let options = [&options[..], &["--engine", "rows"]].concat();
        let run = on_core("check", &object(name), &options);
        assert_eq!(run.status, 0, "{name}: {}", run.stdout);
        let answer = run.json();
        assert_eq!(
            (&answer["packets"], &answer["mismatches"]),
            (&2020.into(), &0.into())
        );
        assert_eq!(
            (&answer["engine"], &answer["target"]),
            (&"rows".into(), &"core".into())
        );
        assert_eq!(answer["lanes"].to_string(), lanes);
        assert!(answer["rows"].as_u64() >= Some(2020), "{answer}");
        assert_eq!(answer["simulated_clocks"], Value::Null);
        assert_eq!(answer["map_mismatches"], 0);
    }
    let arguments = [
        "check",
        &object("firewall"),
        "--target",
        "core",
        "--engine",
        "rows",
    ];
    let text = hardpath(&[&arguments[..], &more].concat()).stdout;
    assert!(text.contains("the rows of a core with 4 lanes"), "{text}");
    assert!(text.contains("no clock"), "{text}");
}

#[test]
fn loops_that_no_pipeline_has() {
    let Some((_place, file)) = compile("rounds") else {
        return;
    };
    let pipeline = hardpath(&["compile", path(&file), "--json"]);
    pipeline.error(3, "larger-than-every-card");
    let rows = on_core("compile", path(&file), &[]).json();
    assert!(rows["rows"].as_u64() < Some(20), "{rows}");
    let options = ["--pcap", "programs/firewall.pcap", "--against", judge()];
    let run = on_core("check", path(&file), &options);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let options = [&options[..], &["--engine", "rows"]].concat();
    let run = on_core("check", path(&file), &options);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(
        run.json()["most_rows"].as_u64() > Some(100),
        "{}",
        run.stdout
    );
}

#[test]
fn a_loop_without_end_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("endless.hir");
    let text = "program \"endless\" structured\noutput \"verdict\" 3\n\nblock0:\n    jump block1\nblock1 loop unknown:\n    jump block1\n";
    fs::write(&file, text).unwrap();
    let options = [
        "--pcap",
        "programs/firewall.pcap",
        "--against",
        "interpreter",
        "--engine",
        "rows",
    ];
    let error = on_core("check", path(&file), &options).error(2, "run-without-end");
    assert!(
        error["message"].as_str().unwrap().contains("watchdog"),
        "{error}"
    );
    assert_eq!(error["place"], "packet 1");
}

#[test]
fn random_programs_as_rows() {
    let place = tempfile::tempdir().unwrap();
    let cases = place.path().join("cases");
    let run = hardpath(&[
        "fuzz",
        "--target",
        "core",
        "--lanes",
        "2",
        "--programs",
        "12",
        "--packets",
        "10",
        "--verilator-every",
        "0",
        "--cases",
        path(&cases),
        "--json",
    ]);
    let answer = run.json();
    assert_eq!(run.status, 0, "{answer}");
    assert_eq!(
        (&answer["target"], &answer["lanes"]),
        (&"core".into(), &2.into())
    );
    assert_eq!(
        (&answer["programs"], &answer["of_ir"]),
        (&12.into(), &3.into())
    );
}

#[test]
fn instruction_tests_on_every_number_of_lanes() {
    let file = root().join("../shared/conformance/bpf_isa.json");
    for lanes in ["1", "2", "4", "8"] {
        for engine in ["rows", "native"] {
            let options = ["--lanes", lanes, "--engine", engine];
            let answer = on_core("isa", path(&file), &options).json();
            let counts = ["passed", "failed", "refused"].map(|key| answer[key].as_u64());
            assert_eq!(counts, [Some(313), Some(0), Some(0)], "{answer}");
            assert_eq!(answer["engine"], engine);
        }
    }
}
