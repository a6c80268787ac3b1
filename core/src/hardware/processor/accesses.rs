//! Loads and stores: from operations to bytes of the ring.
//!
//! | stage | |
//! |---|---|
//! | 0 | which lane a unit serves |
//! | 6 | the base stands in registers |
//! | 7 | the offset does |
//! | 8 | where it is in the ring, and how far it is from both ends of its memory |
//! | 9 | which bytes of the access there are: a load begins |
//! | 10 | the same of a store, with whether it happens |
//!
//! A thread's stack stands in the ring, in front of the lines of its packet's headroom: so a packet finds zeros in it, which the intake
//! writes while nothing else is to do.

use super::shared::OperationIn;
use super::{of_bank, Processor, Settings};
use crate::encode::layout::{self, Bits, Opcode};
use crate::hardware::decode::part;
use crate::hardware::lanes::{CUT_STAGE, OPERAND_STAGE};
use crate::hardware::packets::intake::REACH_BITS;
use crate::hardware::packets::memory::{LoadIn, StoreIn, BOUND_BITS};
use crate::hardware::packets::LINE_BYTE_BITS;
use crate::hardware::pick::Pick;
use crate::hardware::shift::later;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, MemStyle, Module, Node};

/// The stage in which loads are given to the memory.
pub const LOAD_STAGE: u32 = OPERAND_STAGE + 3;
/// The stage in which stores are.
pub const STORE_STAGE: u32 = CUT_STAGE + 1;
/// Bits of a base that is near enough to mean a byte with some offset: one more than an offset has.
const BASE_BITS: u32 = layout::MEMORY_OFFSET.width as u32 + 1;
/// Bits of the sum of both.
const NEAR_BITS: u32 = BASE_BITS + 1;

signals! {
    /// A packet that gets a thread.
    pub struct EntersIn {
        enters: one "a packet gets a thread",
        enters_thread: one "which one",
        enters_bank: one "the bank of its program",
        enters_line: one "the line in which it begins",
        enters_reach: one "how far its memory reaches behind its first byte",
    }
}

signals! {
    /// Into the accesses.
    pub struct AccessesIn {
        /// Of the program in each bank.
        settings: numbered Settings,
        enters: all EntersIn,
        thread: one "stage 0",
        lanes: numbered OperationIn,
    }
}

signals! {
    /// Out of the accesses.
    pub struct AccessesOut {
        loads: numbered LoadIn,
        stores: numbered StoreIn,
    }
}

impl AccessesIn<u32> {
    fn widths(config: &Processor) -> AccessesIn<u32> {
        AccessesIn {
            settings: Settings::of_banks(config),
            enters: EntersIn {
                enters: 1,
                enters_thread: config.thread_bits(),
                enters_bank: 1,
                enters_line: config.ring.line_bits(),
                enters_reach: REACH_BITS,
            },
            thread: config.thread_bits(),
            lanes: OperationIn::of_lanes(config),
        }
    }
}

/// Makes the units.
pub fn accesses(config: &Processor) -> Block<AccessesIn, AccessesOut> {
    let name = format!("{}_accesses", config.name);
    let header = format!(
        "Loads and stores of packet and stack: {} and {} in a row.\n\
         Bytes in front of a memory's first one and behind its last one are read as zeros, and not written.",
        config.machine.loads, config.machine.stores
    );
    let mut m = Module::new(name, header);
    let inputs = m.inputs(AccessesIn::widths(config));
    m.section("Where threads have their memory");
    let places = Places::new(&mut m, config, &inputs);
    let lanes = inputs.lanes.iter();
    let far: Vec<Node> = lanes.map(|lane| far(&mut m, lane.a)).collect();
    let mut unit = Unit {
        m: &mut m,
        inputs: &inputs,
        places,
        far,
    };
    let loads = unit.picks(Opcode::Load, config.machine.loads);
    let stores = unit.picks(Opcode::Store, config.machine.stores);
    let mut load_ports = Vec::new();
    for (number, pick) in loads.into_iter().enumerate() {
        unit.m.section(format!("Load {number}"));
        let found = unit.place(&format!("load_{number}"), pick);
        load_ports.push(LoadIn {
            load_address: found.address,
            load_first: found.first,
            load_end: found.end,
        });
    }
    let mut store_ports = Vec::new();
    for (number, pick) in stores.into_iter().enumerate() {
        unit.m.section(format!("Store {number}"));
        store_ports.push(unit.store(&format!("store_{number}"), pick));
    }
    let outputs = AccessesOut {
        loads: load_ports,
        stores: store_ports,
    };
    m.into_block(inputs, outputs)
}

