//! Names that nobody declares: which one may have been meant, and which file declares it that the program does not include.

use super::{Checker, Entity, Place};
use crate::ast::{self, Binary, DeclarationKind};
use crate::library;
use crate::preprocess::{self, Options};
use crate::source::Sources;
use crate::source::Span;
use crate::typed::Expression;
use crate::types::{ObjectKind, Type};
use hardpath_diagnostic::{suggest, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What a name has to stand for where it is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Type,
    Value,
    Action,
    Called,
    State,
}

impl Wanted {
    /// Whether this may have been meant. Where nothing that fits is like the name, all others are asked.
    fn takes(self, entity: &Entity) -> bool {
        match self {
            Wanted::Type => matches!(
                entity,
                Entity::Type(_) | Entity::Generic(_) | Entity::Object(_)
            ),
            Wanted::Value => matches!(
                entity,
                Entity::Constant(..) | Entity::Variable(_) | Entity::Instance(_) | Entity::Table(_)
            ),
            Wanted::Action => matches!(entity, Entity::Action(_)),
            Wanted::Called => matches!(entity, Entity::Action(_) | Entity::Functions(_)),
            Wanted::State => matches!(entity, Entity::State(_)),
        }
    }
}

/// Types of C and of other languages, with those that are meant.
const FOREIGN: [(&str, &str); 20] = [
    ("uint8_t", "bit<8>"),
    ("uint16_t", "bit<16>"),
    ("uint32_t", "bit<32>"),
    ("uint64_t", "bit<64>"),
    ("int8_t", "int<8>"),
    ("int16_t", "int<16>"),
    ("int32_t", "int<32>"),
    ("int64_t", "int<64>"),
    ("u8", "bit<8>"),
    ("u16", "bit<16>"),
    ("u32", "bit<32>"),
    ("u64", "bit<64>"),
    ("uint", "bit<32>"),
    ("unsigned", "bit<32>"),
    ("char", "bit<8>"),
    ("byte", "bit<8>"),
    ("short", "bit<16>"),
    ("long", "bit<64>"),
    ("boolean", "bool"),
    ("_Bool", "bool"),
];

/// What other languages say, P4_14 among them, and how it is written.
const HABITS: [(&str, &str); 8] = [
    (
        "goto",
        "a state of a parser goes on with `transition NEXT;`, and nothing else jumps",
    ),
    ("valid", "whether a header is valid: `hdr.x.isValid()`"),
    ("True", "it is written `true`"),
    ("TRUE", "it is written `true`"),
    ("False", "it is written `false`"),
    ("FALSE", "it is written `false`"),
    (
        "NULL",
        "there are no pointers; what a number begins with is `0`",
    ),
    (
        "null",
        "there are no pointers; what a number begins with is `0`",
    ),
];

/// The type that is meant by one of another language.
pub(crate) fn foreign(name: &str) -> Option<&'static str> {
    let mut all = FOREIGN.iter();
    all.find(|(known, _)| *known == name)
        .map(|(_, meant)| *meant)
}

impl<'a> Checker<'a> {
    /// Tells that a name is not declared, and what can be done. Where a file is missing that declares it, that is told once, whatever else
    /// of it the program uses; and a name once in its scope.
    pub(super) fn undeclared(&mut self, path: &ast::Path, wanted: Wanted) {
        let name = &path.name;
        let scope = self.scopes.last_mut().expect("there is one");
        scope.insert(name.text.clone(), (Entity::Wrong, name.span));
        let files = self.declaring(&name.text);
        if files.iter().any(|file| self.missing.contains(file)) {
            return;
        }
        let message = format!("`{}` is not declared", name.text);
        let error = self.sources.error("p4-name", name.span, message);
        let error = match files.first() {
            Some(file) => {
                self.missing.insert(file);
                error.help(format!("{file} declares it: `#include <{file}>`"))
            }
            None => self.helped(error, name, wanted),
        };
        self.errors.push(error);
    }

