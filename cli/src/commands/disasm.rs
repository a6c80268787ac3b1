//! `hardpath disasm`: a core's program from image to text.

use crate::answer::Answer;
use crate::arguments::DisasmArguments;
use crate::files;
use hardpath_core::image::Image;
use hardpath_core::text;
use hardpath_diagnostic::Diagnostic;
use serde_json::json;

pub fn run(arguments: &DisasmArguments) -> Result<Answer, Vec<Diagnostic>> {
    disassemble(arguments).map_err(|error| vec![error])
}

fn disassemble(arguments: &DisasmArguments) -> Result<Answer, Diagnostic> {
    let bytes = files::read(&arguments.image)?;
    let in_file = |error: Diagnostic| error.in_file(arguments.image.display());
    let image = Image::from_bytes(&bytes).map_err(in_file)?;
    let text = text::print(&image, None);
    let object = json!({
        "program": image.name,
        "lanes": image.lanes,
        "rows": image.rows.len(),
        "operations": image.operations(),
        "text": text,
    });
    Ok(Answer::good(object, text))
}
