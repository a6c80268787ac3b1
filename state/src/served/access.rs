//! Accesses to bytes of a value: through an entry that an earlier lookup gave, and beside a lookup to what that finds.
//!
//! ```text
//! request ─► the entry waits for the clock of the values' address ─► the memory's word ─► what was there, in lanes, a register ─► answer
//!         ─► offset and operand wait for the clock of the word ───────────────────────► │ in their lanes ─► what is there then ─► the memory
//! ```
//!
//! The word that comes has what all requests before it wrote. What it becomes is written in the clock behind, so no request is taken in
//! the clock behind one that writes. What does not need the word is made before, and what only the answer needs behind
//! ([`super::lanes`]).

use super::lanes::{self, gated, turned, Place, Turn, LANES, LANE_BITS};
use super::rows::{Fold, Rows};
use super::{later, Kind, Leaving, RequestAccessIn, RequestIn, RequestOperandIn, Served};
use hardpath_blocks::array::ArrayPutIn;
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_rtl::{Module, Node};

/// What requests can do with entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entries {
    /// Nothing: there are lookups, updates and deletes by key.
    Hidden,
    /// A lookup says which entry it found and gives bytes of it, and bytes of entries can be read.
    Read,
    /// They can be written, too. Not of slots, which only the host changes.
    Written,
}

/// Commands of requests through an entry. Their words are [`RequestAccessIn::request_bytes`] long; where an entry or a byte is none of
/// the map's, 0 is read and nothing is written. The answer is always 0.
pub mod through_entry {
    /// Gives what is there.
    pub const READ: u32 = 8;
    /// Writes the operand.
    pub const WRITE: u32 = 9;
    /// Gives what was there and writes the sum of it and the operand.
    pub const ADD: u32 = 10;
    /// The same with the bits that both have.
    pub const AND: u32 = 11;
    /// With the bits that one of them has.
    pub const OR: u32 = 12;
    /// With those that one of them has and not both.
    pub const XOR: u32 = 13;
    /// With the operand.
    pub const EXCHANGE: u32 = 14;
    /// With the operand, where what was there is what is expected.
    pub const COMPARE_EXCHANGE: u32 = 15;
}

/// The bit of a command that is one through an entry.
const THROUGH_BIT: u32 = 3;

/// Clocks from a value to the answer, for the bytes that are turned.
pub(super) const ANSWER_CLOCKS: u32 = 1;

/// What a request accesses, on its way through the map.
pub(super) struct Access {
    /// In the clock of the values' address, or of folded ones behind the request: one through an entry is here, and which entry it means.
    here: Node,
    entry: Node,
    /// In the clock of the word: the same request.
    here_w: Node,
    /// The bytes of the value that are meant.
    mask: Vec<Node>,
    /// A clock later: the lane of the first one.
    first: Node,
    change: Option<Change>,
    /// Clocks between the address and the word.
    read_clocks: u32,
    /// Of folded values.
    pub(super) rows: Option<Rows>,
    /// In the clock behind the word: a byte of this one's row is meant. Of folded values.
    pub(super) means_row: Vec<Node>,
}

/// What an access finds.
pub(super) struct Found {
    /// In the clock of the word.
    entry: Node,
    /// In the clock behind: its lanes, the value, and whether it is written.
    lanes: Node,
    value: Node,
    writes: Option<Node>,
}

/// The same as it is answered.
pub(super) struct Answered {
    /// Which entry a lookup found.
    pub(super) entry: Node,
    /// The bytes.
    pub(super) word: Node,
}

