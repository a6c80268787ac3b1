//! Maps with indexes by requests: the memory of the values, and what is refused.
//!
//! Whether an update of an array is refused follows from its index and what it may do alone; its word is written in the clock in which the
//! old one comes, and the memory forwards. In slots requests only look up, but for those that are done alone.

use super::access::{self, Update};
use super::{later, Entering, Leaving, Served};
use crate::values::{in_range, Values};
use hardpath_blocks::answer::{answer_constant, last_answer, Answer};
use hardpath_blocks::array::{Array, HostAddress, Presence};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_blocks::may::UpdateMay;
use hardpath_rtl::{Design, Module, Node};

/// Clocks from a request to its address: the index stands in a register.
pub(super) const CLOCKS: u32 = 1;

pub(super) fn place(
    design: &mut Design,
    m: &mut Module,
    config: &Served,
    presence: Presence,
    entering: &Entering,
) -> Leaving {
    let clocks = config.read_clocks();
    m.section("What is asked, with its index");
    let index = m.delay("index", entering.request.request_key);
    let outside = outside(m, config, entering, "index", index);
    let here = m.delay_reset("here", entering.taken);
    let host = m.delay_reset("host", entering.inject);
    let change = match presence.is_stored() {
        true => None,
        false => Some(Change::new(m, entering, outside)),
    };
    let answer = match &change {
        Some(change) => change.answer,
        None => last_answer(m, &[(outside, Answer::Missing)]),
    };

    m.section("Values");
    let memory = memory(config, presence);
    let place = (design, &mut *m);
    let values = Values::new(place, "values".to_owned(), &memory, entering.question);
    m.drive(values.slot.host_a, host);
    let mut address = m.slice(index, 0, index_bits(u64::from(memory.depth)));
    if let Some(access) = entering.access {
        address = access.address(m, address);
    }
    if let Some(read_index) = values.slot.read_index.first() {
        m.drive(*read_index, address);
    }
    let word = values.placed.out.read_word[0];
    let value = m.slice(word, 0, config.value_bits);
    let found = entering
        .access
        .map(|access| access.found(m, address, value));
    let write = values.slot.writes.first();
    if let Some((change, put)) = change.zip(write.and_then(|write| write.put.as_ref())) {
        let clocks = clocks + config.write_clocks();
        let before = later(m, "writes", change.writes, clocks - 1);
        let word = later(m, "word", change.word, clocks);
        let update = Update::new(m, before, word);
        let accessed = entering.access.zip(found.as_ref());
        access::drive_write(m, put, value, Some(&update), accessed);
    }
    let answer = later(m, "answer", answer, clocks);
    Leaving {
        here: later(m, "here", here, clocks),
        answer: if_present(m, config, presence, word, answer),
        value: Some(value),
        found,
        host_answer: values.placed.out.host_answer,
        host_value: Some(values.placed.out.host_result),
        long: None,
        host_key: entering.question.host_index,
        prepared: None,
        journal: None,
    }
}

/// The map has no such index.
pub(super) fn outside(
    m: &mut Module,
    config: &Served,
    entering: &Entering,
    name: &str,
    index: Node,
) -> Node {
    let inside = match entering.question.most {
        Some(most) => m.ult(index, most),
        None => in_range(m, name, index, config.max_entries, 0),
    };
    m.not(inside)
}

fn memory(config: &Served, presence: Presence) -> Array {
    Array {
        presence,
        host: HostAddress::Key,
        ..config.values_memory(!presence.is_stored())
    }
}

/// The answer to a lookup, which finds nothing in an entry that is not set.
fn if_present(
    m: &mut Module,
    config: &Served,
    presence: Presence,
    word: Node,
    answer: Node,
) -> Node {
    if !presence.is_stored() {
        return answer;
    }
    let present = m.bit(word, config.value_bits);
    let missing = answer_constant(m, Answer::Missing);
    m.mux(present, answer, missing)
}

/// What a request does to an array, a clock after it was taken.
struct Change {
    writes: Node,
    word: Node,
    /// To a lookup, too.
    answer: Node,
}

impl Change {
    /// `outside`: the index is.
    fn new(m: &mut Module, entering: &Entering, outside: Node) -> Change {
        let (request, taken) = (entering.request, entering.taken);
        let is = |m: &mut Module, name: &str, code: u32| {
            let same = m.eq_const(request.request_command, u64::from(code));
            let asks = m.and(&[taken, same]);
            m.delay_reset(name, asks)
        };
        let update = is(m, "update", command::UPDATE);
        let delete = is(m, "delete", command::DELETE);
        let may = UpdateMay::of(m, request.request_may);
        let only_create = m.delay("only_create", may.only_create);
        let may_nothing = m.delay("may_nothing", may.nothing);
        let conditions = [
            (vec![outside], Answer::Missing),
            (vec![update, only_create], Answer::Exists),
            (vec![update, may_nothing], Answer::Refused),
            (vec![delete], Answer::Refused),
            (vec![update, outside], Answer::BadIndex),
            (vec![delete, outside], Answer::BadIndex),
        ];
        let conditions = conditions.map(|(all, answer)| (m.and(&all), answer));
        let answer = last_answer(m, &conditions);
        let done = m.eq_const(answer, 0);
        Change {
            writes: m.and(&[update, done]),
            word: m.delay("word", request.request_value.expect("values are whole")),
            answer,
        }
    }
}
