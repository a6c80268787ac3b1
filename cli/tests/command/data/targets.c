// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Redirects through every kind of map, with hits, misses, bad keys and bad flags: what is done is chosen by the low
// byte of the source port, the key by that of the source address.

#include <stddef.h>

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define TARGETS(name, kind, entries, value_type)                                                                       \
	struct {                                                                                                           \
		__uint(type, kind);                                                                                            \
		__uint(max_entries, entries);                                                                                  \
		__type(key, __u32);                                                                                            \
		__type(value, value_type);                                                                                     \
	} name SEC(".maps")

TARGETS(ports, BPF_MAP_TYPE_DEVMAP, 6, __u32);
TARGETS(wide_ports, BPF_MAP_TYPE_DEVMAP, 6, struct bpf_devmap_val);
TARGETS(spare_ports, BPF_MAP_TYPE_DEVMAP, 8, __u32);
TARGETS(ports_by_number, BPF_MAP_TYPE_DEVMAP_HASH, 5, struct bpf_devmap_val);
TARGETS(cpus, BPF_MAP_TYPE_CPUMAP, 2, __u32);
TARGETS(sockets, BPF_MAP_TYPE_XSKMAP, 8, __u32);
TARGETS(misses, BPF_MAP_TYPE_PERCPU_ARRAY, 1, __u64);

SEC("xdp")
int targets(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	struct bpf_devmap_val *port;
	__u32 zero = 0;
	__u64 *count;
	__u32 key;
	__u64 action;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	key = data[29] & 7;
	action = data[28] & 3;
	switch (data[35] & 15) {
	case 0:
		return bpf_redirect_map(&ports, key, XDP_PASS);
	case 1:
		return bpf_redirect_map(&ports_by_number, key * 0x01000001, XDP_DROP);
	case 2:
		return bpf_redirect_map(&cpus, key, action);
	case 3:
		if (!bpf_map_lookup_elem(&sockets, &key))
			return XDP_TX;
		return bpf_redirect_map(&sockets, key, XDP_PASS);
	case 4:
		return bpf_redirect_map(&wide_ports, key, action);
	case 5:
		// A miss, and then a redirect all the same: to the interface of the number that was named before.
		bpf_redirect(key, 0);
		bpf_redirect_map(&ports_by_number, key, 0);
		return XDP_REDIRECT;
	case 6:
		bpf_redirect_map(&ports, key, 0);
		bpf_redirect_map(&cpus, key + 1, 0);
		return XDP_REDIRECT;
	case 7:
		return bpf_redirect_map(&sockets, key, data[27]);
	case 8:
		return bpf_redirect_map(&cpus, key, 1 << 3);
	case 9:
		// Without BPF_F_BROADCAST the flag BPF_F_EXCLUDE_INGRESS means nothing.
		return bpf_redirect_map(&spare_ports, key, (1 << 4) | XDP_PASS);
	case 10:
		return bpf_redirect(*(__u32 *)(data + 26), data[34] & 1);
	case 11:
		port = bpf_map_lookup_elem(&ports_by_number, &key);
		if (port)
			return bpf_redirect(port->ifindex, 0);
		count = bpf_map_lookup_elem(&misses, &zero);
		if (count)
			*count += 1;
		return XDP_PASS;
	case 12:
		return bpf_redirect_map(&ports, 0x100000000ull | key, XDP_TX);
	default:
		return bpf_redirect_map(&sockets, key + 4, XDP_TX);
	}
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
