// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Remembers seconds and stations in one small LRU map. What is new is dropped, what is known passes.

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 100);
	__type(key, __u64);
	__type(value, __u64);
} seen SEC(".maps");

SEC("xdp")
int two_memories(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	__u64 second, station, first = 1;
	__u64 *of_second, *of_station;
	int known = 1;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	second = bpf_ktime_get_ns() >> 30;
	station = 0x8000000000000000ULL | (__u64)eth->h_source[4] << 8 | eth->h_source[5];
	of_second = bpf_map_lookup_elem(&seen, &second);
	of_station = bpf_map_lookup_elem(&seen, &station);
	if (of_second)
		*of_second = *of_second * 5 + 1;
	if (of_station)
		*of_station = *of_station * 3 + 1;
	if (!of_second) {
		bpf_map_update_elem(&seen, &second, &first, BPF_ANY);
		known = 0;
	}
	if (!of_station) {
		bpf_map_update_elem(&seen, &station, &first, BPF_ANY);
		known = 0;
	}
	return known ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
