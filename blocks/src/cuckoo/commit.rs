//! Stage A of the host's slot: what becomes of its operation, and of the key that moves.

use super::lookup::{Found, Memories};
use super::{Cuckoo, CuckooHostIn, CuckooOut, Stash, MOST_MOVES, WAYS};
use crate::answer::{answer_constant, last_answer, Answer, AGAIN, ANSWER_BITS};
use crate::hash::last_empty;
use crate::index_bits;
use crate::interface::command;
use crate::may::UpdateMay;
use crate::one_hot::encode;
use hardpath_rtl::{Module, Node, Reg};

/// Bits of the shift register that chooses among two ways, and its taps (x^7 + x^6 + 1).
const RANDOM_BITS: u32 = 7;
const TAPS: [u32; 2] = [6, 5];
/// Bits of a word that are chosen together.
const CHOSEN_AT_ONCE: u32 = 48;

/// The stage, with what it decides upon.
pub(super) struct Commit<'a> {
    pub(super) config: &'a Cuckoo,
    pub(super) host: &'a CuckooHostIn,
    pub(super) found: &'a Found,
    pub(super) stash: Stash,
    /// The host's slot means the key in the stash.
    pub(super) walking: (Reg, Node),
    /// The value that is put in; its key is the one that was looked up.
    pub(super) value_meant: Node,
}

/// What the host asks for, in the slots in which its own key is meant.
struct Asked {
    update: Node,
    delete: Node,
    /// An update that may not do what it would have to.
    exists_wrongly: Node,
    missing_wrongly: Node,
    may_nothing: Node,
    /// It may.
    allowed: Node,
}

/// Where a key goes that is put in.
struct Target {
    /// There is a free row.
    free: Node,
    /// By way: it goes there.
    at: Vec<Node>,
    /// Somebody else's place: the way's key goes to the stash.
    takes: Node,
}

/// What is done.
struct Deed {
    /// A new key comes.
    insert: Node,
    no_room: Node,
    /// A key is put into a row: the new one, or that of the stash.
    puts: Node,
    /// The value of what was found is written.
    overwrites: Node,
    removes: Node,
    /// The walk goes on in another slot.
    again: Node,
}

