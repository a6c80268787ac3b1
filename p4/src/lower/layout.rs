//! Where fields stand in the keys and values of the tables of the IR: what a host writes for an entry of a table, a default action or a
//! cell of an array. Entries are written by these places ([`control`](super::control)), and the folder of a design tells them.
//!
//! A value is one number, its lowest byte first. The fields of a key are one number, too, whose bytes follow each other in an order that
//! depends on how entries are found:
//!
//! ```text
//! exact      key:    fields, the first one lowest; lowest byte first
//! one prefix key:    length (4 bytes, lowest first), fields, the prefix behind the others; highest byte first
//! masks      key:    fields as of exact, masks at the same places, priority (4 bytes, lowest first)
//! shared     key:    fields as of exact, above those of the widest key the number of the table
//! all        value:  [packets, bytes,] [last found,] [cell of a meter,] number of the action, its arguments
//! ```

mod parts;

pub(super) use parts::packed_width;

use self::parts::{buckets, cell, members, pair, placed, rates};
use super::finding::Finding;
use super::idle::TIME_BYTES;
use super::profiles::LoweredProfile;
use super::sharing::Share;
use super::tables::{CELL_BYTES, COUNT_BYTES};
use super::{ir, Lowered, LoweredTable};
use crate::control::key_name;
use crate::design::{joined, name_of, Design};
use crate::interpreter::TableState;
use crate::p4info::Message;
use crate::p4runtime::Known;
use crate::typed::{self, Program};
use hardpath_ir::Find;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// What is added to a priority of P4Runtime, so that those below zero have a place.
pub const PRIORITY_OFFSET: u32 = 1 << 31;
/// The field of an entry that keeps when it was last found.
const LAST_FOUND: &str = "last_found";
/// The field that says whether an entry stands in the place of its key.
const IS_THERE: &str = "is_there";
/// Bytes of a prefix's length.
pub const LENGTH_BYTES: u32 = 4;

/// Keys and values of a table of the IR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The name of the table of the IR.
    pub map: String,
    /// What stands in it.
    pub holds: Holds,
    /// Whose it is: the name of a table, a register, a counter or a value set.
    pub owner: Named,
    /// The key of an entry.
    pub key: Key,
    /// The value: fields that stand in each of them.
    pub fields: Vec<Field>,
    /// What stands behind these, by the number of the action; empty: of no table.
    pub actions: Vec<Action>,
    /// Of entries: the action profile that they go through.
    pub profile: Option<String>,
    /// Of entries: the meter of which each has a cell.
    pub meter: Option<String>,
    /// Of entries: the counter that counts by these cells.
    pub counter: Option<String>,
    /// Of groups: how many members one has at most.
    pub largest_group: Option<u32>,
    /// Of entries: keys of those that the program keeps as they are.
    pub kept: Vec<Vec<u8>>,
}

/// What a table of the IR is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Entries of a table.
    Entries,
    /// What a table does where no entry is found.
    Default,
    /// Cells of a register.
    Register,
    /// Cells of a counter.
    Counter,
    /// Buckets of a meter.
    Meter,
    /// Rates of a meter.
    Rates,
    /// Members of an action profile.
    Members,
    /// Groups of an action selector.
    Groups,
    /// Members of all groups.
    Slots,
    /// Values of a value set.
    ValueSet,
}

/// What has a name for the control plane, and mostly a number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its number in P4Info; `None`: that does not have it.
    pub id: Option<u64>,
}

/// Bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    /// The lowest one.
    pub lo: u32,
    /// How many.
    pub width: u32,
}

/// A field of a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// What it is.
    pub named: Named,
    /// Where.
    pub bits: Bits,
}

/// An action of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// Which.
    pub named: Named,
    /// Its arguments, in the value.
    pub parameters: Vec<Field>,
    /// Where it may stand.
    pub scope: Scope,
}

/// Where a table has an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// In entries, and as the default.
    Anywhere,
    /// In entries only (`@tableonly`).
    Entries,
    /// As the default only (`@defaultonly`).
    Default,
}

/// In which order the bytes of a number stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

/// A field of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyField {
    /// Which, and where in the number of the fields.
    pub field: Field,
    /// How it matches: `exact`, `lpm`, `ternary`, `range`, `optional`.
    pub kind: String,
    /// A range that is prefixes: an entry has a key for each of them, with field and mask as a `ternary` one.
    pub expanded: bool,
}