impl Access {
    /// `taken`: a request goes into the map's stages. `None`: the config hides entries.
    pub(super) fn new(
        m: &mut Module,
        config: &Served,
        request: &RequestIn,
        taken: Node,
    ) -> Option<Access> {
        let access = request.access.as_ref()?;
        m.section("Bytes of a value that are accessed");
        let asked = Asked::new(m, config, request, access, taken);
        let clocks = config.value_clocks();
        let offset = later(m, "access_offset", access.request_offset, clocks - 1);
        let bytes = later(m, "access_bytes", access.request_bytes, clocks - 1);
        let place = Place::new(m, offset, bytes);
        let reads = later(m, "access_reads", asked.reads, clocks - 2);
        let fold = (config.kind == Kind::Folded).then(|| Fold::of(config));
        let rows = fold
            .as_ref()
            .map(|fold| Rows::new(m, fold, access.request_offset));
        let mask = match fold.as_ref().zip(rows.as_ref()) {
            Some((fold, rows)) => rows.mask(m, (fold, &place), reads, clocks - 1),
            None => place.mask(m, config.value_bits / 8, reads),
        };
        let mask = mask.into_iter().zip(0..);
        let mask = mask.map(|(bit, byte)| m.delay(format!("means_byte_{byte}"), bit));
        let mask: Vec<Node> = mask.collect();
        let place = place.later(m);
        let change = access.operand.as_ref().map(|operand| {
            let code = m.slice(request.request_command, 0, THROUGH_BIT);
            let code = later(m, "access_code", code, clocks);
            let writes = later(m, "access_writes", asked.writes, clocks - 1);
            let operand = Operand::new(m, &place, operand, clocks);
            Change::new(m, (&place, &mask), (code, writes), operand)
        });
        let rows_meant = rows.iter().flat_map(|_| mask.chunks(LANES as usize));
        let means_row = rows_meant.zip(0..).map(|(bytes, row)| {
            let any = m.or(bytes);
            m.delay(format!("means_row_{row}"), any)
        });
        let means_row = means_row.collect();
        let first = later(m, "access_first_lane", place.first, ANSWER_CLOCKS);
        let to_address = match config.kind {
            Kind::Folded => 0,
            _ => config.found_clocks() - 1,
        };
        let here = later(m, "through_entry", asked.through, to_address);
        Some(Access {
            here,
            entry: later(m, "access_index", asked.entry, to_address),
            here_w: later(m, "through_entry_read", here, clocks - 1 - to_address),
            mask,
            first,
            change,
            read_clocks: config.read_clocks(),
            rows,
            means_row,
        })
    }

    /// The address of the values: the entry that a request means, or else the one that is found.
    pub(super) fn address(&self, m: &mut Module, found: Node) -> Node {
        let entry = m.resize(self.entry, m.width(found));
        m.mux(self.here, entry, found)
    }

    /// What the access finds in the value. `address`: where it was read.
    pub(super) fn found(&self, m: &mut Module, address: Node, value: Node) -> Found {
        let entry = later(m, "read_entry", address, self.read_clocks);
        self.found_in(m, entry, value)
    }

    /// The same of an entry that is known with its value.
    pub(super) fn found_in(&self, m: &mut Module, entry: Node, value: Node) -> Found {
        let lanes = lanes::taken(m, &self.mask, value);
        let writes = self.change.as_ref().map(|change| change.writes(m, lanes));
        Found {
            entry,
            writes: writes.map(|writes| m.delay_reset("writes_bytes", writes)),
            lanes: m.delay("found_lanes", lanes),
            value: m.delay("found_value", value),
        }
    }

    /// A clock later: what is answered.
    pub(super) fn answer(&self, m: &mut Module, leaving: Leaving) -> (Leaving, Answered) {
        m.section("The bytes that were there, from the first one on");
        let Leaving { here, .. } = leaving;
        let found = leaving.found.as_ref().expect("entries are accessed");
        let by_key = m.not(self.here_w);
        let answer = m.gate(by_key, leaving.answer);
        let fails = m.reduce_or(answer);
        let finds = m.not(fails);
        let entry = m.gate(finds, found.entry);
        let finds = m.delay("finds", finds);
        let lanes = m.gate(finds, found.lanes);
        let answered = Answered {
            entry: m.delay("answered_entry", entry),
            word: turned(m, lanes, Turn::Back, self.first),
        };
        let leaving = Leaving {
            here: m.delay_reset("answered_here", here),
            answer: m.delay("answered", answer),
            value: leaving.value.map(|_| found.value),
            ..leaving
        };
        (leaving, answered)
    }
}