impl Commit<'_> {
    /// Writes what is to be written, and gives the outputs.
    pub(super) fn outputs(self, m: &mut Module, memories: &Memories, key_meant: Node) -> CuckooOut {
        m.section("Stage A: the host's operation");
        let here = self.found.host;
        let asked = self.asked(m);
        let (moves, target) = self.target(m);
        let full = self.count_is_full(m);
        let deed = self.deed(m, (&asked, &target), full.1, moves.at_end);
        self.follow_moves(m, moves, &deed, &target);
        self.follow_count(m, full.0, &deed);
        let read = self.read(m, &target);
        self.write(m, memories, (&deed, &target), read);
        let answer = self.answer(m, &asked, &deed);
        let (answer_reg, host_answer) = m.reg("host_answer_reg", ANSWER_BITS);
        m.set_next_when(answer_reg, here, answer);
        let found = self.found;
        let entry = found.entry(m);
        let slot = self.slot(m, entry);
        let key = m.slice(read.0, 0, self.config.key_bits);
        let dumps = m.and(&[here, found.dump.is_meant]);
        CuckooOut {
            hit: found.hit,
            value: found.value,
            entry,
            host_c: here,
            host_answer,
            host_slot_out: m.hold("host_slot_reg", here, slot),
            host_key_out: m.hold("host_key_reg", dumps, key),
            host_value_out: m.hold("host_value_reg", here, found.value),
            key_meant,
        }
    }

    fn asked(&self, m: &mut Module) -> Asked {
        let host = self.host;
        let is = |m: &mut Module, command: u32| m.eq_const(host.host_command, u64::from(command));
        let update = is(m, command::UPDATE);
        let delete = is(m, command::DELETE);
        let may = UpdateMay::of(m, host.host_may);
        let [update, delete, only_create, only_replace, may_nothing] = [
            ("host_updates", update),
            ("host_deletes", delete),
            ("host_only_creates", may.only_create),
            ("host_only_replaces", may.only_replace),
            ("host_may_nothing", may.nothing),
        ]
        .map(|(name, node)| m.delay(name, node));
        let hit = self.found.hit;
        let absent = m.not(hit);
        let exists_wrongly = m.and(&[update, only_create, hit]);
        let missing_wrongly = m.and(&[update, only_replace, absent]);
        let refused = m.or(&[may_nothing, exists_wrongly, missing_wrongly]);
        let may = m.not(refused);
        Asked {
            update,
            delete,
            exists_wrongly,
            missing_wrongly,
            may_nothing: m.and(&[update, may_nothing]),
            allowed: m.and(&[update, may]),
        }
    }

    /// The first free row, else that of one of the two ways from which the key does not come.
    fn target(&self, m: &mut Module) -> (Moves, Target) {
        let moves = Moves::new(m);
        let ways = WAYS as usize;
        let taken = &self.found.taken[..ways];
        let all = m.and(taken);
        let free = m.not(all);
        let (mut at, mut before) = (Vec::new(), Vec::new());
        for (way, own) in taken.iter().enumerate() {
            let empty = m.not(*own);
            let others: Vec<Node> = before.iter().copied().chain([empty]).collect();
            let first = m.and(&others);
            before.push(*own);
            let (one, other) = (moves.from[(way + 1) % ways], moves.from[(way + 2) % ways]);
            let victim = m.mux(moves.random, one, other);
            let victim = m.and(&[all, victim]);
            let here = m.or(&[first, victim]);
            at.push(m.name(here, format!("goes_to_{way}")));
        }
        let target = Target {
            free,
            at,
            takes: all,
        };
        (moves, target)
    }

    fn count_is_full(&self, m: &mut Module) -> ((Reg, Node), Node) {
        let most = u64::from(self.config.max_entries);
        let count = m.reg_reset("count", index_bits(most + 1), 0);
        let full = m.eq_const(count.1, most);
        // From a register: operations are dozens of clocks apart.
        (count, m.delay_reset("full", full))
    }

    fn deed(
        &self,
        m: &mut Module,
        (asked, target): (&Asked, &Target),
        full: Node,
        moves_at_end: Node,
    ) -> Deed {
        let here = self.found.host;
        let hit = self.found.hit;
        let walking = m.and(&[here, self.walking.1]);
        m.name(walking, "moves");
        let own = m.not(self.walking.1);
        let own = m.and(&[here, own]);
        let absent = m.not(hit);
        let no_room = m.or(&[full, self.stash.exists]);
        let room = m.not(no_room);
        let insert = m.and(&[own, asked.allowed, absent, room]);
        m.name(insert, "inserts");
        let overwrites = m.and(&[own, asked.allowed, hit]);
        let removes = m.and(&[own, asked.delete, hit]);
        // The last move takes nobody's place.
        let stays = m.and(&[moves_at_end, target.takes]);
        let may_move = m.not(stays);
        let moves = m.and(&[walking, may_move]);
        let puts = m.or(&[insert, moves]);
        let displaces = m.and(&[puts, target.takes]);
        let in_stash = self.found.at[WAYS as usize];
        let other = m.not(in_stash);
        let resumes = m.and(&[removes, self.stash.exists, other]);
        Deed {
            insert,
            no_room,
            puts: m.name(puts, "puts"),
            overwrites,
            removes,
            again: m.or(&[displaces, resumes]),
        }
    }

    /// Whether the next slot of the host means the stash, and what chooses the way.
    fn follow_moves(&self, m: &mut Module, moves: Moves, deed: &Deed, target: &Target) {
        let here = self.found.host;
        m.set_next_when(self.walking.0, here, deed.again);
        let displaces = m.and(&[deed.puts, target.takes]);
        moves.follow(m, here, deed.again, (displaces, &target.at));
    }

    fn follow_count(&self, m: &mut Module, (register, count): (Reg, Node), deed: &Deed) {
        let more = m.add_const(count, 1);
        let less = m.sub_const(count, 1);
        let next = m.mux(deed.insert, more, less);
        let changes = m.or(&[deed.insert, deed.removes]);
        m.set_next_when(register, changes, next);
    }

    /// What stands in the place that is dumped, or that is taken: one choice of four for both.
    fn read(&self, m: &mut Module, target: &Target) -> (Node, Node) {
        let found = self.found;
        let (mut words, mut values): (Vec<Node>, Vec<Node>) = found.words.iter().copied().unzip();
        words.push(m.concat(&[self.stash.exists, self.stash.key]));
        values.push(self.stash.value);
        let taken = encode(m, &target.at);
        let place = m.mux(found.dump.is_meant, found.dump.place, taken);
        m.name(place, "place_read");
        (
            one_of_four(m, &words, place),
            one_of_four(m, &values, place),
        )
    }

    fn write(
        &self,
        m: &mut Module,
        memories: &Memories,
        (deed, target): (&Deed, &Target),
        (victim, victim_value): (Node, Node),
    ) {
        let found = self.found;
        let clear = self.host.clear;
        let kept = m.not(clear);
        let stays = m.not(deed.removes);
        let exists = m.and(&[kept, stays]);
        let word = m.concat(&[exists, found.key]);
        let changes = m.or(&[deed.overwrites, deed.removes]);
        for way in 0..WAYS as usize {
            let puts = m.and(&[deed.puts, target.at[way]]);
            let changes = m.and(&[changes, found.at[way]]);
            let enable = m.or(&[puts, changes, clear]);
            let row = m.mux(clear, self.host.clear_index, found.rows[way]);
            memories.write(m, way, row, (word, self.value_meant), enable);
        }
        // The stash takes the key whose place is taken; of one that leaves nothing counts but that it does.
        let in_stash = found.at[WAYS as usize];
        let displaces = m.and(&[deed.puts, target.takes]);
        let leaves = m.and(&[deed.puts, self.walking.1, target.free]);
        let removed = m.and(&[deed.removes, in_stash]);
        let overwritten = m.and(&[deed.overwrites, in_stash]);
        let changes = m.or(&[displaces, leaves, removed, clear]);
        let exists = m.and(&[displaces, kept]);
        let key = m.slice(victim, 0, self.config.key_bits);
        let word = m.concat(&[exists, key]);
        let value = m.mux(displaces, victim_value, self.value_meant);
        let changes_value = m.or(&[displaces, overwritten, clear]);
        self.stash.write(m, (word, changes), (value, changes_value));
    }

    fn answer(&self, m: &mut Module, asked: &Asked, deed: &Deed) -> Node {
        let hit = self.found.hit;
        let absent = m.not(hit);
        let not_update = m.not(asked.update);
        let missed = m.and(&[not_update, absent]);
        let missing = m.or(&[missed, asked.missing_wrongly]);
        let full = m.and(&[asked.allowed, absent, deed.no_room]);
        let behind = m.not(self.found.dump.in_range);
        let bad_index = m.and(&[self.found.dump.is_meant, behind]);
        let of_own = last_answer(
            m,
            &[
                (missing, Answer::Missing),
                (full, Answer::Full),
                (asked.exists_wrongly, Answer::Exists),
                (asked.may_nothing, Answer::Refused),
                (bad_index, Answer::BadIndex),
            ],
        );
        let done = answer_constant(m, Answer::Done);
        let answer = m.mux(self.walking.1, done, of_own);
        let again = m.constant(AGAIN, ANSWER_BITS);
        let again = m.comment(again, "AGAIN");
        m.mux(deed.again, again, answer)
    }

    /// The slot of an entry, or of the last place that a dump in vain finds empty.
    fn slot(&self, m: &mut Module, entry: Node) -> Node {
        let found = self.found;
        let row_bits = Cuckoo::row_bits(self.config.max_entries);
        let place = m.slice(entry, row_bits, m.width(entry) - row_bits);
        // A dump means the same row in all ways.
        let of_dump = found.rows[0];
        let mut taken = found.taken.clone();
        let stash = &mut taken[WAYS as usize];
        *stash = m.and(&[*stash, found.dump.is_first]);
        let empty = last_empty(m, found.dump.place, &taken);
        let absent = m.not(found.hit);
        let in_vain = m.and(&[found.dump.is_meant, absent]);
        let place = m.mux(in_vain, empty, place);
        let row = m.slice(entry, 0, row_bits);
        let row = m.mux(found.dump.is_meant, of_dump, row);
        m.concat(&[row, place])
    }
}

