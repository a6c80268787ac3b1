/* Looks at the byte that the packet names. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int deep(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	if (data + 16 > end)
		return XDP_DROP;
	unsigned char *there = data + (*(unsigned short *)(data + 14) & 0x3ff);
	if (there + 1 > end)
		return XDP_PASS;
	return *there & 1 ? XDP_TX : XDP_DROP;
}

char _license[] SEC("license") = "GPL";
