//! Clocks a packet, for the path that hits and for the longest one.

use super::cases::{self, is_in_tunnel, is_too_big, Case, Proof};
use super::figures::{one_place, two_places};
use super::frames;
use super::machine::{
    counted_as, interpreted, rows_of, Bench, Measured, Work, CLOCK_MHZ, INSIDE, OUTSIDE,
};
use super::paper;
use super::setting::{Ready, Setting};
use super::wrong;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::grouped;
use hardpath_registers::Event;
use std::fmt::Write;

/// Packets of the longest way.
const LONGEST: usize = 1024;

const CLOCKS: &str = "
## Clocks a packet

64-byte UDP packets over IPv4 without a tag, back to back, of 256 flows in turns; the path that hits. All programs run in one core
([below](#the-core-of-these-rows)), each as one image of rows. *Clocks* are all from the first beat in to the last packet out, shared among 4,096
packets. *Seen by*: the run ends where a packet has another fate than the one told, where this does not hold, or where a fate or a map is not the
interpreter's. *hXDP* are its clocks a packet (its clock divided by its rate), *limit* half of them. *Longest* is the way with the most rows that
packets of other kinds take (IPv4 and IPv6, 0 to 2 tags, UDP, TCP and ICMP, 60 to 1,514 bytes, both directions, three flows): its rows, clocks, and
beats of 64 bytes.

| program | path | bytes (beats) | maps hold | seen by | rows | clocks | Mpps | hXDP | limit | longest: rows | clocks | beats |
|---|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|
";

const WHERE: &str = "
Where the clocks of a packet go: rows of the program, rows with a unit's answer, packets that began again, and why no row begins
in the others ([the reasons](../registers/src/processor.rs)).

| program | path | clocks | rows | answers | begun again | no row |
|---|---|--:|--:|--:|--:|---|
";

/// # Errors
/// A path is not the one meant.
pub fn tables(setting: &mut Setting) -> Result<String, Vec<Diagnostic>> {
    let Setting { bench, paper, .. } = setting;
    let (mut text, mut reasons) = (String::from(CLOCKS), String::from(WHERE));
    for case in cases::all() {
        let ready = find(paper, case.program)?;
        let work = (case.work)(&ready.subject.program)?;
        let measured = bench.run(ready, &work)?;
        check(&case, ready, &work, &measured)?;
        let longest = longest(bench, ready, &work)?;
        text.push_str(&row(&case, &measured, &longest));
        reasons.push_str(&reason(case.program, case.path, &measured));
    }
    text.push_str(&one_thread(find(paper, "firewall")?, bench)?);
    text.push_str(&reasons);
    text.push_str(&configuration(bench));
    Ok(text)
}

pub fn find<'a>(all: &'a [Ready], name: &str) -> Result<&'a Ready, Vec<Diagnostic>> {
    let mut all = all.iter();
    let found = all.find(|ready| ready.subject.name == name);
    found.ok_or_else(|| wrong(format!("{name} is missing")))
}

/// # Errors
/// The path is not the one meant.
fn check(
    case: &Case,
    ready: &Ready,
    work: &Work,
    measured: &Measured,
) -> Result<(), Vec<Diagnostic>> {
    let program = &ready.subject.program;
    let title = format!("{}, {}", case.program, case.path);
    for fate in &measured.fates {
        let outcome = counted_as(&program.outputs, fate);
        if outcome != case.outcome {
            return Err(wrong(format!("{title}: {outcome}, not {}", case.outcome)));
        }
    }
    for proof in &case.proofs {
        if !holds(proof, program, work, measured)? {
            return Err(wrong(format!("{title}: not so: {}", proof.told())));
        }
    }
    Ok(())
}

fn holds(
    proof: &Proof,
    program: &hardpath_ir::Program,
    work: &Work,
    measured: &Measured,
) -> Result<bool, Vec<Diagnostic>> {
    let pairs = work.packets.iter().zip(&measured.fates);
    let each = |holds: &dyn Fn(&[u8], &[u8]) -> bool| {
        let mut pairs = pairs.clone();
        pairs.all(|(packet, fate)| fate.data().is_some_and(|sent| holds(sent, &packet.data)))
    };
    Ok(match proof {
        Proof::Counted(map, key) => {
            let entries = measured.maps.get(*map);
            let value = entries.and_then(|entries| entries.get(key.to_le_bytes().as_slice()));
            let count = value.and_then(|value| value.get(..8)?.try_into().ok());
            count.map(u64::from_le_bytes) == Some(work.packets.len() as u64)
        }
        Proof::NeedsContents => {
            let empty = Work {
                packets: work.packets.clone(),
                contents: Default::default(),
                pace: work.pace,
            };
            let (fates, _) = interpreted(program, &empty)?;
            let mut fates = fates.iter().zip(&measured.fates);
            fates.all(|(without, with)| without != with)
        }
        Proof::TooBig => each(&|sent, _| is_too_big(sent)),
        Proof::Tunnel => each(&|sent, came| is_in_tunnel(sent, came)),
        Proof::OtherAddresses => each(&|sent, came| {
            sent[12..] == came[12..] && sent[..6] != came[..6] && sent[6..12] != came[6..12]
        }),
    })
}

