//! What is done alone, and its place in the order.
//!
//! That are the host's operations, and requests that a map's stages cannot do at one a clock. There is one at a time, and the map
//! takes either for the host's. Its course:
//!
//! ```text
//! pending ─► begins ─► under way: prepared, while requests go on
//!                   ─► goes: no request is taken, those inside come out ─► inject ─► its slot comes out ─► done
//! ```
//!
//! A request that is done alone has its place where it was taken: nothing is taken from then on until it is done, and it is not taken
//! while the host's operation is pending. That one has its place where it goes.

use super::{bounds, RequestIn, Served, ServedIn};
use hardpath_blocks::host::{MapQuestion, LONG_BYTES};
use hardpath_blocks::index_bits;
use hardpath_blocks::interface::command;
use hardpath_blocks::sweep::{zero_in_sweep, Sweep};
use hardpath_rtl::{Module, Node, Reg};

/// Clocks behind the last stage, in which what was inside settles.
const GAP: u32 = 2;

/// Bits of the commands that requests share with the host.
pub(super) const COMMAND_BITS: u32 = 3;

/// A request that is done alone, in registers from the clock after it is taken until it is done.
pub(super) struct Alone {
    register: Reg,
    /// There is one.
    pub(super) pending: Node,
    /// A request in this clock would be one.
    pub(super) meant: Node,
    /// A wire: it is taken.
    pub(super) taken: Node,
    command: Node,
    may: Node,
    key: Node,
    /// None of folded ones.
    value: Option<Node>,
}

impl Alone {
    /// `None`: the map does all at one a clock.
    pub(super) fn new(m: &mut Module, config: &Served, request: &RequestIn) -> Option<Alone> {
        if !config.kind.changes_alone() {
            return None;
        }
        m.section("A request that is done alone");
        let (register, pending) = m.reg_reset("alone_pending", 1, 0);
        let taken = m.wire(1, "alone_taken");
        let updates = m.eq_const(request.request_command, u64::from(command::UPDATE));
        let deletes = m.eq_const(request.request_command, u64::from(command::DELETE));
        let meant = m.or(&[updates, deletes]);
        let command = m.slice(request.request_command, 0, COMMAND_BITS);
        Some(Alone {
            register,
            pending,
            meant: m.name(meant, "is_done_alone"),
            taken,
            command: m.hold("alone_command", taken, command),
            may: m.hold("alone_may", taken, request.request_may),
            key: m.hold("alone_key", taken, request.request_key),
            value: (request.request_value).map(|value| m.hold("alone_value", taken, value)),
        })
    }
}

/// What the map sees of the sweep, and of what is done alone.
pub(super) fn question(
    m: &mut Module,
    config: &Served,
    sweep: &Sweep,
    inputs: &ServedIn,
    alone: Option<&Alone>,
) -> MapQuestion {
    let host = &inputs.host;
    let mut choose = |of_host: Node, of_request: fn(&Alone) -> Node| match alone {
        Some(alone) => m.mux(alone.pending, of_request(alone), of_host),
        None => of_host,
    };
    let host_command = choose(host.host_command, |alone| alone.command);
    let host_may = choose(host.host_may, |alone| alone.may);
    let host_key = choose(host.host_key, |alone| alone.key);
    let host_value = host
        .host_value
        .map(|value| choose(value, |alone| alone.value.expect("values are whole")));
    let host_index = match config.kind.is_indexed() {
        true => {
            let dumps = m.eq_const(host_command, u64::from(command::DUMP));
            let index = m.mux(dumps, host.host_slot, host_key);
            let index = match &inputs.bounds {
                Some(bounds) => bounds::index_within(m, bounds.most, index),
                None => index,
            };
            m.delay("host_index", index)
        }
        false => m.zero(32),
    };
    MapQuestion {
        map_select: m.zero(1),
        host_command,
        host_may,
        host_slot: host.host_slot,
        host_index,
        host_key,
        host_value: match host_value {
            Some(value) => zero_in_sweep(m, sweep.clear, value),
            None => m.zero(LONG_BYTES * 8),
        },
        clear: sweep.clear,
        clear_index: sweep.index,
        map_start: None,
        most: inputs.bounds.as_ref().map(|bounds| m.zext(bounds.most, 32)),
    }
}

/// The course of what is done alone.
pub(super) struct Operations {
    /// One of the host's is pending.
    pub(super) host_pending: Node,
    /// Strobe.
    pub(super) begins: Node,
    /// No request is taken for it.
    pub(super) goes: Node,
    /// Strobe: its slot goes in.
    pub(super) inject: Node,
    /// Strobes: it is over.
    pub(super) host_done: Node,
    pub(super) request_done: Option<Node>,
}

impl Operations {
    /// `prepared`: what is under way may go. `None`: at once.
    pub(super) fn new(
        m: &mut Module,
        config: &Served,
        (host_start, alone): (Node, Option<&Alone>),
        (running, prepared): (Node, Option<Node>),
    ) -> Operations {
        m.section("What is done alone: in when nothing else is inside");
        let (host_reg, host_pending) = m.reg_reset("host_pending", 1, 0);
        let pending = match alone {
            Some(alone) => m.or(&[host_pending, alone.pending]),
            None => host_pending,
        };
        let (way_reg, under_way) = m.reg_reset("under_way", 1, 0);
        let idle = m.not(under_way);
        let begins = m.and(&[pending, idle, running]);
        let begins = m.name(begins, "begins");
        let goes = match prepared {
            Some(prepared) => m.and(&[under_way, prepared]),
            None => under_way,
        };
        let (inject, done) = slot(m, config, goes);
        stays(m, way_reg, (begins, under_way), done);
        let (host_done, request_done) = match alone {
            Some(alone) => {
                let of_host = m.not(alone.pending);
                let host_done = m.and(&[done, of_host]);
                (host_done, Some(m.and(&[done, alone.pending])))
            }
            None => (done, None),
        };
        stays(m, host_reg, (host_start, host_pending), host_done);
        if let Some((alone, request_done)) = alone.zip(request_done) {
            stays(
                m,
                alone.register,
                (alone.taken, alone.pending),
                request_done,
            );
        }
        Operations {
            host_pending,
            begins,
            goes,
            inject,
            host_done,
            request_done,
        }
    }
}

/// Counts the clocks of what goes: when its slot goes in, and when that is over.
fn slot(m: &mut Module, config: &Served, goes: Node) -> (Node, Node) {
    let inject_at = config.value_clocks() + GAP;
    let done_at = inject_at + config.value_clocks() + GAP + config.host_clocks();
    let bits = index_bits(u64::from(done_at) + 1);
    let (clock_reg, clock) = m.reg("operation_clock", bits);
    let more = m.add_const(clock, 1);
    let next = m.gate(goes, more);
    m.set_next(clock_reg, next);
    let mut at = |name: &str, number: u32| {
        let there = m.eq_const(clock, u64::from(number));
        let there = m.and(&[goes, there]);
        m.name(there, name)
    };
    (at("inject", inject_at), at("done", done_at))
}

/// A bit that is set, and stays so until it is over.
fn stays(m: &mut Module, register: Reg, (sets, is_set): (Node, Node), ends: Node) {
    let goes_on = m.not(ends);
    let stays = m.and(&[is_set, goes_on]);
    let next = m.or(&[sets, stays]);
    m.set_next(register, next);
}
