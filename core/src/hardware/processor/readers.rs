//! Who has read what of which map, and has read it too early.
//!
//! What a packet has read comes to a *tag* of a few bits: of the map and a key that it has looked up, or of the map and the number of the
//! entry whose bytes it has loaded. Each thread has a set of them. A change has a tag, too, and whoever has the same one may have read
//! what is changed; one who has not has read nothing of it. Where a thread's set is full, the next tag is not kept, but that there are
//! more: then whatever is changed may be among them.
//!
//! | | a lookup | a load |
//! |---|---|---|
//! | an update or a delete | when the keys may be the same; of tries always | of arrays as a store; of others the lookup speaks for it |
//! | a store or an atomic | never: it changes no key | when the entries may be the same |

use super::requests::Request;
use super::{Processor, Rooms};
use hardpath_blocks::counters::choose;
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_ir::Find;
use hardpath_rtl::{Module, Node};
use hardpath_state::served::through_entry;

/// Bits of a tag.
const TAG_BITS: u32 = 9;
/// Tags of a thread.
const TAGS: u32 = 3;

/// Copies of the tag that is taken: each is compared with those of as many threads.
const TAG_COPIES: usize = 2;

/// What is taken by the maps in this clock.
pub(super) struct Taken {
    /// A request that reads ahead of its turn, of an ordered map; one that changes something, of the oldest packet.
    pub reads: Node,
    pub changes: Node,
    /// Whose it is: a bit for each thread.
    pub thread: Node,
}

/// What comes of it, a bit for each thread.
pub(super) struct Read {
    pub stale: Node,
    pub guesses: Node,
    /// One finds its set full.
    pub overflows: Node,
}

/// `forgets`: a bit for each thread, what its packet has done is forgotten.
pub(super) fn readers(
    m: &mut Module,
    config: &Processor,
    (request, taken): (&Request, &Taken),
    rooms: &Rooms,
    forgets: Node,
) -> Read {
    let threads = config.shape.threads;
    if !config.slots.iter().any(|decl| decl.packets_write) {
        let nobody = m.zero(threads.into());
        let overflows = m.zero(1);
        return Read {
            stale: nobody,
            guesses: nobody,
            overflows,
        };
    }
    let tagged = tagged(m, config, request, rooms);
    let reads = m.and(&[taken.reads, tagged.is_read]);
    let reads = m.delay_reset("ahead_reads", reads);
    let changes = m.and(&[taken.changes, tagged.is_change]);
    let changes = m.delay_reset("order_changes", changes);
    let thread = m.delay("taken_of", taken.thread);
    // Each has many loads: a copy for some of the threads.
    let tags = m.delay_copies("tag_taken", tagged.tag, TAG_COPIES);
    let sets = (0..threads).map(|number| {
        let [this, forgets] = [thread, forgets].map(|all| m.bit(all, number.into()));
        let reads = m.and(&[reads, this]);
        let tag = tags[usize::from(number) % TAG_COPIES];
        let set = Set::new(m, number, (reads, tag), forgets);
        let other = m.not(this);
        let stale = m.and(&[changes, other, set.may_have]);
        (stale, set)
    });
    let sets: Vec<(Node, Set)> = sets.collect();
    let mut bits = |of: fn(&(Node, Set)) -> Node| {
        let bits: Vec<Node> = sets.iter().rev().map(of).collect();
        m.concat(&bits)
    };
    let stale = bits(|(stale, _)| *stale);
    let guesses = bits(|(_, set)| set.has);
    let overflows = bits(|(_, set)| set.overflows);
    Read {
        stale: m.delay_reset("has_read_too_early", stale),
        guesses,
        overflows: m.reduce_or(overflows),
    }
}

/// What a request comes to.
struct Tagged {
    tag: Node,
    /// Of one that reads: it is kept. Of one that changes: it may be what others have read.
    is_read: Node,
    is_change: Node,
}

