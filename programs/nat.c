// SPDX-License-Identifier: MIT OR Apache-2.0
//
// nat: dynamic source NAT for IPv4 TCP and UDP. Many hosts inside share one address outside; each of their sockets gets
// a port of it with the first packet that goes out.
//
// config[0]   the network inside (network byte order), the address outside, and the pool of ports: the first one and
//             a mask, `size - 1`, where the size is a power of two.
// pool[0]     the next port to give out, counted without end; TCP and UDP share it.
// to_outside  the first binding: a socket inside to its port outside.
// to_inside   the second one: a port outside to the socket inside.
//
// The data plane inserts both bindings, the host deletes them, always both. One binding serves all peers of a socket
// (endpoint-independent mapping, RFC 4787).
//
// A port whose binding still exists is not given out twice: the packet that drew it is dropped, and when its sender
// tries again it draws the next one. `to_outside` has more room than `to_inside`, so a second binding finds a place
// whenever the first one did.
//
// counters[0] packets that went out, [1] that came in, [2] for which there was no port, [3] that nobody asked for.
//
// ARP goes to the host. Everything else that is not a whole TCP or UDP packet over IPv4 without options and fragments
// is dropped.
//
// Try it:
//   hardpath traffic --packets 5000 --flows 300 --proto mixed --both-directions --nat 203.0.113.1:1024 -o build/nat.pcapng
//   hardpath check build/programs/nat.o --maps programs/nat.maps.json --pcap build/nat.pcapng

#include <stddef.h>

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "checksum.h"

#define OUTSIDE_PORT 0
#define INSIDE_PORT 1

#define FRAGMENT_BITS bpf_htons(0x3fff)

enum counter { WENT_OUT, CAME_IN, NO_PORT, UNKNOWN, COUNTERS };

struct config {
	__be32 inside_network;
	__be32 inside_mask;
	__be32 outside_address;
	__u16 first_port;
	__u16 port_mask;
};

struct pool {
	struct bpf_spin_lock lock;
	__u32 next;
};

struct inside {
	__be32 address;
	__be16 port;
	__u16 protocol;
};

struct outside {
	__be16 port;
	__u16 protocol;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct config);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pool);
} pool SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct inside);
	__type(value, struct outside);
} to_outside SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, struct outside);
	__type(value, struct inside);
} to_inside SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct port_pair {
	__be16 source;
	__be16 destination;
};

static __always_inline void count(__u32 which)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &which);

	if (counter)
		*counter += 1;
}

/* Draws a port and binds it to `inside`. 0: none was free. */
static __always_inline __be16 bind(const struct config *settings, const struct inside *inside)
{
	struct outside outside = { .protocol = inside->protocol };
	struct pool *drawn;
	__u32 zero = 0, number;

	drawn = bpf_map_lookup_elem(&pool, &zero);
	if (!drawn)
		return 0;
	bpf_spin_lock(&drawn->lock);
	number = drawn->next;
	drawn->next = number + 1;
	bpf_spin_unlock(&drawn->lock);

	outside.port = bpf_htons(settings->first_port + (number & settings->port_mask));
	if (bpf_map_update_elem(&to_inside, &outside, inside, BPF_NOEXIST))
		return 0;
	if (bpf_map_update_elem(&to_outside, inside, &outside, BPF_NOEXIST))
		return 0;
	return outside.port;
}

SEC("xdp")
int nat(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct port_pair *l4 = (void *)(ip + 1);
	__u32 zero = 0, difference;
	struct config *settings;
	__u16 *checksum;
	int port;

	if ((void *)(eth + 1) > data_end)
		return XDP_DROP;
	if (eth->h_proto == bpf_htons(ETH_P_ARP))
		return XDP_PASS;
	if (eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_DROP;
	if ((void *)(l4 + 1) > data_end)
		return XDP_DROP;
	if (ip->version != 4 || ip->ihl != 5 || (ip->frag_off & FRAGMENT_BITS))
		return XDP_DROP;

	if (ip->protocol == IPPROTO_TCP) {
		checksum = (void *)l4 + offsetof(struct tcphdr, check);
	} else if (ip->protocol == IPPROTO_UDP) {
		checksum = (void *)l4 + offsetof(struct udphdr, check);
	} else {
		return XDP_DROP;
	}
	if ((void *)(checksum + 1) > data_end)
		return XDP_DROP;

	settings = bpf_map_lookup_elem(&config, &zero);
	if (!settings)
		return XDP_DROP;

	if ((ip->saddr & settings->inside_mask) == settings->inside_network) {
		struct inside inside = { .address = ip->saddr, .port = l4->source, .protocol = ip->protocol };
		struct outside *known = bpf_map_lookup_elem(&to_outside, &inside);
		__be16 bound = known ? known->port : bind(settings, &inside);

		if (!bound) {
			count(NO_PORT);
			return XDP_DROP;
		}
		count(WENT_OUT);
		difference = checksum_difference(ip->saddr, settings->outside_address);
		ip->saddr = settings->outside_address;
		ip->check = checksum_update(ip->check, difference);
		difference += checksum_difference(l4->source, bound);
		l4->source = bound;
		port = OUTSIDE_PORT;
	} else if (ip->daddr == settings->outside_address) {
		struct outside outside = { .port = l4->destination, .protocol = ip->protocol };
		struct inside *known = bpf_map_lookup_elem(&to_inside, &outside);

		if (!known) {
			count(UNKNOWN);
			return XDP_DROP;
		}
		count(CAME_IN);
		difference = checksum_difference(ip->daddr, known->address);
		ip->daddr = known->address;
		ip->check = checksum_update(ip->check, difference);
		difference += checksum_difference(l4->destination, known->port);
		l4->destination = known->port;
		port = INSIDE_PORT;
	} else {
		count(UNKNOWN);
		return XDP_DROP;
	}

	/* In UDP, 0 says that there is no checksum, and a sum of 0 is sent as all ones (RFC 768). */
	if (ip->protocol == IPPROTO_TCP) {
		*checksum = checksum_update(*checksum, difference);
	} else if (*checksum) {
		__u16 updated = checksum_update(*checksum, difference);

		*checksum = updated ? updated : 0xffff;
	}
	return bpf_redirect_map(&ports, port, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
