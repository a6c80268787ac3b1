//! Priority chains of selects as trees.
//!
//! Two neighbours of a chain, `(c1, v1)` and `(c2, v2)`, are one: `(c1 | c2, c1 ? v1 : v2)`. That joining is
//! associative, so a chain of n may be cut anywhere; it is cut where both halves are ready at about the same time.

use crate::arrival::{cost, Arrival, Arrivals};
use crate::rewrite::Rewriter;
use cranelift_entity::SecondaryMap;
use hardpath_ir::{Op, Program, Value};

const SHORTEST: usize = 4;

/// Selects whose only use is as the else-arm of a select.
pub fn inner_selects(program: &Program) -> SecondaryMap<Value, bool> {
    let uses = program.use_counts();
    let mut inner = SecondaryMap::new();
    for (_, inst) in program.insts_in_order() {
        let data = &program.insts[inst];
        if data.op == Op::Select {
            let no = data.args[2];
            let is_select = program.def_inst(no).is_some_and(|no| no.op == Op::Select);
            inner[no] |= is_select && uses[no] == 1;
        }
    }
    inner
}

/// One link; the last one has no condition.
struct Link {
    condition: Option<Value>,
    value: Value,
    /// When condition and value are there.
    times: (Arrival, Arrival),
}

/// The chain that ends in `select args`, as a tree that is ready earlier.
pub fn balance(rewriter: &mut Rewriter, arrivals: &mut Arrivals, args: &[Value]) -> Option<Value> {
    let level = cost(&Op::Select, 1);
    let mut links: Vec<Link> = Vec::new();
    let mut args = args.to_vec();
    let last = loop {
        let times = (
            arrivals.get(rewriter.program, args[0]),
            arrivals.get(rewriter.program, args[1]),
        );
        links.push(Link {
            condition: Some(args[0]),
            value: args[1],
            times,
        });
        match rewriter.match_op(args[2], &Op::Select) {
            Some(next) if rewriter.is_used_once(args[2]) => args = next,
            _ => break args[2],
        }
    };
    if links.len() < SHORTEST {
        return None;
    }
    let mut now = arrivals.get(rewriter.program, last);
    links.push(Link {
        condition: None,
        value: last,
        times: (0, now),
    });
    for link in links.iter().rev().skip(1) {
        now = now.max(link.times.0).max(link.times.1) + level;
    }
    let best = estimate(&links).1;
    if best >= now {
        return None;
    }
    Some(join(rewriter, &links).1)
}

/// When condition and value of the joined links are there.
fn estimate(links: &[Link]) -> (Arrival, Arrival) {
    let level = cost(&Op::Select, 1);
    if let [link] = links {
        return link.times;
    }
    let (left, right) = links.split_at(links.len() / 2);
    let (left, right) = (estimate(left), estimate(right));
    (
        left.0.max(right.0) + level,
        left.0.max(left.1).max(right.1) + level,
    )
}

/// Condition (`None`: always) and value of the joined links.
fn join(rewriter: &mut Rewriter, links: &[Link]) -> (Option<Value>, Value) {
    if let [link] = links {
        return (link.condition, link.value);
    }
    let (left, right) = links.split_at(links.len() / 2);
    let (left_condition, left_value) = join(rewriter, left);
    let (right_condition, right_value) = join(rewriter, right);
    let Some(left_condition) = left_condition else {
        return (None, left_value);
    };
    let value = rewriter.select(left_condition, left_value, right_value);
    let condition = right_condition.map(|right| rewriter.binary(Op::Or, left_condition, right));
    (condition, value)
}
