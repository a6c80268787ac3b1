//! Stores and lines, up to the write port of each bank.

use super::super::bytes::{between, turned_up};
use super::super::LINE_BYTE_BITS;
use super::loads::first_bank_line;
use super::{LineIn, Memory, StoreIn, BANKS, BANK_BYTES};
use hardpath_blocks::index_bits;
use hardpath_rtl::{Mem, MemStyle, Module, Node, Reg};

const LANE_BITS: u32 = BANK_BYTES.trailing_zeros();
const BANK_BITS: u32 = BANKS.trailing_zeros();

/// A store, as a row has it.
#[derive(Clone, Copy)]
struct Store {
    /// It is there, and writes something.
    valid: Node,
    address: Node,
    /// Bytes of the data that are written.
    lanes: Node,
    /// Some of them lie in the next bank.
    crosses: Node,
    data: Node,
}

/// The stores of a clock.
#[derive(Clone)]
struct Row {
    stores: Vec<Store>,
    /// For each store but the first one those before it, of which the bit says: both may want different words of a bank.
    apart: Vec<Vec<Node>>,
}

/// The row that is written, and whether others may come.
pub(super) struct Stores {
    row: Row,
    /// The stores that are written in this clock.
    go: Vec<Node>,
    pub room: Node,
}

/// The write ports.
pub(super) struct WriteOut {
    pub banks: Vec<BankWrite>,
    pub line_ready: Node,
}

/// The write port of a bank, in registers.
pub(super) struct BankWrite {
    pub line: Node,
    pub data: Node,
    /// Bytes that are written.
    pub lanes: Node,
    /// Those of them that come from a store.
    pub by_store: Node,
}

impl Store {
    fn of(m: &mut Module, inputs: &StoreIn) -> Store {
        let lanes = between(m, BANK_BYTES, inputs.store_first, inputs.store_end);
        let some = m.ult(inputs.store_first, inputs.store_end);
        let lane = m.slice(inputs.store_address, 0, LANE_BITS);
        let lane = m.zext(lane, LANE_BITS + 2);
        let end = m.resize(inputs.store_end, LANE_BITS + 2);
        let end = m.add(lane, end);
        let word = m.constant(BANK_BYTES.into(), LANE_BITS + 2);
        Store {
            valid: m.and(&[inputs.store_valid, some]),
            address: inputs.store_address,
            lanes,
            crosses: m.ult(word, end),
            data: inputs.store_data,
        }
    }

    fn lane(&self, m: &mut Module) -> Node {
        m.slice(self.address, 0, LANE_BITS)
    }

    fn bank(&self, m: &mut Module) -> Node {
        m.slice(self.address, LANE_BITS, BANK_BITS)
    }

    fn line(&self, m: &mut Module) -> Node {
        let bits = m.width(self.address) - LINE_BYTE_BITS;
        m.slice(self.address, LINE_BYTE_BITS, bits)
    }

    /// Whether it goes on from the last bank to the next line.
    fn wraps(&self, m: &mut Module) -> Node {
        let bank = self.bank(m);
        let is_last = m.reduce_and(bank);
        m.and(&[is_last, self.crosses])
    }

    fn parts(&self) -> [Node; 5] {
        let Store {
            valid,
            address,
            lanes,
            crosses,
            data,
        } = *self;
        [valid, address, lanes, crosses, data]
    }
}

/// Whether two stores may want different words of a bank. It is enough that they are in different lines, or that one of them goes on in
/// the next line, and that they have a bank in common.
fn are_apart(m: &mut Module, one: &Store, other: &Store) -> Node {
    let (bank, other_bank) = (one.bank(m), other.bank(m));
    let same = m.eq(bank, other_bank);
    let meets = |m: &mut Module, crosses: Node, from: Node, to: Node| {
        let next = m.add_const(from, 1);
        let is_next = m.eq(next, to);
        m.and(&[crosses, is_next])
    };
    let behind = meets(m, one.crosses, bank, other_bank);
    let before = meets(m, other.crosses, other_bank, bank);
    let meet = m.or(&[same, behind, before]);
    let (line, other_line) = (one.line(m), other.line(m));
    let lines_differ = m.ne(line, other_line);
    let (wraps, other_wraps) = (one.wraps(m), other.wraps(m));
    let wrap_differs = m.xor(&[wraps, other_wraps]);
    let differ = m.or(&[lines_differ, wrap_differs]);
    m.and(&[meet, differ])
}

