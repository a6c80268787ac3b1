//! Where a redirected packet goes, in one 32-bit number.
//!
//! | bits 31:30 | bits 29:0 |
//! |---|---|
//! | 0, 1 | bits 30:0 are the index of an interface; 0: none |
//! | 2 | the number of a CPU (the key of a CPU map) |
//! | 3 | bit 29 is 0: the number of an AF_XDP socket (the key of a socket map) |
//! | 3 | bit 29 is 1: a broadcast to all interfaces in a device map, whose number is in bits 27:0; bit 28: not to the interface that the packet came in at |
//!
//! No packet leaves a design with a broadcast as its destination: each copy has the index of its interface.

use crate::MapId;
use cranelift_entity::EntityRef;

/// Set for a CPU.
pub const CPU: u32 = 2 << 30;
/// Set for a socket.
pub const SOCKET: u32 = 3 << 30;
/// Set for a broadcast.
pub const BROADCAST: u32 = 7 << 29;
/// In a broadcast: not to the interface that the packet came in at.
pub const EXCLUDE_INGRESS: u32 = 1 << 28;
/// Numbers of CPUs and sockets are smaller.
pub const NUMBERS: u32 = 1 << 29;

/// A broadcast through a map, with or without the interface that the packet came in at.
pub fn broadcast(map: MapId, exclude_ingress: bool) -> u32 {
    let exclude = if exclude_ingress { EXCLUDE_INGRESS } else { 0 };
    BROADCAST | exclude | map.as_u32()
}

/// The map of a broadcast, and whether the interface that the packet came in at is left out.
pub fn broadcast_map(destination: u32) -> Option<(MapId, bool)> {
    let map = MapId::new((destination & (EXCLUDE_INGRESS - 1)) as usize);
    let excludes = destination & EXCLUDE_INGRESS != 0;
    (destination & BROADCAST == BROADCAST).then_some((map, excludes))
}

/// For a reader: `ifindex 5`, `CPU 1`, `socket 3`.
pub fn describe(destination: u32) -> String {
    let number = destination & (NUMBERS - 1);
    match destination & SOCKET {
        SOCKET => format!("socket {number}"),
        CPU => format!("CPU {number}"),
        _ => format!("ifindex {destination}"),
    }
}

/// For a reader, all places that a packet goes to: `ifindex 5`, `ifindexes 5, 7`, `no interface`.
pub fn describe_all(destinations: &[u32]) -> String {
    match destinations {
        [] => String::from("no interface"),
        [only] => describe(*only),
        _ => {
            let numbers: Vec<String> = destinations.iter().map(u32::to_string).collect();
            format!("ifindexes {}", numbers.join(", "))
        }
    }
}
