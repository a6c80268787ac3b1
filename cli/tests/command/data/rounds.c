// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A loop whose rounds the packet says, too many to be written out: a sum over the bytes that a length covers.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} sums SEC(".maps");

SEC("xdp")
int rounds(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *end = (void *)(long)ctx->data_end;
	if (data + 18 > end)
		return XDP_DROP;
	__u32 length = (data[16] << 8 | data[17]) & 1023;
	__u32 sum = 0;
#pragma clang loop unroll(disable)
	for (__u32 at = 0; at < length; at++) {
		unsigned char *byte = data + at;
		if (byte + 1 > end)
			break;
		sum = sum * 31 + *byte;
	}
	__u32 key = 0;
	__u64 *total = bpf_map_lookup_elem(&sums, &key);
	if (!total)
		return XDP_ABORTED;
	*total += sum;
	return sum & 1 ? XDP_PASS : XDP_TX;
}
