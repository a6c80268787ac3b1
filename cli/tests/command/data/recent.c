// SPDX-License-Identifier: MIT OR Apache-2.0
//
// More flows than the map has room for: an update never fails.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 100);
	__type(key, __u32);
	__type(value, __u32);
} recent SEC(".maps");

SEC("xdp")
int recent_flows(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	__u32 value = 1;
	__u32 *found;
	__u32 key;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	key = *(__u32 *)(data + 26);
	found = bpf_map_lookup_elem(&recent, &key);
	if (found) {
		*found += 1;
		return XDP_TX;
	}
	return bpf_map_update_elem(&recent, &key, &value, BPF_NOEXIST) ? XDP_ABORTED : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
