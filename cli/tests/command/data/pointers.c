// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Pointers of which only the packet tells what they point into: one of two maps, a map or the stack, a map or the packet;
// and keys and values of maps that lie in the packet itself.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

/* Keeps one access for all the pointers that it may get: the compiler cannot look through it. */
#define ONE_POINTER(pointer) asm volatile("" : "+r"(pointer))

struct value {
	__u64 packets;
	__u32 marks;
	__u32 last;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, struct value);
} sources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, struct value);
} destinations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, struct value);
} classes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(key_size, 8);
	__uint(value_size, 4);
} seen SEC(".maps");

SEC("xdp")
int pointers(struct xdp_md *ctx)
{
	__u8 *data = (__u8 *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct value own = { .packets = 7 };
	struct value *value;
	__u32 key, what;
	__u8 *bytes;

	if (data + 60 > (__u8 *)data_end)
		return XDP_PASS;
	what = data[29] ^ data[35];

	/* One of two maps. */
	if (what & 1) {
		key = *(__u32 *)(data + 26);
		value = bpf_map_lookup_elem(&sources, &key);
	} else {
		key = *(__u32 *)(data + 30);
		value = bpf_map_lookup_elem(&destinations, &key);
	}
	if (!value) {
		if (what & 1)
			bpf_map_update_elem(&sources, &key, &own, BPF_ANY);
		else
			bpf_map_update_elem(&destinations, &key, &own, BPF_ANY);
		/* The stack. */
		value = &own;
	}
	ONE_POINTER(value);
	value->packets++;
	value->last = what;
	own.packets += value->packets;

	/* A map or the packet. */
	key = what >> 1 & 7;
	value = bpf_map_lookup_elem(&classes, &key);
	if (!value)
		return XDP_ABORTED;
	bytes = what & 16 ? (__u8 *)&value->marks : data + 42;
	ONE_POINTER(bytes);
	bytes[1] += 3;
	*(__u16 *)(bytes + 2) ^= what;
	data[46] = bytes[0];

	/* Key and value are the packet's own bytes. */
	if (bpf_map_lookup_elem(&seen, data + 26))
		data[47] = 1;
	if (what & 32)
		data[48] = bpf_map_update_elem(&seen, data + 26, data + 42, BPF_NOEXIST);
	else if (what & 64)
		data[48] = bpf_map_delete_elem(&seen, data + 26);

	*(__u64 *)(data + 50) = own.packets;
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
