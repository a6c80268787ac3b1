// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Broadcasts through device maps, with flags that are known, computed and wrong, alone and before and behind other
// redirects: what is done is chosen by the low byte of the source port, the key by that of the source address.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define TARGETS(name, kind, entries, value_type)                                                                       \
	struct {                                                                                                           \
		__uint(type, kind);                                                                                            \
		__uint(max_entries, entries);                                                                                  \
		__type(key, __u32);                                                                                            \
		__type(value, value_type);                                                                                     \
	} name SEC(".maps")

TARGETS(ports, BPF_MAP_TYPE_DEVMAP, 6, __u32);
TARGETS(ports_by_number, BPF_MAP_TYPE_DEVMAP_HASH, 1024, struct bpf_devmap_val);
TARGETS(nobody, BPF_MAP_TYPE_DEVMAP, 3, __u32);
TARGETS(cpus, BPF_MAP_TYPE_CPUMAP, 2, __u32);
TARGETS(sockets, BPF_MAP_TYPE_XSKMAP, 8, __u32);

SEC("xdp")
int broadcasts(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	__u32 key;

	if (data + 38 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	key = data[29] & 7;
	switch (data[35] & 15) {
	case 0:
		return bpf_redirect_map(&ports, key, BPF_F_BROADCAST);
	case 1:
		return bpf_redirect_map(&ports, key, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
	case 2:
		return bpf_redirect_map(&ports_by_number, key, BPF_F_BROADCAST | XDP_PASS);
	case 3:
		// Whatever the sender writes.
		return bpf_redirect_map(&ports, key, data[28]);
	case 4:
		return bpf_redirect_map(&ports_by_number, key, data[28] & 31);
	case 5:
		return bpf_redirect_map(&nobody, key, BPF_F_BROADCAST | XDP_TX);
	case 6:
		// The last redirect counts.
		bpf_redirect_map(&ports, key, BPF_F_BROADCAST);
		return bpf_redirect(key, 0);
	case 7:
		bpf_redirect(key, 0);
		bpf_redirect_map(&ports, key, BPF_F_BROADCAST);
		return XDP_REDIRECT;
	case 8:
		// A miss behind a broadcast: to the interface of the number that the broadcast had as its key.
		bpf_redirect_map(&ports, key, BPF_F_BROADCAST);
		bpf_redirect_map(&ports_by_number, key + 100, 0);
		return XDP_REDIRECT;
	case 9:
		bpf_redirect_map(&ports_by_number, key, BPF_F_BROADCAST);
		bpf_redirect_map(&ports, key, 1 << 5);
		return XDP_REDIRECT;
	case 10:
		return bpf_redirect_map(&cpus, key & 1, BPF_F_BROADCAST);
	case 11:
		return bpf_redirect_map(&sockets, key, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
	case 12:
		return bpf_redirect_map(&ports, key, data[28] & (BPF_F_EXCLUDE_INGRESS | 3));
	case 13:
		// A broadcast of a packet that has grown at its front.
		if (bpf_xdp_adjust_head(ctx, -(int)(8 + (data[28] & 8))))
			return XDP_ABORTED;
		return bpf_redirect_map(&ports_by_number, 0, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
	case 14:
		// Asked for, but not done.
		bpf_redirect_map(&ports, key, BPF_F_BROADCAST);
		return XDP_TX;
	default:
		return bpf_redirect_map(&ports, 0x100000000ull | key, data[28] & ~BPF_F_EXCLUDE_INGRESS);
	}
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
