//! What pages of the docs say of stages, windows and hazards is what the compiler says today. The programs are the objects
//! that CI has: ours in build/programs, and those of build/realworld.

use crate::common::{hardpath, made, path, root};
use hardpath_synth::cards::{Resources, CARDS, NAMES};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A table of a page.
struct Table {
    page: String,
    /// The heading that it stands under.
    heading: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// All tables of all pages.
fn tables() -> Vec<Table> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let mut paths: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().flat_map(|path| tables_of(path)).collect()
}

fn tables_of(path: &Path) -> Vec<Table> {
    let page = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let mut tables: Vec<Table> = Vec::new();
    let (mut heading, mut in_table) = (String::new(), false);
    for line in text.lines() {
        let cells = line
            .strip_prefix('|')
            .and_then(|line| line.strip_suffix('|'));
        let Some(cells) = cells else {
            in_table = false;
            if line.starts_with('#') {
                heading = line.trim_start_matches('#').trim().to_owned();
            }
            continue;
        };
        let cells: Vec<String> = cells
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect();
        match tables.last_mut() {
            Some(table) if in_table => table.rows.push(cells),
            _ => tables.push(Table {
                page: page.clone(),
                heading: heading.clone(),
                columns: cells,
                rows: Vec::new(),
            }),
        }
        in_table = true;
    }
    for table in &mut tables {
        // The line between head and body.
        table.rows.retain(|row| !row[0].starts_with("--"));
    }
    tables
}

impl Table {
    /// The cells of one column, first the one of that name.
    fn cell<'a>(&self, row: &'a [String], column: &str) -> &'a str {
        let place = self.columns.iter().position(|name| name == column);
        let place = place.unwrap_or_else(|| panic!("{}: no column {column}", self.page));
        &row[place]
    }
}

/// The tables of a page that have a column.
fn tables_with(page: &str, column: &str) -> Vec<Table> {
    let mut all = tables();
    all.retain(|table| table.page == page && table.columns.iter().any(|name| name == column));
    assert!(!all.is_empty(), "docs/{page} has no table with {column}");
    all
}

/// What is stale, as it is collected.
#[derive(Default)]
struct Stale(Vec<String>);

impl Stale {
    fn compare(&mut self, place: &str, says: &str, is: &str) {
        if says != is {
            self.0.push(format!("{place} says {says}, and it is {is}"));
        }
    }

    fn assert_none(&self, page: &str, renewed_by: &str) {
        assert!(
            self.0.is_empty(),
            "docs/{page} is stale ({renewed_by}):\n{}",
            self.0.join("\n")
        );
    }
}

/// The report of a program that a page calls `NAME`, or NAME with options of the command in backticks. `None`: its object is
/// not there, and need not be.
fn report(title: &str, more: &[&str]) -> Option<Value> {
    let (name, options) = title.split_once(" `").unwrap_or((title, ""));
    let object = object(name.trim_matches('`'))?;
    let mut arguments = vec!["compile", path(&object), "--json"];
    arguments.extend(options.trim_matches('`').split_whitespace());
    arguments.extend(more);
    let run = hardpath(&arguments);
    assert_eq!(run.status, 0, "{arguments:?}: {}", run.stdout);
    Some(run.json())
}

/// The object of that name: ours, one of libxdp's, or a sample of the kernel.
fn object(name: &str) -> Option<PathBuf> {
    let file = format!("{name}.o");
    if root().join(format!("programs/{name}.c")).exists() {
        return there("build/programs", "make programs").map(|folder| folder.join(file));
    }
    let ready_made = there("build/realworld/packages/objects", SOURCES)?.join(&file);
    match ready_made.exists() {
        true => Some(ready_made),
        false => Some(realworld()?.work.join(file)),
    }
}

/// What makes the sources.
const SOURCES: &str = "tools/realworld-sources build/realworld";

/// A folder of the project; `None`: it is not there, and the environment does not say that it must be.
fn there(folder: &str, made_by: &str) -> Option<PathBuf> {
    let path = root().join(folder);
    if path.exists() {
        return Some(path);
    }
    assert!(
        std::env::var_os("HARDPATH_REQUIRE_TOOLS").is_none(),
        "{made_by}"
    );
    eprintln!("not tested, there is no {folder}: {made_by}");
    None
}

