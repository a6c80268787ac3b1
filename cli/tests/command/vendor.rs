//! Scripts for Vivado and Quartus Prime, run by a plain Tcl with commands that only write down how they were called; and
//! what is made of reports that a stand-in for the tool leaves.

use crate::common::{hardpath, object, path, root};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Every command that Tcl does not know is one of the tool's: it is printed, with the names of files without their
/// folders, and fails when a file is not there.
const STUBS: &str = r#"
proc unknown {args} {
    set words {}
    foreach word $args {
        if {[string first / $word] >= 0 && [file pathtype $word] eq "absolute"} {
            if {[regexp {^(read_|set_global)} [lindex $args 0]] && ![file isfile $word]} {
                error "$word is no file"
            }
            set word [file tail $word]
        }
        lappend words $word
    }
    puts $words
    switch [lindex $args 0] {
        get_property { return 0.125 }
        get_part_info { return {{A family}} }
    }
    if {[lindex $args 2] eq "QIP_FILE"} {
        set ::quartus(qip_path) [file dirname [lindex $args 3]]
        uplevel #0 [list source [lindex $args 3]]
    }
}
foreach name {project flow device} { package provide ::quartus::$name 1.0 }
"#;

/// A folder with a design and its scripts, and what the command said.
fn synth(flow: &str, options: &[&str]) -> (TempDir, PathBuf, serde_json::Value) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("design");
    let firewall = object("firewall");
    let mut arguments = vec!["synth", &firewall, "--json", "--flow", flow];
    arguments.extend(["-o", path(&folder)]);
    arguments.extend(options);
    let run = hardpath(&arguments);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let answer = run.json();
    (place, folder, answer)
}

