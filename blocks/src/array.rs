//! The memory behind a map's values: reads in packet order, one write a packet at the commit stage, the host's
//! operations in between.

use crate::errno::{last_error, E2BIG, EBADF, EEXIST, EINVAL, ENOENT, ERRNO_BITS};
use crate::{index_bits, port_name};
use hardpath_rtl::{MemStyle, Module, Node, NodeOp};

/// How the host's index gets to the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostAddress {
    /// The host's key is the index; key and command are checked here (arrays and device maps).
    Key,
    /// The first read index already is the host's (values behind a hash table, which checks the command).
    Follows,
}

/// Whether an entry can be absent: the word then has a bit for that above the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// Every entry exists.
    Always,
    /// A value whose first 32 bits are 0 means absent, too (no ifindex, no device).
    Devices,
    /// Likewise (no queue).
    Cpus,
    /// A value of 0 is no socket, and an update looks at what is there.
    Sockets,
}

impl Presence {
    /// Whether the word has the bit.
    pub fn is_stored(self) -> bool {
        self != Presence::Always
    }
}

/// What a value memory must know.
pub struct Array {
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// Entries.
    pub depth: u32,
    /// Bits of a value.
    pub value_bits: u32,
    pub presence: Presence,
    /// Words can be read at so many indexes a clock (at least 1); each has its own copy of the memory. For each: the
    /// clocks from its address stage to the commit stage, at least [`Array::read_clocks`].
    pub reads: Vec<u32>,
    /// Places at which the data plane writes, no two of them in one clock.
    pub writers: u32,
    /// The write's index, the host's too where it follows, is given at the commit stage instead of being that of the
    /// first read. Always with several writers, and only with a writer.
    pub own_write_index: bool,
    /// A word that is read has the writes that committed while it was on its way. When the commit stage is that in
    /// which the word comes, a packet so sees the writes of all older packets, however close; else the caller keeps
    /// packets with the same index apart.
    pub forward: bool,
    /// Clocks from the first read's address stage to the stage in which the host's operation commits.
    pub host_commit_after: u32,
    pub host: HostAddress,
}

/// Memories of at most this many words are LUT RAM, which is read in the clock of its address.
pub const LUT_RAM_WORDS: u32 = 64;

impl Array {
    /// Whether the memory is read in the clock of its address.
    pub fn in_lut_ram(depth: u32) -> bool {
        depth <= LUT_RAM_WORDS
    }

    /// Clocks from the address stage to the stage in which the word stands in a register.
    pub fn read_clocks(depth: u32) -> u32 {
        if Array::in_lut_ram(depth) {
            1
        } else {
            2
        }
    }

    /// The memory that is read at the first index; the others are copies of it.
    pub fn first_memory(&self) -> String {
        self.memory(0)
    }

    fn memory(&self, copy: usize) -> String {
        match self.reads.len() {
            1 => "words".into(),
            _ => format!("words_{copy}"),
        }
    }

    /// Bits of a word.
    pub fn word_bits(&self) -> u32 {
        self.value_bits + u32::from(self.presence.is_stored())
    }
}

