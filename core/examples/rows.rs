//! Rows of programs in text form: `rows LANES FILE.hir…`; with `-v` in front the rows themselves.
use hardpath_core::compile::compile;
use hardpath_core::image::Machine;

fn main() {
    let mut words = std::env::args().skip(1).peekable();
    let verbose = words.next_if(|word| word == "-v").is_some();
    let lanes = words.next().and_then(|word| word.parse().ok()).unwrap_or(4);
    for file in words {
        let text = std::fs::read_to_string(&file).expect("a file");
        let program = hardpath_ir::parse::parse(&text).expect("a program");
        match compile(&program, &Machine::with_lanes(lanes)) {
            Ok(compiled) => {
                println!(
                    "{file}: {} rows, {} operations",
                    compiled.image.rows.len(),
                    compiled.image.operations()
                );
                if std::env::var("PREPARED").is_ok() {
                    println!("{}", compiled.program);
                }
                if verbose {
                    print!(
                        "{}",
                        hardpath_core::text::print(&compiled.image, Some(&compiled.origins))
                    );
                }
            }
            Err(errors) => println!("{file}: {errors:?}"),
        }
    }
}
