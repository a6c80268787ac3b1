// SPDX-License-Identifier: MIT OR Apache-2.0
//
// cuckoo: lets each IPv4 source send so many packets, and drops what it sends more. Sources are counted in a cuckoo hash table
// of its own, which is one value of a map: the host reads and clears it at once.
//
// config[0]  how many packets a source may send. Without it nothing passes.
// table[0]   64 buckets of four sources each. An entry is the source's address (network byte order; 0: free) and how many of
//            its packets came.
// counters   packets [0] that passed, [1] that were dropped, [2] for which a source had to be forgotten; [3] sources that were
//            moved to their other bucket.
//
// A source has two buckets, each of which is found from the other one and the source. Where both are full the new source takes
// the place of another one, which goes to its other bucket, and so on up to 16 times; then the last one is forgotten.
// Packets of one source on several CPUs would need a lock; give each source a CPU.
//
// The value has 2 KiB and is read and written at places that only data say; a pipeline would have to carry all of it, for each of
// its rounds.
// What is not IPv4 passes.
//
// Try it:
//   hardpath traffic --packets 700 --flows 320 -o build/sources.pcapng
//   hardpath check build/programs/cuckoo.o --maps programs/cuckoo.maps.json --pcap build/sources.pcapng

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define BUCKETS 64
#define WAYS 4
#define MOST_MOVES 16

enum counter { PASSED, DROPPED, FORGOTTEN, MOVED, COUNTERS };

struct entry {
	__be32 source;
	__u32 packets;
};

struct table {
	struct entry entries[BUCKETS * WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} config SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct table);
} table SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline void count(__u32 key)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &key);

	if (counter)
		*counter += 1;
}

/* The high bits of a product with a large odd number (Knuth, volume 3, section 6.4). */
static __always_inline __u32 hash(__u32 source, __u32 factor)
{
	return source * factor >> 16;
}

static __always_inline __u32 other_bucket(__u32 bucket, __be32 source)
{
	return (bucket ^ hash(source, 0x85ebca6b)) & (BUCKETS - 1);
}

/* Where a source stands in its bucket, or a free place there (source 0); WAYS: nowhere. */
static __always_inline __u32 find(struct table *all, __u32 bucket, __be32 source)
{
	__u32 way;

	for (way = 0; way < WAYS; way++) {
		if (all->entries[(bucket & (BUCKETS - 1)) * WAYS + way].source == source)
			break;
	}
	return way;
}

static __always_inline struct entry *entry_at(struct table *all, __u32 bucket, __u32 way)
{
	return &all->entries[((bucket & (BUCKETS - 1)) * WAYS + (way & (WAYS - 1)))];
}

/* Puts an entry in. */
static __always_inline void insert(struct table *all, __u32 bucket, struct entry new)
{
	__u32 moves;

	for (moves = 0; moves < MOST_MOVES; moves++) {
		__u32 way = find(all, bucket, 0);
		struct entry *place, old;

		if (way < WAYS) {
			*entry_at(all, bucket, way) = new;
			return;
		}
		/* Another way in each round, so that two full buckets do not take the same two in turn. */
		place = entry_at(all, bucket, moves + new.source);
		old = *place;
		*place = new;
		new = old;
		bucket = other_bucket(bucket, new.source);
		count(MOVED);
	}
	count(FORGOTTEN);
}

SEC("xdp")
int cuckoo(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	__u32 zero = 0, first, second, way, packets = 1, *most;
	struct entry *entry = 0;
	struct table *all;
	__be32 source;

	if ((void *)(ip + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	source = ip->saddr;
	most = bpf_map_lookup_elem(&config, &zero);
	all = bpf_map_lookup_elem(&table, &zero);
	/* Nobody sends from 0.0.0.0 but who has no address yet. */
	if (!most || !all || source == 0)
		return XDP_DROP;

	first = hash(source, 0x9e3779b1) & (BUCKETS - 1);
	second = other_bucket(first, source);
	way = find(all, first, source);
	if (way < WAYS) {
		entry = entry_at(all, first, way);
	} else {
		way = find(all, second, source);
		if (way < WAYS)
			entry = entry_at(all, second, way);
	}
	if (entry) {
		packets = entry->packets + 1;
		/* It stays there: no source starts again because it sent very much. */
		if (packets > *most) {
			count(DROPPED);
			return XDP_DROP;
		}
		entry->packets = packets;
	} else {
		struct entry new = { .source = source, .packets = packets };
		__u32 bucket = find(all, first, 0) < WAYS ? first : second;

		if (packets > *most) {
			count(DROPPED);
			return XDP_DROP;
		}
		insert(all, bucket, new);
	}
	count(PASSED);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
