// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Counts packets in steps that stand in a data section, which the host writes before the program takes packets.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

static volatile __u64 step = 3;

SEC("xdp")
int loaded_last(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 34 > end)
		return XDP_PASS;
	__u32 protocol = data[23];
	__u64 *count = bpf_map_lookup_elem(&seen, &protocol);
	if (count)
		*count += step;
	step += 1;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
