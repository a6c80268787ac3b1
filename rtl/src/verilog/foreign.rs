//! Foreign modules: the parameters of their instances.

use super::{constant, text};
use crate::foreign::{Foreign, Parameter};

/// Names and values of the parameters.
pub fn parameters(foreign: &Foreign) -> Vec<(String, String)> {
    let text = |value: &Parameter| match value {
        Parameter::Integer(value) => value.to_string(),
        Parameter::Bits(limbs, width) => constant::text(limbs, *width),
        Parameter::Text(value) => format!("\"{}\"", text::string(value)),
    };
    let parameters = foreign.parameters.iter();
    parameters
        .map(|(name, value)| (name.clone(), text(value)))
        .collect()
}
