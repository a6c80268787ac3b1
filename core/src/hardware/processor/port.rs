//! The host port of a core: one of [`hardpath_blocks::host`], and beside it the window into which programs are written.

use hardpath_blocks::axi::{LiteIn, LiteOut};
use hardpath_registers::register;
use hardpath_rtl::signals::Block;
use hardpath_rtl::{signals, Module, Node};

signals! {
    /// Into the splitter.
    pub struct PortIn {
        lite: all LiteIn,
        /// What the host port answers.
        inner: labelled LiteOut,
        status: one "of the program memory",
        load_clocks: one "of the last load",
        load_before: one "packets before the program that runs",
    }
}

signals! {
    /// Out of the splitter.
    pub struct PortOut {
        lite: all LiteOut,
        /// What the host port is told.
        inner: labelled LiteIn,
        load_begins: one "a load begins",
        load_goes: one "the program that runs may take packets",
        load_valid: one "a word of a load",
        load_word: one "this one",
    }
}

/// Makes the splitter.
pub fn port(name: &str) -> Block<PortIn, PortOut> {
    let mut m = Module::new(
        name,
        "Host port of a core: writes into the window of programs are taken one in each clock, all else goes to the registers.",
    );
    let out = LiteOut {
        s_axil_awready: 1,
        s_axil_wready: 1,
        s_axil_bresp: 2,
        s_axil_bvalid: 1,
        s_axil_arready: 1,
        s_axil_rdata: 32,
        s_axil_rresp: 2,
        s_axil_rvalid: 1,
    };
    let inputs = m.inputs(PortIn {
        lite: LiteIn::of_words(),
        inner: vec![("registers".into(), out)],
        status: 32,
        load_clocks: 32,
        load_before: 32,
    });
    let lite = &inputs.lite;
    let inner = &inputs.inner[0].1;
    m.section("Writes");
    let page = |m: &mut Module, address: Node| {
        let page = m.slice(address, 10, 6);
        let window = m.eq_const(page, u64::from(register::PROGRAM >> 10));
        let load = m.eq_const(page, u64::from(register::LOAD >> 10));
        (window, load)
    };
    let (window, load) = page(&mut m, lite.s_axil_awaddr);
    let mine = m.or(&[window, load]);
    let both = m.and(&[lite.s_axil_awvalid, lite.s_axil_wvalid]);
    let (answers_reg, answers) = m.reg_reset("answers_write", 1, 0);
    // A write of the registers is under way from its offer to its answer.
    let (other_reg, other) = m.reg_reset("write_of_registers", 1, 0);
    let no_other = m.not(other);
    let waits = m.not(lite.s_axil_bready);
    let busy = m.and(&[answers, waits]);
    let free = m.not(busy);
    let takes = m.and(&[both, mine, free, no_other]);
    let next = m.or(&[busy, takes]);
    m.set_next(answers_reg, next);
    let others = m.not(mine);
    let no_answer = m.not(answers);
    let passes = m.and(&[others, no_answer]);
    let begins_other = m.and(&[both, passes]);
    let ends_other = m.and(&[inner.s_axil_bvalid, lite.s_axil_bready]);
    let stays = m.not(ends_other);
    let either = m.or(&[other, begins_other]);
    let next = m.and(&[either, stays]);
    m.set_next(other_reg, next);
    let whole = m.reduce_and(lite.s_axil_wstrb);
    let refused = m.not(whole);
    let refused = m.hold_reset("write_is_refused", takes, refused);
    let zero = m.zero(1);
    let refusal = m.concat(&[refused, zero]);
    let effective = m.and(&[takes, whole]);
    m.section("Reads");
    let (window_read, load_read) = page(&mut m, lite.s_axil_araddr);
    let mine_read = m.or(&[window_read, load_read]);
    let (reads_reg, reads) = m.reg_reset("answers_read", 1, 0);
    let (other_reg, other_read) = m.reg_reset("read_of_registers", 1, 0);
    let no_other_read = m.not(other_read);
    let idle = m.not(reads);
    let takes_read = m.and(&[lite.s_axil_arvalid, mine_read, idle, no_other_read]);
    let waits = m.not(lite.s_axil_rready);
    let busy_read = m.and(&[reads, waits]);
    let next = m.or(&[busy_read, takes_read]);
    m.set_next(reads_reg, next);
    let number = m.slice(lite.s_axil_araddr, 2, 8);
    let clocks = m.eq_const(
        number,
        u64::from((register::LOAD_CLOCKS - register::LOAD) / 4),
    );
    let before = m.eq_const(
        number,
        u64::from((register::LOAD_BEFORE - register::LOAD) / 4),
    );
    let told = m.mux(clocks, inputs.load_clocks, inputs.status);
    let told = m.mux(before, inputs.load_before, told);
    let status = m.hold("status_read", takes_read, told);
    let known = m.eq_const(number, 0);
    let known = m.or(&[known, clocks, before]);
    let unknown = m.not(known);
    let window_read = m.or(&[window_read, unknown]);
    let refused = m.hold("read_is_refused", takes_read, window_read);
    let read_refusal = m.concat(&[refused, zero]);
    let others = m.not(mine_read);
    let passes_read = m.and(&[others, idle]);
    let begins_other = m.and(&[lite.s_axil_arvalid, passes_read]);
    let ends_other = m.and(&[inner.s_axil_rvalid, lite.s_axil_rready]);
    let stays = m.not(ends_other);
    let either = m.or(&[other_read, begins_other]);
    let next = m.and(&[either, stays]);
    m.set_next(other_reg, next);
    m.section("Answers");
    let told = LiteIn {
        s_axil_awvalid: m.and(&[lite.s_axil_awvalid, passes]),
        s_axil_wvalid: m.and(&[lite.s_axil_wvalid, passes]),
        s_axil_arvalid: m.and(&[lite.s_axil_arvalid, passes_read]),
        ..lite.clone()
    };
    let out = LiteOut {
        s_axil_awready: m.or(&[takes, inner.s_axil_awready]),
        s_axil_wready: m.or(&[takes, inner.s_axil_wready]),
        s_axil_bresp: m.mux(answers, refusal, inner.s_axil_bresp),
        s_axil_bvalid: m.or(&[answers, inner.s_axil_bvalid]),
        s_axil_arready: m.or(&[takes_read, inner.s_axil_arready]),
        s_axil_rdata: m.mux(reads, status, inner.s_axil_rdata),
        s_axil_rresp: m.mux(reads, read_refusal, inner.s_axil_rresp),
        s_axil_rvalid: m.or(&[reads, inner.s_axil_rvalid]),
    };
    let number = m.slice(lite.s_axil_awaddr, 2, 8);
    let is_load = m.eq_const(number, 0);
    let mine_only = m.and(&[effective, load, is_load]);
    let goes_on = m.bit(lite.s_axil_wdata, 1);
    let begins = m.not(goes_on);
    let load_begins = m.and(&[mine_only, begins]);
    let load_goes = m.and(&[mine_only, goes_on]);
    let load_valid = m.and(&[effective, window]);
    let outputs = PortOut {
        lite: out,
        inner: vec![("registers".into(), told)],
        load_begins,
        load_goes,
        load_valid,
        load_word: lite.s_axil_wdata,
    };
    m.into_block(inputs, outputs)
}
