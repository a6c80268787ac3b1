//! Reading a file: its alternatives, what it includes, and the lines that say what is to be done.

use hardpath_ir::{parse, verifier, Program};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// In front of what a text must become.
pub const EXPECT: &str = "; expect:\n";

/// One test: a file with its names replaced.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file below `cases/`, without its ending, and the words chosen: `hazards/double ENTRIES=5`.
    pub name: String,
    /// Of the file, to be named where a line has no meaning.
    pub path: PathBuf,
    /// The program's text, with the lines that say what is to be done.
    pub text: String,
    /// What stands behind [`EXPECT`].
    pub expected: Option<String>,
}

impl Case {
    /// What is behind `; KEY:`, for each such line.
    pub fn lines<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a str> {
        let start = format!("; {key}: ");
        let lines = self.text.lines();
        lines.filter_map(move |line| line.strip_prefix(start.as_str()))
    }

    /// What is behind the first line `; KEY:`.
    pub fn line(&self, key: &str) -> Option<&str> {
        self.lines(key).next()
    }

    /// # Panics
    /// The text is no program, or breaks a rule of the IR.
    pub fn program(&self) -> Program {
        read(&self.text)
    }
}

/// A program's text.
///
/// # Panics
/// It is no program, or breaks a rule of the IR.
pub fn read(text: &str) -> Program {
    let program = parse::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    valid(&program);
    program
}

/// # Panics
/// The program breaks a rule of the IR.
pub fn valid(program: &Program) {
    if let Err(errors) = verifier::verify(program) {
        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}\n{program}", list.join("\n"));
    }
}

/// All tests of all files, by name.
///
/// # Panics
/// A file cannot be read, or one of its lines has no meaning.
pub fn all() -> Vec<Case> {
    let mut paths = Vec::new();
    find(&folder(), &mut paths);
    paths.sort();
    paths.iter().flat_map(|path| cases(path)).collect()
}

/// The text of a file below `cases/`, with these words for names; a name that is not given has its first word.
///
/// # Panics
/// There is no such file, or it has no such name.
pub fn text(name: &str, words: &[(&str, &str)]) -> String {
    let path = folder().join(name).with_extension("hir");
    let (input, _) = read_file(&path);
    let mut chosen: Words = alternatives(&input, &path).swap_remove(0);
    for (name, word) in words {
        let known = chosen.insert(String::from(*name), String::from(*word));
        assert!(known.is_some(), "{} has no {name}", path.display());
    }
    expand(&input, &chosen, &path)
}

type Words = BTreeMap<String, String>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() {
            find(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "hir") {
            paths.push(path);
        }
    }
}

/// The text in front of [`EXPECT`], and behind it.
fn read_file(path: &Path) -> (String, Option<String>) {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match text.split_once(EXPECT) {
        Some((input, expected)) => (input.into(), Some(expected.into())),
        None => (text, None),
    }
}

fn cases(path: &Path) -> Vec<Case> {
    let (input, expected) = read_file(path);
    let below = path.strip_prefix(folder()).expect("it lies there");
    let file = below.with_extension("").display().to_string();
    let all = alternatives(&input, path).into_iter().map(|words| {
        let shown = words.iter().map(|(name, word)| format!(" {name}={word}"));
        Case {
            name: format!("{file}{}", shown.collect::<String>()),
            path: path.into(),
            text: expand(&input, &words, path),
            expected: expected.clone(),
        }
    });
    all.collect()
}

/// Every combination of what the lines `; let:` offer; one without names where there are none.
fn alternatives(input: &str, path: &Path) -> Vec<Words> {
    let mut all = vec![Words::new()];
    for line in input.lines() {
        let Some(line) = line.strip_prefix("; let: ") else {
            continue;
        };
        let wrong = || {
            panic!(
                "{}: `{line}` is not NAME … = word …, word …",
                path.display()
            )
        };
        let (names, offers) = line.split_once(" = ").unwrap_or_else(wrong);
        let names: Vec<&str> = names.split_whitespace().collect();
        let offers = offers.split(',').map(|offer| {
            let words: Vec<&str> = offer.split_whitespace().collect();
            if words.len() != names.len() {
                wrong();
            }
            names
                .iter()
                .zip(words)
                .map(|(name, word)| (String::from(*name), String::from(word)))
        });
        let offers: Vec<Words> = offers.map(Iterator::collect).collect();
        let combined = all.iter().flat_map(|words| {
            offers.iter().map(|offer| {
                let mut words = words.clone();
                words.extend(offer.clone());
                words
            })
        });
        all = combined.collect();
    }
    all
}

/// The text with names replaced and what it includes.
fn expand(input: &str, words: &Words, path: &Path) -> String {
    let mut text = String::new();
    for line in input.lines() {
        let line = replaced(line, words);
        match line.strip_prefix("; include: ") {
            None => text += &line,
            Some(what) => {
                let mut parts = what.split_whitespace();
                let file = path.with_file_name(parts.next().unwrap_or_default());
                let given = parts.map(|part| {
                    let (name, word) = part
                        .split_once('=')
                        .unwrap_or_else(|| panic!("{}: `{part}` is not NAME=word", path.display()));
                    (name.into(), word.into())
                });
                let (included, _) = read_file(&file);
                text += expand(&included, &given.collect(), &file).trim_end();
            }
        }
        text.push('\n');
    }
    text
}

/// The longest names first, so that none is taken for another's beginning.
fn replaced(line: &str, words: &Words) -> String {
    let mut names: Vec<&String> = words.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.iter().fold(line.into(), |line: String, name| {
        line.replace(&format!("${name}"), &words[*name])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_words() {
        let path = Path::new("x.hir");
        let text = "; let: A B = 1 2, 3 4\n; let: AB = x, y\n$A $B $AB $A$B\n";
        let all = alternatives(text, path);
        let last: Vec<String> = (all.iter())
            .map(|words| {
                expand(text, words, path)
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .into()
            })
            .collect();
        assert_eq!(last, ["1 2 x 12", "1 2 y 12", "3 4 x 34", "3 4 y 34"]);
        assert_eq!(alternatives("no names", path).len(), 1);
    }

    #[test]
    #[should_panic(expected = "is not NAME")]
    fn a_line_without_meaning_is_told() {
        alternatives("; let: A = 1 2\n", Path::new("x.hir"));
    }

    #[test]
    fn files_are_included_with_words_of_their_own() {
        let soon = text("hazards/hash_values", &[("ENTRIES", "5")]);
        assert!(
            soon.contains("entries 5") && soon.contains("v50:64 = add v22, v3"),
            "{soon}"
        );
        let late = text("hazards/hash_values", &[("WORD", "late")]);
        assert!(late.contains("v58:64 = select v56, v57, v54"), "{late}");
    }
}
