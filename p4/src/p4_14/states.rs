//! The parser (§4), and what becomes of its exceptions.
//!
//! v1model's parser ends with an error and goes on to ingress all the same. So exceptions are errors of P4_16, and their handlers stand in
//! front of the ingress control. A program that says nothing of exceptions has them handled as v1model does it.

use super::known::or_meant;
use super::names::{self, annotation, Kind};
use super::translator::{HeaderPlace, Scope, Told, Translator};
use super::tree::{
    Binary, Case, CaseValue, Expression, ExpressionKind, Handler, Next, Reference, State, Step,
    Target,
};
use super::values::{literal, Text, Value, Word};
use super::writer::Writer;
use crate::ast::Name;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// Exceptions of the language (§4.6.1), and the errors of P4_16 that they are.
const STANDARD: [(&str, &str); 5] = [
    ("p4_pe_index_out_of_bounds", "StackOutOfBounds"),
    ("p4_pe_out_of_packet", "PacketTooShort"),
    ("p4_pe_header_too_long", "HeaderTooShort"),
    ("p4_pe_header_too_short", "p4_pe_header_too_short"),
    ("p4_pe_unhandled_select", "NoMatch"),
];
/// Errors of the core library: an exception of such a name is another one.
const CORE: [&str; 7] = [
    "NoError",
    "PacketTooShort",
    "NoMatch",
    "StackOutOfBounds",
    "HeaderTooShort",
    "ParserTimeout",
    "ParserInvalidArgument",
];
/// The exception of a checksum that is wrong, and the one for all that have no handler.
const CHECKSUM: &str = "p4_pe_checksum";
const DEFAULT: &str = "p4_pe_default";

/// The field of metadata that says where packets go on, when more than one control can be the first one.
pub(super) const FIRST: &str = "first_control";

/// What a program's parser needs of the rest.
#[derive(Debug, Default)]
pub(super) struct Parsing {
    /// Controls that it goes on to, in the order of the text.
    pub controls: Vec<Name>,
    /// Exceptions that the program raises itself.
    pub raised: BTreeSet<String>,
    /// The program says something of exceptions.
    pub has_exceptions: bool,
    /// Types of value sets, by where they are used.
    sets: BTreeMap<String, Vec<Word>>,
}

impl Parsing {
    /// The statement that says which control is the first one, where there are several.
    fn choice(&self, control: &str) -> Option<String> {
        let number = self
            .controls
            .iter()
            .position(|known| known.text == control)?;
        (self.controls.len() > 1).then(|| format!("meta.{FIRST} = 8w{number};"))
    }
}

impl<'a> Translator<'a> {
    /// Looks where the parser goes on to.
    pub(super) fn parsing(&mut self) -> Parsing {
        let program = self.program;
        let mut parsing = Parsing {
            has_exceptions: !program.exceptions.is_empty(),
            ..Parsing::default()
        };
        let errors = self.errors.len();
        if !self.known.states.has("start") {
            let error = hardpath_diagnostic::Diagnostic::input(
                "p4-14",
                "there is no parser state `start` (§4)",
            );
            self.tell(error);
        }
        for state in &program.states {
            for target in targets(&state.next) {
                match target {
                    Target::Error(name) => {
                        parsing.has_exceptions = true;
                        parsing.raised.insert(name.text.clone());
                    }
                    Target::Named(name) => self.goes_on_to(name, &mut parsing),
                }
            }
        }
        for handler in &program.exceptions {
            if let Some(control) = &handler.control {
                self.goes_on_to(control, &mut parsing);
            }
        }
        // Names that there are not were told.
        let is_open = parsing.controls.is_empty() && self.errors.len() == errors;
        if let (true, Some(first)) = (is_open, program.states.first()) {
            let _: Result<(), Told> = self.error(
                first.name.span,
                "no parser state goes on to a control (§4.2)",
            );
        }
        parsing
    }

    fn goes_on_to(&mut self, name: &Name, parsing: &mut Parsing) {
        let known = self.known;
        if known.states.has(&name.text) {
            return;
        }
        if !known.controls.has(&name.text) {
            let message = format!("there is no parser state and no control `{}`", name.text);
            let error = self.sources.error("p4-name", name.span, message);
            let all = known.states.names().chain(known.controls.names());
            return self.tell(or_meant(error, &name.text, all));
        }
        if !parsing
            .controls
            .iter()
            .any(|control| control.text == name.text)
        {
            parsing.controls.push(name.clone());
        }
    }

