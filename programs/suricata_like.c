// SPDX-License-Identifier: MIT OR Apache-2.0
//
// suricata_like: what stands in front of an intrusion detection system. Flows that the system has seen enough of are
// dropped here and only counted; all others are spread over its CPUs, both directions of a flow to the same one.
//
// flows_v4, flows_v6  the flows to bypass, filled by the host: addresses, ports, protocol, up to two VLAN tags. Each
//                     CPU counts packets and bytes, so that the host can see when a flow has come to its end.
// cpu_count[0]        how many CPUs there are; 0: packets go where they are.
// cpus_available      their numbers.
// cpus                where they are (cpumap).
//
// What is neither TCP nor UDP, is a fragment, or has IPv6 extension headers is never bypassed, but is still spread by
// its addresses. What is not IP passes.
//
// Try it:
//   hardpath traffic --packets 3000 --flows 100 --proto mixed --hostile -o build/hostile.pcapng
//   hardpath check build/programs/suricata_like.o --maps programs/suricata_like.maps.json --pcap build/hostile.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define MAX_CPUS 64
#define VLAN_TAGS 2
#define VLAN_ID bpf_htons(0x0fff)
#define FRAGMENT_BITS bpf_htons(0x3fff)

struct vlan_tag {
	__be16 id;
	__be16 inner_type;
};

struct flow_v4 {
	__be32 source;
	__be32 destination;
	__be16 source_port;
	__be16 destination_port;
	__be16 vlan[VLAN_TAGS];
	__u32 protocol;
};

struct flow_v6 {
	__be32 source[4];
	__be32 destination[4];
	__be16 source_port;
	__be16 destination_port;
	__be16 vlan[VLAN_TAGS];
	__u32 protocol;
};

struct bypassed {
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 32768);
	__type(key, struct flow_v4);
	__type(value, struct bypassed);
} flows_v4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 32768);
	__type(key, struct flow_v6);
	__type(value, struct bypassed);
} flows_v6 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cpu_count SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, __u32);
} cpus_available SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, MAX_CPUS);
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} cpus SEC(".maps");

struct port_pair {
	__be16 source;
	__be16 destination;
};

/* `hash` is the same in both directions. A multiplication brings it into the range without a division. */
static __always_inline int spread(__u32 hash)
{
	__u32 zero = 0, place;
	__u32 *count, *cpu;

	count = bpf_map_lookup_elem(&cpu_count, &zero);
	if (!count || !*count)
		return XDP_PASS;
	hash ^= hash >> 16;
	hash ^= hash >> 8;
	place = ((hash & 0xff) * (*count & 0xff)) >> 8;
	cpu = bpf_map_lookup_elem(&cpus_available, &place);
	if (!cpu)
		return XDP_PASS;
	return bpf_redirect_map(&cpus, *cpu, XDP_PASS);
}

static __always_inline int filter_v4(struct iphdr *ip, void *data_end, const __be16 *vlan, __u64 bytes)
{
	struct port_pair *l4;
	struct bypassed *bypassed;
	struct flow_v4 flow = {};

	if ((void *)(ip + 1) > data_end)
		return XDP_PASS;
	flow.source = ip->saddr;
	flow.destination = ip->daddr;
	flow.vlan[0] = vlan[0];
	flow.vlan[1] = vlan[1];
	flow.protocol = ip->protocol;
	if ((ip->protocol == IPPROTO_TCP || ip->protocol == IPPROTO_UDP) && ip->ihl >= 5 &&
	    !(ip->frag_off & FRAGMENT_BITS)) {
		l4 = (void *)ip + ip->ihl * 4;
		if ((void *)(l4 + 1) > data_end)
			return XDP_PASS;
		flow.source_port = l4->source;
		flow.destination_port = l4->destination;
		bypassed = bpf_map_lookup_elem(&flows_v4, &flow);
		if (bypassed) {
			bypassed->packets += 1;
			bypassed->bytes += bytes;
			return XDP_DROP;
		}
	}
	return spread(flow.source + flow.destination);
}

static __always_inline int filter_v6(struct ipv6hdr *ip, void *data_end, const __be16 *vlan, __u64 bytes)
{
	struct port_pair *l4 = (void *)(ip + 1);
	struct bypassed *bypassed;
	struct flow_v6 flow = {};
	__u32 hash = 0;

	if ((void *)(ip + 1) > data_end)
		return XDP_PASS;
	__builtin_memcpy(flow.source, &ip->saddr, sizeof(flow.source));
	__builtin_memcpy(flow.destination, &ip->daddr, sizeof(flow.destination));
#pragma clang loop unroll(full)
	for (int i = 0; i < 4; i++)
		hash += flow.source[i] + flow.destination[i];
	if (ip->nexthdr == IPPROTO_TCP || ip->nexthdr == IPPROTO_UDP) {
		if ((void *)(l4 + 1) > data_end)
			return XDP_PASS;
		flow.source_port = l4->source;
		flow.destination_port = l4->destination;
		flow.vlan[0] = vlan[0];
		flow.vlan[1] = vlan[1];
		flow.protocol = ip->nexthdr;
		bypassed = bpf_map_lookup_elem(&flows_v6, &flow);
		if (bypassed) {
			bypassed->packets += 1;
			bypassed->bytes += bytes;
			return XDP_DROP;
		}
	}
	return spread(hash);
}

SEC("xdp")
int suricata_like(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	__be16 vlan[VLAN_TAGS] = {};
	struct ethhdr *eth = data;
	void *next = eth + 1;
	__be16 type;

	if (next > data_end)
		return XDP_PASS;
	type = eth->h_proto;
#pragma clang loop unroll(full)
	for (int i = 0; i < VLAN_TAGS; i++) {
		struct vlan_tag *tag = next;

		if (type != bpf_htons(ETH_P_8021Q) && type != bpf_htons(ETH_P_8021AD))
			break;
		if ((void *)(tag + 1) > data_end)
			return XDP_PASS;
		vlan[i] = tag->id & VLAN_ID;
		type = tag->inner_type;
		next = tag + 1;
	}

	if (type == bpf_htons(ETH_P_IP))
		return filter_v4(next, data_end, vlan, data_end - data);
	if (type == bpf_htons(ETH_P_IPV6))
		return filter_v6(next, data_end, vlan, data_end - data);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
