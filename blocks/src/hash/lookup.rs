//! Stages R to A: the buckets are read and compared.

use super::dump::Dump;
use super::evict::Ages;
use super::forward::Commits;
use super::held::PacketSlots;
use super::neighbours::Passing;
use super::waiting::Pending;
use super::{key_memory, Hash, HashKeyIn, HashPort, HashSlotIn, SLOTS, WAYS};
use crate::same_key::same_key;
use hardpath_rtl::signals::numbered;
use hardpath_rtl::{Mem, MemStyle, Module, Node};

/// A port of a table, by its number.
#[derive(Clone, Copy)]
pub(super) struct Port<'a> {
    pub(super) table: &'a Hash,
    pub(super) number: usize,
}

impl Port<'_> {
    pub(super) fn own(self) -> HashPort {
        self.table.ports[self.number]
    }

    /// What is called so in the first port.
    pub(super) fn name(self, wish: impl AsRef<str>) -> String {
        numbered(wish.as_ref(), self.number)
    }

    /// Begins a section of the text: so many clocks after R.
    pub(super) fn section(self, m: &mut Module, clocks: u32, what: &str) {
        let after = match clocks {
            0 => String::new(),
            _ => format!(" + {clocks}"),
        };
        let port = match self.table.ports.len() {
            1 => String::new(),
            _ => format!(", port {}", self.number),
        };
        m.section(format!("Stage R{after}{port}: {what}"));
    }
}

/// One key of a packet, from its buckets to its commit stage.
pub(super) struct Lane {
    pub(super) memories: Memories,
    /// Only in a table that evicts.
    pub(super) ages: Option<Ages>,
    /// Stage A.
    pub(super) hit: Node,
    pub(super) entry: Node,
    /// At the port's commit stage.
    pub(super) state: Pending,
    pub(super) slots: PacketSlots,
    /// A clock before the commit stage.
    pub(super) before: Passing,
}

/// Makes the stages of a port.
pub(super) fn lane(
    m: &mut Module,
    port: Port,
    slot: &HashSlotIn,
    commits: &Commits,
    dump: &mut Dump,
) -> Lane {
    let input = &slot.keys[port.number];
    let (memories, mut buckets) = Buckets::read(m, port, input, slot.host_r);
    let mut before = Passing {
        rows: input.rows,
        key: input.key,
    };
    let mut host_before = slot.host_r;
    if port.table.registers {
        before = buckets.passing();
        host_before = buckets.host;
        buckets = buckets.wait(m, port);
    }
    if port.number == 0 {
        dump.come(m, host_before);
    }
    let state = buckets.compare(m, port, before, commits, dump);
    let (hit, entry) = (state.found.hit, state.found.entry(m, state.rows));
    let (state, slots, before) = state.wait(m, port, commits, buckets.passing());
    Lane {
        memories,
        ages: buckets.ages,
        hit,
        entry,
        state,
        slots,
        before,
    }
}

/// The memories of one copy of the keys, by place.
pub(super) struct Memories(Vec<Mem>);

impl Memories {
    /// The clock of a commit, and the sweep after reset, which has the rows. `at`: the place, one-hot. `word`: whether the slot is
    /// taken, above its key.
    pub(super) fn write(
        &self,
        m: &mut Module,
        (at, clear): (Node, Node),
        rows: &[Node],
        word: Node,
    ) {
        for (place, memory) in (0..).zip(&self.0) {
            let this = m.bit(at, place);
            let enable = m.or(&[this, clear]);
            m.mem_write(*memory, rows[(place / SLOTS) as usize], word, enable);
        }
    }
}

/// What was read, with the key that it was read for.
struct Buckets {
    /// By place: whether the slot is taken, above its key.
    words: Vec<Node>,
    /// Only in a table that evicts.
    ages: Option<Ages>,
    key: Node,
    rows: Node,
    host: Node,
}