/// The longest way that packets of all kinds take.
struct Longest {
    rows: u64,
    clocks: f64,
    bytes: usize,
}

fn longest(bench: &mut Bench, ready: &Ready, work: &Work) -> Result<Longest, Vec<Diagnostic>> {
    let program = &ready.subject.program;
    let kinds = frames::of_all_kinds().into_iter();
    let packets = kinds.flat_map(|frame| {
        [INSIDE, OUTSIDE].map(|interface| cases::packet(frame.clone(), interface))
    });
    let packets: Vec<_> = packets.collect();
    let all = cases::work(packets, work.contents.clone());
    let rows = rows_of(&ready.image, program, &all)?;
    let most = rows.iter().max().copied().unwrap_or(0);
    let at = rows.iter().position(|rows| *rows == most).unwrap_or(0);
    let packet = all.packets[at].clone();
    let bytes = packet.data.len();
    let again = cases::work(vec![packet; LONGEST], work.contents.clone());
    let measured = bench.run(ready, &again)?;
    Ok(Longest {
        rows: most,
        clocks: measured.clocks(),
        bytes,
    })
}

fn row(case: &Case, measured: &Measured, longest: &Longest) -> String {
    let proofs: Vec<String> = case.proofs.iter().map(Proof::told).collect();
    let limit = case.theirs.filter(|_| case.is_limited);
    format!(
        "| {} | {} | {} ({}) | {} | {}; {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        case.program,
        case.path,
        case.bytes,
        case.bytes.div_ceil(64),
        case.told,
        case.outcome,
        proofs.join(", "),
        one_place(measured.of(Event::Rows)),
        two_places(measured.clocks()),
        one_place(CLOCK_MHZ / measured.clocks()),
        case.theirs.map_or("-".into(), one_place),
        limit.map_or("-".into(), |theirs| two_places(theirs / 2.0)),
        longest.rows,
        two_places(longest.clocks),
        longest.bytes.div_ceil(64),
    )
}

pub fn reason(program: &str, path: &str, measured: &Measured) -> String {
    format!(
        "| {program} | {path} | {} | {} | {} | {} | {} |\n",
        two_places(measured.clocks()),
        one_place(measured.of(Event::Rows)),
        one_place(measured.of(Event::Answers)),
        two_places(measured.of(Event::Reruns)),
        measured.stalls()
    )
}

/// One flow of the firewall, with one thread and with all.
fn one_thread(firewall: &Ready, bench: &mut Bench) -> Result<String, Vec<Diagnostic>> {
    let work = cases::known_flows(&firewall.subject.program, |_| 0, cases::SHORTEST)?;
    let usual = bench.run(firewall, &work)?;
    let alone = Bench::new(&[&firewall.image], 1)?.run(firewall, &work)?;
    Ok(format!(
        "\nOne flow of the firewall takes {} clocks a packet in a core with one thread and the same lanes (`--threads 1`), {} with {} threads, \
         and 23.9 in hXDP.\n",
        two_places(alone.clocks()),
        two_places(usual.clocks()),
        bench.config.threads(),
    ))
}

/// The core of all these rows.
fn configuration(bench: &Bench) -> String {
    let config = &bench.config;
    let mut text = format!(
        "\n## The core of these rows\n\n{} lanes, {} threads, streams of {} bits, {} rows of program memory in each of two banks, {} bytes of packet memory, \
         {CLOCK_MHZ} MHz (hXDP: {} MHz). Slots for maps:\n\n| slot | type | bytes of key | of value | entries |\n|--:|---|--:|--:|--:|\n",
        config.machine.lanes,
        config.threads(),
        config.bus_bits,
        grouped(config.machine.rows.into()),
        grouped(u64::from(config.ring.lines) * 64),
        paper::CLOCK_MHZ
    );
    for (number, slot) in config.slots.iter().enumerate() {
        let _ = writeln!(
            text,
            "| {number} | {} | {} | {} | {} |",
            slot.outside,
            slot.key_bytes,
            slot.value_bytes,
            grouped(slot.max_entries.into())
        );
    }
    text
}
