//! From a design to a shared library: print, Verilator, C++ compiler.

use super::tool::{self, Tool};
use super::{wrapper, VerilatorOptions};
use crate::dut::Port;
use hardpath_ir::Diagnostic;
use hardpath_rtl::Design;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The shared library of a design, from the cache or built now.
pub fn library(
    design: &Design,
    ports: &[(String, Port)],
    options: &VerilatorOptions,
) -> Result<PathBuf, Diagnostic> {
    let tool = tool::find()?;
    let compiler = Compiler::find()?;
    let top = &design.modules[design.top()].name;
    let mut sources = hardpath_rtl::verilog::print(design);
    sources.push(("wrapper.cpp".into(), wrapper::source(ports)));
    sources.push(("printing.h".into(), wrapper::PRINTING.into()));

    let flags = verilator_flags(top);
    let cxx_flags = cxx_flags(&tool, options);
    let mut content = Sha256::new();
    let mut add = |text: &str| {
        content.update((text.len() as u64).to_le_bytes());
        content.update(text);
    };
    for text in [&tool.version, &compiler.version, &tool.root.display().to_string()] {
        add(text);
    }
    for text in flags.iter().chain(&cxx_flags) {
        add(text);
    }
    for (name, text) in &sources {
        add(name);
        add(text);
    }
    let name: String = content.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let cache = options.cache.clone().unwrap_or_else(default_cache);
    let library = cache.join(format!("{top}-{name}.so"));
    if library.is_file() {
        return Ok(library);
    }

    fs::create_dir_all(&cache).map_err(|error| file_error(&cache, error))?;
    let folder = tempfile::Builder::new()
        .prefix("building-")
        .tempdir_in(&cache)
        .map_err(|error| file_error(&cache, error))?;
    for (name, text) in &sources {
        let path = folder.path().join(name);
        fs::write(&path, text).map_err(|error| file_error(&path, error))?;
    }
    verilate(&tool, folder.path(), &flags, &sources)?;
    let built = compile(&tool, &compiler, folder.path(), &cxx_flags)?;
    // A rename is atomic: another process sees the whole library or none.
    fs::rename(&built, &library).map_err(|error| file_error(&library, error))?;
    Ok(library)
}

fn verilator_flags(top: &str) -> Vec<String> {
    // Zeros where the hardware IR has zeros; warnings are the lint run's business, not this one's.
    let flags = "--cc -O3 --assert --x-assign 0 --x-initial 0 --no-timing -Wno-fatal -Wno-lint -Wno-style \
                 --prefix Vdut --Mdir generated --top-module";
    let flags = flags.split_whitespace().map(String::from);
    flags.chain(std::iter::once(top.to_string())).collect()
}

fn cxx_flags(tool: &Tool, options: &VerilatorOptions) -> Vec<String> {
    let include = tool.root.join("include");
    let level = format!("-O{}", options.cxx_optimization.min(3));
    let mut flags: Vec<String> = [
        "-std=c++17",
        "-fPIC",
        "-w",
        "-DVL_USER_STOP",
        "-DVL_USER_FATAL",
        "-DVL_USER_FINISH",
        "-DVL_PRINTF=hardpath_printf",
        "-include",
        "printing.h",
        "-Igenerated",
    ]
    .map(String::from)
    .to_vec();
    flags.push(level);
    flags.push(format!("-I{}", include.display()));
    flags.push(format!("-I{}", include.join("vltstd").display()));
    flags
}

fn verilate(
    tool: &Tool,
    folder: &Path,
    flags: &[String],
    sources: &[(String, String)],
) -> Result<(), Diagnostic> {
    let verilog = sources.iter().map(|(name, _)| name);
    let verilog = verilog.filter(|name| name.ends_with(".sv") || name.ends_with(".v"));
    let mut command = Command::new(&tool.executable);
    command
        .args(flags)
        .args(verilog)
        .env("VERILATOR_ROOT", &tool.root)
        .current_dir(folder);
    tool::output(&mut command).map(drop).map_err(|why| {
        Diagnostic::input("verilator-failed", format!("Verilator does not take the printed design: {why}"))
            .at(folder.display().to_string())
            .help("this is a defect of the printed SystemVerilog: please report it with the program")
    })
}

/// Compiles model, wrapper and Verilator's run-time library into one shared library.
fn compile(
    tool: &Tool,
    compiler: &Compiler,
    folder: &Path,
    flags: &[String],
) -> Result<PathBuf, Diagnostic> {
    let generated = folder.join("generated");
    let mut files = vec![PathBuf::from("wrapper.cpp")];
    for entry in fs::read_dir(&generated).map_err(|error| file_error(&generated, error))? {
        let path = entry.map_err(|error| file_error(&generated, error))?.path();
        if path.extension().is_some_and(|extension| extension == "cpp") {
            files.push(path);
        }
    }
    files.sort();
    for part in ["verilated.cpp", "verilated_threads.cpp"] {
        files.push(tool.root.join("include").join(part));
    }
    // One file that includes all parts of the model: one compiler run, and calls between parts are inlined.
    let all: String = files.iter().map(|file| format!("#include \"{}\"\n", file.display())).collect();
    let all_path = folder.join("all.cpp");
    fs::write(&all_path, all).map_err(|error| file_error(&all_path, error))?;

    let library = folder.join("model.so");
    let mut command = Command::new(&compiler.executable);
    command
        .args(flags)
        .arg("-shared")
        .arg("all.cpp")
        .arg("-o")
        .arg(&library)
        .arg("-pthread")
        .current_dir(folder);
    tool::output(&mut command).map_err(|why| {
        Diagnostic::input("verilator-failed", format!("the model does not compile: {why}"))
            .at(folder.display().to_string())
            .help("apt install g++, or set CXX to a compiler for C++17")
    })?;
    Ok(library)
}

struct Compiler {
    executable: String,
    version: String,
}

impl Compiler {
    fn find() -> Result<Compiler, Diagnostic> {
        let executable = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
        let version = tool::output(Command::new(&executable).arg("--version")).map_err(|why| {
            Diagnostic::input("compiler-missing", format!("Verilator needs a C++ compiler: {why}"))
                .help("apt install g++, or set CXX")
        })?;
        Ok(Compiler {
            executable,
            version,
        })
    }
}

fn default_cache() -> PathBuf {
    let user = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME")?;
        Some(PathBuf::from(home).join(".cache"))
    });
    user.unwrap_or_else(std::env::temp_dir).join("hardpath").join("verilator")
}

fn file_error(path: &Path, error: std::io::Error) -> Diagnostic {
    Diagnostic::input("verilator-cache", format!("cannot build a model for Verilator: {error}"))
        .at(path.display().to_string())
        .help("set XDG_CACHE_HOME to a folder that can be written")
}
