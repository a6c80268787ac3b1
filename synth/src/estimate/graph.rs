//! A network of gates: ands of two inputs that may be negated, and leaves (registers, memories, carry chains, ports).
//! Equal gates are there once, constants are folded.

use std::collections::HashMap;

/// A gate or a leaf, negated when the lowest bit is set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(u32);

pub const ZERO: Signal = Signal(0);
pub const ONE: Signal = Signal(1);

impl Signal {
    fn of(gate: usize) -> Signal {
        Signal((gate as u32) << 1)
    }

    /// Its number in [`Graph::gates`].
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }

    pub fn constant(one: bool) -> Signal {
        Signal(u32::from(one))
    }

    pub fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }

    fn negated_if(self, other: Signal) -> Signal {
        Signal(self.0 ^ (other.0 & 1))
    }
}

#[derive(Default)]
pub struct Graph {
    /// The inputs of each gate, which were made before it; `None`: a leaf. The first one is the constant 0.
    pub gates: Vec<Option<[Signal; 2]>>,
    made: HashMap<[Signal; 2], Signal>,
}

impl Graph {
    pub fn new() -> Graph {
        Graph {
            gates: vec![None],
            made: HashMap::new(),
        }
    }

    pub fn leaf(&mut self) -> Signal {
        self.gates.push(None);
        Signal::of(self.gates.len() - 1)
    }

    pub fn leaves(&mut self, count: u32) -> Vec<Signal> {
        (0..count).map(|_| self.leaf()).collect()
    }

    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == ZERO || a == b.not() {
            return ZERO;
        }
        if a == ONE || a == b {
            return b;
        }
        if let Some(simple) = self.absorbed(a, b).or_else(|| self.absorbed(b, a)) {
            return simple;
        }
        if let Some(known) = self.made.get(&[a, b]) {
            return *known;
        }
        self.gates.push(Some([a, b]));
        let gate = Signal::of(self.gates.len() - 1);
        self.made.insert([a, b], gate);
        gate
    }

    /// `a & b` where `b` is an and that `a` stands in, or contradicts.
    fn absorbed(&mut self, a: Signal, b: Signal) -> Option<Signal> {
        let inputs = self.gates[b.gate()]?;
        let other = |one: usize| inputs[1 - one];
        match b.is_negated() {
            // a & (a & c) = a & c; a & (!a & c) = 0.
            false if inputs.contains(&a) => Some(b),
            false if inputs.contains(&a.not()) => Some(ZERO),
            // a & !(!a & c) = a; a & !(a & c) = a & !c.
            true if inputs.contains(&a.not()) => Some(a),
            true => {
                let place = inputs.iter().position(|input| *input == a)?;
                Some(self.and(a, other(place).not()))
            }
            false => None,
        }
    }

    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        self.and(a.not(), b.not()).not()
    }

    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        if a.is_constant() {
            return b.negated_if(a);
        }
        if b.is_constant() {
            return a.negated_if(b);
        }
        // The same gates whatever is negated.
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (Signal::of(a.gate()), Signal::of(b.gate()));
        let both = self.and(a, b);
        let neither = self.and(a.not(), b.not());
        let differ = self.and(both.not(), neither.not());
        differ.negated_if(Signal::constant(negated))
    }

    /// `select ? a : b`
    pub fn mux(&mut self, select: Signal, a: Signal, b: Signal) -> Signal {
        if a == b {
            return a;
        }
        if a == b.not() {
            return self.xor(select, b);
        }
        let first = self.and(select, a);
        let second = self.and(select.not(), b);
        self.or(first, second)
    }

    /// As a tree.
    pub fn all(&mut self, signals: &[Signal]) -> Signal {
        self.tree(signals, ONE, Graph::and)
    }

    /// Many stand in groups of as many as a LUT has inputs: a tree of pairs would fill LUTs with four.
    pub fn any(&mut self, signals: &[Signal]) -> Signal {
        const GROUP: usize = 6;
        if signals.len() <= 2 * GROUP {
            return self.tree(signals, ZERO, Graph::or);
        }
        let groups: Vec<Signal> = signals
            .chunks(GROUP)
            .map(|group| self.tree(group, ZERO, Graph::or))
            .collect();
        self.any(&groups)
    }

    pub fn parity(&mut self, signals: &[Signal]) -> Signal {
        self.tree(signals, ZERO, Graph::xor)
    }

    fn tree(
        &mut self,
        signals: &[Signal],
        none: Signal,
        join: fn(&mut Graph, Signal, Signal) -> Signal,
    ) -> Signal {
        let mut row = signals.to_vec();
        while row.len() > 1 {
            row = row
                .chunks(2)
                .map(|pair| match pair {
                    [a, b] => join(self, *a, *b),
                    _ => pair[0],
                })
                .collect();
        }
        row.first().copied().unwrap_or(none)
    }

    /// Whether two numbers are equal.
    pub fn equal(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let differ: Vec<Signal> = a.iter().zip(b).map(|(a, b)| self.xor(*a, *b)).collect();
        self.any(&differ).not()
    }

    /// Whether a number, the least significant bit first, is that constant.
    pub fn is(&mut self, number: &[Signal], constant: u64) -> Signal {
        let bits: Vec<Signal> = number
            .iter()
            .enumerate()
            .map(
                |(place, bit)| match place < 64 && constant >> place & 1 == 1 {
                    true => *bit,
                    false => bit.not(),
                },
            )
            .collect();
        self.all(&bits)
    }

    /// The item that a number chooses; items beyond the last are the last one's.
    pub fn choose(&mut self, number: &[Signal], items: &[Signal]) -> Signal {
        let mut row = items.to_vec();
        for bit in number {
            if row.len() == 1 {
                break;
            }
            row = row
                .chunks(2)
                .map(|pair| match pair {
                    [even, odd] => self.mux(*bit, *odd, *even),
                    _ => pair[0],
                })
                .collect();
        }
        row[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_folded() {
        let mut graph = Graph::new();
        let [a, b] = graph.leaves(2)[..] else {
            panic!()
        };
        let both = graph.and(a, b);
        assert_eq!(graph.and(b, a), both);
        assert_eq!(graph.and(a, a.not()), ZERO);
        assert_eq!(graph.and(a, both), both);
        assert_eq!(graph.and(a.not(), both), ZERO);
        assert_eq!(graph.and(a.not(), both.not()), a.not());
        let only_a = graph.and(a, b.not());
        assert_eq!(graph.and(a, both.not()), only_a);
        let differ = graph.xor(a, b);
        assert_eq!(graph.xor(a.not(), b), differ.not());
        assert_eq!(graph.xor(b.not(), a.not()), differ);
        assert_eq!(graph.mux(a, b, b.not()), differ.not());
        assert_eq!(graph.choose(&[a, b], &[ONE, ONE, ONE]), ONE);
        assert_eq!(graph.equal(&[a, b], &[a, b]), ONE);
        assert_eq!(graph.is(&[a, ONE], 1), ZERO);
        assert_eq!(graph.is(&[a, ONE], 3), a);
    }
}
