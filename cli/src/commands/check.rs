//! `hardpath check`: a program's hardware against the Linux kernel, or against what its P4 source means, packet by packet and map by map.

use crate::answer::{Answer, Status};
use crate::arguments::{CheckArguments, EngineName, JudgeName};
use crate::coverage::{self, Coverage};
use crate::engine::{self, Setting};
use crate::loads::{Happened, Loads};
use crate::outputs::{self, SentOn};
use crate::packets::{self, RunPacket};
use crate::source::{self, Loaded};
use crate::table::facts;
use crate::target::{self, Asked};
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::{counted, grouped};
use hardpath_ir::interpreter::Prepared;
use hardpath_ir::maps::{Image, Maps};
use hardpath_oracle::{Comparison, Form, JudgeOptions, KernelJudge, Reference, Who};
use hardpath_session::journals;
use hardpath_session::{Judging, RowCounts};
use hardpath_testbed::run::Event;
use hardpath_testbed::statistics::Statistics;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::fmt::Write;

pub fn run(arguments: &CheckArguments) -> Result<Answer, Vec<Diagnostic>> {
    let mut asked = target::asked(&arguments.program.hardware).map_err(one)?;
    let engine = asked.kind.engine(arguments.run.engine).map_err(one)?;
    let loaded = source::load(&arguments.program, &asked)?.for_target(asked.kind.target)?;
    let (run, program) = (&arguments.run, &arguments.program);
    let loads = Loads::read(run, program, &loaded, (&mut asked, engine))?;
    let image = outputs::read_maps(&arguments.run, &loaded)?;
    let giants = asked.cut_through;
    let packets = packets::open(&arguments.run, &loaded.program)?.with_giants(giants);
    let run = Run {
        arguments,
        judge: judge_of(arguments, &loaded).map_err(one)?,
        asked: &asked,
        engine,
        loaded: &loaded,
        loads: &loads,
        image: &image,
    };
    // The judge first: where it may not be asked, nobody has waited for an engine.
    let judge = run.judge(Form::AsItIs)?;
    let mut sent_on = SentOn::create(&arguments.run).map_err(one)?;
    let mut first = Some((packets, judge));
    let question = |form| match first.take() {
        Some((packets, judge)) => run.compare(packets, (judge, form), &mut sent_on),
        None => {
            let packets = packets::open_again(&arguments.run, &loaded.program)?;
            let packets = packets.with_giants(giants);
            run.compare(packets, (run.judge(form)?, form), &mut SentOn::nowhere())
        }
    };
    let asked = hardpath_oracle::ask(question, |compared| match run.judge {
        JudgedBy::Kernel => compared.comparison.interpreter_mismatches,
        // Nobody else has a second answer.
        JudgedBy::Reference | JudgedBy::Interpreter => 0,
    })?;
    let compared = &asked.answer;
    // An output may have the name of a capture, which is not read any more now.
    sent_on.finish().map_err(one)?;
    let last = loads.programs.last().map_or(&loaded, |last| &last.loaded);
    outputs::write_maps(&arguments.run, &last.program, &compared.maps).map_err(one)?;
    Ok(answer(&run, compared)
        .with_warnings(loaded.warnings_with(&compared.warnings))
        .with_warnings(compared.coverage.warnings())
        .with_warnings(coverage::without_kernel(&compared.comparison))
        .with_warnings(not_by_reference(&run))
        .with_warnings(asked.again.then(asked_again)))
}

/// Who says what is right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JudgedBy {
    /// The kernel, with the interpreter beside it.
    Kernel,
    /// The reference interpreter of a P4 source, with that of the IR beside it.
    Reference,
    /// The interpreter of the IR.
    Interpreter,
}

/// What is compared.
struct Run<'a> {
    arguments: &'a CheckArguments,
    judge: JudgedBy,
    asked: &'a Asked,
    engine: EngineName,
    loaded: &'a Loaded,
    /// What is loaded in the middle.
    loads: &'a Loads,
    /// What the maps hold at first.
    image: &'a Image,
}

