// SPDX-License-Identifier: MIT OR Apache-2.0
//
// rate_limit: at most so many packets of an IPv4 source address in any window of about a second, by a sliding window:
// the packets of this window and, of the window before, the part that still lies within the last second.
//
// config[0]  how many packets a source may send in a window. Without it nothing passes.
// sources    a source address to its window and the packets that passed in it and in the one before. It is an LRU map:
//            when it is full, the source that was silent for longest is forgotten.
// counters   packets that [0] passed, [1] were dropped.
//
// A window has 2^30 ns, so that its number and the place in it are bits of the time. What is not IPv4 passes.
//
// Try it:
//   hardpath traffic --packets 5000 --flows 50 --distribution zipf -o build/zipf64.pcapng
//   hardpath check build/programs/rate_limit.o --maps programs/rate_limit.maps.json --pcap build/zipf64.pcapng --time 0:3000000

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define WINDOW_LOG2_NS 30
/* The place in a window, in 1/256 of it: fine enough for a limit. */
#define PLACE_BITS 8
#define PLACES (1 << PLACE_BITS)

enum counter { PASSED, DROPPED, COUNTERS };

struct config {
	__u32 packets_per_window;
};

struct source {
	__u32 window;
	__u32 packets;
	__u32 packets_before;
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
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

/* Gives the number of the counter that the packet belongs to. */
static __always_inline __u32 judge(__be32 address, const struct config *settings)
{
	__u32 window, left, packets, before, windows_ago;
	struct source *source;
	__u64 now;

	if (!settings->packets_per_window)
		return DROPPED;
	now = bpf_ktime_get_ns();
	window = now >> WINDOW_LOG2_NS;
	/* How much of the window before still counts. */
	left = PLACES - ((now >> (WINDOW_LOG2_NS - PLACE_BITS)) & (PLACES - 1));

	source = bpf_map_lookup_elem(&sources, &address);
	if (!source) {
		struct source first = { .window = window, .packets = 1 };

		bpf_map_update_elem(&sources, &address, &first, BPF_ANY);
		return PASSED;
	}

	windows_ago = window - source->window;
	packets = source->packets;
	before = source->packets_before;
	if (windows_ago == 1) {
		before = packets;
		packets = 0;
	} else if (windows_ago > 1) {
		before = 0;
		packets = 0;
	}

	/* The limit has at most 2^24 packets, so that the product has 32 bits. */
	if (packets + ((before * left) >> PLACE_BITS) >= settings->packets_per_window)
		return DROPPED;
	source->window = window;
	source->packets = packets + 1;
	source->packets_before = before;
	return PASSED;
}

SEC("xdp")
int rate_limit(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct config *settings;
	__u32 zero = 0, which;
	__u64 *counter;

	if ((void *)(ip + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	settings = bpf_map_lookup_elem(&config, &zero);
	if (!settings)
		return XDP_ABORTED;

	which = judge(ip->saddr, settings);
	counter = bpf_map_lookup_elem(&counters, &which);
	if (counter)
		*counter += 1;
	return which == DROPPED ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
