//! The copy of a program that the kernel judges: time, random number, CPU and redirect target under control.
//!
//! `BPF_PROG_TEST_RUN` lets nobody set the time or see where a redirect goes. So the copy has each such helper call
//! replaced by a few instructions that use the *control record*, the one value of a memory-mapped array that this
//! process and the program share:
//!
//! ```text
//! call ktime_get_ns              r0 = control.time (also ktime_get_boot_ns, ktime_get_coarse_ns, ktime_get_tai_ns)
//! call jiffies64                 r0 = control.time / 4,000,000: hardpath's kernel has 250 jiffies in a second
//! call get_prandom_u32           r0 = control.random
//! call get_smp_processor_id      r0 = 0 (also get_numa_node_id)
//! call map_lookup_percpu_elem    call map_lookup_elem: hardpath asks for its one CPU only
//! call redirect                  the call, and behind it: if it gave XDP_REDIRECT, control.target = ifindex
//! call redirect_map              the call, and behind it: control.map and control.target = key
//! ```
//!
//! `map` and `target` are kept as the kernel keeps `struct bpf_redirect_info` (`net/core/filter.c`,
//! `include/linux/filter.h`): a redirect forgets the map, a redirect_map that finds nothing forgets the map but
//! not the target, a call with invalid flags changes nothing.
//!
//! A test run does not take programs of a device map (`BPF_XDP_DEVMAP`), so the copy is loaded as an ordinary program, which
//! must not read `egress_ifindex`. The verifier says which instructions do, one with each refusal; each of them reads
//! `control.egress` instead ([`control_egress`]).
//!
//! A second change: every function first writes zeros over the stack that it uses. For root the verifier accepts a
//! read of a stack byte that was never written, and the kernel then shows what an earlier function left there. The zeros are
//! read from the control record and written in halves: what the verifier knew of them it would reckon with. It would leave
//! out ways that it followed before, and a callback that it comes to no more makes it refuse the copy (`No program to jit`,
//! `jit_subprogs` in `kernel/bpf/verifier.c`, of Linux 6.18).
//!
//! The new instructions use no stack and only registers that the call leaves undefined anyway, so whatever the
//! verifier accepted before it accepts afterwards.

use hardpath_ebpf::Insn;
use std::collections::{BTreeMap, BTreeSet};

/// Where the fields of the control record are, in bytes.
pub mod control {
    /// 64 bits: what `bpf_ktime_get_ns` gives.
    pub const TIME: i16 = 0;
    /// 64 bits, of which the lower 32 are what `bpf_get_prandom_u32` gives.
    pub const RANDOM: i16 = 8;
    /// 64 bits: the kernel's address of the map of the last redirect, 0 if it was one to an ifindex.
    pub const MAP: i16 = 16;
    /// 64 bits: the ifindex or key of the last redirect.
    pub const TARGET: i16 = 24;
    /// 64 bits: the flags of the last redirect through a map.
    pub const FLAGS: i16 = 64;
    /// The arguments of the redirect that is being called.
    pub const PENDING_MAP: i16 = 32;
    pub const PENDING_TARGET: i16 = 40;
    pub const PENDING_FLAGS: i16 = 48;
    /// 64 bits, of which the lower 32 are `xdp_md.egress_ifindex`.
    pub const EGRESS: i16 = 56;
    /// 64 bits that stay 0.
    pub const ZERO: i16 = 72;
    /// Size of the record.
    pub const BYTES: u32 = 80;
}

/// Why a program cannot be patched: a jump would reach farther than its 16 bits say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JumpTooFar {
    /// The jump's slot in the unpatched program.
    pub slot: usize,
}