    fn helped(&self, error: Diagnostic, name: &ast::Name, wanted: Wanted) -> Diagnostic {
        if let Some(further) = self.further_down(name) {
            let is_inside = name.span.file == further.file && name.span.start > further.start;
            let help = match is_inside {
                true => "nothing calls itself in P4",
                false => "a name is known behind its declaration: move that up",
            };
            let error = error.label(self.sources.place(further), "it is declared here");
            return error.help(help);
        }
        let types = self.types();
        if wanted == Wanted::Type {
            if let Some(meant) = foreign(&name.text) {
                return error.help(format!("numbers have a width in P4: `{meant}`"));
            }
        }
        if let Some((_, help)) = HABITS.iter().find(|(habit, _)| *habit == name.text) {
            return error.help(*help);
        }
        if types.errors.contains(&name.text) {
            return error.help(format!("errors are written `error.{}`", name.text));
        }
        let mut enums = types.enums.iter();
        let of = enums.find(|one| one.members.iter().any(|(member, _)| *member == name.text));
        if let Some(of) = of {
            return error.help(format!("members are written `{}.{}`", of.name, name.text));
        }
        match self.near_name(&name.text, wanted) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }
    }

    fn near_name(&self, name: &str, wanted: Wanted) -> Option<String> {
        let all = || self.scopes.iter().flatten();
        let fitting = all().filter(|(_, (entity, _))| wanted.takes(entity));
        let ends: &[&str] = match wanted {
            Wanted::State => &["accept", "reject"],
            _ => &[],
        };
        let fitting = fitting
            .map(|(known, _)| known.as_str())
            .chain(ends.iter().copied());
        let others = all().filter(|(_, (entity, _))| match entity {
            Entity::Wrong => false,
            // What is made of an extern has a name of its own.
            Entity::Object(number) => self.told.objects[*number].kind != ObjectKind::Extern,
            _ => true,
        });
        let others = others.map(|(known, _)| known.as_str());
        let is_state = wanted == Wanted::State;
        let near = suggest::nearest(name, fitting);
        let near = near.or_else(|| suggest::nearest(name, others).filter(|_| !is_state));
        near.map(str::to_owned)
    }

    /// The files of ours that declare a name and may be what is missing, the likeliest first.
    fn declaring(&self, name: &str) -> Vec<&'static str> {
        let core = "core.p4";
        if declares(core, name) {
            return vec![core];
        }
        // Whoever has an architecture needs no other one.
        let mut included = self.sources.names().filter_map(library::name_of);
        if included.any(|file| file != core) {
            return Vec::new();
        }
        let usual = "v1model.p4";
        if declares(usual, name) {
            return vec![usual];
        }
        // Those in folders are other forms of the same.
        let mut files = library::names().filter(|file| !file.contains('/'));
        files
            .find(|file| declares(file, name))
            .into_iter()
            .collect()
    }

    /// Where a name of this block, or of the program, is declared behind the place that uses it, or around it.
    fn further_down(&self, name: &ast::Name) -> Option<Span> {
        let all = &self.program.declarations;
        let around = all.iter().find(|one| {
            one.span.file == name.span.file
                && one.span.start <= name.span.start
                && name.span.end <= one.span.end
        });
        let inner = around.map_or(&[][..], |one| match &one.kind {
            DeclarationKind::Control(_, Some(control)) => &control.locals[..],
            DeclarationKind::Parser(_, Some(parser)) => &parser.locals[..],
            _ => &[],
        });
        let mut found = inner.iter().chain(all).filter_map(declared);
        found.find(|one| one.text == name.text).map(|one| one.span)
    }

    /// Help with a method or a field that something does not have.
    pub(super) fn no_such(&mut self, message: String, name: &ast::Name, known: &[&str]) {
        let near = match name.text.to_lowercase().as_str() {
            "valid" | "is_valid" => known.iter().copied().find(|one| one.starts_with("isValid")),
            _ => suggest::nearest(&name.text, known.iter().copied()),
        };
        let error = self.sources.error("p4-name", name.span, message);
        self.errors.push(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None if known.is_empty() || known.len() > 12 => error,
            None => error.help(format!("it has {}", known.join(", "))),
        });
    }

    /// There is no such match kind.
    pub(super) fn no_match_kind(&mut self, name: &ast::Name) {
        let core = "core.p4";
        let is_known = declares(core, &name.text);
        if is_known && self.missing.contains(core) {
            return;
        }
        let message = format!("there is no match kind `{}`", name.text);
        let error = self.sources.error("p4-name", name.span, message);
        let kinds: Vec<&str> = self
            .types()
            .match_kinds
            .iter()
            .map(String::as_str)
            .collect();
        let help =
            match suggest::nearest(&name.text, kinds.iter().copied()).or(near_kind(&name.text)) {
                _ if is_known => format!("{core} declares it: `#include <{core}>`"),
                Some(near) if kinds.contains(&near) => format!("did you mean `{near}`?"),
                _ => format!("there are {}", kinds.join(", ")),
            };
        self.errors.push(error.help(help));
        if is_known {
            self.missing.insert(core);
        }
    }

    /// Tells that something is written to what takes nothing, once of each parameter.
    pub(super) fn not_written(&mut self, number: usize, what: &str, help: &str, span: Span) {
        if !self.not_written.insert(number) {
            return;
        }
        let message = format!(
            "`{}` is {what}: nothing is written to it",
            self.told.variables[number].name
        );
        let error = self.sources.error("p4-statement", span, message);
        self.errors.push(match help.is_empty() {
            true => error,
            false => error.help(help),
        });
    }

    /// What may have been meant by an operator that does not take these.
    pub(super) fn other_operator(
        &self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Option<String> {
        match (operator, &left.of, &right.of) {
            (Binary::BitAnd, Type::Bool, _) | (Binary::BitAnd, _, Type::Bool) => {
                Some("`&&` joins conditions".into())
            }
            (Binary::BitOr, Type::Bool, _) | (Binary::BitOr, _, Type::Bool) => {
                Some("`||` joins conditions".into())
            }
            (_, Type::Bit(one), Type::Bit(other)) if one != other => {
                let most = one.max(other);
                let help = format!(
                    "both sides have one width: `(bit<{most}>)` in front of the narrower one casts"
                );
                Some(help)
            }
            (_, Type::Bit(_), Type::Int(_)) | (_, Type::Int(_), Type::Bit(_)) => {
                Some("one of them has a sign: cast it, as `(bit<8>)x`".into())
            }
            _ => None,
        }
    }

    /// What to do about a parameter without a direction.
    pub(super) fn undirected(&self, of: &Type) -> &'static str {
        // No table gives an action a whole struct.
        match (self.inside.place, of) {
            (Place::Action, Type::Bit(_) | Type::Int(_) | Type::Bool) => {
                "what a table gives an action stays as it is: copy it into a variable"
            }
            _ => "what is changed has a direction: `inout`",
        }
    }

    /// What to do where a value of one type stands and one of another is wanted.
    pub(super) fn way_out(&self, is: &Type, wanted: &Type) -> Option<String> {
        match (is, wanted) {
            (Type::Bit(1), Type::Bool) => Some("compare it: `… == 1`".into()),
            (Type::Bit(_) | Type::Int(_) | Type::Integer, Type::Bool) => {
                Some("compare it: `… != 0`".into())
            }
            (Type::Text, Type::Bit(_)) => Some(
                "texts are no values: addresses are numbers, as `0x0a000001` for 10.0.0.1".into(),
            ),
            _ => None,
        }
    }
}

