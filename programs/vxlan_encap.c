// SPDX-License-Identifier: MIT OR Apache-2.0
//
// vxlan_encap: the entrance of a VXLAN overlay (RFC 7348). Frames to a known MAC address are wrapped, whole, into UDP
// over IPv4 and leave at the interface to the underlay.
//
// config[0]  this end: the network's number, the address and the MAC address of the tunnel endpoint.
// stations   a MAC address to the endpoint behind which it is, and that endpoint's MAC address (or its next hop's).
// ports[0]   the interface to the underlay.
// counters   frames that [0] were wrapped, [1] were left to the host: broadcast, unknown or too long.
//
// The UDP source port is a hash of the frame's addresses, so that the underlay spreads flows over its paths. There is no
// UDP checksum, as the RFC recommends.
//
// Try it:
//   hardpath traffic --packets 2000 --flows 100 --size 64:600 -o build/mixed.pcapng
//   hardpath check build/programs/vxlan_encap.o --maps programs/vxlan_encap.maps.json --pcap build/mixed.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include "checksum.h"

#define VXLAN_PORT 4789
#define VXLAN_HAS_NETWORK bpf_htonl(0x08000000)
#define OUTER_TTL 64
#define UNDERLAY_PORT 0
/* Ports for private use (RFC 6335). */
#define FIRST_SOURCE_PORT 49152
#define SOURCE_PORT_MASK 0x3fff

struct vxlan_header {
	__be32 flags;
	/* 24 bits of number and 8 of zeros. */
	__be32 network;
};

#define OUTER_IP_BYTES (sizeof(struct iphdr) + sizeof(struct udphdr) + sizeof(struct vxlan_header))
#define OUTER_BYTES (sizeof(struct ethhdr) + OUTER_IP_BYTES)
#define LONGEST_FRAME (1500 - OUTER_IP_BYTES)

enum counter { WRAPPED, LEFT_TO_HOST, COUNTERS };

struct config {
	__u32 network;
	__be32 address;
	__u8 mac[ETH_ALEN];
};

struct station {
	__u8 mac[ETH_ALEN];
};

struct endpoint {
	__be32 address;
	__u8 mac[ETH_ALEN];
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
	__type(key, struct station);
	__type(value, struct endpoint);
} stations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline void count(__u32 which)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &which);

	if (counter)
		*counter += 1;
}

/* Of both MAC addresses and, in IPv4, both addresses. Shifts and exclusive ors mix enough to spread flows. */
static __always_inline __u16 flow_hash(const struct ethhdr *eth, void *data_end)
{
	const struct iphdr *ip = (void *)(eth + 1);
	const __u16 *words = (const void *)eth;
	__u32 hash = words[0] ^ words[1] ^ words[2] ^ words[3] ^ words[4] ^ words[5];

	if ((void *)(ip + 1) <= data_end && eth->h_proto == bpf_htons(ETH_P_IP))
		hash ^= ip->saddr ^ ip->daddr;
	hash ^= hash >> 16;
	hash ^= hash >> 7;
	return hash;
}

SEC("xdp")
int vxlan_encap(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct endpoint *endpoint;
	struct config *settings;
	struct station station;
	struct vxlan_header *vxlan;
	struct udphdr *udp;
	struct iphdr *ip;
	__u32 zero = 0, bytes;
	__u16 source_port;

	if ((void *)(eth + 1) > data_end)
		return XDP_DROP;
	bytes = data_end - data;
	settings = bpf_map_lookup_elem(&config, &zero);
	if (!settings)
		return XDP_ABORTED;

	__builtin_memcpy(station.mac, eth->h_dest, ETH_ALEN);
	endpoint = bpf_map_lookup_elem(&stations, &station);
	if (!endpoint || bytes > LONGEST_FRAME) {
		count(LEFT_TO_HOST);
		return XDP_PASS;
	}
	source_port = FIRST_SOURCE_PORT + (flow_hash(eth, data_end) & SOURCE_PORT_MASK);

	if (bpf_xdp_adjust_head(ctx, -(int)OUTER_BYTES))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	data_end = (void *)(long)ctx->data_end;
	eth = data;
	ip = (void *)(eth + 1);
	udp = (void *)(ip + 1);
	vxlan = (void *)(udp + 1);
	if ((void *)(vxlan + 1) > data_end)
		return XDP_ABORTED;

	__builtin_memcpy(eth->h_dest, endpoint->mac, ETH_ALEN);
	__builtin_memcpy(eth->h_source, settings->mac, ETH_ALEN);
	eth->h_proto = bpf_htons(ETH_P_IP);
	write_ipv4_header(ip, 0, bytes + OUTER_IP_BYTES, 0, IP_DONT_FRAGMENT, OUTER_TTL, IPPROTO_UDP, settings->address,
			  endpoint->address);
	udp->source = bpf_htons(source_port);
	udp->dest = bpf_htons(VXLAN_PORT);
	udp->len = bpf_htons(bytes + sizeof(*udp) + sizeof(*vxlan));
	udp->check = 0;
	vxlan->flags = VXLAN_HAS_NETWORK;
	vxlan->network = bpf_htonl(settings->network << 8);

	count(WRAPPED);
	return bpf_redirect_map(&ports, UNDERLAY_PORT, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