impl Buckets {
    /// Stage R.
    fn read(m: &mut Module, port: Port, input: &HashKeyIn, host_r: Node) -> (Memories, Buckets) {
        let rows = Hash::rows(port.table.max_entries);
        let row_bits = Hash::row_bits(port.table.max_entries);
        port.section(m, 0, "the buckets are read");
        let one = m.one();
        let (mut memories, mut words) = (Vec::new(), Vec::new());
        for way in 0..WAYS {
            let row = m.slice(input.rows, way * row_bits, row_bits);
            for slot in 0..SLOTS {
                let name = port.name(key_memory(way, slot));
                let memory = m.mem(name, port.table.key_bits + 1, rows, MemStyle::Auto);
                words.push(m.mem_read_sync(memory, row, one));
                memories.push(memory);
            }
        }
        let name = |wish: String| port.name(wish);
        let ages =
            (port.table.evicts()).then(|| Ages::read(m, name, port.table.evicts, input.rows, rows));
        let buckets = Buckets {
            words,
            ages,
            key: m.delay(port.name("key_1st"), input.key),
            rows: m.delay(port.name("rows_1st"), input.rows),
            host: match port.number {
                0 => m.delay_reset("host_1st", host_r),
                _ => m.zero(1),
            },
        };
        (Memories(memories), buckets)
    }

    /// Stage R + 1, with [`Hash::registers`]: out of the memories.
    fn wait(self, m: &mut Module, port: Port) -> Buckets {
        port.section(m, 1, "out of the memories");
        let words = self.words.iter().enumerate();
        Buckets {
            words: words
                .map(|(place, word)| m.delay(port.name(format!("word_{place}")), *word))
                .collect(),
            ages: (self.ages).map(|ages| ages.wait_for_compare(m, |wish| port.name(wish))),
            key: m.delay(port.name("key_read"), self.key),
            rows: m.delay(port.name("rows_read"), self.rows),
            host: match port.number {
                0 => m.delay_reset("host_read", self.host),
                _ => self.host,
            },
        }
    }

    /// The stage before A: the keys are compared, and what is known stands in registers in A.
    fn compare(
        &self,
        m: &mut Module,
        port: Port,
        before: Passing,
        commits: &Commits,
        dump: &mut Dump,
    ) -> Pending {
        let table = port.table;
        port.section(
            m,
            Hash::answer_clocks(table.registers) - 1,
            "the keys are compared",
        );
        let memory = self.hits(m, port);
        let name = |wish: String| port.name(wish);
        let (mut matches, taken) = commits.forward(m, table, before, name, memory);
        if port.number == 0 {
            dump.read(m, &self.words, &mut matches.outcome);
        }
        let found = matches.found(m);
        m.name(found.hit, port.name("found"));
        m.name(found.place, port.name("found_place"));
        let ranked = (self.ages.as_ref()).map(|ages| ages.rank(m, |wish| port.name(wish)));
        let displaced = table.displaces_late().then(|| m.zero(1));
        let now = Pending {
            rows: self.rows,
            found,
            key: self.key,
            host: self.host,
            taken,
            ranked,
            displaced,
        };
        now.in_registers(m, port, "2nd")
    }

    /// As others see it.
    fn passing(&self) -> Passing {
        Passing {
            rows: self.rows,
            key: self.key,
        }
    }

    /// By place: whether the key is in the slot, and whether any key is.
    fn hits(&self, m: &mut Module, port: Port) -> (Vec<Node>, Vec<Node>) {
        let key_bits = port.table.key_bits;
        let (mut hits, mut taken) = (Vec::new(), Vec::new());
        for (place, word) in self.words.iter().enumerate() {
            let present = m.bit(*word, key_bits);
            let stored = m.slice(*word, 0, key_bits);
            let same = same_key(m, stored, self.key);
            let hit = m.and(&[present, same]);
            hits.push(m.name(hit, port.name(format!("hit_at_{place}"))));
            taken.push(present);
        }
        (hits, taken)
    }
}
