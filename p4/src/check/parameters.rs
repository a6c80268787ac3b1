//! Parameters: which types may be passed to whom (§6.8, §26), and how they go.

use super::Checker;
use crate::ast::{self, Direction};
use crate::typed::{Expression, Parameter, VariableKind};
use crate::types::{ObjectKind, Type};

/// Whose parameters they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A function that has a body.
    Function,
    /// An extern function, or a method.
    Extern,
    Action,
    /// `apply` of a parser or a control.
    Block,
    /// The same, where only the type is declared.
    TypeOfBlocks,
    /// What makes an object of this kind.
    Made(ObjectKind),
    /// What describes an architecture, which takes whatever packages take.
    Architecture,
    MadeArchitecture,
}

impl Owner {
    fn makes(self) -> bool {
        matches!(self, Owner::Made(_) | Owner::MadeArchitecture)
    }

    /// §6.8.2: who may be given nothing.
    fn has_optional(self) -> bool {
        match self {
            Owner::Function | Owner::Action => false,
            Owner::Made(kind) => matches!(kind, ObjectKind::Package | ObjectKind::Extern),
            _ => true,
        }
    }

    /// The tables of §26: whether objects of this kind are passed.
    fn takes(self, kind: ObjectKind) -> bool {
        match self {
            Owner::Architecture | Owner::MadeArchitecture => true,
            Owner::Action => false,
            Owner::Function | Owner::Extern | Owner::Block | Owner::TypeOfBlocks => {
                kind == ObjectKind::Extern
            }
            Owner::Made(ObjectKind::Package) => true,
            Owner::Made(owner) => kind == ObjectKind::Extern || owner == kind,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Owner::Function => "a function",
            Owner::Extern => "an extern function",
            Owner::Action => "an action",
            Owner::Block | Owner::TypeOfBlocks => "`apply`",
            Owner::Made(ObjectKind::Extern) => "an extern",
            Owner::Made(ObjectKind::Parser) => "a parser",
            Owner::Made(ObjectKind::Control) => "a control",
            _ => "a package",
        }
    }
}

impl<'a> Checker<'a> {
    /// Parameters, which are known from here on in this scope.
    pub(super) fn parameters(
        &mut self,
        parameters: &'a [ast::Parameter],
        owner: Owner,
    ) -> Vec<Parameter> {
        let mut known = Vec::new();
        for parameter in parameters {
            let of = self.type_of(&parameter.of);
            self.annotations(&parameter.annotations);
            self.passes(parameter, &of, owner);
            let default = self.default(parameter, &of);
            let is_marked = parameter
                .annotations
                .iter()
                .any(|annotation| annotation.name.text == "optional");
            if is_marked && !owner.has_optional() {
                let message = format!("no parameter of {} is `@optional`", owner.word());
                self.error("p4-type", parameter.name.span, message);
            } else if is_marked && parameter.default.is_some() {
                let message = "what is `@optional` has no default";
                self.error("p4-type", parameter.name.span, message);
            }
            let kind = match owner.makes() {
                true => VariableKind::Made,
                false => VariableKind::Parameter(parameter.direction),
            };
            let variable = self.declare_variable(&parameter.name, of.clone(), kind);
            known.push(Parameter {
                name: parameter.name.text.clone(),
                direction: parameter.direction,
                of,
                is_optional: parameter.default.is_some() || is_marked,
                default,
                variable,
                annotations: parameter.annotations.clone(),
            });
        }
        known
    }

    /// Tells what is wrong with the type of a parameter, and with its direction.
    fn passes(&mut self, parameter: &'a ast::Parameter, of: &Type, owner: Owner) {
        let has_direction = parameter.direction != Direction::None;
        let text = self.types().text(of);
        let message = match of {
            Type::Void => "no parameter is void".to_owned(),
            // §15.
            _ if owner.makes() && has_direction => {
                let message = "what an object is made with has no direction";
                self.error("p4-type", parameter.name.span, message);
                return;
            }
            Type::Object(number, given) => {
                let object = &self.types().objects[*number];
                if !owner.takes(object.kind) {
                    let kind = object.kind.keyword();
                    format!(
                        "{} takes no object of this kind: {kind} {text}",
                        owner.word()
                    )
                } else if owner.makes()
                    && object.kind != ObjectKind::Package
                    && self.told.objects[*number].has_body
                {
                    // §26: that is one parser or control, and no type of some.
                    format!("`{text}` has a body: a parameter is of a type that has none")
                } else if has_direction {
                    format!("an object goes without a direction: {text}")
                } else if given.len() != object.parameters {
                    // §7.2.12.
                    let count = object.parameters;
                    format!("`{text}` takes {count} types, which are to be written here")
                } else {
                    return;
                }
            }
            // §7.1.6.5: whoever calls an action may be the control plane.
            Type::Integer if owner == Owner::Action => {
                format!("no parameter of an action is an {text}: it has no width")
            }
            // §7.1.5, §7.1.6.5.
            Type::Integer | Type::Text if has_direction => {
                format!("only the compiler has {text}: it is passed without a direction")
            }
            _ => return,
        };
        self.error("p4-type", parameter.of.span, message);
    }

    /// What a parameter is when it is not given.
    fn default(&mut self, parameter: &'a ast::Parameter, of: &Type) -> Option<Expression> {
        let default = parameter.default.as_ref()?;
        if matches!(parameter.direction, Direction::Out | Direction::InOut) {
            let message = "only what goes in has a default";
            return self.refuse("p4-type", default.span, message);
        }
        match of {
            Type::Object(..) => self.value_of(default, of),
            _ => self
                .known(default, Some(of))
                .and_then(|value| self.convert(value, of)),
        }
    }

    /// §26: a function, extern or not, gives a value that can be stored, or nothing.
    pub(super) fn returns(&mut self, function: &'a ast::Function, gives: &Type) {
        let Some(written) = &function.gives else {
            return;
        };
        let is_stored = match gives {
            Type::Integer | Type::Text => false,
            // Some architectures make externs so.
            Type::Object(number, _) => self.types().objects[*number].kind == ObjectKind::Extern,
            _ => true,
        };
        if !is_stored {
            let text = self.types().text(gives);
            let message = format!("no function gives {text}, which is nothing that is stored");
            self.error("p4-type", written.span, message);
        }
    }
}
