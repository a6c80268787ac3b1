//! Between the result FIFO and the exit: a packet that is sent to all devices of a map becomes as many packets.
//!
//! The exit sends the head of the FIFO once for each device and keeps its frames as long as `again` says that it comes
//! once more. So it must be known with each copy whether another one follows: the next device is read while a copy leaves.

use hardpath_rtl::{Module, Node};

/// What the repeater must know.
pub struct Repeater {
    pub name: String,
    /// The lists: what the broadcast's destination is for each, and the bits of an index into it.
    pub lists: Vec<(u32, u32)>,
    /// Of the destination: not to the interface that the packet came in at.
    pub exclude_bit: u32,
}

/// Ports: `result_valid`, `result_verdict`, `result_destination` and `ingress_ifindex` of the packet at the head; for list
/// `k` `count_k`, `ifindex_k`, `index_k`, `read_k` ([`crate::device_list::device_list`]); towards the exit `valid`,
/// `destination`, `again`, `nobody` and `taken` (the exit is through with what it was given); `pop` takes the head away.
/// A packet for one destination passes in the same clock; a broadcast to `n` devices waits for two clocks and is then
/// given to the exit `n` times, without a gap as long as no device is left out.
pub fn repeater(config: &Repeater) -> Module {
    let mut m = Module::new(
        config.name.clone(),
        "Repeater: gives a packet that is broadcast to the exit once for each device in the map's list, in the list's\n\
         order, without those that have the ifindex at which the packet came in, if the program said so. To an empty\n\
         list it is given once, as a packet for nobody. Other packets pass in the same clock.",
    );
    let result_valid = m.input("result_valid", 1, "a packet's result waits");
    let verdict = m.input("result_verdict", 3, "");
    let destination = m.input("result_destination", 32, "");
    let ingress = m.input("ingress_ifindex", 32, "where it came in");
    let taken = m.input("taken", 1, "the exit is through with what it was given");
    let widest = config.lists.iter().map(|(_, bits)| *bits).max();
    let bits = widest.expect("a repeater has a list");

    m.section("Which list");
    let redirected = m.bit(verdict, 2);
    let excludes = m.bit(destination, config.exclude_bit);
    let mask = m.constant(u64::from(!(1u32 << config.exclude_bit)), 32);
    let plain = m.and(&[destination, mask]);
    let mut chosen = Vec::new();
    let (mut counts, mut devices) = (Vec::new(), Vec::new());
    for (number, (meant, list_bits)) in config.lists.iter().enumerate() {
        let here = m.eq_const(plain, u64::from(*meant));
        let count = m.input(format!("count_{number}"), list_bits + 1, "devices in it");
        let device = m.input(format!("ifindex_{number}"), 32, "the device that was read");
        chosen.push(m.and(&[redirected, here]));
        counts.push(m.zext(count, bits + 1));
        devices.push(device);
    }
    let broadcast = m.or(&chosen);
    m.name(broadcast, "broadcast");
    let walks = m.and(&[result_valid, broadcast]);
    m.name(walks, "walks");
    let count = choose(&mut m, &chosen, &counts);
    let device = choose(&mut m, &chosen, &devices);

    m.section("The next device is read while a copy leaves");
    let pop = m.wire(1, "pop_head");
    let (index_reg, index) = m.reg_reset("next_index", bits + 1, 0);
    let (there_reg, there) = m.reg_reset("device_valid", 1, 0);
    let (current_reg, current_valid) = m.reg_reset("current_valid", 1, 0);
    let same = m.eq(device, ingress);
    let left_out = m.and(&[excludes, same]);
    let goes = m.not(left_out);
    let candidate = m.and(&[there, goes]);
    m.name(candidate, "candidate");
    let copy_taken = m.and(&[walks, current_valid, taken]);
    let no_current = m.not(current_valid);
    let current_free = m.or(&[no_current, copy_taken]);
    let moves = m.and(&[candidate, current_free]);
    let skips = m.and(&[there, left_out]);
    let used = m.or(&[moves, skips]);
    let more = m.ult(index, count);
    let not_there = m.not(there);
    let can_read = m.or(&[not_there, used]);
    let reads = m.and(&[walks, more, can_read]);
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
    let (device_reg, current) = m.reg("current_ifindex", 32);
    m.set_next_when(device_reg, moves, device);
    for (number, (on, (_, list_bits))) in chosen.iter().zip(&config.lists).enumerate() {
        let low = m.slice(index, 0, *list_bits);
        let reads_here = m.and(&[reads, *on]);
        m.output(format!("index_{number}"), low, "");
        m.output(format!("read_{number}"), reads_here, "");
    }

    m.section("What the exit is given");
    let no_more = m.not(more);
    let through = m.and(&[not_there, no_more]);
    m.name(through, "through");
    let known = m.or(&[candidate, through]);
    let copy_ready = m.and(&[current_valid, known]);
    let nobody = m.and(&[walks, no_current, through]);
    let ready = m.or(&[copy_ready, nobody]);
    let single = m.not(broadcast);
    let passes = m.or(&[single, ready]);
    let valid = m.and(&[result_valid, passes]);
    let given = m.mux(broadcast, current, destination);
    let again = m.and(&[walks, candidate]);
    let last = m.not(again);
    let leaves = m.and(&[taken, last]);
    m.drive(pop, leaves);
    m.output("valid", valid, "for the exit: a packet waits");
    m.output("destination", given, "where it goes");
    m.output("again", again, "it comes once more: its frames must stay");
    m.output("nobody", nobody, "it goes nowhere");
    m.output("pop", pop, "the head is used up");
    let unasked = m.not(valid);
    let wrong = m.and(&[taken, unasked]);
    let sound = m.not(wrong);
    m.assert(
        "taken_when_valid",
        sound,
        "repeater: the exit took a packet that was not there",
    );
    m
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
