//! P4_14 sources: the P4_16 text that they become, and all that is wrong with them.

mod actions;
mod errors;
mod parsers;
mod tables;

use crate::read;
use hardpath_p4::check::check;
use hardpath_p4::design::design;
use hardpath_p4::load_14;
use hardpath_p4::p4_14;
use hardpath_p4::p4info::p4info;
use hardpath_p4::preprocess::{self, Options};
use hardpath_p4::source::Sources;

/// What a program has that this file's tests do not look at.
const HEADS: &str = "\
header_type h_t { fields { a : 8; b : 16; c : 8 (signed); s : 4 (saturating); t : 4; } }
header_type m_t { fields { x : 8; y : 16; z : 4 (saturating); n : 16 (signed); f : 1; } }
header h_t h;
header h_t k;
header h_t st[3];
metadata m_t m;
";

const START: &str = "parser start { extract(h); return ingress; }\n";

/// A program, whole as it is, and its errors as `line:column message`.
fn whole(text: &str) -> Result<String, Vec<String>> {
    let mut sources = Sources::default();
    let number = sources.add("program.p4", text);
    let tokens = preprocess::run(&mut sources, number, &Options::default());
    let made = tokens.and_then(|tokens| p4_14::translate_tokens(&sources, &tokens));
    made.map_err(|errors| {
        let lines = errors.iter().map(|error| {
            let place = error.place.as_ref();
            let place = place.map(|place| format!("{}:{} ", place.line, place.column));
            let help = error.help.iter().map(|help| format!(" - {help}"));
            let help: String = help.collect();
            format!("{}{}{help}", place.unwrap_or_default(), error.message)
        });
        lines.collect()
    })
}

/// What stands between heads and the start of a parser; the text is one that can be read and declared.
fn translated(text: &str) -> String {
    let made = whole(&format!("{HEADS}{START}{text}"));
    readable(&made.unwrap_or_else(|errors| panic!("{text}: {errors:?}")))
}

/// A text of P4_16 that declares what it names, with each line's blanks gone.
fn readable(text: &str) -> String {
    if let Err(errors) = read(text, |program, sources| check(&program, sources)) {
        panic!("{errors:?}: {text}");
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<&str>>().join("\n")
}

/// These lines stand in the text on end.
#[track_caller]
fn has(text: &str, lines: &str) {
    let lines: Vec<&str> = lines.lines().map(str::trim).collect();
    let wanted = lines.join("\n");
    assert!(
        format!("\n{text}\n").contains(&format!("\n{wanted}\n")),
        "{wanted}\n-- is not in --\n{text}"
    );
}

/// What an action of these statements does; its parameters are p and q.
#[track_caller]
fn action(statements: &str, lines: &str) {
    let text = translated(&format!(
        "action act(p, q) {{ {statements} }}
         table t {{ actions {{ act; }} }}
         control ingress {{ apply(t); }}"
    ));
    let begin = text.find("action act(").expect("there is one");
    let end = text
        .find("@name(\".t\")")
        .expect("it is in front of its table");
    let body: Vec<&str> = text[begin..end].lines().collect();
    let body = body[1..body.len() - 1].join("\n");
    let lines: Vec<&str> = lines.lines().map(str::trim).collect();
    assert_eq!(body, lines.join("\n"), "{statements}");
}

/// The one error of a program.
#[track_caller]
fn error(text: &str, message: &str) {
    let errors = whole(&format!("{HEADS}{START}{text}")).expect_err(text);
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    assert!(errors[0].contains(message), "{text}: {errors:?}");
}

fn all_of_it() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sources_14/switch.p4");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_program_with_one_of_each_thing_is_translated() {
    let text = readable(&whole(&all_of_it()).unwrap());
    assert_eq!(text.matches(") table ").count(), 4, "{text}");
    assert_eq!(text.matches(") action ").count(), 11, "{text}");
}

#[test]
fn files_are_translated_and_parsed() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sources_14/switch.p4");
    let options = Options::default();
    let text = p4_14::translate(path.as_ref(), &options).unwrap();
    assert_eq!(text, whole(&all_of_it()).unwrap());
    let (program, sources) = p4_14::parse(path.as_ref(), &options).unwrap();
    let declared = check(&program, &sources).unwrap();
    let main = &declared.instances.last().unwrap().name;
    assert_eq!(main, "main");
    let errors = p4_14::translate("no/such.p4".as_ref(), &options).unwrap_err();
    assert_eq!(errors[0].code, "cannot-read");
}

#[test]
fn an_action_of_both_controls_is_one_for_the_control_plane() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/sources_14/shared-action.p4"
    );
    let (program, sources) = load_14(path.as_ref(), &Options::default()).unwrap();
    let design = design(&program, &sources).unwrap();
    let info = p4info(&program, &sources, &design).unwrap().text();
    assert_eq!(info.matches("name: \"swap\"").count(), 1, "{info}");
    assert_eq!(info.matches("name: \"nothing\"").count(), 1, "{info}");
}
