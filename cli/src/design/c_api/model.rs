//! What the C of a design has functions for, with the identifiers of all of it.

use super::names::{identifier, part, Names};
use hardpath_p4::lower::layout::{Action, Bits, Field, Holds, KeyField, Layout};
use hardpath_registers::{Design, Map};

/// All of a design.
pub struct Model<'a> {
    /// In front of all names.
    pub prefix: String,
    pub design: &'a Design,
    pub tables: Vec<Table<'a>>,
    /// Names of tables whose entries have no functions, since ranges are expanded.
    pub expanded: Vec<&'a str>,
    pub sets: Vec<Entries<'a>>,
    pub registers: Vec<Register<'a>>,
    pub counters: Vec<Array<'a>>,
    /// Meters of which each cell is told by its number.
    pub meters: Vec<Array<'a>>,
    pub profiles: Vec<Profile<'a>>,
}

/// A map of the design, and what stands in it.
#[derive(Clone, Copy)]
pub struct Held<'a> {
    /// Its place among all maps.
    pub number: usize,
    /// Of tables that share the map: which one it is of.
    pub at: usize,
    pub map: &'a Map,
    pub layout: &'a Layout,
}

/// A table of the program.
pub struct Table<'a> {
    pub stem: String,
    pub name: &'a str,
    /// Those that the control plane changes.
    pub entries: Option<Entries<'a>>,
    pub default: Option<Held<'a>>,
    /// `None`: its entries choose from a profile, and its default is constant.
    pub actions: Option<Actions<'a>>,
}

/// Entries of a table, or values of a set.
pub struct Entries<'a> {
    pub stem: String,
    pub held: Held<'a>,
    pub key: Vec<Member<'a>>,
    pub has_counts: bool,
    /// What they count in by the cell of the meter; `None`: in front of their rows, if at all.
    pub counts: Option<Held<'a>>,
    /// The maps of the meter's rates and buckets.
    pub meter: Option<Meter<'a>>,
    /// The profile's place among all profiles.
    pub profile: Option<usize>,
}

/// A field of a key.
pub struct Member<'a> {
    pub name: String,
    /// What stands beside it: a mask, a length, the highest value, whether it matters.
    pub more: Option<String>,
    pub of: &'a KeyField,
}

/// The actions of a table or a profile.
pub struct Actions<'a> {
    pub stem: String,
    pub all: Vec<Named<'a>>,
    /// The constant that stands for none of them.
    pub nothing: String,
}

/// An action.
pub struct Named<'a> {
    pub constant: String,
    /// The member of the union.
    pub member: String,
    pub parameters: Vec<(String, &'a Field)>,
    pub of: &'a Action,
}

/// A register.
pub struct Register<'a> {
    pub array: Array<'a>,
    pub fields: Vec<(String, &'a Field)>,
}

/// An array of cells.
pub struct Array<'a> {
    pub stem: String,
    pub held: Held<'a>,
    /// Of meters.
    pub meter: Option<Meter<'a>>,
}

/// The maps of a meter.
#[derive(Clone, Copy)]
pub struct Meter<'a> {
    pub rates: Held<'a>,
    pub buckets: Option<Held<'a>>,
}

/// An action profile.
pub struct Profile<'a> {
    pub stem: String,
    pub members: Held<'a>,
    pub groups: Option<(Held<'a>, Held<'a>)>,
    pub actions: Actions<'a>,
}

/// Endings of types of tables and arrays, and of functions on them.
const OF_TABLES: [&[&str]; 2] = [
    &["_key", "_action", "_actions", "_cell"],
    &[
        "_add",
        "_modify",
        "_delete",
        "_read",
        "_write",
        "_next",
        "_has",
        "_count_read",
        "_count_write",
        "_rates_set",
        "_rates_get",
        "_default_set",
        "_default_get",
    ],
];
/// The same of action profiles.
const OF_PROFILES: [&[&str]; 2] = [
    &["_action", "_actions"],
    &[
        "_member_add",
        "_member_modify",
        "_member_read",
        "_member_delete",
        "_group_add",
        "_group_modify",
        "_group_read",
        "_group_delete",
    ],
];
/// The same of what a design has once; nothing: its device.
const OF_DESIGN: [&[&str]; 2] = [&["", "_op"], &["_open", "_begin", "_resume"]];

