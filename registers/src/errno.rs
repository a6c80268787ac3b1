//! What a command of the host can come to, as the kernel numbers it (`include/uapi/asm-generic/errno-base.h`); 0: it was done.

/// There is no such entry; the slot is empty.
pub const ENOENT: u32 = 2;
/// The map is full; there is no such index.
pub const E2BIG: u32 = 7;
/// The value names no socket.
pub const EBADF: u32 = 9;
/// The entry exists.
pub const EEXIST: u32 = 17;
/// No such map, command, flag or slot, or nothing that this kind of map does.
pub const EINVAL: u32 = 22;

/// There is no room for another prefix.
pub const ENOSPC: u32 = 28;

/// Its name, for messages.
pub fn name(errno: u32) -> String {
    match errno {
        ENOENT => "ENOENT".into(),
        E2BIG => "E2BIG (the map is full)".into(),
        EBADF => "EBADF".into(),
        EEXIST => "EEXIST".into(),
        EINVAL => "EINVAL".into(),
        ENOSPC => "ENOSPC (the map is full)".into(),
        other => format!("errno {other}"),
    }
}
