//! Where packets come in: framing, length, the packet window, the write side of the frame FIFO, and credits.

use crate::index_bits;
use hardpath_rtl::{Module, Node};
use std::collections::{BTreeMap, BTreeSet};

/// What the entrance must know.
pub struct Ingress {
    pub name: String,
    /// Bytes of a beat: a power of two.
    pub beat_bytes: u32,
    /// Beats at the front of a packet that the program can read (at least 1).
    pub window_beats: u32,
    /// Words of the frame FIFO: a power of two that holds the longest packet and what is in flight.
    pub frame_depth: u32,
    /// Packets that may be behind the entrance at once.
    pub credits: u32,
    /// The shortest and the longest packet that is taken, in bytes.
    pub shortest: u32,
    pub longest: u32,
    pub has_time: bool,
    pub has_random: bool,
    /// The interface that the packet is about to leave by is kept for the program.
    pub has_egress: bool,
    /// Port and queue are kept for the program.
    pub has_port: bool,
    /// The number of packets inside is given out.
    pub tells_flight: bool,
    /// What the window has behind the packet's end is zeros; else it is of no meaning.
    pub clears_window: bool,
}

/// Bits of a packet's length in bytes.
pub const LENGTH_BITS: u32 = 14;
/// Credits and frame words that are kept back: a beat is counted four clocks after it was taken, and `tready` is a
/// register behind the counters.
pub const MARGIN: u32 = 6;

