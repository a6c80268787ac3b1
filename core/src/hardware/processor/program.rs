//! The programs of a core: two banks of rows. One runs, and the other takes what a loader writes.
//!
//! A load is a stream of words of 32 bits, as [`stream`](super::stream) makes it: what the core must be, what the program asks for, packed
//! rows, and the checksum of all that. Each clock takes one ([`load`]). A load for another core, behind another program than the one that
//! runs, or of no rows or more than a bank has, is given up at that word. When the checksum is right, the entrance closes, and the banks
//! change when no packet is inside.
//!
//! A load says which slots become empty. Those that the running program does not use are swept while the rest of the load comes, the
//! others when the banks change; the entrance opens when all are swept, and, where the load wants it, when the host says so.

mod load;

use super::{Processor, Rooms, Settings};
use crate::encode::layout::{self, WORDS};
use hardpath_rtl::signals::{Block, Signals};
use hardpath_rtl::{signals, MemStyle, Module, Node};

/// Stages from a row's number to its words.
pub const FETCH_CLOCKS: u32 = 2;
/// Clocks from a change of the banks to the clock in which it is seen that slots are swept.
const SWEEP_BEGINS: u32 = 5;

pub use load::head_words;
use load::Load;

signals! {
    /// Into the program memory.
    pub struct ProgramIn {
        row: one "stage -2: the row's number",
        row_valid: one "stage -1: a row of the program begins",
        may_store: one "stage -1: its packet may be written",
        answer_valid: one "stage -1: what a unit brings begins",
        answer_lane: maybe "stage -1: in this lane",
        answer_word: one "stage -1: an operation",
        load_begins: one "what was loaded so far is forgotten",
        load_valid: one "a word of a load",
        load_word: one "this one",
        load_goes: one "the entrance may open",
        empty: one "no packet is inside, and none comes in",
        enters: one "a packet gets a thread",
        running: one "packets come in",
        host_works: one "an operation of the host is under way",
        swept: one "all maps are swept",
    }
}

signals! {
    /// Out of the program memory.
    pub struct ProgramOut {
        words: several "stage 0: of each lane its operation",
        parks: one "stage 0: the row does nothing, since it writes bytes and may not",
        stores: one "stage 0: the row writes bytes",
        settings: all Settings,
        rooms: all Rooms,
        clears: one "a bit for each slot: it becomes empty",
        runs: one "there is a program",
        wants: one "a program waits until no packet is inside",
        holds: one "the program that runs waits for the host, or for the sweep of its maps",
        status: one "bit 0: a load is under way, 1: a program waits, 2: the last load was not right, 3: a program runs, 4: it waits for the host; 31:16: programs so far",
        load_clocks: one "from the last word of a load to the first packet that may come in",
        load_before: one "packets that entered before the program that runs",
    }
}

/// Makes the program memory.
pub fn program(config: &Processor) -> Block<ProgramIn, ProgramOut> {
    let name = format!("{}_program", config.name);
    let header = format!(
        "Program memory: two banks of {} rows of {} operations.\n\
         A row's number comes in stage -2, its words stand in registers in stage 0. What units bring back takes the place of a row.\n\
         A load takes a word in each clock, and changes nothing of the program that runs.",
        config.machine.rows, config.shape.lanes
    );
    let mut m = Module::new(name, header);
    let lane_bits = config.shape.bank_bits();
    let inputs = m.inputs(ProgramIn {
        row: config.row_bits(),
        row_valid: 1,
        may_store: 1,
        answer_valid: 1,
        answer_lane: lane_bits,
        answer_word: 128,
        load_begins: 1,
        load_valid: 1,
        load_word: 32,
        load_goes: 1,
        empty: 1,
        enters: 1,
        running: 1,
        host_works: 1,
        swept: 1,
    });
    m.section("What is loaded");
    let (bank_reg, bank) = m.reg_reset("bank", 1, 0);
    let (sum_reg, sum) = m.reg_reset("checksum", 32, 0);
    let load = Load::new(&mut m, config, &inputs, sum);
    let write = load.words(&mut m, config);
    m.section("The banks change");
    let switch = Switch::new(&mut m, &inputs, &load);
    let other = m.not(bank);
    m.set_next_when(bank_reg, switch.switches, other);
    let of_load = m.hold("checksum_loaded", load.right, load.sum);
    m.set_next_when(sum_reg, switch.switches, of_load);
    let taken = |m: &mut Module, name: &str, node: Node| {
        m.hold_reset(format!("{name}_reg"), switch.switches, node)
    };
    let settings = load.settings.clone();
    let settings = settings.map(&mut |name, _, node| taken(&mut m, name, node));
    let rooms = load.rooms.clone();
    let rooms = rooms.map(&mut |name, _, node| taken(&mut m, name, node));
    m.section("Slots that become empty");
    let clears = clears(&mut m, &inputs, &load, switch.switches);
    m.section("Rows");
    let (words, parks, stores) = rows(&mut m, config, &inputs, bank, &write);
    let gap = m.zero(11);
    let Switch {
        wants, runs, holds, ..
    } = switch;
    let closed = m.or(&[holds, switch.unswept]);
    let flags = [holds, runs, load.wrong, wants, load.under_way];
    let status: Vec<Node> = [switch.count, gap].into_iter().chain(flags).collect();
    let outputs = ProgramOut {
        words,
        parks,
        stores,
        settings,
        rooms,
        clears,
        runs,
        wants,
        holds: closed,
        status: m.concat(&status),
        load_clocks: switch.clocks,
        load_before: switch.before,
    };
    m.into_block(inputs, outputs)
}

