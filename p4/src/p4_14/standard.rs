//! Metadata of the target: what P4_14 programs name it (§6, and the documents of the simple switch), and what v1model has.

use super::values::Word;

/// The metadata that every program has.
pub(super) const STANDARD: &str = "standard_metadata";
const INTRINSIC: &str = "intrinsic_metadata";
const QUEUEING: &str = "queueing_metadata";

/// Metadata, its field, what v1model calls that, and its bits.
const FIELDS: [(&str, &str, &str, u32); 25] = [
    (STANDARD, "ingress_port", "ingress_port", 9),
    (STANDARD, "egress_spec", "egress_spec", 9),
    (STANDARD, "egress_port", "egress_port", 9),
    (STANDARD, "instance_type", "instance_type", 32),
    (STANDARD, "packet_length", "packet_length", 32),
    (STANDARD, "enq_timestamp", "enq_timestamp", 32),
    (STANDARD, "enq_qdepth", "enq_qdepth", 19),
    (STANDARD, "deq_timedelta", "deq_timedelta", 32),
    (STANDARD, "deq_qdepth", "deq_qdepth", 19),
    (
        STANDARD,
        "ingress_global_timestamp",
        "ingress_global_timestamp",
        48,
    ),
    (
        STANDARD,
        "egress_global_timestamp",
        "egress_global_timestamp",
        48,
    ),
    (STANDARD, "mcast_grp", "mcast_grp", 16),
    (STANDARD, "egress_rid", "egress_rid", 16),
    (STANDARD, "egress_instance", "egress_rid", 16),
    (STANDARD, "checksum_error", "checksum_error", 1),
    (STANDARD, "priority", "priority", 3),
    (QUEUEING, "enq_timestamp", "enq_timestamp", 32),
    (QUEUEING, "enq_qdepth", "enq_qdepth", 19),
    (QUEUEING, "deq_timedelta", "deq_timedelta", 32),
    (QUEUEING, "deq_qdepth", "deq_qdepth", 19),
    (
        INTRINSIC,
        "ingress_global_timestamp",
        "ingress_global_timestamp",
        48,
    ),
    (
        INTRINSIC,
        "egress_global_timestamp",
        "egress_global_timestamp",
        48,
    ),
    (INTRINSIC, "mcast_grp", "mcast_grp", 16),
    (INTRINSIC, "egress_rid", "egress_rid", 16),
    (INTRINSIC, "priority", "priority", 3),
];

/// What v1model has of a field of metadata: the name there and its type.
pub(super) fn mapped(metadata: &str, field: &str) -> Option<(&'static str, Word)> {
    let mut all = FIELDS.iter();
    let found = all.find(|(of, name, ..)| *of == metadata && *name == field)?;
    let word = Word {
        width: found.3,
        signed: false,
    };
    Some((found.2, word))
}

/// All fields of [`STANDARD`] that a program can name.
pub(super) fn fields() -> impl Iterator<Item = &'static str> {
    let all = FIELDS.iter().filter(|(of, ..)| *of == STANDARD);
    all.map(|(_, name, ..)| *name)
}
