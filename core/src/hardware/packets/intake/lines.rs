//! One line a clock into the ring: those of the headroom, of the packet, of the tail.

use super::beats::Verdict;
use super::{inside, limits_of, lines_of, Intake, IntakeIn, LineOut};
use hardpath_blocks::index_bits;
use hardpath_rtl::{Module, Node, Reg};

/// The oldest line and the oldest verdict.
pub(super) struct Heads {
    pub valid: Node,
    pub last: Node,
    pub some: Node,
    pub bank: Node,
    pub data: Node,
    pub verdict: Verdict,
}

/// What is written and told.
pub(super) struct Written {
    pub line: LineOut,
    pub line_pop: Node,
    pub verdict_pop: Node,
    /// A descriptor, for one clock; its lines are in the memory.
    pub told_valid: Node,
    pub told: Told,
    /// Packets have lines in the ring, or their descriptor is on its way.
    pub waits: Node,
}

/// What is told of a packet.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub line: Node,
    pub lines: Node,
    pub length: Node,
    pub bank: Node,
    pub drawn_at: Node,
}

impl Told {
    pub fn parts(&self) -> Vec<Node> {
        vec![self.line, self.lines, self.length, self.bank, self.drawn_at]
    }

    /// Of parts in this order.
    pub fn of(parts: &[Node]) -> Told {
        Told {
            line: parts[0],
            lines: parts[1],
            length: parts[2],
            bank: parts[3],
            drawn_at: parts[4],
        }
    }
}

/// What the program asks for, in lines.
struct Bounds {
    headroom: Node,
    tail: Node,
    longest: Node,
}

/// What happens in this clock.
struct Step {
    /// A line is written.
    writes: Node,
    /// It is of the headroom.
    of_headroom: Node,
    /// It is of the packet.
    of_packet: Node,
    /// A line is used up.
    line_pop: Node,
    /// The packet is written; its tail is not.
    closes: Node,
    /// All of a good packet is written.
    commits: Node,
    /// A packet leaves nothing.
    drops: Node,
    /// Between packets, while none are taken or another program's comes: what was written of the headroom is forgotten.
    restarts: Node,
    /// The line that is written next, in the clock behind this one, but for what drops and restarts.
    after: Node,
}

/// A number of lines that are left, and whether it is any: a register that the longest paths begin with.
struct Left {
    count: (Reg, Node),
    some: (Reg, Node),
}

/// Registers that are driven when the step is known.
struct State {
    /// Lines of the headroom that are not yet written.
    ahead: Left,
    /// The packet is written, and its tail is not.
    closing: (Reg, Node),
    /// Lines behind offset 0 that must still come, at least.
    tail_left: Left,
    /// Lines that the packet may still have.
    lines_left: Left,
    /// A line of a packet was taken.
    inside: (Reg, Node),
    /// That of the program whose headroom is written.
    bank: (Reg, Node),
    /// The line that is written next, that of offset 0, and the first one of the headroom; each with a bit more, which counts rounds.
    pointer: (Reg, Node),
    body: (Reg, Node),
    start: (Reg, Node),
}

/// Takes lines and verdicts.
pub(super) fn lines(m: &mut Module, config: &Intake, inputs: &IntakeIn, heads: &Heads) -> Written {
    m.section("What the program asks for, in lines");
    let state = State::new(m, config);
    let limits = limits_of(m, inputs, state.bank.1);
    let headroom = m.delay("headroom_lines_reg", limits.headroom_lines);
    let [tail, longest] = [
        ("tail_lines", limits.tail),
        ("longest_lines", limits.longest),
    ]
    .map(|(name, bytes)| {
        let lines = lines_of(m, config, bytes);
        m.delay(name, lines)
    });
    let bounds = Bounds {
        headroom,
        tail,
        longest,
    };
    m.section("One line a clock");
    let turns = turns(m, inputs, heads, &state);
    let (room, some_inside) = room(m, config, inputs, &state);
    let told_room = m.wire(1, "descriptor_room");
    let (step, line) = step(m, inputs, heads, &state, (turns, room, told_room));
    state.moves(m, &step, &bounds);
    m.section("Descriptors");
    let (told_valid, told, told_waits) = told(m, inputs, heads, &state, &step);
    descriptor_room(m, config, (&step, inputs.descriptor_take), told_room);
    let (_, inside) = state.inside;
    Written {
        line,
        line_pop: step.line_pop,
        verdict_pop: m.or(&[step.commits, step.drops]),
        told_valid,
        told,
        waits: m.or(&[some_inside, inside, told_waits]),
    }
}