fn tagged(m: &mut Module, config: &Processor, request: &Request, rooms: &Rooms) -> Tagged {
    let mut of_map = |is: &dyn Fn(usize) -> u64, bits: u32| {
        let all = (0..config.slots.len()).map(|slot| m.constant(is(slot), bits));
        let all: Vec<Node> = all.collect();
        choose(m, &all, request.map)
    };
    let find = |slot: usize| config.slots[slot].find;
    let has_indexes = |slot| matches!(find(slot), Find::Array | Find::Slots);
    let written = of_map(&|slot| config.slots[slot].packets_write.into(), 1);
    let indexed = of_map(&|slot| has_indexes(slot).into(), 1);
    // Of tries and the like all keys are one.
    let exact = of_map(&|slot| (find(slot) == Find::Exact).into(), 1);
    let mut seeds = [0, 1].map(|kind| of_map(&|slot| seed(2 * slot as u64 + kind), TAG_BITS));
    let mut is = |code: u32| m.eq_const(request.command, code.into());
    let looks = is(command::LOOKUP);
    let loads = is(through_entry::READ);
    let (updates, deletes) = (is(command::UPDATE), is(command::DELETE));
    let of_keys = m.or(&[updates, deletes]);
    let by_key = m.or(&[of_keys, looks]);
    // A lookup of an index finds it whatever others do, and lookups and loads change nothing in their turn.
    let finds_anyway = m.and(&[looks, indexed]);
    let kept = m.not(finds_anyway);
    let no_change = m.or(&[looks, loads]);
    let change = m.not(no_change);
    let not_indexed = m.not(indexed);
    let is_key = m.and(&[by_key, not_indexed]);
    let key = key_tag(m, config, request, rooms);
    let key = m.gate(exact, key);
    let [index, entry] = [request.key[0], request.entry].map(|all| m.slice(all, 0, TAG_BITS));
    let entry = m.mux(by_key, index, entry);
    for (seed, own) in seeds.iter_mut().zip([key, entry]) {
        *seed = m.xor(&[*seed, own]);
    }
    let [of_key, of_entry] = seeds;
    Tagged {
        tag: m.mux(is_key, of_key, of_entry),
        is_read: m.and(&[written, kept]),
        is_change: m.and(&[written, change]),
    }
}

/// Numbers that look nothing like each other, so that small indexes of several maps are told apart.
fn seed(number: u64) -> u64 {
    (number * 0x2d3) % (1 << TAG_BITS)
}

/// The first bytes of a key, which its tag is made of.
const TAGGED_BYTES: u32 = 16;

/// What the bytes of a key come to that the map in its slot has: others can be anything.
fn key_tag(m: &mut Module, config: &Processor, request: &Request, rooms: &Rooms) -> Node {
    let exact = config.slots.iter().filter(|decl| decl.find == Find::Exact);
    let bytes = exact.map(|decl| decl.key_bytes).max().unwrap_or(1);
    let bytes = bytes.min(TAGGED_BYTES);
    let width = index_bits(u64::from(bytes) + 1);
    let counts = rooms.key_bytes.iter().map(|bytes| m.resize(*bytes, width));
    let counts: Vec<Node> = counts.collect();
    let used = choose(m, &counts, request.map);
    let words: Vec<Node> = request.key.iter().rev().copied().collect();
    let key = m.concat(&words);
    let kept = (0..bytes).rev().map(|number| {
        let byte = m.slice(key, 8 * number, 8);
        let number = m.constant(number.into(), m.width(used));
        let counts = m.ult(number, used);
        m.gate(counts, byte)
    });
    let kept: Vec<Node> = kept.collect();
    let key = m.concat(&kept);
    let parts = bytes * 8 / TAG_BITS + 1;
    let key = m.zext(key, parts * TAG_BITS);
    let parts = (0..parts).map(|part| m.slice(key, part * TAG_BITS, TAG_BITS));
    let parts: Vec<Node> = parts.collect();
    m.xor(&parts)
}

/// What a thread has read.
struct Set {
    /// Something.
    has: Node,
    /// What has this tag may be among it.
    may_have: Node,
    /// What is read in this clock finds no place.
    overflows: Node,
}

