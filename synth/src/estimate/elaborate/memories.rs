//! Memories with what stands around them: banks, the choice between these, and the flip-flops behind memories that do not
//! register what they give.

use super::{Elaborator, Waiting};
use crate::estimate::gates::Number;
use crate::estimate::graph::Signal;
use crate::estimate::memories::{kind, lut_ram_luts, Kind};
use hardpath_rtl::Mem;

/// A memory in a frame.
pub struct Memory {
    kind: Kind,
    /// Of flip-flops: the first one of each word.
    words: Vec<usize>,
    /// By read port, where it was asked for.
    ports: Vec<Option<Port>>,
}

/// What a read port takes.
#[derive(Clone)]
struct Port {
    /// A copy's banks.
    blocks: Vec<usize>,
    /// Flip-flops that hold the number of the bank that was read.
    bank: Option<usize>,
    /// Flip-flops that hold what was read.
    word: Option<usize>,
    /// What goes into them.
    read: Number,
}

impl Elaborator<'_> {
    /// What a read port gives.
    pub fn read(&mut self, frame: usize, mem: Mem, number: usize) -> Number {
        let memory = self.memory(frame, mem);
        let data = &self.module(frame).mems[mem];
        let read = &data.reads[number];
        let is_clocked = read.enable.is_some();
        // Only what is not clocked knows its address by now.
        let address = match is_clocked {
            true => Number::new(),
            false => self.known(frame, read.address).to_vec(),
        };
        let kind = self.memories[memory].kind;
        let banks = kind.banks(data.depth);
        let bank_bits = banks.next_power_of_two().trailing_zeros();
        let registers_itself = matches!(kind, Kind::BlockRam { .. } | Kind::UltraRam { .. });
        let mut port = Port {
            blocks: Vec::new(),
            bank: None,
            word: None,
            read: Number::new(),
        };
        let mut choice = Number::new();
        if is_clocked && registers_itself && banks > 1 {
            let first = self.fabric.flip_flops(bank_bits);
            port.bank = Some(first);
            choice = self.fabric.outputs(first, bank_bits);
        } else if !is_clocked && banks > 1 {
            choice = address[address.len() - bank_bits as usize..].to_vec();
        }
        let mut rows: Vec<Number> = Vec::new();
        if kind != Kind::FlipFlops {
            for _ in 0..banks {
                let (block, row) = self.fabric.block(data.width);
                port.blocks.push(block);
                rows.push(row);
            }
        }
        let value = if is_clocked && !registers_itself {
            let first = self.fabric.flip_flops(data.width);
            port.word = Some(first);
            self.fabric.outputs(first, data.width)
        } else if kind == Kind::FlipFlops {
            self.choose_word(memory, &address, data.width)
        } else {
            self.choose(&choice, &rows)
        };
        if is_clocked && !registers_itself {
            port.read = rows.concat();
        }
        self.memories[memory].ports[number] = Some(port);
        value
    }

    /// The memory, which is connected later.
    fn memory(&mut self, frame: usize, mem: Mem) -> usize {
        if let Some(memory) = self.frames[frame].memories.get(&mem) {
            return *memory;
        }
        let data = &self.module(frame).mems[mem];
        let kind = kind(data);
        let words = match kind {
            Kind::FlipFlops => (0..data.depth)
                .map(|_| self.fabric.flip_flops(data.width))
                .collect(),
            _ => Vec::new(),
        };
        let memory = self.memories.len();
        self.memories.push(Memory {
            kind,
            words,
            ports: vec![None; data.reads.len()],
        });
        self.frames[frame].memories.insert(mem, memory);
        self.waiting.push(Waiting::Memory(frame, mem));
        memory
    }

    fn choose(&mut self, number: &[Signal], rows: &[Number]) -> Number {
        (0..rows[0].len())
            .map(|bit| {
                let column: Vec<Signal> = rows.iter().map(|row| row[bit]).collect();
                self.fabric.graph.choose(number, &column)
            })
            .collect()
    }

    fn choose_word(&mut self, memory: usize, address: &[Signal], width: u32) -> Number {
        let words = self.memories[memory].words.iter();
        let words: Vec<Number> = words
            .map(|first| self.fabric.outputs(*first, width))
            .collect();
        self.choose(address, &words)
    }

    pub fn connect_memory(&mut self, frame: usize, mem: Mem) {
        let memory = self.frames[frame].memories[&mem];
        let data = &self.module(frame).mems[mem];
        let kind = self.memories[memory].kind;
        let writes: Vec<Write> = data
            .writes
            .iter()
            .map(|write| Write {
                enable: self.bit(frame, write.enable),
                address: self.value(frame, write.address),
                data: self.value(frame, write.data),
            })
            .collect();
        for (first, word) in self.memories[memory].words.clone().into_iter().zip(0..) {
            self.connect_word(first, word, &writes);
        }
        let banks = kind.banks(data.depth);
        let bank_bits = banks.next_power_of_two().trailing_zeros() as usize;
        for (number, read) in data.reads.iter().enumerate() {
            let Some(port) = self.memories[memory].ports[number].clone() else {
                continue;
            };
            let address = self.value(frame, read.address);
            let within = address.len() - bank_bits.min(address.len());
            let enable = read.enable.map(|enable| self.bit(frame, enable));
            for (bank, block) in port.blocks.iter().enumerate() {
                let mut roots = address[..within].to_vec();
                roots.extend(enable);
                roots.extend(read.zero.map(|zero| self.bit(frame, zero)));
                for write in &writes {
                    roots.extend(&write.address[..within]);
                    roots.extend(&write.data);
                    let is_here = self.fabric.graph.is(&write.address[within..], bank as u64);
                    roots.push(self.fabric.graph.and(write.enable, is_here));
                }
                let block = &mut self.fabric.blocks[*block];
                block.roots = roots;
                match kind {
                    Kind::FlipFlops => {}
                    Kind::LutRam { .. } => block.luts = lut_ram_luts(data),
                    Kind::BlockRam { halves, .. } => block.bram18 = halves,
                    Kind::UltraRam { blocks, .. } => block.uram = blocks,
                }
            }
            if let (Some(first), Some(enable)) = (port.bank, enable) {
                self.connect(first, &address[within..], enable);
            }
            if let (Some(first), Some(enable)) = (port.word, enable) {
                let word = match kind {
                    Kind::FlipFlops => self.choose_word(memory, &address, data.width),
                    _ => {
                        let rows: Vec<Number> = port
                            .read
                            .chunks(data.width as usize)
                            .map(<[Signal]>::to_vec)
                            .collect();
                        self.choose(&address[within..], &rows)
                    }
                };
                self.connect(first, &word, enable);
            }
        }
    }

    fn connect(&mut self, first: usize, next: &[Signal], enable: Signal) {
        for (flip_flop, next) in self.fabric.flip_flops[first..].iter_mut().zip(next) {
            flip_flop.next = *next;
            flip_flop.enable = enable;
        }
    }

    /// A word of flip-flops: the last write port that means it.
    fn connect_word(&mut self, first: usize, word: u64, writes: &[Write]) {
        let mut next: Option<Number> = None;
        let mut enables = Vec::new();
        for write in writes {
            let graph = &mut self.fabric.graph;
            let is_here = graph.is(&write.address, word);
            let enable = graph.and(write.enable, is_here);
            enables.push(enable);
            next = Some(match next {
                None => write.data.clone(),
                Some(others) => {
                    let both = write.data.iter().zip(&others);
                    both.map(|(this, other)| graph.mux(enable, *this, *other))
                        .collect()
                }
            });
        }
        let enable = self.fabric.graph.any(&enables);
        if let Some(next) = next {
            self.connect(first, &next, enable);
        }
    }
}

/// A write port.
struct Write {
    enable: Signal,
    address: Number,
    data: Number,
}
