//! Type information for programs with callbacks and with tail calls in functions: the kernel wants to know of every
//! function that it is a static one before a program may do that (`kernel/bpf/verifier.c`).
//!
//! The judged copy says no more than that: all functions are `static int function(void)`. What a static function
//! takes, the verifier sees where it is called.

use super::{btf, syscall};
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

/// Numbers of types in [`types`].
const INT_TYPE: u32 = 1;
const PROTOTYPE_TYPE: u32 = 2;
const FUNCTION_TYPE: u32 = 3;

fn types() -> Vec<u8> {
    let types: [u32; 10] = [
        // int
        1,
        btf::INT,
        4,
        btf::SIGNED_32_BITS, //
        // int (void)
        0,
        btf::PROTOTYPE,
        INT_TYPE, //
        // static int function(void)
        5,
        btf::FUNCTION,
        PROTOTYPE_TYPE,
    ];
    btf::blob(&types, b"\0int\0function\0")
}
