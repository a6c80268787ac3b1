//! The commit stage: which port commits, what is asked of the table, and what comes of it.

use super::evict::{Ranked, Victim};
use super::foreign::{Foreign, Outcome};
use super::forward::Found;
use super::held::{held, PacketSlots};
use super::lookup::Lane;
use super::places::{decode, emptiest, row_of_place, Emptiest};
use super::{Hash, HashHostIn, HashKeyIn, SLOTS, WAYS};
use crate::index_bits;
use crate::interface::command;
use crate::may::UpdateMay;
use crate::one_hot::encode;
use hardpath_rtl::{Module, Node, Reg};

/// A port at its commit stage.
#[derive(Clone)]
pub(super) struct Ready {
    /// Which of its slots a new key goes to.
    pub(super) emptiest: Emptiest,
    pub(super) found: Found,
    pub(super) rows: Node,
    pub(super) key: Node,
    pub(super) host: Node,
    /// Only in a table that evicts.
    pub(super) candidates: Option<Candidates>,
}

/// Whose place a new key can take.
#[derive(Clone)]
pub(super) struct Candidates {
    pub(super) victim: Victim,
    pub(super) ranked: Ranked,
    /// A packet looks the port's key up.
    pub(super) uses: Node,
}

/// The ports in their commit stages. `kept`: places of the only port's key that are held ([`super::holds`]); else none.
pub(super) fn ready(
    m: &mut Module,
    lanes: &[Lane],
    keys: &[HashKeyIn],
    kept: Vec<Node>,
) -> Vec<Ready> {
    let slots: Vec<&PacketSlots> = lanes.iter().map(|lane| &lane.slots).collect();
    let mut all = Vec::new();
    for (number, lane) in lanes.iter().enumerate() {
        let state = &lane.state;
        let emptiest = emptiest(m, &state.taken);
        let candidates = state.ranked.as_ref().map(|ranked| {
            let held = match slots.len() {
                1 => kept.clone(),
                _ => held(m, &slots, number),
            };
            Candidates {
                victim: ranked.victim(m, &state.taken, &held),
                ranked: ranked.clone(),
                uses: keys[number].uses.expect("of a table that evicts"),
            }
        });
        all.push(Ready {
            emptiest,
            found: state.found,
            rows: state.rows,
            key: state.key,
            host: state.host,
            candidates,
        });
    }
    all
}

/// The port that commits in this clock.
pub(super) fn active(m: &mut Module, turns: &[Option<Node>], waiting: &[Ready]) -> Ready {
    let mut all = waiting[0].clone();
    for (own, port) in turns.iter().zip(waiting).skip(1) {
        let Some(own) = *own else {
            continue;
        };
        let at = choose_all(m, own, &port.emptiest.at, &all.emptiest.at);
        let mut choose = |name: &str, mine: Node, other: Node| {
            let chosen = m.mux(own, mine, other);
            m.name(chosen, format!("{name}_to_commit"))
        };
        all = Ready {
            emptiest: Emptiest {
                some: choose("free", port.emptiest.some, all.emptiest.some),
                place: choose("emptiest", port.emptiest.place, all.emptiest.place),
                at,
            },
            found: Found {
                hit: choose("hit", port.found.hit, all.found.hit),
                place: choose("place", port.found.place, all.found.place),
            },
            rows: choose("rows", port.rows, all.rows),
            key: choose("key", port.key, all.key),
            host: all.host,
            candidates: match (&port.candidates, &all.candidates) {
                (Some(mine), Some(other)) => Some(Candidates {
                    victim: Victim {
                        some: choose("victim", mine.victim.some, other.victim.some),
                        at: choose_all(m, own, &mine.victim.at, &other.victim.at),
                    },
                    uses: m.mux(own, mine.uses, other.uses),
                    ranked: mine.ranked.choose(m, own, &other.ranked),
                }),
                _ => None,
            },
        };
    }
    all
}

