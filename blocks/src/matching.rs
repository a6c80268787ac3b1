//! What tables have in common whose entries match many keys: the *match*, by memories that parts of a key address, and the
//! *choice* of one of the entries that match.
//!
//! The key's bits are cut into chunks. Each chunk addresses a memory whose word has a bit for each entry: the entry can match a
//! key with these bits in this place ([`rows`]). The AND of all words, and of the bits of the valid entries, are the entries that
//! match (the construction is known from FPGA TCAMs: Jiang, "Scalable Ternary Content Addressable Memory Implementation Using
//! FPGAs", ANCS 2013). Each has a number, and the highest number wins ([`highest`]).
//!
//! Only the host changes entries, one operation at a time, which is prepared while packets go on: what is asked for ([`asked`]),
//! a look at all entries ([`scan`]), a decision ([`decision`]), and of a new entry the bits in all rows ([`sweep`]). The entry is
//! not valid yet, and its bits do not count. The host's slot then makes it valid, or takes it away, in one clock and in its
//! place among the packets ([`entries`]), and gets its answer where a packet gets its own ([`answer`]).

pub(crate) mod answer;
pub(crate) mod asked;
pub(crate) mod decision;
pub(crate) mod entries;
pub(crate) mod highest;
pub(crate) mod rows;
pub(crate) mod runs;
pub(crate) mod scan;
pub(crate) mod sweep;

/// So many bits in chunks of nearly the same size, each of at most `most` bits: where it begins, and its bits.
pub(crate) fn chunks(all_bits: u32, most: u32) -> Vec<(u32, u32)> {
    let count = all_bits.div_ceil(most);
    let mut first = 0;
    (0..count)
        .map(|number| {
            let end = all_bits * (number + 1) / count;
            let chunk = (first, end - first);
            first = end;
            chunk
        })
        .collect()
}
