// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Values under spin locks, in an array and in a hash: tokens that come with time and go with packets.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct bucket {
	__u32 tokens;
	struct bpf_spin_lock lock;
	__u64 last;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct bucket);
} shared SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u16);
	__type(value, struct bucket);
} of_flows SEC(".maps");

SEC("xdp")
int locks(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	struct bucket fresh = {.tokens = 7};
	struct bucket *bucket;
	__u64 now = bpf_ktime_get_coarse_ns();
	int action = XDP_DROP;
	__u16 flow;
	__u32 key;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	key = data[29] & 7;
	flow = data[29] & 31;
	fresh.last = now;
	// The kernel does not look at the bytes of the lock.
	*(volatile __u32 *)((char *)&fresh + 4) = 0x01020304;
	if (data[35] == 17) {
		data[0] = bpf_map_update_elem(&shared, &key, &fresh, data[34] & 7);
		return XDP_TX;
	}
	bucket = bpf_map_lookup_elem(&of_flows, &flow);
	if (!bucket) {
		bpf_map_update_elem(&of_flows, &flow, &fresh, BPF_NOEXIST);
		return XDP_TX;
	}
	bpf_spin_lock(&bucket->lock);
	if (now - bucket->last > 50000) {
		bucket->tokens = 7;
		bucket->last = now;
	}
	if (bucket->tokens) {
		bucket->tokens -= 1;
		action = XDP_TX;
	}
	bpf_spin_unlock(&bucket->lock);
	return action;
}

// Entries of a hash written where they stand, with flags that the packet says, while a pointer to them is in use.
SEC("xdp")
int in_one_piece(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	struct bucket fresh = {.tokens = 9, .last = bpf_ktime_get_coarse_ns()};
	struct bucket *bucket;
	__u16 flow;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	flow = data[29] & 31;
	*(volatile __u32 *)((char *)&fresh + 4) = 0x01020304;
	bucket = bpf_map_lookup_elem(&of_flows, &flow);
	data[0] = bpf_map_update_elem(&of_flows, &flow, &fresh, (data[34] & 3) | (data[35] & 8) >> 1);
	if (!bucket)
		return XDP_TX;
	data[1] = bucket->tokens;
	bucket->tokens = data[33];
	return XDP_PASS;
}

// The flags as programs write them.
SEC("xdp")
int always_locked(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	struct bucket fresh = {.last = ctx->data_end - ctx->data};
	__u16 flow;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	flow = data[29] & 31;
	fresh.tokens = data[33];
	if (!bpf_map_update_elem(&of_flows, &flow, &fresh, BPF_EXIST | BPF_F_LOCK))
		return XDP_TX;
	return bpf_map_update_elem(&of_flows, &flow, &fresh, BPF_F_LOCK) ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