/// An update of a whole value.
pub(super) struct Update {
    /// In the clock of the write ([`Served::write_clocks`]): it is written.
    pub(super) writes: Node,
    /// The word then, zeros elsewhere.
    word: Node,
}

/// Most bits of a value that one register lets through. Tools ask such a register again in each place to which a bit that it lets
/// through goes: to the memory, and twice to where it is forwarded.
const MOST_LOADS: u32 = 64;

impl Update {
    /// `before`: in the clock before that of the write, it is written; `word`: in the clock of the write.
    pub(super) fn new(m: &mut Module, before: Node, word: Node) -> Update {
        let bits = m.width(word);
        let parts = bits.div_ceil(MOST_LOADS) as usize;
        let copies = m.delay_reset_copies("writes_value", before, 1 + parts);
        let parts = copies[1..].iter().zip((0..).step_by(MOST_LOADS as usize));
        let parts = parts.map(|(writes, lo)| {
            let part = m.slice(word, lo, MOST_LOADS.min(bits - lo));
            m.gate(*writes, part)
        });
        let parts: Vec<Node> = parts.collect();
        Update {
            writes: copies[0],
            word: lanes::from_lowest(m, &parts),
        }
    }
}

/// A write of the values: what an access makes of one, and what an update writes.
pub(super) fn drive_write(
    m: &mut Module,
    put: &ArrayPutIn,
    value: Node,
    update: Option<&Update>,
    access: Option<(&Access, &Found)>,
) {
    let (writes, word) = changed(m, value, update, access);
    m.drive(put.write, writes);
    m.drive(put.write_word, word);
}

/// Whether the value is written then, and what becomes of it; zeros where nobody writes.
pub(super) fn changed(
    m: &mut Module,
    value: Node,
    update: Option<&Update>,
    access: Option<(&Access, &Found)>,
) -> (Node, Node) {
    let accessed = access.and_then(|(access, found)| {
        let change = access.change.as_ref()?;
        Some((found.writes?, change.word(m, found)))
    });
    let updated = update.map(|update| (update.writes, update.word));
    match (accessed, updated) {
        (Some(accessed), Some(updated)) => (
            m.or(&[accessed.0, updated.0]),
            m.or(&[accessed.1, updated.1]),
        ),
        (one, other) => one.or(other).unwrap_or_else(|| {
            let bits = m.width(value);
            (m.zero(1), m.zero(bits))
        }),
    }
}

/// A request writes values: none is taken in the clock behind. `None`: it may be.
pub(super) fn writes_values(m: &mut Module, request: &RequestIn) -> Option<Node> {
    request.access.as_ref()?.operand.as_ref()?;
    let through = m.bit(request.request_command, THROUGH_BIT);
    let reads = m.eq_const(request.request_command, through_entry::READ.into());
    let not_read = m.not(reads);
    let changes = m.and(&[through, not_read]);
    let updates = m.eq_const(request.request_command, command::UPDATE.into());
    Some(m.or(&[changes, updates]))
}

/// A request is none through an entry. `None`: there are only such.
pub(super) fn is_by_key(m: &mut Module, request: &RequestIn) -> Option<Node> {
    request.access.as_ref()?;
    let through = m.bit(request.request_command, THROUGH_BIT);
    Some(m.not(through))
}

/// What is asked, a clock after it was taken.
struct Asked {
    /// A request through an entry is here.
    through: Node,
    /// Its low bits that number the map's entries.
    entry: Node,
    /// Bytes are read: it means an entry of the map, or looks one up.
    reads: Node,
    /// They are written.
    writes: Node,
}