impl<'a> Model<'a> {
    /// Of a design whose top has this name. `names`: what is taken.
    pub fn of(top: &str, design: &'a Design, layouts: &'a [Layout], mut names: Names) -> Model<'a> {
        let maps = design.maps.iter().enumerate();
        let held = maps.flat_map(|(number, map)| {
            let all = crate::design::layouts::of_map(layouts, &map.name);
            let all = all.into_iter().enumerate();
            all.map(move |(at, layout)| Held {
                number,
                at,
                map,
                layout,
            })
        });
        let all = All(held.collect());
        let prefix = names.stem(&identifier(top), &endings(OF_DESIGN));
        let mut maker = Maker { prefix, names };
        let profiles: Vec<Profile> = all
            .of(Holds::Members)
            .map(|members| maker.profile(members, &all))
            .collect();
        let mut tables: Vec<Table> = Vec::new();
        let holds_default = |name: &str| all.named(Holds::Default, name).is_some();
        for held in all.0.iter().filter(|held| {
            let holds = held.layout.holds;
            holds == Holds::Entries || holds == Holds::Default
        }) {
            let name = held.layout.owner.name.as_str();
            let is_known = tables.iter().any(|table| table.name == name);
            // Of a table without functions there is nothing to tell.
            if !is_known && (holds_default(name) || !held.layout.key.expands()) {
                tables.push(maker.table(name, &all, &profiles));
            }
        }
        let of_entries = |own: &Held| {
            let name = Some(&own.layout.owner.name);
            let mut entries = all.of(Holds::Entries).map(|held| held.layout);
            entries.any(|layout| layout.meter.as_ref() == name || layout.counter.as_ref() == name)
        };
        let expanded = all.of(Holds::Entries);
        let expanded = expanded.filter(|held| held.layout.key.expands());
        Model {
            expanded: expanded
                .map(|held| held.layout.owner.name.as_str())
                .collect(),
            sets: all
                .of(Holds::ValueSet)
                .map(|held| maker.set(held, &all))
                .collect(),
            registers: all
                .of(Holds::Register)
                .map(|held| maker.register(held))
                .collect(),
            counters: all
                .of(Holds::Counter)
                .filter(|held| !of_entries(held))
                .map(|held| maker.array(held))
                .collect(),
            meters: all
                .of(Holds::Rates)
                .filter(|held| !of_entries(held))
                .map(|rates| Array {
                    meter: all.meter(&rates.layout.owner.name),
                    ..maker.array(rates)
                })
                .collect(),
            prefix: maker.prefix,
            design,
            tables,
            profiles,
        }
    }

    /// There is nothing that a driver could do.
    pub fn is_empty(&self) -> bool {
        let lists = [
            self.tables.is_empty(),
            self.sets.is_empty(),
            self.registers.is_empty(),
            self.counters.is_empty(),
            self.meters.is_empty(),
            self.profiles.is_empty(),
        ];
        lists.iter().all(|is_empty| *is_empty)
    }

    /// Entries of all tables, and values of all sets.
    pub fn entries(&self) -> impl Iterator<Item = &Entries<'a>> {
        let tables = self.tables.iter();
        tables
            .filter_map(|table| table.entries.as_ref())
            .chain(&self.sets)
    }
}

/// All maps of which something is known.
struct All<'a>(Vec<Held<'a>>);

impl<'a> All<'a> {
    fn of<'s>(&'s self, holds: Holds) -> impl Iterator<Item = Held<'a>> + 's {
        let all = self.0.iter().copied();
        all.filter(move |held| held.layout.holds == holds)
    }

    fn named(&self, holds: Holds, name: &str) -> Option<Held<'a>> {
        let mut all = self.of(holds);
        all.find(|held| held.layout.owner.name == name)
    }

    /// The maps of the meter of that name; `None`: no packet asks it.
    fn meter(&self, name: &str) -> Option<Meter<'a>> {
        Some(Meter {
            rates: self.named(Holds::Rates, name)?,
            buckets: self.named(Holds::Meter, name),
        })
    }
}

struct Maker {
    prefix: String,
    names: Names,
}

impl Maker {
    fn stem(&mut self, name: &str, of: [&[&str]; 2]) -> String {
        let name = format!("{}_{}", self.prefix, part(name));
        self.names.stem(&name, &endings(of))
    }

    fn table<'a>(&mut self, name: &'a str, all: &All<'a>, profiles: &[Profile]) -> Table<'a> {
        let stem = self.stem(name, OF_TABLES);
        // What is one entry for the control plane are several for the functions.
        let entries = all
            .named(Holds::Entries, name)
            .filter(|held| !held.layout.key.expands());
        let default = all.named(Holds::Default, name);
        let with_actions = entries.filter(|held| held.layout.profile.is_none());
        let actions = with_actions.or(default);
        Table {
            name,
            actions: actions.map(|held| self.actions(&stem, &held.layout.actions)),
            entries: entries.map(|held| entries_of(&stem, held, all, profiles)),
            default,
            stem,
        }
    }

