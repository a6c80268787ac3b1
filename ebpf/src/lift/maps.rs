//! 64-bit immediate loads, and the maps that they refer to.

use hardpath_ir::verifier::MAX_MAP_BYTES;
use hardpath_ir::MapId;
use hardpath_kernel::MapType;

use super::state::{AbstractValue, MapPointer, Operand};
use super::Lifter;
use crate::insn::PSEUDO_FUNC;
use crate::map_decls::{map_type_name, PROG_ARRAY};
use crate::object::{MapRef, MapRefKind, ObjectMap};

impl Lifter<'_> {
    pub(super) fn load_immediate(&mut self, dst: u8, kind: u8, value: u64) {
        let slot = self.slot;
        let code = &self.codes[self.current.invocation.code];
        let result = match (code.map_refs.get(&slot).copied(), kind) {
            (Some(reference), _) => self.map_reference(reference),
            (None, 0) => AbstractValue::Scalar(Operand::Const(value)),
            (None, PSEUDO_FUNC) => {
                // `imm` counts from the next slot, as in a call.
                let target = i64::from(slot) + i64::from(value as i32) + 1;
                AbstractValue::Function(target as u32)
            }
            (None, _) => {
                self.refuse(
                    "unsupported-relocation",
                    "a 64-bit load refers to something that is not in the object",
                    "kernel symbols and file descriptors cannot be loaded into hardware",
                );
                AbstractValue::Reported
            }
        };
        self.set_register(dst, result);
    }

    fn map_reference(&mut self, reference: MapRef) -> AbstractValue {
        let map = reference.map;
        let zero = Operand::Const(0);
        let read_only = self.maps[map].read_only;
        match reference.kind {
            MapRefKind::Value { offset } if read_only => AbstractValue::Rodata {
                map,
                offset: Operand::Const(u64::from(offset)),
            },
            // Only tail calls use it, and they know what is in it.
            MapRefKind::Fd if self.maps[map].map_type == PROG_ARRAY => AbstractValue::Map(map),
            // Nothing is ever in it.
            MapRefKind::Fd if self.maps[map].is_for_events() => AbstractValue::Map(map),
            _ if self.map_id(map).is_none() => AbstractValue::Reported,
            MapRefKind::Value { offset } => AbstractValue::MapValue(MapPointer {
                map,
                hit: Operand::Const(1),
                entry: zero,
                offset: Operand::Const(u64::from(offset)),
                is_stale: false,
            }),
            MapRefKind::Fd => AbstractValue::Map(map),
        }
    }

    /// The IR's number of a map; `None` when hardpath does not build it, which the user is told.
    pub(super) fn map_id(&mut self, map: usize) -> Option<MapId> {
        if let Some(known) = self.map_ids.get(&map) {
            return *known;
        }
        let declared = &self.maps[map];
        // With one entry the rest of the program is looked at as it will be, so that nothing is asked for that it does not
        // need.
        let sized = ObjectMap {
            max_entries: declared.max_entries.max(1),
            ..declared.clone()
        };
        let problem = map_problem(&sized);
        let decl = sized.decl().filter(|_| problem.is_none());
        let open = (declared.max_entries == 0).then(|| open_size(declared));
        if let Some((code, message, help)) = problem.or(open) {
            self.refuse(code, message, help);
        }
        let id = decl.map(|decl| self.builder.add_map(decl));
        self.map_ids.insert(map, id);
        id
    }
}

/// A destination has 30 bits for the number of a CPU or socket ([`hardpath_ir::destination`]).
const MOST_TARGETS: u32 = hardpath_kernel::xdp::destination::NUMBERS;

/// What is wrong with a map whose size nobody says.
pub(super) fn open_size(map: &ObjectMap) -> (&'static str, String, String) {
    let name = &map.name;
    (
        "max-entries-missing",
        format!("the object does not say how many entries map {name} has"),
        format!("say it on the command line: --max-entries {name}=N"),
    )
}

/// Why hardpath cannot build a map: code, message and help.
fn map_problem(map: &ObjectMap) -> Option<(&'static str, String, String)> {
    let name = &map.name;
    let Some(kind) = map.kind() else {
        let kinds: Vec<&str> = MapType::ALL.iter().map(|(_, _, name)| *name).collect();
        return Some((
            "unsupported-map",
            format!(
                "map {name} is of type {}, which hardpath does not build",
                map_type_name(map.map_type)
            ),
            format!("it builds maps of the types {}", kinds.join(", ")),
        ));
    };
    let wrong_key = map.key_bytes == 0 || map.key_bytes > 512 || !kind.key_fits(map.key_bytes);
    let wrong_value =
        map.value_bytes == 0 || map.value_bytes > 1 << 16 || !kind.value_fits(map.value_bytes);
    let too_large = u64::from(map.max_entries) * u64::from(map.value_bytes) > MAX_MAP_BYTES;
    let too_many = kind.has_slots() && map.max_entries > MOST_TARGETS;
    (wrong_key || wrong_value || too_large || too_many).then(|| {
        (
            "map-size",
            format!(
                "map {name} has keys of {} bytes, values of {} bytes and {} entries, which cannot be",
                map.key_bytes, map.value_bytes, map.max_entries
            ),
            "arrays and maps of redirect targets have keys of 4 bytes, tries of 5 to 260, other maps of 1 to 512; values have \
             1 to 65536 bytes, those of device and CPU maps 4 or 8, of socket maps 4"
                .to_string(),
        )
    })
}
