// SPDX-License-Identifier: MIT OR Apache-2.0
//
// dns_labels: drops DNS questions for names that are on a list, and for all names below them.
//
// names      the hash of a name to how many questions for it, or for a name below it, were dropped. The hash is FNV-1a
//            with 64 bits over the name as it stands in a packet, from its end on: the last label's bytes from its last
//            to its first one, its length, the label before that and so on; letters are small ones. So the hash of
//            "example.com" is on the way to that of "www.example.com".
// counters   questions that [0] passed, [1] were dropped, [2] could not be read: the name is cut off or compressed.
//
// The name is walked twice: forward from label to label, which says where each begins, and back. What is not a question
// over IPv4 (without options) and UDP to port 53 passes, and so does what cannot be read.
//
// Both walks are calls of bpf_loop, whose rounds only the packet says.
//
// Try it:
//   hardpath check build/programs/dns_labels.o --maps programs/dns_labels.maps.json --pcap programs/dns_labels.pcap

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define DNS_PORT 53
#define DNS_HEADER_BYTES 12
#define IS_ANSWER 0x80
#define FRAGMENT_BITS bpf_htons(0x3fff)

/* RFC 1035: 255 bytes with all lengths, labels of at most 63, so at most 127 of them. */
#define MOST_LABELS 127
#define MOST_BYTES 255
#define LONGEST_LABEL 63

#define FNV_BASIS 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL

enum counter { PASSED, DROPPED, UNREADABLE, COUNTERS };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u64);
	__type(value, __u64);
} names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

/* What the rounds hand on. Places count from where the name begins. */
struct walk {
	struct xdp_md *ctx;
	__u64 hash;
	/* Where the next label begins. */
	__u32 at;
	/* The lengths, a bit for each place. */
	__u64 starts[4];
	__u8 is_whole;
	__u8 is_listed;
};

#define NAME (sizeof(struct ethhdr) + sizeof(struct iphdr) + sizeof(struct udphdr) + DNS_HEADER_BYTES)

/* A byte of the name; 256 where the packet ends before. */
static __always_inline __u32 name_byte(struct xdp_md *ctx, __u32 at)
{
	void *data_end = (void *)(long)ctx->data_end;
	__u8 *byte = (void *)(long)ctx->data + NAME;

	byte += at & 0xff;
	return (void *)(byte + 1) > data_end ? 256 : *byte;
}

static long next_label(__u32 round, struct walk *walk)
{
	(void)round;
	__u32 at = walk->at;
	__u32 length;

	if (at >= MOST_BYTES)
		return 1;
	length = name_byte(walk->ctx, at);
	if (length == 0) {
		walk->is_whole = 1;
		return 1;
	}
	if (length > LONGEST_LABEL)
		return 1;
	walk->starts[at >> 6 & 3] |= 1ULL << (at & 63);
	walk->at = at + 1 + length;
	return 0;
}

static long byte_before(__u32 round, struct walk *walk)
{
	(void)round;
	__u32 at, byte;
	__u64 *listed, hash;
	int is_length;

	if (walk->at == 0)
		return 1;
	at = walk->at - 1;
	walk->at = at;
	byte = name_byte(walk->ctx, at);
	is_length = walk->starts[at >> 6 & 3] >> (at & 63) & 1;
	if (!is_length && byte >= 'A' && byte <= 'Z')
		byte |= 0x20;
	hash = (walk->hash ^ (byte & 0xff)) * FNV_PRIME;
	walk->hash = hash;
	if (!is_length)
		return 0;
	listed = bpf_map_lookup_elem(&names, &hash);
	if (!listed)
		return 0;
	*listed += 1;
	walk->is_listed = 1;
	return 1;
}

static __always_inline int counted(__u32 key, int action)
{
	__u64 *counter = bpf_map_lookup_elem(&counters, &key);

	if (counter)
		*counter += 1;
	return action;
}

SEC("xdp")
int dns_labels(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);
	__u8 *dns = (void *)(udp + 1);
	struct walk walk = { .ctx = ctx, .hash = FNV_BASIS };

	if ((void *)(dns + DNS_HEADER_BYTES) > data_end)
		return XDP_PASS;
	if (eth->h_proto != bpf_htons(ETH_P_IP) || ip->version != 4 || ip->ihl != 5)
		return XDP_PASS;
	if ((ip->frag_off & FRAGMENT_BITS) || ip->protocol != IPPROTO_UDP || udp->dest != bpf_htons(DNS_PORT))
		return XDP_PASS;
	/* One question, and no answer. */
	if ((dns[2] & IS_ANSWER) || dns[4] != 0 || dns[5] != 1)
		return XDP_PASS;

	bpf_loop(MOST_LABELS + 1, next_label, &walk, 0);
	if (!walk.is_whole)
		return counted(UNREADABLE, XDP_PASS);
	bpf_loop(MOST_BYTES, byte_before, &walk, 0);
	return walk.is_listed ? counted(DROPPED, XDP_DROP) : counted(PASSED, XDP_PASS);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
