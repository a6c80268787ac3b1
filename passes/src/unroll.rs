//! Loops written out, round by round.
//!
//! ```text
//! block1(v1:16) loop up-to 1:         block1(v1:16):
//!     v2:16 = add v1, v0                  v2:16 = add v1, v0
//!     v3:1 = ult v2, v4                   v3:1 = ult v2, v4
//!     branch v3, block1(v2), block2   →   branch v3, block3(v2), block2(v2)
//! block2:                             block3(v5:16):
//!     … v2 …                              v6:16 = add v5, v0
//!                                         v7:1 = ult v6, v4
//!                                         jump block2(v6)
//!                                     block2(v8:16):
//!                                         … v8 …
//! ```
//!
//! A loop to whose head control goes back at most n times becomes n + 1 rounds; inner loops come first. In the last round no way goes
//! back: a branch that could do so is a jump to the other side, and blocks from which all ways go back are gone. Where it
//! is known how often control goes back, no round but the last has a way out. So what a bound says is believed, and a bound that
//! is wrong gives another program; the interpreter checks them.
//!
//! What was made in the loop and is used behind it has a version for each round. [`crate::reaching`] joins them.

use crate::copies::{all_or_nothing, copy_blocks, predecessors, tidy, Copies};
use crate::limits::{too_deep, too_large, MOST_INSTRUCTIONS};
use crate::reaching::join_definitions;
use hardpath_diagnostic::Diagnostic;
use hardpath_ir::count::counted;
use hardpath_ir::graph::{Dominators, Graph, Nesting};
use hardpath_ir::structure::Bound;
use hardpath_ir::{Block, Program, Target, Terminator, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

/// # Errors
/// Every loop whose bound is unknown, or the one that would be too large; none of them has been written out then.
pub fn run(program: &mut Program) -> Result<bool, Vec<Diagnostic>> {
    let mut errors = unknown_bounds(program);
    if errors.is_empty() {
        errors.extend(beyond_limit(program));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    all_or_nothing(program, unroll)
}

fn unroll(program: &mut Program) -> Result<bool, Vec<Diagnostic>> {
    let mut changed = false;
    let order = std::mem::take(&mut program.order);
    program.order = unrolled(program, order, &mut changed)?;
    for function in program.functions.keys() {
        let order = std::mem::take(&mut program.functions[function].order);
        program.functions[function].order = unrolled(program, order, &mut changed)?;
    }
    Ok(changed)
}

fn unknown_bounds(program: &Program) -> Vec<Diagnostic> {
    let unknown = program
        .all_blocks()
        .filter(|block| program.blocks[*block].bound == Some(Bound::Unknown));
    let refuse = |block| {
        Diagnostic::refused(
            "loop",
            "nothing but the data says how often this loop goes round, so it cannot be written out",
        )
        .at(program.block_place(block))
        .help("bound the number of rounds with a constant, and let the loop end earlier where the data say so")
    };
    unknown.map(refuse).collect()
}

/// The loop for which the program would be too large.
fn beyond_limit(program: &Program) -> Option<Diagnostic> {
    let mut whole = 0u64;
    // Of each loop: what it becomes, and its head.
    let mut loops: Vec<(u64, Block)> = Vec::new();
    for (_, order) in program.orders() {
        let nesting = Graph::new(program, order).nesting();
        let mut sizes = vec![0u64; order.len()];
        for (node, &block) in order.iter().enumerate() {
            let around = nesting.loops[node].iter();
            let rounds = around.map(|head| rounds(program, order[*head]));
            let own = program.blocks[block].insts.len() as u64 + 1;
            let size = rounds.fold(own, u64::saturating_mul);
            whole = whole.saturating_add(size);
            for &head in &nesting.loops[node] {
                sizes[head] = sizes[head].saturating_add(size);
            }
        }
        let heads = (0..order.len()).filter(|node| sizes[*node] > 0);
        loops.extend(heads.map(|node| (sizes[node], order[node])));
    }
    if whole <= MOST_INSTRUCTIONS {
        return None;
    }
    // The innermost one that is too large alone, or else the largest.
    let alone = loops
        .iter()
        .rev()
        .find(|(size, _)| *size > MOST_INSTRUCTIONS);
    let largest = loops.iter().max_by_key(|(size, _)| *size);
    let &(size, head) = alone.or(largest)?;
    let rounds = rounds(program, head);
    let what = format!(
        "with its {} written out this loop",
        counted(rounds, "round")
    );
    let (what, size) = match size > MOST_INSTRUCTIONS {
        true => (what, size),
        false => (
            String::from("with all loops written out the program"),
            whole,
        ),
    };
    let others = whole
        - loops
            .iter()
            .find(|(_, block)| *block == head)
            .map_or(0, |(size, _)| *size);
    let each = (size / rounds).max(1);
    let most = MOST_INSTRUCTIONS.saturating_sub(others) / each;
    let help = match most {
        0 => String::from("make the loop's body smaller"),
        most => format!(
            "as the program is, {} of this loop would fit",
            counted(most, "round")
        ),
    };
    let message = too_large(&what, size, program.block_place(head));
    Some(message.help(help))
}

/// How often a head runs at most; 1 for a block that is none.
fn rounds(program: &Program, head: Block) -> u64 {
    let most = program.blocks[head].bound.and_then(Bound::most);
    u64::from(most.unwrap_or(0)) + 1
}

/// The order of some blocks without loops.
fn unrolled(
    program: &mut Program,
    order: Vec<Block>,
    changed: &mut bool,
) -> Result<Vec<Block>, Vec<Diagnostic>> {
    let last_head = |program: &Program, order: &[Block]| {
        order
            .iter()
            .rposition(|block| program.blocks[*block].bound.is_some())
    };
    if last_head(program, &order).is_none() {
        return Ok(order);
    }
    *changed = true;
    let mut order = tidy(program, &order).ok_or_else(|| vec![too_deep(program, &order)])?;
    // The last head has no other in its loop, because loops stand without gaps.
    while let Some(head) = last_head(program, &order) {
        order = write_out(program, &order, head)?;
    }
    Ok(order)
}

/// One loop, which has no other inside.
struct Loop<'a> {
    order: &'a [Block],
    graph: Graph,
    nesting: Nesting,
    dominators: Dominators,
    /// A place in the order, as all nodes.
    head: usize,
    bound: Bound,
    /// The nodes of the loop, in order.
    body: Vec<usize>,
}

impl Loop<'_> {
    fn contains(&self, node: usize) -> bool {
        self.nesting.loops[node].contains(&self.head)
    }

    /// The blocks of the loop.
    fn blocks(&self) -> Vec<Block> {
        self.body.iter().map(|node| self.order[*node]).collect()
    }

    /// How often control goes back at most.
    fn most(&self) -> u32 {
        self.bound.most().unwrap_or(0)
    }

    /// Whether control can go from a node of the loop to another node in a round; `alive`: the nodes of that round that
    /// control can come to.
    fn may_go(&self, round: u32, to: usize, alive: &HashSet<usize>) -> bool {
        if to == self.head {
            round < self.most()
        } else if self.contains(to) {
            alive.contains(&to)
        } else {
            self.may_leave(round)
        }
    }

    fn may_leave(&self, round: u32) -> bool {
        round == self.most() || !matches!(self.bound, Bound::Exactly(_))
    }

    /// The nodes from which a round goes on as its bound says.
    fn alive(&self, round: u32) -> HashSet<usize> {
        let mut alive = HashSet::new();
        for &node in self.body.iter().rev() {
            let targets = &self.graph.successors[node];
            let goes_on = match targets.is_empty() {
                true => self.may_leave(round),
                false => targets.iter().any(|to| self.may_go(round, *to, &alive)),
            };
            if goes_on {
                alive.insert(node);
            }
        }
        alive
    }
}

