//! Files of our own that programs can include: the core library, and architectures.

/// Their names, and what is in them.
const FILES: [(&str, &str); 14] = [
    ("core.p4", include_str!("../include/core.p4")),
    ("ebpf_model.p4", include_str!("../include/ebpf_model.p4")),
    (
        "hardpath_nic.p4",
        include_str!("../include/hardpath_nic.p4"),
    ),
    ("bmv2/pna.p4", include_str!("../include/bmv2/pna.p4")),
    ("dpdk/pna.p4", include_str!("../include/dpdk/pna.p4")),
    ("pna.p4", include_str!("../include/pna.p4")),
    ("tc/pna.p4", include_str!("../include/tc/pna.p4")),
    ("dpdk/psa.p4", include_str!("../include/dpdk/psa.p4")),
    ("bmv2/psa.p4", include_str!("../include/psa.p4")),
    ("psa.p4", include_str!("../include/psa.p4")),
    ("ubpf_model.p4", include_str!("../include/ubpf_model.p4")),
    ("v1model.p4", include_str!("../include/v1model.p4")),
    ("xdp_model.p4", include_str!("../include/xdp_model.p4")),
    ("xsa.p4", include_str!("../include/xsa.p4")),
];

/// Descriptions of architectures, by the packages that programs make, and how many parameters these have.
const ARCHITECTURES: [(&str, usize, &str); 9] = [
    ("V1Switch", 6, include_str!("../architectures/v1model.p4")),
    ("PSA_Switch", 4, include_str!("../architectures/psa.p4")),
    ("PNA_NIC", 3, include_str!("../architectures/pna.p4")),
    ("PNA_NIC", 4, include_str!("../architectures/pna_pre.p4")),
    (
        "ebpfFilter",
        2,
        include_str!("../architectures/ebpf_model.p4"),
    ),
    ("ubpf", 3, include_str!("../architectures/ubpf_model.p4")),
    ("xdp", 3, include_str!("../architectures/xdp_model.p4")),
    ("XilinxPipeline", 3, include_str!("../architectures/xsa.p4")),
    (
        "HardpathNic",
        3,
        include_str!("../architectures/hardpath_nic.p4"),
    ),
];

/// What messages call the description of the architecture.
pub const ARCHITECTURE_FILE: &str = "architecture";
/// What descriptions are made with: whoever describes an architecture of his own may include it.
pub const SUPPORT_FILE: &str = "hardpath_architecture.p4";
/// What is in it.
pub const SUPPORT: &str = include_str!("../architectures/support.p4");

/// Packages whose architecture is known.
pub fn packages() -> impl Iterator<Item = &'static str> {
    let names: std::collections::BTreeSet<&str> =
        ARCHITECTURES.iter().map(|(name, ..)| *name).collect();
    names.into_iter()
}

/// Whether a file of a program is one of ours, and not of who wrote it.
pub fn is_own(file: &str) -> bool {
    name_of(file).is_some() || file == ARCHITECTURE_FILE
}

/// The description of the architecture that has this package, with so many parameters.
pub fn architecture(package: &str, parameters: usize) -> Option<&'static str> {
    let mut all = ARCHITECTURES.iter();
    let found = all.find(|(known, count, _)| *known == package && *count == parameters);
    found.map(|(.., text)| *text)
}

/// Files that only those include, or descriptions of architectures.
const PARTS: [(&str, &str); 2] = [
    ("pna_common.p4", include_str!("../include/pna_common.p4")),
    (SUPPORT_FILE, SUPPORT),
];

/// The names of all that programs include.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// In front of their names, where messages tell of them.
const FOLDER: &str = "hardpath";

/// What messages call one of our files.
pub fn shown(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// The name of one of ours, of what messages call it.
pub fn name_of(shown: &str) -> Option<&str> {
    shown.strip_prefix(FOLDER)?.strip_prefix('/')
}

/// The file that is included by this name.
pub fn file(name: &str) -> Option<&'static str> {
    let mut files = FILES.iter().chain(&PARTS);
    let found = files.find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
