//! The rules that a node must keep so that it can be compiled safely: number and widths of its arguments.

use super::{malformed, Netlist, Signal};
use crate::SimError;
use hardpath_rtl::{NodeData, NodeOp};

/// Checks a node whose arguments are resolved.
pub fn check_node(
    netlist: &Netlist,
    node: &NodeData,
    args: &[Signal],
    what: impl Fn() -> String,
) -> Result<(), SimError> {
    if node.width == 0 {
        return malformed(format!("{}: a node has at least one bit", what()));
    }
    let width = |index: usize| netlist.signals[args[index]].width;
    let all = |wanted: u32| (0..args.len()).all(|index| width(index) == wanted);
    let legal = match &node.op {
        NodeOp::Input(_)
        | NodeOp::Const(_)
        | NodeOp::Reg(_)
        | NodeOp::MemRead(..)
        | NodeOp::InstanceOutput(..)
        | NodeOp::Foreign(_)
        | NodeOp::Wire => true,
        NodeOp::Not => args.len() == 1 && all(node.width),
        NodeOp::And | NodeOp::Or | NodeOp::Xor => !args.is_empty() && all(node.width),
        NodeOp::Add | NodeOp::Sub | NodeOp::Mul => args.len() == 2 && all(node.width),
        NodeOp::Shl | NodeOp::LShr | NodeOp::AShr => args.len() == 2 && width(0) == node.width,
        NodeOp::Eq | NodeOp::Ne | NodeOp::Ult | NodeOp::Ule | NodeOp::Slt | NodeOp::Sle => {
            args.len() == 2 && node.width == 1 && width(0) == width(1)
        }
        NodeOp::Mux => {
            args.len() == 3 && width(0) == 1 && width(1) == node.width && width(2) == node.width
        }
        NodeOp::Slice { lo } => {
            args.len() == 1 && u64::from(*lo) + u64::from(node.width) <= u64::from(width(0))
        }
        NodeOp::Concat => {
            let sum: u64 = (0..args.len()).map(|index| u64::from(width(index))).sum();
            !args.is_empty() && sum == u64::from(node.width)
        }
        NodeOp::ZExt | NodeOp::SExt => args.len() == 1 && width(0) <= node.width,
        NodeOp::ReduceOr | NodeOp::ReduceAnd | NodeOp::ReduceXor => {
            args.len() == 1 && node.width == 1
        }
    };
    if legal {
        Ok(())
    } else {
        malformed(format!("{}: number or widths of its arguments", what()))
    }
}

/// Checks the width of a signal.
pub fn has_width(
    netlist: &Netlist,
    signal: Signal,
    width: u32,
    what: impl Fn() -> String,
) -> Result<(), SimError> {
    let found = netlist.signals[signal].width;
    if found == width {
        Ok(())
    } else {
        malformed(format!("{} is {found} bits wide, not {width}", what()))
    }
}