/// The key of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The first byte of the number that the fields are.
    pub first: u32,
    /// How many bytes this has.
    pub bytes: u32,
    /// Their order.
    pub order: Order,
    /// In the order of the program.
    pub fields: Vec<KeyField>,
    /// In front of the fields stands how many bits of them count, from the highest on: those of all other fields, so many, and those of the
    /// prefix.
    pub fixed: Option<u32>,
    /// Behind the fields stand as many bytes of masks, and a priority.
    pub has_masks: bool,
    /// The priority is that of the prefix: how long it is; of keys that are all exact 0.
    pub priority_is_length: bool,
    /// Tables share the memory: the number of this one stands among the bits of the fields.
    pub share: Option<Share>,
}

impl Key {
    /// The key of a table whose entries become some of the IR.
    pub(super) fn of_table(of: &typed::Table, made: &LoweredTable, bytes: u32) -> Key {
        let find = made.finding.find();
        let (first, order) = match find {
            Find::Prefix => (LENGTH_BYTES, Order::Big),
            _ => (0, Order::Little),
        };
        let bytes = bytes - first;
        let last = of.prefix().filter(|_| find == Find::Prefix);
        let filled: u32 = made.keys.iter().sum();
        let mut fields: Vec<KeyField> = Vec::new();
        let mut before = 0;
        for (at, key) in of.matched_keys() {
            let width = &made.keys[at];
            let bits = match last {
                None => Bits {
                    lo: before,
                    width: *width,
                },
                // The prefix is the last one from the top, wherever the program has it; below it is what fills the last byte.
                Some(last) => {
                    let above = if at == last { filled - width } else { before };
                    let lo = bytes * 8 - above - width;
                    Bits { lo, width: *width }
                }
            };
            if last != Some(at) {
                before += width;
            }
            fields.push(KeyField {
                field: Field::new(key_name(key), bits),
                kind: key.kind.clone(),
                expanded: made.expanded.get(at).copied().unwrap_or(false),
            });
        }
        let has_masks = find == Find::Ternary;
        Key {
            first,
            bytes,
            order,
            fields,
            fixed: last.map(|last| filled - made.keys[last]),
            has_masks,
            priority_is_length: has_masks && !of.takes_priorities(),
            share: made.share,
        }
    }

    /// The key of a cell, and of a default action.
    fn index() -> Key {
        Key::exact(vec![Field::new("index", Bits { lo: 0, width: 32 })], 4)
    }

    fn exact(fields: Vec<Field>, bytes: u32) -> Key {
        let fields = fields.into_iter().map(|field| KeyField {
            field,
            kind: "exact".into(),
            expanded: false,
        });
        Key {
            first: 0,
            bytes,
            order: Order::Little,
            fields: fields.collect(),
            fixed: None,
            has_masks: false,
            priority_is_length: false,
            share: None,
        }
    }

    /// An entry has several keys.
    pub fn expands(&self) -> bool {
        self.fields.iter().any(|key| key.expanded)
    }

    /// The first byte of the masks.
    pub fn masks_at(&self) -> u32 {
        self.first + self.bytes
    }

    /// The first byte of the priority.
    pub fn priority_at(&self) -> u32 {
        self.first + 2 * self.bytes
    }

    /// Bits of the number that are of no field, those above the number of a table apart: zeros, and ones in the masks.
    pub fn fill(&self) -> Bits {
        let filled: u32 = self.fields.iter().map(|key| key.field.bits.width).sum();
        let end = self.share.map_or(self.bytes * 8, |share| share.bits.lo);
        let width = end - filled;
        match self.order {
            Order::Little => Bits { lo: filled, width },
            Order::Big => Bits { lo: 0, width },
        }
    }

    /// A number for each field, one beside the other.
    pub(super) fn number(&self, numbers: &[BigInt]) -> BigInt {
        let fields = self.fields.iter().zip(numbers);
        let fields: BigInt = fields.map(|(key, number)| key.field.bits.of(number)).sum();
        fields + self.tag()
    }

    /// An entry of this key in the memory is one of this table.
    pub fn is_own(&self, key: &[u8]) -> bool {
        let number = BigInt::from_bytes_le(num_bigint::Sign::Plus, key);
        let own = |share: Share| {
            let number = number >> share.bits.lo;
            crate::value::wrap(number, share.bits.width, false) == share.number.into()
        };
        self.share.is_none_or(own)
    }

    /// The number of the table, where it stands in a number with the fields; else nothing.
    fn tag(&self) -> BigInt {
        let tag = self.share.map(|share| share.bits.of(&share.number.into()));
        tag.unwrap_or_default()
    }

