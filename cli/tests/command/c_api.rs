//! The C in the folder of a design: it compiles, and does what it says. A C program does all operations over a pipe on the design in the
//! native engine; the same commands in BMv2's form give the interpreter of the IR its tables. Both hold the same then, as a driver in Rust
//! reads them, and packets come out of both alike.

mod bench;

use crate::common::{hardpath, path, root, said};
use bench::{Phase, Subject};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const C: [&str; 5] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"];

/// Runs a C compiler; `false`: there is none, and there need not be one.
fn compiled(compiler: &str, arguments: &[&str], folder: &Path) -> bool {
    let run = Command::new(compiler)
        .args(arguments)
        .current_dir(folder)
        .output();
    match run {
        Ok(output) => {
            let (is_good, text) = said(output);
            assert!(is_good, "{compiler} {arguments:?}: {text}");
            true
        }
        Err(error) => {
            assert!(
                std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
                "{compiler}: {error}"
            );
            eprintln!("not tested, there is no {compiler}: {error}");
            false
        }
    }
}

/// The long tests are asked for.
fn is_full() -> bool {
    std::env::var_os("HARDPATH_FULL").is_some()
}

/// The folder of a program's design.
fn design(program: &str, place: &Path, more: &[&str]) -> PathBuf {
    let folder = place.join("design");
    let arguments = ["compile", program, "-o", path(&folder)];
    let run = hardpath(&[&arguments[..], more].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    folder
}

/// The first part of a README in C.
fn example(folder: &Path) -> String {
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let (_, behind) = readme.split_once("```c\n").expect("an example");
    let (code, _) = behind.split_once("```").expect("it ends");
    code.to_owned()
}

#[test]
fn the_c_of_programs_compiles() {
    let others = ["l2l3", "ecmp", "firewall", "tunnel", "nat64"];
    let programs = ["gtpu", "classifier", "countmin"].iter().chain(&others);
    let count = if is_full() { 8 } else { 3 };
    for program in programs.take(count) {
        let place = tempfile::tempdir().unwrap();
        let file = format!("programs/p4/{program}.p4");
        let folder = design(&file, place.path(), &[]);
        fs::write(folder.join("example.c"), example(&folder)).unwrap();
        let source = format!("{program}_api.c");
        let sources = ["-c", &source, "hardpath-host.c", "example.c"];
        if !compiled("cc", &[&C[..], &sources].concat(), &folder) {
            return;
        }
        let text = format!(
            "#include \"{program}_api.h\"\n#include \"{program}.h\"\n\
             int open_it({program} *dev, const hardpath_bus *bus);\n\
             int open_it({program} *dev, const hardpath_bus *bus) {{ return {program}_open(dev, bus); }}\n"
        );
        fs::write(folder.join("plus.cc"), text).unwrap();
        let plus = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic"];
        compiled("c++", &[&plus[..], &["-c", "plus.cc"]].concat(), &folder);
    }
}

/// Names of P4 that C has otherwise, or twice.
#[test]
fn names_that_c_does_not_take() {
    let place = tempfile::tempdir().unwrap();
    let file = root().join("cli/tests/command/data/c_api/names.p4");
    let folder = design(path(&file), place.path(), &["--hdl", "vhdl"]);
    let source = ["-c", "names_api.c"];
    compiled("cc", &[&C[..], &source].concat(), &folder);
}

/// A program in which nothing is to be changed has no such files.
#[test]
fn a_design_without_tables_has_no_c() {
    let place = tempfile::tempdir().unwrap();
    let folder = design("tests/stf/bit-add-wrap.p4", place.path(), &[]);
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(!readme.contains("Functions for drivers"));
    assert!(!folder.join("hardpath-host.h").exists());
    assert!(!folder.join("bit_add_wrap_api.h").exists());
}

/// Compiles a C program with the files of a design, and lets it work on the design.
fn works(program: &str, source: &str, phases: &[Phase]) {
    let place = tempfile::tempdir().unwrap();
    // A design is told by its program, and a program by where it lies.
    let file = root().join(program);
    let folder = design(path(&file), place.path(), &[]);
    let data = root().join("cli/tests/command/data/c_api");
    let name = Path::new(program).file_stem().unwrap().to_str().unwrap();
    let name = name.replace('-', "_");
    let (api, include) = (format!("{name}_api.c"), format!("-I{}", path(&data)));
    let source = data.join(source);
    let sources = [
        "-I.",
        &include,
        path(&source),
        &api,
        "hardpath-host.c",
        "-o",
        "driver",
    ];
    let options = ["-g", "-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let arguments = [&C[..], &options, &sources].concat();
    if compiled("cc", &arguments, &folder) {
        let subject = Subject::of(&file);
        subject.drive(&folder.join("driver"), phases);
    }
}

#[test]
fn everything_is_done_on_the_native_engine() {
    works(
        "cli/tests/command/data/c_api/tables.p4",
        "tables.c",
        &bench::tables(),
    );
}

/// Tables that share a memory are counted, each for itself.
#[test]
fn tables_that_share_a_memory_are_set_up() {
    works("tests/stf/table-shared.p4", "shared.c", &bench::shared());
}

/// Many prefixes, addresses of 128 bits, groups, and a default action with parameters.
#[test]
fn a_router_is_set_up() {
    if !is_full() {
        return;
    }
    works("programs/p4/ecmp.p4", "ecmp.c", &bench::ecmp());
}

/// What the C knows of tables beside their fields, the address map tells, too.
#[test]
fn the_address_map_tells_what_belongs_together() {
    let place = tempfile::tempdir().unwrap();
    let program = "cli/tests/command/data/c_api/tables.p4";
    let folder = design(program, place.path(), &[]);
    let map = fs::read_to_string(folder.join("tables.json")).unwrap();
    let map: Value = serde_json::from_str(&map).unwrap();
    let layout = |name: &str| {
        let mut maps = map["maps"].as_array().unwrap().iter();
        let found = maps.find(|map| map["name"] == name);
        found.unwrap_or_else(|| panic!("{name}"))["layout"].clone()
    };
    let exact = layout("Receive.exact_of");
    assert_eq!(exact["meter"], "Receive.rate");
    assert_eq!(exact["counter"], "Receive.hits");
    assert_eq!(layout("Receive.masked_of")["counter"], Value::Null);
    assert_eq!(exact["action_profile"], Value::Null);
    let actions = exact["value"]["actions"].as_array().unwrap();
    let only: Vec<&Value> = actions.iter().map(|action| &action["only"]).collect();
    assert_eq!(
        only,
        [&Value::Null, &"entries".into(), &"default action".into()]
    );
    assert_eq!(
        layout("Receive.chosen_of")["action_profile"],
        "Receive.members"
    );
    // Names of maps that become the same constants: each is there once.
    let header = fs::read_to_string(folder.join("tables.h")).unwrap();
    let names = header
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    let mut names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    assert!(
        names.contains(&"TABLES_MAP_RECEIVE_MEMBERS_SLOTS_2"),
        "{header}"
    );
}
