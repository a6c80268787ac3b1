//! The kernel's helpers that hardpath builds. [`crate::lift`] refuses every other one.

use crate::helper_names::{helper_name, number};
use crate::insn::Insn;

/// A helper, and what of it is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Helper {
    /// `enum bpf_func_id`.
    pub number: i32,
    /// How many arguments it reads.
    pub arguments: u32,
    /// What may be given to it.
    pub takes: &'static str,
    /// What it gives back.
    pub gives: &'static str,
}

const fn helper(number: i32, arguments: u32, takes: &'static str, gives: &'static str) -> Helper {
    Helper {
        number,
        arguments,
        takes,
        gives,
    }
}

/// Time that a packet enters with; all clocks are one.
const TIME: &str = "the time at which the packet came in, in ns";

/// What tells user space something.
const EVENTS: &str = "anything, with `--drop-events` only: it does nothing";

/// In the order of their numbers.
pub const HELPERS: [Helper; 33] = [
    helper(
        number::MAP_LOOKUP_ELEM,
        2,
        "a key on the stack, in the packet or in a map value",
        "a pointer to the value, or NULL",
    ),
    helper(
        number::MAP_UPDATE_ELEM,
        4,
        "key and value; `BPF_ANY`, `BPF_NOEXIST`, `BPF_EXIST`; `BPF_F_LOCK`",
        "0, `-EEXIST`, `-ENOENT`, `-E2BIG`, `-EINVAL`",
    ),
    helper(
        number::MAP_DELETE_ELEM,
        2,
        "a key",
        "0, `-ENOENT`, `-EINVAL`",
    ),
    helper(number::KTIME_GET_NS, 0, "", TIME),
    helper(number::TRACE_PRINTK, 0, EVENTS, "nothing that can be used"),
    helper(
        number::GET_PRANDOM_U32,
        0,
        "",
        "a random number, one for each packet",
    ),
    helper(number::GET_SMP_PROCESSOR_ID, 0, "", "0"),
    helper(
        number::TAIL_CALL,
        3,
        "a program array whose entries `--prog-array` names",
        "goes on behind the call where there is no entry",
    ),
    helper(
        number::REDIRECT,
        2,
        "an interface; any flag aborts",
        "`XDP_REDIRECT`, `XDP_ABORTED`",
    ),
    helper(
        number::PERF_EVENT_OUTPUT,
        3,
        EVENTS,
        "`-ENOENT`, as where no event is open; `-E2BIG`, `-EFAULT`, `-EINVAL`",
    ),
    helper(
        number::CSUM_DIFF,
        5,
        "up to 512 bytes each, on the stack, in the packet or in a map value, also of computed sizes",
        "the checksum, 16 bits, as Linux since 6.13",
    ),
    helper(number::GET_NUMA_NODE_ID, 0, "", "0"),
    helper(
        number::XDP_ADJUST_HEAD,
        2,
        "a distance, also one that is computed",
        "0, `-EINVAL`",
    ),
    helper(
        number::REDIRECT_MAP,
        3,
        "a map of redirect targets and a key; the action for a missing entry; for device maps `BPF_F_BROADCAST` and `BPF_F_EXCLUDE_INGRESS`: all devices in the map, by ascending key",
        "`XDP_REDIRECT`, that action, `XDP_ABORTED`",
    ),
    helper(
        number::XDP_ADJUST_META,
        2,
        "a distance, also one that is computed",
        "0, `-EINVAL`, `-EACCES`",
    ),
    helper(
        number::XDP_ADJUST_TAIL,
        2,
        "a distance, also one that is computed; a grown tail is zeros",
        "0, `-EINVAL`",
    ),
    helper(
        number::SPIN_LOCK,
        1,
        "a lock in a map value; packets are serial anyway, so it costs nothing",
        "",
    ),
    helper(number::SPIN_UNLOCK, 1, "as `bpf_spin_lock`", ""),
    helper(
        number::JIFFIES64,
        0,
        "",
        "the time at which the packet came in, in 4 ms (250 Hz)",
    ),
    helper(number::KTIME_GET_BOOT_NS, 0, "", TIME),
    helper(
        number::RINGBUF_OUTPUT,
        4,
        EVENTS,
        "0, as where the buffer is read at once; `-EAGAIN`, `-EINVAL`",
    ),
    helper(
        number::RINGBUF_RESERVE,
        3,
        EVENTS,
        "a pointer through which a program can write, not read; NULL for what is too large",
    ),
    helper(number::RINGBUF_SUBMIT, 0, EVENTS, ""),
    helper(number::RINGBUF_DISCARD, 0, EVENTS, ""),
    helper(number::KTIME_GET_COARSE_NS, 0, "", TIME),
    helper(
        number::CHECK_MTU,
        5,
        "an interface; a length on the stack or in a map value; a difference. MTUs are in the map `.mtu`",
        "0, `BPF_MTU_CHK_RET_FRAG_NEEDED`, `-EINVAL`, `-ENODEV`",
    ),
    helper(number::TRACE_VPRINTK, 0, EVENTS, "nothing that can be used"),
    helper(
        number::LOOP,
        4,
        "a function of the program, written out once for each round",
        "the number of rounds, `-E2BIG`, `-EINVAL`",
    ),
    helper(
        number::XDP_GET_BUFF_LEN,
        1,
        "the context",
        "the packet's length",
    ),
    helper(
        number::XDP_LOAD_BYTES,
        4,
        "an offset, also one that is computed; a length of 1 to 512, also one that is computed",
        "0, `-EINVAL`, `-EFAULT`",
    ),
    helper(
        number::XDP_STORE_BYTES,
        4,
        "as `bpf_xdp_load_bytes`",
        "0, `-EINVAL`, `-EFAULT`",
    ),
    helper(
        number::MAP_LOOKUP_PERCPU_ELEM,
        3,
        "a key; CPU 0",
        "a pointer to the value, or NULL",
    ),
    helper(number::KTIME_GET_TAI_NS, 0, "", TIME),
];

impl Helper {
    /// As C programs call it: `bpf_map_lookup_elem`.
    pub fn name(&self) -> String {
        helper_name(self.number)
    }
}

fn find(number: i32) -> Option<&'static Helper> {
    HELPERS.iter().find(|helper| helper.number == number)
}

/// Whether hardpath builds the helper with that number.
pub(crate) fn is_built(number: i32) -> bool {
    find(number).is_some()
}

/// Whether there is a call of `bpf_check_mtu`.
pub fn checks_mtu(insns: &[Insn]) -> bool {
    insns
        .iter()
        .any(|insn| insn.is_helper_call(number::CHECK_MTU))
}

/// How many arguments a helper reads; 5, the most there are, for those that hardpath does not build.
pub(crate) fn argument_count(number: i32) -> u32 {
    find(number).map_or(5, |helper| helper.arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend() {
        assert!(HELPERS.windows(2).all(|two| two[0].number < two[1].number));
        assert!(HELPERS.iter().all(|helper| helper.arguments <= 5));
    }
}
