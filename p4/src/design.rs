//! The objects that a program makes (§17): from `main` down, each with what it was made with and with the name that the control plane
//! has for it. Tables belong to the control that has them, so one that is made twice has two of each.

mod idle;
mod names;

use crate::ast::Annotation;
use crate::described;
use crate::fold;
use crate::library;
use crate::loops::{self, Loops};
use crate::meters::Unit;
use crate::source::{Sources, Span};
use crate::typed::{self, Expression, ExpressionKind, Program, TableAction};
use crate::types::{ObjectKind, Type};
use crate::value::Value;
use hardpath_diagnostic::Diagnostic;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// Action selectors of all architectures: profiles with groups.
const SELECTORS: [&str; 2] = ["action_selector", "ActionSelector"];
/// All action profiles.
pub const PROFILES: [&str; 4] = [
    "action_profile",
    "ActionProfile",
    SELECTORS[0],
    SELECTORS[1],
];

/// More objects than any program makes: a few lines could ask for any number.
const MOST: usize = 20_000;

/// What is known before the first packet.
#[derive(Clone, PartialEq, Debug)]
pub enum Known {
    /// A value.
    Value(Value),
    /// An object, by its place.
    Object(usize),
}

/// An object.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    /// Where the program makes it.
    pub instance: usize,
    /// Which kind.
    pub kind: ObjectKind,
    /// Its type, with the types that this is given.
    pub of: Type,
    /// Its name, with those of the controls and parsers around it.
    pub name: String,
    /// What it was made with, in the order of the parameters; `None`: it was left out.
    pub arguments: Vec<Option<Known>>,
    /// The parser or control.
    pub block: Option<usize>,
    /// What it was made with, by its variables.
    pub made: BTreeMap<usize, Known>,
    /// The objects that it makes, by where the program makes them.
    pub inner: BTreeMap<usize, usize>,
}

/// A table of a control.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The control, by its place among objects.
    pub object: usize,
    /// The table, by its place in the program.
    pub table: usize,
    /// Its name, with those of the controls around it.
    pub name: String,
}

/// All objects.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Design {
    /// Each behind those that it was made with.
    pub objects: Vec<Object>,
    /// All tables.
    pub tables: Vec<Table>,
    /// The object `main`.
    pub main: usize,
    /// The object that says what the architecture does, if one is described.
    pub architecture: Option<usize>,
    /// Bytes that parsers look at which go round without a stack that says how often ([`loops`](crate::loops)).
    pub depth: u32,
    /// How parsers go round, by block.
    pub(crate) loops: Vec<Loops>,
}

impl Design {
    /// What is said where no architecture is known for the package.
    pub(crate) fn unknown(&self, program: &Program, sources: &Sources) -> Diagnostic {
        let package = &program.instances[self.objects[self.main].instance];
        let name = program.types.text(&package.of);
        let known: Vec<&str> = library::packages().collect();
        let help = format!(
            "these are known: {}; say in P4 what another one does, with `@{}(\"{}\")`, and name that file with --arch: {}",
            known.join(", "),
            described::ANNOTATION,
            name.split('<').next().unwrap_or_default(),
            described::WHERE
        );
        let message = format!("what a `{name}` does with packets is not known");
        sources.refusal(package.span, message).help(help)
    }

    /// The table of a control.
    pub fn table(&self, object: usize, table: usize) -> Option<usize> {
        let mut tables = self.tables.iter();
        tables.position(|one| one.object == object && one.table == table)
    }

    /// What the control plane calls the actions of a table, in the order of its list.
    pub fn action_names(&self, program: &Program, table: usize) -> Vec<String> {
        let place = &self.tables[table];
        let owner = &self.objects[place.object];
        let own = owner.block.map(|block| &program.blocks[block].actions);
        let actions = program.tables[place.table].actions.iter();
        let name = |listed: &TableAction| {
            let function = &program.functions[listed.action];
            let name = name_of(&function.annotations, &function.name);
            match own.is_some_and(|own| own.contains(&listed.action)) {
                true => joined(&owner.name, &name),
                false => name,
            }
        };
        actions.map(name).collect()
    }

