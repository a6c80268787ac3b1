// Functions that are not inlined: in the program's section and in .text, with pointers to the stack of the caller,
// in each other, and as callbacks.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define APART static __attribute__((noinline))
#define LOOP _Pragma("clang loop unroll(disable)")

struct cursor {
	unsigned char *at;
	unsigned char *end;
	__u32 sum;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 4);
} counters SEC(".maps");

APART __u32 next_byte(struct cursor *cursor)
{
	__u32 byte;

	if (cursor->at + 1 > cursor->end)
		return 0x100;
	byte = *cursor->at;
	cursor->at++;
	return byte;
}

APART int add_up(struct cursor *cursor, __u32 count)
{
	LOOP for (__u32 i = 0; i < 8; i++) {
		__u32 byte;

		if (i >= count)
			break;
		byte = next_byte(cursor);
		if (byte > 0xff)
			return -1;
		cursor->sum = cursor->sum * 31 + byte;
	}
	return 0;
}

// A structure on the caller's stack, two functions deep.
SEC("xdp/cursors")
int cursors(struct xdp_md *ctx)
{
	struct cursor cursor = {
		.at = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
	};
	__u32 count = next_byte(&cursor);

	if (count > 0xff)
		return XDP_DROP;
	if (add_up(&cursor, count & 7) < 0)
		return XDP_ABORTED;
	return cursor.sum;
}

APART __u32 scratch(__u32 seed, __u32 turn)
{
	volatile __u32 table[5];

	// What an earlier call left here must not be seen.
	if (turn)
		table[turn & 3] = seed + 1;
	return table[0] + table[1] * 3 + table[2] * 5 + table[3] * 7 + seed;
}

// Each call has a stack of zeros, and the caller's is left alone.
SEC("xdp/stacks")
int stacks(struct xdp_md *ctx)
{
	volatile __u32 mine[3] = { 11, 12, 13 };
	__u32 first = scratch(ctx->rx_queue_index, 1);
	__u32 second = scratch(first, 0);
	__u32 third = scratch(second, 2);

	return first + second * 3 + third * 5 + mine[0] + mine[1] + mine[2];
}

APART void count(__u32 key)
{
	__u64 *value = bpf_map_lookup_elem(&counters, &key);

	if (value)
		*value += key + 1;
}

APART __u64 *find(__u32 key)
{
	return bpf_map_lookup_elem(&counters, &key);
}

// Maps in functions, one of which gives back a pointer.
SEC("xdp/maps")
int maps(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u64 *value;

	if (data + 4 > end)
		return XDP_DROP;
	count(data[0] & 7);
	count(data[1] & 3);
	value = find(data[2] & 7);
	return value ? (*value & 0xff) + 16 : XDP_PASS;
}

struct search {
	unsigned char *data;
	unsigned char *end;
	__u32 wanted;
	__u32 seen;
};

static long compare(__u32 index, void *context)
{
	struct search *search = context;
	unsigned char *at = search->data + index;

	if (index > 63 || at + 1 > search->end)
		return 1;
	search->seen += *at;
	return *at == search->wanted;
}

// A callback for a constant number of rounds that may stop earlier.
SEC("xdp/rounds")
int rounds(struct xdp_md *ctx)
{
	struct search search = {
		.data = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
		.wanted = 7,
	};
	long done = bpf_loop(24, compare, &search, 0);

	return done * 65536 + search.seen;
}

// The packet says how many rounds there are.
SEC("xdp/some_rounds")
int some_rounds(struct xdp_md *ctx)
{
	struct search search = {
		.data = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
		.wanted = 300,
	};
	long done;

	if (search.data + 1 > search.end)
		return XDP_DROP;
	done = bpf_loop(search.data[0] & 15, compare, &search, 0);
	return done * 65536 + search.seen;
}

// Errors of the helper, and a round more than the packet has.
SEC("xdp/bad_rounds")
int bad_rounds(struct xdp_md *ctx)
{
	struct search search = {
		.data = (void *)(long)ctx->data,
		.end = (void *)(long)ctx->data_end,
		.wanted = 5,
	};
	long many = bpf_loop((1 << 23) + 1, compare, &search, 0);
	long flags = bpf_loop(3, compare, &search, ctx->rx_queue_index + 1);
	long none = bpf_loop(0, compare, &search, 0);
	long two = bpf_loop(2, compare, &search, 0);

	return (many * 256 + flags) * 256 + none * 16 + two + search.seen;
}

// A function of .text that is called from another one there.
__attribute__((noinline)) int shared(__u32 a, __u32 b)
{
	LOOP for (int i = 0; i < 4; i++)
		a = a * 17 + (b >> i);
	return a;
}

__attribute__((noinline)) int twice(__u32 a)
{
	return shared(shared(a, 3), a);
}

SEC("xdp/global")
int global(struct xdp_md *ctx)
{
	return twice(ctx->rx_queue_index + 5) + shared(ctx->ingress_ifindex, 1);
}

char _license[] SEC("license") = "Dual MIT/GPL";
