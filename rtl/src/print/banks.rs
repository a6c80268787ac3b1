//! Legalize: a deep memory becomes banks, each as deep as what the device has, and a choice among what they give.
//!
//! Tools do the same by themselves where nobody does it for them, but then the bits that choose drive all of a choice: thousands
//! of loads of one register. Here each register of them has at most [`MOST_LOADS`], and the choice is a tree of four to
//! one, which is what a LUT of six inputs holds.

use super::rewrite::Legal;
use crate::{Mem, MemReadPort, MemWrite, Node, NodeOp, RegData};

/// Loads of a register that chooses.
const MOST_LOADS: u32 = 256;

impl Legal {
    /// Divides a memory of more words than a bank has. Its addresses have as many bits as its depth needs.
    pub(super) fn divide(&mut self, mem: Mem) {
        let data = &self.module.mems[mem];
        let depth = self.depth[mem];
        let Some(words) = data.bank_words.filter(|words| *words < depth) else {
            return;
        };
        let banks: Vec<Mem> = (0..depth.div_ceil(words))
            .map(|bank| self.bank(mem, bank, words))
            .collect();
        for port in 0..self.module.mems[mem].reads.len() {
            self.read_banks(mem, &banks, port as u32, words);
        }
        // Nobody reads it any more, so it is not printed.
        let data = &mut self.module.mems[mem];
        (data.depth, data.bank_words) = (words, None);
        (data.writes, data.reads) = (Vec::new(), Vec::new());
        self.depth[mem] = words;
    }

    /// One bank, with all ports: it reads along with the others, and is written when it is meant.
    fn bank(&mut self, mem: Mem, bank: u32, words: u32) -> Mem {
        let mut data = self.module.mems[mem].clone();
        data.name = format!("{}_{bank}", data.name);
        (data.depth, data.bank_words) = (words, None);
        for MemWrite {
            address, enable, ..
        } in &mut data.writes
        {
            let (low, high) = self.parts(*address, words);
            let number = self.constant(high, bank.into(), self.width(high));
            let meant = self.push(high, NodeOp::Eq, vec![high, number], 1);
            (*address, *enable) = (low, self.push(meant, NodeOp::And, vec![*enable, meant], 1));
        }
        for MemReadPort { address, .. } in &mut data.reads {
            *address = self.parts(*address, words).0;
        }
        let bank = self.module.mems.push(data);
        self.depth[bank] = words;
        bank
    }

    /// The address in a bank, and the bank.
    fn parts(&mut self, address: Node, words: u32) -> (Node, Node) {
        let (lo, bits) = (words.trailing_zeros(), self.width(address));
        let low = self.push(address, NodeOp::Slice { lo: 0 }, vec![address], lo);
        let high = self.push(address, NodeOp::Slice { lo }, vec![address], bits - lo);
        (low, high)
    }

    /// What a port gives: the word of the bank that was asked.
    fn read_banks(&mut self, mem: Mem, banks: &[Mem], port: u32, words: u32) {
        let read = self.module.mems[mem].reads[port as usize].clone();
        let op = NodeOp::MemRead(mem, port);
        let mut nodes = self.module.nodes.iter();
        let Some((node, _)) = nodes.find(|(_, data)| data.op == op) else {
            return;
        };
        let width = self.width(node);
        let given: Vec<Node> = banks
            .iter()
            .map(|bank| self.push(node, NodeOp::MemRead(*bank, port), Vec::new(), width))
            .collect();
        let (_, high) = self.parts(read.address, words);
        let asked = Asked { mem, read, high };
        let mut lanes = Vec::new();
        for lo in (0..width).step_by(MOST_LOADS as usize) {
            let bits = MOST_LOADS.min(width - lo);
            let parts = given.iter();
            let parts = parts
                .map(|word| match bits == width {
                    true => *word,
                    false => self.push(node, NodeOp::Slice { lo }, vec![*word], bits),
                })
                .collect();
            // The most significant lane stands first.
            lanes.insert(0, self.choose(&asked, parts));
        }
        match lanes[..] {
            [lane] => self.set(node, NodeOp::Wire, vec![lane]),
            _ => self.set(node, NodeOp::Concat, lanes),
        }
    }

    /// The part of the word that the asked bank gives.
    fn choose(&mut self, asked: &Asked, mut parts: Vec<Node>) -> Node {
        let bits = self.width(asked.high);
        for lo in (0..bits).step_by(2) {
            let numbers = 2.min(bits - lo);
            let groups = (MOST_LOADS / self.width(parts[0])).max(1) as usize;
            let mut chosen = Vec::new();
            // Banks beside each other share what chooses.
            for shared in parts.chunks(groups << numbers) {
                let number = self.asked_bank(asked, lo, numbers);
                let groups = shared.chunks(1 << numbers);
                chosen.extend(groups.map(|group| self.one_of(number, group)));
            }
            parts = chosen;
        }
        parts[0]
    }

    /// Bits of the bank's number, in registers of their own, when the word comes.
    fn asked_bank(&mut self, asked: &Asked, lo: u32, bits: u32) -> Node {
        let next = self.push(asked.high, NodeOp::Slice { lo }, vec![asked.high], bits);
        let data = &self.module.mems[asked.mem];
        let reg = self.module.regs.push(RegData {
            name: format!("{}_bank", data.name),
            width: bits,
            next: Some(next),
            enable: asked.read.enable,
            reset: None,
            comment: None,
            section: data.section,
        });
        self.push(asked.high, NodeOp::Reg(reg), Vec::new(), bits)
    }

    /// One of up to four.
    fn one_of(&mut self, number: Node, group: &[Node]) -> Node {
        let bit = |legal: &mut Legal, lo: u32| match legal.width(number) {
            1 => number,
            _ => legal.push(number, NodeOp::Slice { lo }, vec![number], 1),
        };
        let width = self.width(group[0]);
        let mux = |legal: &mut Legal, lo: u32, zero: Node, one: Node| {
            let bit = bit(legal, lo);
            legal.push(one, NodeOp::Mux, vec![bit, one, zero], width)
        };
        match *group {
            [only] => only,
            [a, b] => mux(self, 0, a, b),
            [a, b, c] => {
                let low = mux(self, 0, a, b);
                mux(self, 1, low, c)
            }
            [a, b, c, d] => {
                let (low, high) = (mux(self, 0, a, b), mux(self, 0, c, d));
                mux(self, 1, low, high)
            }
            _ => unreachable!("two bits choose"),
        }
    }
}

/// A read of banks.
struct Asked {
    mem: Mem,
    read: MemReadPort,
    /// The bank's number.
    high: Node,
}