/// One of two, of several things each.
pub(super) fn choose_all(m: &mut Module, own: Node, mine: &[Node], others: &[Node]) -> Vec<Node> {
    let both = mine.iter().zip(others);
    both.map(|(mine, other)| m.mux(own, *mine, *other))
        .collect()
}

/// What is asked for, by the packet of the port that commits or by the host.
pub(super) struct Request {
    pub(super) update: Node,
    only_create: Node,
    only_replace: Node,
    pub(super) may_nothing: Node,
    pub(super) delete: Node,
}

impl Request {
    /// `host`: the slot is the host's. An operation on a foreign key asks for nothing here.
    pub(super) fn new(
        m: &mut Module,
        config: &Hash,
        keys: &[HashKeyIn],
        (registers, foreign): (&HashHostIn, Option<&Foreign>),
        host: Node,
    ) -> Request {
        let of_host = Request::of_host(m, registers, foreign);
        let pick = |m: &mut Module, of_host: Node, programs: Vec<Node>| match programs.as_slice() {
            [] => m.and(&[host, of_host]),
            programs => {
                let program = m.or(programs);
                match m.as_const(program) {
                    Some([0]) => m.and(&[host, of_host]),
                    Some(_) => {
                        let packet = m.not(host);
                        m.or(&[packet, of_host])
                    }
                    None => m.mux(host, of_host, program),
                }
            }
        };
        let updates = updates(m, config, keys);
        let update = updates.iter().map(|(update, _)| *update).collect();
        let update = pick(m, of_host.update, update);
        let only_create = of_updates(m, &updates, |may| may.only_create);
        let only_create = pick(m, of_host.only_create, only_create);
        let only_replace = of_updates(m, &updates, |may| may.only_replace);
        let only_replace = pick(m, of_host.only_replace, only_replace);
        let may_nothing = of_updates(m, &updates, |may| may.nothing);
        let may_nothing = pick(m, of_host.may_nothing, may_nothing);
        let removals = keys.iter().filter_map(|port| port.remove).collect();
        let delete = pick(m, of_host.delete, removals);
        Request {
            update: m.name(update, "updates"),
            only_create,
            only_replace,
            may_nothing,
            delete: m.name(delete, "deletes"),
        }
    }

    /// What the host's registers say, in registers of their own: they stand still long before the operation arrives.
    fn of_host(m: &mut Module, host: &HashHostIn, foreign: Option<&Foreign>) -> Request {
        let mut update = m.eq_const(host.host_command, u64::from(command::UPDATE));
        let mut delete = m.eq_const(host.host_command, u64::from(command::DELETE));
        if let Some(foreign) = foreign {
            update = m.and(&[update, foreign.is_own]);
            delete = m.and(&[delete, foreign.is_own]);
        }
        let may = UpdateMay::of(m, host.host_may);
        let update = m.delay("host_updates", update);
        let delete = m.delay("host_deletes", delete);
        Request {
            update,
            delete,
            only_create: m.delay("host_only_creates", may.only_create),
            only_replace: m.delay("host_only_replaces", may.only_replace),
            may_nothing: m.delay("host_may_nothing", may.nothing),
        }
    }
}

/// Of all ports that update: whether one does, and what it may do.
fn updates(m: &mut Module, config: &Hash, keys: &[HashKeyIn]) -> Vec<(Node, UpdateMay)> {
    let mut all = Vec::new();
    for (port, key) in config.ports.iter().zip(keys) {
        let Some(update) = &key.update else {
            continue;
        };
        let may = match &update.may {
            Some(given) => UpdateMay {
                only_create: given.only_create,
                only_replace: given.only_replace,
                nothing: given.may_nothing,
            },
            None => UpdateMay::known(m, port.may.expect("else it is given")),
        };
        all.push((update.update, may));
    }
    all
}

