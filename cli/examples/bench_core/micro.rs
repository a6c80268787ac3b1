//! What single things take: verdicts, a map access, calls of helpers, and how long one packet is inside.

use super::cases::{self, FLOWS, SHORTEST};
use super::clocks::{find, reason};
use super::figures::{one_place, two_places};
use super::frames::Frame;
use super::machine::{counted_as, Bench, Measured, Work, CLOCK_MHZ, INSIDE};
use super::made::{Made, CALLS, KEYS, KEY_END, MAP};
use super::paper;
use super::setting::{Ready, Setting};
use super::wrong;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::maps::Image;
use hardpath_registers::Event;
use hardpath_testbed::pace::Pace;
use std::fmt::Write;

const VERDICTS: &str = "
## Single verdicts

Programs of one line, in the same core with the same traffic; fates are compared, too. A beat of 512 bits comes in each clock. hXDP drops 22 Mpps (7 clocks) where an exit in the first row does not end a packet early.

| verdict | rows | clocks | Mpps | hXDP | limit |
|---|--:|--:|--:|--:|--:|
";

const ACCESS: &str = "
## A map access

A lookup in a hash map of 256 entries that all flows hit, with keys of 1 to 16 bytes from the packet; the packet is sent back, which one that is
not found is not.

| bytes of key | rows | clocks | Mpps | hXDP |
|--:|--:|--:|--:|--:|
";

const HELPERS: &str = "
## Calls of a helper

One program with so many calls, one behind the other: of `bpf_csum_diff` over a word, each of which begins with what the one before gave (this
helper is rows of the program here, and no unit); and of `bpf_map_lookup_elem`, each with another key of a hash map, all of which are found.
hXDP's calls are those of one helper.

| calls | checksums: rows | clocks | lookups: rows | clocks | hXDP: clocks |
|--:|--:|--:|--:|--:|--:|
";

const LATENCY: &str = "
## Latency

The firewall, let in, one packet after the other with nothing else inside: from its first beat in to its first beat out, and to its last one.
hXDP's are through the network card, to another machine and back, which ours do not have: the two say nothing of each other but how they
grow with the packet.

| bytes | beats | clocks to the first beat | ns | to the last beat | ns | hXDP: ns, with card |
|--:|--:|--:|--:|--:|--:|--:|
";

/// # Errors
/// The core does something else than the interpreter.
pub fn tables(setting: &mut Setting) -> Result<String, Vec<Diagnostic>> {
    let Setting {
        bench, paper, made, ..
    } = setting;
    let mut text = verdicts(made, bench)?;
    text.push_str(&access(made, bench)?);
    text.push_str(&calls(made, bench)?);
    text.push_str(&latency(find(paper, "firewall")?, bench)?);
    Ok(text)
}

type All = [(Made, Ready)];

fn measure(
    made: Made,
    all: &All,
    bench: &mut Bench,
    contents: Image,
    outcome: &str,
) -> Result<Measured, Vec<Diagnostic>> {
    let ready = all.iter().find(|(other, _)| *other == made);
    let (_, ready) = ready.ok_or_else(|| wrong("a program was not made".into()))?;
    let packets = cases::packets(|flow| Frame::udp(flow, SHORTEST), INSIDE);
    let measured = bench.run(ready, &cases::work(packets, contents))?;
    let outputs = &ready.subject.program.outputs;
    let all = measured.fates.iter();
    let other = all
        .map(|fate| counted_as(outputs, fate))
        .find(|counted| counted != outcome);
    match other {
        Some(other) => Err(wrong(format!("a packet is {other}, not {outcome}"))),
        None => Ok(measured),
    }
}