/// Writes out the loop whose head has that place; gives the new order.
fn write_out(
    program: &mut Program,
    order: &[Block],
    head: usize,
) -> Result<Vec<Block>, Vec<Diagnostic>> {
    let graph = Graph::new(program, order);
    let nesting = graph.nesting();
    let around = Loop {
        order,
        head,
        bound: program.blocks[order[head]].bound.unwrap_or(Bound::Unknown),
        body: (0..order.len())
            .filter(|node| nesting.loops[*node].contains(&head))
            .collect(),
        dominators: graph.dominators(),
        graph,
        nesting,
    };
    let users = users_behind(program, &around);
    // All copies are made of the loop as it was. The first round is the loop itself.
    let body = around.blocks();
    let mut rounds = vec![Copies::none()];
    for _ in 0..around.most() {
        rounds.push(copy_blocks(program, &body));
    }
    for round in 0..=around.most() {
        let alive = around.alive(round);
        // Rule 13: a loop with a bound has a way out. It has a way back, or it would be none.
        assert!(
            alive.contains(&head),
            "{} goes on in round {round}",
            order[head]
        );
        let next_head = rounds
            .get(round as usize + 1)
            .map(|next| next.block(order[head]));
        for &node in around.body.iter().filter(|node| alive.contains(node)) {
            let block = rounds[round as usize].block(order[node]);
            let ways: Vec<bool> = around.graph.successors[node]
                .iter()
                .map(|to| around.may_go(round, *to, &alive))
                .collect();
            let is_back: Vec<bool> = around.graph.successors[node]
                .iter()
                .map(|to| *to == head)
                .collect();
            lead_on(program, block, &ways, &is_back, next_head);
        }
    }
    let copied = rounds[1..]
        .iter()
        .flat_map(|copies| body.iter().map(|block| copies.block(*block)));
    let order_with_copies: Vec<Block> = order.iter().copied().chain(copied).collect();
    program.blocks[order[head]].bound = None;
    let new_order = tidy(program, &order_with_copies)
        .ok_or_else(|| vec![too_deep(program, &order_with_copies)])?;
    join_rounds(program, &around, &rounds, &new_order, users);
    Ok(new_order)
}

