//! `hardpath explain`: what a message's code means, from the page in the docs.

use crate::answer::Answer;
use crate::arguments::ExplainArguments;
use crate::table::facts;
use hardpath_diagnostic::{suggest, Diagnostic};
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

fn unknown(code: &str, sections: &[Section]) -> Diagnostic {
    let codes = sections.iter().map(|section| section.code);
    let error = Diagnostic::input(
        "unknown-code",
        format!("there is no message with code `{code}`"),
    );
    error.help(format!(
        "{}`hardpath explain` lists all codes",
        suggest::meant(code, codes)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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
