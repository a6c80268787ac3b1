//! Tests that stand in files beside the programs that they are of: a program `name.p4`, its tests `name.stf`, `name-more.stf`.

use std::collections::BTreeSet;
use std::path::Path;

/// Names of a folder's programs, each with those of its tests: a test is of the program with the longest name that fits.
///
/// # Panics
/// The folder cannot be read, or a test has no program.
pub fn paired(folder: &Path, program: &str, test: &str) -> Vec<(String, Vec<String>)> {
    let programs = names(folder, program).into_iter();
    let mut all: Vec<(String, Vec<String>)> = programs.map(|name| (name, Vec::new())).collect();
    for test in names(folder, test) {
        let fits = |(name, _): &&mut (String, Vec<String>)| {
            let rest = test.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let fitting = all.iter_mut().filter(fits);
        match fitting.max_by_key(|(name, _)| name.len()) {
            Some((_, tests)) => tests.push(test),
            None => panic!("{test} has no program"),
        }
    }
    all
}

/// Names of the files with this ending.
fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(folder).expect("the folder of tests can be read");
    let paths = files.map(|file| file.expect("it can be listed").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|own| own == ending));
    let name = |path: std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.map(name).collect()
}
