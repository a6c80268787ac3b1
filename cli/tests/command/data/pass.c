// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Everything goes to the host.

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("xdp")
int pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
