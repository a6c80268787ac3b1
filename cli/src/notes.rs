//! What is to be said of a program that is as it should be: what nobody said of it, and what follows from that.

use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::{Hook, LeftOpen, Lifted, Object, ProgramImage};
use hardpath_kernel::xdp;

/// Notes on an object, the program chosen from it, and what that program means.
pub fn of(object: &Object, image: &ProgramImage, lifted: &Lifted) -> Vec<Diagnostic> {
    let place = Place::of_file(&object.file).unit(format!("section {}", image.section));
    let notes = [
        unknown_section(image),
        constants_left(&lifted.left_open),
        constants_unread(&lifted.left_open),
        constant_program(lifted),
    ];
    let notes = notes.into_iter().flatten();
    notes.map(|note| note.at(place.clone())).collect()
}

fn unknown_section(image: &ProgramImage) -> Option<Diagnostic> {
    let (name, section) = (&image.name, &image.section);
    let is_unknown = image.hook() == Hook::Unknown;
    is_unknown.then(|| {
        let message =
            format!("libbpf does not know section {section}; {name} is taken as an XDP program");
        Diagnostic::note("unknown-section", message)
            .help("if it is one, SEC(\"xdp\") says so to every loader")
    })
}

fn constants_left(open: &LeftOpen) -> Option<Diagnostic> {
    (!open.constants.is_empty()).then(|| {
        let message = format!(
            "constants that a loader may set have the values that the object gives them: {}",
            listed(&open.constants)
        );
        Diagnostic::note("constants-left", message)
            .help("--set NAME=VALUE or --rodata FILE gives them those of a loader; they are built into the design")
    })
}

fn constants_unread(open: &LeftOpen) -> Option<Diagnostic> {
    (!open.unread.is_empty()).then(|| {
        let message = format!(
            "what is set is not read, and changes nothing: {}",
            listed(&open.unread)
        );
        Diagnostic::note("constants-unread", message)
            .help("a feature that is off does not read its constants; the compiler builds in those that are not volatile")
    })
}

/// A program that does nothing, because of what was left open.
fn constant_program(lifted: &Lifted) -> Option<Diagnostic> {
    let open = &lifted.left_open;
    if open.constants.is_empty() && open.empty_arrays.is_empty() {
        return None;
    }
    let fate = hardpath_passes::constant_fate(&lifted.program)?;
    let mut reasons = Vec::new();
    if !open.empty_arrays.is_empty() {
        let arrays = open.empty_arrays.join(", ");
        reasons.push((
            format!("nothing is in {arrays}"),
            "--prog-array MAP:INDEX=PROGRAM",
        ));
    }
    if !open.constants.is_empty() {
        let constants = listed(&open.constants);
        reasons.push((format!("it has {constants}"), "--set NAME=VALUE"));
    }
    let (reasons, options): (Vec<String>, Vec<&str>) = reasons.into_iter().unzip();
    let message = format!(
        "every packet gets {}, and nothing else happens: {}",
        xdp::name(fate.outputs.first().copied().unwrap_or_default()),
        reasons.join("; ")
    );
    let note = Diagnostic::note("constant-program", message);
    Some(note.help(format!(
        "{} says what is to be there",
        options.join(" and ")
    )))
}

/// How many names are listed.
const MOST_LISTED: usize = 12;

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(MOST_LISTED)].join(", ");
    match names.len().checked_sub(MOST_LISTED) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}
