//! The turns of the oldest packet: the packet itself, or one for each device of a map, and behind it its further copies.
//!
//! A turn is a job. With each job it must be known whether another one follows, so that the packet's lines stay: so a packet that does not
//! go on has no job of its own where copies follow. Where a core has neither broadcasts nor copies, each packet has one turn.

use super::copies::{number_bits, Copy};
use super::{ExitsIn, Leaves, ListsOut, Processor, Said};
use crate::isa::exit;
use hardpath_blocks::index_bits;
use hardpath_blocks::repeater::{repeater, Repeater, RepeaterIn, RepeaterOut};
use hardpath_packet::INDEX_BITS;
use hardpath_rtl::{Design, MemStyle, Module, Node};

/// Whose turn it is.
pub(super) struct Turns {
    /// A copy's; of a core in which packets have some.
    pub copy: Option<Copy>,
}

/// A turn.
pub(super) struct Turn {
    /// The job is taken; and the packet leaves with it.
    pub takes: Node,
    pub leaves: Node,
    /// Of the job.
    pub forwarded: Node,
    pub index: Node,
    /// Another one comes.
    pub again: Option<Node>,
    pub lists: Option<ListsOut>,
}

/// The packet itself.
struct Itself {
    /// It is known where it goes.
    ready: Node,
    goes: Node,
    index: Node,
    /// It goes to another device, too.
    again: Option<Node>,
    lists: Option<ListsOut>,
    /// A wire: it is through with one device.
    through: Option<Node>,
}

impl Turns {
    pub fn new(m: &mut Module, config: &Processor) -> Turns {
        let copy = (config.copies > 0).then(|| Copy {
            is: m.reg_reset("is_copy", 1, 0),
            number: m.reg_reset("next_copy", number_bits(config), 0),
        });
        Turns { copy }
    }

    /// `free`: a job is taken, if there is one. `count`: copies of the oldest packet.
    pub fn turn(
        self,
        (design, m): (&mut Design, &mut Module),
        config: &Processor,
        inputs: &ExitsIn,
        (said, leaves): (&Said, &Leaves),
        (free, count): (Node, Option<Node>),
    ) -> Turn {
        let here = match &self.copy {
            Some(copy) => {
                let itself = m.not(copy.is.1);
                m.and(&[inputs.leave_valid, itself])
            }
            None => inputs.leave_valid,
        };
        let itself = match config.broadcasts() {
            true => broadcast((design, m), config, inputs, (said, leaves), here),
            false => Itself {
                ready: m.one(),
                goes: leaves.somewhere,
                index: leaves.index,
                again: None,
                lists: None,
                through: None,
            },
        };
        match self.copy.zip(count) {
            Some(both) => with_copies(m, (inputs, here), itself, leaves, both, free),
            None => alone(m, inputs, itself, free),
        }
    }
}

/// No copy comes behind a packet.
fn alone(m: &mut Module, inputs: &ExitsIn, itself: Itself, free: Node) -> Turn {
    let Some(through) = itself.through else {
        let takes = m.and(&[free, inputs.leave_valid]);
        return Turn {
            takes,
            leaves: takes,
            forwarded: itself.goes,
            index: itself.index,
            again: None,
            lists: None,
        };
    };
    let again = itself.again.expect("told where packets are broadcast");
    let takes = m.and(&[free, inputs.leave_valid, itself.ready]);
    m.drive(through, takes);
    let last = m.not(again);
    Turn {
        takes,
        leaves: m.and(&[takes, last]),
        forwarded: itself.goes,
        index: itself.index,
        again: Some(again),
        lists: itself.lists,
    }
}

