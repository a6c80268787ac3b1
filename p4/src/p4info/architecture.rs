//! What architectures call the objects that a control plane knows.

use super::Kind;
use crate::design::Design;
use crate::typed::Program;
use crate::types::Type;

/// An extern that the control plane knows.
pub(super) struct Known {
    /// The name of the extern.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The argument that says how many there are, if one does.
    pub(super) size: &'static str,
    /// The place of the type of what is stored, among those that the extern takes.
    pub(super) data: usize,
    /// The place of the type of the index.
    pub(super) index: Option<usize>,
    /// An action selector.
    pub(super) selects: bool,
}

/// How an architecture writes what P4Info has.
pub(super) struct Architecture {
    /// The name that the control plane has for it.
    pub(super) name: String,
    /// Externs.
    pub(super) externs: &'static [Known],
    /// Properties of tables: what they are implemented by, and what is counted and metered with each entry.
    pub(super) implementation: &'static str,
    pub(super) direct: [&'static str; 2],
    /// The function that sends digests, if it is one.
    pub(super) digest_function: Option<&'static str>,
}

const fn known(name: &'static str, kind: Kind, size: &'static str) -> Known {
    Known {
        name,
        kind,
        size,
        data: 0,
        index: None,
        selects: false,
    }
}

const V1MODEL: &[Known] = &[
    Known {
        index: Some(0),
        ..known("counter", Kind::Counter, "size")
    },
    known("direct_counter", Kind::DirectCounter, ""),
    Known {
        index: Some(0),
        ..known("meter", Kind::Meter, "size")
    },
    known("direct_meter", Kind::DirectMeter, ""),
    Known {
        index: Some(1),
        ..known("register", Kind::Register, "size")
    },
    known("action_profile", Kind::ActionProfile, "size"),
    Known {
        selects: true,
        ..known("action_selector", Kind::ActionProfile, "size")
    },
];

const REGISTER: Known = Known {
    index: Some(1),
    ..known("Register", Kind::Register, "size")
};

const PORTABLE: &[Known] = &[
    Known {
        index: Some(1),
        ..known("Counter", Kind::Counter, "n_counters")
    },
    known("DirectCounter", Kind::DirectCounter, ""),
    Known {
        index: Some(0),
        ..known("Meter", Kind::Meter, "n_meters")
    },
    known("DirectMeter", Kind::DirectMeter, ""),
    REGISTER,
    known("ActionProfile", Kind::ActionProfile, "size"),
    Known {
        selects: true,
        ..known("ActionSelector", Kind::ActionProfile, "size")
    },
    known("Digest", Kind::Digest, ""),
];

impl Architecture {
    /// That of the package that `main` is one of; one that is not known has its name, and no objects.
    pub(super) fn of(program: &Program, design: &Design) -> Architecture {
        let package = match design.objects[design.main].of {
            Type::Object(number, _) => program.objects[number].name.as_str(),
            _ => "",
        };
        let none = Architecture {
            name: package.to_owned(),
            externs: &[],
            implementation: "",
            direct: ["", ""],
            digest_function: None,
        };
        match package {
            "V1Switch" => Architecture {
                name: "v1model".to_owned(),
                externs: V1MODEL,
                implementation: "implementation",
                direct: ["counters", "meters"],
                digest_function: Some("digest"),
            },
            "PSA_Switch" => Architecture {
                name: "psa".to_owned(),
                externs: PORTABLE,
                implementation: "psa_implementation",
                direct: ["psa_direct_counter", "psa_direct_meter"],
                ..none
            },
            "PNA_NIC" => Architecture {
                name: "pna".to_owned(),
                externs: PORTABLE,
                implementation: "pna_implementation",
                direct: ["pna_direct_counter", "pna_direct_meter"],
                ..none
            },
            "ubpf" => Architecture {
                externs: &[REGISTER],
                ..none
            },
            _ => none,
        }
    }

    /// What the control plane knows of an extern.
    pub(super) fn known(&self, name: &str) -> Option<&'static Known> {
        self.externs.iter().find(|one| one.name == name)
    }
}
