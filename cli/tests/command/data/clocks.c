// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Clocks, and what there is of CPUs: all into the packet.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 3);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

SEC("xdp")
int clocks(struct xdp_md *ctx)
{
	unsigned char *data = (unsigned char *)(long)ctx->data;
	__u64 *words = (__u64 *)data;
	__u64 *count;
	__u32 key;

	if (data + 56 > (unsigned char *)(long)ctx->data_end)
		return XDP_PASS;
	key = data[29] & 3;
	count = bpf_map_lookup_percpu_elem(&counts, &key, 0);
	if (count)
		*count += 1;
	words[0] = bpf_ktime_get_ns();
	words[1] = bpf_ktime_get_boot_ns();
	words[2] = bpf_ktime_get_coarse_ns();
	words[3] = bpf_ktime_get_tai_ns();
	words[4] = bpf_jiffies64();
	words[5] = bpf_get_smp_processor_id() + bpf_get_numa_node_id();
	return XDP_TX;
}

char LICENSE[] SEC("license") = "GPL";
