//! What is right as it stands and was hardly meant: warnings, of the user's own files alone.

use super::Checker;
use crate::ast;
use crate::library;
use crate::source::Span;
use crate::types::Type;
use crate::value::{wrap, Value};
use hardpath_diagnostic::{suggest, Diagnostic};
use num_bigint::{BigInt, Sign};

const CODE: &str = "p4-doubtful";

/// Annotations that the language, P4Runtime and compilers know (P4_16 §20, appendix "Annotations"; P4Info).
const ANNOTATIONS: [&str; 39] = [
    "action_restriction",
    "atomic",
    "brief",
    "controller_header",
    "default_only",
    "defaultonly",
    "deprecated",
    "description",
    "entry_restriction",
    "format",
    "hardpath_extern",
    "hardpath_package",
    "hardpath_range",
    "hardpath_share",
    "hardpath_table",
    "hidden",
    "id",
    "likely",
    "match",
    "max_group_size",
    "max_member_weight",
    "name",
    "noSideEffects",
    "noWarn",
    "nounroll",
    "oneshot",
    "optional",
    "p4runtime_translation",
    "p4runtime_translation_mappings",
    "pkginfo",
    "platform_property",
    "pragma",
    "priority",
    "pure",
    "referenced_by",
    "refers_to",
    "tableonly",
    "unlikely",
    "unroll",
];

/// Properties of tables: those of the language (§14.2.1), and of the architectures.
const PROPERTIES: [&str; 26] = [
    "actions",
    "add_on_miss",
    "counters",
    "default_action",
    "default_idle_timeout_for_data_plane",
    "entries",
    "idle_timeout_with_auto_delete",
    "implementation",
    "key",
    "largest_priority_wins",
    "meters",
    "nic_direct_counter",
    "pna_direct_counter",
    "pna_direct_meter",
    "pna_empty_group_action",
    "pna_idle_timeout",
    "pna_implementation",
    "priority_delta",
    "psa_direct_counter",
    "psa_direct_meter",
    "psa_empty_group_action",
    "psa_idle_timeout",
    "psa_implementation",
    "registers",
    "size",
    "support_timeout",
];

impl<'a> Checker<'a> {
    /// It stands in a file of who wrote the program.
    pub(super) fn is_of_user(&self, span: Span) -> bool {
        !library::is_own(&self.sources.file(span.file).name)
    }

    pub(super) fn doubt(&mut self, span: Span, message: String, help: String) {
        if self.is_of_user(span) {
            let warning = Diagnostic::warning(CODE, message).at(self.sources.place(span));
            self.told.warnings.push(warning.help(help));
        }
    }

    /// An annotation whose name nobody knows, and is nearly that of one that has a meaning.
    pub(super) fn doubt_annotation(&mut self, name: &ast::Name) {
        if let Some(near) = suggest::mistyped(&name.text, ANNOTATIONS) {
            let message = format!(
                "nobody knows the annotation `@{}`: it does nothing",
                name.text
            );
            self.doubt(name.span, message, format!("did you mean `@{near}`?"));
        }
    }

    /// The same of a property of a table.
    pub(super) fn doubt_property(&mut self, name: &ast::Name) {
        if let Some(near) = suggest::mistyped(&name.text, PROPERTIES) {
            let message = format!("nobody knows the property `{}`: it does nothing", name.text);
            self.doubt(name.span, message, format!("did you mean `{near}`?"));
        }
    }

    /// §8.9, §8.11: a number that a type has no room for loses its upper bits.
    pub(super) fn doubt_number(&mut self, number: &BigInt, to: &Type, span: Span) {
        let (width, is_signed) = match self.types().number_type(to) {
            Type::Bit(width) => (*width, false),
            Type::Int(width) => (*width, true),
            _ => return,
        };
        let becomes = wrap(number.clone(), width, is_signed);
        if becomes == *number {
            return;
        }
        let of = self.types().text(to);
        let message = match number.sign() {
            Sign::Minus if !is_signed => format!("{of} has no sign: {number} becomes {becomes}"),
            _ => format!("{of} has no room for {number}: it becomes {becomes}"),
        };
        let help = match number.sign() {
            Sign::Minus if !is_signed => format!("write {becomes}, if that is meant"),
            _ => "write a number that fits, or say more bits".to_owned(),
        };
        self.doubt(span, message, help);
    }

    /// The same of a value that is cast.
    pub(super) fn doubt_cast(&mut self, value: &Value, from: &Type, to: &Type, span: Span) {
        if let (Value::Number(number), Type::Integer) = (value, from) {
            self.doubt_number(number, to, span);
        }
    }

    /// §13.5: a state that does not say where it goes rejects.
    pub(super) fn doubt_state(&mut self, name: &ast::Name) {
        let message = format!(
            "the state `{}` has no `transition`: packets are rejected there",
            name.text
        );
        let help = "write `transition accept;` where they go on, or `transition reject;`";
        self.doubt(name.span, message, help.to_owned());
    }
}