    /// The object that one has made where the program makes it, or that was made outside of everything.
    pub fn made_at(&self, instance: usize, by: usize) -> Option<usize> {
        let mut around = [by, self.main].into_iter();
        let found = around.find_map(|object| self.objects[object].inner.get(&instance));
        let mut all = self.objects.iter();
        found
            .copied()
            .or_else(|| all.position(|object| object.instance == instance))
    }

    /// What an object was made with, by the place of the parameter.
    pub fn argument(&self, object: usize, at: usize) -> Option<&Known> {
        self.objects[object].arguments.get(at)?.as_ref()
    }

    /// The object that another was made with.
    pub fn inner_object(&self, object: usize, at: usize) -> Option<usize> {
        match self.argument(object, at)? {
            Known::Object(inner) => Some(*inner),
            Known::Value(_) => None,
        }
    }

    /// The member of an enum that an object was made with first: the name of an algorithm. Empty where it is none.
    pub fn algorithm<'p>(&self, program: &'p Program, object: usize) -> &'p str {
        self.member(program, object, 0)
    }

    /// The name of a member of an enum that an object was made with; empty where it is none.
    pub fn member<'p>(&self, program: &'p Program, object: usize, at: usize) -> &'p str {
        let instance = &program.instances[self.objects[object].instance];
        let given = instance.arguments.get(at).and_then(Option::as_ref);
        match given.map(|given| (given.known(), &given.of)) {
            Some((Some(Value::Member(member)), of)) => {
                program.types.member_name(of, *member).unwrap_or("")
            }
            _ => "",
        }
    }

    /// A number that an object was made with; zero where it was not made with one.
    pub fn number(&self, object: usize, at: usize) -> BigInt {
        match self.argument(object, at) {
            Some(Known::Value(Value::Number(number))) => number.clone(),
            _ => BigInt::from(0),
        }
    }

    /// The counter of the entries of a table; whether that counts whatever the table finds (v1model), or where an action says so (PSA, PNA).
    pub fn direct_counter(&self, program: &Program, table: usize) -> Option<(usize, bool)> {
        self.direct(program, table, ["direct_counter", "DirectCounter"])
    }

    /// The meter of the entries of a table, likewise.
    pub fn direct_meter(&self, program: &Program, table: usize) -> Option<(usize, bool)> {
        self.direct(program, table, ["direct_meter", "DirectMeter"])
    }

    /// The table whose entries have a meter.
    pub fn metered(&self, program: &Program, meter: usize) -> Option<usize> {
        let mut tables = 0..self.tables.len();
        tables.find(|table| {
            let own = self.direct_meter(program, *table);
            own.is_some_and(|(own, _)| own == meter)
        })
    }

    /// The object that a property of a table names, of the first of two externs, which acts by itself, or of the second, which actions call.
    fn direct(&self, program: &Program, table: usize, names: [&str; 2]) -> Option<(usize, bool)> {
        let found = self.implementation(program, table, &names)?;
        Some((found, self.extern_of(program, found) == names[0]))
    }

    /// The object of one of these externs that a property of a table names.
    fn implementation(&self, program: &Program, table: usize, names: &[&str]) -> Option<usize> {
        let place = &self.tables[table];
        let mut properties = program.tables[place.table].properties.iter();
        properties.find_map(|property| {
            let Type::Object(of, _) = &property.value.of else {
                return None;
            };
            match property.value.kind {
                ExpressionKind::Object(number)
                    if names.contains(&program.types.objects[*of].name.as_str()) =>
                {
                    self.made_at(number, place.object)
                }
                _ => None,
            }
        })
    }

    /// The action profile or selector that the entries of a table choose their actions from.
    pub fn profile(&self, program: &Program, table: usize) -> Option<usize> {
        self.implementation(program, table, &PROFILES)
    }

    /// A table as the program has it.
    pub fn table_of<'p>(&self, program: &'p Program, table: usize) -> &'p typed::Table {
        &program.tables[self.tables[table].table]
    }

    /// The tables that use a profile.
    pub fn users(&self, program: &Program, profile: usize) -> Vec<usize> {
        let all = 0..self.tables.len();
        all.filter(|table| self.profile(program, *table) == Some(profile))
            .collect()
    }

    /// All actions of the tables that use a profile, each once: functions of the program, and what the control plane calls them.
    pub fn actions_of(&self, program: &Program, profile: usize) -> Vec<(usize, String)> {
        let mut all: Vec<(usize, String)> = Vec::new();
        for table in self.users(program, profile) {
            let listed = &self.table_of(program, table).actions;
            let names = self.action_names(program, table);
            for (listed, name) in listed.iter().zip(names) {
                if all.iter().all(|(function, _)| *function != listed.action) {
                    all.push((listed.action, name));
                }
            }
        }
        all
    }

    /// Whether a profile has groups.
    pub fn selects(&self, program: &Program, profile: usize) -> bool {
        SELECTORS.contains(&self.extern_of(program, profile))
    }

    /// How many members a profile has room for.
    pub fn members(&self, program: &Program, profile: usize) -> u64 {
        let at = usize::from(self.selects(program, profile));
        u64::try_from(self.number(profile, at)).unwrap_or(u64::MAX)
    }

    /// How many members a group of a selector has at most.
    pub fn largest_group(&self, program: &Program, profile: usize) -> u64 {
        let instance = &program.instances[self.objects[profile].instance];
        let room = self.members(program, profile);
        let said = crate::p4info::number_said(&instance.annotations, "max_group_size");
        let said = said.and_then(|said| u64::try_from(said).ok());
        said.filter(|said| *said > 0)
            .map_or(room, |said| said.min(room))
    }

    /// The name of the extern that an object is of; empty where it is something else.
    pub fn extern_of<'p>(&self, program: &'p Program, object: usize) -> &'p str {
        match &self.objects[object].of {
            Type::Object(of, _) => &program.types.objects[*of].name,
            _ => "",
        }
    }

    /// What a meter counts.
    pub fn unit(&self, program: &Program, meter: usize) -> Option<Unit> {
        let name = self.extern_of(program, meter);
        let is_direct = ["direct_meter", "DirectMeter"].contains(&name);
        Unit::named(self.member(program, meter, usize::from(!is_direct)))
    }

    /// Whether an object has states, and so can reject a packet.
    pub fn is_parser(&self, program: &Program, object: usize) -> bool {
        let block = self.objects[object].block;
        block.is_some_and(|block| !program.blocks[block].states.is_empty())
    }

    /// What the cells of a register are.
    pub fn cell_type(&self, register: usize) -> Type {
        match &self.objects[register].of {
            Type::Object(_, given) => given.first().cloned().unwrap_or(Type::Bit(32)),
            _ => Type::Bit(32),
        }
    }
}

