//! A map that answers requests: for users that do not schedule.
//!
//! A request is a lookup, an update or a delete. One is taken a clock, each is answered, in order, and sees what all before it
//! did: keys are put in and removed in the clock of their lookup's answer, values are written in the clock in which the old one
//! comes, and both memories forward. A request is taken when there is room for its answer, so answers may wait.
//!
//! The host's operation goes through the same stages, in its place among the requests: requests stop, those inside are let out, and
//! go on when the host has its answer.

use crate::table::{functions, Table};
use crate::values::Values;
use hardpath_blocks::array::{Array, HostAddress, Presence};
use hardpath_blocks::errno::ERRNO_BITS;
use hardpath_blocks::fifo::{fifo, FifoIn, FifoOut};
use hardpath_blocks::flags::UpdateFlags;
use hardpath_blocks::hash::{Evicts, Hash, HashPort};
use hardpath_blocks::host::MapQuestion;
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_blocks::sweep::{sweep, zero_in_sweep, Sweep};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Design, Module, Node};

/// What a map must know that is asked by requests: one with keys.
pub struct Served {
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    pub key_bits: u32,
    pub value_bits: u32,
    pub max_entries: u32,
    /// A new key in a full map takes the place of another one.
    pub evicts: bool,
    /// Keys stand in registers between memory and compare.
    pub registers: bool,
    /// Registers on both sides of the memory of values.
    pub registers_values: bool,
}

signals! {
    /// Into the map.
    pub struct ServedIn {
        request: all RequestIn,
        response_ready: one "the answer is taken",
        host: all HostIn,
    }
}

signals! {
    /// A request; all stands still while request_valid waits for request_ready.
    pub struct RequestIn {
        request_valid: one "",
        request_command: one "1 lookup, 2 update, 3 delete",
        request_flags: one "of an update: 0 any, 1 BPF_NOEXIST, 2 BPF_EXIST",
        request_key: one "",
        request_value: one "of an update",
    }
}

signals! {
    /// The host's operation. All but `host_start` stand still from `host_start` to `host_done`.
    pub struct HostIn {
        host_start: one "strobe: an operation begins; none is under way",
        host_command: one "1 lookup, 2 update, 3 delete, 4 dump",
        host_flags: one "of an update",
        host_slot: one "of a dump",
        host_key: one "",
        host_value: one "",
    }
}

signals! {
    /// Out of the map.
    pub struct ServedOut {
        request_ready: one "the request is taken",
        response: all ResponseOut,
        host: all HostOut,
    }
}

signals! {
    /// An answer; it stands still until it is taken.
    pub struct ResponseOut {
        response_valid: one "the answer to the oldest request",
        response_errno: one "0 or a positive errno",
        response_value: one "of a lookup without an error",
    }
}

signals! {
    /// What the host is answered; with `host_done` and from then on.
    pub struct HostOut {
        host_done: one "strobe: the operation is over",
        host_errno: one "0 or a positive errno",
        host_value_out: one "what a lookup or dump found",
        host_key_out: one "what a dump found",
    }
}

impl Served {
    fn table(&self) -> Hash {
        Hash {
            name: format!("{}_keys", self.name),
            map: self.map.clone(),
            key_bits: self.key_bits,
            max_entries: self.max_entries,
            ports: vec![HashPort {
                commit_after: 0,
                updates: true,
                deletes: true,
                slot: 0,
            }],
            forward: true,
            registers: self.registers,
            evicts: match self.evicts {
                true => Evicts::Candidates,
                false => Evicts::Nobody,
            },
        }
    }

    fn values(&self) -> Array {
        Array {
            name: format!("{}_values", self.name),
            map: self.map.clone(),
            depth: self.entries(),
            value_bits: self.value_bits,
            presence: Presence::Always,
            reads: vec![self.read_clocks()],
            writers: 1,
            own_write_index: true,
            forward: true,
            registers: self.registers_values,
            host_commit_after: self.read_clocks(),
            host: HostAddress::Follows,
        }
    }

    fn entries(&self) -> u32 {
        Hash::entries(self.max_entries)
    }

    /// Clocks from a request to the commit of its key.
    fn commit_clocks(&self) -> u32 {
        1 + Hash::answer_clocks(self.registers)
    }

    /// Clocks from there to its answer.
    fn read_clocks(&self) -> u32 {
        Array::read_clocks(self.entries(), self.registers_values)
    }

    /// Clocks from a request to its answer.
    pub fn clocks(&self) -> u32 {
        self.commit_clocks() + self.read_clocks()
    }

    fn header(&self) -> String {
        format!(
            "Map {}: {} x {} bits of key, {} bits of value, asked by requests.\n\
             One request a clock, answered in order; each sees what all before it did.\n\
             The host's operation has its place among them. Reset is followed by a sweep, in which nothing is taken.",
            self.map, self.max_entries, self.key_bits, self.value_bits
        )
    }