/// `here`: it is the turn of the packet itself.
fn with_copies(
    m: &mut Module,
    (inputs, here): (&ExitsIn, Node),
    itself: Itself,
    leaves: &Leaves,
    (copy, count): (Copy, Node),
    free: Node,
) -> Turn {
    let (is_reg, is_copy) = copy.is;
    let (number_reg, number) = copy.number;
    let some = m.reduce_or(count);
    // One that stays has no job of its own in front of those of its copies.
    let stays = m.not(itself.goes);
    let here = m.and(&[here, itself.ready]);
    let passes = m.and(&[here, stays, some]);
    let none = m.not(some);
    let has_job = m.or(&[itself.goes, none]);
    let of_itself = m.and(&[here, has_job]);
    let of_copy = m.and(&[inputs.leave_valid, is_copy]);
    let offers = m.or(&[of_itself, of_copy]);
    let takes = m.and(&[free, offers]);
    let behind = m.zext(number, m.width(count));
    let behind = m.add_const(behind, 1);
    let more_copies = m.ne(behind, count);
    let more = m.mux(is_copy, more_copies, some);
    let again = match itself.again {
        // Its own come first.
        Some(again) => {
            let itself = m.not(is_copy);
            let again = m.and(&[again, itself]);
            m.or(&[again, more])
        }
        None => more,
    };
    let last = m.not(again);
    // On to the first copy, or to the next one.
    let mut own_last = m.and(&[free, of_itself, some]);
    if let Some(again) = itself.again {
        let through = m.and(&[free, of_itself]);
        let through = m.or(&[through, passes]);
        let wire = itself.through.expect("packets are broadcast");
        m.drive(wire, through);
        let last_of_own = m.not(again);
        own_last = m.and(&[own_last, last_of_own]);
    }
    let begins = m.or(&[own_last, passes]);
    let leaves_now = m.and(&[takes, last]);
    let goes_on = m.not(leaves_now);
    let kept = m.and(&[is_copy, goes_on]);
    let next = m.or(&[begins, kept]);
    m.set_next(is_reg, next);
    let after = m.add_const(number, 1);
    let takes_copy = m.and(&[free, of_copy]);
    let first = m.zero(m.width(number));
    let next = m.mux(is_copy, after, first);
    let changes = m.or(&[begins, takes_copy]);
    m.set_next_when(number_reg, changes, next);
    Turn {
        takes,
        leaves: leaves_now,
        forwarded: m.or(&[is_copy, itself.goes]),
        index: m.mux(is_copy, leaves.index, itself.index),
        again: Some(again),
        lists: itself.lists,
    }
}

/// A packet that may be broadcast. It takes a clock more to see that it is, so that all behind it begins at registers.
fn broadcast(
    (design, m): (&mut Design, &mut Module),
    config: &Processor,
    inputs: &ExitsIn,
    (said, leaves): (&Said, &Leaves),
    here: Node,
) -> Itself {
    let broadcast = inputs.broadcast.as_ref().expect("packets are broadcast");
    let [has_each, map] = said.each.expect("told where packets are broadcast");
    let is = m.and(&[has_each, leaves.asked]);
    let pop = m.wire(1, "broadcast_is_over");
    let (seen_reg, seen) = m.reg_reset("broadcast_is_seen", 1, 0);
    let sees = m.and(&[here, is]);
    let over = m.not(pop);
    let next = m.and(&[sees, over]);
    m.set_next(seen_reg, next);
    let each = config.lists().into_iter().map(|slot| {
        let mine = m.eq_const(map, slot as u64);
        m.delay(format!("each_of_{slot}"), mine)
    });
    let each: Vec<Node> = each.collect();
    let threads = config.shape.threads.into();
    let mem = m.mem("interfaces", INDEX_BITS, threads, MemStyle::Distributed);
    m.mem_write(
        mem,
        inputs.enters_thread,
        broadcast.enters_interface,
        inputs.enters,
    );
    let ingress = m.mem_read_async(mem, inputs.oldest);
    let not_back = m.bit(said.word(config, exit::FLAGS), 1);
    let not_back = m.delay("not_back", not_back);
    let entries = config.lists().into_iter();
    let entries = entries.map(|slot| config.slots[slot].max_entries);
    let block = repeater(&Repeater {
        name: format!("{}_repeater", config.name),
        lists: entries.map(|most| index_bits(most.into())).collect(),
        has_index: false,
    });
    let through = m.wire(1, "is_through");
    let ports = RepeaterIn {
        result_valid: seen,
        not_back: vec![not_back; each.len()],
        each,
        result_index: None,
        ingress: m.delay("interface_of_oldest", ingress),
        taken: m.and(&[through, seen]),
        count: broadcast.list_count.clone(),
        device: broadcast.list_device.clone(),
    };
    let RepeaterOut {
        valid,
        destination,
        again,
        nobody,
        pop: over,
        index,
        read,
    } = block.place(design, m, "repeater", ports).out;
    m.drive(pop, over);
    let single = m.not(is);
    let known = m.and(&[seen, valid]);
    let somebody = m.not(nobody);
    Itself {
        ready: m.or(&[single, known]),
        goes: m.mux(is, somebody, leaves.somewhere),
        index: m.mux(is, destination, leaves.index),
        again: Some(m.and(&[again, is])),
        lists: Some(ListsOut {
            list_index: index,
            list_read: read,
        }),
        through: Some(through),
    }
}