fn verdicts(all: &All, bench: &mut Bench) -> Result<String, Vec<Diagnostic>> {
    let mut text = String::from(VERDICTS);
    let mut reasons = String::new();
    for (made, outcome, name, theirs, is_limited) in [
        (Made::Drop, "XDP_DROP", "DROP", 3.0, true),
        (Made::SendBack, "XDP_TX", "TX", 7.0, true),
        (Made::Redirect, "XDP_REDIRECT", "redirect", 10.4, false),
    ] {
        let measured = measure(made, all, bench, Image::new(), outcome)?;
        let limit = if is_limited {
            two_places(theirs / 2.0)
        } else {
            "-".into()
        };
        let clocks = measured.clocks();
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} | {limit} |",
            one_place(measured.of(Event::Rows)),
            two_places(clocks),
            one_place(CLOCK_MHZ / clocks),
            one_place(theirs)
        );
        reasons.push_str(&reason(name, "-", &measured));
    }
    let head = "\n| program | path | clocks | rows | answers | begun again | no row |\n|---|---|--:|--:|--:|--:|---|\n";
    Ok(text + head + &reasons)
}

fn access(all: &All, bench: &mut Bench) -> Result<String, Vec<Diagnostic>> {
    let mut text = String::from(ACCESS);
    for bytes in KEYS {
        let keys = (0..FLOWS).map(|flow| {
            let frame = Frame::udp(flow, SHORTEST).build();
            (
                frame[KEY_END - bytes as usize..KEY_END].to_vec(),
                vec![0; 8],
            )
        });
        let contents = Image::from([(MAP.to_owned(), keys.collect())]);
        let measured = measure(Made::Access(bytes), all, bench, contents, "XDP_TX")?;
        let _ = writeln!(
            text,
            "| {bytes} | {} | {} | {} | {} |",
            one_place(measured.of(Event::Rows)),
            two_places(measured.clocks()),
            one_place(CLOCK_MHZ / measured.clocks()),
            one_place(paper::ACCESS)
        );
    }
    Ok(text)
}

fn calls(all: &All, bench: &mut Bench) -> Result<String, Vec<Diagnostic>> {
    let mut text = String::from(HELPERS);
    let entries = (0..=255).map(|key: u8| (vec![key, 0, 0, 0], 1u64.to_le_bytes().to_vec()));
    let entries = Image::from([(MAP.to_owned(), entries.collect())]);
    for calls in CALLS {
        let sums = measure(Made::Checksums(calls), all, bench, Image::new(), "XDP_TX")?;
        let lookups = measure(Made::Lookups(calls), all, bench, entries.clone(), "XDP_TX")?;
        let theirs = paper::CALLS.iter().find(|(other, _)| *other == calls);
        let _ = writeln!(
            text,
            "| {calls} | {} | {} | {} | {} | {} |",
            one_place(sums.of(Event::Rows)),
            two_places(sums.clocks()),
            one_place(lookups.of(Event::Rows)),
            two_places(lookups.clocks()),
            theirs.map_or("-".into(), |(_, clocks)| one_place(*clocks))
        );
    }
    Ok(text)
}

/// Packets that are measured for latency.
const ALONE: usize = 24;
/// So slow that each packet is alone.
const LINE: Pace = Pace::Line { megabits: 100 };

fn latency(firewall: &Ready, bench: &mut Bench) -> Result<String, Vec<Diagnostic>> {
    let mut text = String::from(LATENCY);
    for (bytes, theirs) in paper::LATENCY {
        let work = cases::known_flows(&firewall.subject.program, |flow| flow, bytes)?;
        let alone = Work {
            packets: work.packets[..ALONE].to_vec(),
            pace: LINE,
            ..work
        };
        let measured = bench.run(firewall, &alone)?;
        let first = measured.statistics.latency_clocks.median;
        let first = first.ok_or_else(|| wrong("no packet left".into()))?;
        let beats = bytes.div_ceil(64) as u64;
        let last = first + beats - 1;
        let nanoseconds = |clocks: u64| (clocks as f64 * 1000.0 / CLOCK_MHZ).round();
        let _ = writeln!(
            text,
            "| {bytes} | {beats} | {first} | {} | {last} | {} | {:.0} |",
            nanoseconds(first),
            nanoseconds(last),
            theirs * 1000.0
        );
    }
    Ok(text)
}
