// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Pointers that are older than an update of their key: in a per-CPU hash they see the new value, in a plain hash the
// old one, and what is stored through them vanishes there.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct pair {
	__u32 first;
	__u32 second;
};

#define FLOWS(name, kind)                                                                                              \
	struct {                                                                                                           \
		__uint(type, kind);                                                                                            \
		__uint(max_entries, 300);                                                                                      \
		__type(key, __u32);                                                                                            \
		__type(value, struct pair);                                                                                    \
	} name SEC(".maps")

FLOWS(of_a_cpu, BPF_MAP_TYPE_PERCPU_HASH);
FLOWS(plain, BPF_MAP_TYPE_HASH);

static __always_inline void touch(void *map, unsigned char *data, __u32 *out)
{
	struct pair fresh = {.first = data[34], .second = data[35]};
	__u32 key = data[29];
	struct pair *old = bpf_map_lookup_elem(map, &key);

	if (!old) {
		bpf_map_update_elem(map, &key, &fresh, BPF_ANY);
		return;
	}
	old->first += 1;
	if (data[34] & 1)
		bpf_map_update_elem(map, &key, &fresh, data[35] & 3);
	out[0] = old->first;
	old->second += 3;
	out[1] = old->second;
}

SEC("xdp")
int in_place(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;

	if (data + 54 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	touch(&of_a_cpu, data, (__u32 *)(data + 36));
	touch(&plain, data, (__u32 *)(data + 44));
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
