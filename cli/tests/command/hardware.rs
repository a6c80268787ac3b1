//! Programs as hardware: the files of a design, its figures, its speed, and that it does what the kernel does.

use crate::common::{before_path, captures, compile_source, hardpath, judge, object, path, root};
use crate::levels;
use crate::verilog::{verilator, verilator_by_name, Folder};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAMS: [&str; 5] = [
    "listing1",
    "firewall",
    "reflector",
    "blocklist",
    "redirector",
];

/// `--maps` with the program's map file, when it has one.
fn maps(program: &str) -> Vec<String> {
    let file = format!("programs/{program}.maps.json");
    match root().join(&file).exists() {
        true => vec![String::from("--maps"), file],
        false => Vec::new(),
    }
}

fn run(command: &str, program: &str, arguments: &[&str]) -> (i32, Value) {
    let object = object(program);
    let maps = maps(program);
    let mut all = vec![command, &object, "--json"];
    all.extend(maps.iter().map(String::as_str));
    all.extend(arguments);
    let run = hardpath(&all);
    (run.status, run.json())
}

fn is_clean(command: &str, program: &str, arguments: &[&str]) -> Value {
    let (status, answer) = run(command, program, arguments);
    assert_eq!(status, 0, "{program} {arguments:?}: {answer:#}");
    answer
}

fn traffic(file: &Path, arguments: &[&str]) {
    let mut all = vec!["traffic", "-o", path(file)];
    all.extend(arguments);
    let run = hardpath(&all);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn a_design_has_all_its_files() {
    let place = tempfile::tempdir().unwrap();
    for program in PROGRAMS {
        let folder = place.path().join(program);
        let run = hardpath(&["compile", &object(program), "-o", path(&folder), "--json"]);
        assert_eq!(run.status, 0, "{}", run.stdout);
        let answer = run.json();
        for key in [
            "program",
            "section",
            "instructions",
            "stages",
            "latency_clocks",
            "window_bytes",
            "clock_mhz",
            "target",
            "bus_bits",
            "register_bits",
            "maps",
            "files",
        ] {
            assert!(!answer[key].is_null(), "{key} is missing: {answer}");
        }
        for map in answer["maps"].as_array().unwrap() {
            for key in [
                "name",
                "type",
                "key_bytes",
                "value_bytes",
                "max_entries",
                "hazard",
                "window",
            ] {
                assert!(!map[key].is_null(), "{key} is missing: {map}");
            }
        }
        let files = answer["files"].as_array().unwrap();
        let on_disk = fs::read_dir(&folder).unwrap().count();
        assert_eq!(files.len(), on_disk);
        for file in files {
            assert!(
                fs::metadata(file.as_str().unwrap()).unwrap().len() > 0,
                "{file}"
            );
        }
        let list = fs::read_to_string(folder.join(format!("{program}.f"))).unwrap();
        assert!(
            list.ends_with(&format!("{program}.sv\n")),
            "the top comes last: {list}"
        );
        let map: Value = serde_json::from_str(
            &fs::read_to_string(folder.join(format!("{program}.json"))).unwrap(),
        )
        .unwrap();
        assert_eq!(
            map["maps"].as_array().unwrap().len(),
            answer["maps"].as_array().unwrap().len()
        );

        let stages = answer["stages"].as_u64().unwrap();
        let latency = answer["latency_clocks"].as_u64().unwrap();
        assert!(latency <= stages + 8, "{answer}");
        // Keys and values in large memories are read in three clocks each.
        let most = if program == "firewall" { 14 } else { 8 };
        assert!(stages <= most, "{answer}");
    }
}

#[test]
fn the_register_header_is_c() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("design");
    hardpath(&["compile", &object("firewall"), "-o", path(&folder)]);
    let Ok(status) = Command::new("cc")
        .args(["-fsyntax-only", "-Wall", "-Werror", "-x", "c"])
        .arg(folder.join("firewall.h"))
        .status()
    else {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "there is no C compiler"
        );
        return;
    };
    assert!(status.success());
}

