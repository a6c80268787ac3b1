// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Counts packets in the map of the program before and sends them back, with how many there were before; and counts them by source in
// a map of its own.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} sources SEC(".maps");

SEC("xdp")
int loaded_next(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 34 > end)
		return XDP_PASS;
	__u32 protocol = data[23];
	__u64 *count = bpf_map_lookup_elem(&seen, &protocol);
	__u32 source;
	__u64 one = 1, *known;

	if (!count)
		return XDP_PASS;
	__builtin_memcpy(&source, data + 26, 4);
	known = bpf_map_lookup_elem(&sources, &source);
	if (known)
		*known += 1;
	else
		bpf_map_update_elem(&sources, &source, &one, BPF_ANY);
	data[0] = *count;
	*count += 1;
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
