// SPDX-License-Identifier: MIT OR Apache-2.0
//
// load_balancer: spreads the connections to services over backends, and keeps each connection where it is while backends
// come and go. Packets go to their backend in IP-in-IP; the answers do not come by here (direct server return).
//
// services     address, port and protocol of a service to its number.
// connections  a connection to its backend: an LRU map, filled by the data plane.
// ring         for each service a ring of 256 places; the host fills it by consistent hashing, so that a backend that
//              goes away moves its own places only.
// backends     the backends: address and MAC address. An address of 0: nobody is there.
// config[0]    this balancer's own address and MAC address.
// counters     packets that [0] were sent to a backend, [1] were for a service without backend, [2] for no service.
//
// A TCP connection that begins (SYN) is always placed anew. What is for no service goes to the host.
//
// Try it:
//   hardpath traffic --packets 5000 --flows 300 --proto mixed --service 192.0.2.10:443 -o build/service.pcapng
//   hardpath check build/programs/load_balancer.o --maps programs/load_balancer.maps.json --pcap build/service.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/tcp.h>

#include "checksum.h"

#define RING_PLACES 256
#define SERVICES 64
#define OUTER_TTL 64
#define LONGEST_INNER (1500 - sizeof(struct iphdr))
#define FRAGMENT_BITS bpf_htons(0x3fff)

enum counter { BALANCED, NO_BACKEND, NO_SERVICE, COUNTERS };

struct service_key {
	__be32 address;
	__be16 port;
	__u16 protocol;
};

struct connection_key {
	__be32 source;
	__be32 destination;
	__be16 source_port;
	__be16 destination_port;
	__u32 protocol;
};

struct endpoint {
	__be32 address;
	__u8 mac[ETH_ALEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SERVICES);
	__type(key, struct service_key);
	__type(value, __u32);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct connection_key);
	__type(value, __u32);
} connections SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SERVICES *RING_PLACES);
	__type(key, __u32);
	__type(value, __u32);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, struct endpoint);
} backends SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct endpoint);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

struct port_pair {
	__be16 source;
	__be16 destination;
};

static __always_inline int decide(__u32 which, int action)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &which);

	if (counter)
		*counter += 1;
	return action;
}

/* A multiplication by an odd constant spreads the bits upwards, so the upper ones are taken. */
static __always_inline __u32 place_in_ring(const struct connection_key *key)
{
	__u32 ports = (__u32)key->source_port << 16 | key->destination_port;
	__u32 mixed = (key->source ^ (ports << 13 | ports >> 19)) * 0x9e3779b1U;

	return ((mixed ^ key->protocol) * 0x85ebca6bU) >> 24;
}

SEC("xdp")
int load_balancer(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct port_pair *l4 = (void *)(ip + 1);
	struct connection_key connection = {};
	struct service_key service_key = {};
	__u32 zero = 0, *service, *known, place, backend;
	struct endpoint *self, *endpoint;
	int begins = 0;
	__u16 length;
	__u8 tos;

	if ((void *)(l4 + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return decide(NO_SERVICE, XDP_PASS);
	length = bpf_ntohs(ip->tot_len);
	if (ip->version != 4 || ip->ihl != 5 || (ip->frag_off & FRAGMENT_BITS) || length > LONGEST_INNER)
		return decide(NO_SERVICE, XDP_PASS);
	if (ip->protocol == IPPROTO_TCP) {
		struct tcphdr *tcp = (void *)l4;

		if ((void *)(tcp + 1) > data_end)
			return XDP_DROP;
		begins = tcp->syn;
	} else if (ip->protocol != IPPROTO_UDP) {
		return decide(NO_SERVICE, XDP_PASS);
	}

	service_key.address = ip->daddr;
	service_key.port = l4->destination;
	service_key.protocol = ip->protocol;
	service = bpf_map_lookup_elem(&services, &service_key);
	if (!service)
		return decide(NO_SERVICE, XDP_PASS);

	connection.source = ip->saddr;
	connection.destination = ip->daddr;
	connection.source_port = l4->source;
	connection.destination_port = l4->destination;
	connection.protocol = ip->protocol;
	known = bpf_map_lookup_elem(&connections, &connection);
	if (known && !begins) {
		backend = *known;
	} else {
		__u32 *chosen;

		place = *service * RING_PLACES + place_in_ring(&connection);
		chosen = bpf_map_lookup_elem(&ring, &place);
		if (!chosen)
			return decide(NO_BACKEND, XDP_DROP);
		backend = *chosen;
		bpf_map_update_elem(&connections, &connection, &backend, BPF_ANY);
	}

	endpoint = bpf_map_lookup_elem(&backends, &backend);
	self = bpf_map_lookup_elem(&config, &zero);
	if (!endpoint || !endpoint->address || !self)
		return decide(NO_BACKEND, XDP_DROP);

	tos = ip->tos;
	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(struct iphdr)))
		return XDP_ABORTED;
	data = (void *)(long)ctx->data;
	data_end = (void *)(long)ctx->data_end;
	eth = data;
	ip = (void *)(eth + 1);
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	__builtin_memcpy(eth->h_dest, endpoint->mac, ETH_ALEN);
	__builtin_memcpy(eth->h_source, self->mac, ETH_ALEN);
	eth->h_proto = bpf_htons(ETH_P_IP);
	write_ipv4_header(ip, tos, length + sizeof(struct iphdr), 0, IP_DONT_FRAGMENT, OUTER_TTL, IPPROTO_IPIP,
			  self->address, endpoint->address);
	return decide(BALANCED, XDP_TX);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
