//! `hardpath supported`: what programs may do. All of it comes from what the compiler itself uses.

mod p4;

use crate::answer::Answer;
use crate::arguments::SupportedArguments;
use hardpath_blocks::lpm::Lpm;
use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::helpers::{Helper, HELPERS};
use hardpath_ebpf::{instructions, limits};
use hardpath_kernel::xdp;
use hardpath_kernel::MapType;
use serde_json::{json, Value};
use std::fmt::Write;

pub fn run(arguments: &SupportedArguments) -> Result<Answer, Vec<Diagnostic>> {
    let (json, page) = match arguments.p4 {
        true => p4::all()?,
        false => (json(), page()),
    };
    let text = match arguments.markdown {
        true => page,
        false => page.replace(['`', '\\'], ""),
    };
    Ok(Answer::good(json, text))
}

fn json() -> Value {
    let maps: Vec<Value> = MapType::ALL
        .iter()
        .map(|(kind, number, name)| {
            json!({ "type": name, "number": number, "operations": operations(*kind) })
        })
        .collect();
    let helpers: Vec<Value> = HELPERS
        .iter()
        .map(|helper| {
            json!({
                "name": helper.name(),
                "number": helper.number,
                "takes": helper.takes,
                "gives": helper.gives,
            })
        })
        .collect();
    let limits: Vec<Value> = all_limits()
        .into_iter()
        .map(|(what, most)| json!({ "what": what, "most": most }))
        .collect();
    json!({
        "instructions": instructions::all(),
        "helpers": helpers,
        "maps": maps,
        "limits": limits,
    })
}

/// What a program and the host can do with a map of a kind.
fn operations(kind: MapType) -> Vec<&'static str> {
    let all = [
        ("lookup", kind.can_be_looked_up()),
        ("update", kind.is_writable_by_program() && !kind.is_trie()),
        (
            "delete",
            kind.is_writable_by_program() && !kind.is_indexed() && !kind.is_trie(),
        ),
        (
            "store and atomics through a pointer",
            kind.is_writable_by_program(),
        ),
        ("redirect", kind.is_redirect_target()),
    ];
    let possible = all.into_iter().filter(|(_, is_possible)| *is_possible);
    possible.map(|(name, _)| name).collect()
}

/// What is special about a kind.
fn remarks(kind: MapType) -> Vec<&'static str> {
    let all = [
        ("one copy, that of CPU 0", kind.is_per_cpu()),
        ("a full map forgets a key that was not used lately; which one is outside the promise. It holds at least its entries, at most its slots (2.7 to 5.3 times as many)", kind.is_lru()),
        ("longest prefix first", kind.is_trie()),
        ("filled by the host", kind.is_redirect_target()),
    ];
    let true_ones = all.into_iter().filter(|(_, is_true)| *is_true);
    true_ones.map(|(remark, _)| remark).collect()
}

fn all_limits() -> Vec<(&'static str, u64)> {
    let mut all = vec![
        (
            "bytes of a packet",
            u64::from(hardpath_packet::MAX_PACKET_BYTES),
        ),
        (
            "bytes by which a packet's head can grow",
            u64::from(xdp::HEADROOM_BYTES),
        ),
        (
            "bytes that a packet can have after its tail grew",
            u64::from(xdp::MAX_GROWN_BYTES),
        ),
        ("bytes of stack", u64::from(xdp::STACK_BYTES)),
        (
            "places that one access to packet or stack can have",
            hardpath_passes::value_set::MOST_VALUES as u64,
        ),
        ("maps of a design", hardpath_pipeline::MOST_MAPS as u64),
        (
            "entries of an `lpm_trie` whose keys all have their whole length, a constant, in a pipeline",
            Lpm::MOST_IN_RANGES.into(),
        ),
        (
            "entries of other ones, of IPv4 addresses; longer keys have fewer",
            Lpm::MOST_IN_ROWS.into(),
        ),
    ];
    all.extend(limits());
    all
}

fn page() -> String {
    let mut text = String::from(
        "# What is supported

`hardpath supported --markdown` wrote this page, from the tables that the compiler itself uses. What is not here is refused,
with the place and a way out: [codes.md](codes.md).

## Instructions

All of RFC 9669 but calls of kernel functions and the old access to packets (`BPF_ABS`, `BPF_IND`).

| instruction | forms |
|---|---|
",
    );
    for (name, forms) in instructions::all() {
        let forms: Vec<String> = forms.into_iter().collect();
        let _ = writeln!(text, "| {name} | {} |", forms.join("; "));
    }
    text.push_str(
        "
In a pipeline loops and calls are written out, and a loop must end by constants; a core (`--target core`) keeps loops, whatever ends
them. Tail calls go to programs of the same object, or of another one, whose maps of the same names are then the same maps
(`--prog-array MAP:INDEX=PROGRAM[@FILE]`). On a core an entry of a program array changes while packets run, as a load of the program
with it: `--load PACKET:MAP:INDEX=PROGRAM[@FILE]`, or `compile`, `load --keep` and the library.

## Helpers

| helper | takes | gives |
|---|---|---|
",
    );
    for helper in &HELPERS {
        let Helper { takes, gives, .. } = helper;
        let _ = writeln!(text, "| `{}` | {takes} | {gives} |", helper.name());
    }
    text.push_str(
        "
`bpf_check_mtu` asks `.mtu`, a hash of the design's own that a driver fills as it fills the program's maps, at any time: by
ifindex (4 bytes) the MTU (4 bytes). An interface that is not in it gives `-ENODEV`. Runs of packets fill it from `--mtu
IFINDEX=BYTES` and the map file; the interface that packets come in at, those in device maps, and interface 1, which Linux
always has, get 1500 unless something else is said. It has room for 64 interfaces (`--max-entries .mtu=N`).
",
    );
    text.push_str("\n## Maps\n\n| type | a program can | remarks |\n|---|---|---|\n");
    for (kind, _, name) in MapType::ALL {
        let _ = writeln!(
            text,
            "| `{name}` | {} | {} |",
            operations(kind).join(", "),
            remarks(kind).join("; ")
        );
    }
    text.push_str(
        "
Global variables (`.data`, `.bss`) are arrays of one entry; constants (`.rodata`, with what `--set` and `--rodata` say) become part of the design.

## Limits

| what | at most |
|---|--:|
",
    );
    for (what, most) in all_limits() {
        let _ = writeln!(text, "| {what} | {} |", hardpath_ir::count::grouped(most));
    }
    text
}
