//! From source to object, with the commands of the kernel's Makefiles.

use super::targets::{Origin, Target};
use super::Setting;
use crate::files;
use hardpath_diagnostic::Diagnostic;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A C compiler that knows BPF.
pub struct Compiler {
    /// `clang 14`.
    pub name: String,
    /// The words that start it.
    command: Vec<String>,
    /// Zig's compiler is clang with other defaults.
    is_zig: bool,
}

/// The compilers that the command lines start.
pub fn compilers(command_lines: &[String]) -> Result<Vec<Compiler>, Diagnostic> {
    command_lines
        .iter()
        .map(|line| {
            let command: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let version = run(words(&command).arg("--version")).map_err(|reason| {
                Diagnostic::input("compiler-missing", reason)
                    .at(line.as_str())
                    .help("give a command that starts clang, or install it: tools/setup")
            })?;
            let major = version
                .split_once("version ")
                .and_then(|(_, rest)| rest.split('.').next())
                .unwrap_or("?");
            Ok(Compiler {
                name: format!("clang {major}"),
                is_zig: command.iter().any(|word| word.contains("zig")),
                command,
            })
        })
        .collect()
}

/// Compiles a target; gives the object, or what went wrong. `None`: the object is ready-made.
pub fn build(
    setting: &Setting,
    target: &Target,
    compiler: Option<&Compiler>,
) -> Result<PathBuf, String> {
    let Some(compiler) = compiler else {
        return Ok(target.path.clone());
    };
    let folder = setting.work.join(compiler.name.replace(' ', "-"));
    files::create_folder(&folder).map_err(|error| error.to_string())?;
    let object = folder.join(format!("{}.o", target.name));
    match target.origin {
        Origin::KernelSample => kernel_sample(setting, target, compiler, &object)?,
        Origin::LinkedSample => linked_sample(setting, target, compiler, &object)?,
        Origin::Selftest => selftest(setting, target, compiler, &object)?,
        Origin::Own | Origin::Package => own(target, compiler, &object)?,
    }
    Ok(object)
}

/// `samples/bpf/Makefile`, `$(obj)/%.o: $(src)/%.c`: with the kernel's own headers for the host, to LLVM's
/// intermediate form, and from there to BPF.
fn kernel_sample(
    setting: &Setting,
    target: &Target,
    compiler: &Compiler,
    object: &Path,
) -> Result<(), String> {
    let samples = kernel(setting).join("samples/bpf");
    let headers = KernelHeaders::find()?;
    let host_form = object.with_extension("host.bc");
    let mut command = words(&compiler.command);
    command.arg("-nostdinc");
    headers.include(&mut command);
    command
        .arg(with_path("-I", &samples))
        .arg(with_path("-I", &selftests(setting)));
    if !compiler.is_zig {
        let resources = run(words(&compiler.command).arg("-print-resource-dir"))?;
        command
            .arg("-idirafter")
            .arg(format!("{}/include", resources.trim()));
    }
    command.args(["-idirafter", "/usr/include"]);
    command.args("-D__KERNEL__ -D__BPF_TRACING__ -D__TARGET_ARCH_x86 -Wno-unused-value -Wno-pointer-sign -Wno-compare-distinct-pointer-types -Wno-gnu-variable-sized-type-not-at-end -Wno-address-of-packed-member -Wno-tautological-compare -Wno-unknown-warning-option -fno-asynchronous-unwind-tables -fno-stack-protector -include asm_goto_workaround.h -g -O2 -emit-llvm -Xclang -disable-llvm-passes".split(' '));
    if compiler.is_zig {
        command.args(["-fno-sanitize=all", "-fno-unwind-tables"]);
    }
    run(command
        .arg("-c")
        .arg(&target.path)
        .arg("-o")
        .arg(&host_form))?;
    if compiler.is_zig {
        // There is no opt and no llc, but the compiler itself takes the intermediate form.
        let mut command = words(&compiler.command);
        command.args(["-target", "bpfel-freestanding-none", "-O2", "-c"]);
        run(command.arg(&host_form).arg("-o").arg(object))?;
        return Ok(());
    }
    let optimized = object.with_extension("bpf.bc");
    let mut command = Command::new("opt");
    run(command
        .args(["-O2", "-mtriple=bpf-pc-linux"])
        .arg(&host_form)
        .arg("-o")
        .arg(&optimized))?;
    let mut command = Command::new("llc");
    run(command
        .args(["-march=bpf", "-filetype=obj"])
        .arg(&optimized)
        .arg("-o")
        .arg(object))?;
    Ok(())
}

