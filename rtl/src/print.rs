//! What the printers of the languages share: the steps **legalize** ([`rewrite`]) and **prettify** ([`plan`], [`names`]),
//! the order of the text ([`outline`]), and lines ([`lines`]).

mod banks;
pub(crate) mod constant;
mod fold;
pub(crate) mod foreign;
pub(crate) mod lines;
pub mod names;
pub(crate) mod outline;
mod parts;
pub(crate) mod plan;
pub(crate) mod rewrite;

use crate::foreign::Foreign;

/// What the shared steps must know of a language.
pub struct Language {
    /// What people call it.
    pub name: &'static str,
    /// The text of a foreign module.
    pub foreign_text: fn(&Foreign) -> Option<&String>,
    /// Lists of words, separated by white space, that cannot be names. The first one has those that the language reserves.
    pub words: &'static [&'static str],
    /// `Key` and `key` are one name.
    pub folds_case: bool,
    /// Underscores only stand between letters or digits, one at a time.
    pub joins_words_once: bool,
    /// A choice can be a part of an expression. Without that, it is a statement of its own.
    pub has_choices_in_expressions: bool,
    /// Fewest words of a memory: GHDL 2.0 cannot synthesize a memory of one.
    pub fewest_words: u32,
    /// The words of a memory have a type with a name.
    pub has_memory_types: bool,
    /// Any expression can be connected to an instance. Without that: signals, their parts, and constants.
    pub connects_expressions: bool,
    /// A constant address must be a signal (see [`crate::verilog`]).
    pub names_constant_addresses: bool,
    /// A constant of `width` bits from limbs of 64, least significant first.
    pub constant_text: fn(limbs: &[u64], width: u32) -> String,
    /// Most bits of a variable shift amount.
    pub shift_amount_bits: u32,
}

/// Why a design that passes [`crate::check::check`] has no text in a language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("module {module} cannot be printed in {language}: {message}")]
pub struct PrintError {
    /// Name of the module in the design.
    pub module: String,
    /// The language's.
    pub language: &'static str,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Language {
    fn words(&self) -> impl Iterator<Item = &'static str> {
        self.words.iter().flat_map(|list| list.split_whitespace())
    }

    /// Whether the word cannot be the name of anything.
    pub fn is_reserved(&self, name: &str) -> bool {
        self.words().any(|word| match self.folds_case {
            true => word.eq_ignore_ascii_case(name),
            false => word == name,
        })
    }
}
