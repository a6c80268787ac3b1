//! Maps with indexes by requests: the memory of the values, and what is refused.
//!
//! Whether an update of an array is refused follows from its index and flags alone; its word is written in the clock in which the
//! old one comes, and the memory forwards. In device, CPU and socket maps requests only look up, but for those that are done alone.

use super::{later, Entering, Leaving, Served};
use crate::values::{in_range, Values};
use hardpath_blocks::array::{Array, HostAddress, Presence};
use hardpath_blocks::errno::{errno_constant, last_error, E2BIG, EEXIST, EINVAL, ENOENT};
use hardpath_blocks::interface::command;
use hardpath_rtl::{Design, Module, Node};

/// Clocks from a request to its address: the index stands in a register.
pub(super) const CLOCKS: u32 = 1;

pub(super) fn place(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    presence: Presence,
    entering: &Entering,
) -> Leaving {
    let clocks = config.read_clocks();
    m.section("What is asked, with its index");
    let index = m.delay("index", entering.request.request_key);
    let inside = in_range(m, "index", index, config.max_entries, 0);
    let outside = m.not(inside);
    let here = m.delay_reset("here", entering.taken);
    let host = m.delay_reset("host", entering.inject);
    let change = match presence.is_stored() {
        true => None,
        false => Some(Change::new(m, entering, outside)),
    };
    let errno = match &change {
        Some(change) => change.errno,
        None => last_error(m, &[(outside, ENOENT)]),
    };

    m.section("Values");
    let memory = memory(config, presence);
    let place = (design, &mut *m);
    let values = Values::new(place, "values".to_owned(), &memory, entering.question);
    m.drive(values.slot.host_a, host);
    if let Some(address) = values.slot.read_index.first() {
        let low = m.resize(index, m.width(*address));
        m.drive(*address, low);
    }
    let write = values.slot.writes.first();
    if let Some((change, write)) = change.zip(write.and_then(|write| write.put.as_ref())) {
        let writes = later(m, "writes", change.writes, clocks);
        m.drive(write.write, writes);
        let word = later(m, "word", change.word, clocks);
        m.drive(write.write_word, word);
    }
    let word = values.placed.out.read_word[0];
    let errno = later(m, "errno", errno, clocks);
    Leaving {
        here: later(m, "here", here, clocks),
        errno: if_present(m, config, presence, word, errno),
        value: m.slice(word, 0, config.value_bits),
        host_errno: values.placed.out.host_errno,
        host_value: values.placed.out.host_result,
        host_key: entering.question.host_index,
        prepared: None,
    }
}

fn memory(config: &Served, presence: Presence) -> Array {
    let written = !presence.is_stored();
    Array {
        name: format!("{}_values", config.name),
        map: config.map.clone(),
        depth: config.slots(),
        value_bits: config.value_bits,
        presence,
        reads: vec![config.read_clocks()],
        writers: u32::from(written),
        first_is_the_hosts: false,
        own_write_index: false,
        forward: written,
        registers: config.registers_values,
        host_commit_after: config.read_clocks(),
        host: HostAddress::Key,
    }
}

/// The errno of a lookup, which finds nothing in an entry that is not set.
fn if_present(
    m: &mut Module,
    config: &Served,
    presence: Presence,
    word: Node,
    errno: Node,
) -> Node {
    if !presence.is_stored() {
        return errno;
    }
    let present = m.bit(word, config.value_bits);
    let enoent = errno_constant(m, ENOENT);
    m.mux(present, errno, enoent)
}

/// What a request does to an array, a clock after it was taken.
struct Change {
    writes: Node,
    word: Node,
    /// 0 or a positive errno, of a lookup, too.
    errno: Node,
}

impl Change {
    /// As `array_map_update_elem` and `array_map_delete_elem` in the kernel answer, and `bpf_map_update_elem` there: no value of a map
    /// that hardpath has is locked by a flag. `outside`: the index is.
    fn new(m: &mut Module, entering: &Entering, outside: Node) -> Change {
        let (request, taken) = (entering.request, entering.taken);
        let is = |m: &mut Module, name: &str, code: u32| {
            let same = m.eq_const(request.request_command, u64::from(code));
            let asks = m.and(&[taken, same]);
            m.delay_reset(name, asks)
        };
        let update = is(m, "update", command::UPDATE);
        let delete = is(m, "delete", command::DELETE);
        let flags = Flags::of(m, request.request_flags);
        let conditions = [
            (vec![outside], ENOENT),
            (vec![update, flags.locks], EINVAL),
            (vec![update, flags.no_exist], EEXIST),
            (vec![update, outside], E2BIG),
            (vec![update, flags.bad], EINVAL),
            (vec![delete], EINVAL),
        ];
        let conditions = conditions.map(|(all, code)| (m.and(&all), code));
        let errno = last_error(m, &conditions);
        let fine = m.eq_const(errno, 0);
        Change {
            writes: m.and(&[update, fine]),
            word: m.delay("word", request.request_value),
            errno,
        }
    }
}

/// The flags of an array's update, in registers: an array takes `BPF_F_LOCK` apart from the others.
struct Flags {
    no_exist: Node,
    locks: Node,
    /// Neither `BPF_ANY` nor one of these nor `BPF_EXIST`.
    bad: Node,
}

impl Flags {
    fn of(m: &mut Module, flags: Node) -> Flags {
        let no_exist = m.bit(flags, 0);
        let low = m.slice(flags, 0, 2);
        let both = m.reduce_and(low);
        let above = m.slice(flags, 3, m.width(flags) - 3);
        let unknown = m.reduce_or(above);
        let bad = m.or(&[both, unknown]);
        let locks = m.bit(flags, 2);
        Flags {
            no_exist: m.delay("no_exist", no_exist),
            locks: m.delay("locks", locks),
            bad: m.delay("bad_flags", bad),
        }
    }
}
