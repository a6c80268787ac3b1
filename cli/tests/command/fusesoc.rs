//! A folder with a design is a core of FuseSoC: what its core file says, and what FuseSoC does with it.

use crate::common::{before_path, changed, hardpath, object, path, root, said};
use crate::verilog::{verilator, verilator_by_name};
use crate::vhdl::ghdl;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Compiles a program to `<cores>/<name>`.
fn compile(name: &str, hdl: &str, cores: &Path) -> PathBuf {
    let folder = cores.join(name);
    let arguments = ["compile", &object(name), "--hdl", hdl, "-o", path(&folder)];
    let run = hardpath(&arguments);
    assert_eq!(run.status, 0, "{}", run.stderr);
    folder
}

/// FuseSoC and the tools that it calls.
struct FuseSoc {
    /// With `verilator`.
    bin: TempDir,
    /// Cores, and what FuseSoC makes of them.
    place: TempDir,
}

impl FuseSoc {
    /// `None`: a tool is missing.
    fn new() -> Option<FuseSoc> {
        let tool = verilator()?;
        ghdl()?;
        if !FuseSoc::program().exists() {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "FuseSoC in .venv: tools/setup"
            );
            eprintln!("not tested, there is no FuseSoC: tools/setup");
            return None;
        }
        Some(FuseSoc {
            bin: verilator_by_name(&tool),
            place: tempfile::tempdir().unwrap(),
        })
    }

    fn program() -> PathBuf {
        root().join(".venv/bin/fusesoc")
    }

    fn cores(&self) -> PathBuf {
        self.place.path().join("cores")
    }

    /// Whether a target of a core succeeds, and all that was said.
    fn run(&self, target: &str, core: &str) -> (bool, String) {
        let mut command = Command::new(FuseSoc::program());
        command
            .args(["--cores-root", path(&self.cores())])
            .args(["run", "--clean", "--target", target, core])
            .current_dir(self.place.path())
            .env("HOME", self.place.path())
            .env("PATH", before_path(self.bin.path()))
            // The runs are short; as one file, which reads Verilator's headers once.
            .env(
                "MAKEFLAGS",
                "VM_PARALLEL_BUILDS=0 OPT_FAST=-O0 OPT_GLOBAL=-O0",
            );
        said(command.output().expect("FuseSoC starts"))
    }

    /// The test bench passes, and does not when it is told to expect another fate.
    fn simulates(&self, core: &str) {
        let (success, said) = self.run("sim", core);
        assert!(success && said.contains("PASSED"), "{core}: {said}");
        let lines = self.cores().join(core).join(format!("{core}_tb.txt"));
        let other = changed(&fs::read_to_string(&lines).unwrap(), 'V', 2);
        fs::write(&lines, other).unwrap();
        let (success, said) = self.run("sim", core);
        let is_bad = !success && said.contains("fate 1 is") && !said.contains("PASSED");
        assert!(is_bad, "{core}: {said}");
    }
}

#[test]
fn fusesoc_lints_and_simulates_a_design() {
    let Some(fusesoc) = FuseSoc::new() else {
        return;
    };
    compile("listing1", "verilog", &fusesoc.cores());
    let (success, said) = fusesoc.run("lint", "listing1");
    assert!(success && !said.contains("%Warning"), "{said}");
    fusesoc.simulates("listing1");
    compile("reflector", "vhdl", &fusesoc.cores());
    fusesoc.simulates("reflector");
}

/// A project of somebody's own that depends on two designs.
#[test]
fn a_project_depends_on_designs() {
    let Some(fusesoc) = FuseSoc::new() else {
        return;
    };
    for program in ["listing1", "firewall"] {
        compile(program, "verilog", &fusesoc.cores());
    }
    let project = fusesoc.cores().join("card");
    fs::create_dir(&project).unwrap();
    let core = "CAPI=2:\nname: own::card:1.0\nfilesets:\n  rtl:\n    files: [card.sv]\n    \
        file_type: systemVerilogSource\n    depend: [hardpath::listing1, hardpath::firewall]\n\
        targets:\n  default: &default\n    filesets: [rtl]\n    toplevel: card\n  \
        lint:\n    <<: *default\n    flow: lint\n    flow_options:\n      tool: verilator\n      \
        verilator_options: [-Wno-PINMISSING]\n";
    fs::write(project.join("card.core"), core).unwrap();
    let top = |second: &str| {
        format!(
            "module card (input clk, input rst);\n  listing1 first (.clk, .rst);\n  \
             {second} second (.clk, .rst);\nendmodule\n"
        )
    };
    fs::write(project.join("card.sv"), top("firewall")).unwrap();
    let (success, said) = fusesoc.run("lint", "card");
    assert!(success && !said.contains("%Warning"), "{said}");
    fs::write(project.join("card.sv"), top("reflector")).unwrap();
    let (success, said) = fusesoc.run("lint", "card");
    assert!(!success && said.contains("reflector"), "{said}");
}

#[test]
fn the_core_names_every_file() {
    for hdl in ["verilog", "vhdl"] {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("design");
        let arguments = ["compile", &object("listing1"), "--hdl", hdl];
        let run = hardpath(&[&arguments[..], &["-o", path(&folder)]].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let core = read("listing1.core");
        assert!(core.starts_with("CAPI=2:\n"), "{core}");
        let items = core
            .lines()
            .filter_map(|line| line.strip_prefix("      - "));
        let named: Vec<&str> = items
            .map(|item| item.split(':').next().unwrap_or_default())
            .collect();
        for name in &named {
            assert!(folder.join(name).is_file(), "{hdl}: {name}");
        }
        // The sources come first, in the order of the file list, then the test bench and constraints.
        let list = read("listing1.f");
        let list: Vec<&str> = list.lines().collect();
        assert_eq!(named[..list.len()], list);
        let end = match hdl {
            "verilog" => ["listing1_protocol.sv", "listing1_tb.sv"].as_slice(),
            _ => ["listing1_tb.vhd"].as_slice(),
        };
        let rest = [end, &["listing1_tb.txt", "listing1.xdc"]].concat();
        assert_eq!(named[list.len()..], rest);
        for target in ["default: &default", "sim", "synth"] {
            assert!(core.contains(&format!("\n  {target}")), "{hdl}: {target}");
        }
    }
}
