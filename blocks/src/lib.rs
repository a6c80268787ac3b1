//! The hardware library, built with `rtl`. Blocks know frames, FIFOs, memories and AXI, but no programs.
//!
//! Every function here makes one module from a small description; the module's header is its contract.
#![warn(missing_docs)]

pub mod answer;
pub mod array;
pub mod async_fifo;
pub mod axi;
pub mod copier;
pub mod counters;
pub mod cuckoo;
pub mod cut_through;
pub mod device_list;
pub mod egress;
pub mod fifo;
pub mod hash;
pub mod host;
pub mod ingress;
pub mod interface;
pub mod interlock;
pub mod key_bits;
pub mod lpm;
mod matching;
pub mod may;
pub mod moved_egress;
pub mod moves;
mod one_hot;
pub mod output_stage;
pub mod packet_sum;
pub mod repeater;
pub mod replay_fifo;
pub mod same_key;
pub mod sweep;
pub mod ternary;

/// Bits that hold the numbers `0..count` (at least one).
pub fn index_bits(count: u64) -> u32 {
    (64 - count.saturating_sub(1).leading_zeros()).max(1)
}