/// From a load that is right to packets that its program runs.
struct Switch {
    wants: Node,
    runs: Node,
    /// For the host.
    holds: Node,
    /// For the sweep of its maps.
    unswept: Node,
    /// Strobe: the banks change.
    switches: Node,
    /// Programs so far.
    count: Node,
    clocks: Node,
    before: Node,
}

impl Switch {
    fn new(m: &mut Module, inputs: &ProgramIn, load: &Load) -> Switch {
        let (wants_reg, wants) = m.reg_reset("wants_reg", 1, 0);
        let switches = m.and(&[wants, inputs.empty]);
        let forgets = m.or(&[switches, inputs.load_begins]);
        let wants_next = stays(m, (load.right, wants), forgets);
        m.set_next(wants_reg, wants_next);
        let (runs_reg, runs) = m.reg_reset("runs_reg", 1, 0);
        let one = m.one();
        m.set_next_when(runs_reg, switches, one);
        let (holds_reg, holds) = m.reg_reset("holds_reg", 1, 0);
        let held = m.and(&[switches, load.holds]);
        let next = stays(m, (held, holds), inputs.load_goes);
        m.set_next(holds_reg, next);
        let (unswept_reg, unswept) = m.reg_reset("unswept", 1, 0);
        // A sweep begins some clocks later.
        let mut since = switches;
        let mut begins = vec![switches];
        for clock in 1..=SWEEP_BEGINS {
            since = m.delay_reset(format!("switched_{clock}"), since);
            begins.push(since);
        }
        let begins = m.or(&begins);
        let begun = m.not(begins);
        let swept = m.and(&[inputs.swept, begun]);
        let next = stays(m, (switches, unswept), swept);
        m.set_next(unswept_reg, next);
        let (count_reg, count) = m.reg_reset("programs", 16, 0);
        let next = m.add_const(count, 1);
        m.set_next_when(count_reg, switches, next);
        let (counts_reg, counts) = m.reg_reset("counts_clocks", 1, 0);
        let waits_no_more = m.not(wants);
        let opens = m.and(&[inputs.running, waits_no_more]);
        let next = stays(m, (load.right, counts), opens);
        m.set_next(counts_reg, next);
        let (clocks_reg, clocks) = m.reg("load_clocks_reg", 32);
        let more = m.add_const(clocks, 1);
        let not_begins = m.not(load.right);
        let next = m.gate(not_begins, more);
        let changes = m.or(&[load.right, counts]);
        m.set_next_when(clocks_reg, changes, next);
        let (packets_reg, packets) = m.reg_reset("packets", 32, 0);
        let more = m.add_const(packets, 1);
        m.set_next_when(packets_reg, inputs.enters, more);
        Switch {
            wants,
            runs,
            holds,
            unswept,
            switches,
            count,
            clocks,
            before: m.hold_reset("load_before_reg", switches, packets),
        }
    }
}

/// A bit that is set stays so until it ends; both in one clock: it is set.
fn stays(m: &mut Module, (sets, is_set): (Node, Node), ends: Node) -> Node {
    let goes_on = m.not(ends);
    let kept = m.and(&[is_set, goes_on]);
    m.or(&[kept, sets])
}

/// A bit for each slot that becomes empty in this clock: those in use when the banks change, the others when the head of a load has come
/// and the host is not at work.
fn clears(m: &mut Module, inputs: &ProgramIn, load: &Load, switches: Node) -> Node {
    let used = m.hold_reset("used", switches, load.uses);
    let unused = m.not(used);
    let unused = m.and(&[load.clears, unused]);
    let (waits_reg, waits) = m.reg_reset("clears_unused", 1, 0);
    let head_came = m.delay_reset("head_came", load.head_ends);
    let host_rests = m.not(inputs.host_works);
    let goes = m.and(&[waits, host_rests]);
    let ends = m.or(&[goes, inputs.load_begins]);
    let next = stays(m, (head_came, waits), ends);
    m.set_next(waits_reg, next);
    let early = m.gate(goes, unused);
    // Those that wait yet go with the others.
    let all_of_them = m.sext(waits, m.width(used));
    let late = m.or(&[used, all_of_them]);
    let late = m.and(&[load.clears, late]);
    let late = m.gate(switches, late);
    let clears = m.or(&[early, late]);
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
    let mem = m.mem(
        "rows",
        32 * words as u32,
        2 * config.machine.rows,
        MemStyle::Ultra,
    );
    let other = m.not(bank);
    let address = m.concat(&[other, write.row]);
    let data = m.concat(&vec![write.word; words]);
    m.mem_write(mem, address, data, write.enable);
    let marks = m.mem("marks", 1, 2 * config.machine.rows, MemStyle::Block);
    m.mem_write(marks, address, write.mark, write.marks);
    let address = m.concat(&[bank, inputs.row]);
    let one = m.one();
    let row = m.mem_read_sync(mem, address, one);
    let mark = m.mem_read_sync(marks, address, one);
    let may_not = m.not(inputs.may_store);
    let parks = m.and(&[inputs.row_valid, mark, may_not]);
    let stays = m.not(parks);
    let begins = m.and(&[inputs.row_valid, stays]);
    let opcode = u32::from(layout::OPCODE.width);
    let words = (0..lanes)
        .map(|lane| {
            let of_program = m.slice(row, 128 * lane as u32, 128);
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
