//! Where a redirected packet goes, in one 32-bit number.
//!
//! | bits 31:30 | bits 29:0 |
//! |---|---|
//! | 0, 1 | bits 30:0 are the index of an interface; 0: none |
//! | 2 | the number of a CPU (the key of a CPU map) |
//! | 3 | the number of an AF_XDP socket (the key of a socket map) |

/// Set for a CPU.
pub const CPU: u32 = 2 << 30;
/// Set for a socket.
pub const SOCKET: u32 = 3 << 30;

/// Takes away what says that it is a CPU or a socket.
const NUMBER: u32 = (1 << 30) - 1;

/// For a reader: `ifindex 5`, `CPU 1`, `socket 3`.
pub fn describe(destination: u32) -> String {
    let number = destination & NUMBER;
    match destination & SOCKET {
        SOCKET => format!("socket {number}"),
        CPU => format!("CPU {number}"),
        _ => format!("ifindex {destination}"),
    }
}
