//! Tables (§14.2).

use super::{Checker, Entity};
use crate::ast::{self, Direction, ExpressionKind as Written, PropertyValue};
use crate::source::Span;
use crate::typed::{ActionCall, Entry, Expression, Key, Property, Table, TableAction};
use crate::types::Type;

impl<'a> Checker<'a> {
    pub(super) fn table(
        &mut self,
        name: &'a ast::Name,
        properties: &'a [ast::Property],
        annotations: &[ast::Annotation],
    ) {
        let number = self.told.tables.len();
        self.told.tables.push(Table {
            name: name.text.clone(),
            keys: Vec::new(),
            actions: Vec::new(),
            default: None,
            default_is_constant: false,
            entries: Vec::new(),
            entries_are_constant: false,
            size: None,
            properties: Vec::new(),
            annotations: annotations.to_vec(),
            span: name.span,
        });
        // A key does not know the table: what else has its name is hidden.
        self.name(name, Entity::Table(number));
        self.once(properties);
        self.order(properties);
        self.no_action(properties);
        let has_actions = properties
            .iter()
            .any(|one| matches!(one.value, PropertyValue::Actions(_)));
        if !has_actions {
            let message = format!("table `{}` has no actions", name.text);
            let error = self.sources.error("p4-statement", name.span, message);
            let help = "say which it can run: `actions = { NoAction; … }`";
            self.errors.push(error.help(help));
        }
        // Entries and the default know keys and actions, wherever these stand.
        for property in properties {
            match &property.value {
                PropertyValue::Key(keys) => self.keys(number, keys),
                PropertyValue::Actions(actions) => self.actions(number, actions),
                _ => {}
            }
        }
        for property in properties {
            self.property(number, property);
        }
        self.entries_fit(number, properties);
        self.inside.tables.push(number);
    }

    fn once(&mut self, properties: &[ast::Property]) {
        for (at, property) in properties.iter().enumerate() {
            let name = &property.name;
            if properties[..at]
                .iter()
                .any(|other| other.name.text == name.text)
            {
                let message = format!("`{}` is said twice of this table", name.text);
                self.error("p4-name", name.span, message);
            }
        }
    }

    fn property(&mut self, number: usize, property: &'a ast::Property) {
        match &property.value {
            PropertyValue::Key(_) | PropertyValue::Actions(_) => {}
            PropertyValue::Entries(entries) => {
                self.told.tables[number].entries_are_constant = property.is_constant;
                if self.told.tables[number].keys.is_empty() {
                    // Told where all of them are looked at.
                    return;
                }
                for entry in entries {
                    if let Some(entry) = self.entry(number, entry) {
                        self.told.tables[number].entries.push(entry);
                    }
                }
            }
            PropertyValue::Value(value) => match property.name.text.as_str() {
                "default_action" => {
                    let call = self.action_value(number, value);
                    if let Some(call) = &call {
                        self.may_stand(number, call, "tableonly");
                    }
                    let table = &mut self.told.tables[number];
                    table.default = call;
                    table.default_is_constant = property.is_constant;
                }
                "size" => {
                    let size = self.size_of(value, "a table");
                    self.told.tables[number].size = size;
                }
                _ => {
                    self.doubt_property(&property.name);
                    if let Some(value) = self.expression(value, None) {
                        self.told.tables[number].properties.push(Property {
                            name: property.name.text.clone(),
                            is_constant: property.is_constant,
                            value,
                            annotations: property.annotations.clone(),
                        });
                    }
                }
            },
        }
    }

    fn keys(&mut self, number: usize, keys: &'a [ast::KeyElement]) {
        for key in keys {
            if !self.types().match_kinds.contains(&key.kind.text) {
                self.no_match_kind(&key.kind);
            }
            self.annotations(&key.annotations);
            let is_named = key.annotations.iter().any(|one| one.name.text == "name");
            if shown(&key.value).is_none() && !is_named {
                // §14.2.1.1, §18.3.1.3.
                let message = "the control plane has no name for this key";
                let error = self.sources.error("p4-name", key.value.span, message);
                self.errors
                    .push(error.help("write one behind it: `@name(\"…\")`"));
            }
            let value = self.expression(&key.value, None);
            let Some(value) = value.and_then(|value| self.looked_for(value)) else {
                continue;
            };
            // §14.2.1.1: a prefix and a range are of numbers.
            let is_number = !matches!(value.of, Type::Bool | Type::Error);
            if matches!(key.kind.text.as_str(), "lpm" | "range") && !is_number {
                let text = self.types().text(&value.of);
                let message = format!("`{}` looks for numbers, not {text}", key.kind.text);
                self.error("p4-type", value.span, message);
                continue;
            }
            self.told.tables[number].keys.push(Key {
                value,
                kind: key.kind.text.clone(),
                name: shown(&key.value),
                annotations: key.annotations.clone(),
            });
        }
    }

    /// What a key can be.
    fn looked_for(&mut self, value: Expression) -> Option<Expression> {
        match &value.of {
            Type::Bool | Type::Error | Type::Bit(_) | Type::Int(_) => Some(value),
            Type::Varbit(_) | Type::Enum(_) | Type::New(_) | Type::Parameter(_) => Some(value),
            Type::Wrong => None,
            of => {
                let message = format!("no table looks for {}", self.types().text(of));
                self.refuse("p4-type", value.span, message)
            }
        }
    }

