//! What XDP's numbers mean: the actions of a program, where a redirect goes, and how far a packet's memory reaches
//! (`enum xdp_action` in `include/uapi/linux/bpf.h`, `net/core/filter.c`).

use hardpath_packet::Class;

/// The program failed; the packet is dropped, and the failure traced.
pub const ABORTED: u64 = 0;
/// The packet is dropped.
pub const DROP: u64 = 1;
/// The packet goes on to the host's network stack.
pub const PASS: u64 = 2;
/// The packet goes out at the port where it came in.
pub const TX: u64 = 3;
/// The packet goes where the program said by `bpf_redirect` or `bpf_redirect_map`.
pub const REDIRECT: u64 = 4;

/// The names of the actions, by their numbers.
pub const NAMES: [&str; 5] = [
    "XDP_ABORTED",
    "XDP_DROP",
    "XDP_PASS",
    "XDP_TX",
    "XDP_REDIRECT",
];
/// What the action is called where packets' fates are told.
pub const VERDICT: &str = "verdict";
/// What the number of metadata words is called there.
pub const METADATA: &str = "metadata";
/// What the number that a program returned is called there, all 32 bits of it.
pub const RETURNED: &str = "returned";
/// Bits of an action that exists.
pub const VERDICT_BITS: u32 = 3;

/// Whether a packet of that action goes on.
pub fn leaves(verdict: u64) -> bool {
    matches!(verdict, PASS | TX | REDIRECT)
}

/// An action as drivers take it: one that does not exist is ABORTED (`bpf_warn_invalid_xdp_action`).
pub fn effective(verdict: u64) -> u64 {
    match verdict {
        DROP | PASS | TX | REDIRECT => verdict,
        _ => ABORTED,
    }
}

/// The name of an action.
pub fn name(verdict: u64) -> &'static str {
    NAMES[effective(verdict) as usize]
}

/// Bytes by which a packet's head can grow: `XDP_PACKET_HEADROOM` without `sizeof(struct xdp_frame)` (Linux 6.18, 64 bits).
pub const HEADROOM_BYTES: u32 = 216;
/// Up to here, from where it began, a packet's tail can grow: what a page holds behind the headroom and before `struct
/// skb_shared_info` (Linux 6.18 on x86-64, `xdp_data_hard_end` in `include/net/xdp.h`).
pub const MAX_GROWN_BYTES: u32 = 3520;
/// Size of a program's stack (`MAX_BPF_STACK`).
pub const STACK_BYTES: u32 = 512;
/// The shortest packet that a program gets (`ETH_HLEN`).
pub const SHORTEST_BYTES: u32 = 14;
/// The most bytes of metadata (`xdp_metalen_invalid` in `include/net/xdp.h`; Linux before 6.4: 32).
pub const MOST_METADATA_BYTES: u32 = 252;
/// Metadata is a number of words of so many bytes.
pub const METADATA_WORD_BYTES: u32 = 4;
/// Bits of that number.
pub const METADATA_BITS: u32 = 6;

/// Where a redirect goes, in 32 bits: the index of an interface (bit 31 is 0; 0: none), or with bits 31:30 = 2 the number of
/// a CPU (the key of a CPU map), = 3 of an AF_XDP socket (the key of a socket map).
pub mod destination {
    /// Set for a CPU.
    pub const CPU: u32 = 2 << 30;
    /// Set for a socket.
    pub const SOCKET: u32 = 3 << 30;
    /// Numbers of CPUs and sockets are smaller.
    pub const NUMBERS: u32 = 1 << 29;
}

/// Which way a packet goes, and the index beside it. `destination`: of a redirect.
pub fn way(verdict: u64, destination: u32) -> (Class, u32) {
    match verdict {
        PASS => (Class::HostQueue, 0),
        TX => (Class::SamePort, 0),
        REDIRECT if destination >= destination::CPU => (Class::HostQueue, destination),
        REDIRECT => (Class::Port, destination),
        _ => (Class::Nowhere, 0),
    }
}

/// For a reader, what an index is: `ifindex 5`, `CPU 1`, `socket 3`, `network stack`.
pub fn describe(class: Class, index: u32) -> String {
    let number = index & (destination::NUMBERS - 1);
    match (class, index & destination::SOCKET) {
        (Class::HostQueue, destination::SOCKET) => format!("socket {number}"),
        (Class::HostQueue, destination::CPU) => format!("CPU {number}"),
        (Class::HostQueue, _) => "network stack".into(),
        (Class::Port, _) => format!("ifindex {index}"),
        (class, _) => class.name().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_go_their_ways() {
        assert_eq!(way(PASS, 7), (Class::HostQueue, 0));
        assert_eq!(way(TX, 7), (Class::SamePort, 0));
        assert_eq!(way(REDIRECT, 7), (Class::Port, 7));
        let socket = destination::SOCKET | 3;
        assert_eq!(way(REDIRECT, socket), (Class::HostQueue, socket));
        assert_eq!(way(DROP, 7), (Class::Nowhere, 0));
        assert_eq!(describe(Class::HostQueue, socket), "socket 3");
        assert_eq!(describe(Class::HostQueue, destination::CPU | 1), "CPU 1");
        assert_eq!(describe(Class::Port, 5), "ifindex 5");
    }

    #[test]
    fn what_does_not_exist_is_aborted() {
        assert_eq!([5, 255, u64::MAX].map(effective), [ABORTED; 3]);
        assert_eq!(name(9), "XDP_ABORTED");
        assert!([2, 3, 4].into_iter().all(leaves) && ![0, 1, 5].into_iter().any(leaves));
    }
}
