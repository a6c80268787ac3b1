// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Programs of a device map's entries, which know where a packet leaves; and one that does not.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u64);
} sent SEC(".maps");

// Counts the packets that leave each interface; where a packet came from and goes to is written over its addresses.
SEC("xdp/devmap")
int count(struct xdp_md *ctx)
{
	__u32 *data = (void *)(long)ctx->data;
	__u32 egress = ctx->egress_ifindex;
	__u64 one = 1;
	__u64 *packets;

	if ((void *)(data + 3) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	if (egress == ctx->ingress_ifindex)
		return XDP_DROP;
	data[0] = egress;
	data[1] = ctx->ingress_ifindex;
	packets = bpf_map_lookup_elem(&sent, &egress);
	if (packets)
		*packets += 1;
	else
		bpf_map_update_elem(&sent, &egress, &one, BPF_ANY);
	return XDP_PASS;
}

// Reads a part of the number only, and it twice.
SEC("xdp.frags/devmap")
int parts(struct xdp_md *ctx)
{
	volatile __u16 *high = (volatile __u16 *)&ctx->egress_ifindex + 1;
	volatile __u8 *low = (volatile __u8 *)&ctx->egress_ifindex;
	__u16 *data = (void *)(long)ctx->data;

	if ((void *)(data + 7) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	data[0] = *high;
	data[1] = *low;
	data[2] = *high + 1;
	return *low & 1 ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int ordinary(struct xdp_md *ctx)
{
	return ctx->egress_ifindex == 3 ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "GPL";