/// Puts the helper calls under control. `control_fd` is the descriptor of the control record's map.
pub fn control_helpers(code: &[Insn], control_fd: i32) -> Result<Vec<Insn>, JumpTooFar> {
    let mut edits = Edits::default();
    for slot in instruction_starts(code) {
        let insn = code[slot];
        if insn.code != CALL || insn.src != CALL_HELPER {
            continue;
        }
        let replacement = match insn.imm {
            HELPER_KTIME_GET_NS
            | HELPER_KTIME_GET_BOOT_NS
            | HELPER_KTIME_GET_COARSE_NS
            | HELPER_KTIME_GET_TAI_NS => load_control(control_fd, control::TIME).to_vec(),
            HELPER_JIFFIES64 => {
                let mut code = load_control(control_fd, control::TIME).to_vec();
                code.push(divide_imm(0, NS_PER_JIFFY));
                code
            }
            HELPER_MAP_LOOKUP_PERCPU_ELEM => vec![Insn {
                imm: HELPER_MAP_LOOKUP_ELEM,
                ..insn
            }],
            HELPER_GET_PRANDOM_U32 => load_control(control_fd, control::RANDOM).to_vec(),
            HELPER_GET_SMP_PROCESSOR_ID | HELPER_GET_NUMA_NODE_ID => vec![move_imm(0, 0)],
            HELPER_REDIRECT => recorded_redirect(insn, control_fd),
            HELPER_REDIRECT_MAP => recorded_redirect_map(insn, control_fd),
            _ => continue,
        };
        edits.replaced.insert(slot, replacement);
    }
    rewrite(code, &edits)
}

/// Puts a load of `xdp_md.egress_ifindex` under control, when that is what the verifier's log ends with: 1, 2 or 4 bytes of
/// it. `None`: the log is about something else.
pub fn control_egress(
    code: &[Insn],
    log: &str,
    control_fd: i32,
) -> Option<Result<Vec<Insn>, JumpTooFar>> {
    let (before, refusal) = log.rsplit_once("invalid bpf_context access off=")?;
    let offset: i16 = refusal.split(' ').next()?.parse().ok()?;
    let byte = offset - EGRESS_OFFSET;
    // Each instruction that is looked at has a line: `4: (61) r0 = *(u32 *)(r1 +20)`.
    let mut instructions = before.lines().rev();
    let slot: usize = instructions.find_map(|line| line.split_once(": (")?.0.parse().ok())?;
    let insn = *code.get(slot)?;
    if !(0..4).contains(&byte) || insn.code & 0x07 != CLASS_LOAD {
        return None;
    }
    let mut replacement = control_address(insn.dst, control_fd).to_vec();
    replacement.push(Insn {
        src: insn.dst,
        off: control::EGRESS + byte,
        ..insn
    });
    let mut edits = Edits::default();
    edits.replaced.insert(slot, replacement);
    Some(rewrite(code, &edits))
}

/// What each function uses of the stack: as the verifier's `depths` say. The verifier drops functions that it never comes
/// to, and does not say which; then all get what the largest needs or, where that is more than there is, what the
/// instructions that name `r10` show. In the order in which they are to be tried.
pub fn depths_of_functions(code: &[Insn], depths: &[u32]) -> Vec<Vec<u32>> {
    let starts = function_starts(code);
    if starts.len() == depths.len() {
        return vec![depths.to_vec()];
    }
    let largest = depths.iter().copied().max().unwrap_or(0);
    let ends = starts.iter().skip(1).copied().chain([code.len()]);
    let shown = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| stack_shown(&code[*start..end]).min(largest))
        .collect();
    vec![vec![largest; starts.len()], shown]
}

/// The deepest byte of stack that an instruction names: relative to `r10`, or added to a register in a function that
/// copies `r10`.
fn stack_shown(code: &[Insn]) -> u32 {
    let copies = code
        .iter()
        .any(|insn| insn.code == MOVE64_REGISTER && insn.src == 10);
    let named = code.iter().filter_map(|insn| match insn.code & 0x07 {
        CLASS_LOAD if insn.src == 10 => Some(i32::from(insn.off)),
        CLASS_STORE_IMMEDIATE | CLASS_STORE if insn.dst == 10 => Some(i32::from(insn.off)),
        _ if copies && insn.code == ADD64_IMMEDIATE => Some(insn.imm),
        _ => None,
    });
    let deepest = named.filter(|offset| (-512..0).contains(offset)).min();
    deepest.map_or(0, i32::unsigned_abs)
}

