//! A word of which it is known late which parts a packet changes: all that is known before is chosen before.
//!
//! ```text
//! word  = changes and not host ? changed : (host ? its word : what was read)
//! read' = changes and not host and hit ? changed : (hit ? (host ? its word : what was read) : read)
//! ```

use super::ArrayPutIn;
use hardpath_rtl::{Module, Node};

/// What is written in a clock, in parts.
#[derive(Clone)]
pub(super) struct Late {
    /// Each part's bits, and whether a packet changes it; from the least significant on.
    changes: Vec<(u32, Node)>,
    /// What it writes there.
    changed: Node,
    /// What is written elsewhere.
    other: Node,
}

impl Late {
    /// `parts`: in bits.
    pub fn wires(m: &mut Module, parts: &[u32], put: &ArrayPutIn) -> Late {
        let changes = parts.iter().enumerate();
        let changes =
            changes.map(|(part, bits)| (*bits, m.wire(1, format!("packet_changes_{part}"))));
        Late {
            changes: changes.collect(),
            changed: put.write_word,
            other: m.wire(m.width(put.write_word), "unchanged_word"),
        }
    }

    /// Gives what is written. `old`: what was read; `host`: whether the host's word is written, and that.
    pub fn drive(&self, m: &mut Module, put: &ArrayPutIn, old: Node, host: (Node, Node)) -> Node {
        let not_host = m.not(host.0);
        for ((_, wire), changes) in self.changes.iter().zip(&put.changes) {
            let changes = m.and(&[not_host, *changes]);
            m.drive(*wire, changes);
        }
        let other = m.mux(host.0, host.1, old);
        m.drive(self.other, other);
        self.chosen(m, 0, self.other, None)
    }

    /// Bits of a word that was read, from `lo` up, or what is written when it `is_meant`.
    pub fn forwarded(&self, m: &mut Module, is_meant: Node, lo: u32, read: Node) -> Node {
        let other = m.slice(self.other, lo, m.width(read));
        let other = m.mux(is_meant, other, read);
        self.chosen(m, lo, other, Some(is_meant))
    }

    /// Bits of the word from `lo` up; `other`: where nothing changes.
    fn chosen(&self, m: &mut Module, lo: u32, other: Node, is_meant: Option<Node>) -> Node {
        let end = lo + m.width(other);
        let mut begin = 0;
        let mut parts = Vec::new();
        for (bits, changes) in &self.changes {
            let (from, to) = (begin.max(lo), (begin + bits).min(end));
            begin += bits;
            if from >= to {
                continue;
            }
            let all: Vec<Node> = is_meant.into_iter().chain([*changes]).collect();
            let changes = m.and(&all);
            let changed = m.slice(self.changed, from, to - from);
            let other = m.slice(other, from - lo, to - from);
            // The most significant part stands first.
            parts.insert(0, m.mux(changes, changed, other));
        }
        m.concat(&parts)
    }
}