#[test]
fn the_text_passes_verilator_lint() {
    let tool = match hardpath_testbed::verilator::find() {
        Ok(tool) => tool,
        Err(error) => {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "{error}"
            );
            return;
        }
    };
    let place = tempfile::tempdir().unwrap();
    for program in PROGRAMS {
        for bus in ["64", "128", "256", "512"] {
            let folder = place.path().join(format!("{program}-{bus}"));
            let run = hardpath(&[
                "compile",
                &object(program),
                "--bus",
                bus,
                "-o",
                path(&folder),
            ]);
            assert_eq!(run.status, 0, "{}", run.stderr);
            let lint = Command::new(&tool.executable)
                .args(["--lint-only", "-Wall", "--top-module", program, "-f"])
                .arg(format!("{program}.f"))
                .env("VERILATOR_ROOT", &tool.root)
                .current_dir(&folder)
                .output()
                .unwrap();
            let messages = String::from_utf8_lossy(&lint.stderr);
            assert!(
                lint.status.success() && messages.is_empty(),
                "{program} {bus}:\n{messages}"
            );
        }
    }
}

#[test]
fn the_same_program_gives_the_same_text() {
    let place = tempfile::tempdir().unwrap();
    let text = |folder: &str| {
        let folder = place.path().join(folder);
        hardpath(&["compile", &object("firewall"), "-o", path(&folder)]);
        fs::read_to_string(folder.join("firewall_pipeline.sv")).unwrap()
    };
    assert_eq!(text("a"), text("b"));
}

#[test]
fn one_packet_a_clock() {
    let place = tempfile::tempdir().unwrap();
    let (one, many) = (
        place.path().join("one.pcapng"),
        place.path().join("many.pcapng"),
    );
    traffic(
        &one,
        &[
            "--packets",
            "20000",
            "--distribution",
            "one",
            "--size",
            "64",
        ],
    );
    traffic(
        &many,
        &["--packets", "20000", "--flows", "10000", "--size", "64"],
    );
    for program in ["listing1", "reflector", "blocklist"] {
        for capture in [&one, &many] {
            let answer = is_clean("sim", program, &["--pcap", path(capture)]);
            assert!(
                answer["packets_per_clock"].as_f64().unwrap() >= 0.99,
                "{program}: {answer}"
            );
            assert_eq!(answer["packets"], 20000);
        }
    }
    // A first run opens the flows; in the second one they are established.
    let opened = place.path().join("opened.json");
    is_clean(
        "sim",
        "firewall",
        &["--pcap", path(&many), "--maps-out", path(&opened)],
    );
    let object = object("firewall");
    let run = hardpath(&[
        "sim",
        &object,
        "--pcap",
        path(&many),
        "--maps",
        path(&opened),
        "--json",
    ]);
    let answer = run.json();
    assert!(
        answer["packets_per_clock"].as_f64().unwrap() >= 0.99,
        "{answer}"
    );
    assert_eq!(answer["verdicts"]["XDP_REDIRECT"], 20000);
}

#[test]
fn line_rate_needs_no_stall() {
    let arguments = ["--pcap", "programs/firewall.pcap", "--pace", "100G"];
    let answer = is_clean("sim", "firewall", &arguments);
    assert_eq!(answer["stall_clocks"], 0);
}

#[test]
fn real_captures_as_the_kernel_has_them() {
    let judge = judge();
    let captures = captures();
    for program in PROGRAMS {
        let mut arguments = vec![
            "--against",
            judge,
            "--pace",
            "random:3",
            "--backpressure",
            "4",
        ];
        for capture in &captures {
            arguments.extend(["--pcap", capture]);
        }
        is_clean("check", program, &arguments);
    }
}

#[test]
fn generated_traffic_as_the_kernel_has_it() {
    let judge = judge();
    let place = tempfile::tempdir().unwrap();
    let kinds: [(&str, &[&str]); 5] = [
        ("one", &["--distribution", "one", "--size", "64"]),
        (
            "zipf",
            &[
                "--flows",
                "3000",
                "--distribution",
                "zipf",
                "--both-directions",
                "--proto",
                "mixed",
            ],
        ),
        (
            "imix",
            &["--flows", "50", "--size", "imix", "--proto", "tcp"],
        ),
        ("lengths", &["--flows", "50", "--size", "14:9216"]),
        (
            "hostile",
            &["--flows", "50", "--hostile", "--size", "14:300"],
        ),
    ];
    for (name, kind) in kinds {
        let file = place.path().join(format!("{name}.pcapng"));
        let packets = if name == "lengths" { "300" } else { "2000" };
        let mut arguments = vec!["--packets", packets, "--seed", "5"];
        arguments.extend(kind);
        traffic(&file, &arguments);
        for program in PROGRAMS {
            for bus in ["64", "128", "256", "512"] {
                let arguments = [
                    "--against",
                    judge,
                    "--pcap",
                    path(&file),
                    "--bus",
                    bus,
                    "--pace",
                    "random:7",
                    "--backpressure",
                    "8",
                ];
                is_clean("check", program, &arguments);
            }
        }
    }
}