/// Lets every function begin with zeros in the stack it uses. `depths` are the bytes of stack of each function, in
/// the order of the functions' first slots; see [`depths_of_functions`].
pub fn zero_stack(code: &[Insn], depths: &[u32], control_fd: i32) -> Result<Vec<Insn>, JumpTooFar> {
    let mut edits = Edits::default();
    for (start, &depth) in function_starts(code).into_iter().zip(depths) {
        let words = depth.div_ceil(8) as i16;
        if words == 0 {
            continue;
        }
        let mut prologue = load_control(control_fd, control::ZERO).to_vec();
        let halves = (1..=words).flat_map(|word| [-8 * word, -8 * word + 4]);
        prologue.extend(halves.map(|half| store_half(10, half, 0)));
        edits.prologues.insert(start, prologue);
    }
    rewrite(code, &edits)
}

/// The bytes of stack that each function uses, as the verifier's statistics tell: `stack depth 40+16`.
pub fn stack_depths(log: &str) -> Vec<u32> {
    let depths = log
        .lines()
        .find_map(|line| line.strip_prefix("stack depth "));
    let numbers = depths.unwrap_or_default().trim().split('+');
    numbers.filter_map(|number| number.parse().ok()).collect()
}

/// A jump that is never taken: in front of the instruction at slot `before`, to the one at slot `to`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Detour {
    pub before: usize,
    pub to: usize,
}

/// Puts jumps that are never taken into a program: `if r10 s>= 0 goto TO`. `r10` points into the kernel's half of the
/// addresses, so as a signed number it is negative; the verifier does not reckon with what addresses are.
pub fn with_detours(code: &[Insn], detours: &BTreeSet<Detour>) -> Result<Vec<Insn>, JumpTooFar> {
    let mut edits = Edits::default();
    for detour in detours {
        let targets = edits.detours.entry(detour.before).or_default();
        targets.push(detour.to);
    }
    rewrite(code, &edits)
}

/// Where an instruction that may jump or go on leads to, by slot; empty: it is no such jump.
pub fn branches(code: &[Insn], slot: usize) -> Vec<usize> {
    let insn = code[slot];
    let is_conditional = insn.code != JUMP_ALWAYS;
    match Reference::of(insn) {
        Some(Reference::JumpShort) if is_conditional => {
            let target = slot as i64 + 1 + i64::from(insn.off);
            [slot as i64 + 1, target]
                .into_iter()
                .filter_map(|slot| usize::try_from(slot).ok())
                .collect()
        }
        _ => Vec::new(),
    }
}

/// What a rewrite does to a program, by slot of the unpatched program.
#[derive(Default)]
struct Edits {
    /// Comes before the first instruction of a function: calls go to it, jumps do not.
    prologues: BTreeMap<usize, Vec<Insn>>,
    /// Jumps that are never taken, in front of an instruction: to these slots. Who jumps to it comes to them first.
    detours: BTreeMap<usize, Vec<usize>>,
    /// Stands where one instruction of one slot stood.
    replaced: BTreeMap<usize, Vec<Insn>>,
}

