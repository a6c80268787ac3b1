//! Programs on the command line of the examples that synthesize: `OBJECT` or `OBJECT@OPTION,OPTION…`, where an option
//! is a number of bytes (`--depth`) or `MAP=N` (`--max-entries`).

use hardpath_diagnostic::Diagnostic;
use hardpath_ebpf::LoadOptions;
use hardpath_pipeline::{Compiled, Options};
use std::path::Path;
use std::process::ExitCode;

/// A program with the options that it is compiled with.
pub struct Given {
    file: String,
    depth: Option<u32>,
    max_entries: Vec<(String, u32)>,
}

impl Given {
    /// # Errors
    /// What cannot be read, in one line.
    pub fn read(argument: &str) -> Result<Given, String> {
        let (file, options) = argument.split_once('@').unwrap_or((argument, ""));
        let mut given = Given {
            file: file.to_string(),
            depth: None,
            max_entries: Vec::new(),
        };
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let number = |text: &str| {
                text.parse().map_err(|_| {
                    format!("{argument}: `{option}` is neither a depth nor MAP=ENTRIES")
                })
            };
            match option.split_once('=') {
                Some((map, entries)) => given.max_entries.push((map.into(), number(entries)?)),
                None => given.depth = Some(number(option)?),
            }
        }
        Ok(given)
    }

    /// The program's name and the options, as the command would be given them.
    pub fn title(&self) -> String {
        let name = Path::new(&self.file).file_stem().unwrap_or_default();
        let mut options: Vec<String> = Vec::new();
        options.extend(self.depth.map(|depth| format!("--depth {depth}")));
        let sizes = self.max_entries.iter();
        options.extend(sizes.map(|(map, entries)| format!("--max-entries {map}={entries}")));
        match options.is_empty() {
            true => name.to_string_lossy().into_owned(),
            false => format!("{} `{}`", name.to_string_lossy(), options.join(" ")),
        }
    }

    pub fn compile(&self, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
        let bytes = std::fs::read(&self.file).map_err(|error| {
            let message = format!("{}: {error}", self.file);
            vec![Diagnostic::input("cannot-read", message)]
        })?;
        let load = LoadOptions {
            max_entries: self.max_entries.iter().cloned().collect(),
            ..LoadOptions::default()
        };
        let object = hardpath_ebpf::load(&bytes, &self.file, &load)?;
        let image = object.choose(None).map_err(|error| vec![error])?.clone();
        let mut program = hardpath_ebpf::lift(&object, &image)?;
        if let Some(depth) = self.depth {
            hardpath_passes::limit_depth(&mut program, depth).map_err(|error| vec![error])?;
        }
        hardpath_pipeline::compile(program, options)
    }
}

/// The command line of an example: objects, with `--docs FILE` in front to keep the page, too.
pub fn run(introduction: &str, page: impl Fn(&[Given]) -> Result<String, String>) -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut docs = None;
    if arguments.len() > 1 && arguments[0] == "--docs" {
        docs = Some(arguments.remove(1));
        arguments.remove(0);
    }
    let programs: Result<Vec<Given>, String> =
        arguments.iter().map(|text| Given::read(text)).collect();
    let written = programs.and_then(|programs| {
        let page = page(&programs)?;
        match docs.map(|file| std::fs::write(file, format!("{introduction}{page}"))) {
            Some(Err(error)) => Err(format!("the page cannot be written: {error}")),
            _ => Ok(()),
        }
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
