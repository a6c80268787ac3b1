//! What Linux calls things, and what it answers: map types, flags, errors, XDP's actions, and the JSON of bpftool.
//!
//! Tables of hardware answer an [`Answer`](hardpath_registers::Answer) and are told what they
//! [`May`](hardpath_registers::May) do; the numbers of `bpf(2)` are made here, for those who have them in a program (the
//! front end) and for those who have them in a call (a host library). No compiler stands behind this crate.
#![warn(missing_docs)]

pub mod errno;
pub mod flag;
mod map_type;
pub mod mapfile;
pub mod xdp;

pub use map_type::{first_word, has_program, MapType};

/// The entries of a map: values by their keys, both in memory order.
pub type Entries = hardpath_registers::Entries;

/// The contents of several maps, by full ELF name.
pub type Image = std::collections::BTreeMap<String, Entries>;
