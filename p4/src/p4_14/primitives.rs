//! Primitive actions (§9.1), those of the specification and those that compilers have beside them.

mod fields;

use super::names::Kind;
use super::translator::{HeaderPlace, Place, Scope, Told, Translator};
use super::tree::{Call, Expression, ExpressionKind};
use super::values::{literal, Text, Value, Word};
use crate::ast::Name;
use num_bigint::BigInt;

/// Their names, and how many arguments they take at least and at most.
const PRIMITIVES: [(&str, usize, usize); 50] = [
    ("add", 3, 3),
    ("add_header", 1, 1),
    ("add_to_field", 2, 2),
    ("bit_and", 3, 3),
    ("bit_andca", 3, 3),
    ("bit_andcb", 3, 3),
    ("bit_nand", 3, 3),
    ("bit_nor", 3, 3),
    ("bit_not", 2, 2),
    ("bit_or", 3, 3),
    ("bit_orca", 3, 3),
    ("bit_orcb", 3, 3),
    ("bit_xnor", 3, 3),
    ("bit_xor", 3, 3),
    ("clone_e2e", 1, 2),
    ("clone_e2i", 1, 2),
    ("clone_egress_pkt_to_egress", 1, 2),
    ("clone_egress_pkt_to_ingress", 1, 2),
    ("clone_i2e", 1, 2),
    ("clone_i2i", 1, 2),
    ("clone_ingress_pkt_to_egress", 1, 2),
    ("clone_ingress_pkt_to_ingress", 1, 2),
    ("copy_header", 2, 2),
    ("count", 2, 2),
    ("drop", 0, 0),
    ("execute_meter", 3, 3),
    ("exit", 0, 0),
    ("generate_digest", 2, 2),
    ("mark_for_drop", 0, 0),
    ("max", 3, 3),
    ("min", 3, 3),
    ("modify_field", 2, 3),
    ("modify_field_conditionally", 3, 3),
    ("modify_field_rng_uniform", 3, 3),
    ("modify_field_with_hash_based_offset", 4, 4),
    ("modify_field_with_shift", 4, 4),
    ("no_op", 0, 0),
    ("pop", 1, 2),
    ("push", 1, 2),
    ("recirculate", 0, 1),
    ("register_read", 3, 3),
    ("register_write", 3, 3),
    ("remove_header", 1, 1),
    ("resubmit", 0, 1),
    ("shift_left", 3, 3),
    ("shift_right", 3, 3),
    ("subtract", 3, 3),
    ("subtract_from_field", 2, 2),
    ("truncate", 1, 1),
    ("invalidate", 1, 1),
];

pub(super) fn is_primitive(name: &str) -> bool {
    PRIMITIVES.iter().any(|(known, ..)| *known == name)
}

pub(super) fn names<'n>() -> impl Iterator<Item = &'n str> {
    PRIMITIVES.iter().map(|(name, ..)| *name)
}

/// A table can name it among its actions.
pub(super) fn takes_nothing(name: &str) -> bool {
    PRIMITIVES
        .iter()
        .any(|(known, _, most)| *known == name && *most == 0)
}

/// The pipeline in which alone it does something (§9.1); `None`: in both.
pub(super) fn pipeline_of(name: &str) -> Option<&'static str> {
    match name {
        "resubmit" | "clone_i2e" | "clone_ingress_pkt_to_egress" => Some("ingress"),
        "recirculate" | "clone_e2e" | "clone_egress_pkt_to_egress" => Some("egress"),
        _ => None,
    }
}

/// The argument that is the list of fields which the packet keeps when it goes round.
pub(super) fn kept_list(call: &Call) -> Option<&Expression> {
    match call.name.text.as_str() {
        "resubmit" | "recirculate" => call.arguments.first(),
        name if name.starts_with("clone_") => call.arguments.get(1),
        _ => None,
    }
}

/// The list that goes to the control plane.
pub(super) fn digest_list(call: &Call) -> Option<&Expression> {
    match call.name.text.as_str() {
        "generate_digest" => call.arguments.get(1),
        _ => None,
    }
}

