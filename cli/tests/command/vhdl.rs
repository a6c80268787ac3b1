//! Programs as VHDL: GHDL plays runs of the native simulator at the ports of what was printed.

use crate::common::{
    changed, compile, compile_source, hardpath, object, path, root, said, WRONG_LINES,
};
use crate::p4::some_samples;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Entries that a hash table gets here, so that clearing it takes no hundred thousand clocks. `HARDPATH_FULL` leaves
/// the tables as they are.
const ENTRIES: &str = "256";

/// GHDL: `HARDPATH_GHDL`, or `ghdl` in PATH.
pub fn ghdl() -> Option<String> {
    let name = std::env::var("HARDPATH_GHDL").unwrap_or_else(|_| "ghdl".into());
    match Command::new(&name).arg("--version").output() {
        Ok(_) => Some(name),
        Err(error) => {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "{name}: {error}"
            );
            eprintln!("not tested, there is no GHDL: {error}");
            None
        }
    }
}

/// A folder with a design in VHDL, analysed.
struct Design {
    ghdl: String,
    place: TempDir,
    bench: String,
}

impl Design {
    /// `None`: there is no GHDL.
    fn new(object: &str, options: &[String]) -> Option<Design> {
        let ghdl = ghdl()?;
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("design");
        let mut arguments = vec!["compile", object, "--json", "--hdl", "vhdl"];
        arguments.extend(["-o", path(&folder)]);
        arguments.extend(options.iter().map(String::as_str));
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{object}: {}", run.stdout);
        let files = run.json()["files"].as_array().cloned().unwrap_or_default();
        let named = |end: &str| -> String {
            let mut names = files.iter().filter_map(Value::as_str);
            let file = names.find(|name| name.ends_with(end)).unwrap();
            let file = Path::new(file).file_name().unwrap();
            file.to_str().unwrap().to_string()
        };
        let list = fs::read_to_string(folder.join(named(".f"))).unwrap();
        let bench = named("_tb.vhd");
        let design = Design {
            ghdl,
            place,
            bench: bench.trim_end_matches(".vhd").to_string(),
        };
        let mut analyse = vec!["-a", "--std=08"];
        analyse.extend(list.lines().chain([bench.as_str()]));
        assert_eq!(design.ghdl(&analyse), (true, String::new()), "{object}");
        let elaborate = ["-e", "--std=08", &design.bench];
        assert_eq!(design.ghdl(&elaborate), (true, String::new()), "{object}");
        Some(design)
    }

    fn folder(&self) -> PathBuf {
        self.place.path().join("design")
    }

    /// Whether it succeeded, and all that it said.
    fn ghdl(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(&self.ghdl);
        let output = command.args(arguments).current_dir(self.folder()).output();
        said(output.expect("GHDL starts"))
    }

    fn play(&self, options: &[&str]) -> (bool, String) {
        let mut arguments = vec!["-r", "--std=08", &self.bench];
        arguments.extend(["--ieee-asserts=disable-at-0", "--assert-level=error"]);
        arguments.extend(options);
        self.ghdl(&arguments)
    }

    /// Plays lines to a good end, in which nothing but that is said: no metavalue was seen, no assertion failed.
    fn passes(&self, options: &[&str]) {
        let (success, text) = self.play(options);
        let is_good = success && text.lines().count() == 1 && text.contains("PASSED");
        assert!(is_good, "{} {options:?}:\n{text}", self.bench);
    }
}

