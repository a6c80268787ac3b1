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
use super::{ir, Lower, LoweredTable, Made};
use crate::source::Span;
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
    /// A table whose rows its members have, by its place in the design.
    pub table: usize,
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
        place: usize,
        of: &typed::Table,
        profile: usize,
        row_bytes: u32,
    ) -> Made<LoweredProfile> {
        if let Some(made) = self.profiles.get(&profile) {
            let other = &self.program.tables[self.design.tables[made.table].table];
            let actions = |of: &typed::Table| -> Vec<usize> {
                of.actions.iter().map(|one| one.action).collect()
            };
            let made = made.clone();
            if actions(other) != actions(of) {
                let message = format!(
                    "tables that share an action profile have the same actions in the same order, and `{}` and `{}` do not",
                    other.name, of.name
                );
                return self.refuse(of.span, message);
            }
            return Ok(made);
        }
        let members = self.design.members(self.program, profile);
        if !(1..=MOST_MEMBERS).contains(&members) {
            let message = format!(
                "an action profile has 1 to {MOST_MEMBERS} members, and this one wants {members}"
            );
            return self.refuse(of.span, message);
        }
        let members = members as u32;
        let bits = (u32::BITS - (members - 1).leading_zeros()).max(1);
        let name = self.design.objects[profile].name.clone();
        let mut array = |name: String, bits: u32, size: u32, outside: &str| {
            let mut decl = MapDecl::new(&name, Find::Array, (4, bits.div_ceil(8).max(1)), size);
            decl.packets_write = false;
            decl.outside = outside.into();
            self.ir.maps.push(decl)
        };
        let rows = array(name.clone(), row_bytes * 8, members, "members");
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
            members: rows,
            groups,
            bits,
            table: place,
        };
        self.profiles.insert(profile, made.clone());
        Ok(made)
    }

    /// The row of what an entry refers to.
    pub(super) fn row_through(
        &mut self,
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
            let group = self.cell_of_array(groups, member);
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
            let chosen = self.cell_of_array(slots, at);
            let chosen = self.slice(chosen, 0, made.bits);
            member = self.select(is_group, chosen, member);
        }
        Ok(self.cell_of_array(made.members, member))
    }

    fn cell_of_array(&mut self, map: ir::MapId, index: ir::Value) -> ir::Value {
        let (index, zero) = (self.zext(index, 32), self.number(0u32, 32));
        let bytes = self.ir.maps[map].value_bytes;
        let found = self.effect(ir::Op::MapLookup(map), &[index], &[1, 32]);
        self.effect(ir::Op::MapLoad(map), &[found[1], zero], &[bytes * 8])[0]
    }

    /// The hash of the keys that are for the selector, in their order: the last bits that it asks for.
    fn hash_of_keys(
        &mut self,
        of: &typed::Table,
        profile: usize,
        keys: &[(Node, Type)],
    ) -> Made<ir::Value> {
        let mut pieces = Vec::new();
        let mut span: Option<Span> = None;
        for (key, (node, of)) in of.keys.iter().zip(keys) {
            if key.kind == typed::SELECTOR {
                span.get_or_insert(key.value.span);
                self.pieces(node, of, &mut pieces, &mut None);
            }
        }
        let Some(span) = span else {
            let help = "give the table a key of the kind `selector`: it chooses among the members of a group";
            return self.refuse_with(of.span, "nothing goes into the hash of this selector", help);
        };
        let bits = self.concat(&pieces);
        let bits = self.zext(bits, self.ir.width(bits).div_ceil(8) * 8);
        let algorithm = self.design.algorithm(self.program, profile);
        let hash = self.hashed(algorithm, bits, span)?;
        let width = u32::try_from(self.design.number(profile, 2)).unwrap_or(0);
        Ok(self.zext(hash, width.clamp(1, self.ir.width(hash))))
    }
}

impl LoweredTable {
    /// Bytes of the value of an entry.
    pub fn entry_bytes(&self, profile: Option<&LoweredProfile>) -> u32 {
        let behind = match profile {
            Some(profile) => profile.bytes(),
            None => super::tables::row_bits(self).div_ceil(8),
        };
        self.front_bytes() + behind
    }
}
