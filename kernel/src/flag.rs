//! Flags of `bpf_map_update_elem` (`include/uapi/linux/bpf.h`).

use crate::MapType;
use hardpath_registers::May;

/// The entry may exist or not.
pub const ANY: u64 = 0;
/// Only a key that is not there.
pub const NOEXIST: u64 = 1;
/// Only a key that is there.
pub const EXIST: u64 = 2;
/// Needs a spin lock in the value.
pub const LOCK: u64 = 4;

/// What an update with these flags may do. Flags that the kernel does not know give nothing; what it then answers is
/// [`errno::of_update`](crate::errno::of_update)'s.
///
/// A device or CPU map asks for no key: [`EXIST`] puts one in, and [`NOEXIST`] never does (`__dev_map_update_elem`,
/// `__cpu_map_update_elem`). One of devices by hash keeps to [`NOEXIST`] alone (`__dev_map_hash_update_elem`). An array looks at
/// [`LOCK`] last.
pub fn may(map_type: MapType, flags: u64) -> May {
    let by_number = matches!(map_type, MapType::DevMap | MapType::CpuMap);
    match flags {
        _ if map_type.is_array() && flags == NOEXIST | LOCK => May::CREATE,
        ANY => May::PUT,
        NOEXIST if by_number => May::NOTHING,
        NOEXIST => May::CREATE,
        EXIST if by_number || map_type == MapType::DevMapHash => May::PUT,
        EXIST => May::REPLACE,
        _ => May::NOTHING,
    }
}
