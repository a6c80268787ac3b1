// SPDX-License-Identifier: MIT OR Apache-2.0
//
// flood: an Ethernet switch with known stations. A frame to a known station leaves at that station's interface; frames
// to groups, and to stations that nobody knows, leave at all interfaces but the one where they came in.
//
// stations   a MAC address to the index of the interface behind which it is.
// ports      the switch's interfaces: index to index. No frame leaves at another one.
// counters   frames that went to [0] one interface, [1] all others, [2] nowhere: sender and receiver are on one side.
//
// Try it:
//   hardpath traffic --packets 2000 --flows 100 --size 64:600 -o build/mixed.pcapng
//   hardpath check build/programs/flood.o --maps programs/flood.maps.json --pcap build/mixed.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_helpers.h>

#define GROUP_BIT 1

enum counter { TO_ONE, TO_ALL, NOWHERE, COUNTERS };

struct station {
	__u8 mac[ETH_ALEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct station);
	__type(value, __u32);
} stations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 32);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline void count(__u32 what)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &what);

	if (counter)
		*counter += 1;
}

SEC("xdp")
int flood(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct station receiver;
	__u32 *ifindex = NULL;

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	__builtin_memcpy(receiver.mac, eth->h_dest, ETH_ALEN);
	if (!(receiver.mac[0] & GROUP_BIT))
		ifindex = bpf_map_lookup_elem(&stations, &receiver);
	if (!ifindex) {
		count(TO_ALL);
		return bpf_redirect_map(&ports, 0, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
	}
	if (*ifindex == ctx->ingress_ifindex) {
		count(NOWHERE);
		return XDP_DROP;
	}
	count(TO_ONE);
	return bpf_redirect_map(&ports, *ifindex, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
