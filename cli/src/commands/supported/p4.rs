//! What P4 sources may do: found out by tiny programs that go through the whole compiler.

use crate::arguments::HardwareArguments;
use crate::source::p4::refused;
use crate::target::{self, Asked};
use clap::Parser;
use hardpath_blocks::lpm::Lpm;
use hardpath_diagnostic::Diagnostic;
use hardpath_p4::idle::LONGEST;
use hardpath_p4::supported::{self, Architecture, Refuses, Tried};
use hardpath_p4::{entries, lower, stf};
use serde_json::{json, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Hardware as it is where nothing is said of it.
#[derive(Parser)]
struct Usual {
    #[command(flatten)]
    hardware: HardwareArguments,
}

fn usual(target: &str) -> Result<Asked, Vec<Diagnostic>> {
    let usual = Usual::parse_from(["hardpath", "--target", target]);
    target::asked(&usual.hardware).map_err(|error| vec![error])
}

/// All that there is to say.
struct Found {
    constructs: Vec<Tried>,
    kinds: Vec<Tried>,
    architectures: Vec<Architecture>,
}

/// For scripts, and the page.
///
/// # Errors
/// A defect: there is no such target.
pub fn all() -> Result<(Value, String), Vec<Diagnostic>> {
    let (pipeline, core) = (usual("pipeline")?, usual("core")?);
    // Architectures share most of their externs.
    let known = RefCell::new(BTreeMap::new());
    let once = |lowered: &lower::Lowered, asked: &Asked| -> Option<String> {
        let text = (asked.kind.target.name(), lowered.program.to_string());
        if let Some(known) = known.borrow().get(&text) {
            return Option::clone(known);
        }
        let found = refused(lowered, asked);
        known.borrow_mut().insert(text, found.clone());
        found
    };
    let by_pipeline = |lowered: &lower::Lowered| once(lowered, &pipeline);
    let by_core = |lowered: &lower::Lowered| once(lowered, &core);
    let refuses = Refuses {
        pipeline: &by_pipeline,
        core: &by_core,
    };
    let found = Found {
        constructs: supported::constructs(refuses),
        kinds: supported::match_kinds(refuses),
        architectures: supported::architectures(refuses),
    };
    Ok((found.json(), found.page()))
}

/// What is counted, and the most of it.
fn limits() -> [(&'static str, u64); 9] {
    [
        ("bits of a type", supported::MOST_BITS),
        ("elements of a header stack", supported::MOST_BITS),
        (
            "entries of a table with `ternary`, `range` or `optional` keys, or several `lpm`",
            supported::MOST_MASKED,
        ),
        (
            "the same where a `range` of more than 9 bits is compared",
            supported::MOST_WIDE_RANGES,
        ),
        (
            "entries of a table with one `lpm` key, the others exact, in a pipeline",
            Lpm::MOST_IN_RANGES.into(),
        ),
        (
            "the same on a core, where longer keys have fewer",
            Lpm::MOST_IN_ROWS.into(),
        ),
        (
            "entries of a table with `ternary`, `range` or `optional` keys that says no `size`",
            supported::USUAL_MASKED,
        ),
        (
            "entries of another table that says no `size`",
            supported::USUAL_ENTRIES,
        ),
        (
            "seconds of the timeout of an entry, of which the shortest is a millisecond",
            LONGEST / 1_000_000_000,
        ),
    ]
}

/// What tests do with time.
const TIMES: &str = "
A packet comes a millisecond behind the command in front of it; `wait 5ms` lets more time go by. Entries get timeouts (`set_timeout`,
`table_set_timeout`, `idle_timeout_ns` of P4Runtime) in tables that the program allows it: `support_timeout = true` in v1model and wherever
an architecture has nothing else, `psa_idle_timeout` in PSA, `pna_idle_timeout` or `idle_timeout_with_auto_delete = true` in PNA. Whenever time goes by, the host looks
for entries that no packet has found for their time. It tells of each once, until a packet has found it again: `expect_idle` wants that of an
entry, `no_idle` of no other one. Between a timeout and an eighth more it may be told or not: the hardware keeps times in units of 33 µs. Who
adds or modifies an entry has found it. Entries of tables with `AUTO_DELETE` go, and nobody is told. Those that packets add have no timeouts yet.
Other commands than `stf` take timeouts in files of entries, and tell nobody.
";

/// How tables find their entries.
const WAYS: &str = "
`@hardpath_table(\"…\")` in front of a table says how hardware finds its entries; else its size and keys do. `hardpath compile` tells what was
chosen and why, and what the other ways would cost roughly (`tables` with `--json`). What cannot be is an error with the reason.

| `@hardpath_table` | keys | entries are found |
|---|---|---|
| `hash` | exact | in a hash table; packets may add some |
| `direct` | exact, up to 16 bits | at the key: each has a place of its own, so the table is never full |
| `cam` | exact | by words with a bit for each entry, one for each few bits of the key, that are joined |
| `tcam` | all | likewise, with masks; of prefixes the longer one wins |
| `masks` | all; ranges are expanded | in a hash table for each mask: at most 16 masks, entries spread over them in any way but the one below, and priorities from -2^23 to 2^23 - 1 |
| nothing, one prefix beside exact keys | | by prefixes |

With `masks`, entries that differ in nothing but their priority share rows, and a bank, which is such a hash table, has two rows for them. A mask has one
bank of its own, and six banks are shared by those that need more. So at most 14 entries of one key and mask fit when all 16 masks are in use,
44 when it is the only one. One more is refused as if the table were full.

`@hardpath_share(\"word\")` in front of several tables of one control lets them have one hash memory, where no packet applies two of them: one
lookup a packet, one host port, one set of hash functions, and no half-empty memories. The key has the number of the table above the fields of the widest one, and the
memory has room for the entries of all; each table still has its own entries, actions, default action and counters under its own name, and is full at its own
size. Two tables exclude each other where they stand in `if` and `else`, or in cases of a `switch`, where the conditions in front of them
contradict each other, or where the parser makes only one of the headers valid that they are applied for. A packet that can apply both is an error, with both
places; so are keys that are not exact, constant entries, entries that packets add, timeouts, action profiles, and a table that shares
with none. `hardpath compile` tells what sharing saves roughly (`shared_memories` with `--json`).

A range is compared, or *expanded*: the table then has rows with masks, and an entry takes one for each of the few prefixes that together are its
range (1,024 to 65,535 takes 6, one value or all of them 1, the worst range of `w` bits 2`w` - 2; of several ranges each with each). Left to itself a
table is made in the way that is smaller, by an estimate, where all of `size` entries fit in both, whatever their ranges are. Where ranges cannot be
compared (more entries than a table with wide ranges has, `masks`), it has as many rows as the worst entries take; if those are too many, four rows for each
entry, or two, and a warning says so (`p4-range-rows`). `@hardpath_range(…)` in front of a table, or behind a key, says it:

| `@hardpath_range` | |
|---|---|
| `\"compare\"` | ranges are compared |
| `\"expand\"` | they are expanded, with four rows for each entry |
| `\"expand\", N` | likewise, with `N` rows for each entry; behind a key, for that key |
| `N` | `N` rows for each entry are enough: what is smaller |

An entry for which too few rows are free is refused as a whole, and the error says how many it takes and how many are free. One that gets another action keeps
its rows: no packet misses it. While one comes or goes its rows do so one after the other, and a packet finds it or does not, by the row that is
its own. Of entries with the same priority the first one has the rows that they have in common. Tables with direct counters, direct meters or timeouts
are not expanded: these belong to an entry. Functions in C are not made for entries of expanded tables.
";

/// Externs that are there and of no use by themselves, each with what is to be known of it.
const REMARKS: [(&str, &str); 4] = [
    (
        "psa_clone_i2e",
        "only asks; a program that sets `clone` is refused",
    ),
    (
        "psa_clone_e2e",
        "only asks; a program that sets `clone` is refused",
    ),
    (
        "psa_resubmit",
        "only asks; a program that sets `resubmit` is refused",
    ),
    (
        "psa_recirculate",
        "only asks; packets to `PSA_PORT_RECIRCULATE` are dropped (`p4-lost`)",
    ),
];

/// What is to be known of an extern, as it is called.
fn remark_of(what: &str) -> &'static str {
    let name = what.split('(').next().unwrap_or_default();
    let mut all = REMARKS.iter().filter(|(known, _)| *known == name);
    all.next().map_or("", |(_, remark)| remark)
}

/// Commands of files, with how they are written.
type Commands = &'static [(&'static str, &'static str)];

impl Found {
    fn json(&self) -> Value {
        let all = |tried: &[Tried]| tried.iter().map(one).collect::<Vec<_>>();
        let architectures = self.architectures.iter().map(|of| {
            let packages = of.packages.iter();
            let packages = packages
                .map(|(package, is_known)| json!({ "package": package, "described": is_known }));
            json!({
                "file": of.file,
                "packages": packages.collect::<Vec<_>>(),
                "externs": all(&of.externs),
            })
        });
        let limits = limits();
        let limits = limits
            .iter()
            .map(|(what, most)| json!({ "what": what, "most": most }));
        let commands = |all: Commands| {
            let all = all.iter().map(|(name, form)| format!("{name} {form}"));
            all.map(|one| one.trim_end().to_owned()).collect::<Vec<_>>()
        };
        json!({
            "constructs": all(&self.constructs),
            "match_kinds": all(&self.kinds),
            "architectures": architectures.collect::<Vec<_>>(),
            "limits": limits.collect::<Vec<_>>(),
            "stf": commands(&stf::COMMANDS),
            "entries": commands(&entries::COMMANDS),
        })
    }

    fn page(&self) -> String {
        let mut text = String::from(
            "# What is supported of P4

`hardpath supported --p4 --markdown` wrote this page. For each line a tiny program went through checker, reference interpreter, pipeline and
core. What is not there is refused with `p4-unsupported` ([codes.md](codes.md)), its line, and the reason that stands here.

## Language
",
        );
        tried(&mut text, "construct", &self.constructs);
        text.push_str("\n## Keys of tables\n");
        tried(&mut text, "match kind", &self.kinds);
        text.push_str("\n## Limits\n\n| what | at most |\n|---|--:|\n");
        for (what, most) in limits() {
            let _ = writeln!(text, "| {what} | {} |", hardpath_ir::count::grouped(most));
        }
        text.push_str("\n## Architectures\n");
        for of in &self.architectures {
            let _ = write!(text, "\n### `#include <{}>`\n\n", of.file);
            for (package, is_known) in &of.packages {
                let remark = match is_known {
                    true => "",
                    false => " (a part of a package)",
                };
                let _ = writeln!(text, "* `{package}`{remark}");
            }
            if !of.externs.is_empty() {
                tried(&mut text, "extern", &of.externs);
            }
        }
        text.push_str("\n## Ways to find entries\n");
        text.push_str(WAYS);
        text.push_str(
            "\n## Tests (`hardpath stf`)\n\nBeside these, all commands of `--entries`.\n\n",
        );
        commands(&mut text, &stf::COMMANDS);
        text.push_str(TIMES);
        text.push_str("\n## Files of entries (`--entries`)\n\nRead are all of these; those that need what is not there are refused.\n\n");
        commands(&mut text, &entries::COMMANDS);
        text
    }
}

fn commands(text: &mut String, all: Commands) {
    text.push_str("```text\n");
    for (name, form) in all {
        let _ = writeln!(text, "{}", format!("{name} {form}").trim_end());
    }
    text.push_str("```\n");
}

fn one(tried: &Tried) -> Value {
    json!({
        "what": tried.what,
        "only": tried.only,
        "interpreter": tried.outcome.interpreter,
        "pipeline": tried.outcome.pipeline,
        "core": tried.outcome.core,
    })
}

/// A table of what was tried. The reason is that of hardware, or else that of the interpreter.
fn tried(text: &mut String, what: &str, all: &[Tried]) {
    let _ = write!(
        text,
        "\n| {what} | interpreter | pipeline | core | remarks |\n|---|---|---|---|---|\n"
    );
    for one in all {
        let outcome = &one.outcome;
        let [interpreter, pipeline, core] =
            [&outcome.interpreter, &outcome.pipeline, &outcome.core].map(|why| {
                if why.is_none() {
                    "yes"
                } else {
                    "no"
                }
            });
        let reason = outcome.pipeline.as_ref().or(outcome.core.as_ref());
        let reason = reason.or(outcome.interpreter.as_ref());
        let remark = match (reason, one.only.as_str()) {
            (Some(why), "") => why.clone(),
            (Some(why), only) => format!("with {only}; {why}"),
            (None, "") => remark_of(&one.what).to_owned(),
            (None, only) => format!("with {only}"),
        };
        let what = match one.what.contains('`') {
            true => one.what.clone(),
            false => match one.what.contains('(') {
                true => format!("`{}`", one.what),
                false => one.what.clone(),
            },
        };
        let (what, remark) = (what.replace('|', "\\|"), remark.replace('|', "\\|"));
        let _ = writeln!(
            text,
            "| {what} | {interpreter} | {pipeline} | {core} | {remark} |"
        );
    }
}
