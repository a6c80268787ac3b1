//! The programs of a core: two banks of rows. One runs, and the other takes what a loader writes.
//!
//! A load is a stream of words of 32 bits, as [`stream`](super::stream) makes it: what the core must be, what the program asks for, packed
//! rows, and the checksum of all that. Each clock takes one ([`load`]). A load for another core, behind another program than the one that
//! runs, or of no rows or more than a bank has, is given up at that word. When the checksum is right, the banks change ([`switch`]):
//! packets that come in are those of the new program, and those inside go on in their bank, to which nothing is loaded until they have
//! left. What a program asks for ([`Settings`]) stands in registers of its bank.
//!
//! Slots that no packet inside uses any more are swept at once, so free ones are empty or soon will be. A load says which become empty of those
//! that are in use. Then the entrance closes first, and the banks change when no packet is inside; it opens when they are swept, and, where
//! the load wants it, when the host says so.

mod load;
mod switch;

use super::{Processor, Rooms, Settings};
use crate::encode::layout::{self, WORDS};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

/// Stages from a row's number to its words.
pub const FETCH_CLOCKS: u32 = 2;

use load::Load;
pub use load::{head_words, FIXED_WORDS};
use switch::Switch;

signals! {
    /// Into the program memory.
    pub struct ProgramIn {
        row: one "stage -2: the row's number",
        row_bank: one "stage -2: the bank in which it stands",
        row_valid: one "stage -1: a row of the program begins",
        may_store: one "stage -1: its packet may be written",
        answer_valid: one "stage -1: what a unit brings begins",
        answer_lane: maybe "stage -1: in this lane",
        answer_word: one "stage -1: an operation",
        load_begins: one "what was loaded so far is forgotten",
        load_valid: one "a word of a load",
        load_word: one "this one",
        load_goes: one "the entrance may open",
        inside: all InsideIn,
        running: one "packets come in",
        host_works: one "an operation of the host is under way",
        host_begins: one "a bit for each slot: an operation of the host on its map begins",
        swept: one "a bit for each slot: it is swept",
    }
}

signals! {
    /// What packets are inside.
    pub struct InsideIn {
        none_inside: one "no packet is inside, nor on its way in",
        closed: one "and none comes in",
        enters: one "a packet gets a thread",
        enters_bank: one "the bank of its program",
        some_inside: one "packets have threads",
        oldest_bank: one "the bank of the oldest one's program",
    }
}

signals! {
    /// Out of the program memory.
    pub struct ProgramOut {
        words: several "stage 0: of each lane its operation",
        parks: one "stage 0: the row does nothing, since it writes bytes and may not",
        stores: one "stage 0: the row writes bytes",
        bank: one "that of the program that runs: packets that come in are its own",
        /// Of each bank.
        settings: numbered Settings,
        rooms: all Rooms,
        changed_before: one "a bit for each slot: packets of the program before are inside, which change its map",
        clears: one "a bit for each slot: it becomes empty",
        runs: one "there is a program",
        wants: one "a program waits until no packet is inside",
        holds: one "the program that runs waits for the host, or for the sweep of its maps",
        status: one "bit 0: a load is under way, 1: a program waits, 2: the last load was not right, 3: a program runs, 4: it waits for the host, 5: packets of the one before are inside; 31:16: programs so far",
        load_clocks: one "from the last word of a load to the first packet that may come in",
        load_before: one "packets that entered before the program that runs; those of the one before that are still to come are not among them",
    }
}

