//! Where packets go out: the read side of the frame FIFO and the rewriter that overlays bytes.

use crate::index_bits;
use crate::ingress::LENGTH_BITS;
use hardpath_rtl::{Module, Node};

/// What the exit must know.
pub struct Egress {
    pub name: String,
    pub beat_bytes: u32,
    pub frame_depth: u32,
    /// Runs of packet bytes that the program may write: (offset, bytes). They do not overlap. Only a packet that is
    /// moved has bytes at negative offsets.
    pub overlays: Vec<(i32, u32)>,
    /// Width of the verdict: 3 (`enum xdp_action`) or 64 (raw: every packet goes out).
    pub verdict_bits: u32,
    pub has_destination: bool,
    /// Packets may be sent several times ([`crate::repeater::repeater`]).
    pub repeats: bool,
}

/// One beat a clock; a packet that does not go out costs one clock. All three registers of the way out move
/// together, when the output register is free or taken.
pub fn egress(config: &Egress) -> Module {
    let overlays = match config.overlays.is_empty() {
        true => "",
        false => " overlays the bytes that the program wrote,",
    };
    let mut m = Module::new(
        config.name.clone(),
        format!(
            "Exit: takes a packet's result, reads its beats,{overlays} and sends them as AXI4-Stream,\n\
             {} bytes a beat. A packet with verdict DROP or ABORTED is forgotten in one clock.\n\
             While tvalid is 1 and tready is 0, the beat stays as it is; there is no gap inside a packet while\n\
             tready is 1.",
            config.beat_bytes
        ),
    );
    let beat = config.beat_bytes;
    let lane_bits = beat.trailing_zeros();
    let raw = config.verdict_bits == 64;
    let frame_bits = index_bits(u64::from(config.frame_depth));
    let result_valid = m.input("result_valid", 1, "a packet's result waits");
    let verdict = m.input("result_verdict", config.verdict_bits, "");
    let last_byte = m.input(
        "result_last_byte",
        LENGTH_BITS,
        "the number of its last byte; 0 if it has none",
    );
    let empty = raw.then(|| m.input("result_empty", 1, "it has no bytes"));
    let destination = config
        .has_destination
        .then(|| m.input("result_destination", 32, "where a redirect goes"));
    let repeat = config.repeats.then(|| repeat_inputs(&mut m));
    let mut given_overlays = Vec::new();
    for (offset, bytes) in &config.overlays {
        let (enable, data) = overlay_inputs(&mut m, *offset, *bytes);
        let offset = u32::try_from(*offset).expect("a packet that is not moved has no headroom");
        given_overlays.push((offset, *bytes, enable, data));
    }
    let frame = m.input(
        "frame_read_data",
        beat * 8,
        "the frame read in the clock before",
    );
    let tready = m.input("m_axis_tready", 1, "");

    m.section("Which frame is read");
    let out_valid = m.wire(1, "out_valid");
    let out_free = m.not(out_valid);
    let advance = m.or(&[out_free, tready]);
    m.name(advance, "advance");
    let number_bits = LENGTH_BITS - lane_bits;
    let (number_reg, number) = m.reg_reset("frame_number", number_bits, 0);
    let last_number = m.slice(last_byte, lane_bits, number_bits);
    let is_last = m.eq(number, last_number);
    m.name(is_last, "is_last");
    let goes_on = if raw {
        m.one()
    } else {
        sent_to_someone(&mut m, verdict, repeat)
    };
    m.name(goes_on, "sent_on");
    let forgotten = m.not(goes_on);
    let active = m.and(&[result_valid, advance]);
    let reads = m.and(&[active, goes_on]);
    m.name(reads, "reads");
    let finishes = m.or(&[forgotten, is_last]);
    let pop = m.and(&[active, finishes]);
    m.name(pop, "pop");
    let next_number = m.add_const(number, 1);
    let first_number = m.zero(number_bits);
    let number_next = m.mux(pop, first_number, next_number);
    m.set_next_when(number_reg, active, number_next);
    let (pointer_reg, pointer) = m.reg_reset("frame_read_pointer_reg", frame_bits, 0);
    let last_wide = m.resize(last_number, frame_bits);
    let none = m.zero(frame_bits);
    let skipped = m.mux(forgotten, last_wide, none);
    let past = m.add(pointer, skipped);
    let pointer_next = m.add_const(past, 1);
    match repeat {
        None => m.set_next_when(pointer_reg, active, pointer_next),
        Some((again, _)) => {
            // The frames of a packet that is sent once more are read from its first one, which stays.
            let moves = m.not(again);
            let moves = m.and(&[active, moves]);
            m.set_next_when(pointer_reg, moves, pointer_next);
            let wide = m.resize(number, frame_bits);
            let further = m.gate(again, wide);
            let address = m.add(pointer, further);
            m.output("frame_read_address", address, "the frame that is read");
        }
    }
    m.output("result_pop", pop, "the result is used up");
    m.output("frame_read_pointer", pointer, "first frame still needed");
    m.output("frame_read", advance, "read enable of the frame FIFO");

    m.section("The frame is read; what belongs to it waits");
    let read_valid = hold_reset(&mut m, "read_valid", advance, reads);
    let read_last = hold(&mut m, "read_last", advance, is_last);
    let low_count = m.slice(last_byte, 0, lane_bits);
    let read_count = hold(&mut m, "read_last_lane", advance, low_count);
    let read_empty = empty.map(|empty| hold(&mut m, "read_empty", advance, empty));
    let read_verdict = hold(&mut m, "read_verdict", advance, verdict);
    let read_again = repeat.map(|(again, _)| hold(&mut m, "read_again", advance, again));
    let read_destination = destination.map(|node| {
        let redirect = m.bit(verdict, 2);
        let given = m.gate(redirect, node);
        hold(&mut m, "read_destination", advance, given)
    });
    let mut lanes: Vec<Vec<(Node, Node)>> = vec![Vec::new(); beat as usize];
    for (offset, bytes, enable, data) in given_overlays {
        let (first, last) = (offset / beat, (offset + bytes - 1) / beat);
        for frame_number in first..=last {
            let from = offset.max(frame_number * beat);
            let to = (offset + bytes).min((frame_number + 1) * beat);
            let part = m.slice(data, (from - offset) * 8, (to - from) * 8);
            let here = m.eq_const(number, u64::from(frame_number));
            let on = m.and(&[enable, here]);
            let held_on = hold(&mut m, &format!("write_{from}"), advance, on);
            let held_data = hold(&mut m, &format!("write_{from}_data"), advance, part);
            for byte in 0..to - from {
                let value = m.slice(held_data, byte * 8, 8);
                lanes[((from + byte) % beat) as usize].push((held_on, value));
            }
        }
    }

    m.section("Output registers");
    let mut bytes = Vec::new();
    for (lane, writes) in lanes.iter().enumerate() {
        let original = m.slice(frame, lane as u32 * 8, 8);
        bytes.push(match writes.as_slice() {
            [] => original,
            [(on, value)] => m.mux(*on, *value, original),
            _ => one_of(&mut m, writes, original),
        });
    }
    bytes.reverse();
    let rewritten = m.concat(&bytes);
    let mut keep_lanes = Vec::new();
    for lane in 0..beat {
        let not_last = m.not(read_last);
        let lane_number = m.constant(u64::from(lane), lane_bits);
        let within = m.ule(lane_number, read_count);
        let mut on = m.or(&[not_last, within]);
        if let Some(empty) = read_empty {
            let some = m.not(empty);
            on = m.and(&[on, some]);
        }
        keep_lanes.push(on);
    }
    keep_lanes.reverse();
    let keep = m.concat(&keep_lanes);
    let valid_out = hold_reset(&mut m, "m_axis_tvalid_reg", advance, read_valid);
    m.drive(out_valid, valid_out);
    let data_out = hold(&mut m, "m_axis_tdata_reg", advance, rewritten);
    let keep_out = hold(&mut m, "m_axis_tkeep_reg", advance, keep);
    let last_out = hold(&mut m, "m_axis_tlast_reg", advance, read_last);
    let user = match read_again {
        Some(again) => m.concat(&[again, read_verdict]),
        None => read_verdict,
    };
    let user_out = hold(&mut m, "m_axis_tuser_reg", advance, user);
    let dest_out = match read_destination {
        Some(node) => hold(&mut m, "m_axis_tdest_reg", advance, node),
        None => m.zero(32),
    };
    m.output("m_axis_tdata", data_out, "");
    m.output("m_axis_tkeep", keep_out, "");
    m.output("m_axis_tvalid", out_valid, "");
    m.output("m_axis_tlast", last_out, "");
    m.output("m_axis_tuser", user_out, "");
    m.output("m_axis_tdest", dest_out, "");
    if raw {
        let strobe = m.delay_reset("verdict_valid_reg", pop);
        let no_verdict = m.zero(3);
        m.output("verdict_valid", strobe, "");
        m.output("verdict", no_verdict, "");
    } else {
        let again = repeat.map(|(again, _)| again);
        verdict_strobe(&mut m, pop, verdict, goes_on, again);
    }
    m
}