/// What came of it.
struct Compared {
    comparison: Comparison,
    coverage: Coverage,
    /// What is to be said of the hardware.
    warnings: Vec<Diagnostic>,
    simulated_clocks: Option<u64>,
    /// What the run took, as `sim` says it.
    statistics: Statistics,
    /// Where rows ran.
    rows: Option<RowCounts>,
    /// What became of what was loaded.
    happened: Happened,
    /// After the last packet.
    maps: Image,
}

impl Run<'_> {
    fn judge(&self, form: Form) -> Result<Reference<'_>, Vec<Diagnostic>> {
        self.judge_of(self.loaded, self.image, form)
    }

    /// Of a program whose maps hold this.
    fn judge_of<'l>(
        &self,
        loaded: &'l Loaded,
        image: &Image,
        form: Form,
    ) -> Result<Reference<'l>, Vec<Diagnostic>> {
        let in_hardware = self.engine.is_hardware();
        let kernel = match self.judge {
            JudgedBy::Interpreter => None,
            JudgedBy::Reference => {
                let meaning = loaded.meaning.as_ref();
                let judge = meaning.map(|meaning| meaning.judge()).transpose()?;
                return Reference::new(&loaded.program, image, judge);
            }
            JudgedBy::Kernel => {
                let options = JudgeOptions {
                    image: image.clone(),
                    plain: journals::slots(&loaded.program, in_hardware),
                    form,
                    maps: Some(loaded.map_names()),
                    ..JudgeOptions::default()
                };
                let program = loaded.for_kernel.as_ref();
                let (object, program) = program.ok_or_else(|| one(no_kernel()))?;
                let judge = KernelJudge::start(object, program, &options);
                Some(judge.map_err(one)?)
            }
        };
        Reference::new(&loaded.program, image, kernel)
    }

    /// Runs the packets, with the judge behind the engine.
    fn compare(
        &self,
        packets: packets::Packets,
        (judge, form): (Reference<'_>, Form),
        sent_on: &mut SentOn,
    ) -> Result<Compared, Vec<Diagnostic>> {
        let arguments = self.arguments;
        let too_deep = Cell::new(0);
        let packets: Box<dyn Iterator<Item = _>> = match arguments.program.depth {
            Some(_) => Box::new(self.not_too_deep(packets, &too_deep)?),
            None => Box::new(packets),
        };
        let captures = arguments.run.pcap.iter();
        let captures = captures.map(|path| path.display().to_string());
        let judging = RefCell::new(Judging::new(judge, captures.collect()));
        let told = |lru| judging.borrow_mut().forget_as_told(lru);
        let setting = Setting {
            loaded: self.loaded,
            asked: self.asked,
            run: &arguments.run,
            engine: self.engine,
            image: self.image,
            loads: &self.loads.events,
            bench: None,
            journal: Some(&told),
        };
        let mut coverage = Coverage::of(&self.loaded.program.limits);
        let mut happened = Happened::default();
        let mut ran = engine::run(&setting, packets, |event| match event {
            Event::Packet {
                packet,
                outcome,
                moves,
            } => {
                coverage.add(&packet, outcome.is_some());
                happened.packet();
                sent_on.packet(&packet, outcome.as_ref())?;
                // What does not enter the program (too short, too long, marked bad) has no right answer.
                match outcome.is_some() {
                    true => judging.borrow_mut().packet(packet, outcome, moves),
                    false => Ok(()),
                }
            }
            Event::HostMoved(moves) => judging.borrow_mut().host_moved(&moves),
            Event::Loaded(done) => {
                let number = happened.loaded(done);
                judging.borrow_mut().goes_on(|maps| {
                    let loaded = &self.loads.programs[number].loaded;
                    let judge = self.judge_of(loaded, &self.loads.image(number, maps), form);
                    judge.map_err(|mut errors| errors.remove(0))
                })
            }
            Event::Host(_) => Ok(()),
        })?;
        coverage.too_deep = too_deep.get();
        let maps = ran.maps().map_err(one)?;
        Ok(Compared {
            comparison: judging.into_inner().finish(&maps).map_err(one)?,
            coverage,
            simulated_clocks: ran.simulated_clocks(),
            statistics: ran.statistics.clone(),
            rows: ran.rows(),
            happened,
            warnings: ran.hardware().map_or(Vec::new(), |of| of.warnings.clone()),
            maps,
        })
    }

    /// Leaves out, and counts, the packets that a limited depth gives up: there the program means something else than in
    /// the kernel.
    fn not_too_deep<'a>(
        &'a self,
        packets: packets::Packets<'a>,
        too_deep: &'a Cell<u64>,
    ) -> Result<impl Iterator<Item = Result<RunPacket, Diagnostic>> + 'a, Vec<Diagnostic>> {
        let program = &self.loaded.program;
        let mut maps = Maps::new(&program.maps);
        maps.load(self.image)?;
        let mut prepared = Prepared::new(program);
        let mut outputs = program.outputs.iter();
        let given_up = outputs.position(|output| output.name == hardpath_passes::TOO_DEEP);
        Ok(packets.filter(move |packet| {
            let Ok(packet) = packet else { return true };
            let is_too_deep = packet.enters() && {
                let outcome = prepared.run(&mut maps, packet.data(), &packet.sideband);
                given_up.is_some_and(|place| outcome.outputs[place] == 1)
            };
            too_deep.set(too_deep.get() + u64::from(is_too_deep));
            !is_too_deep
        }))
    }
}

