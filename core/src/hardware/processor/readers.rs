//! Who has read what of which map, and has read it too early.
//!
//! Of each thread and map two numbers of 8 bits are kept: what the key came to that it has looked up, and the number of the entry whose
//! bytes it has loaded. A change with the same number may be of the same key or entry, and one with another number is of none. A
//! thread that has read several keeps that it has, and whatever is changed may be among them.
//!
//! | | a lookup | a load |
//! |---|---|---|
//! | an update or a delete | when the keys may be the same; of tries always | of arrays as a store; of others the lookup speaks for it |
//! | a store or an atomic | never: it changes no key | when the entries may be the same |

use super::requests::Request;
use super::Processor;
use hardpath_blocks::interface::command;
use hardpath_ir::{Find, MapDecl};
use hardpath_rtl::{Module, Node};
use hardpath_state::served::through_entry;

/// Bits of a tag.
const TAG_BITS: u32 = 8;

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
}

/// `forgets`: a bit for each thread, what its packet has done is forgotten.
pub(super) fn readers(
    m: &mut Module,
    config: &Processor,
    (request, taken): (&Request, &Taken),
    forgets: Node,
) -> Read {
    let threads = u32::from(config.shape.threads);
    let reads = m.delay_reset("ahead_reads", taken.reads);
    let changes = m.delay_reset("order_changes", taken.changes);
    let thread = m.delay("taken_of", taken.thread);
    let mut is = |name: &str, code: u32| {
        let same = m.eq_const(request.command, code.into());
        m.delay(name, same)
    };
    let looks = is("read_looks", command::LOOKUP);
    let updates = is("change_updates", command::UPDATE);
    let deletes = is("change_deletes", command::DELETE);
    let loads = is("change_loads", through_entry::READ);
    let of_keys = m.or(&[updates, deletes]);
    // In their turn, too, lookups and loads change nothing that others have read.
    let others = m.or(&[of_keys, looks, loads]);
    let writes = m.not(others);
    let entry = m.slice(request.entry, 0, TAG_BITS);
    let entry = m.delay("entry_tag", entry);
    let others = m.not(thread);
    let (mut stale, mut guesses) = (Vec::new(), Vec::new());
    for (number, decl) in config.slots.iter().enumerate() {
        if !decl.packets_write {
            continue;
        }
        let name = |what: &str| format!("{what}_{number}");
        let mine = m.eq_const(request.map, number as u64);
        let mine = m.delay(name("of_map"), mine);
        let ahead = m.and(&[reads, mine]);
        let changed = m.and(&[changes, mine]);
        let key = key_tag(m, decl, &request.key);
        let key = m.delay(name("key_tag"), key);
        let tags = |m: &mut Module, what: &str, on: Node, tag: Node| {
            Tags::new(m, &name(what), threads, (on, thread, tag), forgets)
        };
        let not_looks = m.not(looks);
        let by_entry = m.and(&[ahead, not_looks]);
        let loaded = tags(m, "loaded", by_entry, entry);
        let of_values = m.and(&[changed, writes]);
        let mut all = vec![loaded.meets(m, of_values, Some(entry))];
        let of_keys = m.and(&[changed, of_keys]);
        match decl.find {
            Find::Array | Find::Slots => all.push(loaded.meets(m, of_keys, Some(key))),
            find => {
                let by_key = m.and(&[ahead, looks]);
                let looked = tags(m, "looked_up", by_key, key);
                let tag = (find == Find::Exact).then_some(key);
                all.push(looked.meets(m, of_keys, tag));
                guesses.push(looked.has());
            }
        }
        guesses.push(loaded.has());
        let all = m.or(&all);
        stale.push(m.and(&[all, others]));
    }
    if stale.is_empty() {
        let nobody = m.zero(threads);
        return Read {
            stale: nobody,
            guesses: nobody,
        };
    }
    let stale = m.or(&stale);
    Read {
        stale: m.delay_reset("has_read_too_early", stale),
        guesses: m.or(&guesses),
    }
}

/// What a key comes to: of an index its low bits.
fn key_tag(m: &mut Module, decl: &MapDecl, words: &[Node]) -> Node {
    let bits = decl.key_bytes * 8;
    let used = words.iter().take(bits.div_ceil(64) as usize).rev();
    let used: Vec<Node> = used.copied().collect();
    let key = m.concat(&used);
    let key = m.resize(key, bits);
    match decl.find {
        Find::Array | Find::Slots => m.slice(key, 0, TAG_BITS),
        _ => {
            let parts = (0..bits / TAG_BITS).map(|part| m.slice(key, part * TAG_BITS, TAG_BITS));
            let parts: Vec<Node> = parts.collect();
            m.xor(&parts)
        }
    }
}

