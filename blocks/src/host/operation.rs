//! The map operation: its registers, and its way to the free slot at the entrance.

use super::channels::Write;
use super::walk::{as_dump, Walk};
use super::HostPort;
use crate::answer::{answer_constant, Answer, ANSWER_BITS};
use crate::index_bits;
use crate::may::May;
use hardpath_registers::{command, field, register};
use hardpath_rtl::Node;

const COMMAND_BITS: u32 = field::COMMAND.bits;
/// Clocks between the entrance's hold and the free slot behind it: the last packet enters in the third one, and a dump
/// must come up to four clocks behind it. The next packet enters four clocks after the slot
/// ([`crate::hash::hash_table`] wants both).
const HOLD_CLOCKS: u64 = 7;

/// The map operation that is under way, and its registers.
pub(super) struct Operation {
    /// None is under way.
    pub(super) still: Node,
    /// A map register may be written in this clock.
    pub(super) map_write: Node,
    pub(super) begin: Node,
    /// What it gave comes in this clock, and is taken in the next one.
    pub(super) finishes: Node,
    pub(super) holding: Node,
    pub(super) inject: Node,
    pub(super) select: Node,
    pub(super) map_select: Node,
    pub(super) command: Node,
    pub(super) may: Node,
    pub(super) slot: Node,
    pub(super) handle: Node,
    pub(super) status: Node,
}

