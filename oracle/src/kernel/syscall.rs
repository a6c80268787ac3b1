//! The few commands of bpf(2) that the judge needs, each as one function.
//!
//! The structures are those of `union bpf_attr` in the kernel's `include/uapi/linux/bpf.h`, cut behind the last
//! field that is used: the kernel takes what is missing as zero. All functions give the kernel's errno as
//! [`io::Error`].

use super::btf::MapTypes;
use super::functions::FunctionInfo;
use hardpath_ebpf::Insn;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// `enum bpf_map_type`.
pub const MAP_TYPE_ARRAY: u32 = 2;
pub const MAP_TYPE_PROG_ARRAY: u32 = 3;
pub const MAP_TYPE_RINGBUF: u32 = 27;

/// `map_flags`: the program may only read the map (`.rodata`).
pub const MAP_READ_ONLY_FOR_PROGRAM: u32 = 1 << 7;
/// `BPF_F_NO_COMMON_LRU`.
pub const MAP_OWN_LRU_LISTS: u32 = 1 << 1;
/// `map_flags`: the map's memory can be mapped into this process.
pub const MAP_MEMORY_MAPPABLE: u32 = 1 << 10;

/// `prog_flags`: the program understands packets in several buffers (section `xdp.frags`).
pub const PROGRAM_HAS_FRAGS: u32 = 1 << 5;
/// `prog_flags` (`BPF_F_TEST_STATE_FREQ`): the verifier keeps a state at every jump.
pub const PROGRAM_MANY_STATES: u32 = 1 << 3;

const COMMAND_MAP_CREATE: libc::c_long = 0;
const COMMAND_MAP_LOOKUP: libc::c_long = 1;
const COMMAND_MAP_UPDATE: libc::c_long = 2;
const COMMAND_MAP_DELETE: libc::c_long = 3;
const COMMAND_MAP_NEXT_KEY: libc::c_long = 4;
const COMMAND_PROGRAM_LOAD: libc::c_long = 5;
const COMMAND_PROGRAM_TEST_RUN: libc::c_long = 10;
const COMMAND_BTF_LOAD: libc::c_long = 18;
const COMMAND_MAP_FREEZE: libc::c_long = 22;

const PROGRAM_TYPE_XDP: u32 = 6;
const ATTACH_TYPE_XDP: u32 = 37;
/// `BPF_LOG_STATS`: the log has the stack depth of each function and nothing about single instructions.
const LOG_STATISTICS: u32 = 4;
/// `BPF_LOG_LEVEL1`: the way to the refusal.
const LOG_INSTRUCTIONS: u32 = 1;
/// `BPF_LOG_LEVEL2`: every way.
const LOG_ALL_WAYS: u32 = 2;

/// `struct xdp_md`, as it goes into and comes out of a test run.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct XdpContext {
    pub data: u32,
    pub data_end: u32,
    pub data_meta: u32,
    pub ingress_ifindex: u32,
    pub rx_queue_index: u32,
    pub egress_ifindex: u32,
}

/// What a test run gives beside the packet's bytes.
#[derive(Clone, Copy, Debug)]
pub struct TestRunResult {
    pub return_value: u32,
    /// Bytes written into `data_out`: metadata first, then the packet.
    pub data_length: usize,
    pub context: XdpContext,
}

/// A program that the verifier took, and what its log says.
pub struct LoadedProgram {
    pub fd: OwnedFd,
    pub log: String,
}

/// Why a program could not be loaded.
pub struct LoadError {
    pub error: io::Error,
    pub log: String,
}

#[repr(C)]
struct MapCreate {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
    map_flags: u32,
    inner_map_fd: u32,
    numa_node: u32,
    map_name: [u8; 16],
    map_ifindex: u32,
    btf_fd: u32,
    btf_key_type_id: u32,
    btf_value_type_id: u32,
}

