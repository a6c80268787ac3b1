//! What the core library says of its own functions (§13.7, §13.8), and what holds for types that a call was given.

use super::{Checker, Place};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, Function};
use crate::types::{ObjectKind, RecordKind, Type};

impl<'a> Checker<'a> {
    /// Tells where a function of the core library is called in another way than it takes.
    pub(super) fn may_call(
        &mut self,
        function: &Function,
        types: &[Type],
        passed: &[Option<Expression>],
        span: Span,
    ) -> Option<()> {
        if function.body.is_some() {
            return Some(());
        }
        match (function.name.as_str(), types, passed) {
            ("verify", [], [_, _]) if !self.is_in_parser() => {
                self.refuse("p4-statement", span, "`verify` stands only in a parser")
            }
            ("packet_in.extract", [of], [Some(header)]) => {
                self.header(of, header)?;
                self.one_varies(of)?;
                match self.varies(of) {
                    false => Some(()),
                    true => {
                        let text = self.types().text(of);
                        let message =
                            format!("how long {text} is must be said: `extract(…, bits)`");
                        self.refuse("p4-type", header.span, message)
                    }
                }
            }
            ("packet_in.extract", [of], [Some(header), _]) => {
                self.header(of, header)?;
                self.one_varies(of)?;
                match self.varies(of) || matches!(of, Type::Parameter(_)) {
                    true => Some(()),
                    false => {
                        let text = self.types().text(of);
                        let message = format!("{text} has no field whose width varies");
                        self.refuse("p4-type", header.span, message)
                    }
                }
            }
            ("packet_in.lookahead", [of], []) if self.varies(of) => {
                let message = format!("how long {} is is not known", self.types().text(of));
                self.refuse("p4-type", span, message)
            }
            _ => Some(()),
        }
    }

    fn is_in_parser(&self) -> bool {
        matches!(self.inside.place, Place::Parser | Place::Architecture)
    }

    /// It is a header, or will be one.
    fn header(&mut self, of: &Type, given: &Expression) -> Option<()> {
        if self.types().is_record(of, RecordKind::Header) || matches!(of, Type::Parameter(_)) {
            return Some(());
        }
        let message = format!("only headers are extracted, not {}", self.types().text(of));
        self.refuse("p4-type", given.span, message)
    }

    /// §7.2.9: `extract` could not tell how long each of two is.
    fn one_varies(&mut self, of: &Type) -> Option<()> {
        let Type::Record(number) = of else {
            return Some(());
        };
        let record = &self.types().records[*number];
        let mut fields = record.fields.iter().filter(|field| self.varies(&field.of));
        let Some(second) = fields.nth(1) else {
            return Some(());
        };
        let (name, span) = (record.name.clone(), second.span);
        let message = format!("`{name}` is extracted, and has two fields whose width varies");
        self.refuse("p4-type", span, message)
    }

    /// It has something in it whose width varies.
    fn varies(&self, of: &Type) -> bool {
        self.types()
            .contains(of, &|of| matches!(of, Type::Varbit(_)))
    }

    /// Tells where a call would have to pass something that no packet has: a number without a width (§7.1.6.5), fields of no struct
    /// (§8.14), a parser or a control (§26).
    pub(super) fn may_pass(
        &mut self,
        function: &Function,
        types: &[Type],
        passed: &[Option<Expression>],
        span: Span,
    ) -> Option<()> {
        for (number, of) in function.types.iter().zip(types) {
            let wanted = Type::Parameter(*number);
            let parameters = function.parameters.iter().zip(passed);
            let argument = parameters
                .filter(|(parameter, _)| {
                    let is_it = |of: &Type| *of == wanted;
                    self.types().contains(&parameter.of, &is_it)
                })
                .find_map(|(_, value)| value.as_ref());
            let is_open = |of: &Type| match of {
                Type::Integer | Type::Text | Type::Any => true,
                Type::Object(number, _) => self.told.objects[*number].kind != ObjectKind::Extern,
                of => self.is_unnamed(of),
            };
            let Some(argument) = argument else { continue };
            if !self.types().contains(of, &is_open) {
                continue;
            }
            let span = match argument.kind {
                ExpressionKind::Ignored => span,
                _ => argument.span,
            };
            let text = self.types().text(of);
            let message = match of {
                Type::Any => "of which type this is is not known".to_owned(),
                Type::Integer => "which width this number has is not known".to_owned(),
                of if self.is_unnamed(of) => "of which struct these fields are is not known".into(),
                _ => format!("nothing of type {text} is passed"),
            };
            let name = function.own_name();
            let error = self.sources.error("p4-type", span, message);
            let help = format!("say which type it is: `{name}<…>(…)`, or a cast in front");
            self.errors.push(error.help(help));
            return None;
        }
        Some(())
    }
}
