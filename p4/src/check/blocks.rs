//! Parsers, controls and packages, with what stands in them (§13, §14, §16).

use super::parameters::Owner;
use super::{architecture, Checker, Entity, Inside, Place};
use crate::ast::{self, DeclarationKind};
use crate::typed::{Block, ExpressionKind, ObjectType, Set, State, Target, Transition};
use crate::types::{ObjectKind, Type};
use std::collections::BTreeMap;

impl<'a> Checker<'a> {
    /// A parser or a control, or the type of some where it has no body.
    pub(super) fn block(
        &mut self,
        declaration: &'a ast::Declaration,
        head: &'a ast::Head,
        made_with: Option<&'a [ast::Parameter]>,
    ) {
        let (types, block) = self.scope(|all| {
            let types = all.type_parameters(&head.types);
            let given = types.iter().copied().map(Type::Parameter).collect();
            (types, all.block_of(declaration, given))
        });
        let kind = match declaration.kind {
            DeclarationKind::Parser(..) => ObjectKind::Parser,
            _ => ObjectKind::Control,
        };
        let takes = block.made_with.iter().map(|one| one.name.clone()).collect();
        let number = self.object(kind, &head.name, head.types.len(), takes);
        self.told.objects[number] = ObjectType {
            types,
            parameters: block.parameters.clone(),
            made_with: block.made_with.clone(),
            has_body: made_with.is_some(),
            annotations: declaration.annotations.clone(),
            ..self.told.objects[number].clone()
        };
        if made_with.is_some() {
            let key = format!("{:?}", block.given);
            let made = BTreeMap::from([(key, self.told.blocks.len())]);
            self.blocks.insert(number, (declaration, made));
            self.told.blocks.push(Block {
                object: number,
                ..block
            });
        }
    }

    /// The parser or control for what it is given; made once.
    pub(super) fn block_for(&mut self, number: usize, given: &[Type]) -> Option<usize> {
        let (declaration, made) = self.blocks.get(&number)?;
        let declaration = *declaration;
        let key = format!("{given:?}");
        if let Some(made) = made.get(&key) {
            return Some(*made);
        }
        let names = match &declaration.kind {
            DeclarationKind::Parser(head, _) | DeclarationKind::Control(head, _) => &head.types,
            _ => return None,
        };
        let block = self.outside(|all| {
            for (name, of) in names.iter().zip(given) {
                all.name(name, Entity::Type(of.clone()));
            }
            all.block_of(declaration, given.to_vec())
        });
        let place = self.told.blocks.len();
        self.told.blocks.push(Block {
            object: number,
            ..block
        });
        if let Some((_, all)) = self.blocks.get_mut(&number) {
            all.insert(key, place);
        }
        Some(place)
    }

    /// What a parser or a control is, in a scope that has the types that it takes.
    fn block_of(&mut self, declaration: &'a ast::Declaration, given: Vec<Type>) -> Block {
        let (head, made_with, place) = match &declaration.kind {
            DeclarationKind::Parser(head, parser) => {
                let made = parser.as_ref().map_or(&[][..], |parser| &parser.made_with);
                (head, made, Place::Parser)
            }
            DeclarationKind::Control(head, control) => {
                let made = control
                    .as_ref()
                    .map_or(&[][..], |control| &control.made_with);
                (head, made, Place::Control)
            }
            _ => unreachable!("only these are blocks"),
        };
        let describes = architecture::said(&declaration.annotations, architecture::PACKAGE);
        let place = match describes {
            Some(_) => Place::Architecture,
            None => place,
        };
        let kind = match &declaration.kind {
            DeclarationKind::Parser(..) => ObjectKind::Parser,
            _ => ObjectKind::Control,
        };
        let has_body = matches!(
            &declaration.kind,
            DeclarationKind::Parser(_, Some(_)) | DeclarationKind::Control(_, Some(_))
        );
        let (applied, made) = match (place, has_body) {
            (Place::Architecture, _) => (Owner::Architecture, Owner::MadeArchitecture),
            (_, true) => (Owner::Block, Owner::Made(kind)),
            (_, false) => (Owner::TypeOfBlocks, Owner::Made(kind)),
        };
        let parameters = self.parameters(&head.parameters, applied);
        let made_with = self.parameters(made_with, made);
        let inside = Inside {
            place,
            ..Inside::default()
        };
        let before = std::mem::replace(&mut self.inside, inside);
        let (states, apply) = self.scope(|all| match &declaration.kind {
            DeclarationKind::Parser(_, Some(parser)) => (all.parser(parser, head), Vec::new()),
            DeclarationKind::Control(_, Some(control)) => {
                for local in &control.locals {
                    all.declaration(local);
                }
                (Vec::new(), all.body(place, None, &control.apply))
            }
            _ => (Vec::new(), Vec::new()),
        });
        let inside = std::mem::replace(&mut self.inside, before);
        Block {
            object: 0,
            name: head.name.text.clone(),
            given,
            parameters,
            made_with,
            locals: inside.locals,
            actions: inside.actions,
            tables: inside.tables,
            value_sets: inside.value_sets,
            instances: inside.instances,
            states,
            apply,
            annotations: declaration.annotations.clone(),
            span: head.name.span,
        }
    }

