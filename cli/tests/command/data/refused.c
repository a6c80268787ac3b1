// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Programs that hardpath refuses, each for one reason.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
} open_size SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

extern unsigned int LINUX_KERNEL_VERSION __kconfig;

SEC("xdp")
int unsupported_helper(struct xdp_md *ctx)
{
	/* Asks the kernel's routing tables, which are not there in hardware. */
	return bpf_fib_lookup(ctx, 0, 0, 0) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int unsupported_map(struct xdp_md *ctx)
{
	__u64 key = 0;

	return bpf_map_lookup_elem(&sockets, &key) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int map_without_size(struct xdp_md *ctx)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&open_size, &key) ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int unsupported_relocation(struct xdp_md *ctx)
{
	return LINUX_KERNEL_VERSION < 7 ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int old_pointer(struct xdp_md *ctx)
{
	__u32 key = ctx->ingress_ifindex, other = 7;
	__u64 one = 1, *count = bpf_map_lookup_elem(&counts, &key);

	if (!count)
		return XDP_PASS;
	bpf_map_update_elem(&counts, &key, &one, BPF_ANY);
	bpf_map_update_elem(&counts, &other, &one, BPF_ANY);
	return *count;
}

SEC("xdp")
int loop(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *data_end = (void *)(long)ctx->data_end;
	int sum = 0;

#pragma clang loop unroll(disable)
	for (int i = 0; i < 1000000; i++) {
		if (data + i + 1 > data_end)
			break;
		sum += data[i];
	}
	return sum == 7 ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