    /// A number in the order of its bytes.
    pub(super) fn in_order(&self, number: &BigInt) -> Vec<u8> {
        let mut bytes = little(number, self.bytes);
        if self.order == Order::Big {
            bytes.reverse();
        }
        bytes
    }
}

/// The lowest byte of a number first.
pub(super) fn little(number: &BigInt, count: u32) -> Vec<u8> {
    let (_, mut bytes) = number.to_bytes_le();
    bytes.resize(count as usize, 0);
    bytes
}

impl Bits {
    /// A number at this place; what is too large for it is cut off.
    pub(super) fn of(self, number: &BigInt) -> BigInt {
        crate::value::wrap(number.clone(), self.width, false) << self.lo
    }
}

impl Field {
    fn new(name: impl Into<String>, bits: Bits) -> Field {
        let named = Named {
            name: name.into(),
            id: None,
        };
        Field { named, bits }
    }
}

impl LoweredTable {
    /// Fields in front of the row of an entry.
    fn front(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        if self.counts {
            fields.extend(pair());
        }
        if self.times {
            fields.push(Field::new(LAST_FOUND, self.time_bits()));
        }
        if self.meters {
            let (lo, width) = (self.cell_at() * 8, CELL_BYTES * 8);
            fields.push(Field::new("meter_cell", Bits { lo, width }));
        }
        if let Some(bits) = self.is_there() {
            fields.push(Field::new(IS_THERE, bits));
        }
        fields
    }

    /// Where the arguments of an action stand in a row.
    pub(super) fn places(&self, action: usize) -> Vec<Bits> {
        let mut lo = self.action_bits;
        let widths = self.arguments[action].iter();
        let place = |width: &u32| {
            let bits = Bits { lo, width: *width };
            lo += width;
            bits
        };
        widths.map(place).collect()
    }

    /// Where each key has a place: whether an entry stands there.
    pub(super) fn is_there(&self) -> Option<Bits> {
        let bits = Bits {
            lo: self.front_bytes() * 8 + self.body_bits,
            width: 1,
        };
        (self.finding == Finding::Direct).then_some(bits)
    }

    /// Bytes in front of the row of an entry.
    pub(super) fn front_bytes(&self) -> u32 {
        self.cell_at() + if self.meters { CELL_BYTES } else { 0 }
    }

    /// Where the cell of an entry's meter stands.
    pub(super) fn cell_at(&self) -> u32 {
        self.time_at() + if self.times { TIME_BYTES } else { 0 }
    }

    /// Where it stands when an entry was last found.
    pub(super) fn time_at(&self) -> u32 {
        match self.counts {
            true => COUNT_BYTES,
            false => 0,
        }
    }
}

impl Lowered {
    /// The layouts of all tables of the IR, in their order. `info` has the numbers of what they are named by, `first` what tables hold
    /// at first.
    pub fn layouts(
        &self,
        program: &Program,
        design: &Design,
        info: &Message,
        first: &[TableState],
    ) -> Vec<Layout> {
        let known = Known::of(info);
        let mut layouts: Vec<(ir::MapId, Layout)> = Vec::new();
        for (number, first) in (0..self.tables.len()).zip(first) {
            layouts.extend(self.table(program, design, number, first, &known));
        }
        for (object, map) in &self.objects {
            layouts.push((*map, self.array(program, design, *object, *map, &known)));
        }
        for (object, map) in &self.rates {
            layouts.push((*map, self.array(program, design, *object, *map, &known)));
        }
        for (object, profile) in &self.profiles {
            layouts.extend(self.profile(program, design, *object, profile, &known));
        }
        for ((parser, set), map) in &self.value_sets {
            let of = &program.value_sets[*set];
            let own = name_of(&of.annotations, &of.name);
            let name = joined(&design.objects[*parser].name, &own);
            let mut fields = Vec::new();
            members(&program.types, &of.of, "value", &mut fields);
            let decl = &self.program.maps[*map];
            let mut sets = known.value_sets.iter();
            let id = sets.find(|(_, set)| set.name == name).map(|(id, _)| *id);
            let key = Key::exact(fields, decl.key_bytes);
            let layout = Layout {
                fields: vec![Field::new("is_in", Bits { lo: 0, width: 1 })],
                ..Layout::new(&decl.name, Holds::ValueSet, Named { name, id }, key)
            };
            layouts.push((*map, layout));
        }
        layouts.sort_by_key(|(map, _)| *map);
        layouts.into_iter().map(|(_, layout)| layout).collect()
    }

