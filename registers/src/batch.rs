//! Several operations in a row.
//!
//! Each is done as it would be alone: packets see it as before or as after, and it sees all packets before it. The batch is not
//! atomic: packets come between its operations. What a batch saves are accesses: registers keep keys, values and masks between
//! operations, and only the words that change are written.

use crate::operation::HostAnswer;
use std::fmt;

/// What to do when an operation is not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AtFailure {
    /// It is the last one.
    #[default]
    Stop,
    /// All are carried out.
    GoOn,
}

/// What came of operations in a row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Batch {
    /// Of each operation that was carried out, in their order.
    pub answers: Vec<HostAnswer>,
}

impl Batch {
    /// How many were done; with [`AtFailure::Stop`] these are the first ones.
    pub fn done(&self) -> usize {
        let done = |answer: &&HostAnswer| answer.answer.is_done();
        self.answers.iter().filter(done).count()
    }

    /// The first one that was not done: its place.
    pub fn failed(&self) -> Option<usize> {
        let failed = |answer: &HostAnswer| !answer.answer.is_done();
        self.answers.iter().position(failed)
    }
}

/// A batch that did not come to its end; of the operation that has no answer nobody knows whether it was done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interrupted<E> {
    /// What was carried out before.
    pub batch: Batch,
    /// Why it ended.
    pub error: E,
}

impl<E: fmt::Display> fmt::Display for Interrupted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "operation {}: {}", self.batch.answers.len(), self.error)
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for Interrupted<E> {}