/// Applies edits and corrects every jump, call and function address.
fn rewrite(code: &[Insn], edits: &Edits) -> Result<Vec<Insn>, JumpTooFar> {
    let mut rewritten = Vec::with_capacity(code.len());
    // Where calls to an old slot and where jumps to it go now. One more than there are slots: a distance may be
    // counted from the end.
    let mut entries = Vec::with_capacity(code.len() + 1);
    let mut bodies = Vec::with_capacity(code.len() + 1);
    // Where the instructions themselves are.
    let mut places = Vec::with_capacity(code.len());
    for (slot, &insn) in code.iter().enumerate() {
        entries.push(rewritten.len());
        rewritten.extend(edits.prologues.get(&slot).into_iter().flatten());
        bodies.push(rewritten.len());
        let detours = edits.detours.get(&slot).into_iter().flatten();
        rewritten.extend(detours.map(|_| jump_imm(JUMP_SIGNED_AT_LEAST, 10, 0, 0)));
        places.push(rewritten.len());
        match edits.replaced.get(&slot) {
            Some(replacement) => rewritten.extend(replacement),
            None => rewritten.push(insn),
        }
    }
    entries.push(rewritten.len());
    bodies.push(rewritten.len());

    let short = |slot: usize, offset: i32| i16::try_from(offset).map_err(|_| JumpTooFar { slot });
    for slot in instruction_starts(code) {
        let insn = code[slot];
        let place = places[slot];
        let moved = |distance: i32, targets: &[usize]| {
            let target = usize::try_from(slot as i64 + 1 + i64::from(distance)).ok();
            // A jump out of the program stays one; the verifier tells it to the user.
            match target.and_then(|target| targets.get(target)) {
                Some(&target) => (target as i64 - place as i64 - 1) as i32,
                None => distance,
            }
        };
        let detours = edits.detours.get(&slot).into_iter().flatten();
        for (detour, &to) in (bodies[slot]..).zip(detours) {
            rewritten[detour].off = short(slot, bodies[to] as i32 - detour as i32 - 1)?;
        }
        match Reference::of(insn) {
            Some(Reference::JumpShort) if !edits.replaced.contains_key(&slot) => {
                rewritten[place].off = short(slot, moved(i32::from(insn.off), &bodies))?;
            }
            Some(Reference::JumpLong) => rewritten[place].imm = moved(insn.imm, &bodies),
            Some(Reference::Function) => rewritten[place].imm = moved(insn.imm, &entries),
            _ => {}
        }
    }
    Ok(rewritten)
}

/// How an instruction names another place in the program.
enum Reference {
    /// In its 16-bit offset.
    JumpShort,
    /// In its 32-bit immediate (`gotol`).
    JumpLong,
    /// In its 32-bit immediate, and the place is a function's first slot.
    Function,
}

impl Reference {
    fn of(insn: Insn) -> Option<Reference> {
        let class = insn.code & 0x07;
        match insn.code {
            CALL => (insn.src == CALL_LOCAL).then_some(Reference::Function),
            EXIT => None,
            GOTO_LONG => Some(Reference::JumpLong),
            LOAD_IMM64 => (insn.src == LOAD_FUNCTION).then_some(Reference::Function),
            _ if class == CLASS_JUMP || class == CLASS_JUMP32 => Some(Reference::JumpShort),
            _ => None,
        }
    }
}

/// The first slot of every instruction: `lddw` has two.
pub fn instruction_starts(code: &[Insn]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(code.len());
    let mut slot = 0;
    while slot < code.len() {
        starts.push(slot);
        slot += if code[slot].code == LOAD_IMM64 { 2 } else { 1 };
    }
    starts
}

/// The first slot of every function, in ascending order: the verifier's numbering.
pub fn function_starts(code: &[Insn]) -> BTreeSet<usize> {
    let mut starts = BTreeSet::from([0]);
    for slot in instruction_starts(code) {
        if let Some(Reference::Function) = Reference::of(code[slot]) {
            let target = slot as i64 + 1 + i64::from(code[slot].imm);
            starts.extend(usize::try_from(target).ok());
        }
    }
    starts
}

/// Whether the kernel wants to know the types of the program's functions: where it hands out the address of one
/// (`check_ld_imm`), or makes a tail call and has several (`check_cfg` and its callers in `kernel/bpf/verifier.c`).
pub fn needs_types(code: &[Insn]) -> bool {
    let starts = instruction_starts(code);
    let any = |wanted: &dyn Fn(Insn) -> bool| starts.iter().any(|slot| wanted(code[*slot]));
    let is_call = |insn: Insn, kind: u8| insn.code == CALL && insn.src == kind;
    any(&|insn| insn.code == LOAD_IMM64 && insn.src == LOAD_FUNCTION)
        || any(&|insn| is_call(insn, CALL_LOCAL))
            && any(&|insn| is_call(insn, CALL_HELPER) && insn.imm == HELPER_TAIL_CALL)
}