/// A flag of all ports that update.
fn of_updates(
    m: &mut Module,
    updates: &[(Node, UpdateMay)],
    flag: fn(&UpdateMay) -> Node,
) -> Vec<Node> {
    match updates {
        [(_, flags)] => vec![flag(flags)],
        // With several ports only that of the one that commits counts.
        _ => updates
            .iter()
            .map(|(update, flags)| m.and(&[*update, flag(flags)]))
            .collect(),
    }
}

/// How many keys there are.
pub(super) struct Count {
    register: Reg,
    count: Node,
    full_register: Reg,
    /// `max_entries` keys or more.
    pub(super) full: Node,
    max_entries: u32,
    /// Of them so many are used.
    most_used: Option<Node>,
}

impl Count {
    pub(super) fn new(m: &mut Module, config: &Hash, most_used: Option<Node>) -> Count {
        // A table that evicts has one key more for each new one none of whose slots was taken.
        let most = match config.evicts() {
            true => Hash::entries(config.max_entries),
            false => config.max_entries,
        };
        let bits = index_bits(u64::from(most) + 1);
        let (register, count) = m.reg_reset("count", bits, 0);
        let (full_register, full) = m.reg_reset("full", 1, 0);
        Count {
            register,
            count,
            full_register,
            full,
            max_entries: config.max_entries,
            most_used: most_used.map(|most| m.slice(most, 0, bits)),
        }
    }

    /// One key more, or one less, where the keys change and none takes another one's place, or a foreign one comes or goes.
    pub(super) fn follow(self, m: &mut Module, decision: &Decision, foreign: Option<&Outcome>) {
        let more = m.add_const(self.count, 1);
        let less = m.sub_const(self.count, 1);
        let same_count = m.not(decision.displaces);
        let mut counts = m.and(&[decision.write_key, same_count]);
        let mut is_more = decision.insert;
        if let Some(foreign) = foreign {
            counts = m.or(&[counts, foreign.takes, foreign.gives_back]);
            is_more = m.or(&[is_more, foreign.takes]);
            let some = m.reduce_or(self.count);
            let none = m.not(foreign.gives_back);
            let held = m.or(&[some, none]);
            let message = "the host gives back a place that no key has";
            m.assert("gives_back_what_it_took", held, message);
        }
        let changed = m.mux(is_more, more, less);
        m.set_next_when(self.register, counts, changed);
        let most = u64::from(self.max_entries);
        let [one_below, just_full] = match self.most_used {
            Some(most) => [m.eq(more, most), m.eq(self.count, most)],
            None => [most - 1, most].map(|count| m.eq_const(self.count, count)),
        };
        let above = m.not(just_full);
        let after_more = m.or(&[self.full, one_below]);
        let after_less = m.and(&[self.full, above]);
        let full = m.mux(is_more, after_more, after_less);
        m.set_next_when(self.full_register, counts, full);
    }
}

/// What comes of a request.
pub(super) struct Decision {
    /// The key is not there.
    pub(super) absent: Node,
    /// Why an update is refused, besides that it may do nothing.
    pub(super) exists_wrongly: Node,
    pub(super) missing_wrongly: Node,
    /// An update is not refused.
    pub(super) allowed: Node,
    /// A new key would find no place.
    pub(super) no_room: Node,
    pub(super) insert: Node,
    pub(super) remove: Node,
    /// The key is put in or taken out.
    pub(super) write_key: Node,
    /// In which place, one-hot.
    pub(super) write_at: Node,
    /// What is known without the request itself: the key is put in if an update asks.
    pub(super) may_insert: Node,
    pub(super) write_value: Node,
    /// Another key is forgotten.
    pub(super) displaces: Node,
    /// Where a new key goes.
    pub(super) new_place: Node,
    /// Where the key lies, or will.
    pub(super) place: Node,
    pub(super) row: Node,
}

