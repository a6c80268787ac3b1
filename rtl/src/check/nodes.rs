//! The rules of nodes: their arguments are there, and all widths are right.

use super::{describe, Checker};
use crate::{Direction, Node, NodeOp};

impl Checker<'_> {
    pub(super) fn nodes(&mut self) {
        for (node, data) in self.module.nodes.iter() {
            let mut complain = |message: String| {
                self.messages
                    .push(format!("{}: {message}", describe(self.module, node)))
            };
            if data.width == 0 {
                complain("has no bits".to_string());
            }
            if data
                .section
                .is_some_and(|s| !self.module.sections.is_valid(s))
            {
                complain("is in a section that does not exist".to_string());
            }
            let bad = data.args.iter().find(|arg| match data.op {
                NodeOp::Wire => !self.module.nodes.is_valid(**arg),
                _ => **arg >= node,
            });
            if let Some(bad) = bad {
                complain(format!("uses {bad}, which is not made before it"));
                continue;
            }
            if let Err(message) = self.node_widths(node) {
                self.messages
                    .push(format!("{}: {message}", describe(self.module, node)));
            }
        }
    }

    fn node_widths(&self, node: Node) -> Result<(), String> {
        let data = &self.module.nodes[node];
        let args = data.args.iter().map(|arg| self.module.nodes[*arg].width);
        let widths = Widths {
            args: args.collect(),
            result: data.width,
        };
        match &data.op {
            NodeOp::Const(limbs) => {
                widths.count(0, "none")?;
                check_limbs(limbs, data.width)
            }
            NodeOp::Input(_)
            | NodeOp::Reg(_)
            | NodeOp::MemRead(..)
            | NodeOp::InstanceOutput(..) => {
                widths.count(0, "none")?;
                widths.result_is(self.width_read(&data.op)?)
            }
            NodeOp::Foreign(_) => widths.result_is(self.width_read(&data.op)?),
            NodeOp::Slice { .. } | NodeOp::Concat | NodeOp::ZExt | NodeOp::SExt => {
                widths.rearranges(&data.op)
            }
            operation => widths.computes(operation),
        }
    }

    /// The width of what a node reads that is no operation.
    fn width_read(&self, op: &NodeOp) -> Result<u32, String> {
        let module = self.module;
        match op {
            NodeOp::Input(index) => match module.ports.get(*index as usize) {
                Some(port) if port.direction == Direction::Input => Ok(port.width),
                _ => Err(format!("reads port {index}, which is no input")),
            },
            NodeOp::Foreign(index) => match module.ports.get(*index as usize) {
                Some(port) if port.direction != Direction::Input => Ok(port.width),
                _ => Err(format!("stands for port {index}, which is no output")),
            },
            NodeOp::Reg(reg) => match module.regs.get(*reg) {
                Some(reg) => Ok(reg.width),
                None => Err(format!("reads {reg}, which does not exist")),
            },
            NodeOp::MemRead(mem, port) => match module.mems.get(*mem) {
                Some(data) if (*port as usize) < data.reads.len() => Ok(data.width),
                _ => Err(format!("reads port {port} of {mem}, which does not exist")),
            },
            NodeOp::InstanceOutput(instance, port) => {
                let callee = module.instances.get(*instance).map(|data| data.module);
                match callee
                    .filter(|callee| *callee < self.id)
                    .and_then(|callee| self.design.modules[callee].ports.get(*port as usize))
                {
                    Some(port) if port.direction != Direction::Input => Ok(port.width),
                    _ => Err(format!(
                        "reads port {port} of {instance}, which is no output"
                    )),
                }
            }
            _ => unreachable!("an operation reads its arguments only"),
        }
    }
}

/// The widths of a node's arguments, and its own.
struct Widths {
    args: Vec<u32>,
    result: u32,
}

impl Widths {
    /// Of an operation that computes bits of its arguments' bits.
    fn computes(&self, op: &NodeOp) -> Result<(), String> {
        let args = &self.args[..];
        match op {
            NodeOp::Wire | NodeOp::Not => {
                self.count(1, "one (a wire is driven exactly once)")?;
                all_of(args, self.result)
            }
            NodeOp::And | NodeOp::Or | NodeOp::Xor => {
                self.count_is(args.len() >= 2, "two or more")?;
                all_of(args, self.result)
            }
            NodeOp::Add | NodeOp::Sub | NodeOp::Mul => {
                self.count(2, "two")?;
                all_of(args, self.result)
            }
            NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => {
                self.count(2, "two")?;
                all_of(&args[..1], self.result)
            }
            NodeOp::Eq | NodeOp::Ne | NodeOp::Ult | NodeOp::Ule | NodeOp::Slt | NodeOp::Sle => {
                self.count(2, "two")?;
                all_of(&args[1..], args[0])?;
                self.result_is(1)
            }
            NodeOp::Mux => {
                self.count(3, "three")?;
                all_of(&args[..1], 1)?;
                all_of(&args[1..], self.result)
            }
            NodeOp::ReduceOr | NodeOp::ReduceAnd | NodeOp::ReduceXor => {
                self.count(1, "one")?;
                self.result_is(1)
            }
            other => unreachable!("{other:?} computes nothing"),
        }
    }

    /// Of an operation that puts bits elsewhere.
    fn rearranges(&self, op: &NodeOp) -> Result<(), String> {
        let width = self.result;
        match op {
            NodeOp::Slice { lo } => {
                self.count(1, "one")?;
                let end = u64::from(*lo) + u64::from(width);
                match end <= u64::from(self.args[0]) {
                    true => Ok(()),
                    false => Err(format!("takes bits up to {} of {}", end - 1, self.args[0])),
                }
            }
            NodeOp::Concat => {
                self.count_is(!self.args.is_empty(), "one or more")?;
                self.result_is(self.args.iter().sum())
            }
            NodeOp::ZExt | NodeOp::SExt => {
                self.count(1, "one")?;
                match self.args[0] <= width {
                    true => Ok(()),
                    false => Err(format!("extends {} bits to {width}", self.args[0])),
                }
            }
            other => unreachable!("{other:?} changes bits"),
        }
    }

    fn count(&self, wanted: usize, words: &str) -> Result<(), String> {
        self.count_is(self.args.len() == wanted, words)
    }

    /// Whether there are as many arguments as the operation wants, which is said in words.
    fn count_is(&self, good: bool, wanted: &str) -> Result<(), String> {
        let count = self.args.len();
        match good {
            true => Ok(()),
            false => Err(format!("has {count} arguments instead of {wanted}")),
        }
    }

    fn result_is(&self, wanted: u32) -> Result<(), String> {
        let width = self.result;
        match width == wanted {
            true => Ok(()),
            false => Err(format!("has {width} bits instead of {wanted}")),
        }
    }
}

fn all_of(args: &[u32], wanted: u32) -> Result<(), String> {
    match args.iter().find(|arg| **arg != wanted) {
        None => Ok(()),
        Some(other) => Err(format!(
            "has an argument of {other} bits instead of {wanted}"
        )),
    }
}

/// As many limbs as the width needs, and no bit above it.
pub(super) fn check_limbs(limbs: &[u64], width: u32) -> Result<(), String> {
    let wanted = width.div_ceil(64) as usize;
    if limbs.len() != wanted {
        return Err(format!("has {} limbs instead of {wanted}", limbs.len()));
    }
    match limbs.last() {
        Some(last) if !width.is_multiple_of(64) && last >> (width % 64) != 0 => {
            Err(format!("has bits above its width of {width}"))
        }
        _ => Ok(()),
    }
}
