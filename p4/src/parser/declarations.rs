//! Declarations (§11), of parsers (§13), controls and tables (§14), externs and packages among them.

use super::{Lost, Parsed, Parser};
use crate::ast::{
    ActionReference, Annotation, Control, Declaration, DeclarationKind, Direction, Entry, Field,
    Function, Head, KeyElement, Name, Parameter, Path, Property, PropertyValue, State, Transition,
    Type,
};
use crate::cursor::Cursor;

impl Parser<'_> {
    /// A declaration of the program.
    pub(super) fn top(&mut self) -> Parsed<Declaration> {
        self.declaration(|parser| {
            if parser.take_word("extern") {
                return parser.extern_or_function();
            }
            if parser.take_word("parser") {
                return parser.parser();
            }
            if parser.take_word("control") {
                return parser.control();
            }
            if parser.take_word("package") {
                let head = parser.known_behind(Self::head)?;
                parser.expect(";")?;
                return Ok(DeclarationKind::Package(head));
            }
            parser.anywhere()
        })
    }

    /// What stands in an object's braces: methods, and objects.
    pub(super) fn in_object(&mut self) -> Parsed<Declaration> {
        self.declaration(Self::anywhere)
    }

    fn declaration(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<DeclarationKind>,
    ) -> Parsed<Declaration> {
        let span = self.here();
        self.nested(|parser| {
            let annotations = parser.annotations()?;
            let kind = read(parser)?;
            Ok(Declaration {
                annotations,
                kind,
                span: parser.since(span),
            })
        })
    }

    /// Types, constants, actions, functions and objects.
    fn anywhere(&mut self) -> Parsed<DeclarationKind> {
        if let Some(kind) = self.derived()? {
            return Ok(kind);
        }
        if self.take_word("typedef") {
            let span = self.here();
            if let Some(kind) = self.derived()? {
                let declaration = Declaration {
                    annotations: Vec::new(),
                    kind,
                    span: self.since(span),
                };
                let name = self.type_name()?;
                self.expect(";")?;
                return Ok(DeclarationKind::AliasOfNew(Box::new(declaration), name));
            }
            let of = self.of_type()?;
            let name = self.type_name()?;
            self.expect(";")?;
            return Ok(DeclarationKind::Alias(of, name));
        }
        let next = |count: usize, sign: &str| {
            let token = self.ahead(count);
            token.is_some_and(|token| token.is_sign(sign))
        };
        if self.is_word("error") && next(1, "{") {
            self.at += 1;
            return Ok(DeclarationKind::Errors(self.names()?));
        }
        if self.is_word("match_kind") && next(1, "{") {
            self.at += 1;
            return Ok(DeclarationKind::MatchKinds(self.names()?));
        }
        // `type` is a name elsewhere.
        if self.is_word("type") && !next(1, "(") && (self.begins_type(1) || self.is_name(1)) {
            self.at += 1;
            let of = self.of_type()?;
            let name = self.type_name()?;
            self.expect(";")?;
            return Ok(DeclarationKind::NewType(of, name));
        }
        if self.take_word("action") {
            return self.action();
        }
        if self.is_word("const") {
            return self.local()?.ok_or(Lost);
        }
        self.function_or_object()
    }

    /// A type with fields or members.
    fn derived(&mut self) -> Parsed<Option<DeclarationKind>> {
        for (word, made) in [
            ("header", DeclarationKind::Header as fn(_, _, _) -> _),
            ("header_union", DeclarationKind::Union),
            ("struct", DeclarationKind::Struct),
        ] {
            if self.take_word(word) {
                return self.fields(made).map(Some);
            }
        }
        match self.take_word("enum") {
            true => self.enumeration().map(Some),
            false => Ok(None),
        }
    }

    /// `T f(…) {…}`, or `T(…) x;`.
    fn function_or_object(&mut self) -> Parsed<DeclarationKind> {
        if !self.begins_type(0) && !self.is_name(0) {
            return self.lost("a declaration");
        }
        let begin = self.at;
        let object = self.tried(|parser| {
            let of = parser.of_type()?;
            match parser.is_sign("(") {
                true => Ok(of),
                false => Err(Lost),
            }
        });
        if let Some(of) = object {
            return match self.instance_or_call(begin, of)? {
                Some(kind) => Ok(kind),
                None => {
                    let message =
                        "nothing is called out here, and an object has a name: `V1Switch(…) main;`";
                    self.wrong(self.here(), message.to_owned())
                }
            };
        }
        self.scope(|parser| {
            let (gives, head) = parser.head_of_function()?;
            let body = Some(parser.block(Vec::new())?);
            Ok(DeclarationKind::Function(Function {
                gives: Some(gives),
                head,
                body,
                is_abstract: false,
            }))
        })
    }

    /// The type that a function gives, in which its type parameters may stand that come behind it, and its head.
    fn head_of_function(&mut self) -> Parsed<(Type, Head)> {
        let at = self.at;
        let names = self.tried(|parser| {
            parser.of_type()?;
            parser.name()?;
            parser.scope(Self::type_parameters)
        });
        self.at = at;
        for name in names.iter().flatten() {
            self.declare(name, true);
        }
        Ok((self.of_type()?, self.head()?))
    }

    fn type_name(&mut self) -> Parsed<Name> {
        let name = self.name()?;
        self.declare(&name, true);
        Ok(name)
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        self.expect("{")?;
        self.list("}", Self::name)
    }

    fn fields(
        &mut self,
        made: fn(Name, Vec<Name>, Vec<Field>) -> DeclarationKind,
    ) -> Parsed<DeclarationKind> {
        let name = self.type_name()?;
        self.scope(|parser| {
            let types = parser.type_parameters()?;
            parser.expect("{")?;
            let mut fields = Vec::new();
            while !parser.take("}") {
                let annotations = parser.annotations()?;
                let of = parser.of_type()?;
                let name = parser.name()?;
                parser.expect(";")?;
                fields.push(Field {
                    annotations,
                    of,
                    name,
                });
            }
            Ok(made(name, types, fields))
        })
    }

    fn enumeration(&mut self) -> Parsed<DeclarationKind> {
        let is_plain = self.is_name(0) && self.is_sign_ahead(1, "{");
        let below = match is_plain {
            true => None,
            false => Some(self.of_type()?),
        };
        let name = self.type_name()?;
        self.expect("{")?;
        let members = self.list("}", |parser| {
            let name = parser.name()?;
            let value = match parser.take("=") {
                true => Some(parser.expression()?),
                false => None,
            };
            Ok((name, value))
        })?;
        Ok(DeclarationKind::Enum(below, name, members))
    }

    fn action(&mut self) -> Parsed<DeclarationKind> {
        let name = self.name()?;
        self.declare(&name, false);
        self.scope(|parser| {
            let parameters = parser.parameters()?;
            let body = parser.block(Vec::new())?;
            Ok(DeclarationKind::Action(name, parameters, body))
        })
    }

    /// Name, types and parameters.
    fn head(&mut self) -> Parsed<Head> {
        let name = self.name()?;
        let types = self.type_parameters()?;
        let parameters = self.parameters()?;
        Ok(Head {
            name,
            types,
            parameters,
        })
    }

    /// Reads what begins with its name, in a scope of its own. The name is that of a type, known behind it, also where it is wrong.
    fn known_behind<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let at = self.at;
        let name = self.tried(Self::name);
        self.at = at;
        let result = self.scope(read);
        if let Some(name) = name {
            self.declare(&name, true);
        }
        result
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect("(")?;
        self.list(")", |parser| {
            let annotations = parser.annotations()?;
            let words = [
                ("inout", Direction::InOut),
                ("in", Direction::In),
                ("out", Direction::Out),
            ];
            let direction = words.iter().find(|(word, _)| parser.is_word(word));
            parser.at += usize::from(direction.is_some());
            let of = parser.type_argument()?;
            let name = parser.name()?;
            let default = match parser.take("=") {
                true => Some(parser.expression()?),
                false => None,
            };
            parser.declare(&name, false);
            Ok(Parameter {
                annotations,
                direction: direction.map_or(Direction::None, |(_, direction)| *direction),
                of,
                name,
                default,
            })
        })
    }

    fn made_with(&mut self) -> Parsed<Vec<Parameter>> {
        match self.is_sign("(") {
            true => self.parameters(),
            false => Ok(Vec::new()),
        }
    }

    // ---- Externs

    fn extern_or_function(&mut self) -> Parsed<DeclarationKind> {
        let behind = self.ahead(1);
        let is_object = behind.is_some_and(|token| token.is_sign("{") || token.is_sign("<"));
        let is_object = is_object && self.is_name(0) && self.is_extern_object();
        if !is_object {
            let method = self.method(false, None)?;
            return Ok(DeclarationKind::Function(method));
        }
        let name = self.type_name()?;
        self.scope(|parser| {
            let types = parser.type_parameters()?;
            parser.expect("{")?;
            let mut methods = Vec::new();
            while !parser.take("}") {
                let method = parser.declaration(|parser| {
                    let is_abstract = parser.take_word("abstract");
                    let method = parser.method(is_abstract, Some(&name))?;
                    Ok(DeclarationKind::Function(method))
                })?;
                methods.push(method);
            }
            Ok(DeclarationKind::Extern(name, types, methods))
        })
    }

    /// `X {`, `X<T> {`.
    fn is_extern_object(&mut self) -> bool {
        let at = self.at;
        let found = self.tried(|parser| {
            parser.name()?;
            parser.scope(Self::type_parameters)?;
            parser.expect("{")
        });
        self.at = at;
        found.is_some()
    }

    /// A method, or a function that is extern. `of`: the extern, after which constructors are called.
    fn method(&mut self, is_abstract: bool, of: Option<&Name>) -> Parsed<Function> {
        let makes = of.is_some_and(|of| self.is_word(&of.text)) && self.is_sign_ahead(1, "(");
        self.scope(|parser| {
            let (gives, head) = match makes {
                true => (None, parser.head()?),
                false => {
                    let (gives, head) = parser.head_of_function()?;
                    (Some(gives), head)
                }
            };
            parser.expect(";")?;
            Ok(Function {
                gives,
                head,
                body: None,
                is_abstract,
            })
        })
    }

    // ---- Parsers

    fn parser(&mut self) -> Parsed<DeclarationKind> {
        self.known_behind(|parser| {
            let head = parser.head()?;
            if parser.take(";") {
                return Ok(DeclarationKind::Parser(head, None));
            }
            let made_with = parser.made_with()?;
            parser.expect("{")?;
            let mut locals = Vec::new();
            while !parser.begins_state() {
                locals.push(parser.local_of_parser()?);
            }
            let mut states = Vec::new();
            while !parser.take("}") {
                states.push(parser.state()?);
            }
            let body = crate::ast::Parser {
                made_with,
                locals,
                states,
            };
            Ok(DeclarationKind::Parser(head, Some(Box::new(body))))
        })
    }

    /// A state begins here, behind annotations, or the parser ends.
    fn begins_state(&mut self) -> bool {
        let at = self.at;
        let behind = self.tried(Self::annotations);
        let begins = self.is_word("state") && self.is_name(1);
        self.at = at;
        behind.is_none() || begins || self.is_sign("}") || self.is_over()
    }

    fn local_of_parser(&mut self) -> Parsed<Declaration> {
        self.declaration(|parser| {
            if parser.take_word("value_set") {
                parser.expect("<")?;
                let of = parser.type_argument()?;
                parser.expect(">")?;
                parser.expect("(")?;
                let size = parser.expression()?;
                parser.expect(")")?;
                let name = parser.name()?;
                parser.declare(&name, false);
                parser.expect(";")?;
                return Ok(DeclarationKind::ValueSet(of, size, name));
            }
            match parser.local()? {
                Some(kind) => Ok(kind),
                None => parser.lost("a declaration or a state"),
            }
        })
    }

    fn state(&mut self) -> Parsed<State> {
        let annotations = self.annotations()?;
        self.expect_word("state")?;
        let name = self.name()?;
        self.expect("{")?;
        self.scope(|parser| {
            let ends = |parser: &Self| parser.is_sign("}") || parser.is_word("transition");
            let statements = parser.statements(ends)?;
            let next = match parser.take_word("transition") {
                true => Some(parser.transition()?),
                false => None,
            };
            parser.expect("}")?;
            Ok(State {
                annotations,
                name,
                statements,
                next,
            })
        })
    }

    fn transition(&mut self) -> Parsed<Transition> {
        let span = self.here();
        if !self.take_word("select") {
            let name = self.name()?;
            self.expect(";")?;
            return Ok(Transition::To(name));
        }
        let values = self.selected()?;
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.take("}") {
            let set = self.set()?;
            self.expect(":")?;
            let name = self.name()?;
            self.expect(";")?;
            cases.push((set, name));
        }
        Ok(Transition::Select(values, cases, self.since(span)))
    }

    // ---- Controls and tables

    fn control(&mut self) -> Parsed<DeclarationKind> {
        self.known_behind(|parser| {
            let head = parser.head()?;
            if parser.take(";") {
                return Ok(DeclarationKind::Control(head, None));
            }
            let made_with = parser.made_with()?;
            parser.expect("{")?;
            let begin = parser.errors.len();
            let mut locals = Vec::new();
            while !parser.is_word("apply") {
                if parser.is_over() || parser.is_sign("}") {
                    return match begin == parser.errors.len() {
                        true => parser.lost("`apply`"),
                        // It may stand in what was left out.
                        false => Err(Lost),
                    };
                }
                locals.extend(parser.unless_lost(Self::local_of_control)?);
            }
            parser.expect_word("apply")?;
            let annotations = parser.annotations()?;
            let apply = parser.block(annotations)?;
            parser.expect("}")?;
            let body = Control {
                made_with,
                locals,
                apply,
            };
            Ok(DeclarationKind::Control(head, Some(Box::new(body))))
        })
    }

    fn local_of_control(&mut self) -> Parsed<Declaration> {
        self.declaration(|parser| {
            if parser.take_word("action") {
                return parser.action();
            }
            if parser.take_word("table") {
                return parser.table();
            }
            match parser.local()? {
                Some(kind) => Ok(kind),
                None => parser.lost("a declaration or `apply`"),
            }
        })
    }

    fn table(&mut self) -> Parsed<DeclarationKind> {
        let name = self.name()?;
        self.declare(&name, false);
        self.expect("{")?;
        let mut properties = Vec::new();
        while !self.take("}") {
            if self.is_over() {
                return self.lost("`}`");
            }
            properties.extend(self.unless_lost(Self::property)?);
        }
        Ok(DeclarationKind::Table(name, properties))
    }

    fn property(&mut self) -> Parsed<Property> {
        let annotations = self.annotations()?;
        let is_constant = self.take_word("const");
        let name = self.name()?;
        self.expect("=")?;
        if self.is_sign("{") && !["key", "actions", "entries"].contains(&name.text.as_str()) {
            return self.no_property(&name);
        }
        let value = match name.text.as_str() {
            "key" => {
                self.expect("{")?;
                PropertyValue::Key(self.until_brace(Self::key_element)?)
            }
            "actions" => {
                self.expect("{")?;
                PropertyValue::Actions(self.until_brace(|parser| {
                    let annotations = parser.annotations()?;
                    let action = parser.action_reference(annotations)?;
                    parser.expect(";")?;
                    Ok(action)
                })?)
            }
            "entries" => {
                self.expect("{")?;
                PropertyValue::Entries(self.until_brace(Self::entry)?)
            }
            _ => {
                let value = self.expression()?;
                self.expect(";")?;
                PropertyValue::Value(value)
            }
        };
        Ok(Property {
            annotations,
            is_constant,
            name,
            value,
        })
    }

    /// A list of what no table has, as no value begins.
    fn no_property<T>(&mut self, name: &Name) -> Parsed<T> {
        let lists = ["key", "actions", "entries"];
        let near = hardpath_diagnostic::suggest::nearest(&name.text, lists);
        let Some(near) = near else {
            return self.lost("a value");
        };
        if !self.is_quiet() {
            let message = format!("a table has no `{}`", name.text);
            let error = self.sources.error("p4-syntax", name.span, message);
            self.errors
                .push(error.help(format!("did you mean `{near}`?")));
        }
        Err(super::Lost)
    }

    /// All up to the brace that closes, which is taken.
    fn until_brace<T>(&mut self, mut read: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        while !self.take("}") {
            all.push(read(self)?);
        }
        Ok(all)
    }

    fn key_element(&mut self) -> Parsed<KeyElement> {
        let value = self.expression()?;
        self.expect(":")?;
        let kind = self.name()?;
        let annotations = self.annotations()?;
        self.expect(";")?;
        Ok(KeyElement {
            value,
            kind,
            annotations,
        })
    }

    fn action_reference(&mut self, annotations: Vec<Annotation>) -> Parsed<ActionReference> {
        let from_top = self.take(".");
        let name = self.name()?;
        let arguments = match self.take("(") {
            true => Some(self.arguments()?),
            false => None,
        };
        Ok(ActionReference {
            annotations,
            action: Path { from_top, name },
            arguments,
        })
    }

    fn entry(&mut self) -> Parsed<Entry> {
        let span = self.here();
        let is_constant = self.take_word("const");
        let priority = match self.is_word("priority") && self.is_key() {
            true => {
                let (_, priority) = self.key_and_value()?;
                self.expect(":")?;
                Some(priority)
            }
            false => None,
        };
        let keys = self.set()?;
        self.expect(":")?;
        let action = self.action_reference(Vec::new())?;
        let annotations = self.annotations()?;
        self.expect(";")?;
        Ok(Entry {
            is_constant,
            priority,
            keys,
            action,
            annotations,
            span: self.since(span),
        })
    }
}
