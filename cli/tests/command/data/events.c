// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Programs that tell user space something, with arguments that the packet says, and write the answers into the packet.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 40);
	__uint(key_size, 4);
	__uint(value_size, 4);
} samples SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} of_all_cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct asked {
	__u8 ethernet[14];
	__u32 index;
	__u32 bytes;
	__s64 answer;
} __attribute__((packed));

// Every part of the flags comes from the packet; some of it makes no sense.
SEC("xdp")
int sample(struct xdp_md *ctx)
{
	struct asked *asked = (void *)(long)ctx->data;
	char event[1] = "!";
	__u64 flags;

	if ((void *)(asked + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	flags = asked->ethernet[0] & 3 ? asked->index & 63 : BPF_F_CURRENT_CPU;
	flags |= (__u64)(asked->bytes & (asked->ethernet[1] & 1 ? 0xff : 0x1fffff)) << 32;
	asked->answer = bpf_perf_event_output(ctx, &samples, flags, event, sizeof(event));
	return XDP_PASS;
}

// As programs do it: a part of the packet behind some bytes of the stack, and a message when that fails.
SEC("xdp")
int usual(struct xdp_md *ctx)
{
	__u64 length = ctx->data_end - ctx->data;
	struct {
		__u16 cookie, length;
	} head = {.cookie = 0xdead, .length = length};
	__u64 flags = BPF_F_CURRENT_CPU | (length < 64 ? length : 64) << 32;
	int failed = bpf_perf_event_output(ctx, &of_all_cpus, flags, &head, sizeof(head));

	if (failed)
		bpf_printk("no sample of %d bytes: %d", head.length, failed);
	bpf_printk("four arguments: %d %d %d %d", 1, 2, 3, head.length);
	return failed == -2 ? XDP_TX : XDP_PASS;
}

SEC("xdp")
int buffered(struct xdp_md *ctx)
{
	static char event[4096];
	struct asked *asked = (void *)(long)ctx->data;
	__u64 flags, bytes;

	if ((void *)(asked + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	flags = asked->ethernet[0] & 3 ? asked->index & 3 : asked->index;
	bytes = asked->bytes & 0xfff;
	if (asked->ethernet[1] & 1)
		bytes = 4070 + (bytes & 31);
	if (bytes > sizeof(event))
		bytes = sizeof(event);
	asked->answer = bpf_ringbuf_output(&ring, event, bytes, flags);
	return XDP_PASS;
}

struct event {
	__u32 length;
	__u32 ingress;
	__u8 start[14];
};

// One event is just too large for the buffer, one just fits.
SEC("xdp")
int large(struct xdp_md *ctx)
{
	void *large = bpf_ringbuf_reserve(&ring, 4081, 0);

	if (large) {
		bpf_ringbuf_discard(large, 0);
		return XDP_ABORTED;
	}
	large = bpf_ringbuf_reserve(&ring, 4080, 0);
	if (!large)
		return XDP_ABORTED;
	bpf_ringbuf_discard(large, 0);
	return XDP_TX;
}

// An event is written where it lies, and thrown away when the packet is too short for it.
SEC("xdp")
int in_place(struct xdp_md *ctx)
{
	struct event *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);

	if (!event)
		return XDP_ABORTED;
	event->length = ctx->data_end - ctx->data;
	event->ingress = ctx->ingress_ifindex;
	if (bpf_xdp_load_bytes(ctx, 64, event->start, sizeof(event->start))) {
		bpf_ringbuf_discard(event, 0);
		return XDP_DROP;
	}
	bpf_ringbuf_submit(event, BPF_RB_FORCE_WAKEUP);
	return ctx->data_end - ctx->data > 100 ? XDP_TX : XDP_PASS;
}

SEC("xdp")
int read_back(struct xdp_md *ctx)
{
	volatile __u32 *event = bpf_ringbuf_reserve(&ring, sizeof(*event), 0);
	__u32 again;

	if (!event)
		return XDP_ABORTED;
	*event = ctx->data_end - ctx->data;
	again = *event;
	bpf_ringbuf_submit((void *)event, 0);
	return again > 100 ? XDP_TX : XDP_PASS;
}

// The number of bytes in the trace buffer is nowhere known.
SEC("xdp")
int printed(struct xdp_md *ctx)
{
	return bpf_printk("length %d", ctx->data_end - ctx->data) > 9 ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
