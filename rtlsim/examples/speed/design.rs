//! A synthetic packet pipeline: a 512-bit bus, stages with checksum, hash and table lookups, a FIFO at the end.

use hardpath_rtl::*;

/// `stages` stages of compute; about 700 register bits each.
pub fn pipeline(stages: usize) -> Design {
    let mut m = Module::new("synthetic", "A pipeline to measure with.");
    let data = m.input("s_tdata", 512, "");
    let keep = m.input("s_tkeep", 64, "");
    let valid = m.input("s_tvalid", 1, "");
    let last = m.input("s_tlast", 1, "");
    let ready = m.input("m_tready", 1, "");

    let mut window = m.delay("window_s0", data);
    let mut keep = m.delay("keep_s0", keep);
    let mut valid = m.delay_reset("valid_s0", valid);
    let mut last = m.delay("last_s0", last);
    let mut verdict = m.zero(3);
    let mut sum = m.zero(16);
    let mut hash = m.constant(0x9e37_79b9, 32);
    let mut meta = m.slice(window, 0, 48);
    for stage in 1..=stages {
        m.section(format!("Stage {stage}"));
        // Fields at odd places, compared and added.
        let at = |field: usize| ((stage * 56 + field * 40) % 400) as u32;
        let a = m.slice(window, at(0), 16);
        let b = m.slice(window, at(1), 32);
        let c = m.slice(window, at(2), 48);
        let kind = m.eq_const(a, 0x0800 + stage as u64);
        let small = {
            let limit = m.constant(1500 << 16, 32);
            m.ult(b, limit)
        };
        let same = m.eq(c, meta);
        let hit = m.and(&[kind, small]);
        let hit = m.or(&[hit, same]);
        // One's complement sum of four words.
        for word in 0..4 {
            let field = m.slice(window, (at(3) + word * 16) % 496, 16);
            let (x, y) = (m.zext(sum, 17), m.zext(field, 17));
            let total = m.add(x, y);
            let carry = m.slice(total, 16, 1);
            let (low, carry) = (m.slice(total, 0, 16), m.zext(carry, 16));
            sum = m.add(low, carry);
        }
        // A round of a hash.
        let product = {
            let odd = m.constant(0x85eb_ca6b, 32);
            let mixed = m.xor(&[hash, b]);
            m.mul(mixed, odd)
        };
        let (high, low) = (m.slice(product, 19, 13), m.slice(product, 0, 19));
        hash = m.concat(&[low, high]);
        // A table that is read here and written by what leaves this stage.
        let mut looked_up = None;
        if stage % 3 == 1 {
            let table = m.mem(format!("table_s{stage}"), 128, 1024, MemStyle::Block);
            let address = m.slice(hash, 4, 10);
            let one = m.one();
            let entry = m.mem_read_sync(table, address, one);
            let key = m.slice(entry, 0, 48);
            let (delayed, delayed_hit) = (m.delay("key", c), m.delay("hit", hit));
            let found = m.eq(key, delayed);
            let count = m.slice(entry, 64, 64);
            let count = m.add_const(count, 1);
            let (middle, address) = (m.slice(entry, 48, 16), m.delay("address", address));
            let new = m.concat(&[count, middle, delayed]);
            let miss = m.not(found);
            let write = m.or(&[miss, delayed_hit]);
            m.mem_write(table, address, new, write);
            looked_up = Some(m.slice(count, 0, 48));
        }
        // Some bytes of the window change.
        let swapped = {
            let (x, y, rest) = (
                m.slice(window, 464, 48),
                m.slice(window, 416, 48),
                m.slice(window, 0, 416),
            );
            m.concat(&[y, x, rest])
        };
        let moved = {
            let (high, low) = (m.slice(window, 8, 504), m.slice(window, 0, 8));
            m.concat(&[low, high])
        };
        let next = match stage % 3 {
            0 => m.mux(hit, swapped, window),
            1 => window,
            _ => m.mux(small, moved, window),
        };
        let new_verdict = {
            let code = m.constant(stage as u64 % 5, 3);
            m.mux(hit, code, verdict)
        };
        let new_meta = match looked_up {
            Some(value) => m.mux(hit, value, meta),
            None => m.add(meta, c),
        };
        window = m.delay(format!("window_s{stage}"), next);
        keep = m.delay(format!("keep_s{stage}"), keep);
        last = m.delay(format!("last_s{stage}"), last);
        valid = m.delay_reset(format!("valid_s{stage}"), valid);
        verdict = m.delay(format!("verdict_s{stage}"), new_verdict);
        sum = m.delay(format!("sum_s{stage}"), sum);
        hash = m.delay(format!("hash_s{stage}"), hash);
        meta = m.delay(format!("meta_s{stage}"), new_meta);
    }

    m.section("FIFO");
    let fifo = m.mem("fifo", 577, 64, MemStyle::Block);
    let (head, head_value) = m.reg_reset("head", 6, 0);
    let (tail, tail_value) = m.reg_reset("tail", 6, 0);
    let (count, count_value) = m.reg_reset("count", 7, 0);
    let full = m.eq_const(count_value, 64);
    let not_full = m.not(full);
    let dropped = m.eq_const(verdict, 1);
    let kept = m.not(dropped);
    let push = m.and(&[valid, not_full, kept]);
    let some = m.reduce_or(count_value);
    let pop = m.and(&[some, ready]);
    let word = m.concat(&[last, keep, window]);
    m.mem_write(fifo, tail_value, word, push);
    let next_tail = m.add_const(tail_value, 1);
    m.set_next_when(tail, push, next_tail);
    let next_head = m.add_const(head_value, 1);
    m.set_next_when(head, pop, next_head);
    let (up, down) = (m.zext(push, 7), m.zext(pop, 7));
    let more = m.add(count_value, up);
    let next_count = m.sub(more, down);
    m.set_next(count, next_count);
    let out = m.mem_read_async(fifo, head_value);
    let (packets, packets_value) = m.reg_reset("packets", 64, 0);
    let next_packets = m.add_const(packets_value, 1);
    m.set_next_when(packets, pop, next_packets);
    for (name, lo, width) in [
        ("m_tdata", 0, 512),
        ("m_tkeep", 512, 64),
        ("m_tlast", 576, 1),
    ] {
        let part = m.slice(out, lo, width);
        m.output(name, part, "");
    }
    m.output("m_tvalid", some, "");
    m.output("m_tuser", verdict, "");
    m.output("checksum", sum, "");
    m.output("hash", hash, "");
    m.output("meta", meta, "");
    m.output("packets", packets_value, "");
    m.output("s_tready", not_full, "");
    let limit = m.constant(64, 7);
    let in_range = m.ule(count_value, limit);
    m.assert(
        "fifo_in_range",
        in_range,
        "the FIFO holds more than its depth",
    );

    let mut design = Design::new();
    design.add(m);
    design
}