    fn parser(&mut self, parser: &'a ast::Parser, head: &ast::Head) -> Vec<State> {
        for (place, state) in parser.states.iter().enumerate() {
            if matches!(state.name.text.as_str(), "accept" | "reject") {
                let message = format!("every parser has a state `{}` already", state.name.text);
                self.error("p4-name", state.name.span, message);
                continue;
            }
            self.name(&state.name, Entity::State(place));
        }
        for local in &parser.locals {
            self.declaration(local);
        }
        let before = self.errors.len();
        if !parser.states.iter().any(|state| state.name.text == "start") {
            let message = format!("parser `{}` has no state `start`", head.name.text);
            let error = self.sources.error("p4-name", head.name.span, message);
            self.errors
                .push(error.help("a packet comes to it first: `state start { … }`"));
        }
        let states: Vec<State> = parser
            .states
            .iter()
            .map(|state| self.state(state))
            .collect();
        if self.errors.len() == before && !ends(&states) {
            let message = format!(
                "parser `{}` never comes to `accept` or `reject`",
                head.name.text
            );
            self.error("p4-statement", head.name.span, message);
        }
        states
    }

    fn state(&mut self, state: &'a ast::State) -> State {
        self.annotations(&state.annotations);
        if state.next.is_none() {
            self.doubt_state(&state.name);
        }
        let (statements, next) = self.scope(|all| {
            let statements = all.statements(&state.statements);
            let next = match &state.next {
                None => Transition::To(Target::Reject),
                Some(ast::Transition::To(name)) => Transition::To(all.target(name)),
                Some(ast::Transition::Select(values, cases, _)) => all.select(values, cases),
            };
            (statements, next)
        });
        State {
            name: state.name.text.clone(),
            statements,
            next,
            annotations: state.annotations.clone(),
            span: state.name.span,
        }
    }

    fn target(&mut self, name: &'a ast::Name) -> Target {
        match name.text.as_str() {
            "accept" => return Target::Accept,
            "reject" => return Target::Reject,
            _ => {}
        }
        let path = ast::Path {
            from_top: false,
            name: name.clone(),
        };
        match self.look_up(&path, super::unknown::Wanted::State) {
            Some(Entity::State(place)) => return Target::State(place),
            Some(Entity::Wrong) | None => {}
            Some(other) => {
                let message = format!("`{}` is {}, no state", name.text, other.phrase());
                self.error("p4-name", name.span, message);
            }
        }
        Target::Reject
    }

    /// §13.6.
    fn select(
        &mut self,
        values: &'a [ast::Expression],
        cases: &'a [(ast::Expression, ast::Name)],
    ) -> Transition {
        let mut known = Vec::new();
        for value in values {
            let found = self.expression(value, None);
            let found = found.and_then(|found| self.selected(found));
            // §13.6: what labels are cast to has a width.
            let found = found.and_then(|found| match found.of {
                Type::Integer | Type::Record(_) => {
                    let message = format!("a select looks at no {}", self.types().text(&found.of));
                    self.refuse("p4-type", value.span, message)
                }
                _ => Some(found),
            });
            known.push(found);
        }
        let all: Option<Vec<_>> = known.into_iter().collect();
        let types: Option<Vec<Type>> = all
            .as_ref()
            .map(|all| all.iter().map(|value| value.of.clone()).collect());
        let mut made = Vec::new();
        for (set, name) in cases {
            let sets = types.as_ref().and_then(|types| self.sets(set, types));
            let sets = sets.and_then(|sets| self.compared(sets));
            let target = self.target(name);
            made.extend(sets.map(|sets| (sets, target)));
        }
        Transition::Select {
            values: all.unwrap_or_default(),
            cases: made,
        }
    }

    /// Sets that a select compares with: nothing is called for them, and masks and ranges are known when the parser is made.
    fn compared(&mut self, sets: Vec<Set>) -> Option<Vec<Set>> {
        for set in &sets {
            match set {
                Set::All | Set::Named(_) => {}
                Set::One(value) => {
                    if let ExpressionKind::Call(_) = value.kind {
                        let message = "nothing is called for what a select compares with";
                        return self.refuse("p4-statement", value.span, message);
                    }
                }
                Set::Mask(one, other) | Set::Range(one, other) => {
                    for value in [one, other] {
                        if !self.is_made(value) {
                            return self.unknown(value.span);
                        }
                    }
                }
            }
        }
        Some(sets)
    }

    pub(super) fn package(&mut self, declaration: &'a ast::Declaration, head: &'a ast::Head) {
        let (types, parameters) = self.scope(|all| {
            let types = all.type_parameters(&head.types);
            (
                types,
                all.parameters(&head.parameters, Owner::Made(ObjectKind::Package)),
            )
        });
        let takes = parameters.iter().map(|one| one.name.clone()).collect();
        let number = self.object(ObjectKind::Package, &head.name, head.types.len(), takes);
        self.told.objects[number] = ObjectType {
            types,
            parameters,
            annotations: declaration.annotations.clone(),
            ..self.told.objects[number].clone()
        };
    }
}

/// Whether a parser comes from its first state to an end of it (§13.2). A select that has no label for everything goes to `reject`, too.
fn ends(states: &[State]) -> bool {
    let mut left: Vec<usize> = states
        .iter()
        .position(|state| state.name == "start")
        .into_iter()
        .collect();
    let mut seen = vec![false; states.len()];
    while let Some(at) = left.pop() {
        let Some(state) = states.get(at) else {
            return true;
        };
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let targets: Vec<Target> = match &state.next {
            Transition::To(target) => vec![*target],
            Transition::Select { cases, .. } => {
                let is_all = |sets: &Vec<Set>| sets.iter().all(|set| *set == Set::All);
                if !cases.iter().any(|(sets, _)| is_all(sets)) {
                    return true;
                }
                cases.iter().map(|(_, target)| *target).collect()
            }
        };
        for target in targets {
            match target {
                Target::Accept | Target::Reject => return true,
                Target::State(next) => left.push(next),
            }
        }
    }
    false
}