/// Makes the program memory.
pub fn program(config: &Processor) -> Block<ProgramIn, ProgramOut> {
    let module = format!("{}_program", config.name);
    let header = format!(
        "Program memory: two banks of {} rows of {} operations.\n\
         A row's number comes in stage -2, its words stand in registers in stage 0. What units bring back takes the place of a row.\n\
         A load takes a word in each clock, and changes nothing of the program that runs.",
        config.machine.rows, config.shape.lanes
    );
    let mut m = Module::new(module, header);
    let inputs = m.inputs(widths(config));
    m.section("What is loaded");
    let (bank_reg, bank) = m.reg_reset("bank_reg", 1, 0);
    let (name_reg, name) = m.reg_reset("name", 32, 0);
    let in_use = m.wire(1, "packets_of_before");
    let load = Load::new(&mut m, config, &inputs, name, (bank, in_use));
    let write = load.words(&mut m, config);
    m.section("The banks change");
    let used = m.wire(config.slots.len().max(1) as u32, "used");
    let sweeps = m.wire(1, "sweeps");
    let switch = Switch::new(&mut m, &inputs, &load, (sweeps, used, bank));
    let switches = switch.switches;
    m.drive(in_use, switch.old);
    let other = m.not(bank);
    m.set_next_when(bank_reg, switches, other);
    m.set_next_when(name_reg, switches, load.name);
    let uses = m.hold_reset("used_reg", switches, load.uses);
    m.drive(used, uses);
    let rooms = rooms(&mut m, &load, switches);
    let changed_before = changed_before(&mut m, &load, &switch);
    m.section("Slots that become empty");
    let clears = clears(&mut m, &inputs, &load, &switch, used);
    let some = m.reduce_or(clears);
    m.drive(sweeps, some);
    m.section("Rows");
    let (words, parks, stores) = rows(&mut m, config, &inputs, bank, &write);
    let gap = m.zero(10);
    let flags = [
        switch.old,
        switch.holds,
        switch.runs,
        load.wrong,
        switch.wants,
        load.under_way,
    ];
    let status: Vec<Node> = [switch.count, gap].into_iter().chain(flags).collect();
    let outputs = ProgramOut {
        words,
        parks,
        stores,
        bank,
        settings: load.settings.clone(),
        rooms,
        changed_before,
        clears,
        runs: switch.runs,
        wants: switch.closes,
        holds: m.or(&[switch.holds, switch.unswept]),
        status: m.concat(&status),
        load_clocks: switch.clocks,
        load_before: switch.before,
    };
    m.into_block(inputs, outputs)
}

fn widths(config: &Processor) -> ProgramIn<u32> {
    let slots = config.slots.len().max(1) as u32;
    ProgramIn {
        row: config.row_bits(),
        row_bank: 1,
        row_valid: 1,
        may_store: 1,
        answer_valid: 1,
        answer_lane: config.shape.bank_bits(),
        answer_word: 128,
        load_begins: 1,
        load_valid: 1,
        load_word: 32,
        load_goes: 1,
        inside: InsideIn {
            none_inside: 1,
            closed: 1,
            enters: 1,
            enters_bank: 1,
            some_inside: 1,
            oldest_bank: 1,
        },
        running: 1,
        host_works: 1,
        host_begins: slots,
        swept: slots,
    }
}

/// Of the maps of the program that runs. Slots that it does not use keep what they had, for packets of the one before.
fn rooms(m: &mut Module, load: &Load, switches: Node) -> Rooms {
    let mut taken = |name: &str, rooms: &[Node]| {
        let rooms = rooms.iter().enumerate();
        let rooms = rooms.map(|(slot, room)| {
            let used = m.bit(load.uses, slot as u32);
            let takes = m.and(&[switches, used]);
            m.hold_reset(format!("{name}_{slot}_reg"), takes, *room)
        });
        rooms.collect()
    };
    Rooms {
        key_bytes: taken("key_bytes", &load.rooms.key_bytes),
        most: taken("most", &load.rooms.most),
    }
}

/// What packets of the program before change, as long as there are any.
fn changed_before(m: &mut Module, load: &Load, switch: &Switch) -> Node {
    let changes = m.hold_reset("changes_reg", switch.switches, load.changes);
    let before = m.hold_reset("changes_before", switch.switches, changes);
    let old = m.sext(switch.old, m.width(before));
    m.and(&[old, before])
}

/// A bit that is set stays so until it ends; both in one clock: it is set.
fn stays(m: &mut Module, (sets, is_set): (Node, Node), ends: Node) -> Node {
    let goes_on = m.not(ends);
    let kept = m.and(&[is_set, goes_on]);
    m.or(&[kept, sets])
}