impl Decision {
    pub(super) fn new(
        m: &mut Module,
        config: &Hash,
        state: &Ready,
        asked: &Request,
        full: Node,
    ) -> Decision {
        let hit = state.found.hit;
        let absent = m.not(hit);
        let exists_wrongly = m.and(&[asked.only_create, hit]);
        let missing_wrongly = m.and(&[asked.only_replace, absent]);
        m.name(exists_wrongly, "exists_wrongly");
        m.name(missing_wrongly, "missing_wrongly");
        let refused = m.or(&[asked.may_nothing, exists_wrongly, missing_wrongly]);
        let allowed = m.not(refused);
        m.name(allowed, "allowed");
        let no_place = m.not(state.emptiest.some);
        let no_room = no_room(m, config, state, no_place, full);
        let room = m.not(no_room);
        let may_insert = m.and(&[allowed, absent, room]);
        let insert = m.and(&[may_insert, asked.update]);
        m.name(insert, "insert");
        let overwrite = m.and(&[asked.update, allowed, hit]);
        let remove = m.and(&[asked.delete, hit]);
        m.name(remove, "removes");
        let write_value = m.or(&[insert, overwrite]);
        let (new_at, new_place, displaces) = new_place(m, state, insert, no_place, full);
        let place = m.mux(hit, state.found.place, new_place);
        m.name(place, "place_of_key");
        let row = row_of_place(m, state.rows, place);
        m.name(row, "row_of_key");
        let found_at = decode(m, state.found.place);
        let write_at = write_at(m, (insert, &new_at), (remove, &found_at));
        Decision {
            absent,
            exists_wrongly,
            missing_wrongly,
            allowed,
            no_room,
            insert,
            remove,
            write_key: m.or(&[insert, remove]),
            may_insert,
            write_at,
            write_value,
            displaces,
            new_place,
            place,
            row,
        }
    }
}

/// A new key finds no place.
fn no_room(m: &mut Module, config: &Hash, state: &Ready, no_place: Node, full: Node) -> Node {
    let no_room = match &state.candidates {
        // A packet whose ports hold all eight slots has more than eight keys.
        Some(candidates) if config.ports.len() > (WAYS * SLOTS) as usize => {
            let nobody = m.not(candidates.victim.some);
            m.and(&[no_place, nobody])
        }
        Some(_) => m.zero(1),
        None => m.or(&[full, no_place]),
    };
    m.name(no_room, "no_room")
}

/// Where a new key goes, one-hot and as a number, and whether another one loses the place.
fn new_place(
    m: &mut Module,
    state: &Ready,
    insert: Node,
    no_place: Node,
    full: Node,
) -> (Vec<Node>, Node, Node) {
    let emptiest = &state.emptiest;
    let Some(candidates) = &state.candidates else {
        return (emptiest.at.clone(), emptiest.place, m.zero(1));
    };
    let instead = m.and(&[full, candidates.victim.some]);
    let takes_place = m.or(&[no_place, instead]);
    m.name(takes_place, "takes_a_place");
    let places = choose_all(m, takes_place, &candidates.victim.at, &emptiest.at);
    let place = encode(m, &places);
    let displaces = m.and(&[insert, takes_place]);
    (places, place, m.name(displaces, "displaces"))
}

/// The place that is written, one-hot: where a new key goes, or where one lies that is removed. It does not wait for the
/// place as a number.
fn write_at(
    m: &mut Module,
    (insert, new_at): (Node, &[Node]),
    (remove, found_at): (Node, &[Node]),
) -> Node {
    let mut places: Vec<Node> = (new_at.iter().zip(found_at).enumerate())
        .map(|(place, (new, found))| {
            let put = m.and(&[insert, *new]);
            let taken_out = m.and(&[remove, *found]);
            let written = m.or(&[put, taken_out]);
            m.name(written, format!("writes_at_{place}"))
        })
        .collect();
    places.reverse();
    m.concat(&places)
}
