//! Map operations: from a row to the unit of its map, and back with its answer.
//!
//! ```text
//! row ─► record of the thread ─► free: in turn ───────────────┐
//!     │                      └► ordered: when it is oldest ───┼─► request ─► map ─► answer, beside the rows ─► the thread goes on
//!     └► additions of the thread ─► when it leaves ───────────┘
//! ```
//!
//! What a packet's program does to maps must look as if no other packet were inside. Of each map a program says (`ordered`)
//! whether packets can see what others do to it. If not, lookups and loads are done at once, and additions whose result nobody wants when
//! the packet leaves, in the order of the packets.
//!
//! If they can, what changes the map waits until its packet is the oldest one, and what only reads is done at once: of each map it is
//! kept which threads have looked up and which have loaded, and what ([`super::readers`]). Requests go to the maps one behind the other,
//! so where a change is taken, whoever has read before has read too early, and is *stale*: it begins again. The oldest packet reads what
//! is so, and is never stale through another one. A packet that may be stale does not write its bytes: its rows with stores wait until
//! it is the oldest one; and one that has written them waits with what it reads.
//!
//! While packets of two programs are inside, those of the old one go on as they are: they come first. For those of the new one a map is
//! ordered, too, that the old one changes; and what the old one has yet to add when its packets leave are changes: a new packet may have
//! read the sum.
//!
//! Bytes of values and keys are told apart: an entry that is added to or written is no other entry for those who have only looked it up.

mod answers;
mod choice;
mod log;

use super::asks::AskOut;
use super::puts::Puts;
use super::readers::{readers, Taken};
use super::shared::OperationIn;
use super::slots::Slots;
use super::{part_of_last, Processor, Rooms};
use crate::encode::layout::{self, Opcode};
use crate::hardware::decode::part;
use crate::hardware::pick::{bit_at, one_hot};
use crate::hardware::predicates::PREDICATE_BITS;
use crate::isa::Buffer;
use choice::{Held, Tag};
use hardpath_blocks::counters::choose;
use hardpath_blocks::host::{LongIn, MapAnswer, MapQuestion, LONG_BYTES};
use hardpath_blocks::interface::JournalOut;
use hardpath_ir::AtomicOp;
use hardpath_rtl::signals::{Block, Signals};
use hardpath_rtl::{signals, Design, Mem, MemStyle, Module, Node};

/// Additions that a packet can have before it is the oldest one.
pub const LOGGED: u32 = 4;
/// Requests that can be under way.
const UNDER_WAY: u32 = 32;

signals! {
    /// Into the requests.
    pub struct RequestsIn {
        /// Of the program in each bank.
        ordered: several "a bit for each slot: packets see what others do to its map",
        bank: one "the bank of the program that runs",
        bank_9: one "stage 9: that of the row's program",
        changed_before: one "a bit for each slot: packets of the program before are inside, which change its map",
        lanes: numbered OperationIn,
        ask: all AskOut,
        thread_9: one "stage 9: the row's thread",
        stores_9: one "stage 9: the row writes bytes of packet or stack",
        oldest: one "the thread of the oldest packet",
        some_inside: one "a packet is inside",
        done: one "the program of the oldest packet is over",
        leaves: one "the oldest packet leaves",
        is_stale: one "a bit for each thread: it will begin again",
        restarts: one "a bit for each thread: it begins again",
        rooms: all Rooms,
        clears: one "a bit for each slot: its map becomes empty; nothing is under way then",
        answer_taken: one "the answer is taken; only while it is offered",
        host: some HostAsksIn,
    }
}

signals! {
    /// The host's operation.
    pub struct HostAsksIn {
        host_inject: one "it goes in",
        question: all MapQuestion,
        /// With [`Processor::long`].
        long_bytes: maybe "of a long value, two clocks behind long_row",
    }
}

signals! {
    /// Out of the requests.
    pub struct RequestsOut {
        waits: one "stage 9: the thread waits for an answer",
        answer: all AnswerOut,
        committed: one "what the oldest packet changes is done",
        some_wait: one "a packet waits to be the oldest one",
        overflows: one "an addition finds its packet's log full, or a tag its set",
        stale: one "a bit for each thread: it has read too early",
        guesses: one "a bit for each thread: it has read what others may change",
        still: one "no request is under way or waits",
        swept: one "a bit for each slot: its map is swept",
        value_puts: one "stage 10: word 0 of the value buffer is written",
        value_put_data: one "stage 10: what it becomes",
        exit_put_thread: one "stage 10",
        exit_puts: several "stage 10: a word of the exit buffer is written",
        exit_put_data: several "stage 10: what it becomes",
        host: some MapAnswer,
        /// With [`Processor::long`].
        long: some LongIn,
        /// With [`Processor::journal`], of LRU maps by name.
        lru: labelled JournalOut,
    }
}

