// A map as loaders before BTF declared it, in a section of a name that no loader knows, and without debug information.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct old_map {
	__u32 type;
	__u32 key_size;
	__u32 value_size;
	__u32 max_entries;
	__u32 map_flags;
};

struct old_map SEC("maps") counters = {
	.type = BPF_MAP_TYPE_ARRAY,
	.key_size = 4,
	.value_size = 8,
	.max_entries = 2,
};

struct old_map SEC("maps") seen = {
	.type = BPF_MAP_TYPE_HASH,
	.key_size = 6,
	.value_size = 4,
	.max_entries = 0,
	.map_flags = BPF_F_NO_PREALLOC,
};

SEC("count_packets")
int count(struct xdp_md *ctx)
{
	__u32 key = 1;
	__u64 *value = bpf_map_lookup_elem(&counters, &key);

	if (value)
		*value += ctx->data_end - ctx->data;
	return XDP_PASS;
}

SEC("remember_source")
int remember(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *data_end = (void *)(long)ctx->data_end;
	__u32 one = 1;

	if (data + 14 > data_end)
		return XDP_DROP;
	if (bpf_map_update_elem(&seen, data + 6, &one, BPF_ANY))
		return XDP_ABORTED;
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
