// SPDX-License-Identifier: MIT OR Apache-2.0
//
// leaky_bucket: a meter for each IPv4 UDP or TCP flow. A packet pours its bytes into the flow's bucket, which leaks one
// byte every 2^k ns. A packet that would make it run over is dropped.
//
// config[0] how much a bucket holds, in ns of leaking, and k. Without it nothing passes.
// buckets   a flow to its bucket: when it was looked at last, and how full it is.
// counters  packets that [0] passed, [1] were dropped, [2] passed unmetered, because there is no room for more flows.
//
// How full a bucket is, is counted as the nanoseconds that it needs to leak out. So what leaked is the elapsed time
// itself, a packet's bytes become nanoseconds by a shift, and nothing is rounded. Between the load of a bucket and its
// store there are only additions and comparisons.
//
// The kernel's receive-side scaling brings all packets of a flow to one CPU, so a bucket needs no lock. What is not
// UDP or TCP over IPv4 without options passes.
//
// Try it:
//   hardpath traffic --packets 5000 --flows 50 --distribution zipf -o build/zipf64.pcapng
//   hardpath check build/programs/leaky_bucket.o --maps programs/leaky_bucket.maps.json --pcap build/zipf64.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

enum counter { PASSED, DROPPED, NO_ROOM, COUNTERS };

struct config {
	/* At least the longest packet's bytes << ns_per_byte_log2. */
	__u64 capacity_ns;
	/* At most 31; 3, for example, is 1 Gbit/s. */
	__u64 ns_per_byte_log2;
};

struct flow_key {
	__be32 source;
	__be32 destination;
	__be16 source_port;
	__be16 destination_port;
	__u32 protocol;
};

struct bucket {
	__u64 seen_ns;
	__u64 level_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct config);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct flow_key);
	__type(value, struct bucket);
} buckets SEC(".maps");

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

/* Gives the number of the counter that the packet belongs to. */
static __always_inline __u32 meter(const struct flow_key *key, const struct config *settings, __u64 bytes)
{
	__u64 now, elapsed, level, poured, highest;
	struct bucket *bucket;

	now = bpf_ktime_get_ns();
	poured = bytes << (settings->ns_per_byte_log2 & 31);
	if (poured > settings->capacity_ns)
		return DROPPED;
	/* The highest level at which the packet still finds room. */
	highest = settings->capacity_ns - poured;

	bucket = bpf_map_lookup_elem(&buckets, key);
	if (!bucket) {
		struct bucket first = { .seen_ns = now, .level_ns = poured };

		return bpf_map_update_elem(&buckets, key, &first, BPF_NOEXIST) ? NO_ROOM : PASSED;
	}

	elapsed = now - bucket->seen_ns;
	level = bucket->level_ns;
	level = level > elapsed ? level - elapsed : 0;
	bucket->seen_ns = now;
	if (level > highest) {
		bucket->level_ns = level;
		return DROPPED;
	}
	bucket->level_ns = level + poured;
	return PASSED;
}

SEC("xdp")
int leaky_bucket(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct port_pair *l4 = (void *)(ip + 1);
	struct flow_key key = {};
	struct config *settings;
	__u32 zero = 0, which;
	__u64 *counter;

	if ((void *)(l4 + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if (ip->version != 4 || ip->ihl != 5)
		return XDP_PASS;
	if (ip->protocol != IPPROTO_UDP && ip->protocol != IPPROTO_TCP)
		return XDP_PASS;

	key.source = ip->saddr;
	key.destination = ip->daddr;
	key.source_port = l4->source;
	key.destination_port = l4->destination;
	key.protocol = ip->protocol;

	settings = bpf_map_lookup_elem(&config, &zero);
	if (!settings)
		return XDP_ABORTED;
	which = meter(&key, settings, data_end - data);
	counter = bpf_map_lookup_elem(&counters, &which);
	if (counter)
		*counter += 1;
	return which == DROPPED ? XDP_DROP : XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
