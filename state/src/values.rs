//! The memory behind a map's values, at a fixed latency.

use hardpath_blocks::array::{
    array, Array, ArrayHostIn, ArrayIn, ArrayKeyIn, ArrayOut, ArraySlotIn, HostAddress,
};
use hardpath_blocks::host::MapQuestion;
use hardpath_blocks::index_bits;
use hardpath_rtl::signals::Placed;
use hardpath_rtl::{Design, Module, Node};

/// A memory of values: what it takes in later stages than it starts in, as wires, and what it gives.
#[derive(Clone)]
pub struct Values {
    /// A packet's access: wires that the parent drives in the stages that their ports say.
    pub slot: ArraySlotIn,
    /// The instance, and its outputs in the parent.
    pub placed: Placed<ArrayOut>,
    /// The first of its memories.
    pub memory: String,
}

impl Values {
    /// Places the memory in the parent, as the instance `name`. `question`: the sweep after reset, and what the host asks.
    pub fn new(
        (design, parent): (&mut Design, &mut Module),
        name: String,
        config: &Array,
        question: &MapQuestion,
    ) -> Values {
        let clear_bits = index_bits(u64::from(config.depth));
        let key = ArrayKeyIn {
            host_command: question.host_command,
            host_may: question.host_may,
            host_index: question.host_index,
        };
        let host = ArrayHostIn {
            clear: question.clear,
            clear_index: parent.resize(question.clear_index, clear_bits),
            host_value: parent.slice(question.host_value, 0, config.value_bits),
            key: (config.host == HostAddress::Key).then_some(key),
        };
        let block = array(config);
        let slot = block.wires(parent, &name, |inputs| &inputs.slot);
        let inputs = ArrayIn {
            slot: slot.clone(),
            host,
        };
        Values {
            slot,
            placed: block.place(design, parent, name, inputs),
            memory: config.first_memory(),
        }
    }
}

/// Whether a key of 32 bits is an index of a map, in the stage in which the word comes. `name`: what the registers are called.
pub fn in_range(
    parent: &mut Module,
    name: &str,
    key: Node,
    max_entries: u32,
    read_clocks: u32,
) -> Node {
    let limit = parent.constant(u64::from(max_entries), 32);
    let mut inside = parent.ult(key, limit);
    for clock in 1..=read_clocks {
        inside = parent.delay(format!("{name}_in_range_{clock}"), inside);
    }
    inside
}
