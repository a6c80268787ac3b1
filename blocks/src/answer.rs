//! The answers of tables in hardware; their numbers are those of [`Answer`].

pub use hardpath_registers::Answer;
use hardpath_rtl::{Module, Node};

/// Bits of an answer.
pub const ANSWER_BITS: u32 = Answer::BITS;

/// Of a table to the host port alone: the operation goes on in another slot. No [`Answer`] has this number.
pub const AGAIN: u64 = Answer::ALL.len() as u64;
const _: () = assert!(AGAIN < 1 << ANSWER_BITS);

/// The constant, with its name beside the number in the text.
pub fn answer_constant(m: &mut Module, answer: Answer) -> Node {
    let constant = m.constant(answer.code().into(), ANSWER_BITS);
    m.comment(constant, answer.name())
}

/// [`Answer::Done`], or what goes with the last condition that holds.
pub fn last_answer(m: &mut Module, conditions: &[(Node, Answer)]) -> Node {
    let done = m.zero(ANSWER_BITS);
    conditions.iter().fold(done, |before, (condition, answer)| {
        let answer = answer_constant(m, *answer);
        m.mux(*condition, answer, before)
    })
}
