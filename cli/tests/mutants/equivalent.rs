//! Is a mutant that the bench does not notice the same design? A proof says so, or a million packets that it passes as the
//! design does.

use crate::build::{Bench, Folder};
use crate::rules::Mutant;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Seconds for a proof.
const PATIENCE: &str = "60";
/// Packets of a chunk.
const CHUNK: u32 = 100_000;

/// yosys proves that the module with the mutant does what it did: from equal registers, equal inputs lead to equal outputs,
/// and to equal registers after a clock. Registers begin with equal values, because no rule touches these. What a module
/// holds (memories, other modules) is the same on both sides, so it gives the same as long as it gets the same, and that is
/// proved, too.
pub fn is_proved(folder: &Folder, mutant: &Mutant) -> bool {
    let files = folder.files();
    let mut of_file = files.iter().filter(|(name, _)| *name == mutant.file);
    let (_, text) = of_file.next().expect("the mutant's file");
    let mut other = text.clone();
    other.replace_range(mutant.place.clone(), &format!("({})", mutant.becomes));
    let held = files
        .iter()
        .filter(|(name, _)| *name != mutant.file && text.contains(module(name)));
    let held: Vec<&str> = held.map(|(name, _)| name.as_str()).collect();
    is_same(&folder.path, &mutant.file, &other, &held)
}

/// The module of a file.
fn module(file: &str) -> &str {
    file.trim_end_matches(".sv")
}

/// Whether the module of a file is the same with another text. `held`: the files of modules that it may hold.
fn is_same(folder: &Path, file: &str, other: &str, held: &[&str]) -> bool {
    fs::write(folder.join("other.v"), other).unwrap();
    let top = module(file);
    let types: Vec<String> = held
        .iter()
        .map(|file| format!("t:{}", module(file)))
        .collect();
    let boxes = match held {
        [] => String::new(),
        _ => format!("read_verilog -sv -DSYNTHESIS -lib {}; ", held.join(" ")),
    };
    // Only registers, ports and what a module holds are matched by their names: what is between them may well differ.
    // Registers become ports, so that one clock is logic without state.
    let read = |file: &str, called: &str| {
        format!(
            "{boxes}read_verilog -sv -DSYNTHESIS {file}; hierarchy -check -top {top}; proc; opt_clean; memory_collect; \
             opt_clean; select -set kept t:$*ff* %x:+[Q]; rename -hide w:* @kept %d; expose -evert-dff @kept; opt_clean; \
             select -assert-none t:$*ff*; rename {top} {called}; design -stash {called}; "
        )
    };
    let script = read(file, "gold")
        + &read("other.v", "gate")
        + &format!(
            "design -copy-from gold gold; design -copy-from gate gate; {boxes}equiv_make gold gate equiv; \
             select -module equiv; delete t:$mem* {}; equiv_miter -assert miter; select -clear; hierarchy -top miter; \
             sat -verify -prove-asserts miter",
            types.join(" ")
        );
    let output = Command::new("timeout")
        .args([PATIENCE, "yosys", "-q", "-p", &script])
        .current_dir(folder)
        .output();
    output.unwrap().status.success()
}

/// What very many packets do, as files for the bench.
pub struct LongRun {
    chunks: Vec<PathBuf>,
}

impl LongRun {
    /// By the native simulator, with what stands in the program's map file. Ten chunks are a million packets.
    pub fn make(folder: &Folder, program: &str, options: &[&str], chunks: u32) -> LongRun {
        let chunks = (0..chunks).map(|seed| {
            let capture = folder.path.join("chunk.pcapng");
            let lines = folder.path.join(format!("chunk_{seed}.txt"));
            let (packets, number) = (CHUNK.to_string(), seed.to_string());
            let mut traffic = vec!["traffic", "--packets", &packets, "--seed", &number];
            traffic.extend(["--proto", "mixed", "--flows", "200", "--both-directions"]);
            traffic.extend(["--distribution", ["uniform", "zipf"][seed as usize % 2]]);
            if program == "nat" {
                traffic.extend(["--nat", "203.0.113.1:1024"]);
            }
            if seed % 5 == 4 {
                traffic.push("--hostile");
            }
            let capture = capture.to_str().unwrap();
            hardpath(&[&traffic[..], &["-o", capture]].concat());
            let object = format!("build/programs/{program}.o");
            let maps = format!("programs/{program}.maps.json");
            let sim = [
                "sim", &object, "--pcap", capture, "--maps", &maps, "--bench",
            ];
            hardpath(&[&sim[..], &[lines.to_str().unwrap()], options].concat());
            lines
        });
        LongRun {
            chunks: chunks.collect(),
        }
    }

    /// The mutant cannot be told from the design.
    pub fn passes(&self, bench: &Bench, number: usize) -> bool {
        self.chunks
            .iter()
            .all(|lines| bench.passes(number, Some(lines)).0)
    }
}

/// The command, which must succeed.
pub fn hardpath(arguments: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hardpath"))
        .current_dir(root)
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
}

/// What a proof must not overlook: inputs of memories and of other modules, resets. And what it must not mind: values between
/// registers that nobody sees.
#[test]
fn proofs_see_what_a_module_holds() {
    if Command::new("yosys").arg("-V").output().is_err() {
        let required = std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_some();
        assert!(!required, "there is no yosys");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let inner = "module inner (input wire clk, input wire [3:0] a, output reg [3:0] q);\n  \
                 always @(posedge clk) q <= a;\nendmodule\n";
    let text = "module outer (\n    input wire clk, input wire rst, input wire [3:0] a, input wire [3:0] b, input wire w,\n    \
                output wire [3:0] q, output reg [3:0] r, output reg [3:0] s\n);\n  \
                logic [3:0] words [0:15];\n  wire [3:0] next = w ? a : b;\n  \
                wire [3:0] sum = w ? next + 4'd1 : b;\n  \
                initial begin\n    r = 4'd0; s = 4'd0;\n  end\n  \
                always @(posedge clk) begin\n    if (w) words[a] <= b;\n    r <= words[b];\n    \
                if (w) s <= sum;\n    if (rst) s <= 4'd0;\n  end\n  \
                inner held (.clk (clk), .a (next), .q (q));\nendmodule\n";
    fs::write(place.path().join("inner.sv"), inner).unwrap();
    fs::write(place.path().join("outer.sv"), text).unwrap();
    let is_same_with = |old: &str, new: &str| {
        assert!(text.contains(old), "{old}");
        is_same(
            place.path(),
            "outer.sv",
            &text.replace(old, new),
            &["inner.sv"],
        )
    };
    for (old, new) in [
        ("module", "module"),
        ("w ? a : b", "!w ? b : a"),
        ("next + 4'd1 : b", "a + 4'd1 : a"),
    ] {
        assert!(is_same_with(old, new), "{old} -> {new}");
    }
    for (old, new) in [
        ("if (w) words", "if (1'b1) words"),
        ("words[a] <= b", "words[b] <= b"),
        ("words[a] <= b", "words[a] <= a"),
        ("words[b]", "words[a]"),
        (".a (next)", ".a (a)"),
        ("if (rst) s", "if (w) s"),
        ("s <= 4'd0", "s <= 4'd1"),
        ("next + 4'd1", "next + 4'd2"),
        ("w ? a : b", "w ? b : a"),
    ] {
        assert!(!is_same_with(old, new), "{old} -> {new}");
    }
}