/// Leads the end of a block only where it may go; ways back go to the head of the next round.
fn lead_on(
    program: &mut Program,
    block: Block,
    ways: &[bool],
    is_back: &[bool],
    next_head: Option<Block>,
) {
    let lead = |target: &Target, number: usize| Target {
        block: match next_head {
            Some(next) if is_back[number] => next,
            _ => target.block,
        },
        args: target.args.clone(),
    };
    let terminator = match &program.blocks[block].terminator {
        Terminator::Jump(target) => Terminator::Jump(lead(target, 0)),
        Terminator::Branch { cond, yes, no } => match (ways[0], ways[1]) {
            (true, true) => Terminator::Branch {
                cond: *cond,
                yes: lead(yes, 0),
                no: lead(no, 1),
            },
            (true, false) => Terminator::Jump(lead(yes, 0)),
            (false, _) => Terminator::Jump(lead(no, 1)),
        },
        other => other.clone(),
    };
    program.blocks[block].terminator = terminator;
}

/// Each value of the loop that is used outside, with the node that makes it and the blocks that use it.
fn users_behind(program: &Program, around: &Loop) -> BTreeMap<Value, (usize, Vec<Block>)> {
    let mut made: HashMap<Value, usize> = HashMap::new();
    for &node in &around.body {
        let data = &program.blocks[around.order[node]];
        let results = data
            .insts
            .iter()
            .flat_map(|inst| &program.insts[*inst].results);
        made.extend(
            data.params
                .iter()
                .chain(results)
                .map(|value| (*value, node)),
        );
    }
    let mut users: BTreeMap<Value, (usize, Vec<Block>)> = BTreeMap::new();
    for (node, &block) in around.order.iter().enumerate() {
        if around.contains(node) {
            continue;
        }
        let data = &program.blocks[block];
        let uses = data
            .insts
            .iter()
            .flat_map(|inst| program.insts[*inst].uses());
        for value in uses.chain(data.terminator.uses()) {
            if let Some(&node) = made.get(&value) {
                let (_, blocks) = users.entry(value).or_insert((node, Vec::new()));
                if blocks.last() != Some(&block) {
                    blocks.push(block);
                }
            }
        }
    }
    users
}

/// Gives the users behind the loop the version of the round that control comes from.
fn join_rounds(
    program: &mut Program,
    around: &Loop,
    rounds: &[Copies],
    order: &[Block],
    users: BTreeMap<Value, (usize, Vec<Block>)>,
) {
    let live: HashSet<Block> = order.iter().copied().collect();
    let predecessors = predecessors(program, order);
    for (value, (maker, mut users)) in users {
        users.retain(|block| live.contains(block));
        let mut definitions = HashMap::new();
        // Wherever in its round the value is known. No way leads to a user past it.
        let knowing = around.body.iter();
        for &node in knowing.filter(|node| around.dominators.dominates(maker, **node)) {
            for copies in rounds {
                definitions.insert(copies.block(around.order[node]), copies.value(value));
            }
        }
        join_definitions(program, order, &predecessors, value, &definitions, &users);
    }
}