/// `samples/bpf/Makefile`, `$(obj)/%.bpf.o: $(src)/%.bpf.c`, then `bpftool gen object` with `xdp_sample.bpf.o`.
fn linked_sample(
    setting: &Setting,
    target: &Target,
    compiler: &Compiler,
    object: &Path,
) -> Result<(), String> {
    let kernel = kernel(setting);
    let samples = kernel.join("samples/bpf");
    let parts = [
        (target.path.clone(), object.with_extension("alone.o")),
        (
            samples.join("xdp_sample.bpf.c"),
            object.with_extension("sample.o"),
        ),
    ];
    for (source, part) in &parts {
        let mut command = bpf_command(compiler);
        command.args(["-g", "-O2", "-D__TARGET_ARCH_x86"]);
        command.arg("-Wno-compare-distinct-pointer-types");
        command
            .arg(with_path("-I", &kernel.join("include")))
            .arg(with_path("-I", &samples))
            .arg(with_path("-I", &kernel.join("tools/include")))
            .arg(with_path("-I", &setting.sources));
        system_includes(&mut command);
        run(command.arg("-c").arg(source).arg("-o").arg(part))?;
    }
    let mut command = Command::new("bpftool");
    command.args(["gen", "object"]).arg(object);
    run(command.args(parts.iter().map(|(_, part)| part)))?;
    Ok(())
}

/// `tools/testing/selftests/bpf/Makefile`, `CLANG_BPF_BUILD_RULE`.
fn selftest(
    setting: &Setting,
    target: &Target,
    compiler: &Compiler,
    object: &Path,
) -> Result<(), String> {
    let mut command = bpf_command(compiler);
    command.args(["-g", "-D__TARGET_ARCH_x86", "-mlittle-endian"]);
    command
        .arg(with_path("-I", &setting.sources))
        .arg(with_path("-I", &selftests(setting)))
        .arg(with_path("-I", &kernel(setting).join("tools/include/uapi")));
    if target.name == "test_xdp_noinline" {
        // The Makefile says so for this program.
        command.arg("-fno-inline");
    }
    system_includes(&mut command);
    command.arg("-Wno-compare-distinct-pointer-types");
    command.args(["-DENABLE_ATOMICS_TESTS", "-O2", "-mcpu=v3"]);
    run(command.arg("-c").arg(&target.path).arg("-o").arg(object)).map(drop)
}

/// As our Makefile's `make programs`.
fn own(target: &Target, compiler: &Compiler, object: &Path) -> Result<(), String> {
    let mut command = bpf_command(compiler);
    command.args(["-O2", "-g", "-Wall", "-Wextra", "-Werror"]);
    system_includes(&mut command);
    run(command.arg("-c").arg(&target.path).arg("-o").arg(object)).map(drop)
}

fn bpf_command(compiler: &Compiler) -> Command {
    let mut command = words(&compiler.command);
    match compiler.is_zig {
        false => command.args(["-target", "bpf"]),
        // Without these, memcpy is a call, and there is an .eh_frame.
        true => command.args([
            "-target",
            "bpfel-freestanding-none",
            "-fhosted",
            "-fbuiltin",
            "-fno-unwind-tables",
        ]),
    };
    command
}

/// What the Makefiles' `get_sys_includes` finds, but for the compiler's own headers, which it finds itself.
fn system_includes(command: &mut Command) {
    let machine = std::env::consts::ARCH;
    command
        .arg("-idirafter")
        .arg(format!("/usr/include/{machine}-linux-gnu"));
    command.args(["-idirafter", "/usr/include"]);
}

/// Debian's configured headers of the 6.1 kernel.
struct KernelHeaders {
    configured: PathBuf,
    common: PathBuf,
}

impl KernelHeaders {
    fn find() -> Result<KernelHeaders, String> {
        let entries = std::fs::read_dir("/usr/src").map_err(|error| error.to_string())?;
        let newest = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.starts_with("linux-headers-6.1.") && name.ends_with("-amd64"))
            .max();
        let name = newest.ok_or("the configured kernel headers are missing: tools/setup")?;
        let common = name.replace("-amd64", "-common");
        Ok(KernelHeaders {
            configured: Path::new("/usr/src").join(&name),
            common: Path::new("/usr/src").join(common),
        })
    }

    /// The kernel's `LINUXINCLUDE` and `USERINCLUDE`.
    fn include(&self, command: &mut Command) {
        let (common, configured) = (&self.common, &self.configured);
        for (root, folder) in [
            (common, "arch/x86/include"),
            (configured, "arch/x86/include/generated"),
            (common, "include"),
            (configured, "include"),
            (common, "arch/x86/include/uapi"),
            (configured, "arch/x86/include/generated/uapi"),
            (common, "include/uapi"),
            (configured, "include/generated/uapi"),
        ] {
            command.arg(with_path("-I", &root.join(folder)));
        }
        for header in ["compiler-version.h", "kconfig.h"] {
            command.arg("-include");
            command.arg(common.join("include/linux").join(header));
        }
    }
}

fn kernel(setting: &Setting) -> PathBuf {
    setting.sources.join("linux-source-6.1")
}

fn selftests(setting: &Setting) -> PathBuf {
    kernel(setting).join("tools/testing/selftests/bpf")
}

fn with_path(option: &str, path: &Path) -> String {
    format!("{option}{}", path.display())
}

fn words(words: &[String]) -> Command {
    let mut words = words.iter();
    let mut command = Command::new(words.next().map_or("clang", String::as_str));
    command.args(words);
    command
}

/// Runs a command to its end; gives what it prints, or its first error.
fn run(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first = text.lines().find(|line| line.contains("error"));
    let first = first.or(text.lines().next()).unwrap_or("it says nothing");
    Err(format!("{program} fails: {first}"))
}
