//! Stages R and R + 1: the rows of the chunks are read for a packet's key; the group that is written writes its part of them.
//!
//! A place matches where the words of all chunks have a 1, and its valid bit. They are joined in up to three stages: what a stage has found and
//! five words are one LUT of six inputs, and those of a later stage are read later, so that only addresses wait for it.

use super::shape::{Shape, LANES};
use super::write::Group;
use crate::ternary::fields::Chunk;
use crate::ternary::rows::chunk_differences;
use crate::ternary::Table;
use hardpath_rtl::{MemStyle, Module, Node};

/// A block RAM has so many write enables, each of nine bits.
const GROUPS_OF_A_MEMORY: usize = 8;
/// Words that a stage joins with what the one before has found; the first stage joins one more.
const WORDS_OF_A_STAGE: usize = 5;
/// Of more words each stage joins more.
const MOST_STAGES: usize = 3;

/// Stages that join the words of so many chunks and the valid bits.
pub(super) fn stages(chunks: usize) -> u32 {
    chunks.div_ceil(WORDS_OF_A_STAGE).min(MOST_STAGES) as u32
}

/// The chunks that each stage joins; the last one has the valid bits, too.
fn by_stage(chunks: usize) -> Vec<std::ops::Range<usize>> {
    let stages = stages(chunks) as usize;
    let of_a_stage = chunks.div_ceil(stages).max(WORDS_OF_A_STAGE);
    let end = |stage: usize| match stage {
        0 => 0,
        _ => (1 + stage * of_a_stage).min(chunks),
    };
    (0..stages)
        .map(|stage| end(stage)..end(stage + 1))
        .collect()
}

impl Table<'_> {
    /// The places whose entries match the key, one bit each in the order of a row, and the stage after R in which they stand in a register.
    pub(super) fn matching_places(
        &mut self,
        shape: Shape,
        key: Node,
        group: &Group,
    ) -> (u32, Node) {
        self.m.section("Stage R: the rows are read");
        let chunks = self.fields.chunks();
        let written = self.written_rows(&chunks, group);
        let lines = group.lines(&mut self.m, shape);
        let m = &mut self.m;
        let by_stage = by_stage(chunks.len());
        let last = by_stage.len() - 1;
        let mut matching = None;
        let mut now = u32::from(self.config.registers);
        for (stage, numbers) in by_stage.into_iter().enumerate() {
            let mut words: Vec<Node> = matching.into_iter().collect();
            for number in numbers {
                let mut address = chunks[number].of(m, key);
                for later in 0..stage {
                    address = m.delay(format!("chunk_{number}_address_{later}"), address);
                }
                let name = format!("chunk_{number}");
                let mut word = row_at(m, &name, address, (&written[number], &lines));
                if self.config.registers {
                    word = m.delay(format!("row_{number}"), word);
                }
                words.push(word);
            }
            now += 1;
            let then = now + 1;
            m.section(format!(
                "Stage R + {now}: the places that match so far, in a register in R + {then}"
            ));
            let name = match stage == last {
                true => {
                    words.push(group.valid(m, shape, &lines));
                    String::from("matching")
                }
                false => format!("matching_{stage}"),
            };
            let all = m.and(&words);
            matching = Some(m.delay(name, all));
        }
        (now + 1, matching.expect("a key has chunks"))
    }

    /// What is written to each chunk's rows.
    fn written_rows(&mut self, chunks: &[Chunk], group: &Group) -> Vec<Written> {
        let m = &mut self.m;
        let rows = m.delay_copies("write_row_1", group.rows.row, chunks.len());
        let mut written = Vec::new();
        for ((number, chunk), row) in chunks.iter().enumerate().zip(rows) {
            let name = format!("chunk_{number}");
            let mut bits = Vec::new();
            for (lane, entry) in group.lanes.iter().enumerate().rev() {
                let differences = chunk_differences(m, chunk, row, entry);
                // Two bits of a row beside those of an entry are a LUT.
                let pairs: Vec<Node> = differences.chunks(2).map(|two| m.or(two)).collect();
                let differences = m.concat(&pairs);
                let differences = m.delay(format!("{name}_lane_{lane}_differs"), differences);
                let differs = m.reduce_or(differences);
                bits.push(m.not(differs));
            }
            debug_assert_eq!(bits.len(), LANES as usize);
            let bits = m.concat(&bits);
            // Of a memory with fewer rows each is written several times.
            let mut row = m.slice(row, 0, chunk.bits());
            for later in 2..4 {
                row = m.delay(format!("{name}_row_{later}"), row);
            }
            written.push(Written {
                row,
                bits: m.delay(format!("{name}_bits"), bits),
            });
        }
        written
    }
}

/// A row, and what is written to the lanes of a group: three clocks behind that of the group.
struct Written {
    row: Node,
    bits: Node,
}

/// What stands in a chunk's row at the address, a clock later. Its memories are of some groups of all rows, of as many as a block RAM has write
/// enables.
fn row_at(
    m: &mut Module,
    name: &str,
    address: Node,
    (written, lines): (&Written, &[Node]),
) -> Node {
    let rows = 1 << m.width(address);
    let one = m.one();
    let mut parts = Vec::new();
    for (part, enables) in lines.chunks(GROUPS_OF_A_MEMORY).enumerate() {
        let width = enables.len() as u32 * LANES;
        let memory = m.mem(format!("{name}_{part}"), width, rows, MemStyle::Block);
        parts.push(m.mem_read_sync(memory, address, one));
        let all = m.concat(&vec![written.bits; enables.len()]);
        let enables: Vec<Node> = enables.iter().rev().copied().collect();
        let enables = m.concat(&enables);
        m.mem_write(memory, written.row, all, enables);
    }
    parts.reverse();
    m.concat(&parts)
}

#[cfg(test)]
mod tests {
    use super::{by_stage, stages};

    #[test]
    fn stages_join_all_chunks_in_their_order() {
        let lengths = |chunks| -> Vec<usize> {
            let parts = by_stage(chunks);
            let numbers: Vec<usize> = parts.iter().cloned().flatten().collect();
            assert_eq!(numbers, (0..chunks).collect::<Vec<_>>());
            assert_eq!(parts.len(), stages(chunks) as usize);
            parts.iter().map(|part| part.len()).collect()
        };
        assert_eq!(lengths(1), [1]);
        assert_eq!(lengths(5), [5]);
        assert_eq!(lengths(6), [6, 0]);
        assert_eq!(lengths(8), [6, 2]);
        assert_eq!(lengths(15), [6, 5, 4]);
        assert_eq!(lengths(32), [12, 11, 9]);
    }
}
