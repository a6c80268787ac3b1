//! Object file → program IR: ELF, BTF, relocation, decoding, lifting of registers, stack and pointers.
//!
//! ```text
//! bytes ──load──► Object { maps, programs } ──choose──► ProgramImage ──lift──► hardpath_ir::Program
//! ```
//!
//! [`load`] gives linked programs that the kernel accepts as they are once map file descriptors are filled in;
//! [`lift`] gives the meaning of one of them. Nothing here knows of hardware.

#![deny(missing_docs)]

mod btf;
mod btf_ext;
mod constant_value;
mod constants;
mod core_relocation;
mod decode;
mod elf;
mod events;
mod globals;
mod helper_advice;
mod helper_names;
pub mod helpers;
mod insn;
pub mod instructions;
mod left_open;
mod lift;
mod link;
mod map_decls;
mod object;
mod prog_array;
mod sections;
pub mod tables;

pub use constants::{SectionContents, SetBytes};
pub use events::{event_calls, EventCall};
pub use globals::Globals;
pub use insn::Insn;
pub use left_open::LeftOpen;
pub use lift::{
    lift, lift_in_part, lift_noting, lift_raw, lift_raw_structured, lift_returned, lift_structured,
    limits, Lifted,
};
pub use map_decls::MTU_MAP;
pub use object::{
    load, LoadOptions, MapRef, MapRefKind, Object, ObjectFunction, ObjectMap, ProgramImage,
    TailCall,
};
pub use sections::Hook;
