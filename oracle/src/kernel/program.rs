//! Loading the judged copy of a program.

use super::control::Control;
use super::functions::{self, FunctionInfo};
use super::maps::KernelMap;
use super::patch::{self, JumpTooFar};
use super::restrain;
use super::syscall::{self, LoadError, LoadedProgram, XdpContext};
use super::{unavailable, Form};
use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ebpf::{Insn, Object, ProgramImage};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

/// Lines of the verifier's log that an error shows.
const LOG_LINES: usize = 8;

/// Loads the program with its maps' descriptors, helpers under control and a zeroed stack, in one of its forms.
/// `descriptors` are by index into the object's maps.
pub fn load(
    object: &Object,
    program: &ProgramImage,
    descriptors: &BTreeMap<usize, i32>,
    control: &Control,
    form: Form,
) -> Result<OwnedFd, Diagnostic> {
    let (fd, code) = load_judged(object, program, descriptors, control)?;
    let restrained = match form {
        Form::AsItIs => None,
        Form::Restrained => restrain::load(&code, |code, more_flags| {
            let functions = functions_of(code)?;
            let flags = flags(program) | more_flags;
            syscall::program_load_followed(&program.name, code, flags, functions.as_ref())
        }),
    };
    // Where the kernel takes no other form, there is no other answer.
    Ok(restrained.unwrap_or(fd))
}

/// The program as it is, and the instructions that were loaded.
fn load_judged(
    object: &Object,
    program: &ProgramImage,
    descriptors: &BTreeMap<usize, i32>,
    control: &Control,
) -> Result<(OwnedFd, Vec<Insn>), Diagnostic> {
    let flags = flags(program);
    let place = Place::of_file(&object.file).unit(format!("section {}", program.section));
    let too_far = |error: JumpTooFar| {
        Diagnostic::input(
            "kernel-patch-failed",
            format!(
                "the judged copy is longer than the program, and the jump at instruction {} does not reach its \
                 target any more",
                error.slot
            ),
        )
        .at(place.clone())
        .help("compare with `--against interpreter`")
    };
    let load = |code: &[Insn]| -> Result<LoadedProgram, LoadError> {
        let functions = functions_of(code)?;
        syscall::program_load(&program.name, code, flags, functions.as_ref())
    };

    let linked = with_descriptors(program, descriptors);
    let mut controlled = patch::control_helpers(&linked, control.descriptor()).map_err(too_far)?;
    let LoadedProgram { fd, log } = loop {
        let refused = match load(&controlled) {
            Ok(loaded) => break loaded,
            Err(refused) => refused,
        };
        let patched = match program.is_for_device_map() {
            true => patch::control_egress(&controlled, &refused.log, control.descriptor()),
            false => None,
        };
        match patched {
            Some(patched) => controlled = patched.map_err(too_far)?,
            None => return Err(rejection(&refused).at(place)),
        }
    };
    // The verifier has just found out how much stack each function uses.
    let depths = patch::stack_depths(&log);
    if depths.iter().all(|&depth| depth == 0) {
        return Ok((fd, controlled));
    }
    let mut loaded = Ok((fd, Vec::new()));
    for depths in patch::depths_of_functions(&controlled, &depths) {
        let zeroed = patch::zero_stack(&controlled, &depths, control.descriptor());
        let zeroed = zeroed.map_err(too_far)?;
        loaded = load(&zeroed).map(|loaded| (loaded.fd, zeroed));
        if loaded.is_ok() {
            break;
        }
    }
    loaded.map_err(|error| {
        let rejection = rejection(&error);
        Diagnostic {
            code: "kernel-patch-failed",
            message: format!(
                "the kernel takes the program, but not the judged copy, whose stack starts as zeros: {}",
                error.error
            ),
            ..rejection
        }
        .at(place.clone())
    })
}

/// What the kernel must know of the program's functions, if anything.
fn functions_of(code: &[Insn]) -> Result<Option<FunctionInfo>, LoadError> {
    let functions = match patch::needs_types(code) {
        true => Some(functions::describe(patch::function_starts(code))),
        false => None,
    };
    functions.transpose().map_err(|error| LoadError {
        error,
        log: String::new(),
    })
}

/// The load flags that the program's section asks for.
fn flags(program: &ProgramImage) -> u32 {
    match program.frags {
        true => syscall::PROGRAM_HAS_FRAGS,
        false => 0,
    }
}

/// The addresses by which the kernel knows the maps of redirect targets, to recognise them in the control record. A
/// device or CPU map belongs to programs of one kind: the probe is of the program's (`bpf_prog_map_compatible` in
/// kernel/bpf/core.c).
pub fn target_addresses(
    program: &ProgramImage,
    maps: &BTreeMap<usize, KernelMap>,
    control: &mut Control,
) -> io::Result<BTreeMap<u64, usize>> {
    let mut addresses = BTreeMap::new();
    let targets = maps.iter();
    for (&index, map) in targets.filter(|(_, map)| map.kind().is_redirect_target()) {
        let probe = patch::address_probe(map.descriptor(), control.descriptor());
        run_probe(&probe, flags(program), &[0; 64])?;
        addresses.insert(control.redirect().map, index);
    }
    Ok(addresses)
}

/// The longest packet that a test run keeps in one piece, in bytes: a page without headroom and tail.
pub fn longest_packet() -> io::Result<usize> {
    run_probe(&patch::length_probe(), 0, &[0; 4096]).map(|length| length as usize)
}

/// Loads a program, runs it once and gives its return value.
fn run_probe(code: &[Insn], flags: u32, packet: &[u8]) -> io::Result<u32> {
    let loaded =
        syscall::program_load("probe", code, flags, None).map_err(|failed| failed.error)?;
    let context = XdpContext {
        data_end: packet.len() as u32,
        ..XdpContext::default()
    };
    let mut data_out = vec![0; packet.len()];
    syscall::program_test_run(&loaded.fd, packet, &context, &mut data_out)
        .map(|result| result.return_value)
}

fn with_descriptors(program: &ProgramImage, descriptors: &BTreeMap<usize, i32>) -> Vec<Insn> {
    let mut code = program.insns.clone();
    for reference in &program.map_refs {
        let Some(slot) = code.get_mut(reference.slot as usize) else {
            continue;
        };
        match descriptors.get(&reference.map) {
            Some(descriptor) => slot.imm = *descriptor,
            None => slot.src = 0,
        }
    }
    code
}

fn rejection(failed: &LoadError) -> Diagnostic {
    if matches!(
        failed.error.raw_os_error(),
        Some(libc::EPERM | libc::ENOSYS)
    ) {
        return unavailable(&format!("loading a program failed: {}", failed.error));
    }
    let lines: Vec<&str> = failed.log.lines().collect();
    // Statistics come last and say nothing about the reason.
    let end = lines
        .iter()
        .rposition(|line| !is_statistics(line))
        .map_or(0, |last| last + 1);
    let shown = lines[end.saturating_sub(LOG_LINES)..end].join("\n    ");
    let error = Diagnostic::input(
        "kernel-rejects-program",
        format!(
            "the kernel's verifier refuses the program: {}",
            failed.error
        ),
    );
    match shown.is_empty() {
        true => error.help("the verifier says nothing more"),
        false => error.help(format!("the verifier's last lines:\n    {shown}")),
    }
}

fn is_statistics(line: &str) -> bool {
    ["verification time", "stack depth", "processed "]
        .iter()
        .any(|start| line.starts_with(start))
}