    fn widths(&self) -> ServedIn<u32> {
        ServedIn {
            request: RequestIn {
                request_valid: 1,
                request_command: 3,
                request_flags: 32,
                request_key: self.key_bits,
                request_value: self.value_bits,
            },
            response_ready: 1,
            host: HostIn {
                host_start: 1,
                host_command: 3,
                host_flags: 32,
                host_slot: 32,
                host_key: self.key_bits,
                host_value: self.value_bits,
            },
        }
    }
}

/// The module; those in it are added to the design.
pub fn served(design: &mut Design, config: &Served) -> Block<ServedIn, ServedOut> {
    let mut m = Module::new(config.name.clone(), config.header());
    let inputs = m.inputs(config.widths());
    m.section("Sweep after reset");
    let sweep = sweep(&mut m, config.entries());
    let question = question(&mut m, &sweep, &inputs.host);
    let operation = operation(&mut m, config, inputs.host.host_start, sweep.running);
    let answer_taken = m.wire(1, "answer_taken");
    let (request_ready, taken) = room(
        &mut m,
        config,
        &inputs.request,
        (sweep.running, operation.busy),
        answer_taken,
    );
    let asked = Asked::new(&mut m, config, &inputs.request, taken);
    let table = keys(
        design,
        &mut m,
        config,
        (&inputs.request, &asked),
        operation.inject,
        &question,
    );
    let values = values(design, &mut m, config, &asked, &table, &question);

    let response = answers(
        design,
        &mut m,
        config,
        asked.here,
        (&table, &values),
        (inputs.response_ready, answer_taken),
    );
    let (host_errno, host_key_out) = table.host_answer();
    let outputs = ServedOut {
        request_ready,
        response,
        host: HostOut {
            host_done: operation.done,
            host_errno,
            host_value_out: values.placed.out.host_result,
            host_key_out,
        },
    };
    m.into_block(inputs, outputs)
}

/// The answers wait until they are taken. `here`: one comes in this clock.
fn answers(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    here: Node,
    (table, values): (&Table, &Values),
    (response_ready, answer_taken): (Node, Node),
) -> ResponseOut {
    m.section("Answers");
    let errno = table.hash_out().errno.expect("of a table that is changed");
    let errno = later(m, "errno", errno, config.read_clocks());
    let data_in = m.concat(&[errno, values.placed.out.read_word[0]]);
    let name = format!("{}_answers", config.name);
    let waiting = fifo(&name, m.width(data_in), depth(config));
    let inputs = FifoIn {
        push: here,
        data_in,
        pop: answer_taken,
    };
    let FifoOut { valid, data_out } = waiting.place(design, m, "answers", inputs).out;
    let pop = m.and(&[valid, response_ready]);
    m.drive(answer_taken, pop);
    ResponseOut {
        response_valid: valid,
        response_errno: m.slice(data_out, config.value_bits, ERRNO_BITS),
        response_value: m.slice(data_out, 0, config.value_bits),
    }
}

/// Answers that may wait: as many as are under way at one a clock.
fn depth(config: &Served) -> u32 {
    (config.clocks() + 4).next_power_of_two()
}

/// The same so many clocks later; bits alone are 0 after reset.
fn later(m: &mut Module, name: &str, node: Node, clocks: u32) -> Node {
    let mut node = node;
    for clock in 1..=clocks {
        let name = format!("{name}_{clock}");
        node = match m.width(node) {
            1 => m.delay_reset(name, node),
            _ => m.delay(name, node),
        };
    }
    node
}

/// What the memories see of the sweep and of the host.
fn question(m: &mut Module, sweep: &Sweep, host: &HostIn) -> MapQuestion {
    MapQuestion {
        map_select: m.zero(1),
        host_command: host.host_command,
        host_flags: host.host_flags,
        host_slot: host.host_slot,
        host_index: m.zero(32),
        host_key: host.host_key,
        host_value: zero_in_sweep(m, sweep.clear, host.host_value),
        clear: sweep.clear,
        clear_index: sweep.index,
        map_start: None,
    }
}

/// The host's operation.
struct Operation {
    /// One is under way: no request is taken.
    busy: Node,
    /// It goes in now.
    inject: Node,
    /// It is over.
    done: Node,
}

fn operation(m: &mut Module, config: &Served, start: Node, running: Node) -> Operation {
    m.section("The host's operation: in when nothing else is inside");
    let inject_at = config.clocks() + 2;
    let done_at = inject_at + config.clocks() + 2;
    let bits = index_bits(u64::from(done_at) + 1);
    let (busy_reg, busy) = m.reg_reset("busy", 1, 0);
    let (clock_reg, clock) = m.reg("operation_clock", bits);
    let more = m.add_const(clock, 1);
    let counts = m.and(&[busy, running]);
    let zero = m.zero(bits);
    let next = m.mux(counts, more, zero);
    m.set_next(clock_reg, next);
    let at_inject = m.eq_const(clock, u64::from(inject_at));
    let inject = m.and(&[busy, at_inject]);
    let at_end = m.eq_const(clock, u64::from(done_at));
    let done = m.and(&[busy, at_end]);
    let goes_on = m.not(done);
    let stays = m.and(&[busy, goes_on]);
    let busy_next = m.or(&[start, stays]);
    m.set_next(busy_reg, busy_next);
    Operation {
        busy,
        inject: m.name(inject, "inject"),
        done: m.name(done, "done"),
    }
}

