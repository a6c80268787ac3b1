//! What to do instead of calling a helper that hardpath does not build.

use crate::helper_names::helper_name;

/// Helpers by the beginnings of their names, without `bpf_`; the first entry that fits counts.
const ADVICE: [(&[&str], &str); 26] = [
    (
        &["fib_lookup"],
        "the kernel's routes are not there: put them into an LPM trie that the host fills, with the next hop's addresses and the interface as its value, and send with bpf_redirect_map",
    ),
    (
        &["redirect_neigh", "redirect_peer"],
        "write the next hop's MAC address into the packet and send with bpf_redirect or bpf_redirect_map",
    ),
    (
        &["clone_redirect"],
        "bpf_redirect_map with BPF_F_BROADCAST sends a packet to every device of a map",
    ),
    (
        &["skb_load_bytes"],
        "there is no sk_buff in XDP: read the packet through xdp_md.data, or with bpf_xdp_load_bytes",
    ),
    (
        &["skb_store_bytes"],
        "there is no sk_buff in XDP: write the packet through xdp_md.data, or with bpf_xdp_store_bytes",
    ),
    (
        &["skb_change_tail"],
        "there is no sk_buff in XDP: bpf_xdp_adjust_tail changes the packet's end",
    ),
    (
        &["skb_change_head", "skb_adjust_room", "skb_vlan_", "skb_change_proto", "lwt_"],
        "there is no sk_buff in XDP: make or remove room with bpf_xdp_adjust_head, and write the headers",
    ),
    (
        &["skb_pull_data", "msg_pull_data"],
        "there is no sk_buff in XDP: compare with xdp_md.data_end, what is in front of it can be read",
    ),
    (
        &["skb_get_tunnel", "skb_set_tunnel"],
        "there is no sk_buff in XDP: read and write the outer headers in the packet",
    ),
    (
        &["l3_csum_replace", "l4_csum_replace", "csum_update", "csum_level"],
        "bpf_csum_diff gives the difference; add it to the old checksum and fold the sum to 16 bits",
    ),
    (
        &["get_hash_recalc", "set_hash"],
        "compute a hash of addresses and ports in the program",
    ),
    (
        &["get_route_realm", "skb_"],
        "there is no sk_buff in XDP: what is in the packet can be read there, interface and queue in xdp_md",
    ),
    (
        &["tcp_gen_syncookie", "tcp_check_syncookie", "tcp_raw_"],
        "compute the cookie in the program, from a secret that the host puts into a map",
    ),
    (
        &["sk_", "skc_", "sock_", "tcp_", "get_listener_sock", "get_socket_", "msg_", "sockops_", "setsockopt", "getsockopt", "bind", "load_hdr_opt", "store_hdr_opt", "reserve_hdr_opt"],
        "sockets are in the kernel: give it such packets with XDP_PASS, or let the host put the flows into a hash map",
    ),
    (
        &["map_push_elem", "map_pop_elem", "map_peek_elem"],
        "queues, stacks and Bloom filters are not built: use an array and keep the position in another entry",
    ),
    (
        &["for_each_map_elem"],
        "write a loop over the keys, with a constant number of rounds, or let the host go through the map",
    ),
    (
        &["timer_"],
        "keep the time in a map (bpf_ktime_get_ns) and compare it when the next packet comes, or let the host sweep the map",
    ),
    (
        &["ringbuf_", "dynptr_write", "xdp_output", "seq_", "user_ringbuf_drain"],
        "bpf_ringbuf_output and bpf_perf_event_output can be left in with --drop-events; what the host must know belongs into a map",
    ),
    (
        &["dynptr_"],
        "read through xdp_md.data, or with bpf_xdp_load_bytes",
    ),
    (
        &["strncmp", "strtol", "strtoul", "snprintf"],
        "compare and convert the bytes in the program, in a loop with a constant number of rounds",
    ),
    (
        &["get_current_", "current_", "get_ns_current_", "task_", "get_cgroup_", "cgrp_", "inode_", "get_local_storage", "get_task_stack", "send_signal", "copy_from_user", "find_vma", "bprm_", "ima_", "d_path"],
        "no process belongs to a packet: key a hash map by what is in the packet",
    ),
    (
        &["perf_event_read", "perf_prog_read", "read_branch_records", "get_branch_snapshot", "get_stack"],
        "count in a map what the program wants to know of itself",
    ),
    (
        &["probe_", "per_cpu_ptr", "this_cpu_ptr", "kallsyms_", "kptr_xchg", "btf_find_", "sys_", "get_netns_cookie"],
        "the kernel's memory is not there: what the program needs to know the host can put into a map",
    ),
    (
        &["get_func_", "get_attach_cookie", "get_retval", "set_retval", "override_return"],
        "this is for programs that watch functions of the kernel: leave it out",
    ),
    (
        &["sysctl_", "rc_"],
        "this is for programs of other types: leave it out",
    ),
    (&[""], "write the program without it"),
];

/// What to do instead, for a helper that is not built.
pub fn advice(helper: i32) -> &'static str {
    let name = helper_name(helper);
    let name = name.strip_prefix("bpf_").unwrap_or_default();
    let fits = |(beginnings, _): &&(&[&str], &'static str)| {
        beginnings
            .iter()
            .any(|beginning| name.starts_with(beginning))
    };
    let found = ADVICE.iter().find(fits);
    found.map_or("", |(_, advice)| advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helpers::is_built;

    /// The last entry is for what nobody knows: every helper that has a name fits another one.
    #[test]
    fn every_helper_has_advice() {
        let general = ADVICE[ADVICE.len() - 1].1;
        for helper in 1..=211 {
            let name = helper_name(helper);
            assert!(is_built(helper) || advice(helper) != general, "{name}");
        }
        assert_eq!(advice(212), general);
        assert_eq!(advice(-3), general);
    }
}