fn traffic(file: &Path, arguments: &[&str]) {
    let mut all = vec!["traffic", "-o", path(file), "--seed", "11"];
    all.extend(arguments);
    let run = hardpath(&all);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

/// `--max-entries` for hash tables that are large.
fn smaller_tables(object: &str) -> Vec<String> {
    let mut options = Vec::new();
    if std::env::var_os("HARDPATH_FULL").is_some() {
        return options;
    }
    let run = hardpath(&["compile", object, "--json"]);
    let report = run.json();
    for map in report["maps"].as_array().into_iter().flatten() {
        let is_large = map["max_entries"].as_u64() > Some(1024);
        if let (true, Some(kind), Some(name)) =
            (is_large, map["type"].as_str(), map["name"].as_str())
        {
            if kind.contains("hash") {
                options.extend(["--max-entries".to_string(), format!("{name}={ENTRIES}")]);
            }
        }
    }
    options
}

/// Programs that are for a core: as a pipeline they have loops without end, offsets that only data bound, or no card to fit on.
const NO_PIPELINE: [&str; 3] = ["cuckoo", "dns_labels", "ipv6_extensions"];

/// Of P4 sources some ports have one bit.
#[test]
fn ghdl_plays_the_example_of_our_p4_programs() {
    for name in some_samples() {
        let program = root().join(format!("programs/p4/{name}.p4"));
        let Some(design) = Design::new(path(&program), &[]) else {
            return;
        };
        design.passes(&[]);
    }
}

/// Programs in `programs/` that are for a pipeline: every third one, and all of them under `HARDPATH_FULL`.
#[test]
fn ghdl_agrees_with_the_native_simulator() {
    let mut programs: Vec<String> = fs::read_dir(root().join("programs"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".c").map(str::to_string))
        .collect();
    programs.sort();
    assert!(programs.len() >= 16, "{programs:?}");
    let place = tempfile::tempdir().unwrap();
    let flows = place.path().join("flows.pcapng");
    let mixed = ["--packets", "24", "--flows", "5", "--both-directions"];
    traffic(
        &flows,
        &[&mixed[..], &["--proto", "mixed", "--size", "imix"]].concat(),
    );
    let hostile = place.path().join("hostile.pcapng");
    traffic(&hostile, &["--packets", "24", "--flows", "5", "--hostile"]);
    let step = match std::env::var_os("HARDPATH_FULL") {
        Some(_) => 1,
        None => 3,
    };
    let buses = ["512", "64", "128", "256"];
    for (program, bus) in programs.iter().step_by(step).zip(buses.into_iter().cycle()) {
        let Some((_kept, object)) = compile_source("programs", program) else {
            return;
        };
        let object = path(&object);
        if NO_PIPELINE.contains(&program.as_str()) {
            let refused = hardpath(&["compile", object, "--json"]);
            assert_eq!(refused.status, 3, "{program}: {}", refused.stdout);
            continue;
        }
        let mut options = smaller_tables(object);
        options.extend(["--bus".to_string(), bus.to_string()]);
        let Some(design) = Design::new(object, &options) else {
            return;
        };
        let lines = design.folder().join("lines.txt");
        let mut arguments = vec!["sim", object, "--json", "--bench", path(&lines)];
        arguments.extend(["--pcap", path(&flows), "--pcap", path(&hostile)]);
        arguments.extend(options.iter().map(String::as_str));
        let maps = format!("programs/{program}.maps.json");
        if root().join(&maps).exists() {
            arguments.extend(["--maps", &maps]);
        }
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{program}: {}", run.stdout);
        design.passes(&["-gLINES=lines.txt", "-gBACKPRESSURE=true"]);
    }
}

#[test]
fn time_random_numbers_ports_and_metadata() {
    let Some((_kept, object)) = compile_source("cli/tests/command/data", "beside") else {
        return;
    };
    let object = path(&object);
    let Some(design) = Design::new(object, &[]) else {
        return;
    };
    design.passes(&[]);
    let lines = design.folder().join("lines.txt");
    let capture = design.folder().join("capture.pcapng");
    traffic(&capture, &["--packets", "20", "--size", "14:200"]);
    let mut arguments = vec!["sim", object, "--json", "--pcap", path(&capture)];
    arguments.extend(["--ifindex", "7", "--queue", "3", "--time", "100:9"]);
    arguments.extend(["--bench", path(&lines)]);
    assert_eq!(hardpath(&arguments).status, 0);
    design.passes(&["-gLINES=lines.txt"]);
}

#[test]
fn the_interface_that_a_packet_leaves_by() {
    let Some((_kept, object)) = compile("egress") else {
        return;
    };
    let options = ["--program", "count", "--bus", "64"].map(String::from);
    if let Some(design) = Design::new(path(&object), &options) {
        design.passes(&[]);
    }
}

#[test]
fn inputs_of_the_programs_own() {
    let text = root().join("filetests/cases/packets/own_inputs.hir");
    let Some(design) = Design::new(path(&text), &[]) else {
        return;
    };
    design.passes(&[]);
    let lines = design.folder().join("lines.txt");
    let capture = design.folder().join("capture.pcapng");
    traffic(&capture, &["--packets", "20", "--size", "14:200"]);
    let mut arguments = vec!["sim", path(&text), "--json", "--pcap", path(&capture)];
    arguments.extend(["--input", "mark=0xabc", "--input", "colour=2"]);
    arguments.extend(["--bench", path(&lines)]);
    assert_eq!(hardpath(&arguments).status, 0);
    design.passes(&["-gLINES=lines.txt"]);
    // Without its inputs the design gives other packets.
    let text = fs::read_to_string(&lines).unwrap();
    let others = changed(&text, 'S', 1);
    fs::write(design.folder().join("others.txt"), others).unwrap();
    let (success, said) = design.play(&["-gLINES=others.txt"]);
    assert!(!success && !said.contains("PASSED"), "{said}");
}

#[test]
fn a_design_brings_its_own_test() {
    let Some(design) = Design::new(&object("redirector"), &[]) else {
        return;
    };
    design.passes(&[]);
    // The bench notices whatever comes out otherwise.
    let lines = fs::read_to_string(design.folder().join("redirector_tb.txt")).unwrap();
    let changes = [
        ('V', 2, "fate 1 is"),
        ('M', 10, "beat 1 has dest"),
        ('M', 12, "beat 1 has dest"),
        ('M', 150, "beat 1 is"),
        ('R', 13, "register 000C holds 00000001, not 00000011"),
    ];
    for (tag, digit, what) in changes {
        let lines = changed(&lines, tag, digit);
        fs::write(design.folder().join("changed.txt"), lines).unwrap();
        let (success, text) = design.play(&["-gLINES=changed.txt", "-gPATIENCE=2000"]);
        assert!(
            !success && text.contains(what) && !text.contains("PASSED"),
            "{tag} {digit}: {text}"
        );
    }
    for (line, what) in WRONG_LINES {
        fs::write(design.folder().join("changed.txt"), line).unwrap();
        let (success, text) = design.play(&["-gLINES=changed.txt"]);
        assert!(!success && text.contains(what), "{text}");
    }
    // One packet less is expected than goes in.
    let first = lines
        .lines()
        .position(|line| line.starts_with('V'))
        .unwrap();
    let fewer = lines.lines().enumerate().filter(|(at, _)| *at != first);
    let fewer: String = fewer.map(|(_, line)| format!("{line}\n")).collect();
    fs::write(design.folder().join("fewer.txt"), fewer).unwrap();
    let (success, text) = design.play(&["-gLINES=fewer.txt"]);
    assert!(!success, "{text}");
}

#[test]
fn the_same_program_gives_the_same_vhdl() {
    let place = tempfile::tempdir().unwrap();
    let texts = ["a", "b"].map(|folder| {
        let folder = place.path().join(folder);
        let firewall = object("firewall");
        let arguments = ["compile", &firewall, "--hdl", "vhdl", "-o", path(&folder)];
        assert_eq!(hardpath(&arguments).status, 0);
        let mut files: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|file| {
                (
                    file.file_name().unwrap().to_owned(),
                    fs::read(&file).unwrap(),
                )
            })
            .collect();
        files.sort();
        files
    });
    assert!(texts[0].len() > 10);
    assert!(texts[0] == texts[1]);
}

#[test]
fn the_interpreter_has_no_ports_for_a_bench() {
    let place = tempfile::tempdir().unwrap();
    let firewall = object("firewall");
    let mut arguments = vec!["sim", &firewall, "--json", "--engine", "interpreter"];
    let lines = place.path().join("lines.txt");
    arguments.extend(["--pcap", "programs/firewall.pcap", "--bench", path(&lines)]);
    hardpath(&arguments).error(2, "bench-needs-hardware");
    assert!(!lines.exists());
}