/// Creates a map (`BPF_MAP_CREATE`). Of `name`, the first 15 characters that the kernel allows are kept. `types` only
/// where the kernel must know them.
pub fn map_create(
    name: &str,
    map_type: u32,
    key_bytes: u32,
    value_bytes: u32,
    max_entries: u32,
    flags: u32,
    types: Option<&MapTypes>,
) -> io::Result<OwnedFd> {
    let mut attr = MapCreate {
        map_type,
        key_size: key_bytes,
        value_size: value_bytes,
        max_entries,
        map_flags: flags,
        inner_map_fd: 0,
        numa_node: 0,
        map_name: object_name(name),
        map_ifindex: 0,
        btf_fd: types.map_or(0, |types| types.btf.as_raw_fd() as u32),
        btf_key_type_id: types.map_or(0, |types| types.key),
        btf_value_type_id: types.map_or(0, |types| types.value),
    };
    let fd = bpf(COMMAND_MAP_CREATE, &mut attr)?;
    // SAFETY: the kernel has just given this descriptor to us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[repr(C)]
struct MapElement {
    map_fd: u32,
    padding: u32,
    key: u64,
    /// For `BPF_MAP_GET_NEXT_KEY` the address of the next key.
    value: u64,
    flags: u64,
}

/// Reads an entry (`BPF_MAP_LOOKUP_ELEM`). `value` has the map's value size; of a per-CPU map, the value size
/// rounded up to 8 for each possible CPU.
pub fn map_lookup(map: &OwnedFd, key: &[u8], value: &mut [u8]) -> io::Result<()> {
    let mut attr = element(map, key.as_ptr(), value.as_mut_ptr(), 0);
    bpf(COMMAND_MAP_LOOKUP, &mut attr).map(drop)
}

/// Writes an entry (`BPF_MAP_UPDATE_ELEM`). `flags`: 0 any, 1 only if absent, 2 only if present.
pub fn map_update(map: &OwnedFd, key: &[u8], value: &[u8], flags: u64) -> io::Result<()> {
    let mut attr = element(map, key.as_ptr(), value.as_ptr(), flags);
    bpf(COMMAND_MAP_UPDATE, &mut attr).map(drop)
}

/// Removes an entry (`BPF_MAP_DELETE_ELEM`).
pub fn map_delete(map: &OwnedFd, key: &[u8]) -> io::Result<()> {
    let mut attr = element(map, key.as_ptr(), std::ptr::null(), 0);
    bpf(COMMAND_MAP_DELETE, &mut attr).map(drop)
}

/// The key behind `key`, or the first one (`BPF_MAP_GET_NEXT_KEY`). `None` at the end.
pub fn map_next_key(map: &OwnedFd, key: Option<&[u8]>, next: &mut [u8]) -> io::Result<Option<()>> {
    let key = key.map_or(std::ptr::null(), |key| key.as_ptr());
    let mut attr = element(map, key, next.as_mut_ptr(), 0);
    match bpf(COMMAND_MAP_NEXT_KEY, &mut attr) {
        Ok(_) => Ok(Some(())),
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Forbids this process to change a map from now on (`BPF_MAP_FREEZE`).
pub fn map_freeze(map: &OwnedFd) -> io::Result<()> {
    let mut attr = element(map, std::ptr::null(), std::ptr::null(), 0);
    // The command looks at the descriptor only and wants everything behind it to be zero.
    bpf(COMMAND_MAP_FREEZE, &mut attr).map(drop)
}

#[repr(C)]
struct BtfLoad {
    btf: u64,
    log_buffer: u64,
    btf_size: u32,
    log_size: u32,
    log_level: u32,
    padding: u32,
}

/// Loads type information (`BPF_BTF_LOAD`).
pub fn btf_load(btf: &[u8]) -> io::Result<OwnedFd> {
    let mut attr = BtfLoad {
        btf: btf.as_ptr() as u64,
        log_buffer: 0,
        btf_size: btf.len() as u32,
        log_size: 0,
        log_level: 0,
        padding: 0,
    };
    let fd = bpf(COMMAND_BTF_LOAD, &mut attr)?;
    // SAFETY: the kernel has just given this descriptor to us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[repr(C)]
struct ProgramLoad {
    program_type: u32,
    instruction_count: u32,
    instructions: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log_buffer: u64,
    kernel_version: u32,
    program_flags: u32,
    program_name: [u8; 16],
    program_ifindex: u32,
    expected_attach_type: u32,
    btf_fd: u32,
    function_info_record_size: u32,
    function_info: u64,
    function_info_count: u32,
    line_info_record_size: u32,
}

/// Loads an XDP program under a GPL-compatible licence (`BPF_PROG_LOAD`). The log of a program that was taken
/// has the verifier's statistics; that of a refused one tells every instruction up to the refusal.
pub fn program_load(
    name: &str,
    code: &[Insn],
    program_flags: u32,
    functions: Option<&FunctionInfo>,
) -> Result<LoadedProgram, LoadError> {
    const LOG_BYTES: usize = 1 << 20;
    let load = |log_level| {
        program_load_with_log(name, code, program_flags, functions, log_level, LOG_BYTES)
    };
    let refused = match load(LOG_STATISTICS) {
        Err(refused) if refused.error.raw_os_error() != Some(libc::EPERM) => refused,
        answer => return answer,
    };
    // The second refusal says more, but its errno may be that the log is longer than the buffer.
    let log_level = LOG_STATISTICS | LOG_INSTRUCTIONS;
    load(log_level).map_err(|explained| LoadError {
        error: refused.error,
        log: explained.log,
    })
}

/// The same with a log of every instruction that the verifier looked at, as often as it did: `4: (61) r0 = …`. A program
/// whose log is longer than 64 MiB is refused (`ENOSPC`).
pub fn program_load_followed(
    name: &str,
    code: &[Insn],
    program_flags: u32,
    functions: Option<&FunctionInfo>,
) -> Result<LoadedProgram, LoadError> {
    const LOG_BYTES: usize = 64 << 20;
    program_load_with_log(
        name,
        code,
        program_flags,
        functions,
        LOG_ALL_WAYS,
        LOG_BYTES,
    )
}

fn program_load_with_log(
    name: &str,
    code: &[Insn],
    program_flags: u32,
    functions: Option<&FunctionInfo>,
    log_level: u32,
    log_bytes: usize,
) -> Result<LoadedProgram, LoadError> {
    let instructions: Vec<u8> = code.iter().flat_map(|insn| insn.to_bytes()).collect();
    let records = functions.map_or(&[][..], |functions| &functions.records);
    // A log that is longer than the buffer loses its beginning (since Linux 6.4), and we want its end.
    let mut log = vec![0_u8; log_bytes];
    let mut attr = ProgramLoad {
        program_type: PROGRAM_TYPE_XDP,
        instruction_count: code.len() as u32,
        instructions: instructions.as_ptr() as u64,
        license: c"Dual MIT/GPL".as_ptr() as u64,
        log_level,
        log_size: log.len() as u32,
        log_buffer: log.as_mut_ptr() as u64,
        kernel_version: 0,
        program_flags,
        program_name: object_name(name),
        program_ifindex: 0,
        expected_attach_type: ATTACH_TYPE_XDP,
        btf_fd: functions.map_or(0, |functions| functions.btf.as_raw_fd() as u32),
        function_info_record_size: size_of::<[u32; 2]>() as u32,
        function_info: records.as_ptr() as u64,
        function_info_count: records.len() as u32,
        line_info_record_size: 0,
    };
    let result = bpf(COMMAND_PROGRAM_LOAD, &mut attr);
    let length = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    let log = String::from_utf8_lossy(&log[..length]).into_owned();
    match result {
        Ok(fd) => Ok(LoadedProgram {
            // SAFETY: the kernel has just given this descriptor to us alone.
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
            log,
        }),
        Err(error) => Err(LoadError { error, log }),
    }
}

#[repr(C)]
struct ProgramTestRun {
    program_fd: u32,
    return_value: u32,
    data_size_in: u32,
    data_size_out: u32,
    data_in: u64,
    data_out: u64,
    repeat: u32,
    duration: u32,
    context_size_in: u32,
    context_size_out: u32,
    context_in: u64,
    context_out: u64,
    flags: u32,
    cpu: u32,
    batch_size: u32,
    padding: u32,
}

/// Runs an XDP program once over a packet (`BPF_PROG_TEST_RUN`). Interfaces are those of the calling thread's
/// network namespace.
pub fn program_test_run(
    program: &OwnedFd,
    packet: &[u8],
    context: &XdpContext,
    data_out: &mut [u8],
) -> io::Result<TestRunResult> {
    let mut context_out = XdpContext::default();
    let context_bytes = size_of::<XdpContext>() as u32;
    let mut attr = ProgramTestRun {
        program_fd: program.as_raw_fd() as u32,
        return_value: 0,
        data_size_in: packet.len() as u32,
        data_size_out: data_out.len() as u32,
        data_in: packet.as_ptr() as u64,
        data_out: data_out.as_mut_ptr() as u64,
        repeat: 1,
        duration: 0,
        context_size_in: context_bytes,
        context_size_out: context_bytes,
        context_in: context as *const XdpContext as u64,
        context_out: &mut context_out as *mut XdpContext as u64,
        flags: 0,
        cpu: 0,
        batch_size: 0,
        padding: 0,
    };
    bpf(COMMAND_PROGRAM_TEST_RUN, &mut attr)?;
    Ok(TestRunResult {
        return_value: attr.return_value,
        data_length: attr.data_size_out as usize,
        context: context_out,
    })
}

fn element(map: &OwnedFd, key: *const u8, value: *const u8, flags: u64) -> MapElement {
    MapElement {
        map_fd: map.as_raw_fd() as u32,
        padding: 0,
        key: key as u64,
        value: value as u64,
        flags,
    }
}

/// A name as the kernel keeps it: at most 15 letters, digits, `_` and `.`.
fn object_name(name: &str) -> [u8; 16] {
    let mut kept = [0; 16];
    let allowed = name
        .bytes()
        .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    for (place, byte) in kept[..15].iter_mut().zip(allowed) {
        *place = byte;
    }
    kept
}

/// The system call. `EAGAIN` from the verifier (a signal came) and `EINTR` are tried again.
fn bpf<T>(command: libc::c_long, attr: &mut T) -> io::Result<i32> {
    loop {
        // SAFETY: `attr` is a prefix of `union bpf_attr`, its size is given, and every address in it belongs to
        // a buffer that the caller borrows for the time of the call and whose length the kernel knows.
        let result = unsafe {
            libc::syscall(
                libc::SYS_bpf,
                command,
                attr as *mut T,
                size_of::<T>() as libc::c_ulong,
            )
        };
        if result >= 0 {
            return Ok(result as i32);
        }
        let error = io::Error::last_os_error();
        if !matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EINTR)) {
            return Err(error);
        }
    }
}

/// A new AF_XDP socket that is bound to nothing. Needs CAP_NET_RAW.
pub fn xdp_socket() -> io::Result<OwnedFd> {
    // SAFETY: makes a descriptor that nobody else knows.
    let fd = unsafe { libc::socket(libc::AF_XDP, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
    match fd {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: as above.
        _ => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
    }
}
