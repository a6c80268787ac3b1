//! Whether the host's operation is done, where a map has no table that says so.

use super::{Array, ArrayKeyIn, Presence};
use crate::errno::{last_error, E2BIG, EBADF, EEXIST, EINVAL, ENOENT};
use crate::flags::UpdateFlags;
use crate::interface::command;
use hardpath_rtl::{Module, Node, NodeOp};

/// What the host asks. Its registers stand still long before its operation arrives, so what follows from them alone goes through
/// registers of its own.
struct Asked {
    lookup: Node,
    update: Node,
    delete: Node,
    dump: Node,
    out_of_range: Node,
    bad_flags: Node,
    no_exist: Node,
}

/// The host's command is an update.
pub(super) fn updates(m: &mut Module, key: &ArrayKeyIn) -> Node {
    m.eq_const(key.host_command, u64::from(command::UPDATE))
}

/// Whether the host's command writes, and its errno, as `array_map_update_elem`, `dev_map_update_elem`,
/// `cpu_map_update_elem` and `xsk_map_update_elem` in the kernel answer. `old`: the word that is there.
pub(super) fn check(
    m: &mut Module,
    config: &Array,
    key: &ArrayKeyIn,
    old: Node,
    value: Node,
) -> (Node, Node) {
    let asked = asked(m, config, key);
    let absent = match config.presence.is_stored() {
        true => {
            let present = m.bit(old, config.value_bits);
            m.not(present)
        }
        false => m.zero(1),
    };
    let sockets = socket_refusals(m, config, key, &asked, absent, (old, value));
    let einval_update = m.and(&[asked.update, asked.bad_flags]);
    let e2big = m.and(&[asked.update, asked.out_of_range]);
    let no_entry = m.or(&[absent, asked.out_of_range]);
    let reads_nothing = m.and(&[asked.lookup, no_entry]);
    let dump_nothing = m.and(&[asked.dump, absent]);
    let enoent = m.or(&[reads_nothing, dump_nothing, sockets.absent]);
    let dump_behind = m.and(&[asked.dump, asked.out_of_range]);
    let delete_fails = match config.presence.is_stored() {
        true => m.and(&[asked.delete, asked.out_of_range]),
        false => asked.delete,
    };
    let einval = m.or(&[einval_update, dump_behind, delete_fails]);
    let no_device = no_device(m, config, &asked, value);
    let conditions = [
        (no_device, EINVAL),
        (enoent, ENOENT),
        (sockets.exists, EEXIST),
        (sockets.no_value, EBADF),
        (e2big, E2BIG),
        (einval, EINVAL),
    ];
    let errno = last_error(m, &conditions);
    let some_error = m.reduce_or(errno);
    let fine = m.not(some_error);
    let changes = match config.presence.is_stored() {
        true => m.or(&[asked.update, asked.delete]),
        false => asked.update,
    };
    let write = m.and(&[changes, fine]);
    (write, errno)
}

fn asked(m: &mut Module, config: &Array, key: &ArrayKeyIn) -> Asked {
    let depth = m.constant(u64::from(config.depth), 32);
    let below = m.ult(key.host_index, depth);
    let in_range = m.delay("host_in_range", below);
    let out_of_range = m.not(in_range);
    let is = |m: &mut Module, name: &str, code: u32| {
        let same = m.eq_const(key.host_command, u64::from(code));
        m.delay(name, same)
    };
    let lookup = is(m, "host_looks_up", command::LOOKUP);
    let update = is(m, "host_updates", command::UPDATE);
    let delete = is(m, "host_deletes", command::DELETE);
    let dump = is(m, "host_dumps", command::DUMP);
    let flags = UpdateFlags::of(m, key.host_flags);
    let bad_flags = m.delay("host_bad_flags", flags.bad);
    Asked {
        lookup,
        update,
        delete,
        dump,
        out_of_range,
        bad_flags,
        no_exist: m.delay("host_no_exist", flags.no_exist),
    }
}

/// Why an update is refused for what is there, or for its value.
struct Refusals {
    exists: Node,
    absent: Node,
    no_value: Node,
}

/// Entries of an array always exist, so BPF_NOEXIST is refused; socket maps look at what is there.
fn socket_refusals(
    m: &mut Module,
    config: &Array,
    key: &ArrayKeyIn,
    asked: &Asked,
    absent: Node,
    (old, value): (Node, Node),
) -> Refusals {
    let exists = m.and(&[asked.update, asked.no_exist]);
    if config.presence != Presence::Sockets {
        return Refusals {
            exists,
            absent: m.zero(1),
            no_value: m.zero(1),
        };
    }
    let is_two = m.eq_const(key.host_flags, 2);
    let must_exist = m.delay("host_must_exist", is_two);
    let refuse_absent = m.and(&[asked.update, must_exist, absent]);
    let there = m.slice(old, 0, config.value_bits);
    let same = m.eq(there, value);
    let differs = m.not(same);
    let present = m.not(absent);
    let exists = m.and(&[exists, present, differs]);
    let some = m.reduce_or(value);
    let none = m.not(some);
    let none = m.delay("host_no_socket", none);
    Refusals {
        exists,
        absent: refuse_absent,
        no_value: m.and(&[asked.update, none]),
    }
}

/// An update of a device map with a program, but no device.
fn no_device(m: &mut Module, config: &Array, asked: &Asked, value: Node) -> Node {
    if config.presence != Presence::Devices || config.value_bits != 64 {
        return m.zero(1);
    }
    let without = program_without_device(m, value);
    let without = m.delay("host_no_device", without);
    m.and(&[asked.update, without])
}

/// A `struct bpf_devmap_val` with a program (a file descriptor above 0) but no ifindex.
fn program_without_device(m: &mut Module, value: Node) -> Node {
    let ifindex = m.slice(value, 0, 32);
    let program = m.slice(value, 32, 32);
    let some_device = m.reduce_or(ifindex);
    let zero = m.zero(32);
    let some_program = m.compare(NodeOp::Slt, zero, program);
    let no_device = m.not(some_device);
    m.and(&[no_device, some_program])
}