impl Row {
    fn of(m: &mut Module, inputs: &[StoreIn]) -> Row {
        let stores: Vec<Store> = inputs.iter().map(|store| Store::of(m, store)).collect();
        let mut apart = Vec::new();
        for (number, store) in stores.iter().enumerate().skip(1) {
            let before = stores[..number].iter();
            apart.push(before.map(|other| are_apart(m, other, store)).collect());
        }
        Row { stores, apart }
    }

    /// All of it side by side.
    fn word(&self, m: &mut Module) -> Node {
        let parts: Vec<Node> = self.parts().collect();
        m.concat(&parts)
    }

    fn parts(&self) -> impl Iterator<Item = Node> + '_ {
        let stores = self.stores.iter().flat_map(Store::parts);
        stores.chain(self.apart.iter().flatten().copied())
    }

    /// The same out of a word.
    fn out_of(&self, m: &mut Module, word: Node) -> Row {
        let mut at = m.width(word);
        let mut next = |like: Node| {
            let bits = m.width(like);
            at -= bits;
            m.slice(word, at, bits)
        };
        let stores = self.stores.iter().map(|store| {
            let [valid, address, lanes, crosses, data] = store.parts().map(&mut next);
            Store {
                valid,
                address,
                lanes,
                crosses,
                data,
            }
        });
        let stores = stores.collect();
        let apart = self.apart.iter();
        let apart = apart.map(|before| before.iter().map(|node| next(*node)).collect());
        Row {
            stores,
            apart: apart.collect(),
        }
    }
}

/// Rows that wait.
struct Queue {
    words: Mem,
    write: (Reg, Node),
    read: (Reg, Node),
    /// The oldest one.
    head: Node,
    some: Node,
}

impl Queue {
    fn new(m: &mut Module, config: &Memory, width: u32) -> Queue {
        let depth = config.queue;
        assert!(depth.is_power_of_two() && config.flight + 2 <= depth);
        let bits = index_bits(depth.into());
        let words = m.mem("waiting", width, depth, MemStyle::Distributed);
        let write = m.reg_reset("waiting_write_pointer", bits + 1, 0);
        let read = m.reg_reset("waiting_read_pointer", bits + 1, 0);
        let index = m.slice(read.1, 0, bits);
        let head = m.mem_read_async(words, index);
        let some = m.ne(write.1, read.1);
        m.name(some, "some_wait");
        Queue {
            words,
            write,
            read,
            head,
            some,
        }
    }

    /// Takes a word, gives up its head, and says whether there is room.
    fn moves(
        &self,
        m: &mut Module,
        config: &Memory,
        (push, word): (Node, Node),
        pop: Node,
    ) -> Node {
        let bits = index_bits(config.queue.into());
        let ((write_reg, write), (read_reg, read)) = (self.write, self.read);
        let index = m.slice(write, 0, bits);
        m.mem_write(self.words, index, word, push);
        let after = m.add_const(write, 1);
        m.set_next_when(write_reg, push, after);
        let after = m.add_const(read, 1);
        m.set_next_when(read_reg, pop, after);
        let used = m.sub(write, read);
        let full = m.bit(used, bits);
        let overflows = m.and(&[push, full]);
        let fits = m.not(overflows);
        m.assert("rows_fit", fits, "a row of stores came without room");
        // One row may come in this clock, which is not yet counted.
        let limit = m.constant((config.queue - config.flight - 1).into(), bits + 1);
        let room = m.ult(used, limit);
        m.delay_reset("room_reg", room)
    }
}

impl Stores {
    /// The way of a row up to the register from which it is written.
    pub fn new(m: &mut Module, config: &Memory, inputs: &[StoreIn]) -> Stores {
        bounds_are_good(m, inputs);
        let given = Row::of(m, inputs);
        let word = given.word(m);
        let queue = Queue::new(m, config, m.width(word));
        let valid: Vec<Node> = given.stores.iter().map(|store| store.valid).collect();
        let comes = m.or(&valid);
        let next = m.mux(queue.some, queue.head, word);
        let next = given.out_of(m, next);
        let free = m.wire(1, "row_is_free");
        let (row, regs) = held(m, &next, free);
        let go = goes(m, &row);
        let mut waits = Vec::new();
        for ((store, go), (reg, next)) in row.stores.iter().zip(&go).zip(regs) {
            let not_go = m.not(*go);
            let stays = m.and(&[store.valid, not_go]);
            let next = m.mux(free, next, stays);
            m.set_next(reg, next);
            waits.push(stays);
        }
        let waits = m.or(&waits);
        let is_free = m.not(waits);
        m.drive(free, is_free);
        let pop = m.and(&[queue.some, free]);
        let queued = m.or(&[queue.some, waits]);
        let push = m.and(&[comes, queued]);
        let room = queue.moves(m, config, (push, word), pop);
        Stores { row, go, room }
    }