/// A bit for each slot that becomes empty in this clock: those that a load wants so and that are in use when the banks change; of the
/// others each that has been used, as soon as no packet inside uses it, so that loads find free slots empty.
fn clears(m: &mut Module, inputs: &ProgramIn, load: &Load, switch: &Switch, used: Node) -> Node {
    let slots = m.width(used);
    let (touched_reg, touched) = m.reg_reset("touched", slots, 0);
    let unused = m.not(used);
    let free = m.and(&[touched, unused]);
    let host_rests = m.not(inputs.host_works);
    let all_left = m.not(switch.old);
    let may = m.and(&[host_rests, all_left]);
    let free = m.gate(may, free);
    let late = m.and(&[load.clears, used]);
    let late = m.gate(switch.closed, late);
    let clears = m.or(&[free, late]);
    let kept = m.not(clears);
    let kept = m.and(&[touched, kept]);
    let uses = m.gate(switch.switches, load.uses);
    let next = m.or(&[kept, uses, inputs.host_begins]);
    m.set_next(touched_reg, next);
    m.delay_reset("clears_reg", clears)
}

/// A write of a row: its number, which words, and what all of them become.
struct Write {
    row: Node,
    enable: Node,
    word: Node,
    /// The row is complete, and whether it writes bytes of packet or stack.
    marks: Node,
    mark: Node,
}

fn rows(
    m: &mut Module,
    config: &Processor,
    inputs: &ProgramIn,
    bank: Node,
    write: &Write,
) -> (Vec<Node>, Node, Node) {
    let lanes = usize::from(config.shape.lanes);
    let words = lanes * WORDS;
    let other = m.not(bank);
    let data = m.concat(&vec![write.word; words]);
    let one = m.one();
    // A memory for each bank, so that who chooses between them is a register of ours, of which there can be many.
    let banks = [("rows_0", bank), ("rows_1", other)].map(|(name, takes)| {
        let mem = m.mem(
            name,
            32 * words as u32,
            config.machine.rows,
            MemStyle::Ultra,
        );
        let takes = m.sext(takes, words as u32);
        let enable = m.and(&[write.enable, takes]);
        m.mem_write(mem, write.row, data, enable);
        m.mem_read_sync(mem, inputs.row, one)
    });
    let second = m.delay("row_of_second", inputs.row_bank);
    let marks = m.mem("marks", 1, 2 * config.machine.rows, MemStyle::Block);
    let address = m.concat(&[other, write.row]);
    m.mem_write(marks, address, write.mark, write.marks);
    let address = m.concat(&[inputs.row_bank, inputs.row]);
    let mark = m.mem_read_sync(marks, address, one);
    let may_not = m.not(inputs.may_store);
    let parks = m.and(&[inputs.row_valid, mark, may_not]);
    let stays = m.not(parks);
    let begins = m.and(&[inputs.row_valid, stays]);
    let opcode = u32::from(layout::OPCODE.width);
    let words = (0..lanes)
        .map(|lane| {
            let [first, other] = banks.map(|row| m.slice(row, 128 * lane as u32, 128));
            let of_program = m.mux(second, other, first);
            let here = match inputs.answer_lane {
                Some(number) => {
                    let here = m.eq_const(number, lane as u64);
                    m.and(&[here, inputs.answer_valid])
                }
                None => inputs.answer_valid,
            };
            let word = m.mux(here, inputs.answer_word, of_program);
            // Without an opcode nothing else counts.
            let happens = m.or(&[here, begins]);
            let low = m.slice(word, 0, opcode);
            let low = m.gate(happens, low);
            let high = m.slice(word, opcode, 128 - opcode);
            let word = m.concat(&[high, low]);
            m.delay(format!("word_{lane}"), word)
        })
        .collect();
    let stores = m.and(&[begins, mark]);
    let stores = m.delay_reset("stores_reg", stores);
    (words, m.delay_reset("parks_reg", parks), stores)
}
