// SPDX-License-Identifier: MIT OR Apache-2.0
//
// bloom: shows the host the first packet of each flow. What was seen before leaves where it came in. Flows are kept in a Bloom
// filter: a megabit for any number of them, and now and then a new flow is taken for an old one.
//
// config[0]  how many bits a flow has, 1 to 16. Without it everything goes to the host.
// filter     the bits, in words of 64.
// counters   packets [0] of new flows, [1] of flows that were seen before.
//
// The hashes of a flow are a + i * b with two hashes a and b of it, which is as good as hashes that know nothing of each other
// (Kirsch and Mitzenmacher, "Less Hashing, Same Performance", 2008). Bits are set without a lock: if another CPU sets one in the
// same word at that moment, one of them may be lost, and the host sees a packet more.
//
// The loop has as many rounds as the configuration says, each with a lookup. What is not UDP or TCP over IPv4 without options
// goes to the host.
//
// Try it:
//   hardpath traffic --packets 3000 --flows 500 --proto mixed -o build/mixed64.pcapng
//   hardpath check build/programs/bloom.o --maps programs/bloom.maps.json --pcap build/mixed64.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define BITS_LOG2 20
#define WORDS (1 << (BITS_LOG2 - 6))
#define MOST_HASHES 16
#define FRAGMENT_OFFSET bpf_htons(0x1fff)

enum counter { NEW, SEEN, COUNTERS };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WORDS);
	__type(key, __u32);
	__type(value, __u64);
} filter SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

struct port_pair {
	__be16 source;
	__be16 destination;
};

/* Each bit of the result depends on all of `value` (the finalizer of MurmurHash3, which is in the public domain). */
static __always_inline __u64 mixed(__u64 value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdULL;
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53ULL;
	return value ^ value >> 33;
}

SEC("xdp")
int bloom(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct port_pair *l4 = (void *)(ip + 1);
	__u32 zero = 0, verdict = SEEN, round, *hashes;
	__u64 addresses, rest, both, *counter;
	__u32 a, b;

	if ((void *)(l4 + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if (ip->version != 4 || ip->ihl != 5 || (ip->frag_off & FRAGMENT_OFFSET))
		return XDP_PASS;
	if (ip->protocol != IPPROTO_UDP && ip->protocol != IPPROTO_TCP)
		return XDP_PASS;
	hashes = bpf_map_lookup_elem(&config, &zero);
	if (!hashes || *hashes == 0)
		return XDP_PASS;

	addresses = (__u64)ip->saddr << 32 | ip->daddr;
	rest = (__u64)ip->protocol << 32 | (__u32)l4->source << 16 | l4->destination;
	both = mixed(mixed(addresses) ^ rest);
	a = both;
	b = both >> 32 | 1;

	for (round = 0; round < MOST_HASHES; round++) {
		__u32 bit = a >> (32 - BITS_LOG2);
		__u32 place = bit >> 6;
		__u64 mask = 1ULL << (bit & 63);
		__u64 *word;

		if (round >= *hashes)
			break;
		word = bpf_map_lookup_elem(&filter, &place);
		if (!word)
			return XDP_ABORTED;
		if (!(*word & mask)) {
			*word |= mask;
			verdict = NEW;
		}
		a += b;
	}

	counter = bpf_map_lookup_elem(&counters, &verdict);
	if (counter)
		*counter += 1;
	return verdict == NEW ? XDP_PASS : XDP_TX;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