impl Set {
    /// `reads`: it reads what has this tag.
    fn new(m: &mut Module, number: u8, (reads, tag): (Node, Node), forgets: Node) -> Set {
        let stays = m.not(forgets);
        let mut known = Vec::new();
        let mut regs = Vec::new();
        for place in 0..TAGS {
            let (there_reg, there) = m.reg_reset(format!("has_{place}_{number}"), 1, 0);
            let (tag_reg, kept) = m.reg(format!("tag_{place}_{number}"), TAG_BITS);
            let same = m.eq(kept, tag);
            known.push(m.and(&[there, same]));
            regs.push((there_reg, there, tag_reg));
        }
        let is_known = m.or(&known);
        let is_new = m.not(is_known);
        let comes = m.and(&[reads, is_new, stays]);
        // Places are taken one behind the other.
        let mut before = m.one();
        for (there_reg, there, tag_reg) in &regs {
            let empty = m.not(*there);
            let takes = m.and(&[comes, before, empty]);
            m.set_next_when(*tag_reg, takes, tag);
            let both = m.or(&[*there, takes]);
            let next = m.and(&[both, stays]);
            m.set_next(*there_reg, next);
            before = *there;
        }
        let full = before;
        let (more_reg, more) = m.reg_reset(format!("has_more_{number}"), 1, 0);
        let finds_none = m.and(&[comes, full]);
        // Nobody reads in the clock in which its packet goes; if one did, it would count.
        let meanwhile = m.and(&[reads, forgets]);
        let kept = m.and(&[more, stays]);
        let next = m.or(&[kept, finds_none, meanwhile]);
        m.set_next(more_reg, next);
        Set {
            has: m.or(&[regs[0].1, more]),
            may_have: m.or(&[is_known, more]),
            overflows: finds_none,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Machine;
    use hardpath_rtl::{verilog, Design};
    use hardpath_testkit::claim::Claim;

    /// The comparison for one map of two threads, as a block.
    fn block(map: &str, key_bits: u32) -> String {
        let text = format!(
            "program \"p\" structured\n\noutput \"verdict\" 3\n\n{map}\n\nblock0:\n    v0:{key_bits} = const 0\n    v1:64 = const 1\n    \
             v2:1, v3:32 = map.lookup @m v0\n    v6:2 = const 3\n    v7:3 = map.update @m v0, v1, v6\n    v8:3 = const 2\n    \
             v9:1 = const 1\n    emit v9 with v8\n"
        );
        let program = hardpath_ir::parse::parse(&text).expect("a program");
        let mut config = Processor::new("p", &Machine::with_lanes(4), 2);
        config.slots = program.maps.values().cloned().collect();
        config.slots[0].packets_write = true;
        let mut m = Module::new("block", "Who has read too early.");
        let zero = m.zero(1);
        let request = Request {
            valid: zero,
            map: zero,
            command: m.input("command", 4, ""),
            may: m.zero(2),
            key: vec![m.input("key", 64, "")],
            value: vec![m.zero(64)],
            entry: m.input("entry", 32, ""),
            offset: m.zero(32),
            bytes: m.zero(4),
            word: m.zero(64),
        };
        let taken = Taken {
            reads: m.input("reads", 1, ""),
            changes: m.input("changes", 1, ""),
            thread: m.input("of", 2, ""),
        };
        let forgets = m.input("forgets", 2, "");
        let rooms = Rooms {
            key_bytes: vec![m.input("key_bytes", 4, "")],
            most: vec![m.zero(4)],
        };
        let read = readers(&mut m, &config, (&request, &taken), &rooms, forgets);
        m.output("stale", read.stale, "");
        m.output("guesses", read.guesses, "");
        let mut design = Design::new();
        let id = design.add(m);
        verilog::print_module(&design, id)
    }

    /// Who has read more than there are places for is told nothing of the rest; places hold what they held before; a tag is not seen.
    const MANY: (&str, &str) = ("|| (ahead_reads_and_and && has_2_0)", "");
    const NOT_KNOWN: (&str, &str) = (
        "has_1_0 && tag_1_0 == tag_taken",
        "has_1_0 && tag_0_0 == tag_taken",
    );

    fn holds(name: &str, (map, key_bits): (&str, u32), values: u32, mistakes: &[(&str, &str)]) {
        let parameters = format!(
            "-set VALUES {values} -set LOOKUP {} -set UPDATE {} -set DELETE {} -set READ {}",
            command::LOOKUP,
            command::UPDATE,
            command::DELETE,
            through_entry::READ
        );
        let place = std::env::temp_dir().join(format!("hardpath-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        Claim {
            name,
            block: block(map, key_bits),
            harness: include_str!("readers.sv"),
            parameters: &parameters,
            clocks: 11,
            mistakes,
        }
        .holds(&place);
        std::fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn whoever_has_looked_up_what_is_changed_is_told() {
        holds(
            "keys",
            ("map @m exact key 8 value 8 entries 8 as \"hash\"", 64),
            0,
            &[
                MANY,
                NOT_KNOWN,
                // What stands above the key counts.
                ("{8{4'd4 < key_bytes}} & key[39:32]", "key[39:32]"),
            ],
        );
    }

    #[test]
    fn whoever_has_loaded_what_is_changed_is_told() {
        holds(
            "entries",
            ("map @m array key 4 value 8 entries 8 as \"array\"", 32),
            1,
            &[MANY, NOT_KNOWN],
        );
    }
}
