// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ipip_encap: the entrance of IP-in-IP tunnels (RFC 2003). IPv4 packets to a known network get a second IPv4 header and
// leave where they came in.
//
// tunnels   a network (longest prefix first) to its tunnel: both ends, and the MAC addresses of the first hop.
// counters  packets that [0] went into a tunnel, [1] were left to the host.
//
// As a router does, it takes one hop from the inner packet. Packets that need a router's answer (hops used up, too long
// and not to be cut) go to the host, with everything that is not IPv4 or has no tunnel.
//
// Try it:
//   hardpath traffic --packets 2000 --flows 100 --size 64:600 -o build/mixed.pcapng
//   hardpath check build/programs/ipip_encap.o --maps programs/ipip_encap.maps.json --pcap build/mixed.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>

#include "checksum.h"

#define LONGEST_INNER (1500 - sizeof(struct iphdr))
#define OUTER_TTL 64

enum counter { ENCAPSULATED, LEFT_TO_HOST, COUNTERS };

struct network {
	__u32 prefix_bits;
	__be32 address;
};

struct tunnel {
	__be32 source;
	__be32 destination;
	__u8 source_mac[ETH_ALEN];
	__u8 destination_mac[ETH_ALEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 256);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct network);
	__type(value, struct tunnel);
} tunnels SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline int decide(__u32 which, int action)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &which);

	if (counter)
		*counter += 1;
	return action;
}

SEC("xdp")
int ipip_encap(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct network network = { .prefix_bits = 32 };
	struct tunnel *tunnel;
	__be16 id, fragment;
	__u16 length;
	__u8 tos;

	if ((void *)(ip + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return decide(LEFT_TO_HOST, XDP_PASS);
	length = bpf_ntohs(ip->tot_len);
	if (ip->version != 4 || ip->ttl <= 1 || length > LONGEST_INNER)
		return decide(LEFT_TO_HOST, XDP_PASS);

	network.address = ip->daddr;
	tunnel = bpf_map_lookup_elem(&tunnels, &network);
	if (!tunnel)
		return decide(LEFT_TO_HOST, XDP_PASS);

	/* One hop less is 0x0100 less in the word of hops and protocol. */
	ip->check = checksum_update(ip->check, checksum_difference(bpf_htons(0x0100), 0));
	ip->ttl -= 1;
	tos = ip->tos;
	id = ip->id;
	/* The outer packet may be cut where the inner one may. */
	fragment = ip->frag_off & IP_DONT_FRAGMENT;

	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(struct iphdr)))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	data_end = (void *)(long)ctx->data_end;
	eth = data;
	ip = (void *)(eth + 1);
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;

	__builtin_memcpy(eth->h_dest, tunnel->destination_mac, ETH_ALEN);
	__builtin_memcpy(eth->h_source, tunnel->source_mac, ETH_ALEN);
	eth->h_proto = bpf_htons(ETH_P_IP);
	write_ipv4_header(ip, tos, length + sizeof(struct iphdr), id, fragment, OUTER_TTL, IPPROTO_IPIP, tunnel->source,
			  tunnel->destination);
	return decide(ENCAPSULATED, XDP_TX);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
