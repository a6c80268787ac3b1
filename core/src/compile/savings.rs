//! What the compiler does to make rows few. Each can be left out, to see what it saves: `--without`.
//!
//! Rows without any of them are as right as any others. What is left out is what the compiler does, not what the processor has: it runs
//! both.

/// Something that the compiler does to make rows few.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Saving {
    /// Loops whose rounds are known are written out where that makes the program little longer. Without it they stay loops.
    Loops,
    /// Each way to the end of a program has an end of its own, in which the packet's fate is a constant. Without it ways meet there, and
    /// bring the fate with them.
    Ends,
    /// What a branch has found out holds behind it.
    Known,
    /// Ways that meet go on for themselves where a packet has less to do then.
    Paths,
    /// Short ways that meet again become choices.
    Choices,
    /// What is read from a value, added to and written back is added where it stands.
    Sums,
    /// Neighbouring bytes of the packet are written at once.
    Stores,
    /// Bytes that lie close together are read at once.
    Loads,
    /// Values of maps that every way reads are read before the ways part.
    Early,
    /// Bits are cut, joined, swapped and shifted by what uses them. Without it that takes an operation of its own, and loads are not joined
    /// either, because their parts would have to be cut out.
    Fields,
    /// A result has a register of its own. Without it, it takes the place of an operand, which is moved away first where it is needed
    /// behind.
    Operands,
    /// Loads and stores of 3, 5, 6 and 7 bytes. Without it: of 1, 2, 4 and 8.
    Widths,
    /// A branch compares by itself. Without it a comparison stands in front of it.
    Tests,
    /// An exit has the packet's fate in itself, and compares. Without it the fate is put into a buffer first.
    Exits,
    /// An operation on a map takes the first words of key and value by itself. Without it they are put into a buffer first.
    Keys,
    /// What was put together once is not put together again.
    Reuse,
    /// What is put together where ways meet is put together on each way. Without it, its parts are moved there.
    Meetings,
    /// Lengths that no packet goes below, or above, are not asked for: none is shorter than its program says. Without it they are.
    Bounds,
    /// What follows a block that nothing else leads to becomes part of it. Without it rows end where blocks do.
    Traces,
    /// A loop does some of its next round beside the end of this one.
    Rounds,
    /// What nobody sees who leaves may stand in front of a branch. Without it nothing comes in front of a branch that stood behind.
    Speculation,
    /// A row has several branches, the first of them first. Without it: one.
    Branches,
    /// The longest chains come first. Without it operations come in the order in which the program has them.
    Order,
    /// A row has as many operations as there are lanes. Without it: one.
    Packing,
}

impl Saving {
    /// Each of them, in the order in which the compiler comes to them, and messages and tables have them.
    pub const ALL: [Saving; 24] = [
        Saving::Loops,
        Saving::Ends,
        Saving::Known,
        Saving::Paths,
        Saving::Choices,
        Saving::Sums,
        Saving::Stores,
        Saving::Loads,
        Saving::Early,
        Saving::Fields,
        Saving::Operands,
        Saving::Widths,
        Saving::Tests,
        Saving::Exits,
        Saving::Keys,
        Saving::Reuse,
        Saving::Meetings,
        Saving::Bounds,
        Saving::Traces,
        Saving::Rounds,
        Saving::Speculation,
        Saving::Branches,
        Saving::Order,
        Saving::Packing,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Saving::Loops => "loops",
            Saving::Ends => "ends",
            Saving::Known => "known",
            Saving::Paths => "paths",
            Saving::Choices => "choices",
            Saving::Sums => "sums",
            Saving::Stores => "stores",
            Saving::Loads => "loads",
            Saving::Early => "early",
            Saving::Fields => "fields",
            Saving::Operands => "operands",
            Saving::Widths => "widths",
            Saving::Tests => "tests",
            Saving::Exits => "exits",
            Saving::Keys => "keys",
            Saving::Reuse => "reuse",
            Saving::Meetings => "meetings",
            Saving::Bounds => "bounds",
            Saving::Traces => "traces",
            Saving::Rounds => "rounds",
            Saving::Speculation => "speculation",
            Saving::Branches => "branches",
            Saving::Order => "order",
            Saving::Packing => "packing",
        }
    }

    /// The one of that name.
    pub fn find(name: &str) -> Option<Saving> {
        Saving::ALL.into_iter().find(|saving| saving.name() == name)
    }
}

/// What is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Without(u32);

impl Without {
    /// Nothing.
    pub const NOTHING: Without = Without(0);

    /// Whether this is left out.
    pub fn contains(self, saving: Saving) -> bool {
        self.0 & 1 << saving as u32 != 0
    }

    /// Whether this is done.
    pub fn keeps(self, saving: Saving) -> bool {
        !self.contains(saving)
    }

    /// What is left out, in the order of [`Saving::ALL`].
    pub fn savings(self) -> impl Iterator<Item = Saving> {
        let all = Saving::ALL.into_iter();
        all.filter(move |saving| self.contains(*saving))
    }
}

impl FromIterator<Saving> for Without {
    fn from_iter<T: IntoIterator<Item = Saving>>(savings: T) -> Without {
        let all = savings.into_iter();
        Without(all.fold(0, |all, saving| all | 1 << saving as u32))
    }
}

impl From<Saving> for Without {
    fn from(saving: Saving) -> Without {
        Without::from_iter([saving])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_name_and_a_bit_of_its_own() {
        for saving in Saving::ALL {
            assert_eq!(Saving::find(saving.name()), Some(saving));
            let alone: Vec<Saving> = Without::from(saving).savings().collect();
            assert_eq!(alone, [saving]);
        }
        assert_eq!(Saving::find("pruning"), None);
        assert_eq!(Without::from_iter(Saving::ALL).savings().count(), 24);
    }
}