impl HostPort<'_> {
    /// Whether a map register is written at an address.
    pub(super) fn at(&mut self, write: &Write, name: &str, address: u32) -> Node {
        let here = self.m.eq_const(write.word, u64::from(address / 4));
        self.m.name(here, format!("at_{name}"));
        self.m.comment(here, format!("address 0x{address:04x}"));
        self.places.push(here);
        here
    }

    /// A register that is written while no operation is under way: its value, and the strobe of its write.
    fn register(
        &mut self,
        write: &Write,
        map_write: Node,
        (name, address, width): (&str, u32, u32),
    ) -> (Node, Node) {
        let (reg, node) = self.m.reg_reset(name, width, 0);
        let here = self.at(write, name, address);
        let enable = self.m.and(&[map_write, here]);
        let data = self.m.slice(write.data, 0, width);
        self.m.set_next_when(reg, enable, data);
        (node, enable)
    }

    pub(super) fn operation(&mut self, write: &Write, running: Node) -> Operation {
        self.m.section("Map operation");
        let (busy_reg, busy) = self.m.reg_reset("busy", 1, 0);
        let still = self.m.not(busy);
        let map_write = self.m.and(&[write.here, still]);
        self.m.name(map_write, "map_write");
        let mut register = |name: &str, address: u32, width: u32| {
            self.register(write, map_write, (name, address, width))
        };
        let (select, _) = register("map_select", register::MAP_SELECT, 32);
        let (may, _) = register("map_may", register::MAP_MAY, May::BITS);
        let at_command = self.at(write, "map_command", register::MAP_COMMAND);
        let start = self.m.and(&[map_write, at_command]);
        let (command, is_next) = self.command(start, write.data);
        let known = self.known(select, write.data);
        let m = &mut self.m;
        m.name(start, "start");
        let unknown = m.not(known);
        let begin = m.and(&[start, known]);
        m.name(begin, "begins");
        let fails = m.and(&[start, unknown]);
        m.name(fails, "fails");
        let finishes = m.and(&[busy, self.inputs.answer.map_done]);
        m.name(finishes, "finishes");
        let answer = self.inputs.answer.map_answer;
        let walk = Walk::of(m, is_next, finishes, answer, self.config.repeats);
        let begin = m.or(&[begin, walk.goes_on]);
        let ends = m.and(&[finishes, walk.ends]);
        // Keys and values are taken by registers, so the operation is busy until they are.
        let finished = m.delay_reset("finished", ends);
        let not_finished = m.not(finished);
        let stays_busy = m.and(&[busy, not_finished]);
        let busy_next = m.or(&[begin, stays_busy]);
        m.set_next(busy_reg, busy_next);
        let (holding, inject) = self.free_slot(begin, running);
        let slot = self.slot(write, map_write, &walk);
        let m = &mut self.m;
        let (answer_reg, answer) = m.reg_reset("map_answer_reg", ANSWER_BITS, 0);
        let ended = m.or(&[ends, fails]);
        let refused = answer_constant(m, Answer::Refused);
        let answer_next = m.mux(fails, refused, walk.answer);
        m.set_next_when(answer_reg, ended, answer_next);
        let success = m.eq_const(self.inputs.answer.map_answer, 0);
        let takes = m.and(&[finishes, success]);
        let takes = m.delay_reset("take_handle", takes);
        let handle = m.hold("map_handle", takes, self.inputs.answer.map_slot);
        let select_bits = index_bits(u64::from(self.config.maps.max(1)));
        let gap = m.zero(31 - ANSWER_BITS);
        Operation {
            still,
            map_write,
            begin,
            finishes,
            holding,
            inject,
            select,
            map_select: m.slice(select, 0, select_bits),
            command,
            may,
            slot,
            handle,
            status: m.concat(&[busy, gap, answer]),
        }
    }

    /// The command as the maps see it, and whether it is NEXT. `start`: it is written.
    fn command(&mut self, start: Node, wdata: Node) -> (Node, Node) {
        let m = &mut self.m;
        let number = m.slice(wdata, 0, COMMAND_BITS);
        let (as_dump, is_next) = as_dump(m, number);
        let (command_reg, command) = m.reg_reset("map_command", COMMAND_BITS, 0);
        m.set_next_when(command_reg, start, as_dump);
        let (walks_reg, walks) = m.reg_reset("walks", 1, 0);
        m.set_next_when(walks_reg, start, is_next);
        (command, walks)
    }

    /// Whether what is written is a command, and the selected map exists.
    fn known(&mut self, select: Node, wdata: Node) -> Node {
        let m = &mut self.m;
        let limit = m.constant(u64::from(self.config.maps), 32);
        // A write comes two clocks behind another at the earliest.
        let known_map = m.ult(select, limit);
        let known_map = m.delay("known_map", known_map);
        let command_above = m.slice(wdata, COMMAND_BITS, 32 - COMMAND_BITS);
        let command_above = m.reduce_or(command_above);
        let is_short = m.not(command_above);
        let number = m.slice(wdata, 0, COMMAND_BITS);
        let is_some = m.reduce_or(number);
        let last_command = m.constant(u64::from(command::NEXT), COMMAND_BITS);
        let in_list = m.ule(number, last_command);
        let known_command = m.and(&[is_short, is_some, in_list]);
        m.name(known_command, "known_command");
        let known = m.and(&[known_map, known_command]);
        m.name(known, "known")
    }

    /// Closes the entrance for an operation that begins, when the map is ready: whether it is closed, and the free slot.
    fn free_slot(&mut self, begin: Node, running: Node) -> (Node, Node) {
        let m = &mut self.m;
        let (wait_reg, wait) = m.reg_reset("hold_count", 3, 0);
        let hold_from = m.constant(HOLD_CLOCKS, 3);
        let holding = m.reduce_or(wait);
        m.name(holding, "holding");
        let fewer = m.sub_const(wait, 1);
        let counts = m.and(&[holding, running]);
        let count_down = m.mux(counts, fewer, wait);
        let holds_from_now = match self.inputs.map_prepared {
            Some(prepared) => {
                let (asks_reg, asks) = m.reg_reset("asks", 1, 0);
                let ready = m.and(&[asks, prepared]);
                let not_ready = m.not(prepared);
                let still_asks = m.and(&[asks, not_ready]);
                let asks_next = m.or(&[begin, still_asks]);
                m.set_next(asks_reg, asks_next);
                ready
            }
            None => begin,
        };
        let wait_next = m.mux(holds_from_now, hold_from, count_down);
        m.set_next(wait_reg, wait_next);
        // From a register: the slot chooses among keys in front of every table. The sweep is over once it counts.
        let one_before = m.eq_const(wait, 2);
        let comes = m.and(&[one_before, running]);
        (holding, m.delay_reset("inject", comes))
    }
}