/// What the script calls, in order; `None`: there is no Tcl, and the environment does not say that there must be.
fn tcl(folder: &Path, setup: &str, script: &str) -> Option<Vec<String>> {
    let stubs = folder.join("stubs.tcl");
    fs::write(&stubs, format!("{STUBS}{setup}\nsource {script}\n")).unwrap();
    let output = match Command::new("tclsh")
        .arg("stubs.tcl")
        .current_dir(folder)
        .output()
    {
        Ok(output) => output,
        Err(error) => {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "tclsh: {error}"
            );
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{errors}");
    Some(said.lines().map(String::from).collect())
}

/// The sources in the order of the file list.
fn sources(folder: &Path) -> Vec<String> {
    let list = fs::read_to_string(folder.join("firewall.f")).unwrap();
    list.lines().map(String::from).collect()
}

#[test]
fn vivado_reads_all_files_and_routes() {
    let (_place, folder, answer) = synth("vivado", &["--part", "xc7a35t-1"]);
    let command = answer["command"].to_string();
    assert!(command.contains("firewall_vivado.tcl") && command.contains("xc7a35t-1"));
    let setup = "set argv {xc7a35t-1}";
    let Some(calls) = tcl(&folder, setup, "firewall_vivado.tcl") else {
        return;
    };
    let mut wanted = vec!["create_project -in_memory -part xc7a35t-1".to_string()];
    wanted.extend(
        sources(&folder)
            .iter()
            .map(|name| format!("read_verilog -sv {name}")),
    );
    let rest = "read_xdc -mode out_of_context firewall.xdc\n\
        synth_design -top firewall -part xc7a35t-1 -mode out_of_context\n\
        opt_design\nplace_design\nphys_opt_design\nroute_design\n\
        report_utilization -file utilization.rpt\n\
        report_utilization -hierarchical -file utilization_by_module.rpt\n\
        report_timing_summary -file timing.rpt\n\
        write_checkpoint -force firewall.dcp\n\
        get_timing_paths -max_paths 1 -setup\n\
        get_property SLACK {}";
    wanted.extend(rest.lines().map(|line| line.trim().to_string()));
    assert_eq!(calls, wanted);
    let slack = fs::read_to_string(folder.join("vivado/slack.txt")).unwrap();
    assert_eq!(slack, "0.125\n");
    // A file that is missing is noticed, so the check above can fail.
    fs::remove_file(folder.join("firewall_host.sv")).unwrap();
    let output = Command::new("tclsh")
        .arg("stubs.tcl")
        .current_dir(&folder)
        .output();
    assert!(!output.unwrap().status.success());
}

#[test]
fn quartus_makes_a_project_with_virtual_pins() {
    let (_place, folder, _) = synth("quartus", &[]);
    let setup = "set quartus(args) {AGFB027R25A2E2V}";
    let Some(calls) = tcl(&folder, setup, "firewall_quartus.tcl") else {
        return;
    };
    let mut wanted: Vec<String> = "project_new -overwrite firewall\n\
        get_part_info -family AGFB027R25A2E2V\n\
        set_global_assignment -name FAMILY {A family}\n\
        set_global_assignment -name DEVICE AGFB027R25A2E2V\n\
        set_global_assignment -name TOP_LEVEL_ENTITY firewall\n\
        set_global_assignment -name QIP_FILE firewall.qip\n\
        set_global_assignment -name VERILOG_MACRO SYNTHESIS=1"
        .lines()
        .map(|line| line.trim().to_string())
        .collect();
    for name in sources(&folder) {
        wanted.push(format!(
            "set_global_assignment -name SYSTEMVERILOG_FILE {name}"
        ));
    }
    let rest = "set_global_assignment -name SDC_FILE firewall.sdc\n\
        set_global_assignment -name PROJECT_OUTPUT_DIRECTORY output_files\n\
        set_global_assignment -name NUM_PARALLEL_PROCESSORS ALL\n\
        set_instance_assignment -name VIRTUAL_PIN ON -to *\n\
        set_instance_assignment -name VIRTUAL_PIN OFF -to clk\n\
        export_assignments\nexecute_flow -compile\nproject_close";
    wanted.extend(rest.lines().map(|line| line.trim().to_string()));
    assert_eq!(calls, wanted);
    assert!(folder.join("quartus").is_dir());
}

/// A program that leaves these files, by name in the folder of the design.
fn stand_in(place: &Path, files: &[(&str, &str)]) -> PathBuf {
    let mut script = String::from("#!/bin/sh\nset -e\n");
    for (name, text) in files {
        script += &format!("mkdir -p $(dirname {name})\ncat > {name} <<'END'\n{text}END\n");
    }
    let program = place.join("stand-in");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

fn with(variable: &str, program: &Path, flow: &str, folder: &Path) -> (i32, serde_json::Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .args(["synth", path(folder), "--json", "--flow", flow])
        .env(variable, program)
        .output()
        .unwrap();
    let run = crate::common::run_of(output);
    (run.status, run.json())
}

#[test]
fn reports_are_read() {
    let (place, folder, answer) = synth("vivado", &[]);
    if Command::new("vivado").arg("-version").output().is_err() {
        assert_eq!(answer["ran"], false);
        assert_eq!(answer["logic"], serde_json::Value::Null);
    }
    let utilization = "| CLB LUTs*     | 1234 | 0 | 0 | 1728000 | 0.07 |\n\
        | CLB Registers | 4321 | 0 | 0 | 3456000 | 0.12 |\n| Block RAM Tile | 8.5 | 0 | 0 | 2688 | 0.3 |\n\
        | URAM | 2 | 0 | 0 | 1280 | 0.1 |\n| DSPs | 1 | 0 | 0 | 12288 | 0.1 |\n";
    let fast = [
        ("vivado/utilization.rpt", utilization),
        ("vivado/slack.txt", "0.8\n"),
    ];
    let program = stand_in(place.path(), &fast);
    let (status, answer) = with("HARDPATH_VIVADO", &program, "vivado", &folder);
    assert_eq!(status, 0, "{answer}");
    assert_eq!(
        (&answer["ran"], &answer["logic"]),
        (&true.into(), &1234.into())
    );
    assert_eq!((&answer["ff"], &answer["ram"]), (&4321.into(), &8.5.into()));
    assert_eq!((&answer["uram"], &answer["dsp"]), (&2.into(), &1.into()));
    assert_eq!(answer["fmax_mhz"].as_f64().map(f64::round), Some(313.0));
    // Slower than what was asked for.
    let slow = [
        ("vivado/utilization.rpt", utilization),
        ("vivado/slack.txt", "-1\n"),
    ];
    let program = stand_in(place.path(), &slow);
    let (status, answer) = with("HARDPATH_VIVADO", &program, "vivado", &folder);
    assert_eq!((status, &answer["fmax_mhz"]), (1, &200.0.into()));
    // It left nothing.
    fs::remove_dir_all(folder.join("vivado")).unwrap();
    let program = stand_in(place.path(), &[]);
    let (status, answer) = with("HARDPATH_VIVADO", &program, "vivado", &folder);
    assert_eq!(
        (status, &answer["error"]["code"]),
        (2, &"vivado-failed".into())
    );

    let fit = "Logic utilization (in ALMs) : 2,345 / 487,200 ( < 1 % )\n\
        Total dedicated logic registers : 6,789\nTotal RAM Blocks : 12 / 7,110 ( < 1 % )\n\
        Total DSP Blocks : 3 / 4,510 ( < 1 % )\n";
    let timing = "Type  : Slow vid2 100C Model Setup 'clk'\nSlack : 0.5\nTNS   : 0.000\n";
    let files = [
        ("quartus/output_files/firewall.fit.summary", fit),
        ("quartus/output_files/firewall.sta.summary", timing),
    ];
    let program = stand_in(place.path(), &files);
    let (status, answer) = with("HARDPATH_QUARTUS", &program, "quartus", &folder);
    assert_eq!(status, 0, "{answer}");
    assert_eq!(
        (&answer["logic"], &answer["ff"]),
        (&2345.into(), &6789.into())
    );
    assert_eq!((&answer["ram"], &answer["dsp"]), (&12.0.into(), &3.into()));
}

#[test]
fn a_design_needs_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let firewall = object("firewall");
    let flow = ["--json", "--flow", "vivado"];
    hardpath(&[&["synth", &firewall][..], &flow].concat()).error(2, "synth-output");
    let empty = path(place.path());
    hardpath(&[&["synth", empty][..], &flow].concat()).error(2, "no-design");
    hardpath(&[&["synth", empty, "-o", "other"][..], &flow].concat()).error(2, "synth-output");
    hardpath(&[&["synth", &firewall, "--part", "a;b"][..], &flow].concat()).error(2, "usage");
}

/// Synthesis takes long, so people stop it; the tool must not go on alone.
#[test]
fn a_tool_ends_with_the_command() {
    let place = tempfile::tempdir().unwrap();
    let told = place.path().join("started");
    let tool = place.path().join("yosys");
    // Says who it is and does not end.
    let script = format!("#!/bin/sh\necho $$ > '{}'\nexec sleep 600\n", path(&told));
    fs::write(&tool, script).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .args(["synth", &object("listing1"), "--flow", "yosys"])
        .current_dir(root())
        .env("HARDPATH_YOSYS", &tool)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = within(Duration::from_secs(60), || {
        fs::read_to_string(&told).ok()?.trim().parse::<u32>().ok()
    });
    let pid = pid.expect("the tool is started");
    let runs = || {
        let state = fs::read_to_string(format!("/proc/{pid}/stat"));
        state.is_ok_and(|state| !state.contains(") Z "))
    };
    assert!(runs());
    command.kill().unwrap();
    command.wait().unwrap();
    let ended = within(Duration::from_secs(60), || (!runs()).then_some(()));
    assert!(ended.is_some(), "process {pid} goes on");
}

/// What is found by asking again and again.
fn within<T>(most: Duration, ask: impl Fn() -> Option<T>) -> Option<T> {
    let since = Instant::now();
    loop {
        match ask() {
            None if since.elapsed() < most => std::thread::sleep(Duration::from_millis(20)),
            answer => return answer,
        }
    }
}
