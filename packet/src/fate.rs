//! What becomes of a packet.

/// The verdict, and what leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fate {
    /// What the program returned; its meaning is the program's.
    pub verdict: u64,
    /// What leaves, in the order in which it does. None: the packet ends here.
    pub copies: Vec<Copy>,
}

/// One packet that leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copy {
    /// Where it goes: a number whose meaning is the program's; 0 where it does not say.
    pub destination: u32,
    /// Its bytes.
    pub data: Vec<u8>,
    /// What the program put in front of it for whoever takes it; mostly nothing.
    pub metadata: Vec<u8>,
}

impl Fate {
    /// The packet ends here.
    pub fn ends(verdict: u64) -> Fate {
        Fate {
            verdict,
            copies: Vec::new(),
        }
    }

    /// One packet leaves.
    pub fn leaves(verdict: u64, copy: Copy) -> Fate {
        Fate {
            verdict,
            copies: vec![copy],
        }
    }

    /// The same packet leaves once for each destination, in their order.
    pub fn leaves_for(verdict: u64, destinations: &[u32], copy: &Copy) -> Fate {
        let copies = destinations.iter().map(|&destination| Copy {
            destination,
            ..copy.clone()
        });
        Fate {
            verdict,
            copies: copies.collect(),
        }
    }

    /// Where the copies go.
    pub fn destinations(&self) -> Vec<u32> {
        self.copies.iter().map(|copy| copy.destination).collect()
    }

    /// The bytes of the first copy; `None` where nothing leaves.
    pub fn data(&self) -> Option<&[u8]> {
        self.copies.first().map(|copy| copy.data.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_differ_in_their_destination_alone() {
        let copy = Copy {
            destination: 9,
            data: vec![1, 2],
            metadata: vec![3],
        };
        let fate = Fate::leaves_for(4, &[7, 5], &copy);
        assert_eq!(fate.destinations(), [7, 5]);
        assert!(fate.copies.iter().all(|one| one.data == [1, 2]));
        assert!(fate.copies.iter().all(|one| one.metadata == [3]));
        assert_eq!(fate.data(), Some(&[1, 2][..]));
        assert_eq!(Fate::leaves_for(4, &[], &copy), Fate::ends(4));
        assert_eq!(Fate::leaves_for(4, &[9], &copy), Fate::leaves(4, copy));
        assert_eq!(Fate::ends(1).data(), None);
    }
}
