//! Whether two texts of a module mean the same, by yosys.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Seconds for a proof.
const PATIENCE: &str = "60";

/// Whether there is a yosys.
pub fn is_there() -> bool {
    Command::new("yosys").arg("-V").output().is_ok()
}

/// Whether the module of a file means the same with another text: from equal registers, equal inputs lead to equal outputs, and
/// to equal registers after a clock. Who asks knows that registers begin with equal values. What a module holds (memories, other
/// modules, whose files stand in the same folder) is the same on both sides, so it gives the same as long as it gets the same,
/// and that is proved, too. A file `NAME.sv` has the module `NAME`.
///
/// # Panics
/// The folder cannot be read or written, or there is no `timeout`.
pub fn is_same(folder: &Path, file: &str, other: &str) -> bool {
    let text = fs::read_to_string(folder.join(file)).expect("the module's file");
    let names = fs::read_dir(folder).expect("the folder");
    let names = names.map(|entry| entry.expect("the folder").file_name());
    let mut held: Vec<String> = names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name.ends_with(".sv") && name != file && text.contains(module(name)))
        .collect();
    held.sort_unstable();
    fs::write(folder.join("other.v"), other).expect("the folder");
    let top = module(file);
    let types: Vec<String> = held
        .iter()
        .map(|file| format!("t:{}", module(file)))
        .collect();
    let boxes = match held.as_slice() {
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
    output.expect("timeout starts").status.success()
}

/// The module of a file.
fn module(file: &str) -> &str {
    file.trim_end_matches(".sv")
}

/// What a proof must not overlook: inputs of memories and of other modules, resets. And what it must not mind: values between
/// registers that nobody sees.
#[test]
fn proofs_see_what_a_module_holds() {
    if !is_there() {
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
        is_same(place.path(), "outer.sv", &text.replace(old, new))
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