/// Where a program should have `main`, or has something in its place; and what to do.
fn without_main(program: &Program, sources: &Sources) -> (Span, String) {
    let mut packages = program.top.iter().filter(|number| {
        let of = &program.instances[**number].of;
        matches!(of, Type::Object(of, _) if program.objects[*of].kind == ObjectKind::Package)
    });
    if let Some(number) = packages.next() {
        let other = &program.instances[*number];
        let help = format!("this one is called `{}`: call it `main`", other.name);
        return (other.span, help);
    }
    let text = sources.file(0).text.trim_end();
    let end = text.len() as u32;
    let span = Span {
        file: 0,
        start: end.saturating_sub(1),
        end,
    };
    let help = "a program ends with one: `V1Switch(…) main;`";
    (span, help.into())
}

/// Makes all objects of a program.
///
/// # Errors
/// `p4-instance`: there is no `main`, two of them, or one that is no package; an object that is never wholly known; more objects than
/// anybody has. `p4-name`: the control plane would call two tables, or two actions, the same.
pub fn design(program: &Program, sources: &Sources) -> Result<Design, Vec<Diagnostic>> {
    let mains = program.top.iter().copied();
    let mains: Vec<usize> = mains
        .filter(|number| program.instances[*number].name == "main")
        .collect();
    let [main] = mains[..] else {
        let message = "the program makes no package `main`";
        let (span, help) = without_main(program, sources);
        return Err(vec![sources.error("p4-instance", span, message).help(help)]);
    };
    let blocks = program.blocks.iter();
    let by_block = blocks.map(|block| Loops::of(block, program));
    let mut maker = Maker {
        program,
        sources,
        design: Design {
            depth: loops::USUAL_DEPTH,
            loops: by_block.collect(),
            ..Design::default()
        },
        top: BTreeMap::new(),
        errors: Vec::new(),
    };
    let made = maker.make_main(main);
    if made.is_some() {
        let wrong = names::once(program, sources, &maker.design);
        maker.errors.extend(wrong);
    }
    match (made, maker.errors.is_empty()) {
        (Some(()), true) => Ok(maker.design),
        _ => Err(maker.errors),
    }
}

