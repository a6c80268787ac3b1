//! Refusals with their place in the program.

use hardpath_diagnostic::{Diagnostic, Place};
use hardpath_ir::{Inst, Op, PlaceId, Program};

/// A refusal at an instruction.
pub fn refusal(
    program: &Program,
    inst: Inst,
    code: &'static str,
    message: impl Into<String>,
    help: &str,
) -> Diagnostic {
    let diagnostic = Diagnostic::refused(code, message).help(help);
    match program.insts[inst].place {
        Some(place) => diagnostic.at(place_of(program, place)),
        None => diagnostic.at(whole(program)),
    }
}

/// The whole program as a place: object and section as far as known, and its name.
pub fn whole(program: &Program) -> Place {
    let mut units = program.places.values().map(|place| &place.within);
    let known = units.find(|unit| ***unit != Place::default());
    let within = known.map(|unit| Place::clone(unit)).unwrap_or_default();
    within.within(format_args!("program {}", program.name))
}

/// A place in a program: object and section, or the program where they are not known; instruction, source line.
pub fn place_of(program: &Program, place: PlaceId) -> Place {
    let place = Place::from(&program.places[place]);
    match place.file.is_empty() {
        true => Place {
            unit: format!("program {}, {}", program.name, place.unit),
            ..place
        },
        false => place,
    }
}

/// The refusal of an access that depends on what an update or delete of the same packet gives, which is known only behind the
/// commit of that. In one map, or around several maps.
pub fn needs_result(program: &Program, pairs: &[(Inst, Inst)]) -> Diagnostic {
    let map = |inst: Inst| program.insts[inst].op.map();
    let name = |inst: Inst| map(inst).map_or("", |map| program.maps[map].name.as_str());
    let says = |(change, needs): &(Inst, Inst)| {
        let access = match program.insts[*needs].op {
            Op::MapLookup(_) => "a lookup in",
            Op::MapLoad(_) => "a read of",
            Op::MapUpdate(_) => "an update of",
            Op::MapDelete(_) => "a delete from",
            _ => "a store into",
        };
        let change_is = match program.insts[*change].op {
            Op::MapDelete(_) => "delete",
            _ => "update",
        };
        let at = short_place(program, *change);
        let own = match map(*change) == map(*needs) {
            true => format!("what this packet's own {change_is} of the same map{at} gave"),
            false => format!(
                "what this packet's {change_is} of map {}{at} gave, and both are written in one window",
                name(*change)
            ),
        };
        format!("{access} map {} depends on {own}", name(*needs))
    };
    let says: Vec<String> = pairs.iter().map(says).collect();
    let message = says.join(", and ");
    let (code, help) = match pairs.iter().all(|(change, needs)| map(*change) == map(*needs)) {
        true => (
            "lookup-after-update",
            "all changes of a map are committed together, behind its reads: do this whatever the other gives, or keep the two entries in \
             two maps",
        ),
        false => (
            "merged-windows",
            "what maps with a common window give is known when all is committed: do this whatever the change gives, or keep what belongs \
             together in one map",
        ),
    };
    let places = pairs.iter().flat_map(|(change, needs)| [*needs, *change]);
    let known = |inst: &Inst| program.insts[*inst].place.is_some();
    let place = places.clone().find(known).or(places.clone().next());
    refusal(program, place.expect("a pair"), code, message, help)
}

/// A further place in a message, behind what stands there: ` (line 88)`; nothing when it is not known.
pub fn short_place(program: &Program, inst: Inst) -> String {
    match program.insts[inst]
        .place
        .map(|place| &program.places[place])
    {
        None => String::new(),
        Some(place) if place.line > 0 => format!(" (line {})", place.line),
        Some(place) => format!(" (instruction {})", place.slot),
    }
}