/// # Errors
/// `kernel-needs-object`: the kernel runs no P4.
fn judge_of(arguments: &CheckArguments, loaded: &Loaded) -> Result<JudgedBy, Diagnostic> {
    match (arguments.against, &loaded.meaning) {
        (Some(JudgeName::Kernel), Some(_)) => {
            let message = "the kernel can judge an object file only, and this is a P4 source";
            let help = "leave --against out: the reference interpreter of P4 judges then";
            Err(Diagnostic::input("kernel-needs-object", message).help(help))
        }
        (Some(JudgeName::Kernel) | None, None) => Ok(JudgedBy::Kernel),
        (Some(JudgeName::Interpreter), None) => Ok(JudgedBy::Interpreter),
        (_, Some(_)) => Ok(match arguments.run.unknown_to_reference() {
            None => JudgedBy::Reference,
            Some(_) => JudgedBy::Interpreter,
        }),
    }
}

/// The interpreter of the IR stands in for the reference interpreter of P4.
fn not_by_reference(run: &Run) -> Option<Diagnostic> {
    let option = run.arguments.run.unknown_to_reference()?;
    run.loaded.meaning.as_ref()?;
    let message = format!(
        "{option} is nothing that the reference interpreter of P4 can be told, so the interpreter of the IR judges"
    );
    Some(
        Diagnostic::warning("p4-judge", message).help(
            "write entries and registers with --entries, and check one program after the other",
        ),
    )
}