struct Maker<'a> {
    program: &'a Program,
    sources: &'a Sources,
    design: Design,
    /// Objects that are made outside of everything, by where.
    top: BTreeMap<usize, usize>,
    errors: Vec<Diagnostic>,
}

/// What is known while an object makes its own.
struct Around<'a> {
    name: &'a str,
    made: &'a BTreeMap<usize, Known>,
    inner: BTreeMap<usize, usize>,
}

impl Maker<'_> {
    fn make_main(&mut self, main: usize) -> Option<()> {
        let nothing = BTreeMap::new();
        let mut around = Around {
            name: "",
            made: &nothing,
            inner: BTreeMap::new(),
        };
        for number in self.program.top.clone() {
            let made = self.make(number, &mut around)?;
            self.top.insert(number, made);
        }
        self.design.main = self.top[&main];
        let object = &self.design.objects[self.design.main];
        if object.kind != ObjectKind::Package {
            let span = self.program.instances[main].span;
            return self.refuse(span, "`main` is no package");
        }
        if let Some(number) = self.program.architecture {
            // Its parsers and controls are those of `main`.
            around.inner = self.top.clone();
            let inner = self.design.objects[self.design.main].inner.clone();
            around.inner.extend(inner);
            self.design.architecture = Some(self.make(number, &mut around)?);
        }
        Some(())
    }

    fn refuse<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.errors
            .push(self.sources.error("p4-instance", span, message));
        None
    }

    /// Makes an object, if that is not done yet; gives its place.
    fn make(&mut self, number: usize, around: &mut Around<'_>) -> Option<usize> {
        if let Some(made) = around.inner.get(&number).or(self.top.get(&number)) {
            return Some(*made);
        }
        let program = self.program;
        let instance = &program.instances[number];
        if self.design.objects.len() >= MOST {
            return self.refuse(
                instance.span,
                format!("the program makes more than {MOST} objects"),
            );
        }
        let Type::Object(of, _) = instance.of else {
            return None;
        };
        let of = &program.objects[of];
        let mut arguments = Vec::new();
        for argument in &instance.arguments {
            arguments.push(match argument {
                Some(argument) => Some(self.known(argument, around)?),
                None => None,
            });
        }
        // What the architecture applies is named by itself; what a package was made with, by its type, whatever annotations this has.
        let own = name_of(&instance.annotations, &instance.name);
        let name = match (of.kind, around.name.is_empty()) {
            (ObjectKind::Package, _) => String::new(),
            (ObjectKind::Parser | ObjectKind::Control, true) => of.name.clone(),
            _ => joined(around.name, &own),
        };
        let mut made = BTreeMap::new();
        let mut inner = BTreeMap::new();
        if let Some(block) = instance.block.map(|block| &program.blocks[block]) {
            for (parameter, argument) in block.made_with.iter().zip(&arguments) {
                if let Some(argument) = argument {
                    made.insert(parameter.variable, argument.clone());
                }
            }
            let mut inside = Around {
                name: &name,
                made: &made,
                inner: BTreeMap::new(),
            };
            for number in &block.instances {
                let place = self.make(*number, &mut inside)?;
                inside.inner.insert(*number, place);
            }
            inner = inside.inner;
        } else if matches!(of.kind, ObjectKind::Parser | ObjectKind::Control) {
            let message = format!("which types `{}` takes is not known", of.name);
            return self.refuse(instance.span, message);
        } else if of.kind == ObjectKind::Package {
            inner.clone_from(&around.inner);
        }
        let place = self.design.objects.len();
        self.design.objects.push(Object {
            instance: number,
            kind: of.kind,
            of: instance.of.clone(),
            name: name.clone(),
            arguments,
            block: instance.block,
            made,
            inner,
        });
        for table in instance
            .block
            .iter()
            .flat_map(|block| &program.blocks[*block].tables)
        {
            let own = &program.tables[*table];
            self.design.tables.push(Table {
                object: place,
                table: *table,
                name: joined(&name, &name_of(&own.annotations, &own.name)),
            });
            // What a property makes has the name that stands in front of that.
            for property in &own.properties {
                let ExpressionKind::Object(number) = property.value.kind else {
                    continue;
                };
                let made = self.design.objects[place].inner.get(&number).copied();
                let written = name_of(&property.annotations, "");
                if let (Some(made), true) = (
                    made,
                    program.instances[number].is_anonymous && !written.is_empty(),
                ) {
                    self.design.objects[made].name = joined("", &written);
                }
            }
        }
        around.inner.insert(number, place);
        Some(place)
    }

    fn known(&mut self, of: &Expression, around: &mut Around<'_>) -> Option<Known> {
        if let ExpressionKind::Object(number) = of.kind {
            return Some(Known::Object(self.make(number, around)?));
        }
        match evaluate(self.program, of, around.made) {
            Ok(known) => Some(known),
            Err(Unknown::Because(why)) => self.refuse(of.span, why),
            Err(Unknown::AtAll) => self.refuse(of.span, "this is not known when objects are made"),
        }
    }
}

