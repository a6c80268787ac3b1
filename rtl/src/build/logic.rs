//! Constants and operations.

use crate::{Module, Node, NodeOp};

impl Module {
    /// The constant that a node is, least significant limb first.
    pub fn as_const(&self, node: Node) -> Option<&[u64]> {
        match &self.nodes[node].op {
            NodeOp::Const(limbs) => Some(limbs),
            _ => None,
        }
    }

    fn is_zero(&self, node: Node) -> bool {
        self.as_const(node)
            .is_some_and(|limbs| limbs.iter().all(|limb| *limb == 0))
    }

    fn is_ones(&self, node: Node) -> bool {
        let width = self.width(node);
        self.as_const(node).is_some_and(|limbs| {
            limbs.iter().enumerate().all(|(i, limb)| {
                let bits = (width - 64 * i as u32).min(64);
                *limb == u64::MAX >> (64 - bits)
            })
        })
    }

    /// A number of `width` bits; what does not fit is cut off.
    pub fn constant(&mut self, value: u64, width: u32) -> Node {
        self.constant_limbs(&[value], width)
    }

    /// The same of any width: limbs of 64 bits, least significant first. Those that are missing are 0.
    pub fn constant_limbs(&mut self, limbs: &[u64], width: u32) -> Node {
        let mut all = vec![0; width.div_ceil(64) as usize];
        for (to, from) in all.iter_mut().zip(limbs) {
            *to = *from;
        }
        if !width.is_multiple_of(64) {
            *all.last_mut().unwrap() &= u64::MAX >> (64 - width % 64);
        }
        self.push(NodeOp::Const(all), Vec::new(), width)
    }

    /// `width` bits of 0.
    pub fn zero(&mut self, width: u32) -> Node {
        self.constant(0, width)
    }

    /// One bit of constant 1.
    pub fn one(&mut self) -> Node {
        self.constant(1, 1)
    }

    /// Every bit inverted.
    pub fn not(&mut self, a: Node) -> Node {
        if let NodeOp::Not = self.nodes[a].op {
            return self.nodes[a].args[0];
        }
        if self.is_zero(a) {
            let width = self.width(a);
            return self.constant_limbs(&vec![u64::MAX; width.div_ceil(64) as usize], width);
        }
        if self.is_ones(a) {
            return self.zero(self.width(a));
        }
        self.push(NodeOp::Not, vec![a], self.width(a))
    }

    fn same_width(&self, args: &[Node]) -> u32 {
        let width = self.width(args[0]);
        for arg in args {
            assert_eq!(self.width(*arg), width, "arguments of one width");
        }
        width
    }

    /// And of any number of nodes (at least one).
    pub fn and(&mut self, args: &[Node]) -> Node {
        self.junction(NodeOp::And, args, Module::is_zero, Module::is_ones)
    }

    /// Or of any number of nodes (at least one).
    pub fn or(&mut self, args: &[Node]) -> Node {
        self.junction(NodeOp::Or, args, Module::is_ones, Module::is_zero)
    }

    /// One node that `decides` is the result; those that change nothing, `is_idle`, are left out.
    fn junction(
        &mut self,
        op: NodeOp,
        args: &[Node],
        decides: fn(&Module, Node) -> bool,
        is_idle: fn(&Module, Node) -> bool,
    ) -> Node {
        let width = self.same_width(args);
        if let Some(decided) = args.iter().find(|arg| decides(self, **arg)) {
            return *decided;
        }
        let mut left: Vec<Node> = Vec::new();
        for arg in args {
            if !is_idle(self, *arg) && !left.contains(arg) {
                left.push(*arg);
            }
        }
        match left.len() {
            0 => args[0],
            1 => left[0],
            _ => self.push(op, left, width),
        }
    }

    /// Exclusive or of any number of nodes (at least one).
    pub fn xor(&mut self, args: &[Node]) -> Node {
        let width = self.same_width(args);
        match args.len() {
            1 => args[0],
            _ => self.push(NodeOp::Xor, args.to_vec(), width),
        }
    }