/// What threads have read, by what it came to.
struct Tags {
    /// Of each thread: it has read, it has read several, and what the first one came to.
    threads: Vec<(Node, Node, Node)>,
    has: Node,
}

impl Tags {
    /// `on`: one of `reader` reads this.
    fn new(
        m: &mut Module,
        name: &str,
        threads: u32,
        (on, reader, tag): (Node, Node, Node),
        forgets: Node,
    ) -> Tags {
        let mut all = Vec::new();
        for thread in 0..threads {
            let this = m.bit(reader, thread);
            let comes = m.and(&[on, this]);
            let forgets = m.bit(forgets, thread);
            let stays = m.not(forgets);
            let (has_reg, has) = m.reg_reset(format!("{name}_has_{thread}"), 1, 0);
            let kept = m.and(&[has, stays]);
            let next = m.or(&[kept, comes]);
            m.set_next(has_reg, next);
            let none = m.not(has);
            let takes = m.and(&[comes, none]);
            let first = m.hold(format!("{name}_tag_{thread}"), takes, tag);
            let differs = m.ne(first, tag);
            let (many_reg, many) = m.reg_reset(format!("{name}_many_{thread}"), 1, 0);
            let more = m.and(&[comes, has, differs]);
            let kept = m.and(&[many, stays]);
            let next = m.or(&[kept, more]);
            m.set_next(many_reg, next);
            all.push((has, many, first));
        }
        let bits: Vec<Node> = all.iter().rev().map(|(has, ..)| *has).collect();
        Tags {
            has: m.concat(&bits),
            threads: all,
        }
    }

    fn has(&self) -> Node {
        self.has
    }

    /// The threads that may have read what is changed. Without a tag that is all who have read.
    fn meets(&self, m: &mut Module, on: Node, tag: Option<Node>) -> Node {
        let bits = self
            .threads
            .iter()
            .rev()
            .map(|(has, many, first)| match tag {
                Some(tag) => {
                    let same = m.eq(*first, tag);
                    let may = m.or(&[same, *many]);
                    m.and(&[on, *has, may])
                }
                None => m.and(&[on, *has]),
            });
        let bits: Vec<Node> = bits.collect();
        m.concat(&bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Machine;
    use hardpath_rtl::{verilog, Design};
    use hardpath_testkit::claim::Claim;

    /// The comparison for one map of two threads, as a block.
    fn block(map: &str) -> String {
        let text = format!(
            "program \"p\" structured\n\noutput \"verdict\" 3\n\n{map}\n\nblock0:\n    v0:32 = const 0\n    v1:64 = const 1\n    \
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
            expected: m.zero(64),
        };
        let taken = Taken {
            reads: m.input("reads", 1, ""),
            changes: m.input("changes", 1, ""),
            thread: m.input("of", 2, ""),
        };
        let forgets = m.input("forgets", 2, "");
        let read = readers(&mut m, &config, (&request, &taken), forgets);
        m.output("stale", read.stale, "");
        m.output("guesses", read.guesses, "");
        let mut design = Design::new();
        let id = design.add(m);
        verilog::print_module(&design, id)
    }

    fn holds(name: &str, map: &str, values: u32, mistakes: &[(&str, &str)]) {
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
            block: block(map),
            harness: include_str!("readers.sv"),
            parameters: &parameters,
            clocks: 9,
            mistakes,
        }
        .holds(&place);
        std::fs::remove_dir_all(&place).unwrap();
    }

    #[test]
    fn whoever_has_looked_up_what_is_changed_is_told() {
        holds(
            "keys",
            "map @m exact key 4 value 8 entries 8 as \"hash\"",
            0,
            &[
                // Several keys are kept as one.
                (
                    "(looked_up_0_tag_0 == key_tag_0 || looked_up_0_many_0)",
                    "looked_up_0_tag_0 == key_tag_0",
                ),
                (
                    "(looked_up_0_tag_0 == key_tag_0 || looked_up_0_many_0)",
                    "looked_up_0_many_0",
                ),
                ("change_updates || change_deletes", "change_updates"),
            ],
        );
    }

    #[test]
    fn whoever_has_loaded_what_is_changed_is_told() {
        holds(
            "entries",
            "map @m array key 4 value 8 entries 8 as \"array\"",
            1,
            &[
                (
                    "(loaded_0_tag_0 == entry_tag || loaded_0_many_0)",
                    "loaded_0_tag_0 == entry_tag",
                ),
                (
                    "(loaded_0_tag_0 == entry_tag || loaded_0_many_0)",
                    "loaded_0_many_0",
                ),
                (
                    "!(change_updates_or || read_looks || change_loads)",
                    "!(change_updates_or || read_looks || change_loads || entry_tag[0])",
                ),
            ],
        );
    }
}
