// SPDX-License-Identifier: MIT OR Apache-2.0
//
// reflector: swaps the MAC addresses of every frame, sends it back, and counts packets and bytes.
//
// counters[0]  per CPU, so the counters are raised with a plain `+=`, without an atomic: in hardware a
//              read-modify-write that must give the right sum when frames follow each other in every clock.
//
// Try it:
//   hardpath sim build/programs/reflector.o --pcap programs/firewall.pcap --out reflected.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>

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
} counters SEC(".maps");

SEC("xdp")
int reflector(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	unsigned char address[ETH_ALEN];
	struct counters *counter;
	__u32 zero = 0;

	if ((void *)(eth + 1) > data_end)
		return XDP_DROP;

	counter = bpf_map_lookup_elem(&counters, &zero);
	if (!counter)
		return XDP_ABORTED;
	counter->packets += 1;
	counter->bytes += data_end - data;

	__builtin_memcpy(address, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, address, ETH_ALEN);
	return XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
