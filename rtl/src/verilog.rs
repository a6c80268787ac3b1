//! The SystemVerilog printer (IEEE 1800-2012, the subset that Verilator, yosys and Vivado share).
//!
//! In three steps, the first two of them in [`crate::print`]: **legalize** ([`rewrite`]) makes a copy in which every node can be printed as it is; **prettify**
//! ([`plan`], [`crate::print::names`]) decides what is a signal and what it is called; **print** ([`layout`], [`sections`],
//! [`expression`], [`text`]) writes what was decided. Dead nodes, registers and memories are not printed.
//!
//! What the text looks like, and why:
//!
//! * One module a file, `<module>.sv`, between `` `default_nettype none `` and `wire`.
//! * It passes `verilator --lint-only -Wall` without waivers.
//! * Registers and memories start with the values that the native simulator gives them. They get them in `initial`
//!   blocks: Verilator warns of an initial value in the declaration of a variable that is assigned elsewhere
//!   (PROCASSINIT). A variable of an `always_ff` block may be written by no other process, not even `initial`
//!   (IEEE 1800-2012, 9.2.2.4), so the clocked blocks are `always @(posedge clk)`.
//! * Reset is the last assignment of a block and names only the registers that have one.
//! * Bits that nobody reads are named once, in `_unused_ok`; instance outputs that nobody reads are
//!   `unused_<instance>_<port>`. Both are ordinary nets, which Verilator knows by their names.
//! * A memory whose depth is no power of two is given more words where they cost nothing; else a flag beside it
//!   makes reads outside of it zero. Writes outside never happen.
//! * An address that is a constant is a net of its own: yosys builds a memory of registers when it is written at a
//!   constant address.
//! * Memories of more than 1,024 words get their zeros in simulation only. FPGA memories start as zeros, and yosys takes minutes to
//!   unroll long loops.
//! * The text of a foreign module is a file of its own, as it was given. An instance sets its parameters.
//! * Assertions stand behind `` `ifndef SYNTHESIS ``, which yosys and Vivado define.
//!
//! Known and not worked around: yosys 0.23 stops at a memory of 512 or more words that is written and read at the
//! same address and becomes LUT RAM (`invalid OPTION_ABITS/WIDTH combination`). Give such a memory the style `Block`.

mod constant;
mod expression;
mod foreign;
mod layout;
mod sections;
mod text;
mod words;

use crate::print::foreign::{texts, Text};
use crate::print::names::PublicNames;
use crate::print::{plan, rewrite, Language, PrintError};
use crate::{Design, ModuleId};

/// What the shared steps must know.
pub static LANGUAGE: Language = Language {
    name: "SystemVerilog",
    foreign_text: |foreign| foreign.verilog.as_ref(),
    words: &[words::SYSTEM_VERILOG, words::C_PLUS_PLUS],
    folds_case: false,
    joins_words_once: false,
    has_choices_in_expressions: true,
    fewest_words: 1,
    has_memory_types: false,
    connects_expressions: true,
    names_constant_addresses: true,
    constant_text: constant::text,
    shift_amount_bits: 32,
};

/// The text of one module, which is not foreign. The design has passed [`crate::check::check`].
pub fn print_module(design: &Design, module: ModuleId) -> String {
    let public = PublicNames::of(design, &LANGUAGE);
    let legal = rewrite::legalize(design, module, &LANGUAGE);
    let plan = plan::plan(design, module, &legal, &public);
    layout::print(design, module, &legal, &plan)
}

/// The design as its text has it: sums and compares that are to be logic are gates, memories have as many words as are
/// printed.
pub fn as_printed(design: &Design) -> Design {
    let mut printed = Design::new();
    for (module, data) in design.modules.iter() {
        if data.foreign.is_some() {
            printed.add(data.clone());
            continue;
        }
        let mut legal = rewrite::legalize(design, module, &LANGUAGE);
        for (memory, depth) in legal.depth.iter() {
            if let Some(data) = legal.module.mems.get_mut(memory) {
                data.depth = *depth;
            }
        }
        printed.add(legal.module);
    }
    printed
}

/// Every module as a file: name (`<module>.sv`) and text, callees before callers. The design has passed
/// [`crate::check::check`].
///
/// # Errors
/// A foreign module has no text in this language.
pub fn print(design: &Design) -> Result<Vec<(String, String)>, PrintError> {
    let texts = texts(design, &LANGUAGE)?.into_iter();
    let files = texts.map(|text| match text {
        Text::Made(id) => {
            let name = &design.modules[id].name;
            (format!("{name}.sv"), print_module(design, id))
        }
        Text::Given(name, text) => (format!("{name}.sv"), text.to_string()),
    });
    Ok(files.collect())
}