/// Whether a request would be taken, because there is room for its answer; and whether one is.
fn room(
    m: &mut Module,
    config: &Served,
    request: &RequestIn,
    (running, busy): (Node, Node),
    answer_taken: Node,
) -> (Node, Node) {
    m.section("Room for answers");
    let all = u64::from(depth(config));
    let (room_reg, room) = m.reg_reset("room", index_bits(all + 1), all);
    let some = m.reduce_or(room);
    let free = m.not(busy);
    let ready = m.and(&[running, free, some]);
    m.name(ready, "ready");
    let taken = m.and(&[request.request_valid, ready]);
    m.name(taken, "taken");
    let changes = m.xor(&[taken, answer_taken]);
    let more = m.add_const(room, 1);
    let less = m.sub_const(room, 1);
    let next = m.mux(taken, less, more);
    m.set_next_when(room_reg, changes, next);
    (ready, taken)
}

/// A request on its way: in the clock of its key's commit, and of its answer.
struct Asked {
    uses: Node,
    update: Node,
    remove: Node,
    no_exist: Node,
    must_exist: Node,
    bad_flags: Node,
    /// In the clock of the answer: a request is here, and the value of its update.
    here: Node,
    value: Node,
}

impl Asked {
    fn new(m: &mut Module, config: &Served, request: &RequestIn, taken: Node) -> Asked {
        m.section("What is asked, on its way to the commit");
        let clocks = config.commit_clocks();
        let is = |m: &mut Module, code: u32| {
            let same = m.eq_const(request.request_command, u64::from(code));
            m.and(&[taken, same])
        };
        let update = is(m, command::UPDATE);
        let remove = is(m, command::DELETE);
        let flags = UpdateFlags::of(m, request.request_flags);
        let uses = later(m, "uses", taken, clocks);
        Asked {
            uses,
            update: later(m, "update", update, clocks),
            remove: later(m, "remove", remove, clocks),
            no_exist: later(m, "no_exist", flags.no_exist, clocks),
            must_exist: later(m, "must_exist", flags.must_exist, clocks),
            bad_flags: later(m, "bad_flags", flags.bad, clocks),
            here: later(m, "here", uses, config.read_clocks()),
            value: later(m, "value", request.request_value, config.clocks()),
        }
    }
}

/// The hash functions, a register, and the table.
fn keys(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    (request, asked): (&RequestIn, &Asked),
    inject: Node,
    question: &MapQuestion,
) -> Table {
    m.section("Keys");
    let hash = config.table();
    let is_dump = m.eq_const(question.host_command, u64::from(command::DUMP));
    let dump = m.delay("host_dumps", is_dump);
    let module = format!("{}_hash", config.name);
    let named = (module.as_str(), "hash".to_owned());
    let host = Some((inject, dump));
    let hashed = functions(
        (design, m),
        named,
        &hash,
        request.request_key,
        host,
        question,
    );
    let key = m.delay("key", hashed.key_out);
    let rows = m.delay("rows", hashed.rows);
    let host_r = m.delay_reset("host", inject);
    let table = Table::hash(
        (design, m),
        "keys".to_owned(),
        &hash,
        question,
        question.host_flags,
    );
    if let Table::Hash { slot, .. } = &table {
        m.drive(slot.host_r, host_r);
        let own = &slot.keys[0];
        m.drive(own.key, key);
        m.drive(own.rows, rows);
        if let Some(wire) = own.uses {
            m.drive(wire, asked.uses);
        }
        let update = own.update.as_ref().expect("the port updates");
        m.drive(update.update, asked.update);
        m.drive(update.no_exist, asked.no_exist);
        m.drive(update.must_exist, asked.must_exist);
        m.drive(update.bad_flags, asked.bad_flags);
        m.drive(own.remove.expect("the port deletes"), asked.remove);
    }
    table
}

/// The memory of the values, read at the entry that was found and written at that of the update.
fn values(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    asked: &Asked,
    table: &Table,
    question: &MapQuestion,
) -> Values {
    m.section("Values");
    let values = Values::new((design, m), "values".to_owned(), &config.values(), question);
    let clocks = config.read_clocks();
    let (_, entry) = table.answer(0);
    let (writes, placed) = table.write(0);
    let host_c = table.hash_out().host_c;
    m.drive(values.slot.host_a, host_c);
    m.drive(values.slot.read_index[0], entry);
    let writes = later(m, "writes", writes, clocks);
    let placed = later(m, "placed", placed, clocks);
    let host_write_ok = values.slot.host_write_ok.expect("behind a table");
    m.drive(host_write_ok, writes);
    let write = &values.slot.writes[0];
    let of_request = m.and(&[writes, asked.here]);
    m.drive(write.write, of_request);
    m.drive(write.write_word, asked.value);
    m.drive(write.write_index.expect("the entry of the update"), placed);
    values
}