/// Whether a line may be written, whatever is written in this clock; and whether packets have lines.
fn room(m: &mut Module, config: &Intake, inputs: &IntakeIn, state: &State) -> (Node, Node) {
    let bits = config.ring.count_bits();
    let given = m.delay_reset("given_back_reg", inputs.given.given_back);
    let lines = m.delay("given_lines_reg", inputs.given.given_lines);
    let (reg, released) = m.reg_reset("released", bits, 0);
    let next = m.add(released, lines);
    m.set_next_when(reg, given, next);
    let (_, pointer) = state.pointer;
    let used = m.sub(pointer, released);
    m.name(used, "lines_used");
    let all = m.constant(config.ring.lines.into(), bits);
    let fits = m.ule(used, all);
    m.assert("ring_holds", fits, "more lines came back than packets have");
    let limit = m.constant(u64::from(config.ring.lines) - 1, bits);
    let room = m.ult(used, limit);
    let (_, start) = state.start;
    let some_inside = m.ne(start, released);
    (m.delay_reset("room", room), some_inside)
}

/// What may be done in this clock.
struct Offer {
    /// A line of the headroom is to come.
    heading: Node,
    /// The oldest line can be used up.
    here: Node,
    /// It belongs in the ring: it has bytes, and its packet is not known to be dropped.
    needed: Node,
    /// A line is offered to the memory; it has zeros.
    valid: Node,
    zeros: Node,
}

/// What there is to be done.
fn offer(
    m: &mut Module,
    heads: &Heads,
    state: &State,
    (turns, room, told_room): (Node, Node, Node),
) -> Offer {
    let ((_, heading), (_, closing)) = (state.ahead.some, state.closing);
    let (_, within) = state.lines_left.some;
    let zeros = m.or(&[heading, closing]);
    let goes_on = m.not(heads.last);
    let known = m.or(&[goes_on, heads.verdict.valid]);
    let other = m.or(&[zeros, turns]);
    let of_packet = m.not(other);
    let here = m.and(&[heads.valid, known, of_packet, told_room]);
    let worth = m.or(&[goes_on, heads.verdict.good]);
    let needed = m.and(&[heads.some, within, worth]);
    let packet = m.and(&[here, needed]);
    let closes = m.and(&[closing, told_room]);
    let any = m.or(&[packet, heading, closes]);
    let not_needed = m.not(needed);
    let free = m.or(&[room, not_needed]);
    Offer {
        heading,
        here: m.and(&[here, free]),
        needed,
        valid: m.and(&[any, room]),
        zeros,
    }
}

