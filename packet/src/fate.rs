//! What becomes of a packet.

/// Which way a packet goes: what a shell reads, beside an index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Class {
    /// Out at the port where it came in.
    #[default]
    SamePort,
    /// Out at the port of that index.
    Port,
    /// To the host, into the queue of that index.
    HostQueue,
    /// It goes nowhere.
    Nowhere,
}

impl Class {
    /// All, by their codes.
    pub const ALL: [Class; 4] = [
        Class::SamePort,
        Class::Port,
        Class::HostQueue,
        Class::Nowhere,
    ];

    /// The number for it, of [`CLASS_BITS`] bits.
    pub fn code(self) -> u64 {
        self as u64
    }

    /// The class of a code, of which the lowest [`CLASS_BITS`] bits are read.
    pub fn from_code(code: u64) -> Class {
        Class::ALL[(code & 3) as usize]
    }

    /// For a reader: `same port`, `port`, `host queue`, `nowhere`.
    pub fn name(self) -> &'static str {
        match self {
            Class::SamePort => "same port",
            Class::Port => "port",
            Class::HostQueue => "host queue",
            Class::Nowhere => "nowhere",
        }
    }
}

/// Bits of a [`Class`].
pub const CLASS_BITS: u32 = 2;
/// Bits of the index beside it.
pub const INDEX_BITS: u32 = 32;

/// What the program said of a packet, and what leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fate {
    /// The program's own outputs, in the order in which it declares them.
    pub outputs: Vec<u64>,
    /// What leaves, in the order in which it does. None: the packet ends here.
    pub copies: Vec<Copy>,
}

/// One packet that leaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copy {
    /// Which way it goes.
    pub class: Class,
    /// Which of the ports or queues; 0 where the program does not say.
    pub index: u32,
    /// The program's own outputs for this one: mostly those of the packet.
    pub outputs: Vec<u64>,
    /// Its bytes.
    pub data: Vec<u8>,
}

impl Fate {
    /// The packet ends here.
    pub fn ends(outputs: &[u64]) -> Fate {
        Fate {
            outputs: outputs.to_vec(),
            copies: Vec::new(),
        }
    }

    /// One packet leaves, with the outputs of the packet.
    pub fn leaves(copy: Copy) -> Fate {
        Fate {
            outputs: copy.outputs.clone(),
            copies: vec![copy],
        }
    }

    /// The same packet leaves once for each index, in their order.
    pub fn leaves_for(copy: &Copy, indices: &[u32]) -> Fate {
        let copies = indices.iter().map(|&index| Copy {
            index,
            ..copy.clone()
        });
        Fate {
            outputs: copy.outputs.clone(),
            copies: copies.collect(),
        }
    }

    /// The first output, by which packets are counted; 0 of a program that has none.
    pub fn first_output(&self) -> u64 {
        self.outputs.first().copied().unwrap_or(0)
    }

    /// The indices of the copies.
    pub fn indices(&self) -> Vec<u32> {
        self.copies.iter().map(|copy| copy.index).collect()
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
    fn copies_differ_in_their_index_alone() {
        let copy = Copy {
            class: Class::Port,
            index: 9,
            outputs: vec![4],
            data: vec![1, 2],
        };
        let fate = Fate::leaves_for(&copy, &[7, 5]);
        assert_eq!(fate.indices(), [7, 5]);
        assert!(fate.copies.iter().all(|one| one.data == [1, 2]));
        assert!(fate.copies.iter().all(|one| one.class == Class::Port));
        assert_eq!((fate.first_output(), fate.data()), (4, Some(&[1, 2][..])));
        assert_eq!(Fate::leaves_for(&copy, &[]), Fate::ends(&[4]));
        assert_eq!(Fate::leaves_for(&copy, &[9]), Fate::leaves(copy));
        assert_eq!(Fate::ends(&[1]).data(), None);
    }

    #[test]
    fn classes_have_codes() {
        for class in Class::ALL {
            assert_eq!(Class::from_code(class.code()), class);
            assert!(class.code() < 1 << CLASS_BITS);
        }
        assert_eq!(Class::from_code(6), Class::HostQueue);
    }
}
