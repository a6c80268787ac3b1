//! Counters, meters, registers, action profiles and digests: the objects that an architecture gives to the control plane.

use super::annotations::{find, number};
use super::architecture;
use super::message::Message;
use super::reach::{named, Reached};
use super::{Kind, Maker, Thing, What};
use crate::ast::Annotation;
use crate::design::{joined, name_of, Design, Known};
use crate::idle::Idle;
use crate::typed::{self, Program};
use crate::types::{ObjectKind, Type};
use crate::value::Value;
use std::collections::BTreeMap;

/// What P4Info says elsewhere of an action profile.
const OF_SELECTORS: [&str; 3] = [
    "max_group_size",
    "selector_size_semantics",
    "max_member_weight",
];

/// Units, by the end of the member's name.
const UNITS: [(&str, (u32, &str)); 3] = [
    ("bytes", (1, "BYTES")),
    ("packets", (2, "PACKETS")),
    ("packets_and_bytes", (3, "BOTH")),
];

/// Tables that name an object, in the order of their names.
pub(super) fn users(
    program: &Program,
    design: &Design,
    reached: &Reached,
) -> BTreeMap<usize, Vec<usize>> {
    let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, table) in design.tables.iter().enumerate() {
        if !reached.tables.contains(&(table.object, table.table)) {
            continue;
        }
        for property in &program.tables[table.table].properties {
            if let Some(object) = named(design, table.object, &property.value) {
                users.entry(object).or_default().push(number);
            }
        }
    }
    for tables in users.values_mut() {
        tables.sort_by_key(|number| &design.tables[*number].name);
    }
    users
}

