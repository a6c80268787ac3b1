//! Every block in the native simulator, beside a model in software, under seeded random sequences.

mod answers;
#[path = "../parts/around_cuckoo.rs"]
mod around_cuckoo;
mod array;
mod array_writers;
mod async_fifo;
mod bench;
mod capacity;
mod copier;
mod cuckoo;
mod cut_through;
mod device_list;
mod evict;
mod evict_rates;
mod fifo;
mod hash;
mod hash_bench;
mod hash_ports;
mod hash_ports_bench;
mod host;
// The tools are found by the tests of the printers; not all of them are needed here.
#[allow(dead_code)]
#[path = "../../../rtl/tests/printer/installed.rs"]
mod installed;
mod interlock;
mod lpm;
mod moved_egress;
mod proofs;
mod repeater;
mod replay_fifo;
mod streams;
mod ternary;
mod ternary_bench;
mod ternary_lint;
mod ternary_masks;
mod ternary_offsets;
mod ternary_places;
mod ternary_random;
