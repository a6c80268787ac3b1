// Programs that go on in one another through program arrays.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define APART static __attribute__((noinline))

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
	__uint(max_entries, 8);
} steps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 4);
} counters SEC(".maps");

static __attribute__((always_inline)) void count(__u32 key)
{
	__u64 *value = bpf_map_lookup_elem(&counters, &key);

	if (value)
		*value += 1;
}

// A constant entry, and one that is empty.
SEC("xdp/first")
int first(struct xdp_md *ctx)
{
	volatile __u32 mark[4] = { 1, 2, 3, 4 };

	count(0);
	bpf_tail_call(ctx, &steps, 7);
	count(1);
	bpf_tail_call(ctx, &steps, 0);
	return mark[3];
}

// The packet chooses the entry; without one the stack is as it was.
SEC("xdp/chosen")
int chosen(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	volatile __u32 mark[4] = { 21, 22, 23, 24 };

	if (data + 1 > end)
		return XDP_DROP;
	bpf_tail_call(ctx, &steps, data[0] & 7);
	count(2);
	return mark[0] + mark[3];
}

// Sees a stack of zeros.
SEC("xdp/second")
int second(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	volatile __u32 table[4];

	if (data + 2 > end)
		return XDP_DROP;
	table[data[1] & 1] = 5;
	count(3);
	data[0]++;
	return 100 + table[0] + table[1] * 2 + table[2] + table[3];
}

// Calls itself until the limit.
SEC("xdp/again")
int again(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 1 > end)
		return XDP_DROP;
	data[0]++;
	bpf_tail_call(ctx, &steps, 2);
	return data[0];
}

APART int inner(struct xdp_md *ctx, __u32 index)
{
	volatile __u32 mark = index;

	bpf_tail_call(ctx, &steps, index & 1);
	return mark + 50;
}

// A tail call in a function: the program's result is the function's.
SEC("xdp/nested")
int nested(struct xdp_md *ctx)
{
	volatile __u32 mark[2] = { 7, 9 };
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	int result;

	if (data + 1 > end)
		return XDP_DROP;
	result = inner(ctx, data[0]);
	return result * 10 + mark[0] + mark[1];
}

char _license[] SEC("license") = "Dual MIT/GPL";
