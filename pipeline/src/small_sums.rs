//! Small sums with a constant that one line uses stand in that line: `{9'd1, r8_s0 + 4'd1, 1'b0} <= packet_length`.

use hardpath_rtl::{Module, Node, NodeOp};
use std::collections::HashMap;

/// Bits of the widest.
const FEW_BITS: u32 = 8;

/// Takes away the names of those of the sums that are small, with a constant, and used once. Where such a sum is from in the
/// source is told by the line that uses it, unless that has a place of its own. All but the outputs is there by then.
pub fn unname(m: &mut Module, sums: &[Node]) {
    let uses = m.count_uses();
    let mut users: HashMap<Node, Node> = HashMap::new();
    for (user, data) in m.nodes.iter() {
        users.extend(data.args.iter().map(|arg| (*arg, user)));
    }
    for sum in sums {
        let mut args = m.nodes[*sum].args.iter();
        let has_constant = args.any(|arg| m.as_const(*arg).is_some());
        let is_short = m.width(*sum) <= FEW_BITS && has_constant && uses[*sum] == 1;
        let line = is_short.then(|| line_with(m, &users, *sum)).flatten();
        let Some(line) = line else { continue };
        let comment = m.nodes[*sum].comment.take();
        m.nodes[*sum].name = None;
        if let (Some(comment), None) = (comment, &m.nodes[line].comment) {
            m.comment(line, comment);
        }
    }
}

/// The node with a name in whose expression the node stands. `None`: there is none, or only names have parts.
fn line_with(m: &Module, users: &HashMap<Node, Node>, node: Node) -> Option<Node> {
    let user = *users.get(&node)?;
    let data = &m.nodes[user];
    match (&data.op, &data.name) {
        (NodeOp::Slice { .. } | NodeOp::SExt, _) => None,
        (_, Some(_)) => Some(user),
        (_, None) => line_with(m, users, user),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sum is called, and what is said of the line that uses it, when that has no words of its own.
    fn after(m: &mut Module, sum: Node, line: Node) -> (Option<String>, Option<String>) {
        let sum = m.name(sum, "sum_s0");
        m.comment(sum, "source");
        let line = m.name(line, "line_s0");
        m.output("line", line, "");
        unname(m, &[sum]);
        (m.nodes[sum].name.clone(), m.nodes[line].comment.clone())
    }

    fn input(width: u32) -> (Module, Node) {
        let mut m = Module::new("m", "");
        let a = m.input("a", width, "");
        (m, a)
    }

    #[test]
    fn a_small_sum_that_is_used_once_has_no_name() {
        let (mut m, a) = input(4);
        let sum = m.add_const(a, 1);
        let wide = m.zext(sum, 6);
        let line = m.eq_const(wide, 9);
        let source = Some("source".to_string());
        assert_eq!(after(&mut m, sum, line), (None, source));
    }

    #[test]
    fn others_keep_theirs() {
        let kept = (Some("sum_s0".to_string()), None);
        let (mut m, a) = input(9);
        let sum = m.add_const(a, 1);
        let line = m.eq_const(sum, 9);
        assert_eq!(after(&mut m, sum, line), kept, "wide");

        let (mut m, a) = input(4);
        let sum = m.add_const(a, 1);
        let other = m.eq_const(sum, 3);
        m.output("other", other, "");
        let line = m.eq_const(sum, 9);
        assert_eq!(after(&mut m, sum, line), kept, "used twice");

        let (mut m, a) = input(4);
        let sum = m.add_const(a, 1);
        let line = m.bit(sum, 2);
        assert_eq!(after(&mut m, sum, line), kept, "its parts are used");

        let (mut m, a) = input(4);
        let b = m.input("b", 4, "");
        let sum = m.add(a, b);
        let line = m.eq_const(sum, 9);
        assert_eq!(after(&mut m, sum, line), kept, "no constant");
    }
}
