//! From a load that is right to packets that its program runs.
//!
//! The banks change between two packets of the intake as soon as the slots that the program uses are swept, unless a map that is in use
//! becomes empty or the program waits for the host: then the entrance closes, and they change when no packet is inside.
//!
//! Packets stay in the order of their arrival. So those of the program before have left when the oldest one inside is of the new one.
//! What they have added to maps may then be on its way, but is there before [`UNDER_WAY`] clocks have passed.

use super::load::Load;
use super::{stays, ProgramIn};
use hardpath_rtl::{Module, Node};

/// Clocks until it is seen that a sweep has begun, or a packet.
const SEEN_AFTER: u32 = 5;
/// More clocks than a request takes to its map, behind the packet that made it; a power of two.
const UNDER_WAY: u32 = 64;

pub(super) struct Switch {
    /// A program waits to run; and for that no packet may be inside.
    pub wants: Node,
    pub closes: Node,
    pub runs: Node,
    /// For the host.
    pub holds: Node,
    /// For the sweep of its maps.
    pub unswept: Node,
    /// Strobe: the banks change; and no packet is inside.
    pub switches: Node,
    pub closed: Node,
    /// Packets of the program before are inside.
    pub old: Node,
    /// Programs so far.
    pub count: Node,
    pub clocks: Node,
    pub before: Node,
}

impl Switch {
    /// `sweeps`: slots become empty, from a clock later on. `used`: a bit for each slot, the program that runs uses it. `bank`: that
    /// program's.
    pub fn new(
        m: &mut Module,
        inputs: &ProgramIn,
        load: &Load,
        (sweeps, used, bank): (Node, Node, Node),
    ) -> Switch {
        let (wants_reg, wants) = m.reg_reset("wants_reg", 1, 0);
        let in_use = m.and(&[load.clears, used]);
        let in_use = m.reduce_or(in_use);
        let (runs_reg, runs) = m.reg_reset("runs_reg", 1, 0);
        let first = m.not(runs);
        let waits = m.or(&[in_use, load.holds, first]);
        let closes = m.and(&[wants, waits]);
        let closed = m.and(&[closes, inputs.inside.closed]);
        let begun = not_lately(m, "sweeps", sweeps);
        let of_others = m.not(load.uses);
        let swept = m.or(&[inputs.swept, of_others]);
        let swept = m.reduce_and(swept);
        let at_once = {
            let runs_on = m.not(waits);
            let host_rests = m.not(inputs.host_works);
            m.and(&[wants, runs_on, host_rests, swept, begun])
        };
        let switches = m.or(&[closed, at_once]);
        let forgets = m.or(&[switches, inputs.load_begins]);
        let next = stays(m, (load.right, wants), forgets);
        m.set_next(wants_reg, next);
        let one = m.one();
        m.set_next_when(runs_reg, switches, one);
        let (holds_reg, holds) = m.reg_reset("holds_reg", 1, 0);
        let held = m.and(&[closed, load.holds]);
        let next = stays(m, (held, holds), inputs.load_goes);
        m.set_next(holds_reg, next);
        let (unswept_reg, unswept) = m.reg_reset("unswept", 1, 0);
        // What was closed for begins to be swept a clock later.
        let swept = m.and(&[swept, begun]);
        let next = stays(m, (closed, unswept), swept);
        m.set_next(unswept_reg, next);
        let (count_reg, count) = m.reg_reset("programs", 16, 0);
        let next = m.add_const(count, 1);
        m.set_next_when(count_reg, switches, next);
        Switch {
            wants,
            closes,
            runs,
            holds,
            unswept,
            switches,
            closed,
            old: old(m, inputs, (at_once, bank)),
            count,
            clocks: clocks(m, inputs, load, wants),
            before: before(m, inputs, (switches, bank)),
        }
    }
}

/// Not in this clock, nor in the ones before it in which what comes of it cannot be seen yet.
fn not_lately(m: &mut Module, name: &str, strobe: Node) -> Node {
    let mut since = strobe;
    let mut all = vec![strobe];
    for clock in 1..=SEEN_AFTER {
        since = m.delay_reset(format!("{name}_{clock}"), since);
        all.push(since);
    }
    let lately = m.or(&all);
    m.not(lately)
}

/// Packets of the program before are inside, or what they have added to maps is on its way.
fn old(m: &mut Module, inputs: &ProgramIn, (switches, bank): (Node, Node)) -> Node {
    let inside = &inputs.inside;
    let (old_reg, old) = m.reg_reset("old", 1, 0);
    let same = m.xor(&[inside.oldest_bank, bank]);
    let same = m.not(same);
    let new_is_oldest = m.and(&[inside.some_inside, same]);
    let settled = not_lately(m, "changed", switches);
    let none = m.and(&[inside.none_inside, settled]);
    let (count_reg, count) = m.reg_reset("since_old", UNDER_WAY.trailing_zeros(), 0);
    let counting = m.reduce_or(count);
    let counts = m.or(&[new_is_oldest, counting]);
    let counts = m.and(&[old, counts]);
    let next = m.add_const(count, 1);
    let next = m.gate(counts, next);
    m.set_next(count_reg, next);
    let last = m.reduce_and(count);
    let ends = m.or(&[none, last]);
    let next = stays(m, (switches, old), ends);
    m.set_next(old_reg, next);
    old
}

/// Clocks from the last word of a load to the first one in which its program takes packets.
fn clocks(m: &mut Module, inputs: &ProgramIn, load: &Load, wants: Node) -> Node {
    let (counts_reg, counts) = m.reg_reset("counts_clocks", 1, 0);
    let waits_no_more = m.not(wants);
    let opens = m.and(&[inputs.running, waits_no_more]);
    let next = stays(m, (load.right, counts), opens);
    m.set_next(counts_reg, next);
    let (clocks_reg, clocks) = m.reg("load_clocks_reg", 32);
    let more = m.add_const(clocks, 1);
    let not_begins = m.not(load.right);
    let next = m.gate(not_begins, more);
    let changes = m.or(&[load.right, counts]);
    m.set_next_when(clocks_reg, changes, next);
    clocks
}

/// Packets that entered before the program that runs. It counts on while some of the one before get threads.
fn before(m: &mut Module, inputs: &ProgramIn, (switches, bank): (Node, Node)) -> Node {
    let inside = &inputs.inside;
    let (packets_reg, packets) = m.reg_reset("packets", 32, 0);
    let more = m.add_const(packets, 1);
    let next = m.mux(inside.enters, more, packets);
    m.set_next(packets_reg, next);
    let is_old = m.xor(&[inside.enters_bank, bank]);
    let enters = m.and(&[inside.enters, is_old]);
    let takes = m.or(&[switches, enters]);
    m.hold_reset("load_before_reg", takes, next)
}