/// `r0 = control[field]`.
fn load_control(control_fd: i32, field: i16) -> [Insn; 3] {
    let [low, high] = control_address(0, control_fd);
    [low, high, load(0, 0, field)]
}

/// `bpf_redirect(ifindex, flags)`.
fn recorded_redirect(call: Insn, control_fd: i32) -> Vec<Insn> {
    let mut code = Vec::new();
    code.extend(control_address(5, control_fd));
    code.push(store(5, control::PENDING_TARGET, 1));
    code.push(call);
    code.extend(control_address(1, control_fd));
    code.push(jump_imm(JUMP_NOT_EQUAL, 0, XDP_REDIRECT, 3));
    code.push(load(2, 1, control::PENDING_TARGET));
    code.push(store(1, control::TARGET, 2));
    code.push(store_imm(1, control::MAP, 0));
    code
}

/// `bpf_redirect_map(map, key, flags)`.
fn recorded_redirect_map(call: Insn, control_fd: i32) -> Vec<Insn> {
    let mut code = Vec::new();
    code.extend(control_address(5, control_fd));
    code.push(store(5, control::PENDING_MAP, 1));
    code.push(store(5, control::PENDING_TARGET, 2));
    code.push(store(5, control::PENDING_FLAGS, 3));
    code.push(call);
    code.extend(control_address(1, control_fd));
    code.push(jump_imm(JUMP_NOT_EQUAL, 0, XDP_REDIRECT, 7));
    // Found, or a broadcast: the map, the key and the flags.
    code.push(load(2, 1, control::PENDING_MAP));
    code.push(store(1, control::MAP, 2));
    code.push(load(2, 1, control::PENDING_TARGET));
    code.push(store(1, control::TARGET, 2));
    code.push(load(2, 1, control::PENDING_FLAGS));
    code.push(store(1, control::FLAGS, 2));
    code.push(jump_imm(JUMP_ALWAYS, 0, 0, 3));
    // Not found: the map is forgotten, unless the flags were invalid.
    code.push(load(2, 1, control::PENDING_FLAGS));
    code.push(jump_imm(JUMP_SET, 2, !MISS_VERDICT_BITS, 1));
    code.push(store_imm(1, control::MAP, 0));
    code
}

/// A program that writes the kernel's address of a map into the control record, to be recognised later.
pub fn address_probe(map_fd: i32, control_fd: i32) -> Vec<Insn> {
    let mut code = Vec::new();
    code.extend(load_imm64(1, LOAD_MAP, map_fd));
    code.extend(control_address(2, control_fd));
    code.push(store(2, control::MAP, 1));
    code.push(move_imm(0, 1));
    code.push(insn(EXIT, 0, 0, 0, 0));
    code
}

/// A program that returns `data_end − data`, to learn how long the linear part of a packet can be.
pub fn length_probe() -> Vec<Insn> {
    const LOAD_WORD: u8 = 0x61;
    const SUBTRACT: u8 = 0x1f;
    vec![
        insn(LOAD_WORD, 0, 1, 4, 0),
        insn(LOAD_WORD, 2, 1, 0, 0),
        insn(SUBTRACT, 0, 2, 0, 0),
        insn(EXIT, 0, 0, 0, 0),
    ]
}

// Opcodes of RFC 9669: class in bits 2..0.
/// `LDX`.
const CLASS_LOAD: u8 = 0x01;
const CLASS_STORE_IMMEDIATE: u8 = 0x02;
const CLASS_STORE: u8 = 0x03;
const CLASS_JUMP: u8 = 0x05;
const CLASS_JUMP32: u8 = 0x06;
const ADD64_IMMEDIATE: u8 = 0x07;
const MOVE64_REGISTER: u8 = 0xbf;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;
const GOTO_LONG: u8 = 0x06;
const LOAD_IMM64: u8 = 0x18;
const DIVIDE: u8 = 0x37;
const JUMP_ALWAYS: u8 = 0x05;
const JUMP_SET: u8 = 0x45;
const JUMP_NOT_EQUAL: u8 = 0x55;
const JUMP_SIGNED_AT_LEAST: u8 = 0x75;