/// Each family's delays give another schedule, and another shape of its tables.
#[test]
fn designs_for_every_family_as_the_kernel_has_them() {
    let judge = judge();
    let captures = captures();
    for program in ["acl", "ipip_encap", "firewall"] {
        let Some((_place, object)) = compile_source("programs", program) else {
            return;
        };
        let maps = format!("programs/{program}.maps.json");
        for family in ["7-series", "ecp5", "agilex"] {
            let mut arguments = vec!["check", path(&object), "--against", judge, "--json"];
            arguments.extend(["--maps", &maps, "--family", family, "--bus", "128"]);
            for capture in &captures {
                arguments.extend(["--pcap", capture]);
            }
            let run = hardpath(&arguments);
            assert_eq!(run.status, 0, "{program} {family}: {:#}", run.json());
        }
    }
}

/// The kernel's own samples, as `make programs` builds them.
#[test]
fn the_kernels_samples_as_the_kernel_has_them() {
    let judge = judge();
    let captures = captures();
    for program in ["xdp1", "xdp2"] {
        let object = format!("build/programs/{program}.o");
        if !root().join(&object).exists() {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "make programs first: {object}"
            );
            continue;
        }
        let mut arguments = vec!["check", &object, "--against", judge, "--json"];
        arguments.extend(["--pace", "random:9", "--backpressure", "10"]);
        for capture in &captures {
            arguments.extend(["--pcap", capture]);
        }
        let run = hardpath(&arguments);
        assert_eq!(run.status, 0, "{program}: {:#}", run.json());
    }
}

#[test]
fn verilator_agrees() {
    if let Err(error) = hardpath_testbed::verilator::find() {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "{error}"
        );
        return;
    }
    let judge = judge();
    for program in ["listing1", "firewall"] {
        let arguments = [
            "--engine",
            "verilator",
            "--against",
            judge,
            "--pcap",
            "programs/firewall.pcap",
            "--pace",
            "random:5",
            "--backpressure",
            "6",
        ];
        let answer = is_clean("check", program, &arguments);
        // The sweep after reset goes through 65,536 words; asking for as many slots would take dozens of clocks each.
        let clocks = answer["simulated_clocks"].as_u64().unwrap();
        assert!(clocks < 150_000, "{program}: {clocks}");
    }
}

/// Whoever compares has measured, too; an interpreter has no clock to measure by.
#[test]
fn a_comparison_says_what_the_run_took() {
    let run = ["--pcap", "programs/firewall.pcap", "--pace", "random:5"];
    let of_sim = is_clean("sim", "firewall", &run);
    let mut compared = run.to_vec();
    compared.extend(["--against", "interpreter"]);
    let statistics = is_clean("check", "firewall", &compared)["statistics"].clone();
    let told = statistics.as_object().unwrap();
    assert!(
        told["latency_clocks"]["median"].as_u64() > Some(1),
        "{statistics:#}"
    );
    for (name, value) in told {
        assert_eq!(*value, of_sim[name], "{name}");
    }
    compared.extend(["--engine", "interpreter"]);
    assert_eq!(
        is_clean("check", "firewall", &compared)["statistics"],
        Value::Null
    );
}

#[test]
fn instruction_tests_as_hardware() {
    let file = root().join("../shared/conformance/bpf_isa.json");
    let run = hardpath(&["isa", path(&file), "--json"]);
    let answer = run.json();
    assert_eq!(answer["failures"], Value::Array(Vec::new()));
    assert!(
        answer["refused"].as_u64().unwrap() <= 3,
        "{}",
        answer["refusals"]
    );
    assert_eq!(run.status, 0);
}

/// `make full` runs everything, `make test` a part.
fn part_or_all(part: &'static str, all: &'static str) -> &'static str {
    match std::env::var_os("HARDPATH_FULL") {
        Some(_) => all,
        None => part,
    }
}

