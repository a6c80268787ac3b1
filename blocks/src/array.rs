//! The memory behind a map's values: reads in packet order, one write a packet at the commit stage, the host's
//! operations in between.

mod commit;
mod host;
mod late;
mod ports;
mod read;

pub use ports::{
    ArrayHostIn, ArrayIn, ArrayKeyIn, ArrayOut, ArrayPutIn, ArraySlotIn, ArrayWriteIn,
};

use commit::{joined, store, HostOperation};
use hardpath_rtl::signals::Block;
use hardpath_rtl::Module;
use read::{addresses, Commit, Commits, Copies};

/// How the host's index gets to the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostAddress {
    /// The host's key is the index; key and command are checked here (arrays and device maps).
    Key,
    /// The first read index already is the host's (values behind a hash table, which checks the command).
    Follows,
}

/// Whether an entry can be absent: the word then has a bit for that above the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// Every entry exists.
    Always,
    /// An entry is there when the first 32 bits of its value are not all zeros.
    NotZero,
}

impl Presence {
    /// Whether the word has the bit.
    pub fn is_stored(self) -> bool {
        self != Presence::Always
    }
}

/// What a value memory must know.
pub struct Array {
    /// Name of the module.
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// Entries.
    pub depth: u32,
    /// Bits of a value.
    pub value_bits: u32,
    /// How it is known whether an entry exists.
    pub presence: Presence,
    /// Words can be read at so many indexes a clock (at least 1); each has its own copy of the memory. For each: the
    /// clocks from its address stage to the commit stage, at least [`Array::clocks`].
    pub reads: Vec<u32>,
    /// Places at which the data plane writes, no two of them in one clock.
    pub writers: u32,
    /// The data plane writes nothing at the first of them: it only says where the host's operation does. With
    /// [`Array::own_write_index`].
    pub first_is_the_hosts: bool,
    /// The word's parts in bits, from the least significant on, where a packet can leave each as it was read; otherwise none. Which ones it
    /// changes may be known late: nothing else waits for that. With one writer at the first read, in the stage in which its word comes.
    pub parts: Vec<u32>,
    /// The host's operations and the sweep come while the data plane does nothing, and its word is zeros then: nobody has to choose.
    pub host_alone: bool,
    /// The write's index, the host's too where it follows, is given at the commit stage instead of being that of the
    /// first read. Always with several writers, and only with a writer.
    pub own_write_index: bool,
    /// A word that is read has the writes that committed while it was on its way. When the commit stage is that in
    /// which the word comes, a packet so sees the writes of all older packets, however close; else the caller keeps
    /// packets with the same index apart.
    pub forward: bool,
    /// Registers on both sides of the memory, where it is not LUT RAM: a large memory's parts lie far from each other.
    pub registers: bool,
    /// Clocks from the first read's address stage to the stage in which the host's operation commits.
    pub host_commit_after: u32,
    /// How the host names the entry that it means.
    pub host: HostAddress,
}

/// Memories of at most this many words are LUT RAM, which is read in the clock of its address.
pub const LUT_RAM_WORDS: u32 = 64;

impl Array {
    /// Whether the memory is read in the clock of its address.
    pub fn in_lut_ram(depth: u32) -> bool {
        depth <= LUT_RAM_WORDS
    }

    /// Clocks from the address stage to the stage in which the word stands in a register.
    pub fn read_clocks(depth: u32, registers: bool) -> u32 {
        match (Array::in_lut_ram(depth), registers) {
            (true, _) => 1,
            (false, false) => 2,
            (false, true) => 3,
        }
    }

    /// The same of this memory.
    pub fn clocks(&self) -> u32 {
        Array::read_clocks(self.depth, self.registers)
    }

    /// What is written comes to the memory through a register; where nothing is forwarded it must be there at once.
    fn registers_writes(&self) -> bool {
        self.forward && self.clocks() == 3
    }

    /// The memory that is read at the first index; the others are copies of it.
    pub fn first_memory(&self) -> String {
        self.memory(0)
    }

    fn memory(&self, copy: usize) -> String {
        match self.reads.len() {
            1 => "words".into(),
            _ => format!("words_{copy}"),
        }
    }

    /// Packets say which entry they mean: there are several. Behind a table the index is the host's, too.
    pub fn has_indexes(&self) -> bool {
        self.depth > 1 || self.host == HostAddress::Follows
    }

    /// Bits of a word.
    pub fn word_bits(&self) -> u32 {
        self.value_bits + u32::from(self.presence.is_stored())
    }

    fn check(&self) {
        let read_clocks = self.clocks();
        assert!(self.reads.iter().all(|after| *after >= read_clocks));
        assert!(self.own_write_index || self.writers <= 1);
        assert!(self.writers > 0 || !self.own_write_index);
        assert!(self.own_write_index || !self.first_is_the_hosts);
        assert!(self.parts.is_empty() || self.has_parts());
    }

    /// Whether its parts are as they must be.
    fn has_parts(&self) -> bool {
        let one = self.writers == 1 && !self.own_write_index && !self.host_alone;
        let fused = self.reads[0] == self.clocks() && self.host_commit_after == self.reads[0];
        one && fused && self.parts.iter().sum::<u32>() == self.word_bits()
    }

    fn header(&self) -> String {
        let read_clocks = self.clocks();
        format!(
            "Values of map {}: {} x {} bits in {}.\n\
             Read: the index belongs to the address stage A, the word stands in a register in stage A + {read_clocks}.\n\
             Write: stage A + {}, in packet order.{}\n\
             The host's operation is a packet without frames: it passes the same stages.\n\
             Reset is followed by a sweep that clears every entry.",
            self.map,
            self.depth,
            self.value_bits,
            if Array::in_lut_ram(self.depth) {
                "LUT RAM"
            } else {
                "block RAM"
            },
            self.reads[0],
            if self.forward {
                "\nA word that is read has the writes that committed while it was on its way: they are forwarded."
            } else {
                ""
            },
        )
    }
}

/// The memory; its stages are in [`ports`].
pub fn array(config: &Array) -> Block<ArrayIn, ArrayOut> {
    config.check();
    let mut m = Module::new(config.name.clone(), config.header());
    let inputs = m.inputs(ArrayIn::widths(config));
    let host = &inputs.host;
    let slot = &inputs.slot.with_all_indexes(&mut m, config);

    m.section("Stage A: addresses");
    let addresses = addresses(&mut m, slot, host);
    // What the commit stage writes is known below; the reads look at it before.
    let commit = Commit::wires(&mut m, config, &slot.writes);
    let stored = store(&mut m, config, &commit, host);
    let copies = Copies::new(&mut m, config, &stored);
    let commits = Commits::new(&mut m, config, commit.clone(), stored);
    let words = copies.read(&mut m, config, &addresses, &commits);

    m.section("Commit stage");
    let operation = HostOperation::wait(&mut m, config, slot, addresses[0], words[0]);
    let program = joined(&mut m, &slot.writes);
    let first_index = operation.first_index(&mut m, &slot.writes, host);
    let (host_writes, answer) = operation.writes(&mut m, config, slot, host);
    let write = match &program {
        Some(program) => m.or(&[program.write, host_writes]),
        None => host_writes,
    };
    let word = operation.either_word(&mut m, config, host, (program, commit.late.as_ref()));
    commit.drive(&mut m, write, first_index, word);

    m.section("Result for the host");
    let (host_answer, host_result) = operation.result(&mut m, config, answer);
    let outputs = ArrayOut {
        read_word: words,
        host_answer,
        host_result,
    };
    m.into_block(inputs, outputs)
}