/// Beats are registered once; the clock after, the last beat of a good packet makes `packet_valid`: the window,
/// the length and the side inputs then stand in registers for exactly one clock (the next packet may overwrite
/// them in the clock after). A packet is only announced when all of it is in the frame FIFO.
pub fn ingress(config: &Ingress) -> Module {
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Entrance: AXI4-Stream in, {} bytes a beat.\n\
             Stores each frame in the frame FIFO and keeps the first {} bytes of the packet in the window.\n\
             When the last beat is in and the packet is good, packet_valid is 1 for one clock with its window, length\n\
             and side inputs. Packets that the MAC marks bad, or outside {} to {} bytes, leave no trace but a strobe.\n\
             tready is 0 while no credit, too little room or a host operation waits; it is a register.",
            config.beat_bytes,
            config.window_beats * config.beat_bytes,
            config.shortest,
            config.longest
        ),
    );
    let beat = config.beat_bytes;
    let lane_bits = beat.trailing_zeros();
    let bus = beat * 8;
    let tdata = m.input("s_axis_tdata", bus, "");
    let tkeep = m.input("s_axis_tkeep", beat, "");
    let tvalid = m.input("s_axis_tvalid", 1, "");
    let tlast = m.input("s_axis_tlast", 1, "");
    let tuser = m.input("s_axis_tuser", 25, "bad, port, queue");
    let time = config.has_time.then(|| m.input("time_ns", 64, ""));
    let random = config.has_random.then(|| m.input("random", 32, ""));
    let egress = config.has_egress.then(|| m.input("egress_ifindex", 32, ""));
    let hold = m.input(
        "hold",
        1,
        "take nothing in: a host operation needs a free slot",
    );
    let running = m.input("running", 1, "memories are cleared");
    let packet_left = m.input("packet_left", 1, "a packet has left: its credit comes back");
    let frame_bits = index_bits(u64::from(config.frame_depth));
    let read_pointer = m.input("frame_read_pointer", frame_bits, "first frame still needed");

    m.section("Input registers");
    let (ready_reg, ready) = m.reg_reset("ready", 1, 0);
    m.output("s_axis_tready", ready, "");
    let accept = m.and(&[tvalid, ready]);
    m.name(accept, "accept");
    let valid = m.delay_reset("beat_valid", accept);
    let hold_when = |m: &mut Module, name: &str, enable: Node, next: Node| {
        let (reg, node) = m.reg(name, m.width(next));
        m.set_next_when(reg, enable, next);
        node
    };
    let data = hold_when(&mut m, "beat_data", accept, tdata);
    let keep = hold_when(&mut m, "beat_keep", accept, tkeep);
    let last = hold_when(&mut m, "beat_last", accept, tlast);
    let bad_in = m.bit(tuser, 0);
    let bad = hold_when(&mut m, "beat_bad", accept, bad_in);
    let (first_reg, first) = m.reg_reset("expect_first", 1, 1);
    m.set_next_when(first_reg, accept, tlast);
    let takes_first = m.and(&[accept, first]);
    m.name(takes_first, "takes_first");
    let mut drawn: Vec<(&str, Node)> = Vec::new();
    if let Some(time) = time {
        drawn.push((
            "packet_time_ns",
            hold_when(&mut m, "drawn_time_ns", takes_first, time),
        ));
    }
    if let Some(random) = random {
        drawn.push((
            "packet_random",
            hold_when(&mut m, "drawn_random", takes_first, random),
        ));
    }
    if let Some(egress) = egress {
        drawn.push((
            "packet_egress_ifindex",
            hold_when(&mut m, "drawn_egress_ifindex", takes_first, egress),
        ));
    }
    if config.has_port {
        let port = m.slice(tuser, 1, 8);
        let queue = m.slice(tuser, 9, 16);
        let port = hold_when(&mut m, "drawn_port", takes_first, port);
        let queue = hold_when(&mut m, "drawn_queue", takes_first, queue);
        m.output(
            "early_port",
            port,
            "ingress port, one clock before packet_valid",
        );
        m.output("early_queue", queue, "queue, likewise");
    }

    m.section("Length and verdict on the frame");
    let most_beats = config.longest.div_ceil(beat);
    let beat_bits = index_bits(u64::from(most_beats) + 2);
    let (beat_reg, beat_number) = m.reg_reset("beat_number", beat_bits, 0);
    let place = Place::of_beats(&mut m, config, (beat_number, valid, last));
    // A full beat carries into the number of whole beats; otherwise the lanes are the low bits of the length.
    let count = ones_of_packed(&mut m, keep);
    m.name(count, "bytes_in_beat");
    m.comment(
        count,
        "ones from bit 0 on: a full run of lanes with no full one beside it makes their number odd",
    );
    let full = m.bit(count, lane_bits);
    let lanes = m.slice(count, 0, lane_bits);
    let beats_before = m.resize(beat_number, LENGTH_BITS - lane_bits);
    let carry = m.zext(full, LENGTH_BITS - lane_bits);
    let whole_beats = m.add(beats_before, carry);
    let length = m.concat(&[whole_beats, lanes]);
    m.name(length, "length");
    // A last beat behind others may be empty (`tkeep` of zeros): it ends the packet and adds nothing to it.
    let some_bytes = m.bit(keep, 0);
    let no_bytes = m.not(some_bytes);
    let only_ends = m.and(&[last, no_bytes, place.behind[&0]]);
    m.name(only_ends, "only_ends");
    let adds = m.not(only_ends);
    let over_bytes = place.reaches(&mut m, keep, config.longest);
    m.name(over_bytes, "too_many_bytes");
    let under = match config.shortest {
        0 => m.zero(1),
        bytes => {
            let long_enough = place.reaches(&mut m, keep, bytes - 1);
            m.name(long_enough, "long_enough");
            m.not(long_enough)
        }
    };
    let wrong_length = m.or(&[over_bytes, under]);
    m.name(wrong_length, "wrong_length");
    let done = m.and(&[valid, last]);
    m.name(done, "frame_ends");
    let right_length = m.not(wrong_length);
    let not_bad = m.not(bad);
    let good = m.and(&[done, right_length, not_bad]);
    m.name(good, "good");
    let next_beat = m.add_const(beat_number, 1);
    let zero_beat = m.zero(beat_bits);
    let beat_next = m.mux(last, zero_beat, next_beat);
    m.set_next_when(beat_reg, valid, beat_next);

    m.section("Frame FIFO, write side");
    let (write_reg, write_pointer) = m.reg_reset("frame_write_pointer", frame_bits, 0);
    let (start_reg, start) = m.reg_reset("packet_start", frame_bits, 0);
    let has_room = m.not(place.behind[&(most_beats - 1)]);
    let write = m.and(&[valid, has_room, adds]);
    let after = m.add_const(write_pointer, 1);
    let not_good = m.not(good);
    let gives_up = m.and(&[done, not_good]);
    let stepped = m.mux(write, after, write_pointer);
    m.name(stepped, "behind_this_beat");
    let pointer_next = m.mux(gives_up, start, stepped);
    m.set_next(write_reg, pointer_next);
    m.set_next_when(start_reg, good, stepped);
    m.output("frame_write", write, "");
    m.output("frame_write_address", write_pointer, "");
    m.output("frame_write_data", data, "");

    m.section("Packet window");
    let mut parts = Vec::new();
    for index in 0..config.window_beats {
        let here = place.at(&mut m, index);
        let take = m.and(&[valid, here]);
        let name = format!("window_{index}");
        parts.push(match config.clears_window {
            true => {
                let first = place.at(&mut m, 0);
                let begins = m.and(&[valid, first]);
                cleared_window(&mut m, &name, (take, begins), (data, keep))
            }
            false => hold_when(&mut m, &name, take, data),
        });
    }
    parts.reverse();
    let window = m.concat(&parts);
    let packet_valid = m.delay_reset("packet_valid_reg", good);
    let packet_length = hold_when(&mut m, "packet_length_reg", done, length);
    m.output(
        "packet_valid",
        packet_valid,
        "a packet enters the program in this clock",
    );
    m.output("window", window, "its first bytes; byte 0 in bits 7:0");
    m.output("packet_length", packet_length, "its length in bytes");
    for (name, node) in drawn {
        let width = m.width(node);
        let (reg, held) = m.reg(format!("{name}_reg"), width);
        m.set_next_when(reg, done, node);
        m.output(name, held, "");
    }
    let bad_strobe = m.and(&[done, bad]);
    let dropped_bad = m.delay_reset("dropped_bad_reg", bad_strobe);
    m.output(
        "dropped_bad",
        dropped_bad,
        "a frame that the MAC marked bad was dropped",
    );
    let length_strobe = m.and(&[done, wrong_length, not_bad]);
    let dropped_length = m.delay_reset("dropped_length_reg", length_strobe);
    m.output(
        "dropped_length",
        dropped_length,
        "a frame of wrong length was dropped",
    );

    m.section("Credits and room");
    let credit_bits = index_bits(u64::from(config.credits) + 1);
    // Two counts and their difference: a packet leaves late in a clock, and an enable is all that it reaches.
    let (came_reg, came) = m.reg_reset("packets_came", credit_bits, 0);
    let (left_reg, left) = m.reg_reset("packets_left", credit_bits, 0);
    for (reg, count, step) in [
        (came_reg, came, packet_valid),
        (left_reg, left, packet_left),
    ] {
        let next = m.add_const(count, 1);
        m.set_next_when(reg, step, next);
    }
    let in_flight = m.sub(came, left);
    m.name(in_flight, "in_flight");
    if config.tells_flight {
        m.output("in_flight", in_flight, "packets behind the entrance");
    }
    let limit = m.constant(u64::from(config.credits - MARGIN), credit_bits);
    let credit_left = m.ult(in_flight, limit);
    let used = m.sub(write_pointer, read_pointer);
    let room_limit = m.constant(u64::from(config.frame_depth - MARGIN), frame_bits);
    let room_left = m.ult(used, room_limit);
    let not_held = m.not(hold);
    let ready_next = m.and(&[credit_left, room_left, not_held, running]);
    m.set_next(ready_reg, ready_next);

    let packed = keep_is_packed(&mut m, tkeep, tlast);
    let no_beat = m.not(accept);
    let in_order = m.or(&[no_beat, packed]);
    m.assert(
        "tkeep_packed",
        in_order,
        "s_axis_tkeep must be all ones before the last beat and packed from bit 0 on it",
    );
    m
}

