// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Programs of which the compiler for cores makes less than they say: few rounds, what a branch has found out, ways that meet,
// rounds of which each begins with what the one before need not wait for.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} sockets SEC(".maps");

SEC("xdp")
int rounds(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *end = (void *)(long)ctx->data_end;
	if (data + 14 > end)
		return XDP_DROP;
#pragma clang loop unroll(disable)
	for (unsigned int at = 0; at < 4; at++)
		data[at] = at;
	return XDP_TX;
}

SEC("xdp")
int known(struct xdp_md *ctx)
{
	__u32 queue = ctx->rx_queue_index;
	/* The second one looks it up, too. */
	if (bpf_map_lookup_elem(&sockets, &queue))
		return bpf_redirect_map(&sockets, queue, 0);
	return XDP_PASS;
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} protocols SEC(".maps");

SEC("xdp")
int meets(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *end = (void *)(long)ctx->data_end;
	__u32 at = 14, protocol = 0;
	__u8 ether_type;
	__u64 *count;

	if (data + 60 > end)
		return XDP_DROP;
	/* Behind the place where ways meet that begin here, each knows where its header is. */
	ether_type = data[12];
	if (ether_type == 0x81) {
		at += 4;
		ether_type = data[at - 2];
	}
	if (ether_type == 0x81) {
		at += 4;
		ether_type = data[at - 2];
	}
	if (ether_type == 0x08)
		protocol = data[at + 9];
	else if (ether_type == 0x86)
		protocol = data[at + 6];
	count = bpf_map_lookup_elem(&protocols, &protocol);
	if (count)
		*count += 1;
	if (protocol == 17) {
		data[0] ^= 2;
		return XDP_TX;
	}
	return XDP_DROP;
}

SEC("xdp")
int hash(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *end = (void *)(long)ctx->data_end;
	__u64 sum = 1;

	if (data + 60 > end)
		return XDP_DROP;
#pragma clang loop unroll(disable)
	for (__u32 at = 0; at < data[0]; at++)
		sum = (sum ^ data[at % 32]) * 0x100000001b3ULL;
	data[1] = sum >> 32;
	return XDP_TX;
}