/// Stage A is the address stage of a read, C the commit stage, `reads` clocks later.
///
/// Ports, with the stage they belong to: `read_index_k` (A), `read_word_k` (A + read_clocks, from a register),
/// `write` and `write_word` (C), `host_a` (A: the slot is a host operation on this map), `host_write_ok` (C, only
/// with [`HostAddress::Follows`]), `clear`, `clear_index`; the host's registers `host_command`, `host_flags`,
/// `host_index`, `host_value` stand still from a clock before its operation comes until it is over. Results, from registers
/// after C: `host_errno`, `host_result`.
pub fn array(config: &Array) -> Module {
    let read_clocks = Array::read_clocks(config.depth);
    assert!(config.reads.iter().all(|after| *after >= read_clocks));
    assert!(config.own_write_index || config.writers <= 1);
    assert!(config.writers > 0 || !config.own_write_index);
    let lut_ram = Array::in_lut_ram(config.depth);
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Values of map {}: {} x {} bits in {}.\n\
             Read: the index belongs to the address stage A, the word stands in a register in stage A + {read_clocks}.\n\
             Write: stage A + {}, in packet order.{}\n\
             The host's operation is a packet without frames: it passes the same stages.\n\
             Reset is followed by a sweep that clears every entry.",
            config.map,
            config.depth,
            config.value_bits,
            if lut_ram { "LUT RAM" } else { "block RAM" },
            config.reads[0],
            if config.forward {
                "\nA word that is read has the writes that committed while it was on its way: they are forwarded."
            } else {
                ""
            },
        ),
    );
    let index_width = index_bits(u64::from(config.depth));
    let word = config.word_bits();
    let read_indexes: Vec<Node> = (0..config.reads.len())
        .map(|k| m.input(format!("read_index_{k}"), index_width, "stage A"))
        .collect();
    let mut program_writes = Vec::new();
    for writer in 0..config.writers {
        let name = |port: &str| port_name(port, writer);
        program_writes.push(Write {
            write: m.input(name("write"), 1, "stage C"),
            word: m.input(name("write_word"), word, "stage C"),
            index: config
                .own_write_index
                .then(|| m.input(name("write_index"), index_width, "stage C")),
        });
    }
    let host_a = m.input(
        "host_a",
        1,
        "stage A: this slot is a host operation on this map",
    );
    let host_write_ok = (config.host == HostAddress::Follows).then(|| {
        m.input(
            "host_write_ok",
            1,
            "stage C: the host's value is to be written",
        )
    });
    let clear = m.input("clear", 1, "the sweep after reset");
    let clear_index = m.input("clear_index", index_width, "");
    let host_value = m.input(
        "host_value",
        config.value_bits,
        "stands still during an operation",
    );
    let host_key_ports = (config.host == HostAddress::Key).then(|| HostKey {
        command: m.input("host_command", 3, ""),
        flags: m.input("host_flags", 32, ""),
        index: m.input("host_index", 32, ""),
    });

    m.section("Stage A: addresses");
    let first_index = match &host_key_ports {
        Some(host) => {
            let index = m.slice(host.index, 0, index_width.min(32));
            let index = m.resize(index, index_width);
            m.mux(host_a, index, read_indexes[0])
        }
        None => read_indexes[0],
    };
    let mut addresses = read_indexes;
    addresses[0] = first_index;
    m.name(first_index, "index_a");

    // What the commit stage writes is known below; the reads look at it before.
    let commit_write = m.wire(1, "commit_write");
    let commit_index = m.wire(index_width, "commit_index");
    let commit_word = m.wire(word, "commit_word");
    let copies: Vec<_> = (0..config.reads.len())
        .map(|k| {
            let style = if lut_ram {
                MemStyle::Distributed
            } else {
                MemStyle::Auto
            };
            m.mem(config.memory(k), word, config.depth, style)
        })
        .collect();

    let mut words = Vec::new();
    let mut host_address_delayed = first_index;
    let one = m.one();
    for (k, (copy, address)) in copies.iter().zip(&addresses).enumerate() {
        if lut_ram {
            let read = m.mem_read_async(*copy, *address);
            let fresh = if config.forward {
                forwarded(
                    &mut m,
                    *address,
                    read,
                    commit_write,
                    commit_index,
                    commit_word,
                )
            } else {
                read
            };
            words.push(m.delay(format!("word_{k}"), fresh));
        } else {
            let read = m.mem_read_sync(*copy, *address, one);
            m.name(read, format!("read_{k}"));
            let fresh = if config.forward {
                let address_b = m.delay(format!("index_{k}_b"), *address);
                let last_write = m.delay_reset(format!("last_write_{k}"), commit_write);
                let last_index = m.delay(format!("last_index_{k}"), commit_index);
                let last_word = m.delay(format!("last_word_{k}"), commit_word);
                let older = forwarded(&mut m, address_b, read, last_write, last_index, last_word);
                forwarded(
                    &mut m,
                    address_b,
                    older,
                    commit_write,
                    commit_index,
                    commit_word,
                )
            } else {
                read
            };
            words.push(m.delay(format!("word_{k}"), fresh));
        }
    }
    for (k, node) in words.iter().enumerate() {
        m.output(
            format!("read_word_{k}"),
            *node,
            format!("stage A + {read_clocks}"),
        );
    }

    m.section("Commit stage");
    let mut host_c = host_a;
    let mut old = words[0];
    for clock in 1..=config.host_commit_after {
        host_c = m.delay_reset(format!("host_{clock}"), host_c);
        if !config.own_write_index {
            host_address_delayed = m.delay(format!("index_{clock}"), host_address_delayed);
        }
        if clock > read_clocks {
            old = m.delay(format!("old_{clock}"), old);
        }
    }
    let program_write = joined(&mut m, &program_writes);
    let index_c = match (
        program_write.as_ref().and_then(|write| write.index),
        &host_key_ports,
    ) {
        (None, _) => host_address_delayed,
        (Some(index), None) => index,
        (Some(index), Some(host)) => {
            let host_index = m.slice(host.index, 0, index_width.min(32));
            let host_index = m.resize(host_index, index_width);
            m.mux(host_c, host_index, index)
        }
    };
    let (host_write, errno) = match &host_key_ports {
        Some(host) => host.check(&mut m, config, old, host_value),
        None => (
            host_write_ok.expect("given with Follows"),
            m.zero(ERRNO_BITS),
        ),
    };
    let host_writes = m.and(&[host_c, host_write]);
    m.name(host_writes, "host_writes");
    let host_word = if config.presence.is_stored() {
        let command = host_key_ports
            .as_ref()
            .expect("presence means a key")
            .command;
        let updates = m.eq_const(command, u64::from(crate::interface::command::UPDATE));
        let first = m.slice(host_value, 0, 32);
        let some = m.reduce_or(first);
        let sets = m.and(&[updates, some]);
        let present = m.delay("host_sets", sets);
        let value = m.gate(present, host_value);
        m.concat(&[present, value])
    } else {
        host_value
    };
    let (write, value) = match program_write {
        Some(program) => {
            let either = m.or(&[program.write, host_writes]);
            (either, m.mux(host_writes, host_word, program.word))
        }
        None => (host_writes, host_word),
    };
    m.drive(commit_write, write);
    m.drive(commit_index, index_c);
    m.drive(commit_word, value);
    let running = m.not(clear);
    let stored = m.gate(running, value);
    let stores = m.or(&[write, clear]);
    let address = m.mux(clear, clear_index, index_c);
    for copy in &copies {
        m.mem_write(*copy, address, stored, stores);
    }

    m.section("Result for the host");
    let (errno_reg, errno_held) = m.reg("host_errno_reg", ERRNO_BITS);
    m.set_next_when(errno_reg, host_c, errno);
    let result = m.slice(old, 0, config.value_bits);
    let (result_reg, result_held) = m.reg("host_result_reg", config.value_bits);
    m.set_next_when(result_reg, host_c, result);
    m.output("host_errno", errno_held, "0 or a positive errno");
    m.output("host_result", result_held, "the value that was there");
    m
}