/// A beat of the window that has zeros where the packet has no bytes: its first beat clears all others.
fn cleared_window(
    m: &mut Module,
    name: &str,
    (take, begins): (Node, Node),
    (data, keep): (Node, Node),
) -> Node {
    let lanes = m.width(keep);
    let mut masks = Vec::new();
    for lane in (0..lanes).rev() {
        let kept = m.bit(keep, lane);
        masks.push(m.sext(kept, 8));
    }
    let mask = m.concat(&masks);
    let bytes = m.and(&[data, mask]);
    let next = m.gate(take, bytes);
    let changes = m.or(&[take, begins]);
    let (reg, node) = m.reg(name, lanes * 8);
    m.set_next_when(reg, changes, next);
    node
}

/// Where in its packet the present beat is. Registers know it before the beat comes: a compare of its number would be
/// the beginning of the longest path.
struct Place {
    /// Whether the present beat is behind this one, for all that somebody asks about; until the packet ends, even when
    /// the number has begun again because the packet is far too long.
    behind: BTreeMap<u32, Node>,
}

impl Place {
    fn of_beats(
        m: &mut Module,
        config: &Ingress,
        (beat_number, valid, last): (Node, Node, Node),
    ) -> Place {
        let beat = config.beat_bytes;
        let most_beats = config.longest.div_ceil(beat);
        let mut beats: BTreeSet<u32> = (0..config.window_beats).collect();
        beats.insert(most_beats - 1);
        for byte in [config.longest, config.shortest.saturating_sub(1)] {
            beats.extend((byte / beat).saturating_sub(1)..=byte / beat);
        }
        let goes_on = m.not(last);
        let mut behind = BTreeMap::new();
        for beat in beats {
            let (reg, node) = m.reg_reset(format!("behind_beat_{beat}"), 1, 0);
            let next = match beat.checked_sub(1).map(|before| behind.get(&before)) {
                None => goes_on,
                Some(Some(reached)) => m.and(&[*reached, goes_on]),
                Some(None) => {
                    let at = m.eq_const(beat_number, u64::from(beat));
                    let reached = m.or(&[node, at]);
                    m.and(&[reached, goes_on])
                }
            };
            m.set_next_when(reg, valid, next);
            behind.insert(beat, node);
        }
        Place { behind }
    }

