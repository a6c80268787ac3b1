// SPDX-License-Identifier: MIT OR Apache-2.0
//
// blocklist: drops IPv4 packets whose source address stands in a list, and counts what it did.
//
// blocked       the addresses (network byte order) and a number that says why; filled by the host, only read here.
// decisions[0]  packets that passed, decisions[1] packets that were dropped; shared, raised with atomics.
//
// What is not IPv4, or too short to have a source address, passes.
//
// Try it:
//   hardpath check build/programs/blocklist.o --maps programs/blocklist.maps.json --pcap programs/firewall.pcap

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define PASSED 0
#define DROPPED 1

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __be32);
	__type(value, __u32);
} blocked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} decisions SEC(".maps");

SEC("xdp")
int blocklist(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	__u32 decision = PASSED;
	__u64 *count;

	if ((void *)(ip + 1) <= data_end && eth->h_proto == bpf_htons(ETH_P_IP)) {
		__be32 source = ip->saddr;

		if (bpf_map_lookup_elem(&blocked, &source))
			decision = DROPPED;
	}

	count = bpf_map_lookup_elem(&decisions, &decision);
	if (count)
		__sync_fetch_and_add(count, 1);
	return decision == DROPPED ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
