// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ipip_decap: the exit of IP tunnels. Takes the outer IPv4 header from IPv4-in-IPv4 (RFC 2003) and IPv6-in-IPv4
// (RFC 4213) packets and gives the inner packet to the host.
//
// endpoints  the addresses (network byte order) that are ends of tunnels, each with the packets and bytes that came
//            out there. They are counted with atomics, the host reads them.
//
// Outer headers may have options. Fragments go to the host as they are, and so does everything that is not for a known
// end. A packet to one whose inside is no IP packet is dropped.
//
// Try it:
//   hardpath traffic --packets 2000 --flows 100 --size 64:600 --tunnel 192.0.2.1:192.0.2.2 -o build/ipip.pcapng
//   hardpath check build/programs/ipip_decap.o --maps programs/ipip_decap.maps.json --pcap build/ipip.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define FRAGMENT_BITS bpf_htons(0x3fff)

struct endpoint {
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __be32);
	__type(value, struct endpoint);
} endpoints SEC(".maps");

SEC("xdp")
int ipip_decap(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data, *inner_eth;
	struct iphdr *ip = (void *)(eth + 1);
	struct endpoint *endpoint;
	__u32 header_bytes;
	__be32 destination;
	__be16 inner_type;
	__u8 *inner;

	if ((void *)(ip + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if (ip->version != 4 || ip->ihl < 5 || (ip->frag_off & FRAGMENT_BITS))
		return XDP_PASS;
	if (ip->protocol == IPPROTO_IPIP)
		inner_type = bpf_htons(ETH_P_IP);
	else if (ip->protocol == IPPROTO_IPV6)
		inner_type = bpf_htons(ETH_P_IPV6);
	else
		return XDP_PASS;

	destination = ip->daddr;
	endpoint = bpf_map_lookup_elem(&endpoints, &destination);
	if (!endpoint)
		return XDP_PASS;

	header_bytes = ip->ihl * 4;
	inner = (void *)ip + header_bytes;
	if ((void *)(inner + 1) > data_end)
		return XDP_DROP;
	if (*inner >> 4 != (inner_type == bpf_htons(ETH_P_IP) ? 4 : 6))
		return XDP_DROP;

	/* The Ethernet header moves to where the inner packet begins. */
	inner_eth = (void *)(inner - sizeof(*inner_eth));
	__builtin_memmove(inner_eth->h_source, eth->h_source, ETH_ALEN);
	__builtin_memmove(inner_eth->h_dest, eth->h_dest, ETH_ALEN);
	inner_eth->h_proto = inner_type;

	__sync_fetch_and_add(&endpoint->packets, 1);
	__sync_fetch_and_add(&endpoint->bytes, data_end - (void *)inner);
	if (bpf_xdp_adjust_head(ctx, header_bytes))
		return XDP_ABORTED;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