    /// Errors that the program raises.
    pub(super) fn write_errors(&mut self, parsing: &Parsing, writer: &mut Writer) {
        let is_own = |name: &&String| {
            let mut standard = STANDARD.iter();
            !standard.any(|(known, error)| known == name && known != error)
        };
        let raised = parsing.raised.iter().filter(is_own);
        let mut all: Vec<String> = raised.map(|name| error_name(name)).collect();
        let too_short = STANDARD[3].1.to_owned();
        if parsing.has_exceptions && self.has_rest() && !all.contains(&too_short) {
            all.push(too_short);
        }
        if !all.is_empty() {
            writer.line(&format!("error {{ {} }}", all.join(", ")));
            writer.blank();
        }
    }

    /// Some header has a length that varies.
    fn has_rest(&self) -> bool {
        let mut layouts = self.headers.layouts.values();
        layouts.any(|layout| layout.length.is_some())
    }

    /// The parser.
    pub(super) fn parser(&mut self, parsing: &mut Parsing, writer: &mut Writer) {
        let mut states = Writer::default();
        states.indent();
        for state in &self.program.states {
            self.state(state, parsing, &mut states);
        }
        for control in parsing.controls.clone() {
            if let Some(choice) = parsing.choice(&control.text) {
                let name = self
                    .names
                    .of(Kind::First, &format!("first_{}", control.text));
                states.open(&format!("state {name} {{"));
                states.line(&choice);
                states.line("transition accept;");
                states.close();
            }
        }
        for name in &parsing.raised {
            let state = self.names.of(Kind::Raising, &format!("raise_{name}"));
            states.open(&format!("state {state} {{"));
            states.line(&format!("verify(false, error.{});", error_name(name)));
            states.line("transition reject;");
            states.close();
        }
        writer.open(
            "parser ParserImpl(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {",
        );
        for set in &self.program.value_sets {
            // One that nothing uses has no type.
            if let Some(words) = parsing.sets.get(&set.name.text) {
                let words: Vec<String> = words.iter().map(|word| word.text()).collect();
                let of = match &words[..] {
                    [word] => word.clone(),
                    _ => format!("tuple<{}>", words.join(", ")),
                };
                let name = self.names.of(Kind::ValueSet, &set.name.text);
                writer.line(&format!(
                    "@name(\".{}\") value_set<{of}>({}) {name};",
                    set.name.text, set.size
                ));
            }
        }
        writer.append(states);
        writer.close();
    }

    fn state(&mut self, state: &'a State, parsing: &mut Parsing, writer: &mut Writer) {
        let name = self.names.of(Kind::State, &state.name.text);
        writer.open(&format!(
            "{}state {name} {{",
            annotation(&name, &state.name.text)
        ));
        let mut scope = Scope::parser();
        if name == "start" {
            self.beginnings(writer);
        }
        for step in &state.steps {
            // Where one fails, an error says why, and there is no program.
            let _ = self.step(step, parsing, &mut scope, writer);
        }
        match &state.next {
            Next::To(target) => {
                let to = self.target(target, parsing);
                writer.line(&format!("transition {to};"));
            }
            Next::Select(values, cases) => {
                let _ = self.select(values, cases, parsing, &mut scope, writer);
            }
        }
        writer.close();
    }

    /// What metadata begins with, unless a packet comes again and brings it along.
    fn beginnings(&mut self, writer: &mut Writer) {
        let kept = self.kept();
        for instance in &self.program.instances {
            for (field, value) in &instance.begins {
                let reference = Reference {
                    name: instance.name.clone(),
                    index: None,
                };
                let mut scope = Scope::parser();
                let Ok(place) = self.place(&reference, field, &scope) else {
                    continue;
                };
                let Ok(value) = self.value(value, Some(place.word), &mut scope) else {
                    continue;
                };
                let value = self.stored(&value, place.word, place.saturating, &mut scope);
                let assignment = format!("{} = {};", place.text, value.text);
                let key = (instance.name.text.clone(), field.text.clone());
                match kept.contains_key(&key) {
                    true => {
                        writer.open("if (standard_metadata.instance_type == 32w0) {");
                        writer.line(&assignment);
                        writer.close();
                    }
                    false => writer.line(&assignment),
                }
            }
        }
    }

    fn step(
        &mut self,
        step: &Step,
        parsing: &Parsing,
        scope: &mut Scope,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        match step {
            Step::Extract(reference) => self.extract(reference, parsing, scope, writer),
            Step::Set(field, value) => {
                let ExpressionKind::Field(reference, name) = &field.kind else {
                    return Err(Told);
                };
                let place = self.place(reference, name, scope)?;
                if place.header.is_some() {
                    return self.error(
                        field.span,
                        "`set_metadata` sets fields of metadata only (§4.4)",
                    );
                }
                let value = self.value(value, Some(place.word), scope)?;
                let value = self.stored(&value, place.word, place.saturating, scope);
                writer.line(&format!("{} = {};", place.text, value.text));
                Ok(())
            }
        }
    }

