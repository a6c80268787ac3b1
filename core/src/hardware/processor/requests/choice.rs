//! Whose request is next, and the register in front of the maps.

use super::super::is;
use super::log::{Addition, Log};
use super::{Asked, Records, Request, Requests, UNDER_WAY};
use crate::encode::layout::{self, kind, Bits, Opcode};
use crate::hardware::decode::part;
use crate::hardware::pick::{bit_at, lowest, one_hot};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_rtl::{Mem, Module, Node};
use hardpath_state::served::through_entry;

impl Requests<'_> {
    /// Whose request is next, in registers; and what else waits.
    pub(super) fn choose(&mut self, asked: &Asked, log: &Log) -> (Chosen, Waiting) {
        let threads = u32::from(self.config.shape.threads);
        let m = &mut *self.m;
        let (ordered_reg, ordered) = m.reg_reset("ordered_asks", threads, 0);
        let (free_reg, free) = m.reg_reset("free_asks", threads, 0);
        let (valid_reg, valid) = m.reg_reset("choice_valid", 1, 0);
        let goes = m.wire(1, "choice_goes");
        let stays = m.not(goes);
        let stays = m.and(&[valid, stays]);
        let takes = m.not(stays);
        let oldest = bit_at(m, ordered, self.inputs.oldest);
        let in_order = m.and(&[oldest, self.inputs.some_inside]);
        let in_turn = m.reduce_or(free);
        // Whoever is free: the lowest number. All come back before one comes again.
        let first = lowest(m, free);
        let some = m.or(&[log.wants, in_order, in_turn]);
        let next = m.or(&[stays, some]);
        m.set_next(valid_reg, next);
        let takes_log = m.and(&[takes, log.wants]);
        m.drive(log.taken, takes_log);
        let not_log = m.not(log.wants);
        let not_order = m.not(in_order);
        let takes_order = m.and(&[takes, not_log, in_order]);
        let takes_turn = m.and(&[takes, not_log, not_order, in_turn]);
        let of_oldest = m.or(&[in_order, log.wants]);
        let thread = m.mux(of_oldest, self.inputs.oldest, first);
        for (reg, node, comes, goes, goes_thread) in [
            (
                ordered_reg,
                ordered,
                asked.ordered,
                takes_order,
                self.inputs.oldest,
            ),
            (free_reg, free, asked.free, takes_turn, first),
        ] {
            let comes = one_hot(m, threads, comes, self.thread);
            let goes = one_hot(m, threads, goes, goes_thread);
            let kept = m.not(goes);
            let kept = m.and(&[node, kept]);
            let next = m.or(&[kept, comes]);
            m.set_next(reg, next);
        }
        let still = m.or(&[ordered, free]);
        let still = m.reduce_or(still);
        let none = m.or(&[still, valid]);
        let waiting = Waiting {
            none: m.not(none),
            in_order: m.reduce_or(ordered),
        };
        let stale = bit_at(m, self.inputs.is_stale, self.inputs.oldest);
        let stale = m.and(&[stale, in_order, not_log]);
        let ahead = m.and(&[not_log, not_order]);
        let sure = m.not(stale);
        let changes = m.and(&[in_order, sure]);
        // Only packets of the next program see an addition: those of its own, which may have written their bytes by then, go on.
        let before = m.reduce_or(self.inputs.changed_before);
        let told = m.and(&[log.wants, before]);
        let changes = m.or(&[told, changes]);
        let mut hold = |name: &str, node: Node| m.hold(format!("choice_{name}"), takes, node);
        let chosen = Chosen {
            valid,
            goes,
            thread: hold("thread", thread),
            posted: hold("posted", log.wants),
            ahead: hold("ahead", ahead),
            changes: hold("changes", changes),
            stale: hold("stale", stale),
            addition: hold("addition", log.address),
        };
        (chosen, waiting)
    }

    /// What was chosen, as a request; it is taken when the register in front of the maps is free.
    pub(super) fn next(&mut self, chosen: &Chosen, records: &Records, log: &Log) -> (Request, Tag) {
        let addition = self.addition(log, chosen.addition);
        let (request, tracked) = self.request(records, chosen, &addition);
        let tag = Tag {
            thread: chosen.thread,
            tracked,
            posted: chosen.posted,
            ahead: chosen.ahead,
            changes: chosen.changes,
        };
        (request, tag)
    }

    /// The request of a thread, or of the log; and whether the map is ordered for it.
    pub(super) fn request(
        &mut self,
        records: &Records,
        chosen: &Chosen,
        addition: &Addition,
    ) -> (Request, Node) {
        let m = &mut *self.m;
        let thread = chosen.thread;
        let low = m.mem_read_async(records.low, thread);
        let low = m.slice(low, 0, 32);
        let operands = m.mem_read_async(records.operands, thread);
        let (a, b) = (m.slice(operands, 64, 64), m.slice(operands, 0, 64));
        let offset = m.slice(operands, 128, 32);
        let bytes = m.slice(operands, 160, 3);
        let tracked = m.bit(operands, 163);
        let mut read = |mems: &[Mem]| -> Vec<Node> {
            mems.iter()
                .map(|mem| m.mem_read_async(*mem, thread))
                .collect()
        };
        let (mut key, mut value) = (read(&records.key), read(&records.value));
        let may_put = m.mem_read_async(records.may, thread);
        let updates = is(m, low, &[Opcode::Update]);
        let has = |m: &mut Module, bits: Bits| {
            let found = part(m, low, bits);
            let absent = m.eq_const(found, kind::ABSENT);
            m.not(absent)
        };
        let (has_a, has_b) = (has(m, layout::A_KIND), has(m, layout::B_KIND));
        key[0] = m.mux(has_a, a, key[0]);
        if key.len() > 1 {
            let no_update = m.not(updates);
            let second = m.and(&[has_b, no_update]);
            key[1] = m.mux(second, b, key[1]);
        }
        let first = m.and(&[has_b, updates]);
        value[0] = m.mux(first, b, value[0]);
        let may = part(m, low, layout::MAY);
        let own = part(m, low, layout::HAS_MAY);
        let may = m.mux(own, may, may_put);
        // What a stale packet asks for changes nothing: it only comes back.
        let command = command_of(m, low);
        let harmless = m.constant(through_entry::READ.into(), 4);
        let command = m.mux(chosen.stale, harmless, command);
        let adds = m.constant(through_entry::ADD.into(), 4);
        let map = part(m, low, layout::MAP);
        let map = m.slice(map, 0, self.config.map_bits());
        let entry = m.slice(a, 0, 32);
        let mut choose = |of_log: Node, own: Node| m.mux(chosen.posted, of_log, own);
        let bytes = choose(addition.bytes, bytes);
        let request = Request {
            valid: chosen.valid,
            map: choose(addition.map, map),
            command: choose(adds, command),
            may,
            key,
            value,
            entry: choose(addition.entry, entry),
            offset: choose(addition.offset, offset),
            bytes,
            word: choose(addition.word, b),
        };
        let bytes = m.zext(request.bytes, 4);
        let request = Request {
            bytes: m.add_const(bytes, 1),
            ..request
        };
        (request, tracked)
    }

    /// The register in front of the maps.
    pub(super) fn held(
        &mut self,
        (given, tag): (Request, Tag),
        goes: Node,
        accepted: Node,
    ) -> (Held, Tag) {
        let m = &mut *self.m;
        let (valid_reg, valid) = m.reg_reset("request_valid", 1, 0);
        let waits = m.not(accepted);
        let stays = m.and(&[valid, waits]);
        let free = m.not(stays);
        let takes = m.and(&[free, given.valid]);
        m.drive(goes, takes);
        let valid_next = m.or(&[stays, takes]);
        m.set_next(valid_reg, valid_next);
        let mut hold = |name: &str, node: Node| m.hold(format!("request_{name}"), takes, node);
        let mut words = |name: &str, words: &[Node]| -> Vec<Node> {
            let words = words.iter().enumerate();
            words
                .map(|(number, word)| hold(&format!("{name}_{number}"), *word))
                .collect()
        };
        let request = Request {
            valid,
            key: words("key", &given.key),
            value: words("value", &given.value),
            map: hold("map", given.map),
            command: hold("command", given.command),
            may: hold("may", given.may),
            entry: hold("entry", given.entry),
            offset: hold("offset", given.offset),
            bytes: hold("bytes", given.bytes),
            word: hold("word", given.word),
        };
        let tag = Tag {
            thread: hold("thread", tag.thread),
            posted: hold("posted", tag.posted),
            tracked: hold("tracked", tag.tracked),
            ahead: hold("ahead", tag.ahead),
            changes: hold("changes", tag.changes),
        };
        let bits = index_bits(u64::from(UNDER_WAY) + 1);
        let (count_reg, count) = m.reg_reset("requests_under_way", bits, 0);
        let answered = m.wire(1, "is_answered");
        let some = m.reduce_or(count);
        let full = m.eq_const(count, UNDER_WAY.into());
        let may_go = m.not(full);
        let [more, fewer] = [m.add_const(count, 1), m.sub_const(count, 1)];
        m.set_next_of_one(count_reg, (answered, fewer), (accepted, more));
        let held = Held {
            request,
            may_go,
            accepted,
            answered,
            some_under_way: some,
        };
        (held, tag)
    }
}

