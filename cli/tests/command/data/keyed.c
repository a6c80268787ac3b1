// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Hash maps of every kind, changed by the data plane: flows are counted, refused and forgotten.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define FLOWS(name, kind, entries)                                                                                     \
	struct {                                                                                                           \
		__uint(type, kind);                                                                                            \
		__uint(max_entries, entries);                                                                                  \
		__type(key, __u32);                                                                                            \
		__type(value, __u64);                                                                                          \
	} name SEC(".maps")

FLOWS(of_a_cpu, BPF_MAP_TYPE_PERCPU_HASH, 40);
FLOWS(recent, BPF_MAP_TYPE_LRU_HASH, 400);
FLOWS(recent_of_a_cpu, BPF_MAP_TYPE_LRU_PERCPU_HASH, 400);

SEC("xdp")
int keyed(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	__u64 one = 1;
	__u64 *count;
	__u32 key;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	key = data[29] | (data[35] & 1) << 8;
	count = bpf_map_lookup_elem(&of_a_cpu, &key);
	if (count)
		*count += 1;
	else if (bpf_map_update_elem(&of_a_cpu, &key, &one, BPF_NOEXIST))
		return XDP_DROP;
	count = bpf_map_lookup_elem(&recent, &key);
	if (count) {
		*count += 1;
		if ((*count & 7) == 7)
			bpf_map_delete_elem(&recent, &key);
	} else {
		bpf_map_update_elem(&recent, &key, &one, BPF_ANY);
	}
	count = bpf_map_lookup_elem(&recent_of_a_cpu, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&recent_of_a_cpu, &key, &one, BPF_ANY);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
