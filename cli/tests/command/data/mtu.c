// SPDX-License-Identifier: MIT OR Apache-2.0
//
// bpf_check_mtu: interface, length, difference and flags are in the packet, and the answers are written into it; and
// programs that ask about a packet that moves, and before a redirect.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} lengths SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct asked {
	__u8 ethernet[12];
	__u8 kind[2];
	__u8 interface, wide_interface[3];
	__s32 difference;
	__u32 length;
	__u64 flags;
	__u64 answer;
	__u32 mtu;
} __attribute__((packed));

// All that the packet asks, with the length on the stack.
SEC("xdp")
int asked(struct xdp_md *ctx)
{
	struct asked *asked = (void *)(long)ctx->data;
	if ((void *)(asked + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	__u32 mtu = asked->length;
	__u32 interface = asked->kind[0] & 1 ? *(__u32 *)&asked->interface : asked->interface;
	__u64 flags = asked->kind[0] & 2 ? asked->flags : 0;
	asked->answer = bpf_check_mtu(ctx, interface, &mtu, asked->difference, flags);
	asked->mtu = mtu;
	return XDP_PASS;
}

// The packet's own length, before and after it was moved; the length's place is in a map.
SEC("xdp")
int moved(struct xdp_md *ctx)
{
	__u32 key = 1;
	__u32 *length = bpf_map_lookup_elem(&lengths, &key);
	if (!length)
		return XDP_ABORTED;
	*length = 0;
	long before = bpf_check_mtu(ctx, 0, length, 0, 0);
	if (bpf_xdp_adjust_head(ctx, -60))
		return XDP_ABORTED;
	*length = 0;
	long head = bpf_check_mtu(ctx, 0, length, 0, 0);
	if (bpf_xdp_adjust_tail(ctx, -10))
		return XDP_ABORTED;
	*length = 0;
	long tail = bpf_check_mtu(ctx, 2, length, 0, 0);
	long without = bpf_check_mtu(ctx, 2, length, -14, 4);
	__u8 *data = (void *)(long)ctx->data;
	if (data + 20 > (__u8 *)(long)ctx->data_end)
		return XDP_ABORTED;
	data[0] = before;
	data[1] = head;
	data[2] = tail;
	data[3] = without;
	return XDP_TX;
}

// Sends on what fits through the interface that it goes to.
SEC("xdp")
int forward(struct xdp_md *ctx)
{
	__u32 mtu = 0;
	__u32 key = (ctx->data_end - ctx->data) & 3;
	__u32 *port = bpf_map_lookup_elem(&ports, &key);
	if (!port || bpf_check_mtu(ctx, *port, &mtu, 0, 0))
		return XDP_DROP;
	return bpf_redirect_map(&ports, key, 0);
}

char LICENSE[] SEC("license") = "GPL";