/// The samples of the kernel that pages name.
struct Realworld {
    /// Their objects, of Debian's clang.
    work: PathBuf,
}

fn realworld() -> Option<&'static Realworld> {
    static COMPILED: OnceLock<Option<Realworld>> = OnceLock::new();
    COMPILED.get_or_init(compile_realworld).as_ref()
}

fn compile_realworld() -> Option<Realworld> {
    there("build/realworld/packages/objects", SOURCES)?;
    let only =
        "xdp1,xdp2,xdp_adjust_tail,xdp_router_ipv4,xdp_rxq_info,xdp_tx_iptunnel,xdp_redirect_map";
    let run = hardpath(&["realworld", "--compile-only", "--json", "--only", only]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    Some(Realworld {
        work: root().join("build/realworld/work/clang-14"),
    })
}

#[test]
fn no_table_of_stages_windows_or_hazards_is_left_out() {
    let compared = [
        "architecture.md",
        "area.md",
        "levels.md",
        "p4.md",
        "realworld.md",
    ];
    for table in tables() {
        let mut columns = table.columns.iter();
        if columns.any(|name| ["stages", "window", "hazard", "hazards"].contains(&name.as_str())) {
            assert!(compared.contains(&table.page.as_str()), "{}", table.page);
        }
    }
}

/// Of what both sides can compile: ready-made objects, and what Debian's clang makes of the sources.
#[test]
fn stages_hazards_and_rows_in_realworld_are_those_of_today() {
    if there("build/realworld/packages/objects", SOURCES).is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let page = place.path().join("realworld.md");
    let run = hardpath(&[
        "realworld",
        "--compile-only",
        "--docs",
        path(&page),
        "--json",
    ]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    let rows = |tables: &[Table]| -> BTreeMap<String, [String; 4]> {
        let all = tables
            .iter()
            .flat_map(|table| table.rows.iter().map(move |row| (table, row)));
        all.map(|(table, row)| {
            let name = ["program", "compiler"].map(|column| table.cell(row, column));
            let columns = ["stages", "hazards", "rows", "status"];
            let [stages, hazards, rows, status] = columns.map(|column| table.cell(row, column));
            // What became of packets stands behind it.
            let [rows, status] =
                [rows, status].map(|cell| cell.split(' ').next().unwrap_or_default());
            (
                name.join(", "),
                [stages, hazards, rows, status].map(str::to_owned),
            )
        })
        .collect()
    };
    let mut today = tables_of(&page);
    today.retain(|table| table.columns.iter().any(|name| name == "stages"));
    let (today, says) = (rows(&today), rows(&tables_with("realworld.md", "stages")));
    assert!(today.len() > 100, "{}", today.len());
    let nothing = ["-"; 4].map(str::to_owned);
    let mut stale = Stale::default();
    for (program, is) in &today {
        let says = says.get(program).unwrap_or(&nothing);
        stale.compare(program, &says.join(", "), &is.join(", "));
    }
    stale.assert_none("realworld.md", "make realworld");
}

#[test]
fn rows_in_core_are_those_of_today() {
    let mut stale = Stale::default();
    let mut compared = 0;
    for table in tables_with("core.md", "of hXDP's") {
        for row in &table.rows {
            let program = table.cell(row, "program");
            let title = match program {
                // There is no source of it here.
                "katran (2020)" => continue,
                // What libxdp puts in front of its sockets.
                "xdpsock" => "xsk_def_xdp_prog_5.3",
                other => other,
            };
            let Some(report) = report(title, &["--target", "core"]) else {
                continue;
            };
            compared += 1;
            let per_row = report["operations_per_row"].as_f64().unwrap();
            for (column, is) in [
                ("slots", report["instructions"].to_string()),
                ("4 lanes", report["rows"].to_string()),
                ("operations a row", format!("{per_row:.2}")),
            ] {
                let place = format!("{program}, {column}:");
                stale.compare(&place, table.cell(row, column), &is);
            }
        }
    }
    stale.assert_none("core.md", "make bench-core");
    let is_there = root().join("build/programs").exists();
    assert!(compared > 20 || !is_there, "{compared}");
}

/// Clocks of the paths that hit, and rows, beside half and three quarters of hXDP's.
#[test]
fn limits_in_core_are_kept() {
    let number = |cell: &str| cell.parse::<f64>().ok();
    let mut limits = 0;
    for table in tables_with("core.md", "limit") {
        for row in &table.rows {
            let Some(limit) = number(table.cell(row, "limit")) else {
                continue;
            };
            limits += 1;
            let clocks = number(table.cell(row, "clocks"));
            assert!(clocks.is_some_and(|clocks| clocks <= limit), "{row:?}");
        }
    }
    // Seven programs, one of them with two lengths, DROP and TX.
    assert!(limits >= 10, "{limits}");
    for table in tables_with("core.md", "of hXDP's") {
        for row in &table.rows {
            let shares = ["of hXDP's", "a slot"].map(|column| number(table.cell(row, column)));
            if let [Some(rows), Some(a_slot)] = shares {
                assert!(rows <= 0.75 || a_slot <= 0.75, "{row:?}");
            }
        }
    }
}

#[test]
fn windows_in_architecture_are_those_of_today() {
    let mut stale = Stale::default();
    for table in tables_with("architecture.md", "window") {
        for row in &table.rows {
            let program = table.cell(row, "program");
            let Some(report) = report(program, &[]) else {
                continue;
            };
            let maps = report["maps"].as_array().unwrap();
            let window = maps.iter().filter_map(|map| map["window"].as_u64()).max();
            let window = window.unwrap();
            let say = |column| format!("{program}, {column}:");
            stale.compare(
                &say("window"),
                table.cell(row, "window"),
                &window.to_string(),
            );
            let one_flow = format!("{:.2}", 1.0 / (window + 1) as f64);
            stale.compare(&say("one flow"), table.cell(row, "one flow"), &one_flow);
        }
    }
    stale.assert_none("architecture.md", "by hand");
}

#[test]
fn stages_and_estimates_in_levels_are_those_of_today() {
    let mut stale = Stale::default();
    for table in tables_with("levels.md", "stages") {
        for row in &table.rows {
            let program = table.cell(row, "program");
            let Some(report) = report(program, &[]) else {
                continue;
            };
            let stages = report["stages"].to_string();
            stale.compare(
                &format!("{program}, stages:"),
                table.cell(row, "stages"),
                &stages,
            );
            let estimate = format!("{:.1}", report["levels"].as_f64().unwrap());
            stale.compare(
                &format!("{program}, estimate:"),
                table.cell(row, "estimate"),
                &estimate,
            );
            // What yosys measured when the page was written, and what is estimated today.
            for (part, key) in [
                ("LUT", "lut"),
                ("FF", "ff"),
                ("BRAM36", "bram36"),
                ("UltraRAM", "uram"),
            ] {
                let measured: f64 = table.cell(row, part).parse().unwrap();
                let estimated = report["estimate"][key].as_f64().unwrap();
                if measured == estimated {
                    continue;
                }
                assert!(
                    (0.75..=1.25).contains(&(estimated / measured)),
                    "{program}, {part}: {estimated} are estimated, {measured} are needed"
                );
            }
        }
    }
    stale.assert_none("levels.md", "make levels");
}

/// The tables of the page are of one run: the shares of a card are those of what programs take, and levels are decimals.
#[test]
fn shares_in_levels_are_those_of_its_figures() {
    let shares = tables().into_iter().find(is_of_a_card);
    let shares = shares.expect("a table of shares");
    let card = CARDS
        .iter()
        .find(|card| shares.heading.ends_with(card.name));
    let card = card.expect("a card that is known");
    let mut stale = Stale::default();
    for table in tables_with("levels.md", "stages") {
        assert_eq!(table.rows.len(), shares.rows.len());
        for (row, share) in table.rows.iter().zip(&shares.rows) {
            let program = table.cell(row, "program");
            assert_eq!(program, shares.cell(share, "program"));
            let number = |column| -> f64 { table.cell(row, column).parse().unwrap() };
            let used = Resources {
                lut: number("LUT") as u64,
                ff: number("FF") as u64,
                bram36: number("BRAM36"),
                uram: number("UltraRAM") as u64,
                dsp: number("DSP") as u64,
            };
            for (name, percent) in NAMES.into_iter().zip(card.shares(&used)) {
                let place = format!("{program}, share of {name}:");
                stale.compare(&place, shares.cell(share, name), &format!("{percent:.2}"));
            }
            for column in ["levels", "ports"] {
                let says = table.cell(row, column);
                let place = format!("{program}, {column}:");
                stale.compare(&place, says, &format!("{:.1}", number(column)));
            }
            assert!(
                number("max fan-out") >= 1.0 && number("near") >= 1.0,
                "{row:?}"
            );
        }
    }
    stale.assert_none("levels.md", "make levels");
}

fn is_of_a_card(table: &Table) -> bool {
    table.page == "levels.md" && table.heading.starts_with("Their share of")
}

#[test]
fn stages_in_area_are_those_of_today() {
    const SAVINGS: &str = "pruning,chaining,conditions,narrowing,srl,reassociation";
    let mut stale = Stale::default();
    for table in tables_with("area.md", "stages") {
        for row in &table.rows {
            let without = match row[0].as_str() {
                "all" => String::new(),
                "naive" => SAVINGS.into(),
                "naive schedule" => SAVINGS.replace(",srl", ""),
                one => one.replace("without ", ""),
            };
            let more = ["--without", &without];
            let more = if without.is_empty() { &[] } else { &more[..] };
            let Some(report) = report(&table.heading, more) else {
                continue;
            };
            let place = format!("{}, {}:", table.heading, row[0]);
            stale.compare(
                &place,
                table.cell(row, "stages"),
                &report["stages"].to_string(),
            );
        }
    }
    stale.assert_none("area.md", "make bench-area");
}

/// The report of a P4 program of ours, or of one that `tools/bench-p4` makes. `None`: there is no Python to make it.
fn p4_report(program: &str) -> Option<Value> {
    let folder = tempfile::tempdir().unwrap();
    let source = match program.contains(':') {
        false => root().join(format!("programs/p4/{program}")),
        true => made(program, folder.path())?,
    };
    let run = hardpath(&["compile", path(&source), "--json"]);
    assert_eq!(run.status, 0, "{program}: {}", run.stdout);
    Some(run.json())
}

/// Programs of ours and a few that are made: where they stand in p4.md, by heading, column and cell, and their names.
type InPage = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

const IN_P4: [InPage; 10] = [
    (GROWN, &[("headers", "4")], "headers:4"),
    (GROWN, &[("which", "in a row"), ("tables", "4")], "chain:4"),
    (
        GROWN,
        &[("which", "side by side"), ("tables", "8")],
        "beside:8",
    ),
    (GROWN, &[("fields", "8")], "fields:8"),
    (
        "Tables",
        &[("way", "hash"), ("bits", "72")],
        "table:hash:72:1024",
    ),
    (WHOLE, &[("program", "`l2l3.p4`")], "l2l3.p4"),
    (
        WHOLE,
        &[("program", "`marketdata.p4`, 5 messages")],
        "marketdata.p4",
    ),
    (WHOLE, &[("program", "`paxos.p4`")], "paxos.p4"),
    (WHOLE, &[("program", "`gtpu.p4`")], "gtpu.p4"),
    (WHOLE, &[("program", "`nat64.p4`")], "nat64.p4"),
];
const GROWN: &str = "More headers, tables and writes";
const WHOLE: &str = "What programs take";

/// The estimates within the same bounds as those of levels.md.
#[test]
fn stages_and_estimates_in_p4_are_those_of_today() {
    let mut stale = Stale::default();
    let all = tables_with("p4.md", "stages");
    for (heading, cells, program) in IN_P4 {
        let Some(report) = p4_report(program) else {
            continue;
        };
        let has = |table: &&Table| table.columns.iter().any(|own| own == cells[0].0);
        let is_it = |table: &Table, row: &Vec<String>| {
            let mut cells = cells.iter();
            cells.all(|(column, cell)| table.cell(row, column) == *cell)
        };
        let tables = all
            .iter()
            .filter(|table| table.heading == heading)
            .filter(has);
        let mut rows = tables.flat_map(|table| table.rows.iter().map(move |row| (table, row)));
        let row = rows.find(|(table, row)| is_it(table, row));
        let (table, row) = row.unwrap_or_else(|| panic!("no row of {program}"));
        stale.compare(
            &format!("{program}, stages:"),
            table.cell(row, "stages"),
            &report["stages"].to_string(),
        );
        // What a table takes more than its program without it stands elsewhere.
        let parts = [("LUT", "lut"), ("FF", "ff"), ("BRAM36", "bram36")];
        for (part, key) in parts.iter().filter(|_| heading != "Tables") {
            let says: f64 = table.cell(row, part).parse().unwrap();
            let is = report["estimate"][key].as_f64().unwrap();
            assert!(
                says == is || (0.75..=1.25).contains(&(is / says)),
                "{program}, {part}: the page says {says}, and {is} are estimated"
            );
        }
    }
    stale.assert_none("p4.md", "make bench-p4");
}

/// A clock of 250 MHz has room for nine levels: every design of the page that was synthesized, and every estimate.
#[test]
fn no_design_in_p4_is_deeper_than_a_clock() {
    let mut designs = 0;
    for table in tables_with("p4.md", "levels") {
        // These are no designs.
        if table.heading == "The blocks alone" {
            continue;
        }
        for row in &table.rows {
            let levels = table.cell(row, "levels");
            if levels != "-" {
                designs += 1;
                assert!(levels.parse::<f64>().unwrap() <= 9.0, "{row:?}");
            }
        }
    }
    assert!(designs >= 30, "{designs}");
}

/// Market data and Paxos take at most half of P4FPGA's clocks, to the last beat out; the router, of which the first beat counts, is within its
/// own limit, and so are its LUTs without tables.
#[test]
fn limits_in_p4_are_kept() {
    let mut limits = 0;
    for table in tables_with("p4.md", "limit") {
        for row in &table.rows {
            limits += 1;
            let number = |column| -> f64 { table.cell(row, column).parse().unwrap() };
            let clocks = match table.cell(row, "program").contains("l2l3") {
                true => "clocks",
                false => "to the last beat",
            };
            assert!(number(clocks) <= number("limit"), "{row:?}");
        }
    }
    assert_eq!(limits, 12);
    let mut routers = 0;
    for table in tables_with("p4.md", "without tables") {
        let is_router = |row: &&Vec<String>| table.cell(row, "program").contains("l2l3");
        for row in table.rows.iter().filter(is_router) {
            routers += 1;
            let lut: f64 = table.cell(row, "without tables").parse().unwrap();
            assert!(lut <= 8000.0, "{row:?}");
        }
    }
    assert_eq!(routers, 2);
}

/// Blocks that find entries, by themselves: no LUT, flip-flop or block RAM beyond its limit.
#[test]
fn limits_of_blocks_in_p4_are_kept() {
    let mut limits = 0;
    for table in tables_with("p4.md", "limit: LUT") {
        for row in &table.rows {
            for (part, limit) in [
                ("LUT", "limit: LUT"),
                ("FF", "of FF"),
                ("BRAM36", "of BRAM36"),
            ] {
                let Ok(limit) = table.cell(row, limit).parse::<f64>() else {
                    continue;
                };
                limits += 1;
                let own: f64 = table.cell(row, part).parse().unwrap();
                assert!(own <= limit, "{part} of {row:?}");
            }
        }
    }
    assert_eq!(limits, 24);
}

/// The large router with full tables: 28 clocks, and those of the packet's beats where all of it comes in first.
#[test]
fn full_tables_in_p4_keep_the_limits() {
    let mut runs = 0;
    for table in tables_with("p4.md", "clocks of 64 bytes") {
        for row in &table.rows {
            runs += 1;
            let beats = match table.cell(row, "full router") {
                "stored" => [1, 24],
                "stored, back to back" => [1, 1],
                _ => [0, 0],
            };
            let columns = ["clocks of 64 bytes", "of the longest"];
            for (column, beats) in columns.into_iter().zip(beats) {
                let clocks: u32 = table.cell(row, column).parse().unwrap();
                let limit = 28 + beats;
                assert!(clocks <= limit, "{column} of {row:?}");
            }
        }
    }
    assert_eq!(runs, 3);
}
