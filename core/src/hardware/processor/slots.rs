//! The maps of a core, each behind the ports of [`hardpath_state::served`].

use super::keeps::HELD;
use super::requests::{HostAsksIn, Request, RequestsIn};
use super::Processor;
use crate::long::in_parts;
use hardpath_blocks::answer::ANSWER_BITS;
use hardpath_blocks::array::Presence;
use hardpath_blocks::host::{LongIn, MapAnswer, LONG_CLOCKS};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::{command, JournalOut};
use hardpath_ir::MapDecl;
use hardpath_rtl::{Design, Module, Node};
use hardpath_state::served::{
    served, BoundsIn, Entries, HostIn, Kind, RequestAccessIn, RequestIn, RequestOperandIn, Served,
    ServedIn, ServedOut, ROW_CLOCKS,
};
use hardpath_state::sizes;

/// What the maps say.
pub(super) struct Slot {
    /// The request is taken.
    pub accepted: Node,
    /// The map whose answer is next has it.
    pub responds: Node,
    pub answer: Node,
    pub entry: Node,
    pub word: Node,
    /// A bit for each slot: its map is swept.
    pub swept: Node,
    pub host: Option<MapAnswer>,
    /// With [`Processor::long`].
    pub long: Option<LongIn>,
    /// Of LRU maps, where they are kept, by name.
    pub journals: Vec<(String, JournalOut)>,
}

/// A map: what it says, that the request is for it, and that its answer is next.
type Unit = (ServedOut, Node, Node);

/// What a slot is told of the map that stands in it.
struct Room {
    key_bytes: Node,
    most: Node,
    clears: Node,
}

pub(super) struct Slots<'a> {
    pub m: &'a mut Module,
    pub config: &'a Processor,
    pub design: &'a mut Design,
}

/// A map's name as it stands in the names of modules and ports.
pub(super) fn identifier(name: &str) -> String {
    let letters = name.chars();
    let letters = letters.map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    letters.collect()
}

/// What stands behind a map's ports.
pub(super) fn config_of(processor: &Processor, number: usize, decl: &MapDecl) -> Served {
    let name = identifier(&decl.name);
    let name = format!("{}_map_{number}_{name}", processor.name);
    let own = Served::of(name, decl);
    Served {
        kind: match own.kind {
            Kind::Array(Presence::Always) if in_parts(decl) => Kind::Folded,
            kind => kind,
        },
        bounded: true,
        holds: if decl.forgets { HELD } else { 0 },
        journal: decl.forgets && processor.journal,
        ..own
    }
}

/// What its instance is called.
pub(super) fn instance(processor: &Processor, config: &Served) -> String {
    config.name[processor.name.len() + 1..].to_string()
}

