//! Parsers that go round: which ways of theirs lead back, and what bounds them.
//!
//! A parser that goes round one of its stacks ends where that does. All others could read on to a packet's end: hardware looks at so many
//! bytes only ([`Design::depth`](crate::design::Design::depth)). Where the parser goes back, that many have been read already, or it has
//! gone back as often, it ends with `error.ParserTimeout`, which core.p4 has for that.

use crate::typed::{
    Block, Call, Callee, Expression, ExpressionKind, Program, State, Statement, StatementKind,
    Target, Transition,
};

/// Bytes that a parser which no stack bounds looks at, if nobody says anything else.
pub const USUAL_DEPTH: u32 = 64;

/// A stack: its variable, and the fields on the way to it.
pub(crate) type StackPath = (usize, Vec<usize>);

/// What bounds a parser that goes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// Nothing has to, or its stacks.
    Stacks,
    /// The depth: each way round reads on.
    Place,
    /// How often it has gone back: perhaps it reads nothing.
    Count,
}

/// How a parser goes round.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Loops {
    pub bound: Bound,
    /// Stacks that no state sets back with which it goes round.
    pub stacks: Vec<StackPath>,
    /// By state, and by stack.
    pub moves: Vec<Vec<Moved>>,
    /// By state: the number of those that go round together; ways lead to higher ones.
    pub round: Vec<usize>,
    /// By state: its place in an order in which only ways back do not lead to a later place.
    place: Vec<usize>,
    /// By state: its place in an order in which all ways lead to a later place but for those that move on what bounds the parser.
    pub still: Vec<usize>,
}

impl Loops {
    pub fn of(block: &Block, program: &Program) -> Loops {
        let states = &block.states;
        let place = places(states, &|_| true);
        let reach = reached(states);
        let together = |a: usize, b: usize| a == b || (reach[a][b] && reach[b][a]);
        let first = |at: usize| (0..states.len()).filter(move |other| together(at, *other));
        let round = (0..states.len())
            .map(|at| first(at).map(|other| place[other]).min().unwrap_or(at))
            .collect();
        let moves = |path: &StackPath| -> Vec<Moved> {
            let moves = states.iter().map(|state| moves(&state.statements, path));
            moves.collect()
        };
        let stacks = stacks(block).into_iter().filter(|path| {
            let moves = moves(path);
            !(0..states.len()).any(|at| reach[at][at] && moves[at].anywhere)
        });
        let stacks: Vec<StackPath> = stacks.collect();
        let by_stack: Vec<Vec<Moved>> = stacks.iter().map(moves).collect();
        let moves: Vec<Vec<Moved>> = (0..states.len())
            .map(|at| by_stack.iter().map(|moves| moves[at]).collect())
            .collect();
        let fills = |at: usize| moves[at].iter().any(|moved| moved.by > 0);
        let reads = |at: usize| least_read(&states[at].statements, program) >= 8;
        let (bound, still) = if let Some(still) = order(states, &|at| !fills(at)) {
            (Bound::Stacks, still)
        } else if let Some(still) = order(states, &|at| !reads(at)) {
            (Bound::Place, still)
        } else {
            (Bound::Count, place.clone())
        };
        Loops {
            bound,
            stacks,
            moves,
            round,
            place,
            still,
        }
    }

    /// Whether a way leads back, of a parser that no stack bounds.
    pub fn is_back(&self, from: usize, to: usize) -> bool {
        self.bound != Bound::Stacks && self.place[to] <= self.place[from]
    }

    /// In the order in which only ways back do not lead to a later place.
    pub fn place(&self, state: usize) -> usize {
        self.place[state]
    }
}

/// The state that a parser begins with.
pub(crate) fn start(states: &[State]) -> usize {
    let start = states.iter().position(|state| state.name == "start");
    start.unwrap_or(0)
}

/// States that one goes on with.
fn targets(state: &State) -> impl Iterator<Item = usize> {
    let all: Vec<Target> = match &state.next {
        Transition::To(target) => vec![*target],
        Transition::Select { cases, .. } => cases.iter().map(|(_, target)| *target).collect(),
    };
    all.into_iter().filter_map(|target| match target {
        Target::State(next) => Some(next),
        _ => None,
    })
}

/// By state: its place when they are put in an order, each before those that it leads to by the states that are asked for; ways back
/// cannot be.
fn places(states: &[State], by: &dyn Fn(usize) -> bool) -> Vec<usize> {
    let behind = |at: usize| -> Vec<usize> { targets(&states[at]).filter(|_| by(at)).collect() };
    let mut left = states.len();
    let mut place = vec![left; states.len()];
    let mut seen = vec![false; states.len()];
    let first = start(states);
    for begin in (first..states.len()).chain(0..first) {
        let mut path = Vec::new();
        if !std::mem::replace(&mut seen[begin], true) {
            path.push((begin, behind(begin)));
        }
        while let Some((at, open)) = path.last_mut() {
            let at = *at;
            match open.pop() {
                Some(next) if !std::mem::replace(&mut seen[next], true) => {
                    path.push((next, behind(next)));
                }
                Some(_) => {}
                None => {
                    left -= 1;
                    place[at] = left;
                    path.pop();
                }
            }
        }
    }
    place
}

/// The order of [`places`], if the states that are asked for lead to later ones only.
fn order(states: &[State], by: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
    let place = places(states, by);
    let is_behind = |at: usize| targets(&states[at]).all(|next| place[next] > place[at]);
    let mut asked = (0..states.len()).filter(|at| by(*at));
    asked.all(is_behind).then_some(place)
}