signals! {
    /// What a thread waits for. It stays until it is taken.
    pub struct AnswerOut {
        answer_valid: one "an answer is offered",
        answer_thread: one "whose",
        answer_writes: one "it goes into a register",
        answer_lane: maybe "of this lane's bank",
        answer_to: one "this one",
        answer_value: one "what the register becomes",
        answer_tells: one "and into a predicate",
        answer_hit: one "this one",
        answer_is_hit: one "what the predicate becomes",
    }
}

impl AnswerOut<u32> {
    /// In bits.
    pub fn widths(config: &Processor) -> AnswerOut<u32> {
        AnswerOut {
            answer_valid: 1,
            answer_thread: config.thread_bits(),
            answer_writes: 1,
            answer_lane: config.shape.bank_bits(),
            answer_to: config.shape.index_bits(),
            answer_value: 64,
            answer_tells: 1,
            answer_hit: PREDICATE_BITS,
            answer_is_hit: 1,
        }
    }
}

/// Makes the requests, with the units of all maps inside.
pub fn requests(design: &mut Design, config: &Processor) -> Block<RequestsIn, RequestsOut> {
    let name = format!("{}_requests", config.name);
    let mut m = Module::new(
        name,
        format!(
            "Map operations: {} map slots, one request a clock.\n\
             A thread that asks waits for its answer. Additions whose result nobody wants wait for their packet's end.",
            config.slots.len()
        ),
    );
    let inputs = m.inputs(widths(config));
    m.section("Words for buffers");
    let puts = Puts::new(&mut m, &inputs.lanes);
    let thread = m.delay("thread_10", inputs.thread_9);
    let (mut exit_puts, mut exit_put_data) = (Vec::new(), Vec::new());
    for number in super::exits::words(config) {
        let (writes, data) = puts.word(&mut m, Buffer::Exit, number);
        exit_puts.push(writes);
        exit_put_data.push(data);
    }
    let (value_puts, value_put_data) = puts.word(&mut m, Buffer::Value, 0);
    let zero = m.zero(1);
    let mut outputs = RequestsOut {
        waits: zero,
        answer: AnswerOut::widths(config).map(&mut |_, _, width| m.zero(width)),
        committed: m.one(),
        some_wait: zero,
        overflows: zero,
        stale: m.zero(config.shape.threads.into()),
        guesses: m.zero(config.shape.threads.into()),
        still: m.one(),
        swept: m.one(),
        value_puts,
        value_put_data,
        exit_put_thread: thread,
        exit_puts,
        exit_put_data,
        host: None,
        long: None,
        lru: Vec::new(),
    };
    if !config.slots.is_empty() {
        let mut requests = Requests {
            design,
            m: &mut m,
            config,
            inputs: &inputs,
            thread,
        };
        requests.build(&puts, &mut outputs);
    }
    m.into_block(inputs, outputs)
}

fn widths(config: &Processor) -> RequestsIn<u32> {
    let thread = config.thread_bits();
    RequestsIn {
        ordered: vec![config.slots.len().max(1) as u32; 2],
        bank: 1,
        bank_9: 1,
        changed_before: config.slots.len().max(1) as u32,
        lanes: OperationIn::of_lanes(config),
        ask: AskOut::widths(config),
        thread_9: thread,
        stores_9: 1,
        oldest: thread,
        some_inside: 1,
        done: 1,
        leaves: 1,
        is_stale: config.shape.threads.into(),
        restarts: config.shape.threads.into(),
        rooms: Rooms::widths(config),
        clears: config.slots.len().max(1) as u32,
        answer_taken: 1,
        host: (!config.slots.is_empty()).then(|| HostAsksIn {
            host_inject: 1,
            question: MapQuestion::of(
                config.slots.len(),
                config.host_bits(),
                config.clear_words(),
                true,
            ),
            long_bytes: config.long().map(|_| 8 * LONG_BYTES),
        }),
    }
}

struct Requests<'a> {
    design: &'a mut Design,
    m: &'a mut Module,
    config: &'a Processor,
    inputs: &'a RequestsIn,
    /// Stage 10.
    thread: Node,
}

/// An operation in stage 10.
struct Asked {
    /// Free, ordered, an addition that waits in the log.
    free: Node,
    ordered: Node,
    posts: Node,
    /// The map is ordered for the packet.
    tracked: Node,
    /// Stage 9: one finds no room there.
    overflows: Node,
    /// Of the word what stands below the operands, and above.
    low: Node,
    last: Node,
    lane: Option<Node>,
    a: Node,
    b: Node,
    /// Where in the value, of an access through an entry.
    offset: Node,
}

