//! What a program says of each packet, beside the way that it goes.

use crate::places::places;

/// An output that a program declares: a number that it gives with each packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// What it is called, in texts and at the ports of a design; an identifier.
    pub name: String,
    /// Width in bits, up to 64.
    pub width: u32,
    /// What the values from 0 on are called, for an output that has few: packets are counted by those of the first output.
    pub values: Vec<String>,
}

/// Bits of the number by which packets are counted.
pub const COUNTED_BITS: u32 = 3;
/// The most values by which packets are counted.
pub const MOST_OUTCOMES: usize = 5;

impl Output {
    /// An output whose values have no names.
    pub fn new(name: &str, width: u32) -> Output {
        Output {
            name: name.into(),
            width,
            values: Vec::new(),
        }
    }

    /// Each with the lowest of its bits among those of all.
    pub fn places(all: &[Output]) -> impl Iterator<Item = (u32, &Output)> {
        places(all, |output| output.width)
    }

    /// Whether packets are counted by its values, if it is the first one.
    pub fn is_counted(&self) -> bool {
        let count = self.values.len();
        self.width <= COUNTED_BITS && (1..=MOST_OUTCOMES).contains(&count)
    }
}

fn counted(outputs: &[Output]) -> Option<&Output> {
    outputs.first().filter(|output| output.is_counted())
}

/// What packets of a program with these outputs are counted as, by number: the names of the first one's values, where there are
/// counters for all of them; else `not forwarded` and `forwarded`.
pub fn outcomes(outputs: &[Output]) -> Vec<String> {
    match counted(outputs) {
        Some(output) => output.values.clone(),
        None => ["not forwarded", "forwarded"].map(String::from).into(),
    }
}

/// What a packet is counted as, an index into [`outcomes`]. `values`: of the outputs; `sent`: it leaves at least once.
pub fn outcome(outputs: &[Output], values: &[u64], sent: bool) -> usize {
    match (counted(outputs), values) {
        (Some(_), [first, ..]) => *first as usize,
        _ => usize::from(sent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_counted_by_names_or_by_leaving() {
        let plain = [Output::new("some", 3)];
        assert_eq!(outcomes(&plain), ["not forwarded", "forwarded"]);
        assert_eq!(outcome(&plain, &[2], true), 1);
        let mut named = plain;
        named[0].values = vec!["low".into(), "middle".into(), "high".into()];
        assert_eq!(outcomes(&named), ["low", "middle", "high"]);
        assert_eq!(outcome(&named, &[2], false), 2);
        named[0].width = 4;
        assert_eq!(outcome(&named, &[2], false), 0);
    }
}
