//! Tables whose entries have timeouts: each architecture has a property of its own for that.

use super::{evaluate, Design, Known};
use crate::idle::Idle;
use crate::typed::Program;
use crate::types::Type;
use crate::value::Value;

impl Design {
    /// What becomes of entries of a table that nobody finds for a while; `None`: they stay, and nobody is told.
    pub fn idle(&self, program: &Program, table: usize) -> Option<Idle> {
        let all = self.timeout_properties(program).iter();
        let mut all = all.filter_map(|name| self.said_of_idle(program, table, name));
        all.next().flatten()
    }

    /// Properties that say it: P4_16 for v1model, PSA 1.2 (section "Table entry timeout notification"), PNA 0.7; all others have v1model's.
    fn timeout_properties(&self, program: &Program) -> &'static [&'static str] {
        match self.package_name(program) {
            "PSA_Switch" => &["psa_idle_timeout"],
            "PNA_NIC" => &[
                "pna_idle_timeout",
                "psa_idle_timeout",
                "idle_timeout_with_auto_delete",
            ],
            _ => &["support_timeout"],
        }
    }

    /// What a property says; nothing where a table does not have it.
    fn said_of_idle(&self, program: &Program, table: usize, name: &str) -> Option<Option<Idle>> {
        let place = &self.tables[table];
        let property = program.tables[place.table].property(name)?;
        let made = &self.objects[place.object].made;
        let Ok(Known::Value(value)) = evaluate(program, &property.value, made) else {
            return None;
        };
        Some(match value {
            Value::Bool(true) if name == "idle_timeout_with_auto_delete" => Some(Idle::Delete),
            Value::Bool(true) => Some(Idle::Notify),
            Value::Member(member) => match program.types.member_name(&property.value.of, member) {
                Some("NOTIFY_CONTROL") => Some(Idle::Notify),
                Some("AUTO_DELETE") => Some(Idle::Delete),
                _ => None,
            },
            _ => None,
        })
    }

    /// The package that `main` is one of.
    fn package_name<'p>(&self, program: &'p Program) -> &'p str {
        match self.objects[self.main].of {
            Type::Object(number, _) => &program.objects[number].name,
            _ => "",
        }
    }
}
