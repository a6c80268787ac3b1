//! Predication: a control-flow graph becomes one region.
//!
//! ```text
//! block0:                                 v2 = ult v0, v1
//!   v2 = ult v0, v1                       v3 = add v0, v1
//!   branch v2, block1, block2(v0)    →    map.store @m … if v2
//! block1:                                 v5 = select v2, v3, v0
//!   v3 = add v0, v1                       emit …
//!   map.store @m …
//!   jump block2(v3)
//! block2(v5): emit …
//! ```
//!
//! Pure operations are executed whether their block runs or not; effects get their block's condition as guard.
//! A block parameter becomes a select among what its predecessors pass. Its conditions are those relative to the
//! block's immediate dominator (when the block runs at all, the dominator has run), which keeps them short; a
//! block that post-dominates another one needs no condition relative to it. With more than three different
//! arguments the select is an AND-OR of one-hot conditions, whose depth grows with the logarithm.
//!
//! All exits become one. A run of packet bytes that some exit writes becomes one `PacketStore` with the condition
//! of the exits that write it.

mod exits;

use hardpath_ir::graph::Dominators;
use hardpath_ir::{
    Bits, Block, Emit, Inst, InstData, Op, Phase, PlaceId, Program, Terminator, Value,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How the condition under which a line of the source runs is called, before the line's number.
pub const REACHES: &str = "reaches_line_";

/// Turns a program of the control-flow phase into one of the dataflow phase. Needs stack and packet bytes as
/// values: packet stores stand only before the exits, with constant offsets.
pub fn predicate(program: &Program) -> Program {
    let mut flow = Flow::new(program);
    for index in 0..flow.graph.nodes.len() {
        flow.lower_node(index);
    }
    flow.finish()
}

/// The control-flow graph with one exit behind all emits, by place in topological order.
struct Graph {
    nodes: Vec<Option<Block>>,
    /// For each node its incoming edges: (from, which way of its branch).
    incoming: Vec<Vec<Edge>>,
    idom: Vec<usize>,
    ipdom: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Edge {
    from: usize,
    way: Way,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Always,
    Yes,
    No,
}

impl Graph {
    fn new(program: &Program) -> Graph {
        let place: HashMap<Block, usize> = program
            .order
            .iter()
            .enumerate()
            .map(|(i, b)| (*b, i))
            .collect();
        let exit = program.order.len();
        let mut nodes: Vec<Option<Block>> = program.order.iter().map(|b| Some(*b)).collect();
        nodes.push(None);
        let mut incoming = vec![Vec::new(); exit + 1];
        let mut successors = vec![Vec::new(); exit + 1];
        for (from, block) in program.order.iter().enumerate() {
            let mut edge = |to: usize, way: Way| {
                incoming[to].push(Edge { from, way });
                successors[from].push(to);
            };
            match &program.blocks[*block].terminator {
                Terminator::Jump(target) => edge(place[&target.block], Way::Always),
                Terminator::Branch { yes, no, .. } => {
                    edge(place[&yes.block], Way::Yes);
                    edge(place[&no.block], Way::No);
                }
                Terminator::Emit(_) => edge(exit, Way::Always),
                Terminator::Return(_) | Terminator::None => {
                    unreachable!("blocks of verified control flow go on, or end the program")
                }
            }
        }
        let dominators = Dominators::new(&successors);
        let idom = (0..=exit).map(|node| dominators.immediate(node).unwrap_or(0));
        // Backwards, and counted from the exit: there a node's dominators are those that stand on every way out.
        let backwards: Vec<Vec<usize>> = (0..=exit)
            .map(|node| &incoming[exit - node])
            .map(|edges| edges.iter().map(|edge| exit - edge.from).collect())
            .collect();
        let behind = Dominators::new(&backwards);
        let ipdom = (0..=exit).map(|node| exit - behind.immediate(exit - node).unwrap_or(0));
        let (idom, ipdom) = (idom.collect(), ipdom.collect());
        Graph {
            nodes,
            incoming,
            idom,
            ipdom,
        }
    }

    fn post_dominates(&self, node: usize, mut of: usize) -> bool {
        while of < node {
            of = self.ipdom[of];
        }
        of == node
    }
}

/// The packet bytes that an exit writes: offset → (bytes, value).
type Written = BTreeMap<i64, (i64, Value)>;

/// A condition: always true, or a value of width 1.
type Condition = Option<Value>;

struct Flow<'a> {
    old: &'a Program,
    new: Program,
    region: Block,
    graph: Graph,
    values: HashMap<Value, Value>,
    /// The condition of each node's branch, once the node is lowered.
    branch: Vec<Option<Value>>,
    relative: HashMap<(usize, usize), Condition>,
}

impl<'a> Flow<'a> {
    fn new(old: &'a Program) -> Flow<'a> {
        let mut new = Program::new(old.name.clone());
        new.limits = old.limits;
        new.inputs = old.inputs.clone();
        new.outputs = old.outputs.clone();
        new.maps = old.maps.clone();
        new.places = old.places.clone();
        new.phase = Phase::Dataflow;
        let region = new.add_block();
        let graph = Graph::new(old);
        let count = graph.nodes.len();
        Flow {
            old,
            new,
            region,
            graph,
            values: HashMap::new(),
            branch: vec![None; count],
            relative: HashMap::new(),
        }
    }

    fn lower_node(&mut self, index: usize) {
        let Some(block) = self.graph.nodes[index] else {
            return;
        };
        let data = &self.old.blocks[block];
        for (number, param) in data.params.iter().enumerate() {
            let choices: Vec<(Edge, Value)> = self.graph.incoming[index]
                .clone()
                .into_iter()
                .map(|edge| (edge, self.values[&self.argument(edge, number)]))
                .collect();
            let value = self.choose(index, &choices);
            self.name(value, *param);
            self.values.insert(*param, value);
        }
        let guard = self.condition(0, index);
        self.name_condition(guard, block);
        for inst in &data.insts {
            let data = &self.old.insts[*inst];
            if data.op == Op::PacketStore {
                continue;
            }
            self.copy(*inst, data, guard);
        }
        if let Terminator::Branch { cond, .. } = &data.terminator {
            self.branch[index] = Some(self.values[cond]);
        }
    }

    /// A block's condition is called after its first line in the source.
    fn name_condition(&mut self, condition: Condition, block: Block) {
        let insts = self.old.blocks[block].insts.iter();
        let mut places = insts.filter_map(|inst| self.old.insts[*inst].place);
        let line = places.next().map(|place| self.old.places[place].line);
        if let (Some(condition), Some(line)) = (condition, line.filter(|line| *line > 0)) {
            self.new.name_value(condition, &format!("{REACHES}{line}"));
        }
    }

    /// What an edge passes for a parameter.
    fn argument(&self, edge: Edge, number: usize) -> Value {
        let block = self.graph.nodes[edge.from].expect("the exit has no successors");
        match (&self.old.blocks[block].terminator, edge.way) {
            (Terminator::Jump(target), _) => target.args[number],
            (Terminator::Branch { yes, .. }, Way::Yes) => yes.args[number],
            (Terminator::Branch { no, .. }, Way::No) => no.args[number],
            _ => unreachable!("an edge into a block comes from a jump or branch"),
        }
    }

    fn copy(&mut self, inst: Inst, data: &InstData, guard: Condition) {
        let args = data.args.iter().map(|arg| self.values[arg]).collect();
        let widths: Vec<u32> = data.results.iter().map(|r| self.old.width(*r)).collect();
        let copy = self
            .new
            .append(self.region, data.op.clone(), args, &widths, data.place);
        // Reading is harmless; reads of maps keep their guards because they tell who needs the map at all.
        if !data.op.is_pure() && data.op != Op::PacketLoad {
            self.new.insts[copy].guard = guard;
        }
        let results = self.new.insts[copy].results.clone();
        for (old, new) in self.old.insts[inst].results.iter().zip(results) {
            self.name(new, *old);
            self.values.insert(*old, new);
        }
    }

    fn name(&mut self, new: Value, old: Value) {
        if self.new.values[new].name.is_none() {
            self.new.values[new].name = self.old.values[old].name.clone();
        }
    }

    fn op(&mut self, op: Op, args: Vec<Value>, width: u32) -> Value {
        self.new
            .append1(self.region, op, args, width, None::<PlaceId>)
    }

    fn constant(&mut self, value: u64, width: u32) -> Value {
        self.new
            .append_const(self.region, Bits::from_u64(value, width))
    }

    fn and(&mut self, a: Condition, b: Condition) -> Condition {
        match (a, b) {
            (None, other) | (other, None) => other,
            (Some(a), Some(b)) if a == b => Some(a),
            (Some(a), Some(b)) => Some(self.op(Op::And, vec![a, b], 1)),
        }
    }

    fn or_all(&mut self, all: Vec<Condition>) -> Condition {
        let mut terms = Vec::new();
        for condition in all {
            terms.push(condition?);
        }
        terms.dedup();
        terms
            .into_iter()
            .reduce(|a, b| self.op(Op::Or, vec![a, b], 1))
    }

    /// The condition under which control takes an edge, when its source runs.
    fn edge_condition(&mut self, edge: Edge) -> Condition {
        let cond = self.branch[edge.from];
        match edge.way {
            Way::Always => None,
            Way::Yes => cond,
            Way::No => cond.map(|cond| self.op(Op::Not, vec![cond], 1)),
        }
    }

    /// The condition under which `node` runs when `from`, which dominates it, has run.
    fn condition(&mut self, from: usize, node: usize) -> Condition {
        if from == node || self.graph.post_dominates(node, from) {
            return None;
        }
        if let Some(known) = self.relative.get(&(from, node)) {
            return *known;
        }
        let idom = self.graph.idom[node];
        let condition = if idom != from {
            let first = self.condition(from, idom);
            let second = self.condition(idom, node);
            self.and(first, second)
        } else {
            let edges = self.graph.incoming[node].clone();
            let terms = edges
                .into_iter()
                .map(|edge| self.arrival(from, edge))
                .collect();
            self.or_all(terms)
        };
        self.relative.insert((from, node), condition);
        condition
    }

    /// The condition under which control comes along an edge, when `from` has run.
    fn arrival(&mut self, from: usize, edge: Edge) -> Condition {
        let source = self.condition(from, edge.from);
        let way = self.edge_condition(edge);
        self.and(source, way)
    }

    /// The value that comes along the edge that control takes into `node`.
    fn choose(&mut self, node: usize, choices: &[(Edge, Value)]) -> Value {
        let mut groups: Vec<(Value, Vec<Edge>)> = Vec::new();
        for (edge, value) in choices {
            match groups
                .iter_mut()
                .find(|(other, _)| self.same(*other, *value))
            {
                Some((_, edges)) => edges.push(*edge),
                None => groups.push((*value, vec![*edge])),
            }
        }
        if groups.len() == 1 {
            return groups[0].0;
        }
        // The group with the most edges has the longest condition: it becomes the one that needs none.
        groups.sort_by_key(|(_, edges)| edges.len());
        let idom = self.graph.idom[node];
        let width = self.new.width(groups[0].0);
        let (rest, _) = groups.pop().expect("at least two groups");
        let mut conditions = Vec::new();
        for (value, edges) in groups {
            let terms = edges
                .into_iter()
                .map(|edge| self.arrival(idom, edge))
                .collect();
            let condition = self
                .or_all(terms)
                .expect("two different arguments cannot both come always");
            conditions.push((condition, value));
        }
        if conditions.len() <= 2 {
            return conditions
                .into_iter()
                .rev()
                .fold(rest, |otherwise, (condition, value)| {
                    self.op(Op::Select, vec![condition, value, otherwise], width)
                });
        }
        let mut terms = Vec::new();
        let mut any: Option<Value> = None;
        for (condition, value) in conditions {
            any = Some(match any {
                None => condition,
                Some(any) => self.op(Op::Or, vec![any, condition], 1),
            });
            let mask = self.op(Op::SExt, vec![condition], width);
            terms.push(self.op(Op::And, vec![mask, value], width));
        }
        let none = self.op(Op::Not, vec![any.expect("some condition")], 1);
        let mask = self.op(Op::SExt, vec![none], width);
        terms.push(self.op(Op::And, vec![mask, rest], width));
        terms
            .into_iter()
            .reduce(|a, b| self.op(Op::Or, vec![a, b], width))
            .expect("some term")
    }

    /// Whether two values are the same value or equal constants.
    fn same(&self, a: Value, b: Value) -> bool {
        a == b
            || matches!((self.new.as_const(a), self.new.as_const(b)), (Some(a), Some(b)) if a == b)
    }

    /// Joins the exits.
    fn finish(mut self) -> Program {
        let exit = self.graph.nodes.len() - 1;
        let edges = self.graph.incoming[exit].clone();
        let mut emits: Vec<(Edge, Emit)> = Vec::new();
        let mut stores: Vec<(Edge, Written)> = Vec::new();
        for edge in &edges {
            let block = self.graph.nodes[edge.from].expect("a block");
            let data = &self.old.blocks[block];
            if let Terminator::Emit(emit) = &data.terminator {
                let mut emit = emit.clone();
                for value in emit.uses_mut() {
                    *value = self.values[value];
                }
                emits.push((*edge, emit));
            }
            let mut written = BTreeMap::new();
            for inst in &data.insts {
                let data = &self.old.insts[*inst];
                if data.op == Op::PacketStore {
                    let offset = self.old.as_const(data.args[0]).expect("a constant offset");
                    let bytes = self.old.width(data.args[1]) / 8;
                    let offset = offset.low_u64() as i64;
                    written.insert(offset, (bytes.into(), self.values[&data.args[1]]));
                }
            }
            stores.push((*edge, written));
        }
        let mut cuts: BTreeSet<i64> = BTreeSet::new();
        for (_, written) in &stores {
            for (offset, (bytes, _)) in written {
                cuts.extend([*offset, offset + bytes]);
            }
        }
        let cuts: Vec<i64> = cuts.into_iter().collect();
        for pair in cuts.windows(2) {
            self.join_stores(exit, pair[0], pair[1], &stores);
        }
        let emit = self.join_emits(exit, &emits);
        self.new.blocks[self.region].terminator = Terminator::Emit(emit);
        self.new
    }

    /// Makes one store of the bytes `from..to` for all exits that write them.
    fn join_stores(&mut self, exit: usize, from: i64, to: i64, stores: &[(Edge, Written)]) {
        let mut choices = Vec::new();
        for (edge, written) in stores {
            let covering = written.range(..=from).next_back();
            if let Some((offset, (bytes, value))) = covering {
                if offset + bytes >= to {
                    let lo = (from - offset) as u32 * 8;
                    let width = (to - from) as u32 * 8;
                    let part = if width == self.new.width(*value) {
                        *value
                    } else {
                        self.op(Op::Slice { lo }, vec![*value], width)
                    };
                    choices.push((*edge, part));
                }
            }
        }
        if choices.is_empty() {
            return;
        }
        let idom = self.graph.idom[exit];
        let guard = if choices.len() == stores.len() {
            None
        } else {
            let terms = choices
                .iter()
                .map(|(edge, _)| self.arrival(idom, *edge))
                .collect();
            self.or_all(terms)
        };
        let value = self.choose(exit, &choices);
        let offset = self.constant(from as u64, 64);
        let inst = self
            .new
            .append(self.region, Op::PacketStore, vec![offset, value], &[], None);
        let outer = self.condition(0, idom);
        self.new.insts[inst].guard = self.and(guard, outer);
    }
}
