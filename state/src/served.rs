//! A map that answers requests: for users that do not schedule.
//!
//! A request is a lookup, an update or a delete, or with [`Entries`] an access to bytes of a value through the entry that a lookup gave
//! ([`access`]). One is taken a clock, but none in the clock behind one that writes bytes or a value where entries can be written; each is
//! answered, in order, and sees what all before it did. A request is taken when there is room for its answer, so answers may wait.
//!
//! * **Hash tables** ([`hash`]): keys are put in and removed in the clock of their lookup's answer, values are written in the clock in
//!   which the old one comes, and both memories forward.
//! * **Arrays and slots** ([`array`]): likewise, without a table in front.
//! * **Arrays of long values** ([`folded`]): likewise, in rows of which an access reads two; nobody has a whole value at once.
//! * **Tries, and entries with masks and priorities** ([`matched`]): their tables change one entry at a time, and must be prepared
//!   for it.
//!
//! What a map cannot do at one a clock is done *alone* ([`order`]): requests stop, those inside are let out, and go on when it is over.
//! So are the host's operations, in their place among the requests, and what the data plane seldom or never asks: to change a trie, or
//! slots. So every kind answers every request.

mod access;
mod array;
mod bounds;
mod folded;
mod hash;
mod lanes;
mod matched;
mod order;
mod ports;
mod room;
mod rows;

pub use access::{through_entry, Entries};
pub use folded::ROW_CLOCKS;
pub use ports::{
    BoundsIn, HostIn, HostOut, RequestAccessIn, RequestIn, RequestOperandIn, ResponseAccessOut,
    ResponseOut, ServedIn, ServedOut,
};

use access::{Access, Found};
use rows::Fold;

use hardpath_blocks::array::{Array, HostAddress, Presence};
use hardpath_blocks::hash::Hash;
use hardpath_blocks::host::{LongIn, MapQuestion};
use hardpath_blocks::interface::{Bank, JournalOut, Storage};
use hardpath_blocks::lpm::Lpm;
use hardpath_blocks::sweep::sweep;
use hardpath_blocks::ternary::Match;
use hardpath_ir::{Find, MapDecl};
use hardpath_rtl::signals::Block;
use hardpath_rtl::{Design, Module, Node};
use order::{Alone, Operations};
use room::room;

/// What a map must know that is asked by requests.
pub struct Served {
    /// Of the module.
    pub name: String,
    /// What the map is called, for the header.
    pub map: String,
    /// How keys are found.
    pub kind: Kind,
    /// Of an index 32. Of [`Kind::Ternary`] those of an entry's key: the fields, filled up to bytes, as many of masks, 32 of
    /// priority; a lookup looks at the fields.
    pub key_bits: u32,
    /// Of [`Kind::Ternary`], the first one in the lowest bits of the key.
    pub fields: Vec<(Match, u32)>,
    /// Of [`Kind::Ternary`]: see [`Ternary::masks`](hardpath_blocks::ternary::Ternary::masks).
    pub masks: Option<u32>,
    /// Of an entry's value.
    pub value_bits: u32,
    /// How many entries it takes; of [`Kind::Array`] indexes are below.
    pub max_entries: u32,
    /// Requests can mean bytes of an entry. Values are whole bytes then.
    pub entries: Entries,
    /// Keys or prefixes stand in registers between their memories and what looks at them.
    pub registers: bool,
    /// Registers on both sides of the memory of values.
    pub registers_values: bool,
    /// It is room for a map that is known later: what it is told to be ([`BoundsIn`]) may have shorter keys and fewer entries, and
    /// [`ServedIn::clears`] makes it empty. [`Kind::Ternary`] is as large as it is made, and only cleared.
    pub bounded: bool,
    /// Of [`Kind::LruHash`], below 8: entries of the last lookups that found one are not taken for new keys until
    /// [`ServedIn::releases`]. 0: any may be.
    pub holds: u32,
    /// Of [`Kind::LruHash`]: it tells which keys come and go.
    pub journal: bool,
}