/// The word of that number. A bit of it is one LUT of six inputs, but only while both first choices have the same copy of the number's bit
/// (many bits have several, [`hardpath_rtl::spread`]): so [`CHOSEN_AT_ONCE`] bits of them are one choice.
fn one_of_four(m: &mut Module, words: &[Node], number: Node) -> Node {
    let (low, high) = (m.bit(number, 0), m.bit(number, 1));
    let width = m.width(words[0]);
    let mut parts = Vec::new();
    for from in (0..width).step_by(CHOSEN_AT_ONCE as usize) {
        let bits = CHOSEN_AT_ONCE.min(width - from);
        let parts_of_words: Vec<Node> = words.iter().map(|w| m.slice(*w, from, bits)).collect();
        let even = m.concat(&[parts_of_words[2], parts_of_words[0]]);
        let odd = m.concat(&[parts_of_words[3], parts_of_words[1]]);
        let of_pairs = m.mux(low, odd, even);
        let second = m.slice(of_pairs, bits, bits);
        let first = m.slice(of_pairs, 0, bits);
        parts.push(m.mux(high, second, first));
    }
    parts.reverse();
    m.concat(&parts)
}

/// What chooses where a key moves.
struct Moves {
    /// By way: the key in the stash was there. One of them.
    from: Vec<Node>,
    from_regs: Vec<Reg>,
    /// Which of the two others it goes to.
    random: Node,
    shift: (Reg, Node),
    count: (Reg, Node),
    /// So many keys have moved that no other one may.
    at_end: Node,
}

