//! Operations on constants. The builder folds most of them; what it leaves must not reach the text, because tools
//! warn of comparisons that turn out to be constant.

use super::constant;
use crate::{Module, Node, NodeData, NodeOp};

/// The value of a node when its arguments decide it.
pub fn constant_value(module: &Module, node: Node) -> Option<Vec<u64>> {
    let data = &module.nodes[node];
    let width = data.width;
    let known: Vec<Option<Bits>> = data
        .args
        .iter()
        .map(|arg| {
            let limbs = module.as_const(*arg)?;
            Some(to_bits(limbs, module.width(*arg)))
        })
        .collect();
    let limbs = |bits: Bits| to_limbs(&bits);
    let same = |bit: bool| limbs(vec![bit; width as usize]);
    let any_is = |bit: bool| {
        known
            .iter()
            .flatten()
            .any(|bits| bits.iter().all(|b| *b == bit))
    };
    let reduced = data.args.first().map(|arg| &module.nodes[*arg]);
    let part_is_not = |limit: u64, arg: &NodeData| match arg.op {
        NodeOp::ZExt => limit == u64::MAX,
        NodeOp::Concat => arg.args.iter().any(|part| {
            let all = constant::resize(&[limit; 64], module.width(*part));
            module.width(*part) <= 64 && module.as_const(*part).is_some_and(|limbs| limbs != all)
        }),
        _ => false,
    };
    match (&data.op, reduced) {
        (NodeOp::ReduceAnd, Some(arg)) if part_is_not(u64::MAX, arg) => return Some(same(false)),
        (NodeOp::ReduceOr, Some(arg)) if part_is_not(0, arg) => return Some(same(true)),
        _ => {}
    }
    match data.op {
        NodeOp::And if any_is(false) => return Some(same(false)),
        NodeOp::Or if any_is(true) => return Some(same(true)),
        NodeOp::Mul if any_is(false) => return Some(same(false)),
        _ => {}
    }
    let args: Vec<Bits> = known.into_iter().collect::<Option<_>>()?;
    if args.is_empty() {
        return None;
    }
    evaluate(&data.op, &args, width).map(limbs)
}

/// The arm of a mux whose select is constant.
pub fn chosen_arm(module: &Module, args: &[Node]) -> Option<Node> {
    let select = module.as_const(args[0])?;
    Some(if select[0] & 1 == 1 { args[1] } else { args[2] })
}

/// Least significant bit first.
type Bits = Vec<bool>;

fn to_bits(limbs: &[u64], width: u32) -> Bits {
    (0..width as usize)
        .map(|i| limbs[i / 64] >> (i % 64) & 1 == 1)
        .collect()
}

fn to_limbs(bits: &[bool]) -> Vec<u64> {
    let limb = |bits: &[bool]| {
        bits.iter()
            .rev()
            .fold(0, |all, bit| all << 1 | u64::from(*bit))
    };
    bits.chunks(64).map(limb).collect()
}

fn evaluate(op: &NodeOp, args: &[Bits], width: u32) -> Option<Bits> {
    let zip = |combine: fn(bool, bool) -> bool| {
        args[1..].iter().fold(args[0].clone(), |all, arg| {
            all.iter().zip(arg).map(|(a, b)| combine(*a, *b)).collect()
        })
    };
    Some(match op {
        NodeOp::Wire => args[0].clone(),
        NodeOp::Not => args[0].iter().map(|bit| !bit).collect(),
        NodeOp::And => zip(|a, b| a & b),
        NodeOp::Or => zip(|a, b| a | b),
        NodeOp::Xor => zip(|a, b| a ^ b),
        NodeOp::Add => sum(&args[0], &args[1], false),
        NodeOp::Sub => {
            let inverted: Bits = args[1].iter().map(|bit| !bit).collect();
            sum(&args[0], &inverted, true)
        }
        NodeOp::Mul => product(&args[0], &args[1]),
        NodeOp::Eq => vec![args[0] == args[1]],
        NodeOp::Ne => vec![args[0] != args[1]],
        NodeOp::Concat => args.iter().rev().flatten().copied().collect(),
        NodeOp::ZExt | NodeOp::SExt => {
            let limbs = to_limbs(&args[0]);
            let from = args[0].len() as u32;
            let limbs = match op {
                NodeOp::SExt => constant::sign_extend(&limbs, from, width),
                _ => constant::resize(&limbs, width),
            };
            to_bits(&limbs, width)
        }
        NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => shift(op, &args[0], &args[1]),
        NodeOp::ReduceOr => vec![args[0].contains(&true)],
        NodeOp::ReduceAnd => vec![!args[0].contains(&false)],
        NodeOp::ReduceXor => vec![args[0].iter().fold(false, |all, bit| all ^ bit)],
        // Orders are decided with their limits, slices where they look through their operand.
        _ => return None,
    })
}

fn sum(a: &[bool], b: &[bool], mut carry: bool) -> Bits {
    let mut sum = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        sum.push(a ^ b ^ carry);
        carry = (a & b) | (carry & (a | b));
    }
    sum
}

fn product(a: &[bool], b: &[bool]) -> Bits {
    let mut all = vec![false; a.len()];
    for (by, _) in b.iter().enumerate().filter(|(_, bit)| **bit) {
        let shifted: Bits = vec![false; by]
            .into_iter()
            .chain(a.iter().copied())
            .collect();
        all = sum(&all, &shifted, false);
    }
    all
}

fn shift(op: &NodeOp, value: &[bool], amount: &[bool]) -> Bits {
    let width = value.len();
    let too_far = amount.iter().skip(32).any(|bit| *bit);
    let by = match too_far {
        true => width,
        false => (to_limbs(&amount[..amount.len().min(32)])[0] as usize).min(width),
    };
    let fill = vec![*op == NodeOp::AShr && value.last() == Some(&true); by];
    match op {
        NodeOp::Shl => fill
            .into_iter()
            .chain(value[..width - by].iter().copied())
            .collect(),
        _ => value[by..].iter().copied().chain(fill).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(make: impl Fn(&mut Module) -> Node) -> Option<Vec<u64>> {
        let mut module = Module::new("m", "");
        let node = make(&mut module);
        constant_value(&module, node)
    }

    #[test]
    fn folds_operations_on_constants() {
        let of = |value: u64, width: u32, op: fn(&mut Module, Node, Node) -> Node| {
            folded(|m| {
                let a = m.constant(value, width);
                let b = m.constant(5, width);
                op(m, a, b)
            })
        };
        assert_eq!(of(3, 8, |m, a, b| m.sub(a, b)), Some(vec![0xfe]));
        assert_eq!(of(60, 8, |m, a, b| m.mul(a, b)), Some(vec![44]));
        assert_eq!(
            of(0x81, 8, |m, a, b| m.shift(NodeOp::AShr, a, b)),
            Some(vec![0xfc])
        );
        assert_eq!(
            of(0x81, 8, |m, a, b| m.shift(NodeOp::Shl, a, b)),
            Some(vec![0x20])
        );
        assert_eq!(of(3, 8, |m, a, b| m.concat(&[a, b])), Some(vec![0x305]));
        assert_eq!(of(3, 65, |m, a, _| m.reduce_xor(a)), Some(vec![0]));
    }

    #[test]
    fn a_zero_decides_an_and() {
        let value = folded(|m| {
            let a = m.input("a", 8, "");
            let zero = m.zero(8);
            m.mul(a, zero)
        });
        assert_eq!(value, Some(vec![0]));
    }
}
