//! Type information for programs with callbacks and with tail calls in functions: the kernel wants to know of every
//! function that it is a static one before a program may do that (`kernel/bpf/verifier.c`).
//!
//! The judged copy says no more than that: all functions are `static int function(void)`. What a static function
//! takes, the verifier sees where it is called.

use super::syscall;
use std::io;
use std::os::fd::OwnedFd;

/// What a program's functions are, for `BPF_PROG_LOAD`.
pub struct FunctionInfo {
    pub btf: OwnedFd,
    /// `struct bpf_func_info` of each function, in order.
    pub records: Vec<[u32; 2]>,
}

/// Describes the functions that begin at these slots, in ascending order.
pub fn describe(starts: impl IntoIterator<Item = usize>) -> io::Result<FunctionInfo> {
    let btf = syscall::btf_load(&types())?;
    let records = starts
        .into_iter()
        .map(|start| [start as u32, FUNCTION_TYPE])
        .collect();
    Ok(FunctionInfo { btf, records })
}

/// Number of the type `function` in [`types`]; the first one is 1.
const FUNCTION_TYPE: u32 = 3;

/// A BTF blob (`include/uapi/linux/btf.h`).
fn types() -> Vec<u8> {
    const MAGIC_AND_VERSION: u32 = 0x0001_eb9f;
    const HEADER_BYTES: u32 = 24;
    const KIND_INT: u32 = 1 << 24;
    const KIND_FUNCTION: u32 = 12 << 24;
    const KIND_PROTOTYPE: u32 = 13 << 24;
    const SIGNED_32_BITS: u32 = 1 << 24 | 32;
    const INT_TYPE: u32 = 1;
    const PROTOTYPE_TYPE: u32 = 2;
    let names = b"\0int\0function\0";
    let types: [u32; 10] = [
        // int
        1,
        KIND_INT,
        4,
        SIGNED_32_BITS, //
        // int (void)
        0,
        KIND_PROTOTYPE,
        INT_TYPE, //
        // static int function(void)
        5,
        KIND_FUNCTION,
        PROTOTYPE_TYPE,
    ];
    let type_bytes = size_of_val(&types) as u32;
    let header: [u32; 6] = [
        MAGIC_AND_VERSION,
        HEADER_BYTES,
        0,
        type_bytes,
        type_bytes,
        names.len() as u32,
    ];
    let words = header.iter().chain(&types);
    let mut blob: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    blob.extend(names);
    blob
}