    /// The layouts of a table: of its entries, and of its default action, where the control plane changes them.
    fn table(
        &self,
        program: &Program,
        design: &Design,
        number: usize,
        first: &TableState,
        known: &Known,
    ) -> Vec<(ir::MapId, Layout)> {
        let made = &self.tables[number];
        let of = design.table_of(program, number);
        let names = design.action_names(program, number);
        let actions: Vec<usize> = of.actions.iter().map(|one| one.action).collect();
        let owner = named(&design.tables[number].name);
        let mut layouts = Vec::new();
        if let Some(map) = made.entries {
            let decl = &self.program.maps[map];
            let key = Key::of_table(of, made, decl.key_bytes);
            let mut layout = Layout::new(&decl.name, Holds::Entries, owner.clone(), key);
            layout.fields = made.front();
            let object = |object: usize| design.objects[object].name.clone();
            layout.profile = made.profile.map(object);
            let meter = design.direct_meter(program, number);
            layout.meter = meter.map(|(meter, _)| object(meter));
            layout.counter = made.cell_counter.map(object);
            let lo = made.front_bytes() * 8;
            match made.profile {
                Some(profile) => layout.refer(&self.profiles[&profile], lo),
                None => layout.act(program, &actions, made, &names, lo),
            }
            let kept = first.entries.iter().filter(|entry| entry.is_constant);
            let kept = kept.flat_map(|entry| self.rows(number, of, entry));
            layout.kept = kept.map(|written| written.key).collect();
            layouts.push((map, layout));
        }
        if let Some(map) = made.default {
            let name = &self.program.maps[map].name;
            let mut layout = Layout::new(name, Holds::Default, owner, Key::index());
            layout.act(program, &actions, made, &names, 0);
            layouts.push((map, layout));
        }
        for (_, layout) in &mut layouts {
            layout.scopes(of);
            layout.number_table(known);
        }
        layouts
    }

    /// The layouts of an action profile: members, and of a selector groups and their members.
    fn profile(
        &self,
        program: &Program,
        design: &Design,
        object: usize,
        profile: &LoweredProfile,
        known: &Known,
    ) -> Vec<(ir::MapId, Layout)> {
        let name = &design.objects[object].name;
        let owner = Named {
            name: name.clone(),
            id: named_id(&known.profiles, name),
        };
        let layout = |map: ir::MapId, holds: Holds, fields: Vec<Field>| {
            let map = &self.program.maps[map].name;
            Layout {
                fields,
                ..Layout::new(map, holds, owner.clone(), Key::index())
            }
        };
        let mut members = layout(profile.members, Holds::Members, Vec::new());
        let all = design.actions_of(program, object).into_iter();
        let names: Vec<String> = all.map(|(_, name)| name).collect();
        members.act(program, &profile.actions, &profile.rows, &names, 0);
        members.number_actions(known);
        let mut all = vec![(profile.members, members)];
        if let Some((groups, slots)) = profile.groups {
            let places = placed(&["begin", "count"], &[profile.begin(), profile.count()]);
            let largest = design.largest_group(program, object);
            let of_groups = Layout {
                largest_group: u32::try_from(largest).ok(),
                ..layout(groups, Holds::Groups, places)
            };
            all.push((groups, of_groups));
            let member = vec![Field::new("member", profile.member())];
            all.push((slots, layout(slots, Holds::Slots, member)));
        }
        all
    }

    /// The layout of a register or a counter.
    fn array(
        &self,
        program: &Program,
        design: &Design,
        object: usize,
        map: ir::MapId,
        known: &Known,
    ) -> Layout {
        let decl = &self.program.maps[map];
        let name = &design.objects[object].name;
        let (holds, fields, id) = match decl.outside.as_str() {
            "register" => {
                let of = design.cell_type(object);
                let mut fields = Vec::new();
                let mut top = packed_width(&program.types, &of);
                cell(&program.types, &of, "value", &mut top, &mut fields);
                let mut all = known.registers.iter();
                let id = all.find(|(_, (own, _))| own == name).map(|(id, _)| *id);
                (Holds::Register, fields, id)
            }
            "meter" => (Holds::Meter, buckets(), named_id(&known.meters, name)),
            "meter's rates" => (Holds::Rates, rates(), named_id(&known.meters, name)),
            _ => (Holds::Counter, pair(), named_id(&known.counters, name)),
        };
        let owner = Named {
            name: name.clone(),
            id,
        };
        Layout {
            fields,
            ..Layout::new(&decl.name, holds, owner, Key::index())
        }
    }
}

