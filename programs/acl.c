// SPDX-License-Identifier: MIT OR Apache-2.0
//
// acl: an access list for IPv4. Where a packet comes from chooses a list, and in the list the first rule that matches
// protocol, destination and destination port decides.
//
// sources       a source network (longest prefix first) to the number of its list.
// destinations  a destination network to its zone, a number that rules name.
// lists         lists of eight rules each. A rule with protocol 0 matches TCP and UDP alike; one that is all zeros
//               matches nothing. A packet that no rule matches is dropped.
// counters      for each list and rule the packets that it decided; the ninth of each list: that no rule matched.
//
// ARP passes. Fragments but the first have no ports and are dropped, and so is what is not IPv4.
//
// Try it:
//   hardpath traffic --packets 3000 --flows 500 --proto mixed -o build/mixed64.pcapng
//   hardpath check build/programs/acl.o --maps programs/acl.maps.json --pcap build/mixed64.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define LISTS 16
#define RULES 8
#define FRAGMENT_OFFSET bpf_htons(0x1fff)

struct network {
	__u32 prefix_bits;
	__be32 address;
};

struct rule {
	__u16 first_port;
	__u16 last_port;
	__u8 protocol;
	__u8 zone;
	/* Anything but 0 lets a packet pass. */
	__u8 allows;
	__u8 is_used;
};

struct list {
	struct rule rules[RULES];
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct network);
	__type(value, __u32);
} sources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 256);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct network);
	__type(value, __u32);
} destinations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LISTS);
	__type(key, __u32);
	__type(value, struct list);
} lists SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, LISTS *(RULES + 1));
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

struct port_pair {
	__be16 source;
	__be16 destination;
};

SEC("xdp")
int acl(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct network network = { .prefix_bits = 32 };
	__u32 *number, *zone, decided = RULES, index;
	struct port_pair *l4;
	struct list *list;
	int allowed = 0;
	__u64 *counter;
	__u16 port;

	if ((void *)(eth + 1) > data_end)
		return XDP_DROP;
	if (eth->h_proto == bpf_htons(ETH_P_ARP))
		return XDP_PASS;
	if (eth->h_proto != bpf_htons(ETH_P_IP) || (void *)(ip + 1) > data_end)
		return XDP_DROP;
	if (ip->version != 4 || ip->ihl < 5 || (ip->frag_off & FRAGMENT_OFFSET))
		return XDP_DROP;
	if (ip->protocol != IPPROTO_TCP && ip->protocol != IPPROTO_UDP)
		return XDP_DROP;
	l4 = (void *)ip + ip->ihl * 4;
	if ((void *)(l4 + 1) > data_end)
		return XDP_DROP;
	port = bpf_ntohs(l4->destination);

	network.address = ip->saddr;
	number = bpf_map_lookup_elem(&sources, &network);
	network.address = ip->daddr;
	zone = bpf_map_lookup_elem(&destinations, &network);
	if (!number || !zone)
		return XDP_DROP;
	index = *number;
	list = bpf_map_lookup_elem(&lists, &index);
	if (!list)
		return XDP_DROP;

	/* From the last rule to the first one, so that the first one that matches has the last word. */
#pragma clang loop unroll(full)
	for (int i = RULES - 1; i >= 0; i--) {
		const struct rule *rule = &list->rules[i];

		if (rule->is_used && rule->zone == *zone && port >= rule->first_port && port <= rule->last_port &&
		    (!rule->protocol || rule->protocol == ip->protocol)) {
			decided = i;
			allowed = rule->allows;
		}
	}

	index = index * (RULES + 1) + decided;
	counter = bpf_map_lookup_elem(&counters, &index);
	if (counter)
		*counter += 1;
	return allowed ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
