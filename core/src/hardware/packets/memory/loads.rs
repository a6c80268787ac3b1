//! Loads: two neighbouring banks, and of these 8 bytes.

use super::super::bytes::{between, chosen, turned_down, widened};
use super::super::LINE_BYTE_BITS;
use super::{LoadIn, BANKS, BANK_BYTES};
use hardpath_rtl::{Mem, Module, Node};

/// Bits of a byte's number in a bank's word, and of a bank's number.
const LANE_BITS: u32 = BANK_BYTES.trailing_zeros();
const BANK_BITS: u32 = BANKS.trailing_zeros();

/// One load a clock. The address is registered, the banks are read, of each byte of a word the bank is chosen, and the word is turned.
pub(super) fn load(m: &mut Module, name: &str, banks: &[Mem], inputs: &LoadIn) -> Node {
    let address = inputs.load_address;
    let line_bits = m.width(address) - LINE_BYTE_BITS;
    let lane = m.slice(address, 0, LANE_BITS);
    let bank = m.slice(address, LANE_BITS, BANK_BITS);
    let line = m.slice(address, LINE_BYTE_BITS, line_bits);
    let first_line = first_bank_line(m, line, bank);
    let lanes = between(m, BANK_BYTES, inputs.load_first, inputs.load_end);
    let mut held = |what: &str, node: Node| m.delay(format!("{name}_{what}"), node);
    let (line, first_line) = (held("line", line), held("first_line", first_line));
    let (lane, bank) = (held("lane", lane), held("bank", bank));
    let lanes = held("lanes", lanes);

    let one = m.one();
    let mut words = Vec::new();
    for (number, mem) in banks.iter().enumerate() {
        let line = if number == 0 { first_line } else { line };
        words.push(m.mem_read_sync(*mem, line, one));
    }
    // Bytes in front of the first one are those of the next bank.
    let mut word = Vec::new();
    for byte in (0..BANK_BYTES).rev() {
        let place = m.constant(byte.into(), LANE_BITS);
        let in_next = m.ult(place, lane);
        let in_next = m.zext(in_next, BANK_BITS);
        let from = m.add(bank, in_next);
        let from = m.delay(format!("{name}_bank_of_{byte}"), from);
        let mut bytes = Vec::new();
        for word in &words {
            bytes.push(m.slice(*word, byte * 8, 8));
        }
        word.push(chosen(m, &bytes, from));
    }
    let word = m.concat(&word);
    let word = m.delay(format!("{name}_word"), word);
    let mut later = |what: &str, mut node: Node| {
        for clock in 1..=2 {
            node = m.delay(format!("{name}_{what}_{clock}"), node);
        }
        node
    };
    let (lane, lanes) = (later("lane", lane), later("lanes", lanes));
    let turned = turned_down(m, word, lane);
    let mask = widened(m, lanes);
    let data = m.and(&[turned, mask]);
    m.delay(format!("{name}_data"), data)
}

/// The line of bank 0 for an access that begins in `bank` of `line`: behind the last bank comes the next line.
pub(super) fn first_bank_line(m: &mut Module, line: Node, bank: Node) -> Node {
    let is_last = m.reduce_and(bank);
    let one_more = m.zext(is_last, m.width(line));
    m.add(line, one_more)
}