/// In stage 7, from registers.
struct Places {
    packet_line: Node,
    stack_line: Node,
    reach: Node,
    /// What the thread's program asks for.
    headroom: Node,
    stack_first: Node,
    stack_end: Node,
}

impl Places {
    fn new(m: &mut Module, config: &Processor, inputs: &AccessesIn) -> Places {
        let EntersIn {
            enters,
            enters_thread,
            enters_bank,
            enters_line,
            enters_reach,
        } = inputs.enters;
        let settings = &inputs.settings;
        let front = of_bank(m, settings, enters_bank, |settings| settings.stack_line);
        let front = m.slice(front, 0, config.ring.line_bits());
        let stack = m.sub(enters_line, front);
        let word = m.concat(&[enters_bank, enters_line, stack, enters_reach]);
        let mem = m.mem(
            "places",
            m.width(word),
            config.shape.threads.into(),
            MemStyle::Distributed,
        );
        m.mem_write(mem, enters_thread, word, enters);
        let thread = later(m, "thread", inputs.thread, OPERAND_STAGE);
        let found = m.mem_read_async(mem, thread);
        let bits = config.ring.line_bits();
        let bank = m.slice(found, REACH_BITS + 2 * bits, 1);
        let found = m.slice(found, 0, REACH_BITS + 2 * bits);
        let found = m.delay("place", found);
        let mut asked = |name: &str, one: fn(&Settings) -> Node| {
            let node = of_bank(m, settings, bank, one);
            m.delay(name, node)
        };
        let headroom = asked("headroom_of_row", |settings| settings.headroom);
        let stack_first = asked("stack_first_of_row", |settings| settings.stack_first);
        let stack_end = asked("stack_end_of_row", |settings| settings.stack_end);
        Places {
            packet_line: m.slice(found, REACH_BITS + bits, bits),
            stack_line: m.slice(found, REACH_BITS, bits),
            reach: m.slice(found, 0, REACH_BITS),
            headroom,
            stack_first,
            stack_end,
        }
    }
}

/// What an access means in the ring, in registers.
struct Found {
    address: Node,
    first: Node,
    end: Node,
}

struct Unit<'a> {
    m: &'a mut Module,
    inputs: &'a AccessesIn,
    places: Places,
    /// Of each lane: its first operand is so far away that with no offset it leads back to where bytes are.
    far: Vec<Node>,
}

/// Stage 6.
fn far(m: &mut Module, operand: Node) -> Node {
    let above = m.slice(operand, BASE_BITS - 1, 65 - BASE_BITS);
    let some = m.reduce_or(above);
    let all = m.reduce_and(above);
    let not_all = m.not(all);
    m.and(&[some, not_all])
}

