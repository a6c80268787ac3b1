// What clang makes of current C with -mcpu=v4: sign extension, byte swaps, signed division, atomics that give back.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct counters {
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters);
} totals SEC(".maps");

SEC("xdp")
int measure(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *data_end = (void *)(long)ctx->data_end;
	__u32 zero = 0;

	if (data + 32 > data_end)
		return XDP_DROP;
	struct counters *counters = bpf_map_lookup_elem(&totals, &zero);
	if (!counters)
		return XDP_ABORTED;
	__u64 before = __sync_fetch_and_add(&counters->packets, 1);
	counters->bytes += data_end - data;
	short low = *(short *)(data + 14);
	int wide = *(int *)(data + 16);
	int divisor = *(signed char *)(data + 20);
	*(int *)(data + 22) = wide / divisor + low;
	*(int *)(data + 26) = __builtin_bswap32(wide % divisor);
	*(__u16 *)(data + 30) = __builtin_bswap16(before);
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