/// The number of the last byte of a packet of this length, and whether it has none, for the exit that counts frames
/// by them. In front of the result FIFO this costs the exit nothing.
pub fn last_byte(m: &mut Module, length: Node) -> (Node, Node) {
    let nothing = m.zero(LENGTH_BITS);
    let empty = m.eq(length, nothing);
    let one = m.constant(1, LENGTH_BITS);
    let less_one = m.sub(length, one);
    (m.mux(empty, nothing, less_one), empty)
}

/// What says that a packet is sent once more, and that it is sent to nobody.
pub(crate) fn repeat_inputs(m: &mut Module) -> (Node, Node) {
    let doc = "it comes once more: its frames stay";
    let again = m.input("result_again", 1, doc);
    let nobody = m.input("result_nobody", 1, "a broadcast that nobody gets");
    (again, nobody)
}

/// The strobe of a packet's verdict, when the last slot of its first copy has been read.
pub(crate) fn verdict_strobe(
    m: &mut Module,
    done: Node,
    verdict: Node,
    goes_on: Node,
    again: Option<Node>,
) {
    let mut strobes = done;
    if let Some(again) = again {
        let (repeating_reg, repeating) = m.reg_reset("repeating", 1, 0);
        m.set_next_when(repeating_reg, done, again);
        let is_first = m.not(repeating);
        strobes = m.and(&[done, is_first]);
        let sent = m.delay("verdict_sent_reg", goes_on);
        m.output("verdict_sent", sent, "");
    }
    let strobe = m.delay_reset("verdict_valid_reg", strobes);
    let strobe_verdict = m.delay("verdict_reg", verdict);
    m.output("verdict_valid", strobe, "");
    m.output("verdict", strobe_verdict, "");
}

