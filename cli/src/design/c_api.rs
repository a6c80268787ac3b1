//! Functions in C for each table, register, counter, meter and action profile of a P4 program's design: `NAME_api.h` and `NAME_api.c`,
//! typed, and what they have in common in all designs, which is written here as it is (`c_api/runtime`).
//!
//! ```text
//! layouts ─► model (identifiers) ─► header       types and functions
//!                                └► descriptors  where fields stand, as the runtime reads it; bodies of the functions
//! ```
//!
//! The typed functions do nothing but hand their structs on: what is where in a struct, a key and a value stands in tables of
//! constants, so all that can be wrong is in the runtime once, and not in each design.

mod descriptors;
mod example;
mod functions;
mod header;
mod model;
mod names;

pub use example::{readme, row};

use self::model::Model;
use self::names::Names;
use hardpath_ir::maps::Image;
use hardpath_p4::lower::layout::Layout;
use hardpath_registers::Design;

/// What the files that all designs have in common are called. No module has such a name, so no design's file does.
pub const RUNTIME: &str = "hardpath-host";

const RUNTIME_HEADER: &str = include_str!("c_api/runtime/hardpath-host.h");
/// Its parts, in the order in which they use each other.
const RUNTIME_SOURCE: [&str; 5] = [
    include_str!("c_api/runtime/numbers.c"),
    include_str!("c_api/runtime/operations.c"),
    include_str!("c_api/runtime/tables.c"),
    include_str!("c_api/runtime/arrays.c"),
    include_str!("c_api/runtime/profiles.c"),
];

/// What a design's C is made of.
pub struct Source<'a> {
    /// The name of its top.
    pub top: &'a str,
    pub design: &'a Design,
    pub layouts: &'a [Layout],
    /// What maps hold by the program alone.
    pub first: &'a Image,
    /// The text of the header of its registers, whose names are taken.
    pub registers: &'a str,
}

impl Source<'_> {
    /// `None`: its program has nothing that a control plane changes.
    fn model(&self) -> Option<Model<'_>> {
        let taken = [RUNTIME_HEADER, self.registers].concat();
        let model = Model::of(
            self.top,
            self.design,
            self.layouts,
            Names::of_header(&taken),
        );
        (!model.is_empty()).then_some(model)
    }
}

/// Name and text of each file; none where the program has nothing that a control plane changes.
pub fn files(source: &Source) -> Vec<(String, String)> {
    let Some(model) = source.model() else {
        return Vec::new();
    };
    let top = source.top;
    vec![
        (format!("{top}_api.h"), header::text(top, &model)),
        (
            format!("{top}_api.c"),
            descriptors::text(top, &model, source.first),
        ),
        (format!("{RUNTIME}.h"), RUNTIME_HEADER.to_owned()),
        (format!("{RUNTIME}.c"), RUNTIME_SOURCE.concat()),
    ]
}

/// Bytes of the longest key, and of the longest value.
fn buffer_bytes(design: &Design) -> (u32, u32) {
    let keys = design.maps.iter().map(|map| map.key_bytes);
    let values = design.maps.iter().map(|map| map.value_bytes);
    (keys.max().unwrap_or(1), values.max().unwrap_or(1))
}