impl Asked {
    fn new(
        m: &mut Module,
        config: &Served,
        request: &RequestIn,
        access: &RequestAccessIn,
        taken: Node,
    ) -> Asked {
        let slots = config.slots();
        let through_bit = m.bit(request.request_command, THROUGH_BIT);
        let through = m.and(&[taken, through_bit]);
        let reads = m.eq_const(request.request_command, through_entry::READ.into());
        let not_read = m.not(reads);
        let changes = m.and(&[through, not_read]);
        if access.operand.is_none() {
            let only_reads = m.not(changes);
            let message = "this map's entries are only read";
            m.assert("entries_are_only_read", only_reads, message);
        }
        let through = m.delay_reset("is_through_entry", through);
        let changes = m.delay_reset("changes_bytes", changes);
        let updates = m.eq_const(request.request_command, command::UPDATE.into());
        let updates = m.delay("updates", updates);
        let limit = m.constant(slots.into(), 32);
        let inside = m.ult(access.request_entry, limit);
        let inside = m.delay("access_inside", inside);
        let number = m.delay("access_entry", access.request_entry);
        let by_key = m.not(through);
        let means_entry = m.or(&[by_key, inside]);
        let no_update = m.not(updates);
        Asked {
            through,
            entry: m.slice(number, 0, index_bits(slots.into())),
            reads: m.and(&[means_entry, no_update]),
            writes: m.and(&[changes, inside]),
        }
    }
}

/// What a request brings, in its lanes, in the clock of the word.
struct Operand {
    word: Node,
    expected: Node,
}

impl Operand {
    /// After so many clocks.
    fn new(m: &mut Module, place: &Place, operand: &RequestOperandIn, clocks: u32) -> Operand {
        let [word, expected] = [
            ("access_word", operand.request_word),
            ("access_expected", operand.request_expected),
        ]
        .map(|(name, node)| {
            let node = later(m, name, node, clocks);
            turned(m, node, Turn::To, place.first)
        });
        Operand {
            word,
            expected: place.only(m, expected),
        }
    }
}

/// What becomes of the bytes; from registers in the clock behind the word. Of each lane those of the old bits stay that are set in
/// `stays`, and are flipped by those of `flips`. A sum comes last: it is chosen by a bit for each byte that nothing else has to be
/// asked for.
struct Change {
    /// In the clock of the word: bytes are written, and whether only where they are what is expected.
    writes: Node,
    compares: Node,
    expected: Node,
    stays: Node,
    flips: Node,
    /// By byte of the value: it becomes its lane's sum, else what its lane becomes otherwise, or it stays.
    adds: Vec<Node>,
    others: Vec<Node>,
    keeps: Vec<Node>,
    addend: Node,
    /// By lane: the first byte is in it or in a lower one. Of values in which no access goes around `None`.
    begun: Option<Vec<Node>>,
}

impl Change {
    fn new(
        m: &mut Module,
        (place, mask): (&Place, &[Node]),
        (code, writes): (Node, Node),
        operand: Operand,
    ) -> Change {
        let is = |m: &mut Module, command: u32| {
            m.eq_const(code, u64::from(command & ((1 << THROUGH_BIT) - 1)))
        };
        let [ands, ors, xors] = [through_entry::AND, through_entry::OR, through_entry::XOR]
            .map(|command| is(m, command));
        let word = operand.word;
        let zeros = m.not(word);
        let kept = [(ands, word), (ors, zeros)].map(|(is, bits)| m.gate(is, bits));
        let all = m.sext(xors, LANE_BITS);
        let stays = m.or(&[kept[0], kept[1], all]);
        let flipped = m.not(ands);
        let flips = m.gate(flipped, word);
        let around = mask.len() > LANES as usize;
        let begun = place.begun(m);
        // What lies outside the value must not carry into it.
        let addend = gated(m, if around { &begun } else { mask }, word);
        let addend = m.zext(addend, LANE_BITS);
        let adds = is(m, through_entry::ADD);
        let writes_sum = m.and(&[writes, adds]);
        let no_sum = m.not(adds);
        let writes_other = m.and(&[writes, no_sum]);
        let mut by_byte = |name: &str, of: &dyn Fn(&mut Module, Node) -> Node| {
            let bytes = mask.iter().zip(0..);
            let bytes = bytes.map(|(bit, byte)| {
                let bit = of(m, *bit);
                m.delay_reset(format!("{name}_{byte}"), bit)
            });
            bytes.collect::<Vec<Node>>()
        };
        let adds = by_byte("adds", &|m, bit| m.and(&[bit, writes_sum]));
        let others = by_byte("changes", &|m, bit| m.and(&[bit, writes_other]));
        let keeps = by_byte("keeps", &|m, bit| {
            let outside = m.not(bit);
            m.and(&[outside, writes])
        });
        // The last lane is never below the first byte's.
        let begun = &begun[..LANES as usize - 1];
        Change {
            writes,
            compares: is(m, through_entry::COMPARE_EXCHANGE),
            expected: operand.expected,
            stays: m.delay("stays", stays),
            flips: m.delay("flips", flips),
            adds,
            others,
            keeps,
            addend: m.delay("addend", addend),
            begun: around.then(|| {
                let registers = begun.iter().zip(0..);
                registers
                    .map(|(bit, lane)| m.delay(format!("begun_{lane}"), *bit))
                    .collect()
            }),
        }
    }

