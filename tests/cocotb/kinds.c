// SPDX-License-Identifier: MIT OR Apache-2.0
//
// kinds: what the tests of the host port run on maps of every kind. Frames carry the number of a flow in the four bytes
// behind the Ethernet header. Values of two halves have equal ones: a reader who finds them different has seen half of
// a write.
//
// routes    longest prefix of the flow's bytes; the host writes, packets that find different halves are aborted
// sources   packets make and count their flow's entry
// states    the host makes entries; packets compute the next state from the last one, for longer than a clock
// lanes     all packets, for each CPU
// ports     where to redirect a packet of the flow to, if anywhere; others pass

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_helpers.h>

#define PORTS 4

struct pair {
	__u64 left;
	__u64 right;
};

struct prefix {
	__u32 bits;
	__u32 flow;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 32);
	__type(key, struct prefix);
	__type(value, struct pair);
} routes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct pair);
} sources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct pair);
} states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct pair);
} lanes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, PORTS);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

/* `next_state` of test_kinds.py is the same. It does not come back to a state for as long as a test runs. */
static __always_inline __u64 next(__u64 state)
{
	state += (state >> 3) + 1;
	state ^= state << ((state & 7) | 1);
	return state + (state >> 5);
}

SEC("xdp")
int kinds(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	__u32 *flow = data + sizeof(struct ethhdr);
	__u32 zero = 0;

	if ((void *)(flow + 1) > data_end)
		return XDP_DROP;

	struct pair *lane = bpf_map_lookup_elem(&lanes, &zero);
	if (lane) {
		lane->left += 1;
		lane->right += 1;
	}

	struct prefix prefix = { .bits = 32, .flow = *flow };
	struct pair *route = bpf_map_lookup_elem(&routes, &prefix);
	if (!route)
		return XDP_DROP;
	if (route->left != route->right)
		return XDP_ABORTED;

	struct pair *source = bpf_map_lookup_elem(&sources, flow);
	if (source) {
		source->left += 1;
		source->right += 1;
	} else {
		struct pair first = { 1, 1 };

		bpf_map_update_elem(&sources, flow, &first, BPF_ANY);
	}

	struct pair *state = bpf_map_lookup_elem(&states, flow);
	if (state) {
		state->left = next(state->left);
		state->right = next(state->right);
	}
	return bpf_redirect_map(&ports, *flow % PORTS, XDP_PASS);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
