// SPDX-License-Identifier: MIT OR Apache-2.0
//
// syn_filter: keeps floods of TCP SYNs with invented source addresses from a server. The first SYN of a source is
// dropped and remembered. A real client sends it again after about a second; then the source is known to be there, and
// from now on it is let through.
//
// sources   a source address to its state: a first SYN was seen, or it is verified, and since when. An LRU map.
// config[0] how long to wait for the second SYN, at least and at most, in ns.
// counters  shared by all CPUs, raised with atomics: packets that [0] passed, [1] first SYNs that were dropped,
//           [2] SYNs that came too early or too late, [3] packets of sources that are not verified, [4] with flags that
//           no TCP sends.
//
// What is not TCP over IPv4 passes, and so do fragments but the first, which have no flags.
//
// Try it:
//   hardpath traffic --packets 3000 --flows 500 --proto tcp -o build/tcp.pcapng
//   hardpath check build/programs/syn_filter.o --maps programs/syn_filter.maps.json --pcap build/tcp.pcapng --pcap build/tcp.pcapng --time 0:500000

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define FRAGMENT_OFFSET bpf_htons(0x1fff)
/* Byte 13 of a TCP header. */
#define FIN 0x01
#define SYN 0x02
#define RST 0x04
#define ACK 0x10
#define FLAGS_OFFSET 13

enum counter { PASSED, FIRST_SYN, OUT_OF_TIME, NOT_VERIFIED, BAD_FLAGS, COUNTERS };

struct config {
	__u64 shortest_wait_ns;
	__u64 longest_wait_ns;
};

struct source {
	__u64 since_ns;
	__u64 is_verified;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct config);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, __be32);
	__type(value, struct source);
} sources SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline int decide(__u32 which)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &which);

	if (counter)
		__sync_fetch_and_add(counter, 1);
	return which == PASSED ? XDP_PASS : XDP_DROP;
}

static __always_inline int are_sent_by_nobody(__u8 flags)
{
	__u8 of_state = flags & (FIN | SYN | RST);

	return (flags & (FIN | SYN | RST | ACK)) == 0 || of_state == (SYN | FIN) || of_state == (SYN | RST) ||
	       of_state == (FIN | RST) || of_state == (FIN | SYN | RST);
}

SEC("xdp")
int syn_filter(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct config *settings;
	struct source *source;
	__u64 now, waited;
	__u32 zero = 0;
	__be32 address;
	__u8 *flags;

	if ((void *)(ip + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if (ip->version != 4 || ip->ihl < 5 || ip->protocol != IPPROTO_TCP || (ip->frag_off & FRAGMENT_OFFSET))
		return XDP_PASS;
	flags = (void *)ip + ip->ihl * 4 + FLAGS_OFFSET;
	if ((void *)(flags + 1) > data_end)
		return XDP_DROP;
	if (are_sent_by_nobody(*flags))
		return decide(BAD_FLAGS);

	settings = bpf_map_lookup_elem(&config, &zero);
	if (!settings)
		return XDP_ABORTED;
	address = ip->saddr;
	now = bpf_ktime_get_ns();
	source = bpf_map_lookup_elem(&sources, &address);
	if (source && source->is_verified)
		return decide(PASSED);
	if (!(*flags & SYN) || (*flags & ACK))
		return decide(NOT_VERIFIED);
	if (!source) {
		struct source first = { .since_ns = now };

		bpf_map_update_elem(&sources, &address, &first, BPF_ANY);
		return decide(FIRST_SYN);
	}

	waited = now - source->since_ns;
	source->since_ns = now;
	if (waited < settings->shortest_wait_ns || waited > settings->longest_wait_ns)
		return decide(OUT_OF_TIME);
	source->is_verified = 1;
	return decide(PASSED);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
