//! What is supported, found out: each construct and each extern stands in a tiny program, which goes through checker, interpreter and
//! lowering. So the page that is made of it says what the compiler of the day does.
//!
//! The program is for an architecture of one control ([`HARNESS`]), beside which the declarations of another one are included, so that
//! nothing else of that one is needed.

use crate::ast::Direction;
use crate::check::check;
use crate::design::design;
use crate::lower::{lower, Deparse, Lowered};
use crate::preprocess::{self, Options};
use crate::runner::{self, Verdict};
use crate::source::Sources;
use crate::typed::{Function, FunctionKind, Parameter, Program};
use crate::types::{ObjectKind, Type};
use crate::{library, parser, stf};
use hardpath_diagnostic::Diagnostic;

/// What becomes of a tiny program: nothing where it goes, or why it does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// By the specification.
    pub interpreter: Option<String>,
    /// As a pipeline.
    pub pipeline: Option<String>,
    /// On a core.
    pub core: Option<String>,
}

/// A construct, or an extern as it is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tried {
    /// How it is written.
    pub what: String,
    /// Members of an enum with which alone it goes; empty where that makes no difference.
    pub only: String,
    /// What becomes of it.
    pub outcome: Outcome,
}

/// An architecture that programs include.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Architecture {
    /// Its file.
    pub file: &'static str,
    /// Its packages, with what they take; whether it is known what they do.
    pub packages: Vec<(String, bool)>,
    /// Its extern functions and methods.
    pub externs: Vec<Tried>,
}

/// What targets refuse behind lowering: why, if they do.
#[derive(Clone, Copy)]
pub struct Refuses<'a> {
    /// A pipeline.
    pub pipeline: &'a dyn Fn(&Lowered) -> Option<String>,
    /// A core.
    pub core: &'a dyn Fn(&Lowered) -> Option<String>,
}

