//! What the compiler does to make designs small. Each can be left out, to see what it gains: `--without`.
//!
//! A design without any of them is what a direct translation of the instructions would be: one operation a stage, at
//! the full width, and everything that ever came up carried to the end in flip-flops. It is as right as any other.

use hardpath_rtl::Design;
use std::collections::BTreeSet;

/// Something that the compiler does to make designs small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Saving {
    /// A stage carries only the bits that a later stage uses. Without it all values and the packet's whole window go
    /// on to the stage in which the result leaves, and out of the design: tools would see that nobody reads them.
    Pruning,
    /// Operations that fit one clock share a stage. Without it each has its own, but for what must be done to a map's
    /// word between reading and writing it in one clock: that is about the rate.
    Chaining,
    /// Conditions say nothing twice, and choices take no more steps than they must. Without it guards and selects stay
    /// as the branches of the program make them.
    Conditions,
    /// Operations run on the bits that are neither known nor ignored. Without it: on the 64 bits of the instructions.
    Narrowing,
    /// Values that wait several stages do so in registers without reset, of which tools make shift registers. Without
    /// it every register has a reset.
    Srl,
    /// Chains of additions and logic become trees.
    Reassociation,
}

impl Saving {
    /// Each of them, in the order in which messages and tables have them.
    pub const ALL: [Saving; 6] = [
        Saving::Pruning,
        Saving::Chaining,
        Saving::Conditions,
        Saving::Narrowing,
        Saving::Srl,
        Saving::Reassociation,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Saving::Pruning => "pruning",
            Saving::Chaining => "chaining",
            Saving::Conditions => "conditions",
            Saving::Narrowing => "narrowing",
            Saving::Srl => "srl",
            Saving::Reassociation => "reassociation",
        }
    }

    /// The one of that name.
    pub fn find(name: &str) -> Option<Saving> {
        Saving::ALL.into_iter().find(|saving| saving.name() == name)
    }
}

/// What is left out.
pub type Without = BTreeSet<Saving>;

/// The passes that are left out.
pub(crate) fn omitted(without: &Without) -> hardpath_passes::Omitted {
    hardpath_passes::Omitted {
        simplify_select: without.contains(&Saving::Conditions),
        narrow: without.contains(&Saving::Narrowing),
        reassociate: without.contains(&Saving::Reassociation),
    }
}

/// Gives every register a reset.
pub(crate) fn reset_all(design: &mut Design) {
    for module in design.modules.values_mut() {
        for reg in module.regs.values_mut() {
            let limbs = reg.width.div_ceil(64) as usize;
            reg.reset.get_or_insert_with(|| vec![0; limbs]);
        }
    }
}
