// SPDX-License-Identifier: MIT OR Apache-2.0
//
// token_bucket: lets each IPv4 source address send at a rate, with bursts. What is faster is dropped.
//
// config[0]  the rate in bytes per 2^20 ns (about a millisecond), and the burst in bytes. Without it nothing passes.
// buckets    a source address to its bucket: when it was filled last, and how many tokens it holds.
// counters   packets that [0] passed, [1] were dropped, [2] passed uncounted, because there is no room for more sources.
//
// A token is a byte / 2^20, so a refill is the elapsed nanoseconds times the rate: nothing is divided, and no part of a
// byte is lost however often the bucket is looked at. Before the multiplication the elapsed time is bounded to 32 bits;
// who was silent for more than four seconds has a full bucket.
//
// A bucket has a spin lock, because packets of one source may be on several CPUs. What is not IPv4 passes.
//
// Try it:
//   hardpath traffic --packets 5000 --flows 50 --distribution zipf --size imix -o build/zipf.pcapng
//   hardpath check build/programs/token_bucket.o --maps programs/token_bucket.maps.json --pcap build/zipf.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define TOKENS_PER_BYTE_LOG2 20
#define LONGEST_REFILL_NS 0xffffffffULL

enum counter { PASSED, DROPPED, NO_ROOM, COUNTERS };

struct config {
	/* Below 2^31. */
	__u32 rate;
	__u32 burst_bytes;
};

struct bucket {
	struct bpf_spin_lock lock;
	__u64 filled_ns;
	__u64 tokens;
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
	__type(key, __be32);
	__type(value, struct bucket);
} buckets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline int decide(__u32 which, int action)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &which);

	if (counter)
		*counter += 1;
	return action;
}

SEC("xdp")
int token_bucket(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	__u64 now, cost, most, tokens, elapsed;
	struct config *settings;
	struct bucket *bucket;
	__u32 zero = 0;
	__be32 source;
	int conforms;

	if ((void *)(ip + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	settings = bpf_map_lookup_elem(&config, &zero);
	if (!settings)
		return XDP_DROP;

	source = ip->saddr;
	now = bpf_ktime_get_ns();
	cost = (__u64)(data_end - data) << TOKENS_PER_BYTE_LOG2;
	most = (__u64)settings->burst_bytes << TOKENS_PER_BYTE_LOG2;

	bucket = bpf_map_lookup_elem(&buckets, &source);
	if (!bucket) {
		struct bucket full = { .filled_ns = now, .tokens = most - cost };

		if (cost > most)
			return decide(DROPPED, XDP_DROP);
		if (bpf_map_update_elem(&buckets, &source, &full, BPF_NOEXIST))
			return decide(NO_ROOM, XDP_PASS);
		return decide(PASSED, XDP_PASS);
	}

	bpf_spin_lock(&bucket->lock);
	/* Another CPU may have taken its time later and the lock earlier. */
	elapsed = now > bucket->filled_ns ? now - bucket->filled_ns : 0;
	if (elapsed > LONGEST_REFILL_NS)
		elapsed = LONGEST_REFILL_NS;
	tokens = bucket->tokens + elapsed * settings->rate;
	if (tokens > most)
		tokens = most;
	conforms = cost <= tokens;
	if (conforms)
		tokens -= cost;
	if (elapsed)
		bucket->filled_ns = now;
	bucket->tokens = tokens;
	bpf_spin_unlock(&bucket->lock);

	return conforms ? decide(PASSED, XDP_PASS) : decide(DROPPED, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