/// A write of the data plane.
struct Write {
    write: Node,
    word: Node,
    index: Option<Node>,
}

/// The one of several writes that happens in this clock.
fn joined(m: &mut Module, writes: &[Write]) -> Option<Write> {
    let first = writes.first()?;
    let mut all = Write { ..*first };
    for other in &writes[1..] {
        all = Write {
            write: m.or(&[all.write, other.write]),
            word: m.mux(other.write, other.word, all.word),
            index: all
                .index
                .zip(other.index)
                .map(|(before, index)| m.mux(other.write, index, before)),
        };
    }
    Some(all)
}

/// `word`, or what is being written when it goes to the same index.
fn forwarded(m: &mut Module, index: Node, word: Node, write: Node, to: Node, value: Node) -> Node {
    let same = m.eq(index, to);
    let hit = m.and(&[write, same]);
    m.mux(hit, value, word)
}

struct HostKey {
    command: Node,
    flags: Node,
    index: Node,
}

impl HostKey {
    /// Whether the host's command writes, and its errno, as `array_map_update_elem`, `dev_map_update_elem`,
    /// `cpu_map_update_elem` and `xsk_map_update_elem` in the kernel answer. The host's registers stand still long before its operation arrives, so what follows from
    /// them alone goes through registers of its own.
    fn check(&self, m: &mut Module, config: &Array, old: Node, value: Node) -> (Node, Node) {
        use crate::interface::command;
        let depth = m.constant(u64::from(config.depth), 32);
        let below = m.ult(self.index, depth);
        let in_range = m.delay("host_in_range", below);
        let out_of_range = m.not(in_range);
        let is = |m: &mut Module, name: &str, code: u32| {
            let same = m.eq_const(self.command, u64::from(code));
            m.delay(name, same)
        };
        let lookup = is(m, "host_looks_up", command::LOOKUP);
        let update = is(m, "host_updates", command::UPDATE);
        let delete = is(m, "host_deletes", command::DELETE);
        let dump = is(m, "host_dumps", command::DUMP);
        let two = m.constant(2, 32);
        let above_two = m.ult(two, self.flags);
        let bad_flags = m.delay("host_bad_flags", above_two);
        let is_one = m.eq_const(self.flags, 1);
        let no_exist = m.delay("host_no_exist", is_one);
        let absent = if config.presence.is_stored() {
            let present = m.bit(old, config.value_bits);
            m.not(present)
        } else {
            m.zero(1)
        };
        let mut refuse_exist = m.and(&[update, no_exist]);
        let mut refuse_absent = m.zero(1);
        let mut no_value = m.zero(1);
        if config.presence == Presence::Sockets {
            let is_two = m.eq_const(self.flags, 2);
            let must_exist = m.delay("host_must_exist", is_two);
            refuse_absent = m.and(&[update, must_exist, absent]);
            let there = m.slice(old, 0, config.value_bits);
            let same = m.eq(there, value);
            let differs = m.not(same);
            let present = m.not(absent);
            refuse_exist = m.and(&[refuse_exist, present, differs]);
            let some = m.reduce_or(value);
            let none = m.not(some);
            let none = m.delay("host_no_socket", none);
            no_value = m.and(&[update, none]);
        }
        let einval_update = m.and(&[update, bad_flags]);
        let e2big = m.and(&[update, out_of_range]);
        let no_entry = m.or(&[absent, out_of_range]);
        let reads_nothing = m.and(&[lookup, no_entry]);
        let dump_nothing = m.and(&[dump, absent]);
        let enoent = m.or(&[reads_nothing, dump_nothing, refuse_absent]);
        let dump_behind = m.and(&[dump, out_of_range]);
        let delete_fails = if config.presence.is_stored() {
            m.and(&[delete, out_of_range])
        } else {
            delete
        };
        let einval = m.or(&[einval_update, dump_behind, delete_fails]);
        let no_device = if config.presence == Presence::Devices && config.value_bits == 64 {
            let without = program_without_device(m, value);
            let without = m.delay("host_no_device", without);
            m.and(&[update, without])
        } else {
            m.zero(1)
        };
        let conditions = [
            (no_device, EINVAL),
            (enoent, ENOENT),
            (refuse_exist, EEXIST),
            (no_value, EBADF),
            (e2big, E2BIG),
            (einval, EINVAL),
        ];
        let errno = last_error(m, &conditions);
        let some_error = m.reduce_or(errno);
        let fine = m.not(some_error);
        let changes = if config.presence.is_stored() {
            m.or(&[update, delete])
        } else {
            update
        };
        let write = m.and(&[changes, fine]);
        (write, errno)
    }
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
