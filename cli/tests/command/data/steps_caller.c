// Goes on in what entry 0 of the program array holds. Where it holds nothing, packets are counted and dropped.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
	__uint(max_entries, 2);
} steps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 4);
} seen SEC(".maps");

SEC("xdp")
int caller(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 *count;

	bpf_tail_call(ctx, &steps, 0);
	count = bpf_map_lookup_elem(&seen, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