/// Whether a packet goes on: by its verdict, and if it is broadcast to someone.
pub(crate) fn sent_to_someone(m: &mut Module, verdict: Node, repeat: Option<(Node, Node)>) -> Node {
    let goes_on = sent_on(m, verdict);
    match repeat {
        Some((_, nobody)) => {
            let someone = m.not(nobody);
            m.and(&[goes_on, someone])
        }
        None => goes_on,
    }
}

/// Whether a packet of this verdict (3 bits) goes on: PASS, TX or REDIRECT.
pub(crate) fn sent_on(m: &mut Module, verdict: Node) -> Node {
    let tx_or_pass = m.bit(verdict, 1);
    let redirect = m.bit(verdict, 2);
    m.or(&[tx_or_pass, redirect])
}

/// An offset in a name: `12`, `m20` for −20.
pub fn offset_name(offset: i32) -> String {
    match offset {
        0.. => offset.to_string(),
        _ => format!("m{}", offset.unsigned_abs()),
    }
}

/// The ports of an overlay: its enable, its bytes.
pub(crate) fn overlay_inputs(m: &mut Module, offset: i32, bytes: u32) -> (Node, Node) {
    let name = offset_name(offset);
    let doc = "the program wrote these bytes";
    let enable = m.input(format!("overlay_{name}_enable"), 1, doc);
    let doc = "byte 0 in bits 7:0";
    let data = m.input(format!("overlay_{name}_data"), bytes * 8, doc);
    (enable, data)
}

pub(crate) fn hold(m: &mut Module, name: &str, enable: Node, next: Node) -> Node {
    let (reg, node) = m.reg(name, m.width(next));
    m.set_next_when(reg, enable, next);
    node
}

pub(crate) fn hold_reset(m: &mut Module, name: &str, enable: Node, next: Node) -> Node {
    let (reg, node) = m.reg_reset(name, m.width(next), 0);
    m.set_next_when(reg, enable, next);
    node
}

/// The one value whose bit is on, or else the other one. At most one bit is on.
pub(crate) fn one_of(m: &mut Module, choices: &[(Node, Node)], otherwise: Node) -> Node {
    let mut terms = Vec::new();
    let mut any = Vec::new();
    for (on, value) in choices {
        terms.push(m.gate(*on, *value));
        any.push(*on);
    }
    let some = m.or(&any);
    let none = m.not(some);
    terms.push(m.gate(none, otherwise));
    m.or(&terms)
}
