//! Room for answers: a request is taken when there is some, and its answer waits there until it is taken.

use super::access::{self, Answered};
use super::lanes::from_lowest;
use super::order::{Alone, Operations};
use super::{Leaving, RequestIn, ResponseAccessOut, ResponseOut, Served};
use hardpath_blocks::fifo::{fifo, FifoIn, FifoOut};
use hardpath_blocks::index_bits;
use hardpath_rtl::{Design, Module, Node};

/// Answers that may wait: as many as are under way at one a clock.
fn depth(config: &Served) -> u32 {
    (config.clocks() + 4).next_power_of_two()
}

/// Whether a request would be taken, and whether one goes into the map's stages.
pub(super) fn room(
    m: &mut Module,
    config: &Served,
    request: &RequestIn,
    (operations, alone): (&Operations, Option<&Alone>),
    (running, answer_taken): (Node, Node),
) -> (Node, Node) {
    m.section("Room for answers");
    let all = u64::from(depth(config));
    let (room_reg, room) = m.reg_reset("room", index_bits(all + 1), all);
    let some = m.reduce_or(room);
    let free = m.not(operations.goes);
    let mut conditions = vec![running, free, some];
    if let Some(alone) = alone {
        conditions.push(m.not(alone.pending));
        let waits = m.and(&[alone.meant, operations.host_pending]);
        conditions.push(m.not(waits));
    }
    let written = access::writes_values(m, request).map(|writes| {
        let (reg, written) = m.reg_reset("written_before", 1, 0);
        conditions.push(m.not(written));
        (reg, writes)
    });
    let ready = m.and(&conditions);
    m.name(ready, "ready");
    let taken = m.and(&[request.request_valid, ready]);
    m.name(taken, "taken");
    if let Some((reg, writes)) = written {
        let next = m.and(&[taken, writes]);
        m.set_next(reg, next);
    }
    let more = m.add_const(room, 1);
    let less = m.sub_const(room, 1);
    m.set_next_of_one(room_reg, (answer_taken, more), (taken, less));
    let enters = match alone {
        Some(alone) => {
            let alone_taken = m.and(&[taken, alone.meant]);
            m.drive(alone.taken, alone_taken);
            let among_others = m.not(alone.meant);
            let enters = m.and(&[taken, among_others]);
            m.name(enters, "enters")
        }
        None => taken,
    };
    (ready, enters)
}

/// The answers wait until they are taken. `request_done`: a request that was done alone is over. `accessed`: what is answered beside it.
pub(super) fn answers(
    (design, m): (&mut Design, &mut Module),
    config: &Served,
    (leaving, accessed): (&Leaving, Option<&Answered>),
    request_done: Option<Node>,
    (response_ready, answer_taken): (Node, Node),
) -> ResponseOut {
    m.section("Answers");
    let (push, answer) = match request_done {
        Some(done) => {
            let push = m.or(&[leaving.here, done]);
            (push, m.mux(done, leaving.host_answer, leaving.answer))
        }
        None => (leaving.here, leaving.answer),
    };
    let mut parts = vec![answer];
    parts.extend(leaving.value);
    let first_accessed = parts.len();
    parts.extend(
        accessed
            .iter()
            .flat_map(|answered| [answered.word, answered.entry]),
    );
    let widths: Vec<u32> = parts.iter().map(|part| m.width(*part)).collect();
    let data_in = from_lowest(m, &parts);
    let name = format!("{}_answers", config.name);
    let waiting = fifo(&name, m.width(data_in), depth(config));
    let inputs = FifoIn {
        push,
        data_in,
        pop: answer_taken,
    };
    let FifoOut { valid, data_out } = waiting.place(design, m, "answers", inputs).out;
    let pop = m.and(&[valid, response_ready]);
    m.drive(answer_taken, pop);
    let mut lo = 0;
    let parts = widths.into_iter().map(|width| {
        let part = m.slice(data_out, lo, width);
        lo += width;
        part
    });
    let parts: Vec<Node> = parts.collect();
    ResponseOut {
        response_valid: valid,
        response_answer: parts[0],
        response_value: leaving.value.map(|_| parts[1]),
        access: accessed.map(|_| ResponseAccessOut {
            response_entry: m.zext(parts[first_accessed + 1], 32),
            response_word: parts[first_accessed],
        }),
    }
}
