// Global data: constants that are folded, and variables that become maps.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 drop_all = 0;
const volatile __u16 port_of_class[8] = { 10, 11, 12, 13, 24, 25, 26, 27 };
__u64 packets = 5;
__u32 last_class;
__u32 limits[4] SEC(".data.limits") = { 100, 200, 300, 400 };

SEC("xdp")
int classify(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	unsigned char *data_end = (void *)(long)ctx->data_end;

	if (drop_all)
		return XDP_DROP;
	if (data + 14 > data_end)
		return XDP_ABORTED;
	__sync_fetch_and_add(&packets, 1);
	last_class = data[0] & 7;
	*(__u16 *)(data + 12) = port_of_class[data[0] & 7];
	if (data_end - data > limits[data[1] & 3])
		return XDP_TX;
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