/// What is done in this clock, and the line for that.
fn step(
    m: &mut Module,
    inputs: &IntakeIn,
    heads: &Heads,
    state: &State,
    rooms: (Node, Node, Node),
) -> (Step, LineOut) {
    let offer = offer(m, heads, state, rooms);
    let (_, closing) = state.closing;
    let ((_, tail_left), (_, some_left)) = (state.tail_left.count, state.tail_left.some);
    let writes = m.and(&[offer.valid, inputs.line_ready]);
    m.name(writes, "writes");
    let line_pop = m.and(&[offer.here, inputs.line_ready]);
    m.name(line_pop, "takes_line");
    let ends = m.and(&[line_pop, heads.last]);
    let ends_good = m.and(&[ends, heads.verdict.good]);
    let bad = m.not(heads.verdict.good);
    // The last line that the tail needs is the packet's own, or one of zeros.
    let none_left = m.not(some_left);
    let one_left = m.eq_const(tail_left, 1);
    let last_left = m.and(&[one_left, offer.needed]);
    let tail_done = m.or(&[none_left, last_left]);
    let tail_waits = m.not(tail_done);
    let commits_body = m.and(&[ends_good, tail_done]);
    let commits_tail = m.and(&[closing, one_left, writes]);
    let (_, pointer) = state.pointer;
    // A choice, because `writes` comes late: behind the memory's `line_ready`.
    let one_more = m.add_const(pointer, 1);
    let step = Step {
        writes,
        of_headroom: m.and(&[offer.heading, writes]),
        of_packet: m.and(&[line_pop, offer.needed]),
        line_pop,
        closes: m.and(&[ends_good, tail_waits]),
        commits: m.or(&[commits_body, commits_tail]),
        drops: m.and(&[ends, bad]),
        restarts: restarts(m, inputs, heads, (state, rooms.0)),
        after: m.mux(writes, one_more, pointer),
    };
    m.name(step.commits, "commits");
    m.name(step.drops, "drops");
    let line = LineOut {
        line_valid: offer.valid,
        line_index: m.slice(pointer, 0, m.width(pointer) - 1),
        line_zeros: offer.zeros,
        line_data: heads.data,
    };
    (step, line)
}

/// The headroom that is written, or was, is not that of the next packet: until it is known what the latter's program asks for.
fn turns(m: &mut Module, inputs: &IntakeIn, heads: &Heads, state: &State) -> Node {
    let ((_, inside), (_, closing)) = (state.inside, state.closing);
    let busy = m.or(&[inside, closing]);
    let between = m.not(busy);
    let (reg, bank) = state.bank;
    let next = m.mux(heads.valid, heads.bank, inputs.bank);
    let differs = m.ne(next, bank);
    let turns = m.and(&[differs, between]);
    m.set_next_when(reg, turns, next);
    // The bank, and behind it what it asks for.
    let bank_stands = m.delay_reset("turns_1", turns);
    let bounds_stand = m.delay_reset("turns_2", bank_stands);
    m.or(&[turns, bank_stands, bounds_stand])
}

/// Between packets while none are taken, and while the next one is another program's; and behind a reset, when nothing has begun.
fn restarts(
    m: &mut Module,
    inputs: &IntakeIn,
    heads: &Heads,
    (state, turns): (&State, Node),
) -> Node {
    let ((_, inside), (_, closing)) = (state.inside, state.closing);
    let busy = m.or(&[inputs.running, heads.valid, inside, closing]);
    let one = m.one();
    // What the program asks for stands in registers a clock later.
    let begun = m.delay_reset("begins", one);
    let begun = m.delay_reset("has_begun", begun);
    let same = m.not(turns);
    let goes_on = m.and(&[busy, begun, same]);
    m.not(goes_on)
}

impl Left {
    fn new(m: &mut Module, name: &str, bits: u32) -> Left {
        Left {
            count: m.reg_reset(name, bits, 0),
            some: m.reg_reset(format!("some_{name}"), 1, 0),
        }
    }

    /// Begins anew with a number, or goes down by one, to none at last.
    fn moves(&self, m: &mut Module, (anew, from): (Node, Node), down: Node) {
        let ((reg, count), (some_reg, some)) = (self.count, self.some);
        let down = m.and(&[down, some]);
        let changes = m.or(&[anew, down]);
        let less = m.sub_const(count, 1);
        let next = m.mux(anew, from, less);
        m.set_next_when(reg, changes, next);
        let was_last = m.eq_const(count, 1);
        let others = m.not(was_last);
        let some_from = m.reduce_or(from);
        let next = m.mux(anew, some_from, others);
        m.set_next_when(some_reg, changes, next);
    }
}

impl State {
    fn new(m: &mut Module, config: &Intake) -> State {
        let bits = config.ring.count_bits();
        State {
            ahead: Left::new(m, "headroom_left", bits),
            closing: m.reg_reset("closing", 1, 0),
            tail_left: Left::new(m, "tail_left", bits),
            lines_left: Left::new(m, "lines_left", bits),
            inside: m.reg_reset("inside", 1, 0),
            bank: m.reg_reset("headroom_bank", 1, 0),
            pointer: m.reg_reset("pointer", bits, 0),
            body: m.reg_reset("packet_start", bits, 0),
            start: m.reg_reset("headroom_start", bits, 0),
        }
    }

