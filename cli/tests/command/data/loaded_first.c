// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Counts packets and drops them: the next program counts them in the same map.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

SEC("xdp")
int loaded_first(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 34 > end)
		return XDP_PASS;
	__u32 protocol = data[23];
	__u64 *count = bpf_map_lookup_elem(&seen, &protocol);
	if (count)
		__sync_fetch_and_add(count, 1);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
