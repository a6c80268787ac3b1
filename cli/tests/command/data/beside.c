// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What comes with a packet beside its bytes, and what leaves in front of it: time, a random number, interface and queue as
// metadata.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct beside {
	__u64 time;
	__u32 random;
	__u32 ifindex;
	__u32 queue;
	__u32 number;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} packets SEC(".maps");

SEC("xdp")
int beside(struct xdp_md *ctx)
{
	struct beside *front;
	__u32 key = 0, number = 0;
	__u32 *count = bpf_map_lookup_elem(&packets, &key);

	if (count)
		number = (*count)++;
	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*front)))
		return XDP_DROP;
	front = (void *)(long)ctx->data_meta;
	if ((void *)(front + 1) > (void *)(long)ctx->data)
		return XDP_DROP;
	front->time = bpf_ktime_get_ns();
	front->random = bpf_get_prandom_u32();
	front->ifindex = ctx->ingress_ifindex;
	front->queue = ctx->rx_queue_index;
	front->number = number;
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
