//! What a section's name says that its programs are for, as libbpf reads it (`section_defs` and `sec_def_matches` in its
//! `src/libbpf.c`; the kernel's `Documentation/bpf/libbpf/program_types.rst`).

/// What programs of a section are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hook {
    /// Packets that come in (`BPF_XDP`).
    Xdp,
    /// Packets that leave through an entry of a device map (`BPF_XDP_DEVMAP`).
    DeviceMap,
    /// Packets that a CPU map has brought to another CPU (`BPF_XDP_CPUMAP`).
    CpuMap,
    /// Something else than XDP: `enum bpf_prog_type` without `BPF_PROG_TYPE_`.
    Other(&'static str),
    /// libbpf does not know the name; the loader says what it is.
    Unknown,
}

impl Hook {
    /// Whether programs of it get packets as XDP programs do.
    pub fn is_xdp(self) -> bool {
        matches!(self, Hook::Xdp | Hook::DeviceMap | Hook::CpuMap)
    }
}

/// What may follow a name in the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    /// Where to attach it, behind a `/`.
    Extras,
    /// Until libbpf 1.0 anything. Only what begins with no letter counts here: `socket1` and `tc_in`, but not `tcp`.
    Anything,
}
use Rest::{Anything, Extras, Nothing};

/// Every name of another type than XDP.
const OTHERS: [(&str, &str, Rest); 76] = [
    ("socket", "SOCKET_FILTER", Anything),
    ("sk_reuseport", "SK_REUSEPORT", Anything),
    ("kprobe", "KPROBE", Extras),
    ("uprobe", "KPROBE", Extras),
    ("uprobe.s", "KPROBE", Extras),
    ("kretprobe", "KPROBE", Extras),
    ("uretprobe", "KPROBE", Extras),
    ("uretprobe.s", "KPROBE", Extras),
    ("kprobe.multi", "KPROBE", Extras),
    ("kretprobe.multi", "KPROBE", Extras),
    ("kprobe.session", "KPROBE", Extras),
    ("uprobe.multi", "KPROBE", Extras),
    ("uretprobe.multi", "KPROBE", Extras),
    ("uprobe.session", "KPROBE", Extras),
    ("uprobe.multi.s", "KPROBE", Extras),
    ("uretprobe.multi.s", "KPROBE", Extras),
    ("uprobe.session.s", "KPROBE", Extras),
    ("ksyscall", "KPROBE", Extras),
    ("kretsyscall", "KPROBE", Extras),
    ("usdt", "KPROBE", Extras),
    ("usdt.s", "KPROBE", Extras),
    ("tc", "SCHED_CLS", Anything),
    ("tcx", "SCHED_CLS", Anything),
    ("classifier", "SCHED_CLS", Anything),
    ("netkit", "SCHED_CLS", Extras),
    ("action", "SCHED_ACT", Anything),
    ("tracepoint", "TRACEPOINT", Extras),
    ("tp", "TRACEPOINT", Extras),
    ("raw_tracepoint", "RAW_TRACEPOINT", Extras),
    ("raw_tp", "RAW_TRACEPOINT", Extras),
    ("raw_tracepoint.w", "RAW_TRACEPOINT_WRITABLE", Extras),
    ("raw_tp.w", "RAW_TRACEPOINT_WRITABLE", Extras),
    ("tp_btf", "TRACING", Extras),
    ("fentry", "TRACING", Extras),
    ("fmod_ret", "TRACING", Extras),
    ("fexit", "TRACING", Extras),
    ("fsession", "TRACING", Extras),
    ("fentry.s", "TRACING", Extras),
    ("fmod_ret.s", "TRACING", Extras),
    ("fexit.s", "TRACING", Extras),
    ("fsession.s", "TRACING", Extras),
    ("freplace", "EXT", Extras),
    ("lsm", "LSM", Extras),
    ("lsm.s", "LSM", Extras),
    ("lsm_cgroup", "LSM", Extras),
    ("iter", "TRACING", Extras),
    ("iter.s", "TRACING", Extras),
    ("syscall", "SYSCALL", Nothing),
    ("perf_event", "PERF_EVENT", Anything),
    ("lwt_in", "LWT_IN", Anything),
    ("lwt_out", "LWT_OUT", Anything),
    ("lwt_xmit", "LWT_XMIT", Anything),
    ("lwt_seg6local", "LWT_SEG6LOCAL", Anything),
    ("sockops", "SOCK_OPS", Anything),
    ("sk_skb", "SK_SKB", Anything),
    ("sk_msg", "SK_MSG", Anything),
    ("sk_lookup", "SK_LOOKUP", Anything),
    ("lirc_mode2", "LIRC_MODE2", Anything),
    ("flow_dissector", "FLOW_DISSECTOR", Anything),
    ("cgroup_skb", "CGROUP_SKB", Extras),
    ("cgroup/skb", "CGROUP_SKB", Anything),
    ("cgroup/dev", "CGROUP_DEVICE", Anything),
    ("cgroup/sock", "CGROUP_SOCK", Anything),
    ("cgroup/post_bind", "CGROUP_SOCK", Anything),
    ("cgroup/bind", "CGROUP_SOCK_ADDR", Anything),
    ("cgroup/connect", "CGROUP_SOCK_ADDR", Anything),
    ("cgroup/sendmsg", "CGROUP_SOCK_ADDR", Anything),
    ("cgroup/recvmsg", "CGROUP_SOCK_ADDR", Anything),
    ("cgroup/getpeername", "CGROUP_SOCK_ADDR", Anything),
    ("cgroup/getsockname", "CGROUP_SOCK_ADDR", Anything),
    ("cgroup/getsockopt", "CGROUP_SOCKOPT", Anything),
    ("cgroup/setsockopt", "CGROUP_SOCKOPT", Anything),
    ("cgroup/sysctl", "CGROUP_SYSCTL", Anything),
    ("struct_ops", "STRUCT_OPS", Extras),
    ("struct_ops.s", "STRUCT_OPS", Extras),
    ("netfilter", "NETFILTER", Nothing),
];