/// Which states lead to which.
fn reached(states: &[State]) -> Vec<Vec<bool>> {
    let all = states.len();
    let from = |start: usize| {
        let mut found = vec![false; all];
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for next in targets(&states[at]) {
                if !std::mem::replace(&mut found[next], true) {
                    open.push(next);
                }
            }
        }
        found
    };
    (0..all).map(from).collect()
}

/// Bits that statements read on in a packet at least.
fn least_read(all: &[Statement], program: &Program) -> u64 {
    let of_one = |statement: &Statement| match &statement.kind {
        StatementKind::Call(Expression {
            kind: ExpressionKind::Call(call),
            ..
        }) => least_of_call(call, program),
        StatementKind::Block(all) => least_read(all, program),
        StatementKind::If(_, yes, no) => least_read(yes, program).min(least_read(no, program)),
        _ => 0,
    };
    all.iter().map(of_one).fold(0, u64::saturating_add)
}

fn least_of_call(call: &Call, program: &Program) -> u64 {
    let Callee::Method(_, method) = &call.callee else {
        return 0;
    };
    match program.functions[*method].name.as_str() {
        "packet_in.extract" => {
            let of = call.types.first();
            of.and_then(|of| program.types.least_bits(of)).unwrap_or(0)
        }
        "packet_in.advance" => {
            let by = call.arguments.first().and_then(Option::as_ref);
            let by = by.and_then(|by| crate::fold::index(by.known()?));
            by.unwrap_or(0) as u64
        }
        _ => 0,
    }
}

/// All stacks into whose next item a parser extracts.
pub(crate) fn stacks(block: &Block) -> Vec<StackPath> {
    let mut paths: Vec<StackPath> = Vec::new();
    for state in &block.states {
        for statement in &state.statements {
            extracts(statement, &mut |path| {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            });
        }
    }
    paths
}

/// How far a state moves a stack.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct Moved {
    /// To wherever, before that.
    pub anywhere: bool,
    /// So many items at least.
    pub by: u32,
}

impl Moved {
    const ANYWHERE: Moved = Moved {
        anywhere: true,
        by: 0,
    };
}

/// How statements move a stack.
pub(crate) fn moves(all: &[Statement], path: &StackPath) -> Moved {
    let mut by = Moved::default();
    moved(all, path, &mut by);
    by
}

/// The stack that an expression is, where that is always the same one.
fn path_of(of: &Expression) -> Option<StackPath> {
    match &of.kind {
        ExpressionKind::Variable(number) => Some((*number, Vec::new())),
        ExpressionKind::Field(inner, at) => {
            let (variable, mut steps) = path_of(inner)?;
            steps.push(*at);
            Some((variable, steps))
        }
        ExpressionKind::Index(inner, at) => {
            let (variable, mut steps) = path_of(inner)?;
            steps.push(crate::fold::index(at.known()?)?);
            Some((variable, steps))
        }
        _ => None,
    }
}

/// The stack into whose `next` something is extracted.
fn next_of(of: &Expression) -> Option<StackPath> {
    match &of.kind {
        ExpressionKind::Next(inner) => path_of(inner),
        ExpressionKind::Field(inner, _) => next_of(inner),
        _ => None,
    }
}

/// All stacks into which a statement extracts.
fn extracts(statement: &Statement, found: &mut impl FnMut(StackPath)) {
    match &statement.kind {
        StatementKind::Call(call) => {
            if let ExpressionKind::Call(call) = &call.kind {
                for argument in call.arguments.iter().flatten() {
                    if let Some(path) = next_of(argument) {
                        found(path);
                    }
                }
            }
        }
        StatementKind::Block(all) => all.iter().for_each(|one| extracts(one, found)),
        StatementKind::If(_, yes, no) => yes.iter().chain(no).for_each(|one| extracts(one, found)),
        _ => {}
    }
}

/// How statements move a stack, behind what was before them.
fn moved(all: &[Statement], path: &StackPath, by: &mut Moved) {
    for statement in all {
        match &statement.kind {
            StatementKind::Call(Expression {
                kind: ExpressionKind::Call(call),
                ..
            }) => match &call.callee {
                Callee::Push(of, _) | Callee::Pop(of, _) => {
                    if path_of(of).is_none_or(|other| touches(&other, path)) {
                        *by = Moved::ANYWHERE;
                    }
                }
                _ => {
                    for argument in call.arguments.iter().flatten() {
                        if next_of(argument).as_ref() == Some(path) {
                            by.by += 1;
                        } else if path_of(argument).is_some_and(|other| touches(&other, path)) {
                            *by = Moved::ANYWHERE;
                        }
                    }
                }
            },
            StatementKind::Assign(to, _)
                if path_of(to).is_some_and(|other| touches(&other, path)) =>
            {
                *by = Moved::ANYWHERE;
            }
            StatementKind::Block(inner) => moved(inner, path, by),
            StatementKind::If(_, yes, no) => {
                let mut other = *by;
                moved(yes, path, by);
                moved(no, path, &mut other);
                by.anywhere |= other.anywhere;
                by.by = by.by.min(other.by);
            }
            StatementKind::For { update, body, .. } => perhaps(&[update, body], path, by),
            StatementKind::ForRange { body, .. } | StatementKind::ForEach { body, .. } => {
                perhaps(&[body], path, by)
            }
            _ => {}
        }
    }
}

/// What happens any number of times moves a stack back, or by nothing at least.
fn perhaps(bodies: &[&[Statement]], path: &StackPath, by: &mut Moved) {
    if bodies.iter().any(|body| moves(body, path).anywhere) {
        *by = Moved::ANYWHERE;
    }
}

/// What is written there can be the stack, or have it in it.
fn touches(written: &StackPath, path: &StackPath) -> bool {
    written.0 == path.0 && path.1.starts_with(&written.1)
}