// What the source register field of a call and of `lddw` means (`BPF_PSEUDO_*`).
const CALL_HELPER: u8 = 0;
const CALL_LOCAL: u8 = 1;
pub const LOAD_MAP: u8 = 1;
pub const LOAD_MAP_VALUE: u8 = 2;
const LOAD_FUNCTION: u8 = 4;

// `enum bpf_func_id`.
const HELPER_MAP_LOOKUP_ELEM: i32 = 1;
const HELPER_KTIME_GET_NS: i32 = 5;
const HELPER_GET_PRANDOM_U32: i32 = 7;
const HELPER_GET_SMP_PROCESSOR_ID: i32 = 8;
const HELPER_TAIL_CALL: i32 = 12;
const HELPER_REDIRECT: i32 = 23;
const HELPER_GET_NUMA_NODE_ID: i32 = 42;
const HELPER_REDIRECT_MAP: i32 = 51;
const HELPER_JIFFIES64: i32 = 118;
const HELPER_KTIME_GET_BOOT_NS: i32 = 125;
const HELPER_KTIME_GET_COARSE_NS: i32 = 160;
const HELPER_MAP_LOOKUP_PERCPU_ELEM: i32 = 195;
const HELPER_KTIME_GET_TAI_NS: i32 = 208;

const NS_PER_JIFFY: i32 = 4_000_000;
const XDP_REDIRECT: i32 = 4;
/// Of `egress_ifindex` in `struct xdp_md`, in bytes.
const EGRESS_OFFSET: i16 = 20;
/// The bits of redirect_map's flags that are the verdict of a miss.
const MISS_VERDICT_BITS: i32 = 3;

fn insn(code: u8, destination: u8, source: u8, offset: i16, imm: i32) -> Insn {
    Insn {
        code,
        dst: destination,
        src: source,
        off: offset,
        imm,
    }
}

fn load_imm64(register: u8, kind: u8, low: i32) -> [Insn; 2] {
    [
        insn(LOAD_IMM64, register, kind, 0, low),
        insn(0, 0, 0, 0, 0),
    ]
}

fn control_address(register: u8, control_fd: i32) -> [Insn; 2] {
    load_imm64(register, LOAD_MAP_VALUE, control_fd)
}

/// `destination = *(u64 *)(source + offset)`.
fn load(destination: u8, source: u8, offset: i16) -> Insn {
    insn(0x79, destination, source, offset, 0)
}

/// `*(u64 *)(destination + offset) = source`.
fn store(destination: u8, offset: i16, source: u8) -> Insn {
    insn(0x7b, destination, source, offset, 0)
}

/// `*(u32 *)(destination + offset) = source`.
fn store_half(destination: u8, offset: i16, source: u8) -> Insn {
    insn(0x63, destination, source, offset, 0)
}

/// `*(u64 *)(destination + offset) = imm`.
fn store_imm(destination: u8, offset: i16, imm: i32) -> Insn {
    insn(0x7a, destination, 0, offset, imm)
}

/// `destination /= imm`.
fn divide_imm(destination: u8, imm: i32) -> Insn {
    insn(DIVIDE, destination, 0, 0, imm)
}

fn move_imm(destination: u8, imm: i32) -> Insn {
    insn(0xb7, destination, 0, 0, imm)
}

