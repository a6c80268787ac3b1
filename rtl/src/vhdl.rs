//! The VHDL printer (IEEE 1076-2008, the subset that GHDL, Vivado and Quartus Prime share).
//!
//! The steps are those of the SystemVerilog printer, and the first two are shared: **legalize** and **prettify** in
//! [`crate::print`], **print** here ([`architecture`], [`expression`], [`text`]).
//!
//! What the text looks like, and why:
//!
//! * One entity a file, `<module>.vhd`, with one architecture, `rtl`. All files use the package in `<top>_pkg.vhd`,
//!   which has the few conversions that `ieee.numeric_std` lacks, and nothing else: no `std_logic_unsigned`, no
//!   `numeric_std_unsigned`.
//! * Ports and signals are `std_logic` and `std_logic_vector`; `unsigned` and `signed` stand only around
//!   arithmetic.
//! * Names are unique without regard to case. Where the design has a name that VHDL does not take (`__key`,
//!   `signal`), the nearest that it takes stands for it, also for modules and ports.
//! * Registers and memories start with the values that the native simulator gives them. Nets have no first value:
//!   a synthesizer would have to reconcile it with that of the register behind. So nets are `'U'` for the first delta
//!   cycle of a simulation, about which `numeric_std` warns, unless it is told not to: `ghdl -r …
//!   --ieee-asserts=disable-at-0`.
//! * Choices in a process are `if` statements, not conditional assignments, which some synthesizers do not take there.
//! * What is connected to an instance is a signal, a part of one, or a constant.
//! * A memory that is only read synchronously is a variable of its process: all its ports stand there, and GHDL needs
//!   one byte for a bit, where a signal takes a hundred. `ghdl --synth` finds the RAM in both forms.
//! * One with ports of several clocks is a signal, and has a process for each.
//! * The text of a foreign entity is a file of its own, as it was given. An instance sets its generics.
//! * An address outside of a memory whose depth is no power of two would stop a simulation: `index` gives 0 for
//!   it, in simulation only. What is read there is made zero by a flag beside the memory.
//! * Assertions stand between `translate_off` and `translate_on`.

mod architecture;
mod constant;
mod expression;
mod foreign;
mod package;
mod text;
mod words;

use crate::print::foreign::{texts, Text};
use crate::print::names::PublicNames;
use crate::print::{plan, rewrite, Language, PrintError};
use crate::{Design, ModuleId};

/// What the shared steps must know.
pub static LANGUAGE: Language = Language {
    name: "VHDL",
    foreign_text: |foreign| foreign.vhdl.as_ref(),
    words: &[words::VHDL, words::USED],
    folds_case: true,
    joins_words_once: true,
    has_choices_in_expressions: false,
    fewest_words: 2,
    has_memory_types: true,
    connects_expressions: false,
    names_constant_addresses: false,
    constant_text: constant::text,
    // A natural number has 31.
    shift_amount_bits: 31,
};

/// The text of one module, which is not foreign. The design has passed [`crate::check::check`].
pub fn print_module(design: &Design, module: ModuleId) -> String {
    let public = PublicNames::of(design, &LANGUAGE);
    let legal = rewrite::legalize(design, module, &LANGUAGE);
    let plan = plan::plan(design, module, &legal, &public);
    architecture::print(design, module, &legal, &plan, &public)
}

/// The package, then every module as a file: name (`<entity>.vhd`) and text, callees before callers. The design has passed
/// [`crate::check::check`].
///
/// # Errors
/// A foreign module has no text in this language, or a name that it does not take.
pub fn print(design: &Design) -> Result<Vec<(String, String)>, PrintError> {
    let public = PublicNames::of(design, &LANGUAGE);
    let package = package::name(design, &public);
    let package = (format!("{package}.vhd"), package::text(&package));
    let modules = texts(design, &LANGUAGE)?
        .into_iter()
        .map(|text| match text {
            Text::Made(id) => {
                let name = format!("{}.vhd", public.modules[id]);
                (name, print_module(design, id))
            }
            Text::Given(name, text) => (format!("{name}.vhd"), text.to_string()),
        });
    Ok([package].into_iter().chain(modules).collect())
}

/// What the top is called: its name in the design, or the nearest that VHDL takes.
pub fn top_name(design: &Design) -> String {
    PublicNames::of(design, &LANGUAGE).modules[design.top()].clone()
}