/// What stands behind the ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Keys are found as they are. A full map takes no new one.
    Hash,
    /// A new key in a full map takes the place of another one.
    LruHash,
    /// The key is an index. With [`Presence::Always`] an array, else slots that are set or not.
    Array(Presence),
    /// An array of values that are too long to be read and written at once: bytes of them are accessed through entries, nobody updates
    /// one by a request, and the host has them in the memory of its port ([`hardpath_blocks::host::Long`]).
    Folded,
    /// The longest prefix is found. `bits_a_clock`: of the lengths, that are looked at in one clock.
    Trie {
        /// At least 1.
        bits_a_clock: u32,
    },
    /// By fields that match each in its own way, and by priority; see [`Served::fields`].
    Ternary,
}

impl Kind {
    /// Updates and deletes are done alone.
    fn changes_alone(self) -> bool {
        match self {
            Kind::Hash | Kind::LruHash | Kind::Folded => false,
            Kind::Array(presence) => presence.is_stored(),
            Kind::Trie { .. } | Kind::Ternary => true,
        }
    }

    /// What is done alone must be prepared, while requests go on.
    fn prepares(self) -> bool {
        matches!(self, Kind::Trie { .. } | Kind::Ternary)
    }

    /// Of a trie.
    fn bits_a_clock(self) -> u32 {
        match self {
            Kind::Trie { bits_a_clock } => bits_a_clock,
            _ => unreachable!("only prefixes have lengths"),
        }
    }

    fn is_indexed(self) -> bool {
        matches!(self, Kind::Array(_) | Kind::Folded)
    }
}

/// What goes into the stages of a map, in the clock in which a request is taken.
struct Entering<'a> {
    request: &'a RequestIn,
    /// One is taken, and not done alone.
    taken: Node,
    /// The operation that is done alone goes in.
    inject: Node,
    /// It begins, long before; from then on what it asks stands still.
    begins: Node,
    question: &'a MapQuestion,
    /// Where requests can mean entries.
    access: Option<&'a Access>,
    /// With [`Served::holds`].
    releases: Option<Node>,
    /// Of folded values, the host's.
    long_bytes: Option<Node>,
}

impl Entering<'_> {
    /// A request by key is taken.
    fn taken_by_key(&self, m: &mut Module) -> Node {
        let among = access::is_by_key(m, self.request);
        let conditions: Vec<Node> = among.into_iter().chain([self.taken]).collect();
        m.and(&conditions)
    }
}

/// What a map says.
struct Leaving {
    /// A request's answer comes, [`Served::value_clocks`] after it was taken: an answer, and the value of a lookup.
    here: Node,
    answer: Node,
    /// Not of folded values, which nobody has whole; likewise the host's.
    value: Option<Node>,
    /// With [`Entering::access`].
    found: Option<Found>,
    /// Of the operation that is done alone; from a register, [`Served::value_clocks`] and one after it went in.
    host_answer: Node,
    host_value: Option<Node>,
    /// What a dump found.
    host_key: Node,
    /// Of folded values: what the host takes and gets of one.
    long: Option<LongIn>,
    /// The operation that is done alone may go in, from the clock after it begins. Of kinds that prepare it.
    prepared: Option<Node>,
    /// With [`Served::journal`].
    journal: Option<JournalOut>,
}

impl Served {
    /// A table as it is, with registers wherever there may be some.
    pub fn of(name: String, decl: &MapDecl) -> Served {
        let writes = decl.packets_write && !decl.has_slots();
        Served {
            name,
            map: decl.name.clone(),
            kind: match decl.find {
                Find::Exact if decl.forgets => Kind::LruHash,
                Find::Exact => Kind::Hash,
                Find::Array => Kind::Array(Presence::Always),
                Find::Slots => Kind::Array(Presence::NotZero),
                Find::Prefix => Kind::Trie { bits_a_clock: 4 },
                Find::Ternary => Kind::Ternary,
            },
            key_bits: decl.entry_key_bytes() * 8,
            fields: crate::ternary_fields(decl),
            masks: decl.most_masks,
            value_bits: decl.value_bytes * 8,
            max_entries: decl.max_entries,
            entries: match writes {
                true => Entries::Written,
                false => Entries::Read,
            },
            registers: true,
            registers_values: true,
            bounded: false,
            holds: 0,
            journal: false,
        }
    }

    /// Slots that a dump goes through.
    pub fn slots(&self) -> u32 {
        match self.kind {
            Kind::Hash | Kind::LruHash => Hash::entries(self.max_entries),
            Kind::Array(_) | Kind::Folded | Kind::Trie { .. } | Kind::Ternary => self.max_entries,
        }
    }

