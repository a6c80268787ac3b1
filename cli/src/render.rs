//! Messages for people, on standard error: title, the line that is meant with a caret, what to do next. Colours where a terminal
//! shows them and `NO_COLOR` is not set; long sentences are broken where a terminal ends.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use hardpath_diagnostic::{Diagnostic, Place, Severity};
use std::io::{IsTerminal, Write};
use std::ops::Range;

/// Where there is no terminal: nothing is cut.
const WIDEST: usize = 10_000;
/// The narrowest terminal that lines are broken for.
const NARROWEST: usize = 40;

/// Prints messages, and for each code where more is to be read.
pub fn print(diagnostics: &[Diagnostic]) {
    let width = terminal_width();
    let mut stderr = anstream::stderr().lock();
    for diagnostic in diagnostics {
        let _ = writeln!(stderr, "{}", text(diagnostic, width));
    }
    let mut codes: Vec<&str> = Vec::new();
    for diagnostic in diagnostics {
        if !codes.contains(&diagnostic.code) {
            codes.push(diagnostic.code);
        }
    }
    for code in codes {
        let _ = writeln!(stderr, "more: hardpath explain {code}");
    }
}

/// A message without colours, in lines as long as they are.
pub fn plain(diagnostic: &Diagnostic) -> String {
    anstream::adapter::strip_str(&text(diagnostic, None)).to_string()
}

/// Of standard error; `None`: it is no terminal.
fn terminal_width() -> Option<usize> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let (width, _) = terminal_size::terminal_size_of(std::io::stderr())?;
    Some(usize::from(width.0).max(NARROWEST))
}

/// With the signs for colours, which the stream leaves out where nobody sees them.
fn text(diagnostic: &Diagnostic, width: Option<usize>) -> String {
    let level = match diagnostic.severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Refused | Severity::Input | Severity::Defect => Level::ERROR,
    };
    let message = broken(&diagnostic.message, width);
    let title = level.primary_title(message).id(diagnostic.code);
    let places = diagnostic.place.iter().map(|place| (&**place, None));
    let labels = (diagnostic.labels.iter()).map(|label| (&label.place, Some(label.text.as_str())));
    let spots: Vec<Spot> = places
        .chain(labels)
        .map(|(place, label)| Spot::of(place, label))
        .collect();
    let help = (diagnostic.help.as_ref()).map(|help| broken(help, width));
    let elements = spots.iter().map(Spot::element);
    let help = help.map(|help| Element::from(Level::HELP.message(help)));
    let group = Group::with_title(title).elements(elements.chain(help));
    let renderer = Renderer::styled().term_width(width.unwrap_or(WIDEST));
    renderer.render(&[group])
}

/// Lines no longer than a terminal's, with room for what stands in front.
fn broken(text: &str, width: Option<usize>) -> String {
    const IN_FRONT: usize = 12;
    match width {
        None => text.to_owned(),
        Some(width) => textwrap::fill(text, width - IN_FRONT),
    }
}

/// What is shown of a place.
struct Spot {
    /// The file; of a line, that of the line.
    path: String,
    /// A line, its number, what is meant in it, and what is to be said of that.
    line: Option<(String, usize, Range<usize>, String)>,
}

impl Spot {
    fn of(place: &Place, label: Option<&str>) -> Spot {
        let said = |unit: String| match label {
            Some(label) if unit.is_empty() => label.to_owned(),
            Some(label) => format!("{unit}: {label}"),
            None => unit,
        };
        let shown = match &place.source {
            Some(source) => {
                let within = Place {
                    source: None,
                    ..place.clone()
                };
                let text = source.text.trim_end().to_owned();
                Some((
                    &source.file,
                    source.line,
                    source.column,
                    text,
                    within.to_string(),
                ))
            }
            None => line_of(place).map(|text| {
                let unit = place.unit.clone();
                (&place.file, place.line, place.column, text, unit)
            }),
        };
        match shown {
            Some((file, line, column, text, unit)) if !text.trim().is_empty() => {
                let meant = meant(&text, column);
                Spot {
                    path: file.clone(),
                    line: Some((text, line as usize, meant, said(unit))),
                }
            }
            _ => Spot {
                path: said(place.to_string()),
                line: None,
            },
        }
    }

