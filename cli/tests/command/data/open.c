// Programs that leave something to their loader.
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

const volatile struct {
	bool on;
	__s16 port;
	__u32 unused;
} feature = { .port = -3 };
const volatile __u32 limit = 100;
const volatile __u32 ignored = 1;
const volatile __u32 ports[16] = { 1, 2, 3 };

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} steps SEC(".maps");

/* Does nothing as long as the feature is off. */
SEC("xdp")
int switched(struct xdp_md *ctx)
{
	__u16 *data = (void *)(long)ctx->data;

	if (!feature.on)
		return XDP_PASS;
	if (data + 1 > (__u16 *)(long)ctx->data_end)
		return XDP_DROP;
	*data = feature.port;
	return XDP_TX;
}

/* In a section whose name nobody knows; reads a constant that it does not use. */
SEC("redirect_map_0")
int limited(struct xdp_md *ctx)
{
	(void)ignored;
	return ctx->data_end - ctx->data > limit ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int any_port(struct xdp_md *ctx)
{
	return ports[ctx->rx_queue_index & 15] == 2 ? XDP_DROP : XDP_PASS;
}

SEC("xdp")
int walk(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &steps, 2);
	return XDP_PASS;
}

SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}
