//! `hardpath explain`: what a message's code means, from the page in the docs.

use crate::answer::Answer;
use crate::arguments::ExplainArguments;
use crate::table::facts;
use hardpath_diagnostic::Diagnostic;
use serde_json::{json, Value};

const PAGE: &str = include_str!("../../../docs/codes.md");

/// A code's section of the page.
struct Section {
    code: &'static str,
    /// Without the heading.
    text: &'static str,
}

impl Section {
    /// The first sentence.
    fn summary(&self) -> String {
        let paragraph = self.text.split("\n\n").next().unwrap_or_default();
        let line = paragraph.replace('\n', " ");
        match line.find(". ") {
            Some(end) => line[..=end].to_owned(),
            None => line,
        }
    }

    fn json(&self) -> Value {
        json!({ "code": self.code, "text": self.text })
    }
}

pub fn run(arguments: &ExplainArguments) -> Result<Answer, Vec<Diagnostic>> {
    let sections = sections();
    let Some(wanted) = &arguments.code else {
        return Ok(list(&sections));
    };
    // As it stands in a message, too: error[lookup-after-update].
    let code = wanted.trim_start_matches("error[").trim_end_matches(']');
    match sections.iter().find(|section| section.code == code) {
        Some(section) => Ok(Answer::good(
            section.json(),
            format!("{}\n\n{}\n", section.code, section.text),
        )),
        None => Err(vec![unknown(code, &sections)]),
    }
}

fn sections() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for part in PAGE.split("\n## ").skip(1) {
        let (code, text) = part.split_once('\n').unwrap_or((part, ""));
        // A group's heading and introduction follow its last section.
        let text = text.split("\n# ").next().unwrap_or_default().trim();
        sections.push(Section { code, text });
    }
    sections
}

fn list(sections: &[Section]) -> Answer {
    let lines: Vec<(&str, String)> = sections
        .iter()
        .map(|section| (section.code, section.summary()))
        .collect();
    let json = sections.iter().map(Section::json).collect::<Vec<_>>();
    Answer::good(json!({ "codes": json }), facts(&lines))
}

/// How many codes are suggested.
const SUGGESTIONS: usize = 3;
/// Letters that may be wrong in a code that is suggested.
const TYPING_ERRORS: usize = 3;

fn unknown(code: &str, sections: &[Section]) -> Diagnostic {
    let mut near: Vec<(usize, &str)> = sections
        .iter()
        .map(|section| section.code)
        .map(|known| match known.contains(code) || code.contains(known) {
            true => (0, known),
            false => (distance(code, known), known),
        })
        .filter(|(distance, _)| *distance <= TYPING_ERRORS && !code.is_empty())
        .collect();
    near.sort_unstable();
    let near: Vec<&str> = near
        .iter()
        .take(SUGGESTIONS)
        .map(|(_, code)| *code)
        .collect();
    let error = Diagnostic::input(
        "unknown-code",
        format!("there is no message with code `{code}`"),
    );
    match near.is_empty() {
        true => error.help("`hardpath explain` lists all codes"),
        false => error.help(format!("did you mean {}?", near.join(", "))),
    }
}

/// Letters to insert, remove or replace (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted() {
        assert_eq!(distance("loop", "loop"), 0);
        assert_eq!(distance("lookup-after-updat", "lookup-after-update"), 1);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn every_section_says_something() {
        let sections = sections();
        assert!(sections.len() > 100);
        for section in &sections {
            assert!(section.summary().ends_with(['.', ':']), "{}", section.code);
            assert!(!section.text.contains("\n# "), "{}", section.code);
            let mut same = sections.iter().filter(|other| other.code == section.code);
            assert_eq!(same.by_ref().count(), 1, "{}", section.code);
        }
    }
}