    fn element(&self) -> Element<'_> {
        match &self.line {
            None => Origin::path(self.path.as_str()).into(),
            Some((text, line, meant, said)) => {
                let caret = AnnotationKind::Primary.span(meant.clone());
                let caret = match said.is_empty() {
                    true => caret,
                    false => caret.label(said.as_str()),
                };
                Snippet::source(text.as_str())
                    .line_start(*line)
                    .path(self.path.as_str())
                    .annotation(caret)
                    .into()
            }
        }
    }
}

/// The line of a text file that can still be read.
fn line_of(place: &Place) -> Option<String> {
    if place.line == 0 {
        return None;
    }
    let text = std::fs::read_to_string(&place.file).ok()?;
    let line = text.lines().nth(place.line as usize - 1)?;
    Some(line.to_owned())
}

/// The bytes of a line that are meant: the word that begins at a column, or from there to the end; without a column all but the
/// white space around.
fn meant(text: &str, column: u32) -> Range<usize> {
    let end = text.trim_end().len();
    let begin = text.len() - text.trim_start().len();
    let Some(index) = (column as usize).checked_sub(1) else {
        return begin..end;
    };
    let begin = text.char_indices().nth(index).map_or(end, |(at, _)| at);
    if begin >= end {
        // Behind the end: what is missing.
        return end..end;
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let behind = &text[begin..end];
    match behind.find(|letter: char| !is_word(letter)) {
        Some(0) | None => begin..end,
        Some(length) => begin..begin + length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardpath_diagnostic::Source;

    fn plain(diagnostic: &Diagnostic, width: Option<usize>) -> String {
        anstream::adapter::strip_str(&text(diagnostic, width)).to_string()
    }

    #[test]
    fn a_line_of_the_source_with_a_caret() {
        let source = Source::new("firewall.c", 88)
            .column(5)
            .text("if (iph->ihl != 5)");
        let place = Place::of_file("firewall.o")
            .unit("section xdp, instruction 41")
            .compiled_from(source);
        let message = Diagnostic::refused("loop", "it never ends")
            .at(place)
            .help("bound it");
        assert_eq!(
            plain(&message, None),
            "error[loop]: it never ends\n  \
             --> firewall.c:88:5\n   |\n\
             88 | if (iph->ihl != 5)\n   |     ^^^ firewall.o: section xdp, instruction 41\n   |\n   \
             = help: bound it"
        );
    }

    #[test]
    fn places_without_a_line() {
        let message = Diagnostic::input("cannot-read", "no such file").at(Place::of_file("no.o"));
        assert_eq!(
            plain(&message, None),
            "error[cannot-read]: no such file\n--> no.o"
        );
        assert_eq!(
            plain(&Diagnostic::note("loop", "unrolled"), None),
            "note[loop]: unrolled"
        );
    }

    #[test]
    fn what_is_meant_in_a_line() {
        assert_eq!(meant("  ab = 1; ", 0), 2..9);
        assert_eq!(meant("  ab = 1; ", 3), 2..4);
        assert_eq!(meant("  ab = 1; ", 6), 5..9);
        assert_eq!(meant("äb c", 2), 2..3);
        assert_eq!(meant("ab", 9), 2..2);
    }

    #[test]
    fn long_messages_are_broken_for_a_terminal() {
        let words = ["word"; 40].join(" ");
        let message = Diagnostic::warning("loop", words.clone());
        assert!(plain(&message, None).contains(&words));
        let lines = plain(&message, Some(60));
        assert!(lines.lines().count() > 3 && lines.lines().all(|line| line.len() <= 60));
    }
}
