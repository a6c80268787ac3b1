// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Longest prefixes: two lookups of addresses, one of a pair of address and port with a length that the packet says,
// packets counted in what was found.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct address {
	__u32 length;
	__u8 bytes[4];
};

struct service {
	__u32 length;
	__u8 bytes[6];
};

struct hop {
	__u32 port;
	__u32 unused;
	__u64 packets;
};

#define TRIE(name, entries, key_type, value_type)                                                                      \
	struct {                                                                                                           \
		__uint(type, BPF_MAP_TYPE_LPM_TRIE);                                                                           \
		__uint(max_entries, entries);                                                                                  \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                                                          \
		__type(key, key_type);                                                                                         \
		__type(value, value_type);                                                                                     \
	} name SEC(".maps")

TRIE(routes, 12, struct address, __u32);
TRIE(hops, 8, struct address, struct hop);
TRIE(services, 100, struct service, __u16);

SEC("xdp")
int routes_of(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	struct service service = {};
	struct address key = {.length = 32};
	struct hop *hop;
	__u16 *mark;
	__u32 *route;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	__builtin_memcpy(key.bytes, data + 26, 4);
	route = bpf_map_lookup_elem(&routes, &key);
	if (route)
		*(__u32 *)data = *route;
	__builtin_memcpy(key.bytes, data + 30, 4);
	key.length = 32;
	route = bpf_map_lookup_elem(&routes, &key);
	if (route)
		*(__u32 *)(data + 4) = *route;
	service.length = data[34];
	__builtin_memcpy(service.bytes, data + 30, 4);
	__builtin_memcpy(service.bytes + 4, data + 36, 2);
	mark = bpf_map_lookup_elem(&services, &service);
	if (mark)
		*(__u16 *)(data + 8) = *mark;
	hop = bpf_map_lookup_elem(&hops, &key);
	if (!hop)
		return XDP_DROP;
	hop->packets += 1;
	return bpf_redirect(hop->port, 0);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
