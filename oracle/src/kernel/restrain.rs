//! A form of the judged copy in which the verifier leaves nothing out.
//!
//! What the verifier believes that nobody comes to, it removes, and it can be wrong: Linux 6.18 takes two states for the
//! same that differ in a byte of the stack, when only a fetching atomic reads it (`backtrack_insn` in
//! kernel/bpf/verifier.c forgets the stack there), and then removes the branch that only one of them takes.
//! Nothing else that the verifier believes changes what a program does. So this form means the same and is loaded
//!
//! * with `BPF_F_TEST_STATE_FREQ`: states are kept, and marks of what matters in them set, at every jump;
//! * with a jump that is never taken to each place that was left out, in front of the conditional jump that leads there
//!   ([`with_detours`]). The verifier goes on from there with the state that it believes in.
//!
//! Where it would not accept the program with such a jump, the place stays left out. Running without the JIT compiler, as a
//! further opinion, is no form of a program but a setting of the whole machine (`net.core.bpf_jit_enable`), and not to be
//! had at all in kernels with `CONFIG_BPF_JIT_ALWAYS_ON`; hardpath leaves it alone.

use super::patch::{branches, instruction_starts, with_detours, Detour};
use super::syscall::{LoadError, LoadedProgram, PROGRAM_MANY_STATES};
use hardpath_ebpf::Insn;
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;

/// Loads a program so that as little as possible is left out of it. `load` loads instructions with more flags and gives a
/// log of all that the verifier looked at. `None`: the kernel does not tell what it left out.
pub fn load(
    code: &[Insn],
    load: impl Fn(&[Insn], u32) -> Result<LoadedProgram, LoadError>,
) -> Option<OwnedFd> {
    // So many states can be too many.
    let (flags, mut loaded) = [PROGRAM_MANY_STATES, 0]
        .into_iter()
        .find_map(|flags| Some((flags, load(code, flags).ok()?)))?;
    let mut taken = BTreeSet::new();
    let mut refused = BTreeSet::new();
    loop {
        let mut new = left_out(code, &seen(code, &taken, &loaded.log));
        new.retain(|detour| !taken.contains(detour) && !refused.contains(detour));
        if new.is_empty() {
            return Some(loaded.fd);
        }
        let with = |taken: &BTreeSet<Detour>, more: &BTreeSet<Detour>| {
            let patched = with_detours(code, &(taken | more)).ok()?;
            load(&patched, flags).ok()
        };
        if let Some(better) = with(&taken, &new) {
            loaded = better;
            taken.append(&mut new);
            continue;
        }
        for detour in new {
            match with(&taken, &[detour].into()) {
                Some(better) => {
                    loaded = better;
                    taken.insert(detour);
                }
                None => {
                    refused.insert(detour);
                }
            }
        }
    }
}

/// The slots that the verifier came to, by its log of the program with detours.
fn seen(code: &[Insn], detours: &BTreeSet<Detour>, log: &str) -> BTreeSet<usize> {
    // Each instruction that is looked at has a line: `4: (61) r0 = *(u32 *)(r1 +20)`.
    let patched: BTreeSet<usize> = (log.lines())
        .filter_map(|line| line.split_once(": (")?.0.parse().ok())
        .collect();
    let place = |slot: usize| {
        slot + detours
            .iter()
            .filter(|detour| detour.before <= slot)
            .count()
    };
    let slots = instruction_starts(code).into_iter();
    slots
        .filter(|slot| patched.contains(&place(*slot)))
        .collect()
}

/// A detour to each place that only the other branch of a jump keeps the verifier from.
fn left_out(code: &[Insn], seen: &BTreeSet<usize>) -> BTreeSet<Detour> {
    let to = |&before: &usize| {
        let ways = branches(code, before).into_iter();
        ways.map(move |to| Detour { before, to })
    };
    let mut detours: BTreeSet<Detour> = seen.iter().flat_map(to).collect();
    detours.retain(|detour| !seen.contains(&detour.to));
    detours
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::io;

    /// `if r1 != 0 goto TARGET`, as far behind as that.
    fn jump(distance: i16) -> Insn {
        Insn {
            code: 0x55,
            dst: 1,
            off: distance,
            ..Insn::default()
        }
    }

    const EXIT: Insn = Insn {
        code: 0x95,
        dst: 0,
        src: 0,
        off: 0,
        imm: 0,
    };

    fn is_detour(insn: &Insn) -> bool {
        (insn.code, insn.dst) == (0x75, 10)
    }

    /// A verifier that goes on behind conditional jumps and nowhere else, but for detours, of which it takes at most so
    /// many; and one without many states. Gives the programs that it took, with their flags.
    fn taken(code: &[Insn], most_detours: usize) -> Vec<(Vec<Insn>, u32)> {
        let taken = RefCell::new(Vec::new());
        let verifier = |code: &[Insn], flags: u32| {
            let detours = code.iter().filter(|insn| is_detour(insn)).count();
            if flags != 0 || detours > most_detours {
                return Err(LoadError {
                    error: io::Error::from_raw_os_error(libc::EACCES),
                    log: String::new(),
                });
            }
            let mut ways = vec![0];
            let mut log = String::from("func#0 @0\n0: R1=ctx() R10=fp0\n");
            while let Some(slot) = ways.pop() {
                log += &format!("{slot}: (..)\n");
                if code[slot] != EXIT {
                    ways.push(slot + 1);
                }
                if is_detour(&code[slot]) {
                    ways.push(slot + 1 + code[slot].off as usize);
                }
            }
            taken.borrow_mut().push((code.to_vec(), flags));
            let fd = std::fs::File::open("/dev/null").unwrap().into();
            Ok(LoadedProgram { fd, log })
        };
        assert!(load(code, verifier).is_some());
        taken.into_inner()
    }

    #[test]
    fn a_detour_leads_to_each_place_that_was_left_out() {
        // The second place is only to be seen behind the first.
        let code = [jump(1), EXIT, jump(1), EXIT, EXIT];
        let taken = taken(&code, 9);
        let (last, flags) = taken.last().unwrap();
        let never = |off| Insn {
            code: 0x75,
            dst: 10,
            off,
            ..Insn::default()
        };
        let wanted = [never(2), jump(1), EXIT, never(2), jump(1), EXIT, EXIT];
        assert_eq!((&last[..], *flags), (&wanted[..], 0));
    }

    #[test]
    fn a_detour_that_is_refused_is_left_out() {
        let code = [jump(2), jump(2), EXIT, EXIT, EXIT];
        let detours =
            |(code, _): &(Vec<Insn>, u32)| code.iter().filter(|insn| is_detour(insn)).count();
        let with = |most| taken(&code, most).iter().map(detours).max();
        assert_eq!((with(2), with(1), with(0)), (Some(2), Some(1), Some(0)));
    }
}