/// Why something is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// It depends on packets.
    AtAll,
    /// It has no value.
    Because(String),
}

/// The value of an expression, with what an object was made with.
///
/// # Errors
/// It has none.
pub fn evaluate(
    program: &Program,
    of: &Expression,
    made: &BTreeMap<usize, Known>,
) -> Result<Known, Unknown> {
    let inner = |of: &Expression| match evaluate(program, of, made)? {
        Known::Value(value) => Ok(value),
        Known::Object(_) => Err(Unknown::AtAll),
    };
    let because = Unknown::Because;
    Ok(Known::Value(match &of.kind {
        ExpressionKind::Value(value) => value.clone(),
        ExpressionKind::Variable(number) => {
            return made.get(number).cloned().ok_or(Unknown::AtAll);
        }
        ExpressionKind::Unary(operator, one) => fold::unary(*operator, inner(one)?, &of.of),
        ExpressionKind::Binary(operator, one, other) => {
            let width = program.types.bits(&other.of).unwrap_or(0) as u32;
            fold::binary(*operator, inner(one)?, inner(other)?, &one.of, width).map_err(because)?
        }
        ExpressionKind::Cast(one) => {
            fold::cast(&program.types, inner(one)?, &of.of).map_err(because)?
        }
        ExpressionKind::Slice(one, high, low) => fold::slice(inner(one)?, *high, *low),
        ExpressionKind::Choice(condition, yes, no) => match inner(condition)? {
            Value::Bool(true) => inner(yes)?,
            _ => inner(no)?,
        },
        ExpressionKind::Parts(parts) | ExpressionKind::PartsIn(parts, _) => {
            Value::Parts(parts.iter().map(inner).collect::<Result<_, _>>()?)
        }
        ExpressionKind::Field(one, at) => part(inner(one)?, *at)?,
        ExpressionKind::Index(one, at) => {
            let at = fold::index(&inner(at)?).ok_or(Unknown::AtAll)?;
            part(inner(one)?, at)?
        }
        _ => return Err(Unknown::AtAll),
    }))
}

fn part(of: Value, at: usize) -> Result<Value, Unknown> {
    match of {
        Value::Parts(parts) => parts.into_iter().nth(at).ok_or(Unknown::AtAll),
        _ => Err(Unknown::AtAll),
    }
}

/// What the control plane calls something (§20.3.2): its `@name`, or its own name. One with a dot in front stands alone.
pub fn name_of(annotations: &[Annotation], own: &str) -> String {
    crate::check::text_of(annotations, "name").unwrap_or_else(|| own.to_owned())
}

/// A name in another one.
pub fn joined(around: &str, own: &str) -> String {
    match own.strip_prefix('.') {
        Some(alone) => alone.to_owned(),
        None if around.is_empty() => own.to_owned(),
        None => format!("{around}.{own}"),
    }
}
