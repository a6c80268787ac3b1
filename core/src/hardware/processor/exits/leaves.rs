//! What leaves of a packet, or of a copy of it, and which way: from its exit's word and buffer.

use super::{Processor, Said};
use crate::hardware::packets::transmit::{FRONT_BITS, FRONT_BYTES, OFFSET_BITS};
use crate::isa::exit;
use hardpath_packet::{Class, CLASS_BITS, INDEX_BITS};
use hardpath_rtl::{Module, Node};

/// What leaves, and which way.
pub(super) struct Leaves {
    /// The program lets it go on.
    pub asked: Node,
    /// It does, and the way leads somewhere.
    pub somewhere: Node,
    pub class: Node,
    pub index: Node,
    pub from: Node,
    pub end: Node,
    pub zeros: Node,
    pub front_length: Node,
    pub front: Node,
    pub outputs: Option<Node>,
}

impl Leaves {
    pub fn of(m: &mut Module, config: &Processor, said: &Said) -> Leaves {
        // Forwarded: 0: as the buffer says; 2: no; 3: yes.
        let own = m.bit(said.forwarded, 1);
        let yes = m.bit(said.forwarded, 0);
        let flag = m.bit(said.word(config, exit::FLAGS), 0);
        let forwarded = m.mux(own, yes, flag);
        let (class, index) = way(m, config, said);
        let nowhere = m.eq_const(class, Class::Nowhere.code());
        let somewhere = m.not(nowhere);
        let somewhere = m.and(&[forwarded, somewhere]);
        let length = m.zext(said.length, OFFSET_BITS);
        let zero = m.zero(OFFSET_BITS);
        let leaving = said.word(config, exit::LEAVING);
        let mut bound = |lo: u32, usual: Node| {
            let own = m.slice(leaving, lo, OFFSET_BITS);
            m.mux(said.leaving, own, usual)
        };
        let (from, end, zeros) = (bound(0, zero), bound(16, length), bound(32, length));
        let front_length = m.slice(leaving, 48, FRONT_BITS);
        let front_length = m.gate(said.leaving, front_length);
        let front = (0..(FRONT_BYTES / 8) as u16).rev();
        let front: Vec<Node> = front
            .map(|at| said.word(config, exit::FRONT + at))
            .collect();
        Leaves {
            asked: forwarded,
            somewhere,
            class,
            index,
            from,
            end,
            zeros,
            front_length,
            front: m.concat(&front),
            outputs: outputs(m, config, said),
        }
    }
}

/// Class and index. The way is 0: back; 1: as the buffer says; 4 to 7: class 0 to 3.
pub(super) fn way(m: &mut Module, config: &Processor, said: &Said) -> (Node, Node) {
    let by_class = m.bit(said.way, 2);
    let by_buffer = m.bit(said.way, 0);
    let word = said.word(config, exit::WAY);
    let class_of_word = m.slice(word, 32, CLASS_BITS);
    let class_of_exit = m.slice(said.way, 0, CLASS_BITS);
    let class = m.gate(by_buffer, class_of_word);
    let class = m.mux(by_class, class_of_exit, class);
    let index_of_word = m.slice(word, 0, INDEX_BITS);
    let index = m.gate(by_buffer, index_of_word);
    let index = m.mux(by_class, said.index, index);
    (class, index)
}

/// The program's outputs, if it has any.
pub(super) fn outputs(m: &mut Module, config: &Processor, said: &Said) -> Option<Node> {
    (config.output_bits() > 0).then(|| {
        let bits = config.output_bits();
        let count = bits.div_ceil(64) as u16;
        let all = (0..count).rev();
        let all: Vec<Node> = all
            .map(|at| said.word(config, exit::OUTPUTS + at))
            .collect();
        let all = m.concat(&all);
        let own = m.resize(said.outputs, bits);
        let all = m.slice(all, 0, bits);
        m.mux(said.has_outputs, own, all)
    })
}
