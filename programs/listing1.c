// SPDX-License-Identifier: MIT OR Apache-2.0
//
// listing1: counts packets by EtherType and sends them back.
//
// The example that runs through the eHDL paper (ASPLOS'23, Listing 1), in our own words: one shared array of four
// counters, one atomic add, every frame returned to the port that it came from. A frame too short for an Ethernet
// header is dropped.
//
//   stats[0]  everything else      stats[1]  IPv4      stats[2]  IPv6      stats[3]  ARP
//
// Try it:
//   hardpath sim build/programs/listing1.o --pcap programs/firewall.pcap --maps-out counts.json

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} stats SEC(".maps");

SEC("xdp")
int listing1(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	__u32 key = 0;
	__u64 *value;

	if ((void *)(eth + 1) > data_end)
		return XDP_DROP;

	switch (eth->h_proto) {
	case bpf_htons(ETH_P_IP):
		key = 1;
		break;
	case bpf_htons(ETH_P_IPV6):
		key = 2;
		break;
	case bpf_htons(ETH_P_ARP):
		key = 3;
		break;
	}

	value = bpf_map_lookup_elem(&stats, &key);
	if (value)
		__sync_fetch_and_add(value, 1);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