    /// The write ports, which the stores share with a line.
    pub fn written(&self, m: &mut Module, line: &LineIn) -> WriteOut {
        let mut placed = Vec::new();
        for (store, go) in self.row.stores.iter().zip(&self.go) {
            placed.push(Placed::of(m, store, *go));
        }
        m.section("A line waits for its banks");
        let held = HeldLine::new(m, line);
        let mut banks = Vec::new();
        let mut blocked = Vec::new();
        for bank in 0..BANKS {
            let wanted: Vec<Node> = placed.iter().map(|store| store.wants(bank)).collect();
            let wanted = m.or(&wanted);
            let waits = m.bit(held.pending, bank);
            blocked.push(m.and(&[waits, wanted]));
            let not_wanted = m.not(wanted);
            let takes = m.and(&[waits, not_wanted]);
            banks.push(bank_write(m, (bank, &placed), &held, takes));
        }
        let still: Vec<Node> = blocked.iter().rev().copied().collect();
        let still = m.concat(&still);
        let blocked = m.or(&blocked);
        let line_ready = m.not(blocked);
        held.moves(m, line, (line_ready, still));
        WriteOut { banks, line_ready }
    }
}

/// A row in registers that take another one where `free` is 1. What is valid of it is driven later: its registers, and what they take
/// from the row.
fn held(m: &mut Module, next: &Row, free: Node) -> (Row, Vec<(Reg, Node)>) {
    let (mut stores, mut regs) = (Vec::new(), Vec::new());
    for (number, store) in next.stores.iter().enumerate() {
        let (reg, valid) = m.reg_reset(format!("store_{number}_waits"), 1, 0);
        regs.push((reg, store.valid));
        let mut hold =
            |what: &str, node: Node| m.hold(format!("store_{number}_{what}"), free, node);
        stores.push(Store {
            valid,
            address: hold("address", store.address),
            lanes: hold("lanes", store.lanes),
            crosses: hold("crosses", store.crosses),
            data: hold("data", store.data),
        });
    }
    let mut apart = Vec::new();
    for (number, before) in next.apart.iter().enumerate() {
        let mut all = Vec::new();
        for (other, node) in before.iter().enumerate() {
            let name = format!("store_{}_apart_from_{other}", number + 1);
            all.push(m.hold(name, free, *node));
        }
        apart.push(all);
    }
    (Row { stores, apart }, regs)
}

/// The stores of a row that are written in this clock: from the first one that is left, up to one that cannot be together with one before.
fn goes(m: &mut Module, row: &Row) -> Vec<Node> {
    let mut go: Vec<Node> = Vec::new();
    let mut before_go = m.one();
    for (number, store) in row.stores.iter().enumerate() {
        let mut conditions = vec![store.valid, before_go];
        for (other, before) in row.stores[..number].iter().enumerate() {
            let apart = row.apart[number - 1][other];
            let meets = m.and(&[before.valid, apart]);
            conditions.push(m.not(meets));
        }
        let goes = m.and(&conditions);
        m.name(goes, format!("store_{number}_goes"));
        let absent = m.not(store.valid);
        let over = m.or(&[absent, goes]);
        before_go = m.and(&[before_go, over]);
        go.push(goes);
    }
    go
}

/// A store, turned to the bytes of banks.
struct Placed {
    data: Node,
    line: Node,
    first_line: Node,
    /// By bank: it is the bank of the first byte, or the next one of a store that goes on there; of a store that waits.
    wants: Vec<Node>,
    /// By bank: bytes that are written in this clock.
    lanes: Vec<Node>,
}