/// The name that an argument is.
pub(super) fn name_of(argument: &Expression) -> Option<&Name> {
    match &argument.kind {
        ExpressionKind::Named(reference) if reference.index.is_none() => Some(&reference.name),
        _ => None,
    }
}

impl<'a> Translator<'a> {
    /// What a primitive action becomes.
    pub(super) fn primitive(
        &mut self,
        call: &Call,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) -> Result<(), Told> {
        let name = call.name.text.as_str();
        let given = &call.arguments;
        let takes = PRIMITIVES.iter().find(|(known, ..)| *known == name);
        let (_, least, most) = takes.copied().ok_or(Told)?;
        if !(least..=most).contains(&given.len()) {
            let message = match least == most {
                true => format!("`{name}` takes {least} arguments"),
                false => format!("`{name}` takes {least} or {most} arguments"),
            };
            return self.error(call.name.span, message);
        }
        match name {
            "no_op" => Ok(()),
            "exit" => self.plain("exit;", lines),
            "drop" | "mark_for_drop" => self.plain("mark_to_drop(standard_metadata);", lines),
            "truncate" => {
                let length = self.value(&given[0], Some(Word::bits(32)), scope)?;
                let length = self.cast(&length, Word::bits(32), scope).text;
                self.plain(&format!("truncate({length});"), lines)
            }
            "add_header" | "remove_header" | "invalidate" | "copy_header" | "push" | "pop" => {
                self.headers_changed(name, call, scope, lines)
            }
            "count" | "execute_meter" | "register_read" | "register_write" => {
                self.state_used(name, call, scope, lines)
            }
            "modify_field_with_hash_based_offset" | "modify_field_rng_uniform" => {
                self.computed(name, call, scope, lines)
            }
            "generate_digest" | "resubmit" | "recirculate" => self.sent(name, call, scope, lines),
            _ if name.starts_with("clone_") => self.sent(name, call, scope, lines),
            _ => self.field_changed(name, call, scope, lines),
        }
    }

    fn plain(&mut self, line: &str, lines: &mut Vec<String>) -> Result<(), Told> {
        lines.push(line.to_owned());
        Ok(())
    }

    // ---- Headers