impl Slots<'_> {
    /// `taken`: whoever wants the next answer takes it. `map`: whose it is. `may_go`: there is room for an answer.
    pub fn place(
        mut self,
        request: &Request,
        inputs: &RequestsIn,
        (taken, map): (Node, Node),
        may_go: Node,
    ) -> Slot {
        let host = inputs.host.as_ref();
        let mut units = Vec::new();
        for (number, decl) in self.config.slots.iter().enumerate() {
            let mine = self.m.eq_const(request.map, number as u64);
            let valid = self.m.and(&[request.valid, mine, may_go]);
            let next = self.m.eq_const(map, number as u64);
            let takes = self.m.and(&[taken, next]);
            let meant = self.meant(number, host);
            let goes = (valid, takes, inputs.leaves);
            let room = Room {
                key_bytes: inputs.rooms.key_bytes[number],
                most: inputs.rooms.most[number],
                clears: self.m.bit(inputs.clears, number as u32),
            };
            let out = self.unit((number, decl), request, goes, room, host.zip(meant));
            units.push((out, valid, next));
        }
        let m = &mut *self.m;
        let mut any = |of: &dyn Fn(&mut Module, &Unit) -> Node| {
            let all: Vec<Node> = units.iter().map(|unit| of(m, unit)).collect();
            m.or(&all)
        };
        let accepted = any(&|m, (out, valid, _)| m.and(&[out.request_ready, *valid]));
        let responds = any(&|m, (out, _, next)| m.and(&[out.response.response_valid, *next]));
        let answer = any(&|m, (out, _, next)| m.gate(*next, out.response.response_answer));
        let access = |out: &ServedOut| {
            let access = out.response.access.as_ref();
            access.expect("entries are accessed").clone()
        };
        let word = any(&|m, (out, _, next)| m.gate(*next, access(out).response_word));
        let slots = self.config.slots.iter().zip(&units);
        let entry = slots.map(|(decl, (out, _, next))| {
            let bits = index_bits(sizes::slots(decl).into());
            let entry = m.slice(access(out).response_entry, 0, bits);
            let entry = m.gate(*next, entry);
            m.zext(entry, 32)
        });
        let entry: Vec<Node> = entry.collect();
        let entry = m.or(&entry);
        let swept = units.iter().rev();
        let swept = swept.map(|(out, ..)| out.swept.expect("maps are cleared"));
        let swept: Vec<Node> = swept.collect();
        let swept = m.concat(&swept);
        let told = self.config.slots.iter().enumerate().zip(&units);
        let journals = told.filter_map(|((number, _), (out, ..))| {
            Some((self.config.journal_label(number), out.journal.clone()?))
        });
        let journals = journals.collect();
        let host = host.map(|host| self.host(host, &units));
        let long = self.long(&units);
        Slot {
            accepted,
            responds,
            answer,
            entry,
            word,
            swept,
            host,
            long,
            journals,
        }
    }

    fn meant(&mut self, number: usize, host: Option<&HostAsksIn>) -> Option<Node> {
        let host = host?;
        let meant = self.m.eq_const(host.question.map_select, number as u64);
        Some(self.m.and(&[meant, host.host_inject]))
    }

    fn unit(
        &mut self,
        (number, decl): (usize, &MapDecl),
        request: &Request,
        (valid, takes, leaves): (Node, Node, Node),
        room: Room,
        host: Option<(&HostAsksIn, Node)>,
    ) -> ServedOut {
        let config = config_of(self.config, number, decl);
        let m = &mut *self.m;
        let words = |m: &mut Module, words: &[Node], bits: u32| {
            let used = words.iter().take(bits.div_ceil(64) as usize).rev();
            let used: Vec<Node> = used.copied().collect();
            let all = m.concat(&used);
            m.resize(all, bits)
        };
        let key = words(m, &request.key, config.key_bits);
        let whole = config.kind != Kind::Folded;
        let value = whole.then(|| words(m, &request.value, config.value_bits));
        let operand = RequestOperandIn {
            request_word: request.word,
            // Word 0 of the value buffer: what is added or exchanged stands in an operand.
            request_expected: request.value[0],
        };
        let access = RequestAccessIn {
            request_entry: request.entry,
            request_offset: request.offset,
            request_bytes: request.bytes,
            operand: (config.entries == Entries::Written).then_some(operand),
        };
        let (question, start) = match host {
            Some((host, start)) => (&host.question, start),
            None => unreachable!("maps have a host port"),
        };
        let host_key = m.slice(question.host_key, 0, config.key_bits);
        let host_value = whole.then(|| m.slice(question.host_value, 0, config.value_bits));
        let inputs = ServedIn {
            request: RequestIn {
                request_valid: valid,
                request_command: request.command,
                request_may: request.may,
                request_key: key,
                request_value: value,
                access: Some(access),
            },
            response_ready: takes,
            host: HostIn {
                host_start: start,
                host_command: question.host_command,
                host_may: question.host_may,
                host_slot: question.host_slot,
                host_key,
                host_value,
                long_bytes: host
                    .filter(|_| !whole)
                    .and_then(|(host, _)| host.long_bytes),
            },
            bounds: config.has_bounds().then_some(BoundsIn {
                key_bytes: room.key_bytes,
                most: room.most,
            }),
            clears: Some(room.clears),
            releases: (config.holds > 0).then_some(leaves),
        };
        let instance = instance(self.config, &config);
        let block = served(self.design, &config);
        block.place(self.design, self.m, instance, inputs).out
    }

    /// What a map does to the long value of the host's operation. A register more on the way makes up the clocks that the maps count with.
    fn long(&mut self, units: &[Unit]) -> Option<LongIn> {
        const { assert!(ROW_CLOCKS == LONG_CLOCKS + 1) };
        let long = self.config.long()?;
        let m = &mut *self.m;
        let told = units.iter().filter_map(|(out, ..)| out.host.long.as_ref());
        let told: Vec<&LongIn> = told.collect();
        let mut parts = |name: &str, of: &dyn Fn(&mut Module, &LongIn) -> Node| {
            let all: Vec<Node> = told.iter().map(|told| of(m, told)).collect();
            let any = m.or(&all);
            match m.width(any) {
                1 => m.delay_reset(name, any),
                _ => m.delay(name, any),
            }
        };
        Some(LongIn {
            long_row: parts("long_row", &|m, told| {
                m.resize(told.long_row, long.row_bits())
            }),
            long_gives: parts("long_gives", &|_, told| told.long_gives),
            long_given: parts("long_given", &|m, told| {
                m.gate(told.long_gives, told.long_given)
            }),
        })
    }

    /// What an operation gave.
    fn host(&mut self, host: &HostAsksIn, units: &[Unit]) -> MapAnswer {
        let m = &mut *self.m;
        let (key_bits, value_bits) = self.config.host_bits();
        let widths = [(0, ANSWER_BITS), (1, value_bits), (2, key_bits)];
        let done: Vec<Node> = units.iter().map(|(out, ..)| out.host.host_done).collect();
        let asked = (0..units.len() as u64).map(|number| {
            let asked = m.eq_const(host.question.map_select, number);
            m.name(asked, format!("host_asks_{number}"))
        });
        let asked: Vec<Node> = asked.collect();
        let parts = widths.map(|(which, bits)| {
            let all = units.iter().zip(&asked).map(|((out, ..), asked)| {
                let node = match which {
                    0 => out.host.host_answer,
                    1 => out.host.host_value_out?,
                    _ => out.host.host_key_out,
                };
                let node = m.resize(node, bits);
                Some(m.gate(*asked, node))
            });
            let all: Vec<Node> = all.flatten().collect();
            match all.is_empty() {
                true => m.zero(bits),
                false => m.or(&all),
            }
        });
        let dumps = m.eq_const(host.question.host_command, command::DUMP.into());
        let first = m.slice(host.question.host_key, 0, 32);
        let slot = m.mux(dumps, host.question.host_slot, first);
        MapAnswer {
            map_done: m.or(&done),
            map_answer: parts[0],
            map_value: parts[1],
            map_key: parts[2],
            map_slot: m.slice(slot, 0, self.config.slot_bits()),
        }
    }
}
