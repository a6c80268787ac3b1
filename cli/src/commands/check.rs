//! `hardpath check`: a program's hardware against the Linux kernel, packet by packet and map by map.

use crate::answer::{Answer, Status};
use crate::arguments::{CheckArguments, JudgeName};
use crate::coverage::{self, Coverage};
use crate::engine::{self, Ran};
use crate::load::{load, Loaded};
use crate::outputs;
use crate::packets::{self, Packet};
use crate::table::{facts, grouped};
use hardpath_ir::interpreter::{PacketContext, Prepared};
use hardpath_ir::maps::{Image, Maps};
use hardpath_ir::{verdict, Diagnostic};
use hardpath_oracle::{
    Comparison, Expected, ExpectedMaps, Form, JudgeOptions, KernelJudge, Observed, Reference,
};
use serde_json::json;
use std::fmt::Write;

pub fn run(arguments: &CheckArguments) -> Result<Answer, Vec<Diagnostic>> {
    let loaded = load(&arguments.program)?;
    let image = outputs::read_maps(&arguments.run, &loaded)?;
    let mut packets = packets::read(&arguments.run)?;
    let too_deep = match arguments.program.depth {
        Some(_) => leave_out_deep_packets(&loaded, &image, &mut packets)?,
        None => 0,
    };
    let coverage = Coverage::of(&packets, too_deep);
    // The judge first: where it may not be asked, nobody has waited for an engine.
    let mut first = Some(judge(arguments, &loaded, &image, Form::AsItIs)?);
    let ran = engine::run(
        &loaded,
        &arguments.program,
        &arguments.run,
        &packets,
        &image,
    )?;
    outputs::write(&arguments.run, &loaded.program, &packets, &ran).map_err(|error| vec![error])?;
    let question = |form| {
        let mut reference = match first.take() {
            Some(reference) => reference,
            None => judge(arguments, &loaded, &image, form)?,
        };
        compare(arguments, &mut reference, &packets, &ran).map_err(|error| vec![error])
    };
    let asked = hardpath_oracle::ask(question, |comparison| comparison.interpreter_mismatches)?;
    Ok(answer(arguments, &asked.answer, &coverage)
        .with_warnings(loaded.warnings_with(ran.report.as_ref()))
        .with_warnings(coverage.warnings())
        .with_warnings(coverage::without_kernel(&asked.answer))
        .with_warnings(asked.again.then(asked_again)))
}

/// Takes out the packets that a limited depth gives up: there the program means something else than in the kernel.
fn leave_out_deep_packets(
    loaded: &Loaded,
    image: &Image,
    packets: &mut Vec<Packet>,
) -> Result<u64, Vec<Diagnostic>> {
    let before = packets.len();
    let mut maps = Maps::new(&loaded.program.maps);
    maps.load(image)?;
    let mut prepared = Prepared::new(&loaded.program);
    packets.retain(|packet| {
        let enters = engine::enters(packet);
        !enters
            || prepared
                .run(&mut maps, &packet.data, &packet.context)
                .verdict
                != verdict::TOO_DEEP
    });
    Ok((before - packets.len()) as u64)
}

fn judge(
    arguments: &CheckArguments,
    loaded: &Loaded,
    image: &Image,
    form: Form,
) -> Result<Reference, Vec<Diagnostic>> {
    let kernel = match arguments.against {
        JudgeName::Interpreter => None,
        JudgeName::Kernel => {
            let options = JudgeOptions {
                image: image.clone(),
                form,
            };
            let judge = KernelJudge::start(&loaded.object, &loaded.image, &options);
            Some(judge.map_err(|error| vec![error])?)
        }
    };
    Reference::new(&loaded.program, image, kernel)
}