    /// Words that a sweep clears, in as many clocks.
    pub fn swept_words(&self) -> u32 {
        match self.kind {
            Kind::Folded => Fold::of(self).depth(self.max_entries),
            _ => self.slots(),
        }
    }

    fn is_folded(&self) -> bool {
        self.kind == Kind::Folded
    }

    /// Bits of values as ports have them whole; `None`: they do not.
    fn whole_bits(&self) -> Option<u32> {
        (!self.is_folded()).then_some(self.value_bits)
    }

    /// Clocks from the value to the write of what an access makes of it, and so of any.
    fn write_clocks(&self) -> u32 {
        u32::from(self.entries == Entries::Written)
    }

    /// Clocks of the host's operation behind those of a request.
    fn host_clocks(&self) -> u32 {
        match self.kind {
            Kind::Folded => Fold::of(self).pairs + folded::AFTER,
            _ => 0,
        }
    }

    /// Where the contents stand, below the instance of the map; `None`: its memories do not show it.
    pub fn storage(&self) -> Option<Storage> {
        let keys = match self.kind {
            Kind::Hash | Kind::LruHash => {
                let memories = Hash::key_memories();
                memories
                    .iter()
                    .map(|memory| format!("keys.{memory}"))
                    .collect()
            }
            Kind::Trie { .. } => vec![format!("prefixes.{}", Lpm::KEY_MEMORY)],
            Kind::Array(_) | Kind::Folded => Vec::new(),
            Kind::Ternary => return None,
        };
        let memories: &[&str] = match self.kind {
            Kind::Folded => &["values_0.words", "values_1.words"],
            _ => &["values.words"],
        };
        let bank = |memory: &&str| Bank {
            memory: (*memory).into(),
            entries: None,
        };
        Some(Storage {
            keys,
            has_presence: matches!(self.kind, Kind::Array(presence) if presence.is_stored()),
            values: memories.iter().map(bank).collect(),
            folded: self.is_folded().then(|| Fold::of(self).stride),
        })
    }

    /// Clocks from a request that is not done alone to its answer.
    pub fn clocks(&self) -> u32 {
        self.value_clocks()
            + match self.entries {
                Entries::Hidden => 0,
                Entries::Read | Entries::Written => access::ANSWER_CLOCKS,
            }
    }

    /// Clocks of them to the stage in which the value comes and is written.
    fn value_clocks(&self) -> u32 {
        self.found_clocks() + self.read_clocks()
    }

    /// Clocks of them to the stage in which the entry is known.
    fn found_clocks(&self) -> u32 {
        match self.kind {
            Kind::Hash | Kind::LruHash => hash::clocks(self),
            Kind::Array(_) => array::CLOCKS,
            Kind::Folded => folded::CLOCKS,
            Kind::Trie { .. } | Kind::Ternary => matched::clocks(self),
        }
    }

    /// Clocks from the stage in which the entry is known to the value.
    fn read_clocks(&self) -> u32 {
        Array::read_clocks(self.swept_words(), self.registers_values)
    }

    /// The memory of values, as most kinds have it. `written`: requests write it.
    fn values_memory(&self, written: bool) -> Array {
        let commit_after = self.read_clocks() + self.write_clocks();
        Array {
            name: format!("{}_values", self.name),
            map: self.map.clone(),
            depth: self.slots(),
            value_bits: self.value_bits,
            presence: Presence::Always,
            reads: vec![commit_after],
            writers: u32::from(written),
            first_is_the_hosts: false,
            parts: Vec::new(),
            host_alone: true,
            own_write_index: false,
            forward: written,
            registers: self.registers_values,
            host_commit_after: commit_after,
            host: HostAddress::Follows,
        }
    }

    fn header(&self) -> String {
        let alone = match self.kind.changes_alone() {
            true => "\nUpdates and deletes are done alone: requests stop until they are over.",
            false => "",
        };
        let through = match self.entries {
            Entries::Hidden => "",
            Entries::Read => "Bytes of values are read through entries.\n",
            Entries::Written => "Bytes of values are read and changed through entries.\n",
        };
        format!(
            "Map {}: {} x {} bits of key, {} bits of value, asked by requests.\n\
             One request a clock, answered in order; each sees what all before it did.{alone}\n\
             {through}The host's operation has its place among them. Reset is followed by a sweep, in which nothing is taken.",
            self.map, self.max_entries, self.key_bits, self.value_bits
        )
    }

