// SPDX-License-Identifier: MIT OR Apache-2.0
//
// redirector: a patch panel. What comes in at one interface leaves, unchanged, at another.
//
// ports[i]  the interface that frames from the interface with index i leave at. Without an entry they go to the host.
//
// Try it:
//   hardpath check build/programs/redirector.o --maps programs/redirector.maps.json --pcap programs/firewall.pcap

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int redirector(struct xdp_md *ctx)
{
	return bpf_redirect_map(&ports, ctx->ingress_ifindex, XDP_PASS);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
