/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_helpers.h>

SEC("xdp")
int tails(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;

	if (data + ETH_HLEN + 4 > data_end)
		return XDP_DROP;
	/* A trailer of four bytes goes. */
	if (bpf_xdp_adjust_tail(ctx, -4))
		return XDP_DROP;
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