    /// A two-operand operation whose result has the operands' width.
    fn binary(&mut self, op: NodeOp, a: Node, b: Node) -> Node {
        let width = self.same_width(&[a, b]);
        self.push(op, vec![a, b], width)
    }

    /// `a + b`, modulo 2^width; both have one width.
    pub fn add(&mut self, a: Node, b: Node) -> Node {
        if self.is_zero(a) {
            return b;
        }
        if self.is_zero(b) {
            return a;
        }
        self.binary(NodeOp::Add, a, b)
    }

    /// `a - b`, modulo 2^width; both have one width.
    pub fn sub(&mut self, a: Node, b: Node) -> Node {
        if self.is_zero(b) {
            return a;
        }
        self.binary(NodeOp::Sub, a, b)
    }

    /// `a * b`, modulo 2^width; both have one width.
    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        self.binary(NodeOp::Mul, a, b)
    }

    /// A shift: `Shl`, `LShr` or `AShr`.
    pub fn shift(&mut self, op: NodeOp, a: Node, by: Node) -> Node {
        assert!(matches!(op, NodeOp::Shl | NodeOp::LShr | NodeOp::AShr));
        self.push(op, vec![a, by], self.width(a))
    }

    /// A compare, as [`NodeOp`] has them.
    pub fn compare(&mut self, op: NodeOp, a: Node, b: Node) -> Node {
        self.same_width(&[a, b]);
        self.push(op, vec![a, b], 1)
    }

    /// `a == b`: one bit.
    pub fn eq(&mut self, a: Node, b: Node) -> Node {
        if self.width(a) == 1 && self.is_ones(b) {
            return a;
        }
        if self.width(a) == 1 && self.is_zero(b) {
            return self.not(a);
        }
        self.compare(NodeOp::Eq, a, b)
    }

    /// `a != b`: one bit.
    pub fn ne(&mut self, a: Node, b: Node) -> Node {
        self.compare(NodeOp::Ne, a, b)
    }

    /// `a < b`, unsigned: one bit.
    pub fn ult(&mut self, a: Node, b: Node) -> Node {
        if self.is_above(b, a) {
            return self.one();
        }
        self.compare(NodeOp::Ult, a, b)
    }

    /// A constant that is more than an extended value can be.
    fn is_above(&self, constant: Node, value: Node) -> bool {
        let data = &self.nodes[value];
        let Some(limbs) = self.as_const(constant) else {
            return false;
        };
        data.op == NodeOp::ZExt && {
            let bits = self.width(data.args[0]);
            let at_least = |(i, limb): (usize, &u64)| match bits.checked_sub(64 * i as u32) {
                None => *limb != 0,
                Some(above) => above < 64 && limb >> above != 0,
            };
            limbs.iter().enumerate().any(at_least)
        }
    }

    /// `a <= b`, unsigned: one bit.
    pub fn ule(&mut self, a: Node, b: Node) -> Node {
        self.compare(NodeOp::Ule, a, b)
    }

    /// `a == value`.
    pub fn eq_const(&mut self, a: Node, value: u64) -> Node {
        let value = self.constant(value, self.width(a));
        self.eq(a, value)
    }

    /// `a + value`, modulo 2^width.
    pub fn add_const(&mut self, a: Node, value: u64) -> Node {
        let value = self.constant(value, self.width(a));
        self.add(a, value)
    }

    /// `a - value`, modulo 2^width.
    pub fn sub_const(&mut self, a: Node, value: u64) -> Node {
        let value = self.constant(value, self.width(a));
        self.sub(a, value)
    }

    /// `yes` where `select`, of one bit, is set, else `no`.
    pub fn mux(&mut self, select: Node, yes: Node, no: Node) -> Node {
        assert_eq!(self.width(select), 1, "a mux is selected by one bit");
        let width = self.same_width(&[yes, no]);
        if yes == no || self.is_ones(select) {
            return yes;
        }
        if self.is_zero(select) {
            return no;
        }
        self.push(NodeOp::Mux, vec![select, yes, no], width)
    }

    /// `width` bits from bit `lo` on.
    ///
    /// # Panics
    /// When the value ends before.
    pub fn slice(&mut self, a: Node, lo: u32, width: u32) -> Node {
        assert!(
            lo + width <= self.width(a),
            "slice {lo}+{width} of {}",
            self.width(a)
        );
        if width == self.width(a) {
            return a;
        }
        if let Some(limbs) = self.as_const(a) {
            let shifted: Vec<u64> = (0..width.div_ceil(64))
                .map(|i| {
                    let at = lo + 64 * i;
                    let limb = |n: u32| limbs.get(n as usize).copied().unwrap_or(0);
                    let low = limb(at / 64) >> (at % 64);
                    match at % 64 {
                        0 => low,
                        shift => low | limb(at / 64 + 1) << (64 - shift),
                    }
                })
                .collect();
            return self.constant_limbs(&shifted, width);
        }
        if let NodeOp::Slice { lo: inner } = self.nodes[a].op {
            let from = self.nodes[a].args[0];
            return self.slice(from, inner + lo, width);
        }
        self.push(NodeOp::Slice { lo }, vec![a], width)
    }

    /// The bit at `index`, 0 the lowest.
    pub fn bit(&mut self, a: Node, index: u32) -> Node {
        self.slice(a, index, 1)
    }

    /// Side by side, the first one most significant.
    pub fn concat(&mut self, args: &[Node]) -> Node {
        match args.len() {
            1 => args[0],
            _ => {
                let width = args.iter().map(|arg| self.width(*arg)).sum();
                self.push(NodeOp::Concat, args.to_vec(), width)
            }
        }
    }

    /// Extends with zeros, or cuts off high bits.
    pub fn resize(&mut self, a: Node, width: u32) -> Node {
        if width < self.width(a) {
            self.slice(a, 0, width)
        } else {
            self.zext(a, width)
        }
    }

    /// Extends with zeros.
    ///
    /// # Panics
    /// When `width` is less than the value has.
    pub fn zext(&mut self, a: Node, width: u32) -> Node {
        if width == self.width(a) {
            return a;
        }
        assert!(width > self.width(a));
        if let Some(limbs) = self.as_const(a) {
            let limbs = limbs.to_vec();
            return self.constant_limbs(&limbs, width);
        }
        self.push(NodeOp::ZExt, vec![a], width)
    }

    /// Extends with copies of the highest bit.
    ///
    /// # Panics
    /// When `width` is less than the value has.
    pub fn sext(&mut self, a: Node, width: u32) -> Node {
        if width == self.width(a) {
            return a;
        }
        assert!(width > self.width(a));
        self.push(NodeOp::SExt, vec![a], width)
    }

    /// The value where `on`, of one bit, is set; else zeros.
    pub fn gate(&mut self, on: Node, value: Node) -> Node {
        let mask = self.sext(on, self.width(value));
        self.and(&[mask, value])
    }

    /// Whether any bit is 1.
    pub fn reduce_or(&mut self, a: Node) -> Node {
        match self.width(a) {
            1 => a,
            _ => self.push(NodeOp::ReduceOr, vec![a], 1),
        }
    }

    /// Whether all bits are 1.
    pub fn reduce_and(&mut self, a: Node) -> Node {
        match self.width(a) {
            1 => a,
            _ => self.push(NodeOp::ReduceAnd, vec![a], 1),
        }
    }

    /// Whether an odd number of bits is 1.
    pub fn reduce_xor(&mut self, a: Node) -> Node {
        match self.width(a) {
            1 => a,
            _ => self.push(NodeOp::ReduceXor, vec![a], 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compare_that_cannot_fail_is_a_constant() {
        let mut m = Module::new("m", "");
        for (bits, width, limit, always) in [
            (1, 32, [2, 0], true),
            (1, 32, [1, 0], false),
            (64, 128, [u64::MAX, 0], false),
            (64, 128, [0, 1], true),
            (65, 128, [0, 1], false),
            (65, 128, [0, 2], true),
        ] {
            let narrow = m.input("a", bits, "");
            let wide = m.zext(narrow, width);
            let limit = m.constant_limbs(&limit, width);
            let below = m.ult(wide, limit);
            assert_eq!(m.as_const(below).is_some(), always, "{bits} bits");
        }
    }
}
