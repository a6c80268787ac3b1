//! From a design to a shared library: print, Verilator, C++ compiler. Verilator's own run-time library is compiled
//! once and linked to every model.

use super::tool::{self, Tool};
use super::{wrapper, VerilatorOptions};
use crate::dut::{no_text, Port};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_rtl::Design;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// By path: what is built or has been, each locked meanwhile, so that two threads that want one model do not build it twice.
static BUILDING: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());

/// The shared library of a design, from the cache or built now.
pub fn library(
    design: &Design,
    ports: &[(String, Port)],
    options: &VerilatorOptions,
) -> Result<PathBuf, Diagnostic> {
    let builder = Builder {
        tool: match &options.executable {
            Some(executable) => tool::at(executable)?,
            None => tool::find()?,
        },
        compiler: Compiler::find()?,
        cache: options.cache.clone().unwrap_or_else(default_cache),
    };
    let top = &design.modules[design.top()].name;
    let mut sources = hardpath_rtl::verilog::print(design).map_err(no_text)?;
    let clocks = wrapper::clock_names(design);
    sources.push(("wrapper.cpp".into(), wrapper::source(ports, &clocks)));
    sources.push(("memories.vlt".into(), wrapper::visible_memories(design)));
    let flags = verilator_flags(top);
    let optimization = format!("-O{}", options.cxx_optimization.min(3));

    let runtime = builder.runtime()?;
    let texts = sources
        .iter()
        .flat_map(|(name, text)| [name.as_str(), text.as_str()]);
    let key = builder.key(
        texts
            .chain(flags.iter().map(String::as_str))
            .chain([optimization.as_str()]),
    );
    builder.cached(&format!("{top}-{key}.so"), |folder| {
        for (name, text) in &sources {
            write(&folder.join(name), text)?;
        }
        builder.verilate(folder, &flags, &sources)?;
        builder.compile_model(folder, &optimization, &runtime)
    })
}

struct Builder {
    tool: Tool,
    compiler: Compiler,
    cache: PathBuf,
}

