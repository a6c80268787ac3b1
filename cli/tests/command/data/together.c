// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Updates, and what the same packet does with the map behind them.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* Two reasons: what the helper needs is not there in hardware, and the value may be another entry's by then. */
SEC("xdp")
int two_reasons(struct xdp_md *ctx)
{
	__u32 key = ctx->ingress_ifindex, other = 7;
	__u64 one = 1, *count = bpf_map_lookup_elem(&counts, &key);

	if (bpf_fib_lookup(ctx, 0, 0, 0) < 0)
		return XDP_DROP;
	if (!count)
		return XDP_PASS;
	bpf_map_update_elem(&counts, &key, &one, BPF_ANY);
	bpf_map_update_elem(&counts, &other, &one, BPF_ANY);
	return *count;
}

/* The other entry is found only if there was room for this one. */
SEC("xdp")
int room_decides(struct xdp_md *ctx)
{
	__u32 key = ctx->ingress_ifindex, other = 7;
	__u64 one = bpf_ktime_get_ns();

	if (bpf_map_update_elem(&counts, &key, &one, BPF_ANY))
		return XDP_DROP;
	__u64 *count = bpf_map_lookup_elem(&counts, &other);
	if (count)
		(*count)++;
	return XDP_PASS;
}

/* Each packet says what its update may do: 0 to 2, and 3 is nothing that the kernel knows. What is found behind it and
 * changed follows from that. */
SEC("xdp")
int flags_vary(struct xdp_md *ctx)
{
	unsigned char *bytes = (void *)(long)ctx->data;

	if (bytes + 14 > (unsigned char *)(long)ctx->data_end)
		return XDP_DROP;
	__u32 key = bytes[5] & 7;
	__u64 value = bytes[4];
	long failed = bpf_map_update_elem(&counts, &key, &value, bytes[3] & 3);
	__u64 *count = bpf_map_lookup_elem(&counts, &key);

	if (count) {
		*count += 256;
		bytes[0] = *count >> 8;
	}
	bytes[1] = failed;
	return XDP_TX;
}

/* One clock passes between the packet and its verdict. */
SEC("xdp")
int one_stage(struct xdp_md *ctx)
{
	return ctx->ingress_ifindex == 3 ? XDP_DROP : XDP_PASS;
}

char _license[] SEC("license") = "GPL";