/// Match kinds by what other languages call them.
fn near_kind(name: &str) -> Option<&'static str> {
    match name {
        "prefix" | "longest_prefix" => Some("lpm"),
        "mask" | "masked" | "tcam" | "wildcard" => Some("ternary"),
        "hash" | "equal" => Some("exact"),
        "lmp" | "pml" => Some("lpm"),
        _ => None,
    }
}

/// Whether a file of ours declares a name, itself or in a part of it that is no file for programs.
fn declares(file: &str, name: &str) -> bool {
    /// By file. They never change, and a source may have many names that nobody declares.
    static DECLARED: LazyLock<BTreeMap<&str, BTreeSet<String>>> = LazyLock::new(|| {
        library::names()
            .map(|file| (file, names_of(file)))
            .collect()
    });
    DECLARED.get(file).is_some_and(|names| names.contains(name))
}

/// What a file of ours declares.
fn names_of(file: &str) -> BTreeSet<String> {
    let mut sources = Sources::default();
    let number = sources.add(file, library::file(file).unwrap_or_default());
    let tokens = preprocess::run(&mut sources, number, &Options::default());
    let program = tokens.and_then(|tokens| crate::parser::program(&sources, &tokens));
    let Ok(program) = program else {
        return BTreeSet::new();
    };
    let core = library::shown("core.p4");
    let own = program.declarations.iter();
    let own = own.filter(|one| sources.file(one.span.file).name != core);
    let names = own.flat_map(|one| match &one.kind {
        DeclarationKind::MatchKinds(kinds) => kinds.iter().collect(),
        _ => Vec::from_iter(declared(one)),
    });
    names.map(|name| name.text.clone()).collect()
}

/// The name that a declaration makes known.
fn declared(one: &ast::Declaration) -> Option<&ast::Name> {
    Some(match &one.kind {
        DeclarationKind::Variable(variable) => &variable.name,
        DeclarationKind::Instance(instance) => &instance.name,
        DeclarationKind::Header(name, ..)
        | DeclarationKind::Union(name, ..)
        | DeclarationKind::Struct(name, ..)
        | DeclarationKind::Enum(_, name, _)
        | DeclarationKind::Alias(_, name)
        | DeclarationKind::NewType(_, name)
        | DeclarationKind::Extern(name, ..)
        | DeclarationKind::Action(name, ..)
        | DeclarationKind::Table(name, ..) => name,
        DeclarationKind::Function(function) => &function.head.name,
        DeclarationKind::Parser(head, _)
        | DeclarationKind::Control(head, _)
        | DeclarationKind::Package(head) => &head.name,
        _ => return None,
    })
}
