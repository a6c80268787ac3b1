// Calls of kernel functions, and what follows from them.
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>

struct view {
	__u64 opaque[2];
};

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md *ctx, __u64 *time) __ksym;
extern int bpf_dynptr_from_xdp(struct xdp_md *ctx, __u64 flags, struct view *view) __ksym;
extern void *bpf_dynptr_slice(const struct view *view, __u32 offset, void *buffer,
			      __u32 bytes) __ksym;
extern int hash(__u64 number);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, __u64);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline int count(__u64 key)
{
	__u64 one = 1, *value = bpf_map_lookup_elem(&counts, &key);

	if (value)
		*value += 1;
	else
		bpf_map_update_elem(&counts, &key, &one, BPF_ANY);
	return XDP_DROP;
}

SEC("xdp")
int time(struct xdp_md *ctx)
{
	__u64 time = 0;

	if (bpf_xdp_metadata_rx_timestamp(ctx, &time))
		return XDP_PASS;
	return count(time / 1000);
}

SEC("xdp")
int slice(struct xdp_md *ctx)
{
	struct ethhdr *eth, buffer;
	struct view view;
	__u64 sum = 0;

	if (bpf_dynptr_from_xdp(ctx, 0, &view))
		return XDP_PASS;
	eth = bpf_dynptr_slice(&view, 0, &buffer, sizeof(buffer));
	if (!eth)
		return XDP_DROP;
	count(*(__u64 *)eth);
	for (int i = 0; i < eth->h_proto; i++)
		sum += eth->h_source[i % 6];
	return count(sum);
}

SEC("xdp")
int library(struct xdp_md *ctx)
{
	return count(hash(ctx->ingress_ifindex));
}