impl Layout {
    /// Entries keep when they were last found, in the field `last_found`, as [`crate::idle`] says.
    pub fn keeps_times(&self) -> bool {
        let mut fields = self.fields.iter();
        self.holds == Holds::Entries && fields.any(|field| field.named.name == LAST_FOUND)
    }

    /// Each key has a place: the field `is_there` says whether an entry stands in it.
    pub fn has_places(&self) -> bool {
        let mut fields = self.fields.iter();
        self.holds == Holds::Entries && fields.any(|field| field.named.name == IS_THERE)
    }

    /// One of which nothing else is known yet.
    fn new(map: &str, holds: Holds, owner: Named, key: Key) -> Layout {
        Layout {
            map: map.to_owned(),
            holds,
            owner,
            key,
            fields: Vec::new(),
            actions: Vec::new(),
            profile: None,
            meter: None,
            counter: None,
            largest_group: None,
            kept: Vec::new(),
        }
    }

    /// Where the table has its actions.
    fn scopes(&mut self, of: &typed::Table) {
        for (action, listed) in self.actions.iter_mut().zip(&of.actions) {
            let says = |name: &str| listed.annotations.iter().any(|one| one.name.text == name);
            action.scope = match (says("tableonly"), says("defaultonly")) {
                (true, false) => Scope::Entries,
                (false, true) => Scope::Default,
                _ => Scope::Anywhere,
            };
        }
    }

    /// A row of one of these functions, from a bit on.
    fn act(
        &mut self,
        program: &Program,
        functions: &[usize],
        made: &LoweredTable,
        names: &[String],
        lo: u32,
    ) {
        let width = made.action_bits;
        self.fields.push(Field::new("action", Bits { lo, width }));
        let actions = functions.iter().zip(names).enumerate();
        self.actions = actions
            .map(|(at, (function, name))| action(program, *function, made, (at, name), lo))
            .collect();
    }

    /// What an entry that goes through a profile has from a bit on.
    fn refer(&mut self, profile: &LoweredProfile, lo: u32) {
        let names = ["member", "is_group"];
        for (name, bits) in names
            .into_iter()
            .zip([profile.member(), profile.is_group()])
        {
            if bits.width > 0 {
                let lo = lo + bits.lo;
                self.fields.push(Field::new(name, Bits { lo, ..bits }));
            }
        }
    }

    /// Takes the numbers of the table, its keys, actions and their parameters.
    fn number_table(&mut self, known: &Known) {
        let mut tables = known.tables.iter();
        let Some((id, table)) = tables.find(|(_, table)| table.name == self.owner.name) else {
            return;
        };
        self.owner.id = Some(*id);
        for key in &mut self.key.fields {
            let mut keys = table.keys.iter();
            let own = keys.find(|one| one.name == key.field.named.name);
            key.field.named.id = own.map(|one| one.id);
        }
        self.number_actions(known);
    }

    /// Takes the numbers of actions and their parameters.
    fn number_actions(&mut self, known: &Known) {
        for action in &mut self.actions {
            let mut all = known.actions.iter();
            let Some((id, own)) = all.find(|(_, own)| own.name == action.named.name) else {
                continue;
            };
            action.named.id = Some(*id);
            for parameter in &mut action.parameters {
                let mut parameters = own.parameters.iter();
                let own = parameters.find(|one| one.name == parameter.named.name);
                parameter.named.id = own.map(|one| one.id);
            }
        }
    }
}

fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        id: None,
    }
}

/// The number of what has this name.
fn named_id(all: &BTreeMap<u64, String>, name: &str) -> Option<u64> {
    let mut all = all.iter();
    all.find(|(_, own)| *own == name).map(|(id, _)| *id)
}

/// An action of a table's list, whose row begins at this bit.
fn action(
    program: &Program,
    function: usize,
    made: &LoweredTable,
    (at, name): (usize, &str),
    lo: u32,
) -> Action {
    let function = &program.functions[function];
    let parameters = function.data_parameters().zip(made.places(at));
    let parameters = parameters.map(|(one, bits)| {
        let bits = Bits {
            lo: lo + bits.lo,
            ..bits
        };
        Field::new(name_of(&one.annotations, &one.name), bits)
    });
    Action {
        named: named(name),
        parameters: parameters.collect(),
        scope: Scope::Anywhere,
    }
}