    /// Bits of a request's command.
    fn command_bits(&self) -> u32 {
        order::COMMAND_BITS + u32::from(self.entries != Entries::Hidden)
    }

    fn check(&self) {
        assert!(!self.kind.is_indexed() || self.key_bits == 32, "an index");
        assert!(
            self.entries == Entries::Hidden || self.value_bits.is_multiple_of(8),
            "bytes of values are accessed"
        );
        assert!(
            !self.is_folded() || self.entries != Entries::Hidden,
            "long values are accessed in parts"
        );
        assert!(
            self.entries != Entries::Written || self.kind != Kind::Array(Presence::NotZero),
            "only the host changes slots"
        );
        let forgets = self.kind == Kind::LruHash;
        assert!(
            forgets || (self.holds == 0 && !self.journal),
            "nothing is forgotten"
        );
        assert!(
            !self.journal || self.holds > 0,
            "a journal's turns end where entries are given up"
        );
    }
}

/// The module; those in it are added to the design.
///
/// # Panics
/// When a map with indexes has other keys, or entries are accessed as they cannot be.
pub fn served(design: &mut Design, config: &Served) -> Block<ServedIn, ServedOut> {
    config.check();
    let mut m = Module::new(config.name.clone(), config.header());
    let inputs = m.inputs(ServedIn::widths(config));
    let inputs = bounds::within(&mut m, config, inputs);
    m.section("Sweep after reset");
    let sweep = sweep(&mut m, config.swept_words());
    let alone = Alone::new(&mut m, config, &inputs.request);
    let question = order::question(&mut m, config, &sweep, &inputs, alone.as_ref());
    let prepared = config.kind.prepares().then(|| m.wire(1, "prepared"));
    let asks = (inputs.host.host_start, alone.as_ref());
    let operations = Operations::new(&mut m, config, asks, (sweep.running, prepared));
    let answer_taken = m.wire(1, "answer_taken");
    let (request_ready, taken) = room(
        &mut m,
        config,
        &inputs.request,
        (&operations, alone.as_ref()),
        (sweep.running, answer_taken),
    );
    let access = Access::new(&mut m, config, &inputs.request, taken);
    let entering = Entering {
        request: &inputs.request,
        taken,
        access: access.as_ref(),
        inject: operations.inject,
        begins: operations.begins,
        question: &question,
        releases: inputs.releases,
        long_bytes: inputs.host.long_bytes,
    };
    let leaving = match config.kind {
        Kind::Hash | Kind::LruHash => hash::place(design, &mut m, config, &entering),
        Kind::Array(presence) => array::place(design, &mut m, config, presence, &entering),
        Kind::Folded => folded::place(design, &mut m, config, &entering),
        Kind::Trie { .. } | Kind::Ternary => matched::place(design, &mut m, config, &entering),
    };
    if let Some((wire, driven)) = prepared.zip(leaving.prepared) {
        m.drive(wire, driven);
    }
    let journal = leaving.journal.clone();
    let (leaving, accessed) = match &access {
        Some(access) => {
            let (leaving, accessed) = access.answer(&mut m, leaving);
            (leaving, Some(accessed))
        }
        None => (leaving, None),
    };
    let response = room::answers(
        (design, &mut m),
        config,
        (&leaving, accessed.as_ref()),
        operations.request_done,
        (inputs.response_ready, answer_taken),
    );
    let outputs = ServedOut {
        request_ready,
        response,
        host: HostOut {
            host_done: operations.host_done,
            host_answer: leaving.host_answer,
            host_value_out: leaving.host_value,
            host_key_out: leaving.host_key,
            long: leaving.long,
        },
        swept: config.bounded.then_some(sweep.running),
        journal,
    };
    if let Some(clears) = inputs.clears {
        m.section("It becomes empty");
        design.clear_with(&mut m, clears);
    }
    m.into_block(inputs, outputs)
}

/// The same so many clocks later; bits alone are 0 after reset.
fn later(m: &mut Module, name: &str, node: Node, clocks: u32) -> Node {
    let mut node = node;
    for clock in 1..=clocks {
        let name = format!("{name}_{clock}");
        node = match m.width(node) {
            1 => m.delay_reset(name, node),
            _ => m.delay(name, node),
        };
    }
    node
}