fn no_kernel() -> Diagnostic {
    let message = "the kernel can judge an object file only, and this is the text of a program";
    Diagnostic::input("kernel-needs-object", message)
        .help("use --against interpreter, or give the object that the text was made from")
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

/// A note with an answer to the second question: see [`hardpath_oracle::asking`].
fn asked_again() -> Diagnostic {
    let message = "the kernel was asked again, since its verifier leaves something out of the program that runs";
    Diagnostic::note("kernel-asked-again", message).help(
        "nothing is to be done: its second answer, about the whole program, is the one that counts",
    )
}

fn answer(run: &Run, compared: &Compared) -> Answer {
    let (comparison, coverage) = (&compared.comparison, &compared.coverage);
    let engine = run.engine.name();
    let against = match run.judge {
        JudgedBy::Kernel => JudgeName::Kernel,
        JudgedBy::Reference | JudgedBy::Interpreter => JudgeName::Interpreter,
    };
    // Nobody else has a version of its own.
    let kernel = comparison.judge.as_ref();
    let kernel = kernel.and_then(|judge| judge.version.as_ref());
    let lanes = (run.asked.kind.processor.as_ref()).map(|processor| processor.machine.lanes);
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
    let mut json = json!({
        "packets": comparison.packets,
        "judged_by_kernel": kernel.map_or(0, |_| comparison.judged),
        "too_deep": coverage.too_deep,
        "not_taken_in": coverage.not_taken_in,
        "dropped_bad": coverage.bad,
        "marked": compared.statistics.marked,
        "mismatches": mismatches,
        "maps_compared": comparison.maps_compared,
        "map_mismatches": comparison.map_mismatches,
        "forgotten": comparison.forgotten,
        "target": run.asked.kind.target.name(),
        "engine": engine,
        "lanes": lanes,
        "rows": compared.rows.map(|counts| counts.rows),
        "most_rows": compared.rows.map(|counts| counts.most_rows),
        "against": against.name(),
        "judge": judge_text(comparison),
        "kernel": kernel,
        "simulated_clocks": compared.simulated_clocks,
        "first_mismatches": first,
        // Interpreters have no clock.
        "statistics": compared.simulated_clocks.map(|_| &compared.statistics),
    });
    let heard = run.loaded.meaning.as_ref().map(|meaning| meaning.heard());
    if let Some(heard) = &heard {
        json["messages"] = heard.json();
    }
    if !run.loads.programs.is_empty() {
        json["loads"] = run.loads.json(&compared.happened);
    }
    let status = match comparison.is_clean() {
        true => Status::Good,
        false => Status::Differs,
    };
    let engine = match (compared.rows, &run.asked.kind.processor) {
        (Some(_), Some(processor)) => format!("the {}, which has no clock", processor.rows()),
        _ => engine.to_owned(),
    };
    let mut lines = vec![("engine", engine)];
    if compared.statistics.marked > 0 {
        let marked = counted(compared.statistics.marked, "packet");
        lines.push(("left with an error mark", marked));
    }
    lines.extend(
        compared
            .rows
            .map(|counts| ("rows of a packet", rows_text(&counts))),
    );
    let loads = run.loads.text(&compared.happened);
    let text = text(lines, run.judge, (comparison, coverage));
    let heard = heard.map_or_else(String::new, |heard| heard.text());
    Answer::new(status, json, text + &loads + &heard)
}

/// `12.3, 40 at the most`
fn rows_text(counts: &RowCounts) -> String {
    let mean = counts.rows as f64 / counts.packets.max(1) as f64;
    format!("{mean:.1}, {} at the most", grouped(counts.most_rows))
}

/// `Linux 6.18.5`
fn judge_text(comparison: &Comparison) -> String {
    match &comparison.judge {
        Some(Who {
            version: Some(release),
            ..
        }) => format!("Linux {release}"),
        Some(judge) => judge.to_string(),
        None => String::from("the interpreter (no kernel was asked)"),
    }
}

fn text(
    mut lines: Vec<(&str, String)>,
    judge: JudgedBy,
    (comparison, coverage): (&Comparison, &Coverage),
) -> String {
    lines.extend([
        ("judge", judge_text(comparison)),
        ("packets compared", grouped(comparison.packets)),
    ]);
    if judge != JudgedBy::Reference {
        let judged = grouped(comparison.judged);
        lines.push(("judged by the kernel", judged));
    }
    lines.extend([
        ("packets that differ", grouped(comparison.mismatches)),
        ("maps compared", grouped(comparison.maps_compared)),
        (
            "map entries that differ",
            grouped(comparison.map_mismatches),
        ),
    ]);
    if coverage.too_deep > 0 {
        lines.push(("left out", grouped(coverage.too_deep)));
    }
    if coverage.not_taken_in > 0 {
        lines.push(("not taken in", grouped(coverage.not_taken_in)));
    }
    let forgotten: Vec<String> = (comparison.forgotten.iter())
        .filter(|(_, keys)| **keys > 0)
        .map(|(map, keys)| format!("{} of {map}", grouped(*keys)))
        .collect();
    if !forgotten.is_empty() {
        lines.push(("keys forgotten", forgotten.join(", ")));
    }
    let mut text = facts(&lines);
    if !forgotten.is_empty() {
        text.push_str(
            "  Which key a full LRU map forgets is outside the promise; each of these could go, and the judge forgot the same.\n",
        );
    }
    if comparison.interpreter_mismatches > 0 {
        let _ = writeln!(
            text,
            "  the interpreter differs from {} {}, packets and entries together: an error in hardpath",
            comparison.judge.as_ref().map_or("nobody", |judge| judge.name),
            counted(comparison.interpreter_mismatches, "time")
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