    fn moves(&self, m: &mut Module, step: &Step, bounds: &Bounds) {
        let begins = m.or(&[step.commits, step.drops, step.restarts]);
        let fresh = m.or(&[step.commits, step.restarts]);
        // Each counts down to 0, and begins anew with a packet.
        let of_tail = {
            let of_headroom = m.not(step.of_headroom);
            m.and(&[step.writes, of_headroom])
        };
        for (left, anew, from, down) in [
            (&self.ahead, fresh, bounds.headroom, step.of_headroom),
            (&self.tail_left, begins, bounds.tail, of_tail),
            (&self.lines_left, begins, bounds.longest, step.of_packet),
        ] {
            left.moves(m, (anew, from), down);
        }
        let (reg, closing) = self.closing;
        let over = m.not(step.commits);
        let stays = m.or(&[closing, step.closes]);
        let next = m.and(&[stays, over]);
        m.set_next(reg, next);
        let (reg, inside) = self.inside;
        let not_over = m.not(begins);
        let next = m.or(&[inside, step.line_pop]);
        let next = m.and(&[next, not_over]);
        m.set_next(reg, next);
        self.pointers_move(m, step);
    }

    fn pointers_move(&self, m: &mut Module, step: &Step) {
        let ((pointer_reg, _), (body_reg, body), (start_reg, start)) =
            (self.pointer, self.body, self.start);
        let next = m.mux(step.drops, body, step.after);
        let next = m.mux(step.restarts, start, next);
        m.set_next(pointer_reg, next);
        let moves = m.or(&[step.of_headroom, step.commits, step.restarts]);
        let next = m.mux(step.restarts, start, step.after);
        m.set_next_when(body_reg, moves, next);
        m.set_next_when(start_reg, step.commits, step.after);
    }
}

/// The descriptor of a packet that is written. It waits until the memory has taken its last line to the banks: `line_ready` says so.
fn told(
    m: &mut Module,
    inputs: &IntakeIn,
    heads: &Heads,
    state: &State,
    step: &Step,
) -> (Node, Told, Node) {
    let (_, body) = state.body;
    let (_, start) = state.start;
    let bits = m.width(body) - 1;
    let line = m.slice(body, 0, bits);
    // Not `after` less `start`: what is written comes late.
    let (_, pointer) = state.pointer;
    let before = m.sub(pointer, start);
    let more = m.add_const(before, 1);
    let lines = m.mux(step.writes, more, before);
    let verdict = &heads.verdict;
    let mut held = |name: &str, node: Node| m.hold(format!("told_{name}"), step.commits, node);
    let told = Told {
        line: held("line", line),
        lines: held("lines", lines),
        length: held("length", verdict.length),
        bank: held("bank", state.bank.1),
        drawn_at: held("drawn_at", verdict.drawn_at),
    };
    let (reg, waits) = m.reg_reset("told_waits", 1, 0);
    let blocked = m.not(inputs.line_ready);
    let stays = m.and(&[waits, blocked]);
    let next = m.or(&[step.commits, stays]);
    m.set_next(reg, next);
    let pushes = m.and(&[waits, inputs.line_ready]);
    (pushes, told, waits)
}

/// Drives whether a packet may be committed: there is room for its descriptor, and for one more that is not yet counted.
fn descriptor_room(m: &mut Module, config: &Intake, (step, take): (&Step, Node), room: Node) {
    let bits = index_bits(config.descriptors.into()) + 1;
    let used = inside(m, "descriptors", bits, (step.commits, take));
    let limit = m.constant(u64::from(config.descriptors) - 1, bits);
    let free = m.ult(used, limit);
    let free = m.delay_reset("descriptor_room_reg", free);
    m.drive(room, free);
}