/// What a section's programs are for.
pub fn hook(section: &str) -> Hook {
    let other = OTHERS.iter().find(|(name, _, rest)| {
        section
            .strip_prefix(name)
            .is_some_and(|found| rest.allows(found))
    });
    if let Some((_, program_type, _)) = other {
        return Hook::Other(program_type);
    }
    // `xdp_devmap` and `xdp_cpumap` are the names from before libbpf 0.8.
    let is = |names: [&str; 3]| {
        let rest = names.map(|name| section.strip_prefix(name));
        rest.into_iter().flatten().any(|rest| Extras.allows(rest))
    };
    if is(["xdp/devmap", "xdp.frags/devmap", "xdp_devmap"]) {
        return Hook::DeviceMap;
    }
    if is(["xdp/cpumap", "xdp.frags/cpumap", "xdp_cpumap"]) {
        return Hook::CpuMap;
    }
    // Until libbpf 1.0 whatever begins so.
    match section.starts_with("xdp") {
        true => Hook::Xdp,
        false => Hook::Unknown,
    }
}

/// Whether a section's programs know packets of several buffers (`BPF_F_XDP_HAS_FRAGS`).
pub fn has_frags(section: &str) -> bool {
    section
        .strip_prefix("xdp.frags")
        .is_some_and(|rest| Extras.allows(rest))
}

impl Rest {
    fn allows(self, rest: &str) -> bool {
        match rest.chars().next() {
            None => true,
            Some('/') => self != Nothing,
            Some(next) => self == Anything && !next.is_ascii_alphabetic(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_xdp() {
        let cases = [
            ("xdp", Hook::Xdp, false),
            ("xdp/filter", Hook::Xdp, false),
            ("xdp_filter", Hook::Xdp, false),
            ("xdp.frags", Hook::Xdp, true),
            ("xdp.frags/filter", Hook::Xdp, true),
            ("xdp/devmap", Hook::DeviceMap, false),
            ("xdp_devmap/out", Hook::DeviceMap, false),
            ("xdp.frags/devmap", Hook::DeviceMap, true),
            ("xdp/cpumap", Hook::CpuMap, false),
            ("xdp.frags/cpumap", Hook::CpuMap, true),
            ("xdp/devmaps", Hook::Xdp, false),
        ];
        for (section, expected, frags) in cases {
            assert_eq!(hook(section), expected, "{section}");
            assert!(hook(section).is_xdp());
            assert_eq!(has_frags(section), frags, "{section}");
        }
    }

    #[test]
    fn sections_of_other_programs() {
        let cases = [
            ("tc", "SCHED_CLS"),
            ("tc/ingress", "SCHED_CLS"),
            ("tcx/egress", "SCHED_CLS"),
            ("classifier/out", "SCHED_CLS"),
            ("netkit/peer", "SCHED_CLS"),
            ("action", "SCHED_ACT"),
            ("socket", "SOCKET_FILTER"),
            ("socket1", "SOCKET_FILTER"),
            ("sk_skb/stream_verdict", "SK_SKB"),
            ("sk_reuseport/migrate", "SK_REUSEPORT"),
            ("cgroup_skb/egress", "CGROUP_SKB"),
            ("cgroup/skb", "CGROUP_SKB"),
            ("cgroup/sock_create", "CGROUP_SOCK"),
            ("cgroup/connect4", "CGROUP_SOCK_ADDR"),
            ("cgroup/connect_unix", "CGROUP_SOCK_ADDR"),
            ("kprobe/do_exit", "KPROBE"),
            ("uprobe.s", "KPROBE"),
            ("raw_tp.w/x", "RAW_TRACEPOINT_WRITABLE"),
            ("fentry.s/f", "TRACING"),
            ("struct_ops.s/f", "STRUCT_OPS"),
            ("netfilter", "NETFILTER"),
            ("syscall", "SYSCALL"),
        ];
        for (section, expected) in cases {
            assert_eq!(hook(section), Hook::Other(expected), "{section}");
        }
    }

    #[test]
    fn sections_that_nobody_knows() {
        let names = [
            "x",
            "redirect_map_0",
            "tcp",
            "iterate",
            "tp_out",
            "netfilter/x",
            "sockets",
            "lsm.x",
            "cgroup/socks",
            "",
        ];
        for section in names {
            assert_eq!(hook(section), Hook::Unknown, "{section}");
        }
    }
}
