//! Action profiles and selectors (PSA, sections "Action Profile" and "Action Selector"): entries have no rows, but refer to those of members.
//!
//! ```text
//! entry ─► member ──────────────────────────────────────────────► members: the row of an action
//!      └─► group ─► groups: begin and count ─► slots: begin + hash % count ─► member ─┘
//! ```
//!
//! There are twice as many slots as members, so that a group that changes is written to slots that nobody looks at, and changes over with the
//! one word that says where it begins.

use super::layout::Bits;
use super::node::Node;
use super::tables::row_bits;
use super::{ir, Lower, LoweredTable, Made};
use crate::typed;
use crate::types::Type;
use hardpath_ir::{Find, MapDecl};

/// Members that a profile has at most.
const MOST_MEMBERS: u64 = 1 << 16;

/// What an action profile has become.
#[derive(Clone, PartialEq, Debug)]
pub struct LoweredProfile {
    /// The rows of members.
    pub members: ir::MapId,
    /// Of a selector: where groups begin, and how many members they have; and the members of groups.
    pub groups: Option<(ir::MapId, ir::MapId)>,
    /// Bits of a member, and of a group.
    pub bits: u32,
    /// Actions of its members, by their numbers in rows: functions of the program.
    pub actions: Vec<usize>,
    /// How its rows are laid out.
    pub rows: LoweredTable,
}

impl LoweredProfile {
    /// What an entry refers to: a member, or a group.
    pub fn member(&self) -> Bits {
        Bits {
            lo: 0,
            width: self.bits,
        }
    }

    /// It is a group.
    pub fn is_group(&self) -> Bits {
        Bits {
            lo: self.bits,
            width: u32::from(self.groups.is_some()),
        }
    }

    /// Bytes of these in an entry.
    pub fn bytes(&self) -> u32 {
        (self.member().width + self.is_group().width).div_ceil(8)
    }

    /// Where a group begins, among slots.
    pub fn begin(&self) -> Bits {
        Bits {
            lo: 0,
            width: self.bits + 1,
        }
    }

    /// How many members it has.
    pub fn count(&self) -> Bits {
        Bits {
            lo: self.bits + 1,
            width: self.bits + 1,
        }
    }
}

impl Lower<'_> {
    /// What the profile of a table becomes, or has become.
    pub(super) fn make_profile(
        &mut self,
        of: &typed::Table,
        profile: usize,
    ) -> Made<LoweredProfile> {
        if let Some(made) = self.profiles.get(&profile) {
            return Ok(made.clone());
        }
        let members = self.design.members(self.program, profile);
        if !(1..=MOST_MEMBERS).contains(&members) {
            let message = format!(
                "an action profile has 1 to {MOST_MEMBERS} members, and this one wants {members}"
            );
            return self.refuse(of.span, message);
        }
        let members = members as u32;
        let actions = self.design.actions_of(self.program, profile).into_iter();
        let actions: Vec<usize> = actions.map(|(function, _)| function).collect();
        let rows = self.rows_of(&actions);
        let row_bytes = row_bits(&rows).div_ceil(8);
        let bits = (u32::BITS - (members - 1).leading_zeros()).max(1);
        let name = self.design.objects[profile].name.clone();
        let mut array = |name: String, bits: u32, size: u32, outside: &str| {
            let mut decl = MapDecl::new(&name, Find::Array, (4, bits.div_ceil(8).max(1)), size);
            decl.packets_write = false;
            decl.outside = outside.into();
            self.ir.maps.push(decl)
        };
        let cells = array(name.clone(), row_bytes * 8, members, "members");
        let groups = self.design.selects(self.program, profile).then(|| {
            let groups = array(format!("{name}.groups"), 2 * (bits + 1), members, "groups");
            (
                groups,
                array(
                    format!("{name}.slots"),
                    bits,
                    2 * members,
                    "members of groups",
                ),
            )
        });
        let made = LoweredProfile {
            members: cells,
            groups,
            bits,
            actions,
            rows,
        };
        self.profiles.insert(profile, made.clone());
        Ok(made)
    }

    /// The row of a member as a row of a table, which has its own numbers of actions.
    fn row_of_table(
        &mut self,
        place: usize,
        of: &typed::Table,
        made: &LoweredProfile,
        row: ir::Value,
    ) -> ir::Value {
        let own: Vec<usize> = of.actions.iter().map(|listed| listed.action).collect();
        if own == made.actions {
            return row;
        }
        let table = self.tables[place].clone();
        let number = self.slice(row, 0, made.rows.action_bits);
        // One that the table does not have does nothing.
        let mut action = self.number(own.len(), table.action_bits);
        for (at, function) in own.iter().enumerate() {
            if let Some(other) = made.actions.iter().position(|one| one == function) {
                let (is_it, own) = (
                    self.is(number, other as u64),
                    self.number(at, table.action_bits),
                );
                action = self.select(is_it, own, action);
            }
        }
        match row_bits(&table) - table.action_bits {
            0 => action,
            width => {
                let arguments = self.slice(row, made.rows.action_bits, width);
                self.concat(&[arguments, action])
            }
        }
    }

    /// The row of what an entry refers to.
    pub(super) fn row_through(
        &mut self,
        place: usize,
        of: &typed::Table,
        profile: usize,
        reference: ir::Value,
        keys: &[(Node, Type)],
    ) -> Made<ir::Value> {
        let made = self.profiles[&profile].clone();
        let part = |all: &mut Self, of: ir::Value, bits: Bits| all.slice(of, bits.lo, bits.width);
        let mut member = part(self, reference, made.member());
        if let Some((groups, slots)) = made.groups {
            let is_group = part(self, reference, made.is_group());
            let group = self.array_cell(groups, member);
            let (begin, count) = (
                part(self, group, made.begin()),
                part(self, group, made.count()),
            );
            let hash = self.hash_of_keys(of, profile, keys)?;
            let width = self.ir.width(hash).max(made.count().width);
            let (hash, count) = (self.zext(hash, width), self.zext(count, width));
            let rest = self.op(ir::Op::URem, &[hash, count], width);
            let rest = self.zext(rest, made.begin().width);
            let at = self.add(begin, rest);
            let chosen = self.array_cell(slots, at);
            let chosen = self.slice(chosen, 0, made.bits);
            member = self.select(is_group, chosen, member);
        }
        let row = self.array_cell(made.members, member);
        Ok(self.row_of_table(place, of, &made, row))
    }

    /// The hash of the keys that are for the selector, in their order: the last bits that it asks for.
    fn hash_of_keys(
        &mut self,
        of: &typed::Table,
        profile: usize,
        keys: &[(Node, Type)],
    ) -> Made<ir::Value> {
        let keys = of.keys.iter().zip(keys);
        let chosen = keys.filter(|(key, _)| key.kind == typed::SELECTOR);
        let values: Vec<(Node, Type)> = chosen.map(|(_, value)| value.clone()).collect();
        if values.is_empty() {
            let help = "give the table a key of the kind `selector`: it chooses among the members of a group";
            return self.refuse_with(of.span, "nothing goes into the hash of this selector", help);
        }
        let bits = self.data_of(&values, of.span)?;
        let algorithm = self.design.algorithm(self.program, profile);
        let hash = self.hashed(algorithm, bits, of.span)?;
        let width = u32::try_from(self.design.number(profile, 2)).unwrap_or(0);
        Ok(self.zext(hash, width.clamp(1, self.ir.width(hash))))
    }
}
