//! Legalize: a deep memory becomes banks, each as deep as what the device has, and the "or" of what they give.
//!
//! Tools divide a memory by themselves where nobody does it for them, but then they choose among its banks: each bit of the address
//! that chooses has thousands of loads, and a choice among four is a LUT. Here a bank whose word is not meant gives zeros, which
//! block RAM and UltraRAM can by the reset of what they give, so no net goes to all bits, and a LUT joins six banks.

use super::rewrite::Legal;
use crate::{bank_name, Mem, MemReadPort, MemWrite, Node, NodeOp};

/// What a LUT joins.
const LUT_INPUTS: usize = 6;

impl Legal {
    /// Divides a memory of more words than a bank has. Its addresses have as many bits as its depth needs.
    pub(super) fn divide(&mut self, mem: Mem) {
        let depth = self.depth[mem];
        let data = &self.module.mems[mem];
        let Some(words) = data.bank_words.filter(|words| *words < depth) else {
            return;
        };
        let ports = data.reads.len() as u32;
        let banks: Vec<Mem> = (0..depth.div_ceil(words))
            .map(|bank| self.bank(mem, bank, words))
            .collect();
        for port in 0..ports {
            self.join_banks(mem, &banks, port);
        }
        // Nobody reads it any more, so it is not printed.
        let data = &mut self.module.mems[mem];
        (data.depth, data.bank_words) = (words, None);
        (data.writes, data.reads) = (Vec::new(), Vec::new());
        self.depth[mem] = words;
    }

    /// One bank, with all ports.
    fn bank(&mut self, mem: Mem, bank: u32, words: u32) -> Mem {
        let mut data = self.module.mems[mem].clone();
        data.name = bank_name(&data.name, bank);
        (data.depth, data.bank_words) = (words, None);
        for write in &mut data.writes {
            let MemWrite {
                address, enable, ..
            } = write;
            let meant = self.compare(NodeOp::Eq, *address, bank, words);
            *enable = self.both(*enable, meant);
            *address = self.within(*address, words);
        }
        for read in &mut data.reads {
            let MemReadPort {
                address,
                enable,
                zero,
                ..
            } = read;
            let enable = enable.expect("banks are read with the clock");
            let other = self.compare(NodeOp::Ne, *address, bank, words);
            *zero = Some(self.both(enable, other));
            *address = self.within(*address, words);
        }
        let bank = self.module.mems.push(data);
        self.depth[bank] = words;
        bank
    }

    /// Compares the part of an address that means the bank.
    fn compare(&mut self, op: NodeOp, address: Node, bank: u32, words: u32) -> Node {
        let lo = words.trailing_zeros();
        let bits = self.width(address) - lo;
        let asked = self.push(address, NodeOp::Slice { lo }, vec![address], bits);
        let bank = self.constant(address, bank.into(), bits);
        self.push(address, op, vec![asked, bank], 1)
    }

    /// Two conditions, of which the first may always hold.
    fn both(&mut self, enable: Node, condition: Node) -> Node {
        match &self.module.nodes[enable].op {
            NodeOp::Const(limbs) if limbs[0] == 1 => condition,
            _ => self.push(condition, NodeOp::And, vec![enable, condition], 1),
        }
    }

    /// The address in a bank.
    fn within(&mut self, address: Node, words: u32) -> Node {
        let bits = words.trailing_zeros();
        self.push(address, NodeOp::Slice { lo: 0 }, vec![address], bits)
    }

    /// What a port gives: what all banks give, of which only one is not zero.
    fn join_banks(&mut self, mem: Mem, banks: &[Mem], port: u32) {
        let op = NodeOp::MemRead(mem, port);
        let mut nodes = self.module.nodes.iter();
        let Some((node, _)) = nodes.find(|(_, data)| data.op == op) else {
            return;
        };
        let width = self.width(node);
        let words = banks
            .iter()
            .map(|bank| self.push(node, NodeOp::MemRead(*bank, port), Vec::new(), width));
        let mut words: Vec<Node> = words.collect();
        let memory = self.module.mems[mem].name.clone();
        let mut banks_of_word = 1;
        while words.len() > LUT_INPUTS {
            words = self.join_words(&words, &memory, banks_of_word, banks.len());
            banks_of_word *= LUT_INPUTS;
        }
        self.set(node, NodeOp::Or, words);
    }

    /// Some words in one, and so on: a long chain of operators stays one in yosys, which maps all other logic as deep as it may think
    /// the chain to be. `banks_of_word`: those that a word has, of `banks`.
    fn join_words(
        &mut self,
        words: &[Node],
        memory: &str,
        banks_of_word: usize,
        banks: usize,
    ) -> Vec<Node> {
        let mut joined = Vec::new();
        for (number, group) in words.chunks(LUT_INPUTS).enumerate() {
            if let [word] = group {
                joined.push(*word);
                continue;
            }
            let width = self.width(group[0]);
            let word = self.push(group[0], NodeOp::Or, group.to_vec(), width);
            let first = number * LUT_INPUTS * banks_of_word;
            let last = (first + group.len() * banks_of_word).min(banks) - 1;
            self.module.nodes[word].name = Some(format!("{memory}_banks_{first}_to_{last}"));
            joined.push(word);
        }
        joined
    }
}