/// In front of the control that is tried.
const HARNESS: &str = "
control hardpath_tried_t(inout bit<32> x, inout hardpath_tried_h h);
package HardpathTried(hardpath_tried_t body);
";
const HEADERS: &str = "header hardpath_tried_h { bit<32> f; bit<8> g; }\n";
/// What the architecture does.
const DESCRIBED: &str = "
@hardpath_package(\"HardpathTried\")
control hardpath_trying(packet_in packet, packet_out leaving, in hardpath_packet_t arrival)(hardpath_tried_t body) {
    bit<32> x;
    hardpath_tried_h h;
    apply {
        x = arrival.port;
        h.setValid();
        h.f = arrival.length;
        h.g = (bit<8>)arrival.port;
        body.apply(x, h);
        hardpath_send(x);
        leaving.emit(h);
    }
}
";

/// Constructs of the language, each with what stands in front of `apply`, and in it.
const CONSTRUCTS: &[(&str, &str, &str)] = &[
    ("`if`, `else`", "", "if (x > 1) { x = 2; } else { x = 3; }"),
    ("`+`, `-`, `++`, slices, casts, shifts", "", "x = (x + 1 - h.f) << 2; x[7:0] = h.g; x = (bit<32>)(h.g ++ h.g);"),
    ("`*`", "", "x = x * h.f;"),
    ("`/` and `%` by what is not known", "", "x = x / h.f;"),
    ("`*` of 128 bits", "", "bit<128> w = (bit<128>)x; w = w * w; x = (bit<32>)w;"),
    ("`+` of 128 bits", "", "bit<128> w = (bit<128>)x; w = w + w; x = (bit<32>)w;"),
    ("saturating `|+|`, `|-|`", "", "x = x |+| h.f |-| 3;"),
    ("signed `int<W>`", "", "int<32> s = (int<32>)x; if (s < 0) { x = 1; }"),
    ("`for` with known bounds", "", "for (bit<32> i in 0 .. 3) { x = x + i; }"),
    ("`for` to a bound of 8 bits that packets say", "", "for (bit<8> i in 0 .. (bit<8>) x) { h.f = h.f + (bit<32>) i; }"),
    ("`for` to a wider bound that packets say", "", "for (bit<32> i in 0 .. x) { h.f = h.f + i; }"),
    ("`switch` on a value", "", "switch (x) { 1: { x = 5; } default: { } }"),
    ("`switch` on `action_run`", "action a() { } table t { key = { x: exact; } actions = { a; NoAction; } }", "switch (t.apply().action_run) { a: { x = 5; } }"),
    ("`exit`, `return`", "", "if (x == 1) { exit; } if (x == 2) { return; } x = 3;"),
    ("actions with parameters of the control plane", "action a(bit<32> v) { x = v; } table t { key = { h.f: exact; } actions = { a; } }", "t.apply();"),
    ("`const entries`", "action a(bit<32> v) { x = v; } table t { key = { h.g: ternary; } actions = { a; } const entries = { 1: a(2); 0x10 &&& 0xf0: a(3); } const default_action = a(4); }", "t.apply();"),
    ("timeouts of entries, `support_timeout`", "action a(bit<32> v) { x = v; } table t { key = { h.f: exact; } actions = { a; } support_timeout = true; }", "t.apply();"),
    ("`isValid`, `setValid`, `setInvalid`", "", "if (h.isValid()) { h.setInvalid(); h.setValid(); h.f = 1; h.g = 1; }"),
    ("header stacks, `push_front`, `pop_front`", "hardpath_tried_h[3] s;", "s.push_front(1); s[0].setValid(); s[0].f = x; s.pop_front(1);"),
    ("header stacks with an index that packets say", "hardpath_tried_h[4] s;", "s[x[1:0]].setValid(); s[x[1:0]].f = x;"),
    ("structs, tuples", "", "tuple<bit<32>, bool> t = { x, true }; if (t[1]) { x = t[0] + 1; }"),
    ("controls in controls", "hardpath_inner() inner;", "inner.apply(x);"),
    ("functions", "", "x = hardpath_twice(x);"),
];
const AROUND: &str = "
control hardpath_inner(inout bit<32> y) { apply { y = y + 1; } }
bit<32> hardpath_twice(in bit<32> y) { return y * 2; }
";

/// What becomes of each construct.
pub fn constructs(refuses: Refuses) -> Vec<Tried> {
    let tried = |(what, declared, body): &(&str, &str, &str)| Tried {
        what: (*what).to_owned(),
        only: String::new(),
        outcome: try_body("core.p4", AROUND, declared, body, &[], refuses),
    };
    CONSTRUCTS.iter().map(tried).collect()
}

/// What becomes of a table with each kind of key.
pub fn match_kinds(refuses: Refuses) -> Vec<Tried> {
    let kinds = declared("v1model.p4").map_or(Vec::new(), |(program, _)| program.types.match_kinds);
    let tried = |kind: &String| {
        let table = format!("action a() {{ x = 1; }} table t {{ key = {{ h.f: {kind}; }} actions = {{ a; NoAction; }} }}");
        Tried {
            what: format!("`{kind}`"),
            only: String::new(),
            outcome: try_body("v1model.p4", "", &table, "t.apply();", &[], refuses),
        }
    };
    kinds.iter().map(tried).collect()
}

/// Entries that tables with masks have at most.
pub const MOST_MASKED: u64 = crate::lower::MOST_TERNARY;
/// The same where a key is a range of more than 9 bits.
pub const MOST_WIDE_RANGES: u64 = crate::lower::MOST_WIDE_RANGES;
/// Entries of such a table that says no size.
pub const USUAL_MASKED: u64 = crate::lower::USUAL_TERNARY;
/// Entries of another table that says no size.
pub const USUAL_ENTRIES: u64 = crate::lower::USUAL;
/// Bits that a type has at most.
pub const MOST_BITS: u64 = crate::value::MOST_BITS as u64;

/// All that programs include but the core library, with what becomes of their externs.
pub fn architectures(refuses: Refuses) -> Vec<Architecture> {
    let files = library::names().filter(|file| *file != "core.p4" && *file != "bmv2/psa.p4");
    files
        .filter_map(|file| architecture(file, refuses))
        .collect()
}

fn architecture(file: &'static str, refuses: Refuses) -> Option<Architecture> {
    let (program, sources) = declared(file)?;
    let core = library::shown("core.p4");
    let is_own = |span: crate::source::Span| sources.file(span.file).name != core;
    let mut packages = Vec::new();
    let mut described = Vec::new();
    for object in program
        .objects
        .iter()
        .filter(|one| one.kind == ObjectKind::Package)
    {
        let text = library::architecture(&object.name, object.parameters.len());
        described.extend(text);
        let written = format!("{}({})", object.name, shown(&program, &object.parameters));
        packages.push((written, text.is_some()));
    }
    let mut externs = Vec::new();
    for function in &program.functions {
        let is_extern = function.body.is_none() && function.kind == FunctionKind::Function;
        if is_extern && is_own(function.span) {
            externs.push(called(file, &program, None, function, &described, refuses));
        }
    }
    for (number, object) in program.objects.iter().enumerate() {
        if object.kind != ObjectKind::Extern || !is_own(object.span) {
            continue;
        }
        for method in &object.methods {
            let method = &program.functions[*method];
            if method.kind == FunctionKind::Method && !method.is_abstract {
                externs.push(called(
                    file,
                    &program,
                    Some(number),
                    method,
                    &described,
                    refuses,
                ));
            }
        }
    }
    Some(Architecture {
        file,
        packages,
        externs,
    })
}

/// A call of a function or a method. Where it takes a member of an enum, each is tried, and those that go are told if not all do.
fn called(
    file: &str,
    program: &Program,
    object: Option<usize>,
    function: &Function,
    described: &[&str],
    refuses: Refuses,
) -> Tried {
    let with = object.map_or(&[][..], |number| made_with(program, number));
    let all = function.parameters.iter().chain(with);
    let mut enums = all.filter_map(|one| match one.of {
        Type::Enum(number) => Some(&program.types.enums[number].members),
        _ => None,
    });
    let members: &[_] = enums.next().map_or(&[], |members| members);
    let tries: Vec<Tried> = (0..members.len().max(1))
        .map(|member| called_with(file, program, object, function, member, described, refuses))
        .collect();
    let goes = |one: &&Tried| one.outcome.pipeline.is_none() || one.outcome.core.is_none();
    let count = tries.iter().filter(goes).count();
    let best = tries.iter().find(goes);
    let best = best.or_else(|| tries.iter().find(|one| one.outcome.interpreter.is_none()));
    let mut best = best.unwrap_or(&tries[0]).clone();
    if (1..tries.len()).contains(&count) {
        let all = members.iter().zip(&tries).filter(|(_, one)| goes(one));
        let names: Vec<&str> = all.map(|((name, _), _)| name.as_str()).collect();
        best.only = names.join(", ");
    }
    best
}

/// Parameters of an extern's first constructor.
fn made_with(program: &Program, object: usize) -> &[Parameter] {
    let methods = program.objects[object].methods.iter();
    let mut makers = methods
        .map(|one| &program.functions[*one])
        .filter(|one| one.kind == FunctionKind::Constructor);
    makers.next().map_or(&[], |one| &one.parameters)
}

/// A call with values of the types that it takes, and this member of each enum.
fn called_with(
    file: &str,
    program: &Program,
    object: Option<usize>,
    function: &Function,
    member: usize,
    described: &[&str],
    refuses: Refuses,
) -> Tried {
    let mut names: Vec<usize> = function.types.clone();
    let mut made = String::new();
    if let Some(number) = object {
        let (object, with) = (&program.objects[number], made_with(program, number));
        names.extend(&object.types);
        let types: Vec<String> = object.types.iter().map(|_| "bit<32>".to_owned()).collect();
        let types = match types.is_empty() {
            true => String::new(),
            false => format!("<{}>", types.join(", ")),
        };
        let with = with.iter().filter(|one| !one.is_optional);
        let with: Vec<String> = with.map(|one| known(program, &one.of, member)).collect();
        made = format!(
            "{}{types}({}) hardpath_object;",
            object.name,
            with.join(", ")
        );
    }
    let around: String = names
        .iter()
        .map(|name| format!("typedef bit<32> {};\n", program.types.parameters[*name]))
        .collect();
    let (mut variables, mut arguments) = (String::new(), Vec::new());
    for (at, parameter) in function.parameters.iter().enumerate() {
        let needs_known = parameter.direction == Direction::None
            || matches!(parameter.of, Type::Text | Type::Enum(_));
        let is_written = matches!(parameter.direction, Direction::Out | Direction::InOut);
        if needs_known && !is_written {
            arguments.push(known(program, &parameter.of, member));
            continue;
        }
        let of = program.types.text(&parameter.of);
        variables += &format!("{of} hardpath_{at};\n");
        arguments.push(format!("hardpath_{at}"));
    }
    let of_object = if object.is_some() {
        "hardpath_object."
    } else {
        ""
    };
    let body = format!(
        "{variables}{of_object}{}({});",
        function.own_name(),
        arguments.join(", ")
    );
    let (made, body) = match IN_ACTIONS.contains(&function.name.as_str()) {
        true => in_action(&made, &body),
        false => (made, body),
    };
    Tried {
        what: format!(
            "{}({})",
            function.name,
            shown(program, &function.parameters)
        ),
        only: String::new(),
        outcome: try_body(file, &around, &made, &body, described, refuses),
    }
}

/// What stands only in actions of a table that has it.
const IN_ACTIONS: [&str; 7] = [
    "DirectCounter.count",
    "DirectMeter.execute",
    "DirectMeter.dpdk_execute",
    "direct_meter.read",
    "add_entry",
    "set_entry_expire_time",
    "restart_expire_timer",
];

/// The same statements in the default action of a table; what is declared in front of it is a property of that, if it is something.
fn in_action(made: &str, body: &str) -> (String, String) {
    let property = match made.is_empty() {
        true => "",
        false => "hardpath_has = hardpath_object;",
    };
    let declared = format!(
        "{made}\naction hardpath_added(bit<32> v) {{ x = v; }}\naction hardpath_acts() {{ {body} }}
        table hardpath_table {{
            key = {{ h.f: exact; }} actions = {{ hardpath_acts; hardpath_added; }} default_action = hardpath_acts();
            add_on_miss = true; {property}
        }}"
    );
    (declared, "hardpath_table.apply();".into())
}

/// A value of a type that is known.
fn known(program: &Program, of: &Type, member: usize) -> String {
    match of {
        Type::Text => "\"hardpath_added\"".into(),
        Type::Bool => "true".into(),
        Type::Enum(number) => {
            let of = &program.types.enums[*number];
            let last = of.members.len().saturating_sub(1);
            let name = of.members.get(member.min(last));
            format!("{}.{}", of.name, name.map_or("", |(name, _)| name))
        }
        Type::New(_) => format!("({})8", program.types.text(of)),
        _ => "8".into(),
    }
}

fn shown(program: &Program, parameters: &[Parameter]) -> String {
    let parameters = parameters.iter().map(|one| {
        let direction = match one.direction {
            Direction::None => "",
            Direction::In => "in ",
            Direction::Out => "out ",
            Direction::InOut => "inout ",
        };
        format!("{direction}{} {}", program.types.text(&one.of), one.name)
    });
    parameters.collect::<Vec<_>>().join(", ")
}

/// A file of ours, checked.
fn declared(file: &str) -> Option<(Program, Sources)> {
    let mut sources = Sources::default();
    let number = sources.add("declared", format!("#include <{file}>\n"));
    let tokens = preprocess::run(&mut sources, number, &Options::default()).ok()?;
    let program = parser::program(&sources, &tokens).ok()?;
    Some((check(&program, &sources).ok()?, sources))
}

fn try_body(
    file: &str,
    around: &str,
    declared: &str,
    body: &str,
    described: &[&str],
    refuses: Refuses,
) -> Outcome {
    let text = format!(
        "#include <core.p4>\n#include <{file}>\n{HEADERS}{around}{HARNESS}control Tried(inout bit<32> x, inout hardpath_tried_h h) {{\n{declared}\napply {{\n{body}\n}} }}\nHardpathTried(Tried()) main;\n"
    );
    let all = |errors: Vec<Diagnostic>| -> Outcome {
        let why = Some(
            errors
                .first()
                .map_or(String::new(), |one| one.message.clone()),
        );
        Outcome {
            interpreter: why.clone(),
            pipeline: why.clone(),
            core: why,
        }
    };
    match outcome(&text, described, refuses) {
        Ok(outcome) => outcome,
        Err(errors) => all(errors),
    }
}

fn outcome(text: &str, described: &[&str], refuses: Refuses) -> Result<Outcome, Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let options = Options::default();
    let number = sources.add("tried.p4", text);
    let mut tokens = preprocess::run(&mut sources, number, &options)?;
    let parts = [library::SUPPORT]
        .into_iter()
        .chain(described.iter().copied());
    for part in parts.chain([DESCRIBED]) {
        let number = sources.add(library::ARCHITECTURE_FILE, part);
        tokens.extend(preprocess::run(&mut sources, number, &options)?);
    }
    let program = parser::program(&sources, &tokens)?;
    let program = check(&program, &sources)?;
    let made = design(&program, &sources)?;
    let first = |errors: Vec<Diagnostic>| errors.first().map(|one| one.message.clone());
    let commands = stf::read("tried", "packet 1 00000001020304050607\n")?;
    let interpreter = match runner::interpret(&program, &sources, &made, &commands) {
        Ok(Verdict::Refused(error)) => Some(error.message),
        Ok(_) => None,
        Err(errors) => first(errors),
    };
    let pipeline = match lower(&program, &sources, &made, Deparse::Front) {
        Ok(lowered) => (refuses.pipeline)(&lowered),
        Err(errors) => first(errors),
    };
    let core = match lower(&program, &sources, &made, Deparse::Memory) {
        Ok(lowered) => (refuses.core)(&lowered),
        Err(errors) => first(errors),
    };
    Ok(Outcome {
        interpreter,
        pipeline,
        core,
    })
}
