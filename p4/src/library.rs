//! Files of our own that programs can include: the core library, and architectures.

/// Their names, and what is in them.
const FILES: [(&str, &str); 7] = [
    ("core.p4", include_str!("../include/core.p4")),
    ("ebpf_model.p4", include_str!("../include/ebpf_model.p4")),
    ("bmv2/psa.p4", include_str!("../include/psa.p4")),
    ("psa.p4", include_str!("../include/psa.p4")),
    ("ubpf_model.p4", include_str!("../include/ubpf_model.p4")),
    ("v1model.p4", include_str!("../include/v1model.p4")),
    ("xdp_model.p4", include_str!("../include/xdp_model.p4")),
];

/// The names of all of them.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// In front of their names, where messages tell of them.
pub const FOLDER: &str = "hardpath";

/// The file that is included by this name.
pub fn file(name: &str) -> Option<&'static str> {
    let mut files = FILES.iter();
    let found = files.find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
