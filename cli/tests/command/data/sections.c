// Programs in sections of other types than XDP.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("tc")
int classify(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("socket1")
int filter(struct xdp_md *ctx)
{
	return XDP_DROP;
}