impl Maker<'_> {
    /// Objects that are made outside of everything or in what packets come to, and those that tables have for themselves.
    pub(super) fn objects(&mut self) -> Vec<Thing> {
        let design = self.design;
        let program = self.program;
        let mut places: Vec<usize> = Vec::new();
        for number in &program.top {
            let mut objects = design.objects.iter();
            places.extend(objects.position(|object| object.instance == *number));
        }
        for block in self.reached.blocks() {
            let Some(own) = design.objects[block].block else {
                continue;
            };
            let inner = &design.objects[block].inner;
            let made = program.blocks[own].instances.iter();
            places.extend(made.filter_map(|number| inner.get(number)).copied());
        }
        let mut things = Vec::new();
        for place in places {
            let object = &design.objects[place];
            let instance = &program.instances[object.instance];
            let is_extern = object.kind == ObjectKind::Extern;
            if let (true, false, Some(known)) =
                (is_extern, instance.is_anonymous, self.known_object(place))
            {
                // A direct object belongs to its table.
                let table = match known.kind {
                    Kind::DirectCounter | Kind::DirectMeter => self
                        .users
                        .get(&place)
                        .and_then(|users| users.first().copied()),
                    _ => None,
                };
                things.push(Thing {
                    kind: known.kind,
                    name: object.name.clone(),
                    annotations: instance.annotations.clone(),
                    span: instance.span,
                    what: What::Object(place, table),
                });
            }
        }
        things.extend(self.made_in_tables());
        things
    }

    /// Objects that are made where a table names them. The property says their name, which stands alone.
    fn made_in_tables(&mut self) -> Vec<Thing> {
        let (design, program) = (self.design, self.program);
        let mut things = Vec::new();
        for (number, place) in design.tables.iter().enumerate() {
            if !self.reached.tables.contains(&(place.object, place.table)) {
                continue;
            }
            for property in &program.tables[place.table].properties {
                let Some(object) = named(design, place.object, &property.value) else {
                    continue;
                };
                let instance = &program.instances[design.objects[object].instance];
                let (true, Some(known)) = (instance.is_anonymous, self.known_object(object)) else {
                    continue;
                };
                let Some(own) = crate::check::text_of(&property.annotations, "name") else {
                    let message = format!("the control plane has no name for this {}", known.name);
                    let help = "write `@name(\"…\")` in front of the property, or make it outside of the table";
                    self.refuse::<()>(property.value.span, message, help);
                    continue;
                };
                things.push(Thing {
                    kind: known.kind,
                    name: joined("", &own),
                    annotations: property.annotations.clone(),
                    span: property.value.span,
                    what: What::Object(object, Some(number)),
                });
            }
        }
        things
    }

    /// What the control plane knows of an object.
    fn known_object(&self, place: usize) -> Option<&'static architecture::Known> {
        let Type::Object(of, _) = self.design.objects[place].of else {
            return None;
        };
        self.architecture.known(&self.program.objects[of].name)
    }

    /// What an object is called: its own name, or the one that the property of its table says.
    fn object_name(&self, place: usize, property: &typed::Property) -> String {
        let object = &self.design.objects[place];
        match self.program.instances[object.instance].is_anonymous {
            false => object.name.clone(),
            true => joined("", &name_of(&property.annotations, "")),
        }
    }

    /// What a table is implemented by, and what is counted with its entries.
    pub(super) fn table_objects(
        &mut self,
        mut message: Message,
        number: usize,
        table: &typed::Table,
    ) -> Message {
        let around = self.design.tables[number].object;
        let name = self.architecture.implementation;
        if let Some(id) = self.table_object(around, table, name, Kind::ActionProfile) {
            message = message.number(6, "implementation_id", id);
        }
        let [counter, meter] = self.architecture.direct;
        let direct = [
            self.table_object(around, table, counter, Kind::DirectCounter),
            self.table_object(around, table, meter, Kind::DirectMeter),
        ];
        // Of entries that go by themselves P4Runtime knows nothing.
        let notifies = self.design.idle(self.program, number) == Some(Idle::Notify);
        message
            .numbers(
                7,
                "direct_resource_ids",
                direct.into_iter().flatten().collect(),
            )
            .member(
                9,
                "idle_timeout_behavior",
                (notifies.into(), "NOTIFY_CONTROL"),
            )
    }

    /// The number of the object that a property of a table names.
    fn table_object(
        &mut self,
        around: usize,
        table: &typed::Table,
        name: &str,
        kind: Kind,
    ) -> Option<u32> {
        let property = table.property(name)?;
        let object = named(self.design, around, &property.value);
        let object = object.filter(|object| {
            let known = self.known_object(*object);
            known.is_some_and(|known| known.kind == kind)
        });
        let Some(object) = object else {
            let message = format!("`{name}` of a table names {}", with_article(kind.word()));
            return self.refuse(property.value.span, message, "name an object of that kind");
        };
        let name = self.object_name(object, property);
        Some(self.symbols.id(kind, &name))
    }

    /// Adds an object to all that P4Info has.
    pub(super) fn object(
        &mut self,
        info: Message,
        place: usize,
        table: Option<usize>,
        thing: &Thing,
    ) -> Message {
        let Some(known) = self.known_object(place) else {
            return info;
        };
        let size = self.argument(place, known.size);
        let size = match size {
            Some((Value::Number(size), _)) => i64::try_from(size).unwrap_or(0),
            _ => 0,
        };
        let Type::Object(_, given) = self.design.objects[place].of.clone() else {
            return info;
        };
        let index = known.index.and_then(|index| given.get(index));
        let index = index.and_then(|of| self.type_name(of));
        let unit = Message::new().member(1, "unit", self.unit(place));
        let without: &[&str] = match known.kind {
            Kind::ActionProfile => &OF_SELECTORS,
            _ => &[],
        };
        let preamble = self.preamble(thing, without);
        let message = Message::new().message(1, "preamble", preamble);
        let with_index = |message: Message| match index {
            Some(index) => message.message(4, "index_type_name", index),
            None => message,
        };
        match known.kind {
            Kind::Counter | Kind::Meter => {
                let (number, list) = match known.kind {
                    Kind::Counter => (5, "counters"),
                    _ => (7, "meters"),
                };
                let message = message.message(2, "spec", unit).number(3, "size", size);
                info.message(number, list, with_index(message))
            }
            Kind::DirectCounter | Kind::DirectMeter => {
                let (number, list) = match known.kind {
                    Kind::DirectCounter => (6, "direct_counters"),
                    _ => (8, "direct_meters"),
                };
                // One that no table names does nothing.
                let Some(table) = table else { return info };
                let table = self.table_id(table);
                let message = message.message(2, "spec", unit);
                info.message(number, list, message.number(3, "direct_table_id", table))
            }
            Kind::Register | Kind::Digest => {
                let data = given.get(known.data).cloned().unwrap_or(Type::Wrong);
                let message = message.message(2, "type_spec", self.type_spec(&data));
                match known.kind {
                    Kind::Digest => info.message(12, "digests", message),
                    _ => {
                        let message = message.number(3, "size", size);
                        info.message(11, "registers", with_index(message))
                    }
                }
            }
            Kind::ActionProfile => {
                let message = message.number(4, "size", size);
                let message = self.profile(message, place, known.selects, &thing.annotations);
                info.message(4, "action_profiles", message)
            }
            _ => info,
        }
    }

    fn table_id(&self, table: usize) -> u32 {
        let name = &self.design.tables[table].name;
        self.symbols.id(Kind::Table, name)
    }

    /// The tables of an action profile, and whether it selects.
    fn profile(
        &mut self,
        message: Message,
        place: usize,
        selects: bool,
        annotations: &[Annotation],
    ) -> Message {
        let users = self.users.get(&place).into_iter().flatten();
        let ids = users.map(|table| self.table_id(*table)).collect();
        let message = message
            .numbers(2, "table_ids", ids)
            .flag(3, "with_selector", selects);
        match selects {
            true => self.selector(message, annotations),
            false => message,
        }
    }

    /// What annotations say of an action selector.
    fn selector(&mut self, mut message: Message, annotations: &[Annotation]) -> Message {
        let mut said = |name: &str| {
            let annotation = find(annotations, name)?;
            let said = number(annotation).and_then(|number| i32::try_from(number).ok());
            if said.is_none() {
                let text = format!("`@{name}` says a number");
                self.refuse::<()>(annotation.name.span, text, "write the number alone");
            }
            said
        };
        let largest = said("max_group_size").unwrap_or(0);
        let weight = said("max_member_weight").unwrap_or(0);
        message = message.number(5, "max_group_size", largest);
        let Some(annotation) = find(annotations, "selector_size_semantics") else {
            return message;
        };
        let semantics = crate::check::text_of(annotations, "selector_size_semantics");
        match semantics.unwrap_or_default().to_lowercase().as_str() {
            "sum_of_weights" => message.message(6, "sum_of_weights", Message::new()),
            "sum_of_members" => {
                let members = Message::new().number(1, "max_member_weight", weight);
                message.message(7, "sum_of_members", members)
            }
            _ => {
                let text = "the size of a selector is counted in two ways";
                let help = "write \"sum_of_weights\" or \"sum_of_members\"";
                self.refuse::<()>(annotation.name.span, text, help);
                message
            }
        }
    }

    /// What an object was made with, by the name of the parameter.
    fn argument(&self, place: usize, name: &str) -> Option<(Value, Type)> {
        let object = &self.design.objects[place];
        let constructor = self.program.instances[object.instance].constructor?;
        let parameters = &self.program.functions[constructor].parameters;
        let at = parameters
            .iter()
            .position(|parameter| parameter.name == name)?;
        match object.arguments.get(at)? {
            Some(Known::Value(value)) => Some((value.clone(), parameters[at].of.clone())),
            _ => None,
        }
    }

    /// What is counted.
    fn unit(&self, place: usize) -> (u32, &'static str) {
        let name = match self.argument(place, "type") {
            Some((Value::Member(member), of)) => {
                let name = self.program.types.member_name(&of, member);
                name.map(str::to_lowercase)
            }
            _ => None,
        };
        let mut units = UNITS.iter();
        let unit = units.find(|(unit, _)| name.as_deref() == Some(*unit));
        unit.map_or((0, ""), |(_, unit)| *unit)
    }
}

fn with_article(word: &str) -> String {
    let article = if word.starts_with('a') { "an" } else { "a" };
    format!("{article} {word}")
}
