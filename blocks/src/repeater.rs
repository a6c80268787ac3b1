//! Between the result FIFO and the exit: a packet that is sent to all devices of a map becomes as many packets.
//!
//! The exit sends the head of the FIFO once for each device and keeps its frames as long as `again` says that it comes
//! once more. So it must be known with each copy whether another one follows: the next device is read while a copy leaves.

use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

/// What the repeater must know.
pub struct Repeater {
    /// Name of the module.
    pub name: String,
    /// The lists: the bits of an index into each.
    pub lists: Vec<u32>,
    /// Whether packets have an index of their own beside those of the lists.
    pub has_index: bool,
}

impl Repeater {
    /// Bits of an index into the longest list.
    fn index_bits(&self) -> u32 {
        self.lists
            .iter()
            .copied()
            .max()
            .expect("a repeater has a list")
    }
}

signals! {
    /// Into the repeater.
    pub struct RepeaterIn {
        result_valid: one "a packet's result waits",
        /// Of each list: the packet goes to it. At most one.
        each: several "",
        /// Of each list: a packet that goes to it does not go to the interface where it came in.
        not_back: several "",
        /// Of a packet that goes to none.
        result_index: maybe "",
        ingress: one "the interface where it came in",
        taken: one "the exit is through with what it was given",
        /// Of each list ([`crate::device_list::device_list`]).
        count: several "devices in it",
        device: several "the device that was read",
    }
}

signals! {
    /// Out of the repeater.
    pub struct RepeaterOut {
        valid: one "for the exit: a packet waits",
        destination: one "the index of where it goes",
        again: one "it comes once more: its frames must stay",
        nobody: one "it goes nowhere",
        pop: one "the head is used up",
        /// Of each list: the device that is read.
        index: several "",
        /// Of each list: it is read in this clock.
        read: several "",
    }
}

/// A packet for one destination passes in the same clock; a broadcast to `n` devices waits for two clocks and is then
/// given to the exit `n` times, without a gap as long as no device is left out.
pub fn repeater(config: &Repeater) -> Block<RepeaterIn, RepeaterOut> {
    let mut m = Module::new(
        config.name.clone(),
        "Repeater: gives a packet that is broadcast to the exit once for each device in the map's list, in the list's\n\
         order, without the interface at which the packet came in, if the program said so. To an empty\n\
         list it is given once, as a packet for nobody. Other packets pass in the same clock.",
    );
    let list_bits = || config.lists.iter();
    let inputs = m.inputs(RepeaterIn {
        result_valid: 1,
        each: list_bits().map(|_| 1).collect(),
        not_back: list_bits().map(|_| 1).collect(),
        result_index: config.has_index.then_some(32),
        ingress: 32,
        taken: 1,
        count: list_bits().map(|bits| bits + 1).collect(),
        device: list_bits().map(|_| 32).collect(),
    });
    let chosen = choose_list(&mut m, config, &inputs);
    let walk = walk(&mut m, config, &inputs, &chosen);

    let outputs = give(&mut m, &inputs, &chosen, walk);
    m.into_block(inputs, outputs)
}

fn give(m: &mut Module, inputs: &RepeaterIn, chosen: &Chosen, walk: Walk) -> RepeaterOut {
    m.section("What the exit is given");
    let Walk {
        there,
        candidate,
        more,
        current_valid,
        current,
        pop,
        ..
    } = walk;
    let not_there = m.not(there);
    let no_more = m.not(more);
    let through = m.and(&[not_there, no_more]);
    m.name(through, "through");
    let known = m.or(&[candidate, through]);
    let copy_ready = m.and(&[current_valid, known]);
    let no_current = m.not(current_valid);
    let nobody = m.and(&[chosen.walks, no_current, through]);
    let ready = m.or(&[copy_ready, nobody]);
    let single = m.not(chosen.broadcast);
    let passes = m.or(&[single, ready]);
    let valid = m.and(&[inputs.result_valid, passes]);
    let destination = match inputs.result_index {
        Some(index) => m.mux(chosen.broadcast, current, index),
        None => current,
    };
    let again = m.and(&[chosen.walks, candidate]);
    let last = m.not(again);
    let leaves = m.and(&[inputs.taken, last]);
    m.drive(pop, leaves);
    let unasked = m.not(valid);
    let wrong = m.and(&[inputs.taken, unasked]);
    let sound = m.not(wrong);
    m.assert(
        "taken_when_valid",
        sound,
        "repeater: the exit took a packet that was not there",
    );
    RepeaterOut {
        valid,
        destination,
        again,
        nobody,
        pop,
        index: walk.index,
        read: walk.read,
    }
}