impl Unit<'_> {
    /// The lanes that units of a kind serve.
    fn picks(&mut self, opcode: Opcode, units: u8) -> Vec<Pick> {
        let lanes = self.inputs.lanes.iter();
        let kinds = lanes.map(|lane| {
            let is = super::is(self.m, lane.word, &[opcode]);
            if opcode != Opcode::Load {
                return is;
            }
            let code = part(self.m, lane.word, layout::OPCODE);
            let fetches = self.m.eq_const(code, layout::FETCH);
            self.m.or(&[is, fetches])
        });
        let kinds: Vec<Node> = kinds.collect();
        let numbers = 0..usize::from(units);
        numbers
            .map(|before| Pick::nth(self.m, &kinds, before))
            .collect()
    }

    fn part(&mut self, name: &str, pick: Pick, bits: Bits, stage: u32) -> Node {
        let words: Vec<Node> = self.inputs.lanes.iter().map(|lane| lane.word).collect();
        pick.part(self.m, name, &words, bits, stage)
    }

    /// From the pick to stage 9.
    fn place(&mut self, name: &str, pick: Pick) -> Found {
        let offset = self.part(&format!("{name}_offset"), pick, layout::MEMORY_OFFSET, 6);
        let is_packet = self.part(&format!("{name}_is_packet"), pick, layout::MEMORY, 7);
        let bytes = self.part(&format!("{name}_bytes"), pick, layout::BYTES, 8);
        let m = &mut *self.m;
        let here = pick.later(m, name, OPERAND_STAGE);
        let lanes = self.inputs.lanes.iter();
        let bases: Vec<Node> = lanes.map(|lane| m.slice(lane.a, 0, BASE_BITS)).collect();
        let base = here.of(m, &bases);
        let far = here.of(m, &self.far);
        let far = m.delay(format!("{name}_far_7"), far);
        let [base, offset] = [base, offset].map(|node| m.sext(node, NEAR_BITS));
        let near = m.add(base, offset);
        let near = m.delay(format!("{name}_sum"), near);
        // Stage 7.
        let places = &self.places;
        let zero = m.zero(NEAR_BITS);
        let headroom = m.zext(places.headroom, NEAR_BITS);
        let lowest = m.sub(zero, headroom);
        let stack_first = m.zext(places.stack_first, NEAR_BITS);
        let lowest = m.mux(is_packet, lowest, stack_first);
        let stack = m.zext(places.stack_end, NEAR_BITS);
        let reach = m.zext(places.reach, NEAR_BITS);
        let highest = m.mux(is_packet, reach, stack);
        let line = m.mux(is_packet, places.packet_line, places.stack_line);
        let [lowest, highest, near_wide] =
            [lowest, highest, near].map(|node| m.sext(node, NEAR_BITS + 1));
        let below = m.sub(lowest, near_wide);
        let left = m.sub(highest, near_wide);
        let zeros = m.zero(LINE_BYTE_BITS);
        let start = m.concat(&[line, zeros]);
        let low = m.slice(near, 0, m.width(start));
        let address = m.add(start, low);
        let far = m.delay(format!("{name}_far"), far);
        let below = m.delay(format!("{name}_below"), below);
        let left = m.delay(format!("{name}_left"), left);
        let address = m.delay(format!("{name}_address_8"), address);
        // Stage 8.
        let bytes = m.zext(bytes, BOUND_BITS);
        let bytes = m.add_const(bytes, 1);
        let is_near = m.not(far);
        let mut bound = |what: &str, distance: Node| {
            let bits = m.width(distance);
            let negative = m.bit(distance, bits - 1);
            let high = m.slice(distance, BOUND_BITS, bits - 1 - BOUND_BITS);
            let high = m.reduce_or(high);
            let low = m.slice(distance, 0, BOUND_BITS);
            let more = m.ult(bytes, low);
            let all = m.or(&[high, more]);
            let some = m.mux(all, bytes, low);
            let not_negative = m.not(negative);
            let on = m.and(&[is_near, not_negative]);
            let bound = m.gate(on, some);
            m.delay(format!("{name}_{what}"), bound)
        };
        let (first, end) = (bound("first", below), bound("end", left));
        Found {
            address: m.delay(format!("{name}_address"), address),
            first,
            end,
        }
    }

    /// The same a stage later, with what is written.
    fn store(&mut self, name: &str, pick: Pick) -> StoreIn {
        let found = self.place(name, pick);
        let m = &mut *self.m;
        let here = pick.later(m, &format!("{name}_value"), OPERAND_STAGE);
        let values: Vec<Node> = self.inputs.lanes.iter().map(|lane| lane.b).collect();
        let value = here.of(m, &values);
        let value = later(
            m,
            &format!("{name}_data"),
            value,
            STORE_STAGE - OPERAND_STAGE,
        );
        let here = pick.later(m, &format!("{name}_happens"), CUT_STAGE);
        let active: Vec<Node> = self.inputs.lanes.iter().map(|lane| lane.active).collect();
        let happens = here.gated(m, &active);
        StoreIn {
            store_valid: m.delay_reset(format!("{name}_valid"), happens),
            store_address: m.delay(format!("{name}_address_10"), found.address),
            store_first: m.delay(format!("{name}_first_10"), found.first),
            store_end: m.delay(format!("{name}_end_10"), found.end),
            store_data: value,
        }
    }
}