impl Moves {
    fn new(m: &mut Module) -> Moves {
        let regs: Vec<(Reg, Node)> = (0..WAYS)
            .map(|way| m.reg_reset(format!("from_{way}"), 1, u64::from(way == 0)))
            .collect();
        let shift = m.reg_reset("random", RANDOM_BITS, 1);
        let most = u64::from(MOST_MOVES);
        let count = m.reg_reset("moves_done", index_bits(most + 1), 0);
        Moves {
            from: regs.iter().map(|(_, node)| *node).collect(),
            from_regs: regs.iter().map(|(reg, _)| *reg).collect(),
            random: m.bit(shift.1, 0),
            at_end: m.eq_const(count.1, most),
            shift,
            count,
        }
    }

    fn follow(self, m: &mut Module, here: Node, again: Node, (displaces, at): (Node, &[Node])) {
        for (reg, at) in self.from_regs.iter().zip(at) {
            m.set_next_when(*reg, displaces, *at);
        }
        let taps = TAPS.map(|tap| m.bit(self.shift.1, tap));
        let fed = m.xor(&taps);
        let kept = m.slice(self.shift.1, 0, RANDOM_BITS - 1);
        let next = m.concat(&[kept, fed]);
        m.set_next_when(self.shift.0, here, next);
        let more = m.add_const(self.count.1, 1);
        let next = m.gate(again, more);
        m.set_next_when(self.count.0, here, next);
    }
}
