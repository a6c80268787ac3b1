//! Going through things, and remembering that something happened.

use hardpath_rtl::{Module, Node};

/// A flag from `begins` until `last`, and a strobe at its end.
pub(crate) fn runs(m: &mut Module, name: &str, begins: Node, last: Node) -> (Node, Node) {
    let (reg, runs) = m.reg_reset(name, 1, 0);
    let ends = m.and(&[runs, last]);
    let on = m.not(ends);
    let on = m.and(&[runs, on]);
    let next = m.or(&[begins, on]);
    m.set_next(reg, next);
    (runs, ends)
}

/// A flag: `happens` since `begins`.
pub(crate) fn flag(m: &mut Module, name: &str, begins: Node, happens: Node) -> Node {
    let (reg, node) = m.reg_reset(name, 1, 0);
    let idle = m.not(begins);
    let kept = m.or(&[node, happens]);
    let next = m.and(&[kept, idle]);
    m.set_next(reg, next);
    node
}

/// A strobe so many clocks later.
pub(crate) fn late(m: &mut Module, name: &str, mut strobe: Node, clocks: u32) -> Node {
    for clock in 1..=clocks {
        strobe = m.delay_reset(format!("{name}_{clock}"), strobe);
    }
    strobe
}