/// The printed text of every tenth test, built and run by Verilator.
#[test]
fn instruction_tests_under_verilator() {
    if let Err(error) = hardpath_testbed::verilator::find() {
        assert!(
            std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
            "{error}"
        );
        return;
    }
    let file = root().join("../shared/conformance/bpf_isa.json");
    let every = part_or_all("10", "1");
    let run = hardpath(&[
        "isa",
        path(&file),
        "--engine",
        "verilator",
        "--every",
        every,
        "--json",
    ]);
    let answer = run.json();
    assert_eq!(answer["failures"], Value::Array(Vec::new()));
    assert!(answer["passed"].as_u64().unwrap() >= 31, "{answer}");
}

#[test]
fn random_programs_agree() {
    let programs = part_or_all("60", "1000");
    let place = tempfile::tempdir().unwrap();
    let cases = place.path().join("cases");
    let arguments = [
        "fuzz",
        "--programs",
        programs,
        "--packets",
        "20",
        "--seed",
        "1",
        "--cases",
        path(&cases),
        "--json",
    ];
    let run = hardpath(&arguments);
    let answer = run.json();
    assert_eq!(answer["seeds_failed"], Value::Array(Vec::new()), "{answer}");
    assert_eq!(answer["mismatches"], 0);
    let programs: u64 = programs.parse().unwrap();
    assert_eq!(answer["programs"], programs);
    let count = |key: &str| answer[key].as_u64().unwrap();
    assert_eq!(count("compiled") + count("refused"), programs);
    assert!(5 * count("compiled") >= 4 * programs, "{answer}");
    // A few runs are longer.
    assert!(count("packets") >= 20 * count("compiled"), "{answer}");
    assert_eq!(run.status, 0);
    assert!(!cases.exists(), "nothing failed, nothing is written");
}