impl Builder {
    /// A name for what is built from these texts with these tools.
    fn key<'a>(&self, texts: impl Iterator<Item = &'a str>) -> String {
        let root = self.tool.root.display().to_string();
        let tools = [
            &self.tool.version,
            &self.compiler.version,
            &root,
            wrapper::PRINTING,
        ];
        let mut content = Sha256::new();
        let mut add = |text: &str| {
            content.update((text.len() as u64).to_le_bytes());
            content.update(text);
        };
        tools.into_iter().chain(CXX_FLAGS).for_each(&mut add);
        texts.for_each(add);
        content.finalize()[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// The file of that name in the cache. Where it is missing, `build` makes it in a folder of its own.
    fn cached(
        &self,
        name: &str,
        build: impl FnOnce(&Path) -> Result<PathBuf, Diagnostic>,
    ) -> Result<PathBuf, Diagnostic> {
        let path = self.cache.join(name);
        let lock = {
            let mut building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(building.entry(path.clone()).or_default())
        };
        let _one_at_a_time = lock.lock().unwrap_or_else(PoisonError::into_inner);
        if path.is_file() {
            return Ok(path);
        }
        fs::create_dir_all(&self.cache).map_err(|error| file_error(&self.cache, error))?;
        let folder = tempfile::Builder::new()
            .prefix("building-")
            .tempdir_in(&self.cache)
            .map_err(|error| file_error(&self.cache, error))?;
        write(&folder.path().join(PRINTING_FILE), wrapper::PRINTING)?;
        let built = build(folder.path())?;
        // A rename is atomic: another process sees the whole file or none.
        fs::rename(&built, &path).map_err(|error| file_error(&path, error))?;
        Ok(path)
    }

    fn runtime(&self) -> Result<PathBuf, Diagnostic> {
        let key = self.key(std::iter::empty());
        self.cached(&format!("runtime-{key}.o"), |folder| {
            let include = self.tool.root.join("include");
            let parts = ["verilated.cpp", "verilated_threads.cpp"].map(|part| include.join(part));
            write(&folder.join("runtime.cpp"), &includes(&parts))?;
            self.compile(folder, &["-O2", "-c", "runtime.cpp", "-o", "runtime.o"])?;
            Ok(folder.join("runtime.o"))
        })
    }

    fn verilate(
        &self,
        folder: &Path,
        flags: &[String],
        sources: &[(String, String)],
    ) -> Result<(), Diagnostic> {
        let names = sources.iter().map(|(name, _)| name);
        let is_input = |name: &&String| name.ends_with(".sv") || name.ends_with(".vlt");
        let mut command = Command::new(&self.tool.executable);
        command
            .args(flags)
            .args(names.filter(is_input))
            .env("VERILATOR_ROOT", &self.tool.root)
            .current_dir(folder);
        tool::output(&mut command).map(drop).map_err(|why| {
            let message = format!("Verilator does not take the printed design: {why}");
            Diagnostic::defect("verilator-failed", message).help(
                "this is a defect of the printed SystemVerilog: please report it with the program",
            )
        })
    }

    /// Compiles model and wrapper as one file (one compiler run, and calls between parts are inlined) and links
    /// the run-time library.
    fn compile_model(
        &self,
        folder: &Path,
        optimization: &str,
        runtime: &Path,
    ) -> Result<PathBuf, Diagnostic> {
        let generated = folder.join("generated");
        let mut parts = vec![PathBuf::from("wrapper.cpp")];
        for entry in fs::read_dir(&generated).map_err(|error| file_error(&generated, error))? {
            let path = entry.map_err(|error| file_error(&generated, error))?.path();
            if path.extension().is_some_and(|extension| extension == "cpp") {
                parts.push(path);
            }
        }
        parts.sort();
        write(&folder.join("model.cpp"), &includes(&parts))?;
        let runtime = runtime.display().to_string();
        self.compile(
            folder,
            &[
                optimization,
                "-shared",
                "model.cpp",
                &runtime,
                "-o",
                "model.so",
                "-pthread",
            ],
        )?;
        Ok(folder.join("model.so"))
    }

    fn compile(&self, folder: &Path, arguments: &[&str]) -> Result<(), Diagnostic> {
        let include = self.tool.root.join("include");
        let mut command = Command::new(&self.compiler.executable);
        command
            .args(CXX_FLAGS)
            .arg(format!("-I{}", include.display()))
            .arg(format!("-I{}", include.join("vltstd").display()))
            .args(arguments)
            .current_dir(folder);
        tool::output(&mut command).map(drop).map_err(|why| {
            Diagnostic::input(
                "verilator-failed",
                format!("the model does not compile: {why}"),
            )
            .help("apt install g++, or set CXX to a compiler for C++17")
        })
    }
}

const PRINTING_FILE: &str = "printing.h";

const CXX_FLAGS: [&str; 10] = [
    "-std=c++17",
    "-fPIC",
    "-w",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
    "-DVL_USER_FINISH",
    "-DVL_PRINTF=hardpath_printf",
    "-include",
    PRINTING_FILE,
    "-Igenerated",
];

fn verilator_flags(top: &str) -> Vec<String> {
    // Zeros where the hardware IR has zeros; warnings are the lint run's business, not this one's.
    let flags =
        "--cc -O3 --assert --x-assign 0 --x-initial 0 --no-timing -Wno-fatal -Wno-lint -Wno-style \
                 --prefix Vdut --Mdir generated --top-module";
    let flags = flags.split_whitespace().map(String::from);
    flags.chain(std::iter::once(top.to_string())).collect()
}

fn includes(parts: &[PathBuf]) -> String {
    parts
        .iter()
        .map(|part| format!("#include \"{}\"\n", part.display()))
        .collect()
}

struct Compiler {
    executable: String,
    version: String,
}

impl Compiler {
    fn find() -> Result<Compiler, Diagnostic> {
        let executable = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
        let version = tool::output(Command::new(&executable).arg("--version")).map_err(|why| {
            Diagnostic::input(
                "compiler-missing",
                format!("Verilator needs a C++ compiler: {why}"),
            )
            .help("apt install g++, or set CXX")
        })?;
        Ok(Compiler {
            executable,
            version,
        })
    }
}

fn default_cache() -> PathBuf {
    let user = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| {
            let home = std::env::var_os("HOME")?;
            Some(PathBuf::from(home).join(".cache"))
        });
    user.unwrap_or_else(std::env::temp_dir)
        .join("hardpath")
        .join("verilator")
}

fn write(path: &Path, text: &str) -> Result<(), Diagnostic> {
    fs::write(path, text).map_err(|error| file_error(path, error))
}

fn file_error(path: &Path, error: std::io::Error) -> Diagnostic {
    Diagnostic::input(
        "verilator-cache",
        format!("cannot build a model for Verilator: {error}"),
    )
    .at(Place::of_file(path.display()))
    .help("set XDG_CACHE_HOME to a folder that can be written")
}