    /// The value as it is then, where it is written; elsewhere zeros.
    fn word(&self, m: &mut Module, found: &Found) -> Node {
        let sum = self.sum(m, found.lanes);
        let other = self.other(m, found.lanes);
        let bytes = (0..).zip(&self.adds).map(|(byte, adds)| {
            let (place, lane) = (8 * byte, 8 * (byte % LANES));
            let kept = [
                (&self.others, other, lane),
                (&self.keeps, found.value, place),
            ];
            let kept = kept.map(|(when, from, at)| {
                let part = m.slice(from, at, 8);
                m.gate(when[byte as usize], part)
            });
            let kept = m.or(&kept);
            let sum = m.slice(sum, lane, 8);
            let sum = m.gate(*adds, sum);
            m.or(&[sum, kept])
        });
        let bytes: Vec<Node> = bytes.collect();
        lanes::from_lowest(m, &bytes)
    }

    /// The value will be written: all but what is compared and found to be another one. `lanes`: those of the word, in its clock.
    fn writes(&self, m: &mut Module, lanes: Node) -> Node {
        let differs = m.ne(lanes, self.expected);
        let keeps = m.and(&[self.compares, differs]);
        let changes = m.not(keeps);
        m.and(&[self.writes, changes])
    }

    /// What the lanes become without an addition.
    fn other(&self, m: &mut Module, old: Node) -> Node {
        let kept = m.and(&[old, self.stays]);
        m.xor(&[kept, self.flips])
    }

    /// Of old bytes and operand. What an addition flips is the operand.
    fn sum(&self, m: &mut Module, old: Node) -> Node {
        let Some(begun) = &self.begun else {
            return m.add(old, self.addend);
        };
        let [wide_old, wide_addend] = [old, self.addend].map(|lanes| m.zext(lanes, LANE_BITS + 1));
        let sums = m.add(wide_old, wide_addend);
        let carries = m.bit(sums, LANE_BITS);
        // The last lane is never one of the second time.
        let again = LANE_BITS - 8;
        let [old, addend] = [old, self.flips].map(|lanes| m.slice(lanes, 0, again));
        let behind = [m.zero(1), m.one()].map(|carry| {
            // Of two ones below there comes a carry.
            let [old, addend] = [old, addend].map(|lanes| m.concat(&[lanes, carry]));
            let sums = m.add(old, addend);
            m.slice(sums, 1, again)
        });
        let lane = |(begun, lane): (&Node, u32)| {
            let [first, alone, carried] =
                [sums, behind[0], behind[1]].map(|sums| m.slice(sums, 8 * lane, 8));
            let second = m.mux(carries, carried, alone);
            m.mux(*begun, first, second)
        };
        let mut lanes: Vec<Node> = begun.iter().zip(0..).map(lane).collect();
        lanes.push(m.slice(sums, again, 8));
        lanes::from_lowest(m, &lanes)
    }
}
