//! Foreign modules: the generics of their instances.

use super::{constant, text};
use crate::foreign::{Foreign, Parameter};

/// Names and values of the generics. A vector of one bit is a `std_logic`.
pub fn generics(foreign: &Foreign) -> Vec<(String, String)> {
    let text = |value: &Parameter| match value {
        Parameter::Integer(value) => value.to_string(),
        Parameter::Bits(limbs, width) => constant::text(limbs, *width),
        Parameter::Text(value) => text::string(value),
    };
    let generics = foreign.parameters.iter();
    generics
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}
