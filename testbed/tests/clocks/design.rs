//! The design: two FIFOs between the clocks, and a foreign module at the far side of both.

use hardpath_blocks::async_fifo::{async_fifo, AsyncFifoIn, AsyncFifoRead, AsyncFifoWrite};
use hardpath_rtl::foreign::{Foreign, MakeModel, Model, Parameter, Values};
use hardpath_rtl::{Clock, Design, MemStyle, Module, ModuleId};

pub const TOP: &str = "there_and_back";
/// Bits of a word, and of the number of words that the foreign module has seen.
pub const WORD: u32 = 40;
pub const COUNT: u32 = 12;
pub const MASK: u64 = (1 << WORD) - 1;
/// The first key.
pub const KEY: u64 = 0x12_3456_789a;
const TURN: u32 = 13;

/// What a word becomes with a key.
pub fn turned(word: u64, key: u64) -> u64 {
    (word << TURN | word >> (WORD - TURN)) & MASK ^ key
}

/// The key behind a word.
pub fn next_key(key: u64, word: u64) -> u64 {
    key.wrapping_add(word) & MASK
}

/// Words go in and come out with `clk`; the foreign module stands behind `far_clk`.
pub fn there_and_back() -> Design {
    let mut design = Design::new();
    let turn = design.add(foreign());
    let mut m = Module::new(
        TOP,
        "Words cross to another clock, are turned there, and come back.",
    );
    let far = m.clock("far_clk", "far_rst");
    let push = m.input("push", 1, "");
    let data_in = m.input("data_in", WORD, "");
    let pop = m.input("pop", 1, "");

    let there = async_fifo("fifo_there", WORD, 8, MemStyle::Distributed);
    let back = async_fifo("fifo_back", WORD + COUNT, 4, MemStyle::Block);
    let going = there.input_wires(&mut m, "there");
    let coming = back.input_wires(&mut m, "back");
    let there = there.place_on(
        &mut design,
        &mut m,
        "there",
        &[Clock::FIRST, far],
        going.clone(),
    );
    let back = back.place_on(
        &mut design,
        &mut m,
        "back",
        &[far, Clock::FIRST],
        coming.clone(),
    );
    let AsyncFifoIn { write, read } = going;
    let AsyncFifoWrite {
        push: push_there,
        data_in: data_there,
    } = write;
    let AsyncFifoRead { pop: pop_there } = read;

    let pushes = m.and(&[push, there.out.write.ready]);
    m.drive(push_there, pushes);
    m.drive(data_there, data_in);
    let pops = m.and(&[pop, back.out.read.valid]);
    m.drive(coming.read.pop, pops);
    m.output("ready", there.out.write.ready, "");
    m.output("valid", back.out.read.valid, "");
    m.output("data_out", back.out.read.data_out, "");

    m.on(far);
    let take = m.and(&[there.out.read.valid, back.out.write.ready]);
    m.name(take, "take");
    let (word, count) = far_side(&design, &mut m, turn, (take, there.out.read.data_out));
    m.drive(pop_there, take);
    m.drive(coming.write.push, take);
    let turned = m.concat(&[count, word]);
    m.drive(coming.write.data_in, turned);
    m.output("count", count, "of far_clk");
    design.add(m);
    design
}

/// The foreign module; gives the turned word and the count.
fn far_side(
    design: &Design,
    m: &mut Module,
    id: ModuleId,
    (take, word): (hardpath_rtl::Node, hardpath_rtl::Node),
) -> (hardpath_rtl::Node, hardpath_rtl::Node) {
    let callee = &design.modules[id];
    let placed = m.instance(callee, id, "turn_far", &[("take", take), ("word", word)]);
    let turned = m.instance_output(callee, placed, "turned");
    let count = m.instance_output(callee, placed, "count");
    (turned, count)
}

fn foreign() -> Module {
    let mut module = Module::foreign(
        "turn_far",
        "Turns words and changes them by a key.",
        Foreign {
            name: "turn".into(),
            parameters: vec![
                ("AMOUNT".into(), Parameter::Integer(TURN as i32)),
                ("FIRST_KEY".into(), Parameter::Bits(vec![KEY], WORD)),
            ],
            verilog: Some(include_str!("turn.sv").into()),
            vhdl: Some(include_str!("turn.vhd").into()),
            model: Some(MakeModel::new(|| Turn { key: KEY, count: 0 })),
        },
    );
    let clock = &mut module.clocks[Clock::FIRST];
    (clock.name, clock.reset) = ("clock".into(), "reset".into());
    module.input("take", 1, "");
    let word = module.input("word", WORD, "");
    module.foreign_output("turned", WORD, &[word], "within the clock");
    module.foreign_output("count", COUNT, &[], "words that were taken");
    module
}

/// What `turn.sv` and `turn.vhd` do.
struct Turn {
    key: u64,
    count: u64,
}

impl Model for Turn {
    fn output(&self, output: usize, follows: &Values, value: &mut [u64]) {
        value[0] = match output {
            0 => turned(follows.get_u64(0), self.key),
            _ => self.count,
        };
    }

    fn edge(&mut self, _clocks: &[usize], inputs: &Values) {
        if inputs.get_u64(0) == 1 {
            self.key = next_key(self.key, inputs.get_u64(1));
            self.count = (self.count + 1) & ((1 << COUNT) - 1);
        }
    }

    fn reset(&mut self, _clock: usize) {
        (self.key, self.count) = (KEY, 0);
    }
}