impl Placed {
    fn of(m: &mut Module, store: &Store, go: Node) -> Placed {
        let (lane, bank, line) = (store.lane(m), store.bank(m), store.line(m));
        let data = turned_up(m, store.data, lane);
        let wide = m.zext(store.lanes, 2 * BANK_BYTES);
        let wide = m.shift(hardpath_rtl::NodeOp::Shl, wide, lane);
        let [low, high] = [0, BANK_BYTES].map(|lo| m.slice(wide, lo, BANK_BYTES));
        let (mut wants, mut lanes) = (Vec::new(), Vec::new());
        for number in 0..BANKS {
            let here = m.eq_const(bank, number.into());
            let before = (number + BANKS - 1) % BANKS;
            let next = m.eq_const(bank, before.into());
            let next = m.and(&[next, store.crosses]);
            let wanted = m.or(&[here, next]);
            wants.push(m.and(&[store.valid, wanted]));
            let (here, next) = (m.and(&[here, go]), m.and(&[next, go]));
            let (low, high) = (m.gate(here, low), m.gate(next, high));
            lanes.push(m.or(&[low, high]));
        }
        Placed {
            data,
            line,
            first_line: first_bank_line(m, line, bank),
            wants,
            lanes,
        }
    }

    fn wants(&self, bank: u32) -> Node {
        self.wants[bank as usize]
    }

    fn line_of(&self, bank: u32) -> Node {
        match bank {
            0 => self.first_line,
            _ => self.line,
        }
    }
}

/// The line that was taken, as far as it is not written.
struct HeldLine {
    /// Banks that wait for their word.
    pending: Node,
    pending_reg: Reg,
    index: (Reg, Node),
    data: (Reg, Node),
}

impl HeldLine {
    fn new(m: &mut Module, line: &LineIn) -> HeldLine {
        let (pending_reg, pending) = m.reg_reset("line_waits", BANKS, 0);
        let index = m.reg("line_index_reg", m.width(line.line_index));
        let data = m.reg("line_data_reg", m.width(line.line_data));
        HeldLine {
            pending,
            pending_reg,
            index,
            data,
        }
    }

    /// `still`: banks that wait on.
    fn moves(&self, m: &mut Module, line: &LineIn, (ready, still): (Node, Node)) {
        let takes = m.and(&[line.line_valid, ready]);
        let all = m.sext(takes, BANKS);
        let pending = m.or(&[all, still]);
        m.set_next(self.pending_reg, pending);
        let (reg, _) = self.index;
        m.set_next_when(reg, ready, line.line_index);
        let (reg, _) = self.data;
        let zeros = m.zero(m.width(line.line_data));
        let data = m.mux(line.line_zeros, zeros, line.line_data);
        m.set_next_when(reg, ready, data);
    }
}

/// A bank's write port: bytes of stores, the last one on top, or its word of the line.
fn bank_write(
    m: &mut Module,
    (number, stores): (u32, &[Placed]),
    line: &HeldLine,
    takes: Node,
) -> BankWrite {
    let (_, index) = line.index;
    let mut data = m.slice(line.data.1, number * BANK_BYTES * 8, BANK_BYTES * 8);
    let mut address = index;
    let mut by_store = Vec::new();
    for store in stores {
        let lanes = store.lanes[number as usize];
        let mut bytes = Vec::new();
        for lane in (0..BANK_BYTES).rev() {
            let on = m.bit(lanes, lane);
            let [ours, below] = [store.data, data].map(|data| m.slice(data, lane * 8, 8));
            bytes.push(m.mux(on, ours, below));
        }
        data = m.concat(&bytes);
        by_store.push(lanes);
    }
    // Those that go together want the same word; so the first one that is here says where it is.
    for store in stores.iter().rev() {
        address = m.mux(store.wants(number), store.line_of(number), address);
    }
    let by_store = m.or(&by_store);
    let all = m.sext(takes, BANK_BYTES);
    let lanes = m.or(&[by_store, all]);
    let mut delay = |what: &str, node: Node| m.delay(format!("bank_{number}_{what}"), node);
    BankWrite {
        line: delay("line", address),
        data: delay("data", data),
        by_store: delay("by_store", by_store),
        lanes: m.delay_reset(format!("bank_{number}_lanes"), lanes),
    }
}

/// Asserts that no store ends before its first byte or behind what it can have.
fn bounds_are_good(m: &mut Module, inputs: &[StoreIn]) {
    for store in inputs {
        let in_order = m.ule(store.store_first, store.store_end);
        let most = m.constant(BANK_BYTES.into(), m.width(store.store_end));
        let fits = m.ule(store.store_end, most);
        let good = m.and(&[in_order, fits]);
        let absent = m.not(store.store_valid);
        let sound = m.or(&[absent, good]);
        m.assert("store_bounds", sound, "a store has 0 to 8 bytes");
    }
}