    fn extract(
        &mut self,
        reference: &Reference,
        parsing: &Parsing,
        scope: &mut Scope,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        let header = self.one_header(reference, scope)?;
        let span = reference.name.span;
        if header.is_metadata {
            return self.error(
                span,
                "headers only are extracted, and this is metadata (§4.5)",
            );
        }
        if header.text.ends_with(".last") {
            return self.error(span, "the one to extract is `next` (§4.5)");
        }
        match header.layout.fields.iter().find(|field| field.is_rest) {
            None => writer.line(&format!("packet.extract({});", header.text)),
            Some(_) => self.extract_rest(&header, parsing, scope, writer)?,
        }
        let latest = match header.text.strip_suffix(".next") {
            Some(stack) => format!("{stack}.last"),
            None => header.text.clone(),
        };
        scope.latest = Some((header.name.to_owned(), latest));
        Ok(())
    }

    /// A header whose length stands in its own fields: they are looked at before it is taken.
    fn extract_rest(
        &mut self,
        header: &HeaderPlace,
        parsing: &Parsing,
        scope: &mut Scope,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        let Some(length) = &header.layout.length else {
            return Err(Told);
        };
        let word = Word::bits(32);
        let bytes = self.length(length, header, scope)?;
        let bits = self.binary(
            length.span,
            Binary::ShiftLeft,
            bytes,
            Value::number(3),
            Some(word),
            scope,
        )?;
        let bits = self.cast(&bits, word, scope);
        let fixed = literal(&BigInt::from(header.layout.fixed), word, false);
        if parsing.has_exceptions {
            writer.line(&format!(
                "verify({} >= {fixed}, error.{});",
                bits.part(),
                STANDARD[3].1
            ));
        }
        writer.line(&format!(
            "packet.extract({}, {} - {fixed});",
            header.text,
            bits.part()
        ));
        Ok(())
    }

    /// How many bytes a header has, of bits that are still in the packet.
    fn length(
        &mut self,
        length: &Expression,
        header: &HeaderPlace,
        scope: &mut Scope,
    ) -> Result<Value, Told> {
        let word = Some(Word::bits(32));
        match &length.kind {
            ExpressionKind::Named(reference) => {
                let field = header.layout.field(&reference.name.text);
                let field = field.filter(|field| !field.is_rest).ok_or(Told)?;
                let (width, end) = (field.word.width, field.offset + field.word.width);
                let text = match field.offset {
                    0 => format!("packet.lookahead<bit<{width}>>()"),
                    _ => format!("(packet.lookahead<bit<{end}>>())[{}:0]", width - 1),
                };
                Ok(Value::Bits(Text::closed(text), Word::bits(width)))
            }
            ExpressionKind::Binary(operator, left, right) => {
                let left = self.length(left, header, scope)?;
                let right = self.length(right, header, scope)?;
                self.binary(length.span, *operator, left, right, word, scope)
            }
            _ => self.value(length, word, scope),
        }
    }

    // ---- Where states go on

    fn target(&mut self, target: &Target, parsing: &Parsing) -> String {
        match target {
            Target::Error(name) => self
                .names
                .of(Kind::Raising, &format!("raise_{}", name.text)),
            Target::Named(name) if self.known.states.has(&name.text) => {
                self.names.of(Kind::State, &name.text)
            }
            Target::Named(name) => match parsing.choice(&name.text) {
                Some(_) => self.names.of(Kind::First, &format!("first_{}", name.text)),
                None => "accept".into(),
            },
        }
    }

    fn select(
        &mut self,
        values: &[Expression],
        cases: &[Case],
        parsing: &mut Parsing,
        scope: &mut Scope,
        writer: &mut Writer,
    ) -> Result<(), Told> {
        let (mut texts, mut words) = (Vec::new(), Vec::new());
        for value in values {
            let value = self.value(value, None, scope)?;
            let word = Word::bits(value.width().unwrap_or(8));
            texts.push(self.cast(&value, word, scope).text);
            words.push(word);
        }
        writer.open(&format!("transition select({}) {{", texts.join(", ")));
        for case in cases {
            let target = self.target(&case.target, parsing);
            for value in &case.values {
                let Ok(set) = self.case_value(value, &words, parsing) else {
                    continue;
                };
                writer.line(&format!("{set}: {target};"));
            }
            if case.values.is_empty() {
                writer.line(&format!("default: {target};"));
                // The first case that takes a value counts: none behind this one does.
                break;
            }
        }
        writer.close();
        Ok(())
    }