    /// Whether the present beat is this one.
    fn at(&self, m: &mut Module, beat: u32) -> Node {
        let not_behind = m.not(self.behind[&beat]);
        match beat {
            0 => not_behind,
            _ => m.and(&[self.behind[&(beat - 1)], not_behind]),
        }
    }

    /// Whether the packet has a byte `index` (from 0), seen at its last beat.
    fn reaches(&self, m: &mut Module, keep: Node, index: u32) -> Node {
        let lanes = m.width(keep);
        let beat = index / lanes;
        let lane = m.bit(keep, index % lanes);
        let within = match beat {
            0 => lane,
            _ => m.and(&[self.behind[&(beat - 1)], lane]),
        };
        m.or(&[self.behind[&beat], within])
    }
}

/// The number of ones in a byte mask that is packed from bit 0, of a power of two of lanes. The bit that counts `run` is
/// 1 where a run of so many lanes is full and the next one, with which it makes a pair, is not.
fn ones_of_packed(m: &mut Module, keep: Node) -> Node {
    let lanes = m.width(keep);
    let mut bits = vec![m.bit(keep, lanes - 1)];
    let mut run = lanes / 2;
    while run > 0 {
        let mut ends = Vec::new();
        for pair in 0..lanes / (2 * run) {
            let lower = m.bit(keep, (2 * pair + 1) * run - 1);
            let upper = m.bit(keep, (2 * pair + 2) * run - 1);
            let not_upper = m.not(upper);
            ends.push(m.and(&[lower, not_upper]));
        }
        let odd = m.or(&ends);
        m.name(odd, format!("odd_runs_of_{run}"));
        bits.push(odd);
        run /= 2;
    }
    m.concat(&bits)
}

/// Whether a byte mask is all ones (not the last beat) or packed from bit 0.
fn keep_is_packed(m: &mut Module, keep: Node, last: Node) -> Node {
    let lanes = m.width(keep);
    let all = m.reduce_and(keep);
    let low = m.slice(keep, 0, lanes - 1);
    let high = m.slice(keep, 1, lanes - 1);
    let not_low = m.not(low);
    let gaps = m.and(&[high, not_low]);
    let gap = m.reduce_or(gaps);
    let no_gap = m.not(gap);
    m.mux(last, no_gap, all)
}
