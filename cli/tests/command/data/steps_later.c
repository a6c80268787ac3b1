// A step that somebody writes later: counts in the map of the caller and in one of its own, and sends the packet back.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u16);
	__type(value, __u64);
	__uint(max_entries, 64);
} sizes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 4);
} seen SEC(".maps");

SEC("xdp")
int later(struct xdp_md *ctx)
{
	__u16 size = ctx->data_end - ctx->data;
	__u64 one = 1, *count;
	__u32 key = 1;

	count = bpf_map_lookup_elem(&seen, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	count = bpf_map_lookup_elem(&sizes, &size);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&sizes, &size, &one, BPF_ANY);
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