    /// What a case takes. P4_14 puts all values together into one number, P4_16 has a set for each.
    fn case_value(
        &mut self,
        value: &CaseValue,
        words: &[Word],
        parsing: &mut Parsing,
    ) -> Result<String, Told> {
        let (value, mask) = match value {
            CaseValue::Set(name) => {
                let known = self.known;
                self.found(known.value_sets.get(&name.text), |this| {
                    known.value_sets.unknown(this.sources, name)
                })?;
                let before = parsing
                    .sets
                    .entry(name.text.clone())
                    .or_insert_with(|| words.to_vec());
                if before != words {
                    return self.error(
                        name.span,
                        "the value set is used with values of other widths elsewhere (§4.3)",
                    );
                }
                return Ok(self.names.of(Kind::ValueSet, &name.text));
            }
            CaseValue::Value(value, mask) => (value, mask),
        };
        let (number, is_hexadecimal) = self.case_number(value)?;
        let mask = match mask {
            Some(mask) => Some(self.case_number(mask)?.0),
            None => None,
        };
        let mut sets = Vec::new();
        let mut below: u32 = words.iter().map(|word| word.width).sum();
        for word in words {
            below -= word.width;
            let own = |number: &BigInt| number >> below;
            let value = literal(&own(&number), *word, is_hexadecimal);
            let all = literal(&BigInt::from(-1), Word::bits(word.width), true);
            let mask = mask
                .as_ref()
                .map(|mask| literal(&own(mask), Word::bits(word.width), true));
            sets.push(match mask {
                None => value,
                Some(mask) if mask == all => value,
                Some(mask) if mask.ends_with("w0x0") => "_".into(),
                Some(mask) => format!("{value} &&& {mask}"),
            });
        }
        Ok(match &sets[..] {
            [set] => set.clone(),
            _ => format!("({})", sets.join(", ")),
        })
    }

    fn case_number(&mut self, value: &Expression) -> Result<(BigInt, bool), Told> {
        let is_hexadecimal =
            matches!(&value.kind, ExpressionKind::Number(number) if number.hexadecimal);
        match super::values::constant(value) {
            Ok(number) => Ok((number, is_hexadecimal)),
            Err((span, message)) => self.error(span, message),
        }
    }

    // ---- Exceptions

    /// What is done in front of the ingress control, where the parser has ended with an error.
    pub(super) fn handlers(&mut self, parsing: &Parsing, writer: &mut Writer) {
        if !parsing.has_exceptions {
            return;
        }
        let exceptions = &self.program.exceptions;
        let mut begin = "";
        let mut rest = None;
        let mut checksum = None;
        for handler in exceptions {
            match handler.name.text.as_str() {
                DEFAULT => rest = Some(handler),
                CHECKSUM => checksum = Some(handler),
                name if self.can_happen(name, parsing) => {
                    let condition = format!(
                        "standard_metadata.parser_error == error.{}",
                        error_name(name)
                    );
                    self.handler(begin, &condition, Some(handler), parsing, writer);
                    begin = "} else ";
                }
                // Nothing raises it.
                _ => {}
            }
        }
        self.handler(
            begin,
            "standard_metadata.parser_error != error.NoError",
            rest,
            parsing,
            writer,
        );
        let condition = "standard_metadata.checksum_error == 1w1";
        self.handler("} else ", condition, checksum.or(rest), parsing, writer);
        writer.close();
    }

    /// There is an error of this name.
    fn can_happen(&self, name: &str, parsing: &Parsing) -> bool {
        let of_rest = name == STANDARD[3].0 && self.has_rest();
        let is_core = STANDARD
            .iter()
            .any(|(known, error)| *known == name && known != error);
        parsing.raised.contains(name) || of_rest || is_core
    }

    /// One of them: what it sets, or that the packet is dropped.
    fn handler(
        &mut self,
        begin: &str,
        condition: &str,
        handler: Option<&Handler>,
        parsing: &Parsing,
        writer: &mut Writer,
    ) {
        let line = format!("{begin}if ({condition}) {{");
        match begin.is_empty() {
            true => writer.open(&line),
            false => writer.middle(&line),
        }
        let Some((handler, control)) =
            handler.and_then(|handler| Some((handler, handler.control.as_ref()?)))
        else {
            writer.line("mark_to_drop(standard_metadata);");
            writer.line("exit;");
            return;
        };
        let mut scope = Scope::default();
        for step in &handler.steps {
            let _ = match step {
                Step::Set(..) => self.step(step, parsing, &mut scope, writer),
                Step::Extract(header) => {
                    self.error(header.name.span, "exceptions extract nothing (§4.6)")
                }
            };
        }
        if let Some(choice) = parsing.choice(&control.text) {
            writer.line(&choice);
        }
    }
}

/// The error of P4_16 that an exception is.
fn error_name(exception: &str) -> String {
    let mut standard = STANDARD.iter();
    match standard.find(|(name, _)| *name == exception) {
        Some((_, error)) => (*error).to_owned(),
        None => names::field(exception, &CORE.map(str::to_owned).into()),
    }
}

/// Where a state can go on.
pub(super) fn targets(next: &Next) -> Vec<&Target> {
    match next {
        Next::To(target) => vec![target],
        Next::Select(_, cases) => cases.iter().map(|case| &case.target).collect(),
    }
}