    fn header_of(&mut self, argument: &Expression, scope: &Scope) -> Result<HeaderPlace<'a>, Told> {
        let ExpressionKind::Named(reference) = &argument.kind else {
            return self.error(argument.span, "this is no header");
        };
        let header = self.header(reference, scope)?;
        match header.is_metadata {
            true => self.error(
                argument.span,
                "metadata is always there: this takes a header (§2.2)",
            ),
            false => Ok(header),
        }
    }

    fn headers_changed(
        &mut self,
        name: &str,
        call: &Call,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) -> Result<(), Told> {
        let given = &call.arguments;
        let header = self.header_of(&given[0], scope)?;
        let is_stack = name == "push" || name == "pop";
        if is_stack != header.count.is_some() {
            let wanted = if is_stack { "a stack" } else { "one header" };
            return self.error(given[0].span, format!("`{name}` takes {wanted}"));
        }
        match name {
            "add_header" => {
                lines.push(format!("if (!{}.isValid()) {{", header.text));
                let made = made_valid(&header, &header.text);
                lines.extend(made.iter().map(|line| format!("    {line}")));
                lines.push("}".into());
            }
            "copy_header" => {
                let from = self.header_of(&given[1], scope)?;
                if from.count.is_some() || from.layout.name != header.layout.name {
                    return self.error(
                        given[1].span,
                        "a header is copied from one of its own type (§9.1)",
                    );
                }
                lines.push(format!("{} = {};", header.text, from.text));
            }
            "push" | "pop" => {
                let most = header.count.unwrap_or(1);
                let count = match given.get(1) {
                    Some(count) => self.number(count, 0, 1 << 16, "how many are moved")?,
                    None => 1,
                };
                // More than all are all.
                let count = count.min(most);
                lines.push(format!("{}.{name}_front({count});", header.text));
                for number in 0..if name == "push" { count } else { 0 } {
                    lines.extend(made_valid(&header, &format!("{}[{number}]", header.text)));
                }
            }
            _ => lines.push(format!("{}.setInvalid();", header.text)),
        }
        Ok(())
    }

    // ---- Counters, meters and registers

    /// A counter, meter or register that is used by its number: what it is called, and the type of that number.
    fn stateful(
        &mut self,
        kind: Kind,
        argument: &Expression,
    ) -> Result<(String, Word, Word), Told> {
        let known = self.known;
        let all = match kind {
            Kind::Counter => &known.counters,
            Kind::Meter => &known.meters,
            _ => &known.registers,
        };
        let Some(name) = name_of(argument) else {
            return self.error(
                argument.span,
                "the name of a counter, meter or register stands here",
            );
        };
        let one = self.found(all.get(&name.text), |this| all.unknown(this.sources, name))?;
        if one.direct.is_some() && kind != Kind::Register {
            let message = format!(
                "`{}` is direct: it goes along with its table by itself (§7)",
                name.text
            );
            return self.error(name.span, message);
        }
        let word = match kind {
            Kind::Register => self.register_word(one)?,
            _ => Word::bits(32),
        };
        let index = self.index_of(one)?;
        Ok((self.names.of(kind, &name.text), index, word))
    }

    fn state_used(
        &mut self,
        name: &str,
        call: &Call,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) -> Result<(), Told> {
        let given = &call.arguments;
        let (kind, object, index) = match name {
            "count" => (Kind::Counter, &given[0], &given[1]),
            "execute_meter" => (Kind::Meter, &given[0], &given[1]),
            "register_read" => (Kind::Register, &given[1], &given[2]),
            _ => (Kind::Register, &given[0], &given[1]),
        };
        let (object, index_word, word) = self.stateful(kind, object)?;
        let index = self.value(index, Some(index_word), scope)?;
        let index = self.cast(&index, index_word, scope).text;
        match name {
            "count" => lines.push(format!("{object}.count({index});")),
            "execute_meter" => {
                let to = self.destination(&given[2], scope)?;
                let word = Word::bits(to.word.width);
                self.read_into(
                    &to,
                    word,
                    |to| format!("{object}.execute_meter({index}, {to});"),
                    scope,
                    lines,
                );
            }
            "register_read" => {
                let to = self.destination(&given[0], scope)?;
                self.read_into(
                    &to,
                    word,
                    |to| format!("{object}.read({to}, {index});"),
                    scope,
                    lines,
                );
            }
            _ => {
                let value = self.value(&given[2], Some(word), scope)?;
                let value = self.cast(&value, word, scope).text;
                lines.push(format!("{object}.write({index}, {value});"));
            }
        }
        Ok(())
    }

    /// Something that gives a value of a type through a parameter, and the field that takes it.
    pub(super) fn read_into(
        &mut self,
        to: &Place,
        word: Word,
        call: impl FnOnce(&str) -> String,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) {
        if to.word == word {
            lines.push(call(&to.text));
            return;
        }
        lines.push("{".into());
        lines.push(format!("    {} outcome;", word.text()));
        lines.push(format!("    {}", call("outcome")));
        let value = Value::Bits(Text::closed("outcome"), word);
        let mut assignment = Vec::new();
        self.assign(to, &value, scope, &mut assignment);
        lines.extend(assignment.iter().map(|line| format!("    {line}")));
        lines.push("}".into());
    }

    // ---- Hashes and random numbers

    fn computed(
        &mut self,
        name: &str,
        call: &Call,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) -> Result<(), Told> {
        let given = &call.arguments;
        let to = self.destination(&given[0], scope)?;
        let word = Word::bits(to.word.width);
        let first = self.value(&given[1], Some(word), scope)?;
        let first = self.cast(&first, word, scope).text;
        if name == "modify_field_rng_uniform" {
            let last = self.value(&given[2], Some(word), scope)?;
            let last = self.cast(&last, word, scope).text;
            let call = |to: &str| format!("random({to}, {first}, {last});");
            self.read_into(&to, word, call, scope, lines);
            return Ok(());
        }
        let Some(calculation) = name_of(&given[2]) else {
            let message = "the name of a field list calculation stands here";
            return self.error(given[2].span, message);
        };
        let (algorithm, _) = self.algorithm(calculation)?;
        let size = self.value(&given[3], Some(Word::bits(32)), scope)?;
        let size_word = Word::bits(size.width().unwrap_or(32).max(32));
        let size = self.cast(&size, size_word, scope).text;
        self.hashed(
            calculation,
            scope,
            lines,
            |this, list, scope, lines| match list {
                Some(list) => {
                    let call =
                        |to: &str| format!("hash({to}, {algorithm}, {first}, {list}, {size});");
                    this.read_into(&to, word, call, scope, lines);
                }
                // The hash of nothing at all is 0.
                None => {
                    let first = Value::Bits(Text::closed(first.clone()), word);
                    this.assign(&to, &first, scope, lines);
                }
            },
        )
    }

    /// What is done with the fields of a calculation, for each set of headers that can be valid.
    fn hashed(
        &mut self,
        calculation: &Name,
        scope: &mut Scope,
        lines: &mut Vec<String>,
        mut with: impl FnMut(&mut Self, Option<String>, &mut Scope, &mut Vec<String>),
    ) -> Result<(), Told> {
        let entries = self.input(calculation)?;
        if entries.has_payload {
            return self.error(calculation.span, "v1model hashes no payload");
        }
        let mut variants = self.variants(calculation, &entries, &[])?;
        if variants.len() == 1 {
            let only = variants.remove(0);
            with(self, only.text, scope, lines);
            return Ok(());
        }
        let last = variants.len() - 1;
        for (place, variant) in variants.into_iter().enumerate() {
            let condition = variant.conditions.join(" && ");
            lines.push(match place {
                0 => format!("if ({condition}) {{"),
                _ if place == last => "} else {".into(),
                _ => format!("}} else if ({condition}) {{"),
            });
            let mut inner = Vec::new();
            with(self, variant.text, scope, &mut inner);
            lines.extend(inner.iter().map(|line| format!("    {line}")));
        }
        lines.push("}".into());
        Ok(())
    }

    // ---- Packets and messages that are sent

    fn sent(
        &mut self,
        name: &str,
        call: &Call,
        scope: &mut Scope,
        lines: &mut Vec<String>,
    ) -> Result<(), Told> {
        let given = &call.arguments;
        if name == "resubmit" || name == "recirculate" {
            // A list that no field is in keeps nothing.
            let list = match given.first() {
                Some(list) => self.kept_number(list)?,
                None => 0,
            };
            lines.push(format!("{name}_preserving_field_list(8w{list});"));
            return Ok(());
        }
        let word = Word::bits(32);
        let number = self.value(&given[0], Some(word), scope)?;
        let number = self.cast(&number, word, scope).text;
        if name == "generate_digest" {
            let Some(list) = name_of(&given[1]) else {
                return self.error(given[1].span, "the name of a field list stands here");
            };
            let entries = self.entries(list)?;
            let of = self.names.of(Kind::Digest, &list.text);
            lines.push(format!("digest<{of}>({number}, {});", entries.text()));
            return Ok(());
        }
        let from = match name {
            "clone_ingress_pkt_to_egress" | "clone_i2e" => "I2E",
            "clone_egress_pkt_to_egress" | "clone_e2e" => "E2E",
            _ => return self.error(call.name.span, "v1model clones no packets into ingress"),
        };
        lines.push(match given.get(1) {
            Some(list) => {
                let list = self.kept_number(list)?;
                format!("clone_preserving_field_list(CloneType.{from}, {number}, 8w{list});")
            }
            None => format!("clone(CloneType.{from}, {number});"),
        });
        Ok(())
    }

    fn kept_number(&mut self, list: &Expression) -> Result<usize, Told> {
        let Some(name) = name_of(list) else {
            return self.error(list.span, "the name of a field list stands here");
        };
        let number = self.kept_lists.get(&name.text).copied();
        let known = self.known;
        self.found(number, |this| known.lists.unknown(this.sources, name))
    }
}

/// A header that becomes valid has zeros in it (§9.1).
fn made_valid(header: &HeaderPlace, text: &str) -> Vec<String> {
    let mut lines = vec![format!("{text}.setValid();")];
    let fields = header.layout.fields.iter().filter(|field| !field.is_rest);
    lines.extend(fields.map(|field| {
        let zero = literal(&BigInt::from(0), field.word, false);
        format!("{text}.{} = {zero};", field.given)
    }));
    lines
}
