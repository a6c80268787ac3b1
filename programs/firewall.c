// SPDX-License-Identifier: MIT OR Apache-2.0
//
// firewall: a stateful firewall for IPv4 UDP and TCP. A flow is let in only after it was seen going out.
//
// config[0]  which packets go out: those that arrive at `inside_ifindex` with a source address inside
//            `inside_network`/`inside_mask` (network byte order; mask 0: any address). All others come in. An empty
//            config lets nothing out, and so nothing in.
// flows      the flows that were seen going out, by protocol and both ends, the lower end first, so that both
//            directions have one key. The data plane inserts, the host deletes what is old. An established flow
//            never writes.
// ports[0]   the interface to the outside, ports[1] the one to the inside.
//
// ARP goes to the host, so that neighbours can be found. Everything else that is not a whole UDP or TCP packet over
// IPv4 without options is dropped: other protocols, fragments, options, truncated headers, IPv6.
// When `flows` is full, packets of new flows still go out, but their answers are not let in.
//
// Try it:
//   hardpath check programs/prebuilt/firewall.o --maps programs/firewall.maps.json --pcap programs/firewall.pcap

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define OUTSIDE_PORT 0
#define INSIDE_PORT 1

/* The reserved bit may be anything; "more fragments" and the offset must be 0. */
#define FRAGMENT_BITS bpf_htons(0x3fff)

struct config {
	__u32 inside_ifindex;
	__be32 inside_network;
	__be32 inside_mask;
};

struct flow_key {
	__be32 low_address;
	__be32 high_address;
	__be16 low_port;
	__be16 high_port;
	__u32 protocol;
};

struct flow {
	/* The interface that the first packet came from. */
	__u32 opened_at;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct config);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct flow_key);
	__type(value, struct flow);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

/* UDP and TCP headers both start with these. */
struct port_pair {
	__be16 source;
	__be16 destination;
};

SEC("xdp")
int firewall(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct port_pair *l4 = (void *)(ip + 1);
	struct flow_key key = {};
	struct config *settings;
	__u32 zero = 0;

	if ((void *)(eth + 1) > data_end)
		return XDP_DROP;
	if (eth->h_proto == bpf_htons(ETH_P_ARP))
		return XDP_PASS;
	if (eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_DROP;

	if ((void *)(l4 + 1) > data_end)
		return XDP_DROP;
	if (ip->version != 4 || ip->ihl != 5)
		return XDP_DROP;
	if (ip->frag_off & FRAGMENT_BITS)
		return XDP_DROP;
	if (ip->protocol != IPPROTO_UDP && ip->protocol != IPPROTO_TCP)
		return XDP_DROP;

	settings = bpf_map_lookup_elem(&config, &zero);
	if (!settings)
		return XDP_DROP;

	key.protocol = ip->protocol;
	if (ip->saddr < ip->daddr || (ip->saddr == ip->daddr && l4->source < l4->destination)) {
		key.low_address = ip->saddr;
		key.low_port = l4->source;
		key.high_address = ip->daddr;
		key.high_port = l4->destination;
	} else {
		key.low_address = ip->daddr;
		key.low_port = l4->destination;
		key.high_address = ip->saddr;
		key.high_port = l4->source;
	}

	int known = bpf_map_lookup_elem(&flows, &key) != 0;

	if (ctx->ingress_ifindex == settings->inside_ifindex &&
	    (ip->saddr & settings->inside_mask) == settings->inside_network) {
		if (!known) {
			struct flow flow = { .opened_at = ctx->ingress_ifindex };

			bpf_map_update_elem(&flows, &key, &flow, BPF_ANY);
		}
		return bpf_redirect_map(&ports, OUTSIDE_PORT, XDP_DROP);
	}
	if (!known)
		return XDP_DROP;
	return bpf_redirect_map(&ports, INSIDE_PORT, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