/// A stage reads as the source does: fields of headers, lengths, and compares that wait in modules of their own.
#[test]
fn names_are_those_of_the_source() {
    let folder = Folder::new(&object("firewall"), &[]);
    let text = fs::read_to_string(folder.path().join("firewall_pipeline.sv")).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "wire [15:0] h_proto_s0 = packet[111:96];",
        "wire h_proto_is_0x0800_s0 = h_proto_s0 == 16'h0008 /* 0x0800 */;",
        "wire protocol_is_17_s0 = protocol_s0 == 8'd17;",
        "wire packet_length_from_14_s0 = (|packet_length[13:4]) || (&packet_length[3:1]);",
        "wire less_s0 = {packet[239:208], source_s0} < {packet[271:240], destination_s0};",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

/// What never changes is neither a net nor a port: flags that all updates have, the index of a single entry, a port without host.
#[test]
fn no_block_is_given_a_constant() {
    for program in ["firewall", "nat", "suricata_like"] {
        let folder = Folder::new(&format!("build/programs/{program}.o"), &[]);
        let name = format!("{program}_pipeline.sv");
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let ports = text.lines().map(str::trim).filter(|l| l.starts_with('.'));
        let given =
            ports.filter_map(|port| Some(port.split_once('(')?.1.trim_end_matches([')', ','])));
        let given: Vec<&str> = given.collect();
        assert!(given.contains(&"clk"), "{text}");
        let is_constant = |what: &&&str| what.starts_with(|first: char| first.is_ascii_digit());
        let constants: Vec<&&str> = given.iter().filter(is_constant).collect();
        assert!(constants.is_empty(), "{program}: {constants:?}");
    }
}

#[test]
fn without_a_clock_a_family_has_its_usual_one() {
    for (family, clock) in [
        ("ultrascale+", 250.0),
        ("7-series", 200.0),
        ("ecp5", 75.0),
        ("agilex", 250.0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let design = folder.path().join("design");
        let object = "programs/prebuilt/listing1.o";
        let run = hardpath(&[
            "compile",
            object,
            "--family",
            family,
            "--json",
            "-o",
            path(&design),
        ]);
        assert_eq!(run.status, 0, "{family}: {}", run.stdout);
        assert_eq!(run.json()["clock_mhz"].as_f64(), Some(clock), "{family}");
    }
}

/// Each vendor's tools read attributes of their own.
#[test]
fn memories_say_in_the_vendors_words_what_they_are() {
    for (family, hdl, wanted, other) in [
        (
            "ultrascale+",
            "verilog",
            "(* ram_style = \"block\" *)",
            "ramstyle",
        ),
        (
            "agilex",
            "verilog",
            "(* ramstyle = \"M20K\" *)",
            "ram_style",
        ),
        (
            "agilex",
            "vhdl",
            "attribute ramstyle of frames",
            "ram_style",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let design = folder.path().join("design");
        let object = "programs/prebuilt/listing1.o";
        let output = path(&design);
        let options = ["--family", family, "--hdl", hdl, "-o", output];
        let run = hardpath(&[&["compile", object][..], &options].concat());
        assert_eq!(run.status, 0, "{family}: {}", run.stderr);
        let mut text = String::new();
        for file in std::fs::read_dir(&design).unwrap() {
            text.push_str(&std::fs::read_to_string(file.unwrap().path()).unwrap());
        }
        assert!(text.contains(wanted), "{family}, {hdl}");
        assert!(!text.contains(other), "{family}, {hdl}");
    }
}

/// Bench, lint and synthesis as the folder's README says, by whoever has the folder only.
#[test]
fn the_commands_of_the_readme() {
    let folder = Folder::new(&object("listing1"), &[]);
    let readme = fs::read_to_string(folder.path().join("README.md")).unwrap();
    let command = |tool: &str| {
        let line = readme.lines().find(|line| line.starts_with(tool));
        let mut command = Command::new("bash");
        command.args(["-c", line.unwrap()]);
        command
    };
    let succeeds = |mut command: Command| {
        let (success, said) = folder.run(&mut command);
        assert!(success, "{command:?}\n{said}");
    };
    if let Some(tool) = verilator() {
        let bin = verilator_by_name(&tool);
        let mut lint = command("verilator --lint-only");
        lint.env("PATH", before_path(bin.path()));
        succeeds(lint);
        let from = readme.find("command -v verilator").unwrap();
        let lines = &readme[from..];
        let mut bench = Command::new("bash");
        bench.args(["-e", "-c", &lines[..lines.find("\n\n").unwrap()]]);
        bench.env("PATH", before_path(bin.path()));
        let (success, said) = folder.run(&mut bench);
        assert!(success && said.contains("PASSED"), "{bench:?}\n{said}");
    }
    if !has_yosys() {
        return;
    }
    succeeds(command("yosys"));
    let area = fs::read_to_string(folder.path().join("listing1_area.txt"));
    assert!(area.is_ok_and(|text| text.contains("LUT6")));
}

/// The folder of a design is synthesized as the object that it was made from.
#[test]
fn the_folder_of_a_design_is_synthesized() {
    let Some(of_object) = levels::listing1() else {
        return;
    };
    let folder = Folder::new(&object("listing1"), &[]);
    let place = folder.path();
    let of = |options: &[&str]| {
        let run = hardpath(&[&["synth", path(&place), "--json"], options].concat());
        assert_eq!(run.status, 0, "{}", run.stdout);
        run.json()
    };
    let parts = of(&[]);
    assert!(parts["lut_without_maps"].as_u64() < parts["lut"].as_u64());
    let (mut report, mut of_object) = (of(&["--no-parts"]), of_object.run.json());
    for answer in [&mut report, &mut of_object] {
        // Only of an object it is known what traffic it is slow for; and its netlist was asked for.
        answer["warnings"] = Value::Null;
        answer["netlist"] = Value::Null;
    }
    assert_eq!(report, of_object);
    // A file of the list that is gone, and a list of VHDL.
    let refused = |code: &str, words: &str| {
        let run = hardpath(&["synth", path(&place), "--flow", "ecp5", "--json"]);
        let error = run.error(2, code);
        assert!(error.to_string().contains(words), "{error}");
    };
    fs::remove_file(place.join("listing1_host.sv")).unwrap();
    refused("cannot-read", "listing1_host.sv");
    fs::write(place.join("listing1.f"), "listing1_host.vhd\n").unwrap();
    refused("no-design", "reads SystemVerilog only");
    fs::write(place.join("listing1.f"), "").unwrap();
    refused("no-design", "no ports");
}

/// Whether there is a yosys; there must be, if the environment says so.
fn has_yosys() -> bool {
    let there = Command::new("yosys").arg("-V").output().is_ok();
    let required = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some();
    assert!(there || !required, "there is no yosys: tools/setup");
    there
}
