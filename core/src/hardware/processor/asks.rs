//! What a row asks of units that take as long as they take: one thing at most, of a map or of what is slow, and its thread waits for it.

use super::is;
use super::shared::{OperationIn, Shared};
use super::slow::is_slow;
use super::Processor;
use crate::encode::layout::{self, Bits, Opcode};
use crate::hardware::lanes::CUT_STAGE;
use crate::hardware::shift::later;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// Into the choice.
    pub struct AsksIn {
        lanes: numbered OperationIn,
    }
}

signals! {
    /// The operation that asks.
    pub struct AskOut {
        ask_of_map: one "stage 9: it happens, and is on a map",
        ask_slow: one "stage 9: it happens, and is slow",
        ask_low: one "stage 9: bits 31:0 of its word",
        ask_last: one "stage 10: its last word",
        ask_lane: maybe "stage 10: its lane",
        ask_a: one "stage 10: its first operand",
        ask_b: one "stage 10: its second one",
    }
}

/// Of a word what stands below the operands.
const LOW: Bits = Bits { lo: 0, width: 32 };
/// Operations on maps.
const OF_MAPS: [Opcode; 6] = [
    Opcode::Lookup,
    Opcode::Update,
    Opcode::Delete,
    Opcode::MapLoad,
    Opcode::MapStore,
    Opcode::Atomic,
];

impl AskOut<u32> {
    /// In bits.
    pub fn widths(config: &Processor) -> AskOut<u32> {
        AskOut {
            ask_of_map: 1,
            ask_slow: 1,
            ask_low: LOW.width.into(),
            ask_last: layout::LAST.width.into(),
            ask_lane: config.shape.bank_bits(),
            ask_a: 64,
            ask_b: 64,
        }
    }
}

/// Makes the choice.
pub fn asks(config: &Processor) -> Block<AsksIn, AskOut> {
    let mut m = Module::new(
        format!("{}_asks", config.name),
        "The operation of a row that is on a map, or slow: of both there is one in a row at most.",
    );
    let inputs = m.inputs(AsksIn {
        lanes: OperationIn::of_lanes(config),
    });
    let kinds = inputs.lanes.iter().map(|lane| {
        let of_map = is(&mut m, lane.word, &OF_MAPS);
        let slow = is_slow(&mut m, lane.word);
        m.or(&[of_map, slow])
    });
    let kinds: Vec<Node> = kinds.collect();
    let shared = Shared::of(&mut m, "asks", &inputs.lanes, &kinds);
    // Its kind is found in stage 2, and kept.
    let early = shared.part(&mut m, "early", LOW, 2);
    let of_map = is(&mut m, early, &OF_MAPS);
    let of_map = later(&mut m, "is_of_map", of_map, CUT_STAGE - 2);
    let happens = shared.happens(&mut m);
    let slow = m.not(of_map);
    let [ask_a, ask_b] = shared.operands(&mut m);
    let outputs = AskOut {
        ask_of_map: m.and(&[happens, of_map]),
        ask_slow: m.and(&[happens, slow]),
        ask_low: later(&mut m, "low", early, CUT_STAGE - 2),
        ask_last: shared.part(&mut m, "last", layout::LAST, CUT_STAGE + 1),
        ask_lane: shared
            .pick
            .lane
            .map(|lane| later(&mut m, "lane", lane, CUT_STAGE + 1)),
        ask_a,
        ask_b,
    };
    m.into_block(inputs, outputs)
}
