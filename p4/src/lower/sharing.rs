//! Tables that share a memory, since no packet applies two of them: what `@hardpath_share("…")` in front of tables asks for.
//!
//! They become one table of the IR. Above the fields of the widest key stands the number of the table, and a value has room for the widest:
//!
//! ```text
//! v4: 32 bits, 1024 entries     v6: 128 bits, 512 entries    →    1536 entries     key: 0 | 0...0 | v4      value: row of v4
//!                                                                                       1 |   v6                   row of v6
//! ```
//!
//! Packets look up one key, whichever table they apply. How many entries each table has is a matter of who puts them there: the memory has
//! room for all of them.

use super::finding::{self, Finding};
use super::layout::Bits;
use super::{ir, Lower, Made};
use crate::check::text_of;
use crate::design::joined;
use crate::interpreter::learns;
use crate::source::Span;
use crate::typed;
use hardpath_ir::MapDecl;

/// In front of a table: the memory that it shares.
pub(crate) const ANNOTATION: &str = "hardpath_share";

/// What tells the entries of a table from others of its memory: a number above the fields of the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The number of the table.
    pub number: u32,
    /// Where it stands in the key.
    pub bits: Bits,
    /// Entries that the table has at most.
    pub most: u32,
}

/// Tables that ask for the same memory.
pub(super) struct Group {
    /// The name of the memory.
    pub name: String,
    /// By their places in the design.
    pub tables: Vec<usize>,
    /// The table of the IR, when one of them was applied.
    made: Option<ir::MapId>,
    /// Where keys have the number of the table.
    bits: Bits,
}

/// A memory that tables share.
#[derive(Clone, PartialEq, Debug)]
pub struct Shared {
    /// Its name.
    pub name: String,
    /// The table of the IR.
    pub map: MapDecl,
    /// The tables, by their places in the design, and what each would be alone.
    pub tables: Vec<(usize, MapDecl)>,
}

impl Group {
    /// The memory of a table.
    pub fn of(groups: &[Group], table: usize) -> Option<&Group> {
        groups.iter().find(|group| group.tables.contains(&table))
    }
}