fn jump_imm(code: u8, destination: u8, imm: i32, offset: i16) -> Insn {
    insn(code, destination, 0, offset, imm)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: i32 = 3;

    fn helper(number: i32) -> Insn {
        insn(CALL, 0, CALL_HELPER, 0, number)
    }

    #[test]
    fn jumps_and_calls_find_their_targets_after_a_rewrite() {
        let code = [
            jump_imm(JUMP_ALWAYS, 0, 0, 2),
            helper(HELPER_KTIME_GET_NS),
            insn(GOTO_LONG, 0, 0, 0, -3),
            jump_imm(JUMP_NOT_EQUAL, 0, 0, -3),
            insn(CALL, 0, CALL_LOCAL, 0, 1),
            insn(EXIT, 0, 0, 0, 0),
            helper(HELPER_KTIME_GET_NS),
            insn(EXIT, 0, 0, 0, 0),
        ];
        let controlled = control_helpers(&code, CONTROL).unwrap();
        assert_eq!(controlled.len(), code.len() + 4);
        assert_eq!(controlled[0].off, 4);
        assert_eq!(controlled[4].imm, -5);
        assert_eq!(controlled[5].off, -5);
        assert_eq!(controlled[6].imm, 1);
        // Two words in the main function, one in the other: a call meets the zeros, a jump does not.
        let zeroed = zero_stack(&controlled, &[16, 5], CONTROL).unwrap();
        assert_eq!(zeroed.len(), controlled.len() + 7 + 5);
        assert_eq!(zeroed[..3], load_control(CONTROL, control::ZERO));
        let words = [-8, -4, -16, -12].map(|half| store_half(10, half, 0));
        assert_eq!(zeroed[3..7], words);
        assert_eq!(zeroed[7].off, 4);
        assert_eq!(zeroed[11].imm, -5);
        assert_eq!(zeroed[13].imm, 1);
        assert_eq!(zeroed[15..18], load_control(CONTROL, control::ZERO));
        assert_eq!(zeroed[18..20], words[..2]);
    }

    #[test]
    fn who_jumps_to_an_instruction_comes_to_its_detours_first() {
        let code = [
            jump_imm(JUMP_NOT_EQUAL, 1, 0, 1),
            move_imm(2, 7),
            jump_imm(JUMP_NOT_EQUAL, 2, 0, -3),
            insn(EXIT, 0, 0, 0, 0),
        ];
        assert_eq!(branches(&code, 0), [1, 2]);
        assert_eq!(branches(&code, 2), [3, 0]);
        assert!(branches(&code, 1).is_empty() && branches(&code, 3).is_empty());
        let detours = [(0, 2), (2, 0), (2, 3)].map(|(before, to)| Detour { before, to });
        let patched = with_detours(&code, &detours.into()).unwrap();
        let never = |offset| jump_imm(JUMP_SIGNED_AT_LEAST, 10, 0, offset);
        let wanted = [
            never(2),
            jump_imm(JUMP_NOT_EQUAL, 1, 0, 1),
            move_imm(2, 7),
            never(-4),
            never(1),
            jump_imm(JUMP_NOT_EQUAL, 2, 0, -6),
            insn(EXIT, 0, 0, 0, 0),
        ];
        assert_eq!(patched, wanted);
    }

    #[test]
    fn a_jump_that_does_not_reach_any_more_is_named() {
        let mut code = vec![jump_imm(JUMP_NOT_EQUAL, 1, 0, i16::MAX)];
        code.resize(i16::MAX as usize, move_imm(0, 0));
        code.push(helper(HELPER_KTIME_GET_NS));
        code.push(insn(EXIT, 0, 0, 0, 0));
        assert_eq!(control_helpers(&code, CONTROL), Err(JumpTooFar { slot: 0 }));
    }

    #[test]
    fn a_function_that_the_verifier_dropped_has_no_depth() {
        let call = |distance| Insn {
            code: CALL,
            src: CALL_LOCAL,
            imm: distance,
            ..Insn::default()
        };
        let exit = Insn {
            code: EXIT,
            ..Insn::default()
        };
        // Calls of functions at 3 and 5; the second one writes 16 bytes down.
        let code = [
            call(2),
            call(3),
            exit,
            exit,
            exit,
            store_imm(10, -16, 0),
            exit,
        ];
        let tries = depths_of_functions(&code, &[0, 24]);
        assert_eq!(tries, [vec![24, 24, 24], vec![0, 0, 16]]);
        assert_eq!(depths_of_functions(&code, &[0, 8, 24]), [[0, 8, 24]]);
    }

    #[test]
    fn statistics_tell_the_stack_of_each_function() {
        let log = "verification time 34 usec\nstack depth 40+0+16\nprocessed 9 insns\n";
        assert_eq!(stack_depths(log), [40, 0, 16]);
        assert!(stack_depths("").is_empty());
    }
}