/// The list that the packet at the head goes to.
struct Chosen {
    /// By list.
    on: Vec<Node>,
    broadcast: Node,
    /// The packet is here and goes to a list.
    walks: Node,
    count: Node,
    device: Node,
    /// Not to the interface that it came in at.
    excludes: Node,
}

fn choose_list(m: &mut Module, config: &Repeater, inputs: &RepeaterIn) -> Chosen {
    m.section("Which list");
    let on = inputs.each.clone();
    let counts: Vec<Node> = inputs
        .count
        .iter()
        .map(|count| m.zext(*count, config.index_bits() + 1))
        .collect();
    let excludes = choose(m, &on, &inputs.not_back);
    let broadcast = m.or(&on);
    m.name(broadcast, "broadcast");
    let walks = m.and(&[inputs.result_valid, broadcast]);
    m.name(walks, "walks");
    Chosen {
        count: choose(m, &on, &counts),
        device: choose(m, &on, &inputs.device),
        on,
        broadcast,
        walks,
        excludes,
    }
}

/// The way through a list.
struct Walk {
    /// A device has been read, and whether the packet goes to it.
    there: Node,
    candidate: Node,
    /// There are devices that have not been read.
    more: Node,
    /// The device of the copy that leaves.
    current_valid: Node,
    current: Node,
    /// A wire: the head is used up.
    pop: Node,
    index: Vec<Node>,
    read: Vec<Node>,
}

fn walk(m: &mut Module, config: &Repeater, inputs: &RepeaterIn, chosen: &Chosen) -> Walk {
    m.section("The next device is read while a copy leaves");
    let bits = config.index_bits();
    let pop = m.wire(1, "pop_head");
    let (index_reg, index) = m.reg_reset("next_index", bits + 1, 0);
    let (there_reg, there) = m.reg_reset("device_valid", 1, 0);
    let (current_reg, current_valid) = m.reg_reset("current_valid", 1, 0);
    let same = m.eq(chosen.device, inputs.ingress);
    let left_out = m.and(&[chosen.excludes, same]);
    let goes = m.not(left_out);
    let candidate = m.and(&[there, goes]);
    m.name(candidate, "candidate");
    let copy_taken = m.and(&[chosen.walks, current_valid, inputs.taken]);
    let no_current = m.not(current_valid);
    let current_free = m.or(&[no_current, copy_taken]);
    let moves = m.and(&[candidate, current_free]);
    let skips = m.and(&[there, left_out]);
    let used = m.or(&[moves, skips]);
    let more = m.ult(index, chosen.count);
    let not_there = m.not(there);
    let can_read = m.or(&[not_there, used]);
    let reads = m.and(&[chosen.walks, more, can_read]);
    let not_used = m.not(used);
    let stays = m.and(&[there, not_used]);
    let there_next = m.or(&[reads, stays]);
    m.set_next(there_reg, there_next);
    let next_index = m.add_const(index, 1);
    let zero = m.zero(bits + 1);
    let index_next = m.mux(pop, zero, next_index);
    let index_moves = m.or(&[pop, reads]);
    m.set_next_when(index_reg, index_moves, index_next);
    let not_taken = m.not(copy_taken);
    let current_stays = m.and(&[current_valid, not_taken]);
    let current_next = m.or(&[moves, current_stays]);
    m.set_next(current_reg, current_next);
    let (device_reg, current) = m.reg("current_device", 32);
    m.set_next_when(device_reg, moves, chosen.device);
    let (mut index_of, mut read_of) = (Vec::new(), Vec::new());
    for (on, list_bits) in chosen.on.iter().zip(&config.lists) {
        index_of.push(m.slice(index, 0, *list_bits));
        read_of.push(m.and(&[reads, *on]));
    }
    Walk {
        there,
        candidate,
        more,
        current_valid,
        current,
        pop,
        index: index_of,
        read: read_of,
    }
}

/// The node whose bit is on, or zeros. At most one bit is on.
fn choose(m: &mut Module, on: &[Node], nodes: &[Node]) -> Node {
    if let [only] = nodes {
        return *only;
    }
    let mut terms = Vec::new();
    for (on, node) in on.iter().zip(nodes) {
        terms.push(m.gate(*on, *node));
    }
    m.or(&terms)
}