/// Packets that did not enter the program (too short, too long) have no right answer and are only counted.
fn compare(
    arguments: &CheckArguments,
    reference: &mut Reference,
    packets: &[Packet],
    ran: &Ran,
) -> Result<Comparison, Diagnostic> {
    let entered: Vec<usize> = (0..packets.len())
        .filter(|index| engine::enters(&packets[*index]))
        .collect();
    let questions: Vec<(&[u8], PacketContext)> = entered
        .iter()
        .map(|index| (packets[*index].data.as_slice(), packets[*index].context))
        .collect();
    let expected: Vec<Expected> = reference.run_all(&questions)?;
    let maps: ExpectedMaps = reference.maps()?;
    let names: Vec<String> = arguments
        .run
        .pcap
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut comparison = Comparison::new(reference.kernel_version());
    for (index, expected) in entered.iter().zip(&expected) {
        let packet = &packets[*index];
        let got = ran.outcomes[*index].as_ref().map(|outcome| Observed {
            verdict: outcome.verdict,
            destination: outcome.destination,
            broadcast: outcome.broadcast.as_deref(),
            packet: outcome.data.as_deref(),
            metadata: &outcome.metadata,
        });
        comparison.packet(&names[packet.capture], packet.number as u64, expected, got);
    }
    comparison.maps(&maps, &ran.maps);
    Ok(comparison)
}

/// A note with an answer to the second question: see [`hardpath_oracle::asking`].
fn asked_again() -> Diagnostic {
    let message = "the kernel was asked again, since its verifier leaves something out of the program that runs";
    Diagnostic::note("kernel-asked-again", message).help(
        "nothing is to be done: its second answer, about the whole program, is the one that counts",
    )
}

fn answer(arguments: &CheckArguments, comparison: &Comparison, coverage: &Coverage) -> Answer {
    let engine = arguments.run.engine.name();
    let against = arguments.against.name();
    let first: Vec<_> = comparison
        .first
        .iter()
        .map(|mismatch| {
            json!({
                "capture": mismatch.capture,
                "packet": mismatch.packet,
                "field": mismatch.difference.field(),
                "expected": mismatch.difference.expected(),
                "got": mismatch.difference.got(),
            })
        })
        .collect();
    // A judge that contradicts itself has found an error, too.
    let mismatches = comparison.mismatches + comparison.interpreter_mismatches;
    let json = json!({
        "packets": comparison.packets,
        "judged_by_kernel": comparison.judged_by_kernel,
        "too_deep": coverage.too_deep,
        "not_taken_in": coverage.not_taken_in,
        "mismatches": mismatches,
        "maps_compared": comparison.maps_compared,
        "map_mismatches": comparison.map_mismatches,
        "engine": engine,
        "against": against,
        "kernel": comparison.kernel,
        "first_mismatches": first,
    });
    let status = match comparison.is_clean() {
        true => Status::Good,
        false => Status::Differs,
    };
    Answer::new(status, json, text(comparison, engine, coverage))
}

fn text(comparison: &Comparison, engine: &str, coverage: &Coverage) -> String {
    let judge = match &comparison.kernel {
        Some(release) => format!("Linux {release}"),
        None => String::from("the interpreter (no kernel was asked)"),
    };
    let mut lines = vec![
        ("engine", engine.to_owned()),
        ("judge", judge),
        ("packets compared", grouped(comparison.packets)),
        ("judged by the kernel", grouped(comparison.judged_by_kernel)),
        ("packets that differ", grouped(comparison.mismatches)),
        ("maps compared", grouped(comparison.maps_compared)),
        (
            "map entries that differ",
            grouped(comparison.map_mismatches),
        ),
    ];
    if coverage.too_deep > 0 {
        lines.push(("left out", grouped(coverage.too_deep)));
    }
    if coverage.not_taken_in > 0 {
        lines.push(("not taken in", grouped(coverage.not_taken_in)));
    }
    let mut text = facts(&lines);
    if comparison.interpreter_mismatches > 0 {
        let _ = writeln!(
            text,
            "  the interpreter differs from the kernel in {} packets and entries: an error in hardpath",
            grouped(comparison.interpreter_mismatches)
        );
    }
    text.push('\n');
    if comparison.is_clean() && comparison.packets > 0 {
        text.push_str("  same verdicts, same bytes, same maps\n");
    }
    for mismatch in &comparison.first {
        let _ = writeln!(text, "  {mismatch}");
    }
    text
}
