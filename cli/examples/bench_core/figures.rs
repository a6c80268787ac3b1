//! How figures are written.

use super::programs::Subject;

pub fn one_place(number: f64) -> String {
    format!("{number:.1}")
}

pub fn two_places(number: f64) -> String {
    format!("{number:.2}")
}

/// A program with the options that the command is given.
pub fn title(subject: &Subject) -> String {
    match subject.options.is_empty() {
        true => subject.name.clone(),
        false => format!("{} `{}`", subject.name, subject.options),
    }
}
