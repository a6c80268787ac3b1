//! Wide ranges: each entry has its bounds in registers.

use super::asked::Entry;
use super::fields::Field;
use super::prepare::Prepared;
use super::Table;
use hardpath_rtl::{Module, Node};

impl Table<'_> {
    /// Whether each entry's range holds the key's value, in a register in stage R + 1, for all wide ranges.
    pub(super) fn range_words(&mut self, key: Node, prepared: &Prepared) -> Vec<Node> {
        let m = &mut self.m;
        // The bounds are written while the rows are: the entry is not valid then.
        let writes: Vec<Node> = (0..self.entries.0)
            .map(|entry| {
                let is_new = m.bit(prepared.one_hot, entry);
                m.and(&[prepared.rows.write, is_new])
            })
            .collect();
        let words = self.fields.wide_ranges().map(|(number, field)| {
            let name = format!("field_{number}");
            let within = within(m, &name, field, &writes, (key, &prepared.entry));
            m.delay(format!("{name}_within"), within)
        });
        words.collect()
    }
}

/// A bit for each entry, with registers for its bounds.
fn within(
    m: &mut Module,
    name: &str,
    field: &Field,
    writes: &[Node],
    (key, new): (Node, &Entry),
) -> Node {
    let value = field.of(m, key);
    let low_next = field.of(m, new.key);
    let high_next = field.of(m, new.mask);
    let mut within = Vec::new();
    for (entry, write) in writes.iter().enumerate() {
        let low = m.hold(format!("{name}_low_{entry}"), *write, low_next);
        let high = m.hold(format!("{name}_high_{entry}"), *write, high_next);
        let from = m.ule(low, value);
        let to = m.ule(value, high);
        within.push(m.and(&[from, to]));
    }
    within.reverse();
    m.concat(&within)
}