/// A request, as far as it is the same for all maps.
pub(super) struct Request {
    pub valid: Node,
    pub map: Node,
    pub command: Node,
    pub may: Node,
    /// Words of the key and of the value, the first one first.
    pub key: Vec<Node>,
    pub value: Vec<Node>,
    pub entry: Node,
    pub offset: Node,
    pub bytes: Node,
    pub word: Node,
}

/// What is kept of a thread's operation, read by its number.
struct Records {
    low: Mem,
    low_bits: u32,
    operands: Mem,
    key: Vec<Mem>,
    value: Vec<Mem>,
    may: Mem,
}

impl Requests<'_> {
    fn build(&mut self, puts: &Puts, outputs: &mut RequestsOut) {
        self.m.section("Operations");
        let log_full = self.m.wire(1, "log_is_full");
        let (asked, waits) = self.asked(log_full);
        outputs.overflows = asked.overflows;
        let records = self.records(&asked, puts);
        self.m.section("Additions that wait for their packet's end");
        let forgets = self.forgets();
        let log = self.log(&asked, forgets, log_full);
        self.m.section("Whose request is next");
        let (chosen, waiting) = self.choose(&asked, &log);
        let next = self.next(&chosen, &records, &log);
        let accepted = self.m.wire(1, "accepted");
        let (request, tag) = self.held(next, chosen.goes, accepted);
        let held = [request.request.valid, tag.posted, tag.changes];
        let held = self.m.and(&held);
        outputs.committed = self.committed(&log, &chosen, held);
        self.m.section("Maps");
        let taken = self.m.wire(1, "answer_is_taken");
        let map = self.m.wire(self.config.map_bits(), "answering_map");
        let slots = Slots {
            m: self.m,
            config: self.config,
            design: self.design,
        };
        let slot = slots.place(&request.request, self.inputs, (taken, map), request.may_go);
        self.m.drive(accepted, slot.accepted);
        self.m.section("Who has read too early");
        self.readers((&request, &tag), forgets, outputs);
        self.m.section("Answers, in the order of the requests");
        self.answers(&records, (&tag, &request), &slot, (taken, map), outputs);
        outputs.waits = waits;
        let nothing = self.m.not(request.request.valid);
        let none = self.m.not(request.some_under_way);
        outputs.swept = slot.swept;
        outputs.still = self.m.and(&[waiting.none, nothing, none]);
        outputs.some_wait = waiting.in_order;
        outputs.host = slot.host;
        outputs.long = slot.long;
        outputs.lru = slot.journals;
    }

    fn asked(&mut self, log_full: Node) -> (Asked, Node) {
        let m = &mut *self.m;
        let ask = &self.inputs.ask;
        let (low, last, happens) = (ask.ask_low, ask.ask_last, ask.ask_of_map);
        let is = |m: &mut Module, opcode: Opcode| super::is(m, low, &[opcode]);
        let atomic = is(m, Opcode::Atomic);
        let add = layout::ATOMICS.iter().position(|op| *op == AtomicOp::Add);
        let code = part(m, low, layout::ATOMIC);
        let adds = m.eq_const(code, add.unwrap_or(0) as u64);
        let has_to = part(m, low, layout::HAS_TO);
        let nobody = m.not(has_to);
        let plain_add = m.and(&[atomic, adds, nobody]);
        let map = part(m, low, layout::MAP);
        let map = m.slice(map, 0, self.config.map_bits());
        let bank = self.inputs.bank_9;
        let own = m.mux(bank, self.inputs.ordered[1], self.inputs.ordered[0]);
        let own = bit_at(m, own, map);
        let is_old = m.xor(&[bank, self.inputs.bank]);
        let is_new = m.not(is_old);
        let before = bit_at(m, self.inputs.changed_before, map);
        let before = m.and(&[before, is_new]);
        let ordered = m.or(&[own, before]);
        // Additions are made when their packet leaves, behind all of the program before.
        let free = m.not(own);
        let room = m.not(log_full);
        let posts = m.and(&[happens, plain_add, free, room]);
        let not_posts = m.not(posts);
        let waits = m.and(&[happens, not_posts]);
        // A lookup in a map that forgets changes which keys go.
        let forgets = self.config.slots.iter().map(|decl| decl.forgets);
        let forgets: Vec<Node> = forgets
            .map(|forgets| m.constant(forgets.into(), 1))
            .collect();
        let forgets = choose(m, &forgets, map);
        let lasts = m.not(forgets);
        let looks = is(m, Opcode::Lookup);
        let looks = m.and(&[looks, lasts]);
        let loads = is(m, Opcode::MapLoad);
        let reads = m.or(&[looks, loads]);
        let changes = m.not(reads);
        // A packet that has written its bytes cannot begin again.
        let threads = u32::from(self.config.shape.threads);
        let (dirty_reg, dirty) = m.reg_reset("has_stored", threads, 0);
        let stores = one_hot(m, threads, self.inputs.stores_9, self.inputs.thread_9);
        let leaves = one_hot(m, threads, self.inputs.leaves, self.inputs.oldest);
        let stays = m.not(leaves);
        let stays = m.and(&[dirty, stays]);
        let next = m.or(&[stays, stores]);
        m.set_next(dirty_reg, next);
        let dirty = bit_at(m, dirty, self.inputs.thread_9);
        let for_sure = m.or(&[changes, dirty, self.inputs.stores_9]);
        let in_sight = m.and(&[ordered, for_sure]);
        let by_order = m.or(&[in_sight, plain_add]);
        let by_turn = m.not(by_order);
        let in_order = m.and(&[waits, by_order]);
        let in_turn = m.and(&[waits, by_turn]);
        let above = m.slice(ask.ask_a, 32, 32);
        let offset = part_of_last(m, last, layout::MAP_OFFSET);
        let offset = m.zext(offset, 32);
        let asked = Asked {
            free: m.delay_reset("asks_free", in_turn),
            ordered: m.delay_reset("asks_ordered", in_order),
            posts: m.delay_reset("posts", posts),
            overflows: m.and(&[happens, plain_add, free, log_full]),
            tracked: m.delay("asks_tracked", ordered),
            low: m.delay("asks_low_10", low),
            last,
            lane: ask.ask_lane,
            a: ask.ask_a,
            b: ask.ask_b,
            offset: m.add(offset, above),
        };
        (asked, waits)
    }

    fn mem(&mut self, name: &str, width: u32, depth: u32) -> Mem {
        self.m.mem(name, width, depth, MemStyle::Distributed)
    }

    fn records(&mut self, asked: &Asked, puts: &Puts) -> Records {
        let threads = u32::from(self.config.shape.threads);
        let writes = self.m.or(&[asked.free, asked.ordered]);
        let parts: Vec<Node> = asked.lane.into_iter().chain([asked.low]).collect();
        let word = self.m.concat(&parts);
        let low_bits = self.m.width(word);
        let low = self.mem("records", low_bits, threads);
        self.m.mem_write(low, self.thread, word, writes);
        let bytes = part_of_last(self.m, asked.last, layout::BYTES);
        let parts = [asked.tracked, bytes, asked.offset, asked.a, asked.b];
        let word = self.m.concat(&parts);
        let operands = self.mem("operands", 1 + 3 + 32 + 128, threads);
        self.m.mem_write(operands, self.thread, word, writes);
        let config = self.config;
        let mut words = |buffer: Buffer, name: &str, count: u16, width: u32| -> Vec<Mem> {
            let numbers = 0..count;
            let all = numbers.map(|number| {
                let (writes, data) = puts.word(self.m, buffer, number);
                let mem = self.mem(&format!("{name}_word_{number}"), width, threads);
                let data = self.m.slice(data, 0, width);
                self.m.mem_write(mem, self.thread, data, writes);
                mem
            });
            all.collect()
        };
        let key = words(Buffer::Key, "key", config.key_words(), 64);
        let value = words(Buffer::Value, "value", config.value_words(), 64);
        let may = words(Buffer::May, "may", 1, 2);
        Records {
            low,
            low_bits,
            operands,
            key,
            value,
            may: may[0],
        }
    }

    /// A bit for each thread: what its packet has done is forgotten, since it leaves or begins again.
    fn forgets(&mut self) -> Node {
        let threads = u32::from(self.config.shape.threads);
        let m = &mut *self.m;
        let leaves = one_hot(m, threads, self.inputs.leaves, self.inputs.oldest);
        let forgets = m.or(&[leaves, self.inputs.restarts]);
        // A clock later, which is long before the thread's next row does anything.
        m.delay_reset("forgets", forgets)
    }

    fn readers(&mut self, (held, tag): (&Held, &Tag), forgets: Node, outputs: &mut RequestsOut) {
        let threads = u32::from(self.config.shape.threads);
        let m = &mut *self.m;
        let thread = one_hot(m, threads, held.accepted, tag.thread);
        let taken = Taken {
            reads: m.and(&[held.accepted, tag.ahead, tag.tracked]),
            changes: m.and(&[held.accepted, tag.changes]),
            thread,
        };
        let both = (&held.request, &taken);
        let read = readers(m, self.config, both, &self.inputs.rooms, forgets);
        outputs.stale = read.stale;
        outputs.guesses = read.guesses;
        outputs.overflows = m.or(&[outputs.overflows, read.overflows]);
    }
}