impl Lower<'_> {
    /// Finds the tables that ask for the same memory, and refuses those that cannot have it.
    pub(super) fn find_groups(&mut self) {
        let mut groups: Vec<Group> = Vec::new();
        for (place, table) in self.design.tables.iter().enumerate() {
            let of = self.design.table_of(self.program, place);
            let Some(span) = asks(of) else { continue };
            let word = text_of(&of.annotations, ANNOTATION).unwrap_or_default();
            let name = joined(&self.design.objects[table.object].name, &word);
            if let Err(why) = self.may_share(place, &word, &name) {
                let table = &of.name;
                let message = format!("`{table}` cannot share the memory \"{word}\": {why}");
                let help =
                    format!("take `@{ANNOTATION}` away: then the table has a memory of its own");
                let _ = self.refuse_with::<()>(span, message, help);
                continue;
            }
            match groups.iter_mut().find(|group| group.name == name) {
                Some(group) => group.tables.push(place),
                None => groups.push(Group {
                    name,
                    tables: vec![place],
                    made: None,
                    bits: Bits { lo: 0, width: 0 },
                }),
            }
        }
        for group in groups.iter().filter(|group| group.tables.len() == 1) {
            if self.errors.is_empty() {
                self.refuse_alone(group.tables[0]);
            }
        }
        self.groups = groups;
    }

    /// A table of whose memory no other one wants a part.
    fn refuse_alone(&mut self, place: usize) {
        let (program, design) = (self.program, self.design);
        let of = design.table_of(program, place);
        let span = asks(of).unwrap_or(of.span);
        let word = text_of(&of.annotations, ANNOTATION).unwrap_or_default();
        let message = format!(
            "no other table of this control shares the memory \"{word}\" with `{}`",
            of.name
        );
        let mut others = (0..design.tables.len()).filter(|other| *other != place);
        let other = others.find(|other| {
            let of = design.table_of(program, *other);
            text_of(&of.annotations, ANNOTATION).as_deref() == Some(word.as_str())
        });
        let help =
            "tables that share a memory stand in one control, with the same word in front of each";
        let _ = match other {
            Some(other) => {
                let of = design.table_of(program, other);
                let place = self.sources.place(asks(of).unwrap_or(of.span));
                self.refuse_beside::<()>(
                    span,
                    message,
                    (place, "this one is of another control"),
                    help,
                )
            }
            None => self.refuse_with::<()>(span, message, help),
        };
    }

    /// Why a table cannot have a part of a memory of this word and name.
    fn may_share(&self, place: usize, word: &str, name: &str) -> Result<(), String> {
        let (program, design) = (self.program, self.design);
        let of = design.table_of(program, place);
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if word.is_empty() || !word.chars().all(is_letter) {
            return Err("its name is a word of letters, digits and `_`".into());
        }
        let mut objects = design.objects.iter().map(|object| &object.name);
        let mut tables = design.tables.iter().map(|table| &table.name);
        if objects.any(|other| other == name) || tables.any(|other| other == name) {
            return Err(format!("`{name}` is something else already"));
        }
        if of.keys.is_empty() {
            return Err("it has no keys".into());
        }
        let mut bits = of.keys.iter().map(|key| self.width(&key.value.of));
        if bits.all(|bits| bits == 0) {
            return Err("its keys have no bits".into());
        }
        if of.entries_are_constant {
            return Err("its entries are constant, which are logic and take no memory".into());
        }
        if let Some(key) = of.keys.iter().find(|key| key.kind != "exact") {
            let kind = &key.kind;
            return Err(format!("one of its keys is `{kind}`, and only hash tables are shared, whose keys are exact"));
        }
        let way = text_of(&of.annotations, finding::ANNOTATION);
        if let Some(way) = way.filter(|way| way != Finding::Hash.word()) {
            return Err(format!(
                "it finds its entries by `{way}`, and only hash tables are shared"
            ));
        }
        if learns(of) {
            return Err("packets add entries to it, so nobody could count how many it has".into());
        }
        if design.profile(program, place).is_some() {
            return Err("its entries go through an action profile".into());
        }
        if design.idle(program, place).is_some() {
            return Err("its entries have timeouts".into());
        }
        Ok(())
    }

    /// The table of the IR that a table shares, and its part of that; `None`: it has one of its own.
    ///
    /// # Errors
    /// One of the tables cannot be a hash table.
    pub(super) fn shared_map(&mut self, place: usize) -> Made<Option<(ir::MapId, Share)>> {
        let Some(at) = self
            .groups
            .iter()
            .position(|group| group.tables.contains(&place))
        else {
            return Ok(None);
        };
        let map = match self.groups[at].made {
            Some(map) => map,
            None => self.make_shared(at)?,
        };
        let group = &self.groups[at];
        let number = group.tables.iter().position(|table| *table == place);
        let of = self.design.table_of(self.program, place);
        let most = self.wanted_size(place, of).unwrap_or(finding::USUAL);
        let share = Share {
            number: number.unwrap_or(0) as u32,
            bits: group.bits,
            most: u32::try_from(most).unwrap_or(u32::MAX),
        };
        Ok(Some((map, share)))
    }

    fn make_shared(&mut self, at: usize) -> Made<ir::MapId> {
        let (program, design) = (self.program, self.design);
        let places = self.groups[at].tables.clone();
        let (mut tables, mut hashed) = (Vec::new(), Vec::new());
        let mut key_bits = 0;
        for place in &places {
            let of = design.table_of(program, *place);
            let made = self.begun(*place, of);
            let asked = self.wishes(*place, of, &made, super::tables::row_bits(&made));
            let decl = |finding: Finding| finding.decl(&design.tables[*place].name, &asked);
            let is_said = text_of(&of.annotations, finding::ANNOTATION).is_some();
            let alone = match is_said {
                true => Finding::Hash,
                false => asked.choose().0,
            };
            match decl(Finding::Hash).and_then(|hash| Ok((hash, decl(alone)?))) {
                Ok((hash, alone)) => {
                    hashed.push((hash, made.counts));
                    tables.push((*place, alone));
                }
                Err(message) => return self.refuse(of.span, message),
            }
            key_bits = key_bits.max(asked.key_bits());
        }
        let bits = Bits {
            lo: key_bits,
            width: u32::BITS - (places.len() as u32 - 1).leading_zeros(),
        };
        let map = one_of(&self.groups[at].name, &hashed, bits);
        self.shared.push(Shared {
            name: map.name.clone(),
            map: map.clone(),
            tables,
        });
        let map = self.ir.maps.push(map);
        let group = &mut self.groups[at];
        (group.made, group.bits) = (Some(map), bits);
        Ok(map)
    }

    /// The name of a table in its control.
    pub(super) fn own_name(&self, place: usize) -> &str {
        &self.design.table_of(self.program, place).name
    }

    /// The key of a table, as its memory has it.
    pub(super) fn tagged(&mut self, key: ir::Value, share: Share, bytes: u32) -> ir::Value {
        let key = self.zext(key, share.bits.lo);
        let number = self.number(share.number, share.bits.width);
        let key = self.concat(&[number, key]);
        self.zext(key, bytes * 8)
    }
}

/// Where a table asks to share a memory.
fn asks(of: &typed::Table) -> Option<Span> {
    let mut annotations = of.annotations.iter();
    let said = annotations.rfind(|one| one.name.text == ANNOTATION);
    said.map(|said| said.name.span)
}

/// One table of several, each with whether packets write its values.
fn one_of(name: &str, all: &[(MapDecl, bool)], number: Bits) -> MapDecl {
    let most = |bytes: fn(&MapDecl) -> u32| all.iter().map(|(decl, _)| bytes(decl)).max();
    let sizes = all.iter().map(|(decl, _)| decl.max_entries);
    let mut decl = all[0].0.clone();
    decl.name = name.to_owned();
    decl.outside = "shared table".into();
    decl.key_bytes = (number.lo + number.width).div_ceil(8);
    decl.value_bytes = most(|decl| decl.value_bytes).unwrap_or(1);
    decl.max_entries = sizes.fold(0, u32::saturating_add);
    decl.packets_write = all.iter().any(|(_, writes)| *writes);
    decl
}