    fn actions(&mut self, number: usize, actions: &'a [ast::ActionReference]) {
        for reference in actions {
            self.annotations(&reference.annotations);
            let path = &reference.action;
            let action = match self.look_up(path, super::unknown::Wanted::Action) {
                None | Some(Entity::Wrong) => {
                    self.incomplete.insert(number);
                    continue;
                }
                Some(Entity::Action(action)) => action,
                Some(other) => {
                    let message = format!("`{}` is {}, no action", path.name.text, other.phrase());
                    self.error("p4-name", path.name.span, message);
                    continue;
                }
            };
            let mut known = self.told.tables[number].actions.iter();
            if known.any(|one| one.action == action) {
                let message = format!("`{}` stands here twice", path.name.text);
                self.error("p4-name", path.name.span, message);
                continue;
            }
            if let Some(bound) = self.bound(action, reference) {
                self.told.tables[number].actions.push(TableAction {
                    action,
                    bound,
                    annotations: reference.annotations.clone(),
                });
            }
        }
    }

    /// What a table's list gives an action: all parameters that have a direction.
    fn bound(
        &mut self,
        action: usize,
        reference: &'a ast::ActionReference,
    ) -> Option<Vec<Option<Expression>>> {
        let mut parameters = self.told.functions[action].parameters.clone();
        parameters.retain(|one| one.direction != Direction::None);
        let arguments = reference.arguments.as_deref().unwrap_or(&[]);
        let (name, span) = (&reference.action.name.text, reference.action.name.span);
        let taker = super::calls::Taker::Call;
        let mut given = super::infer::Given::new();
        let passed = self.arguments(&parameters, &mut given, arguments, name, taker, span)?;
        Some(passed.0)
    }

    /// `a`, `a(1, 2)`, as a value.
    fn action_value(&mut self, number: usize, value: &'a ast::Expression) -> Option<ActionCall> {
        let (path, arguments) = match &value.kind {
            Written::Path(path) => (path, &[][..]),
            Written::Call(callee, _, arguments) => match &callee.kind {
                Written::Path(path) => (path, arguments.as_slice()),
                _ => return self.refuse("p4-type", value.span, "an action is wanted"),
            },
            _ => return self.refuse("p4-type", value.span, "an action is wanted"),
        };
        self.action_call(number, path, arguments, value.span)
    }

    /// An action of the table with what it is given.
    fn action_call(
        &mut self,
        table: usize,
        path: &'a ast::Path,
        arguments: &'a [ast::Argument],
        span: Span,
    ) -> Option<ActionCall> {
        let place = self.place_of_action(table, path)?;
        let action = &self.told.tables[table].actions[place];
        let all = self.told.functions[action.action].parameters.clone();
        let bound = all
            .iter()
            .filter(|one| one.direction != Direction::None)
            .count();
        // What the list gives already may be written again.
        let again = arguments.len() == all.len();
        let (parameters, skipped) = match again {
            true => (&all[..], bound),
            false => (&all[bound..], 0),
        };
        let name = &path.name.text;
        let taker = super::calls::Taker::Call;
        let mut given = super::infer::Given::new();
        let passed = self.arguments(parameters, &mut given, arguments, name, taker, span)?;
        if again {
            self.same_again(table, place, &passed.0)?;
        }
        let mut values = Vec::new();
        for value in passed.0.into_iter().skip(skipped) {
            let value = value?;
            if !self.is_made(&value) {
                return self.unknown(value.span);
            }
            values.push(value);
        }
        Some(ActionCall {
            action: place,
            arguments: values,
            span,
        })
    }

    fn entry(&mut self, number: usize, entry: &'a ast::Entry) -> Option<Entry> {
        let keys = self.told.tables[number].keys.iter();
        let types: Vec<Type> = keys.map(|key| key.value.of.clone()).collect();
        let sets = self.sets(&entry.keys, &types);
        let arguments = entry.action.arguments.as_deref().unwrap_or(&[]);
        let call = self.action_call(number, &entry.action.action, arguments, entry.span);
        let priority = match &entry.priority {
            None => None,
            Some(priority) => Some(self.known(priority, None)?),
        };
        if let Some(call) = &call {
            self.may_stand(number, call, "defaultonly");
        }
        Some(Entry {
            is_constant: entry.is_constant,
            priority,
            keys: sets?,
            action: call?,
            annotations: entry.annotations.clone(),
            span: entry.span,
        })
    }
}

/// What the control plane calls a key (§14.2.1.1, §18.3.1.3): the text of an expression that is as simple as a name.
fn shown(of: &ast::Expression) -> Option<String> {
    Some(match &of.kind {
        Written::Number(text) => text.clone(),
        Written::Path(path) => path.name.text.clone(),
        Written::Member(of, name) => format!("{}.{}", shown(of)?, name.text),
        Written::Index(of, index) => {
            let index = number(index).or_else(|| shown(index))?;
            format!("{}[{index}]", shown(of)?)
        }
        Written::Slice(of, high, low) => {
            format!("{}[{}:{}]", shown(of)?, number(high)?, number(low)?)
        }
        Written::Binary(ast::Binary::BitAnd, of, mask) => {
            format!("{} & {}", shown(of)?, shown(mask)?)
        }
        Written::Call(callee, _, arguments) if arguments.is_empty() => match &callee.kind {
            Written::Member(_, name) if name.text == "isValid" => format!("{}()", shown(callee)?),
            _ => return None,
        },
        _ => return None,
    })
}

fn number(of: &ast::Expression) -> Option<String> {
    match &of.kind {
        Written::Number(text) => {
            let (value, _) = crate::value::literal(text).ok()?;
            Some(value.to_string())
        }
        Written::Path(path) => Some(path.name.text.clone()),
        _ => None,
    }
}