/// Threads that wait for their request to go.
pub(super) struct Waiting {
    pub none: Node,
    /// Some, to be the oldest.
    pub in_order: Node,
}

/// Whose request is next.
pub(super) struct Chosen {
    pub valid: Node,
    /// A wire: it is taken.
    pub goes: Node,
    thread: Node,
    pub posted: Node,
    ahead: Node,
    pub changes: Node,
    /// The thread begins again: what it asks for is not done.
    stale: Node,
    /// Of one that was posted: where it stands in the log.
    addition: Node,
}

/// Whose request it is.
pub(super) struct Tag {
    pub thread: Node,
    /// The map is ordered for it.
    pub tracked: Node,
    pub posted: Node,
    /// It is no packet's that is the oldest; it is the oldest one's.
    pub ahead: Node,
    pub changes: Node,
}

/// The request in front of the maps.
pub(super) struct Held {
    pub request: Request,
    /// There is room for its answer.
    pub may_go: Node,
    pub accepted: Node,
    /// A wire.
    pub answered: Node,
    pub some_under_way: Node,
}

/// The command of an operation, as maps have it.
fn command_of(m: &mut Module, low: Node) -> Node {
    let atomic = part(m, low, layout::ATOMIC);
    let first = m.constant(through_entry::ADD.into(), 4);
    let atomic = m.zext(atomic, 4);
    let mut command = m.add(first, atomic);
    for (opcode, number) in [
        (Opcode::Lookup, command::LOOKUP),
        (Opcode::Update, command::UPDATE),
        (Opcode::Delete, command::DELETE),
        (Opcode::MapLoad, through_entry::READ),
        (Opcode::MapStore, through_entry::WRITE),
    ] {
        let is = is(m, low, &[opcode]);
        let number = m.constant(number.into(), 4);
        command = m.mux(is, number, command);
    }
    command
}
