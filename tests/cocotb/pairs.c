// SPDX-License-Identifier: MIT OR Apache-2.0
//
// pairs: what the tests of the host port run. Every value has two halves that are always written together and equal:
// a reader who finds them different has seen half of a write.
//
// settings  the host writes, the data plane reads: packets that find different halves are aborted
// flows     by the four bytes behind the Ethernet header; the host makes entries, packets count both halves up
// packets   all packets
// marked    as flows, by keys with a mark that is the same in all packets; the host may put in other ones

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_helpers.h>

#define SETTINGS 4
#define MARK 6

struct pair {
	__u64 left;
	__u64 right;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SETTINGS);
	__type(key, __u32);
	__type(value, struct pair);
} settings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32);
	__type(key, __u32);
	__type(value, struct pair);
} flows SEC(".maps");

struct marked_flow {
	__u32 flow;
	__u32 mark;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, struct marked_flow);
	__type(value, struct pair);
} marked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} packets SEC(".maps");

SEC("xdp")
int pairs(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	__u32 *flow = data + sizeof(struct ethhdr);
	__u32 zero = 0;

	if ((void *)(flow + 1) > data_end)
		return XDP_DROP;

	__u64 *seen = bpf_map_lookup_elem(&packets, &zero);
	if (seen)
		__sync_fetch_and_add(seen, 1);

	__u32 which = *flow % SETTINGS;
	struct pair *setting = bpf_map_lookup_elem(&settings, &which);
	if (!setting || setting->left != setting->right)
		return XDP_ABORTED;

	struct pair *entry = bpf_map_lookup_elem(&flows, flow);
	if (entry) {
		entry->left += 1;
		entry->right += 1;
	}

	struct marked_flow key = { *flow, MARK };
	struct pair *same = bpf_map_lookup_elem(&marked, &key);
	if (same) {
		same->left += 1;
		same->right += 1;
	}
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