    fn set<'a>(&mut self, held: Held<'a>, all: &All<'a>) -> Entries<'a> {
        let stem = self.stem(&held.layout.owner.name, OF_TABLES);
        entries_of(&stem, held, all, &[])
    }

    fn array<'a>(&mut self, held: Held<'a>) -> Array<'a> {
        Array {
            stem: self.stem(&held.layout.owner.name, OF_TABLES),
            held,
            meter: None,
        }
    }

    fn register<'a>(&mut self, held: Held<'a>) -> Register<'a> {
        Register {
            array: self.array(held),
            fields: fields(held.layout.fields.iter()),
        }
    }

    fn profile<'a>(&mut self, members: Held<'a>, all: &All<'a>) -> Profile<'a> {
        let name = &members.layout.owner.name;
        let stem = self.stem(name, OF_PROFILES);
        let groups = all.named(Holds::Groups, name);
        Profile {
            actions: self.actions(&stem, &members.layout.actions),
            groups: groups.zip(all.named(Holds::Slots, name)),
            members,
            stem,
        }
    }

    fn actions<'a>(&mut self, stem: &str, actions: &'a [Action]) -> Actions<'a> {
        let mut members = Names::default();
        let upper = stem.to_uppercase();
        let mut all = Vec::new();
        for action in actions {
            let name = &action.named.name;
            let last = name.rsplit('.').next().unwrap_or(name);
            let member = members.unique(&identifier(last));
            let constant = format!("{upper}_{}", part(last).to_uppercase());
            all.push(Named {
                constant: self.names.unique(&constant),
                member,
                parameters: fields(action.parameters.iter()),
                of: action,
            });
        }
        Actions {
            stem: stem.to_owned(),
            all,
            nothing: self.names.unique(&format!("{upper}_NOTHING")),
        }
    }
}

/// All endings: a function is there a second time, as one that is started.
fn endings([types, functions]: [&[&str]; 2]) -> Vec<String> {
    let started = functions.iter().map(|ending| format!("{ending}_start"));
    let plain = [types, functions].concat();
    plain.into_iter().map(String::from).chain(started).collect()
}

/// Fields of a struct; those without bits are none.
fn fields<'a>(fields: impl Iterator<Item = &'a Field>) -> Vec<(String, &'a Field)> {
    let mut names = Names::default();
    let fields = fields.filter(|field| field.bits.width > 0);
    fields
        .map(|field| (names.unique(&identifier(&field.named.name)), field))
        .collect()
}

fn entries_of<'a>(stem: &str, held: Held<'a>, all: &All<'a>, profiles: &[Profile]) -> Entries<'a> {
    // The highest priority wins, whatever a field is called.
    let mut names = Names::default();
    names.unique("priority");
    let mut key = Vec::new();
    for of in &held.layout.key.fields {
        let name = identifier(&of.field.named.name);
        let (beside, more): (&[&str], _) = match of.kind.as_str() {
            "lpm" => (&["", "_prefix_length"], Some("_prefix_length")),
            "ternary" => (&["", "_mask"], Some("_mask")),
            "optional" => (&["", "_matters"], Some("_matters")),
            "range" => (&["_low", "_high"], Some("_high")),
            _ => (&[""], None),
        };
        if of.field.bits.width > 0 {
            let stem = names.stem(&name, beside);
            key.push(Member {
                name: format!("{stem}{}", beside[0]),
                more: more.map(|more| format!("{stem}{more}")),
                of,
            });
        }
    }
    let has = |name: &str| held.field(name).is_some();
    let profile = held.layout.profile.as_ref();
    let counter = held.layout.counter.as_ref();
    let counts = counter.and_then(|name| all.named(Holds::Counter, name));
    Entries {
        stem: stem.to_owned(),
        held,
        key,
        has_counts: counts.is_some() || has("packets") && has("bytes"),
        counts,
        meter: held.layout.meter.as_ref().and_then(|name| all.meter(name)),
        profile: profile.and_then(|name| {
            let mut profiles = profiles.iter();
            profiles.position(|profile| profile.members.layout.owner.name == *name)
        }),
    }
}

impl Held<'_> {
    /// What the names of its constants end with.
    pub fn place(&self) -> String {
        match self.at {
            0 => self.number.to_string(),
            at => format!("{}_{at}", self.number),
        }
    }

    /// Entries that it has at most.
    pub fn most(&self) -> u32 {
        let share = self.layout.key.share;
        share.map_or(self.map.max_entries, |share| share.most)
    }

    /// The bits of a field of the value.
    pub fn field(&self, name: &str) -> Option<Bits> {
        let mut fields = self.layout.fields.iter();
        let found = fields.find(|field| field.named.name == name);
        found.map(|field| field.bits)
    }
}
