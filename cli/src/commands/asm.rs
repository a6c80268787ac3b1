//! `hardpath asm`: a core's program from text to image.

use crate::answer::Answer;
use crate::arguments::AsmArguments;
use crate::files;
use hardpath_core::image::{file, Image};
use hardpath_core::text;
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::count::counted;
use serde_json::json;

pub fn run(arguments: &AsmArguments) -> Result<Answer, Vec<Diagnostic>> {
    let bytes = files::read(&arguments.file).map_err(one)?;
    let name = arguments.file.display().to_string();
    let image = read(&bytes, &name)?;
    let in_file = |error: Diagnostic| vec![error.in_file(&name)];
    let words = image.words().map_err(in_file)?.len();
    if let Some(path) = &arguments.output {
        let bytes = image.to_bytes().map_err(in_file)?;
        files::write_bytes(path, &bytes).map_err(one)?;
    }
    let output = arguments.output.as_ref();
    let output = output.map(|path| path.display().to_string());
    let object = json!({
        "program": image.name,
        "lanes": image.lanes,
        "rows": image.rows.len(),
        "operations": image.operations(),
        "program_words": words,
        "file": output,
    });
    let mut text = format!(
        "{}: {}, {}, {}",
        image.name,
        counted(image.rows.len(), "row"),
        counted(image.operations(), "operation"),
        counted(words, "word"),
    );
    text += &output.map_or(String::new(), |path| format!(", in {path}"));
    Ok(Answer::good(object, text + "\n"))
}

fn one(error: Diagnostic) -> Vec<Diagnostic> {
    vec![error]
}

fn read(bytes: &[u8], name: &str) -> Result<Image, Vec<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        let help = match bytes.starts_with(&file::MAGIC) {
            true => "this is an image already; `hardpath disasm` gives its text",
            false => "give a program as `hardpath disasm` prints it",
        };
        let error = Diagnostic::input("not-text", "the file is not UTF-8 text");
        one(error.at(Place::of_file(name)).help(help))
    })?;
    text::parse(text).map_err(|errors| {
        let errors = errors.into_iter();
        errors.map(|error| error.in_file(name)).collect()
    })
}
