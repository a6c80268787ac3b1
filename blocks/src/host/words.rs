//! Keys and values: registers of as many words as the widest has.

use super::channels::Write;
use super::operation::Operation;
use super::HostPort;
use hardpath_registers::{command, register};
use hardpath_rtl::Node;

/// Keys and values.
pub(super) struct Words {
    pub(super) key_words: Vec<Node>,
    pub(super) value_words: Vec<Node>,
    pub(super) key: Node,
    pub(super) value: Node,
    pub(super) index: Node,
}

impl HostPort<'_> {
    pub(super) fn key_and_value(&mut self, write: &Write, operation: &Operation) -> Words {
        let m = &mut self.m;
        m.section("Key and value");
        let answer = &self.inputs.answer;
        let success = m.eq_const(answer.map_answer, 0);
        m.name(success, "success");
        let is_dump = m.eq_const(operation.command, u64::from(command::DUMP));
        let is_lookup = m.eq_const(operation.command, u64::from(command::LOOKUP));
        m.name(is_dump, "is_dump");
        m.name(is_lookup, "is_lookup");
        let gives = m.or(&[is_dump, is_lookup]);
        let take_value = m.and(&[operation.finishes, success, gives]);
        let take_key = m.and(&[operation.finishes, success, is_dump]);
        let (take_value, take_key) = match self.config.found_at_once {
            true => (take_value, take_key),
            false => (
                m.delay_reset("take_value", take_value),
                m.delay_reset("take_key", take_key),
            ),
        };
        let of_key = ("key", register::KEY);
        let key_words = self.words(write, operation, of_key, (take_key, answer.map_key));
        let of_value = ("value", register::VALUE);
        let value_words = self.words(write, operation, of_value, (take_value, answer.map_value));
        let mut joined = |words: &[Node]| {
            let mut order = words.to_vec();
            order.reverse();
            self.m.concat(&order)
        };
        let (key, value) = (joined(&key_words), joined(&value_words));
        let first_word = self.m.slice(key, 0, 32);
        let index = self.m.mux(is_dump, operation.slot, first_word);
        Words {
            key_words,
            value_words,
            key,
            value,
            index,
        }
    }

    /// The registers of a key or value, from their first address on. `load`: they take `from`, what an operation gave.
    fn words(
        &mut self,
        write: &Write,
        operation: &Operation,
        (name, base): (&str, u32),
        (load, from): (Node, Node),
    ) -> Vec<Node> {
        let bits = self.m.width(from);
        let mut all = Vec::new();
        for word in 0..bits.div_ceil(32) {
            let width = (bits - word * 32).min(32);
            let register = format!("{name}_{word}");
            let here = self.at(write, &register, base + word * 4);
            let m = &mut self.m;
            let (reg, node) = m.reg(register, width);
            let written = m.and(&[operation.map_write, here]);
            let enable = m.or(&[written, load]);
            let loaded = m.slice(from, word * 32, width);
            let data = m.slice(write.data, 0, width);
            // Nobody writes while an operation is under way. By who writes, since of that each word has its own.
            let next = m.mux(written, data, loaded);
            m.set_next_when(reg, enable, next);
            all.push(node);
        }
        all
    }
}
