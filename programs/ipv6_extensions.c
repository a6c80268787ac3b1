// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ipv6_extensions: walks the extension headers of IPv6 packets (RFC 8200), however many there are, to the header that
// they are for, and lets through what the host wants.
//
// policy   by the number of a header (IANA's protocol numbers): what becomes of packets that have it, 0 where nothing
//          is said, else the action: 1 drops, 2 goes to the host, 3 sends back. The first header that something is said
//          of decides, and what is no extension header ends the walk: then it is 2 where nothing is said.
// headers  by the number of a header: how many there were.
// chains   by the number of extension headers in front of the last one: how many packets there were; the last entry
//          counts those with more than can be walked, which are dropped.
// faults   packets that were dropped, because [0] a header is cut off, [1] hop-by-hop options stand behind another
//          header, [2] there is a routing header of type 0 (RFC 5095).
//
// A fragment but the first has no header behind the fragment header that could be walked: the fragment header is the last
// one then. Behind ESP everything is encrypted, and behind "no next header" is nothing: they are last ones, too.
// What is not IPv6 passes.
//
// How many rounds the loop makes only the packet says; a core runs it as a loop, and a pipeline writes out all of them.
//
// Try it:
//   hardpath check build/programs/ipv6_extensions.o --maps programs/ipv6_extensions.maps.json --pcap programs/ipv6_extensions.pcap

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define MOST_HEADERS 24
#define FRAGMENT_OFFSET bpf_htons(0xfff8)

#define HOST_IDENTITY 139
#define SHIM6 140

enum fault { CUT_OFF, LATE_OPTIONS, ROUTING_0, FAULTS };

/* What extension headers begin with. */
struct extension {
	__u8 next;
	__u8 length;
	/* Of a routing header; of a fragment header: the offset in eights, and flags. */
	__u8 routing_type;
	__u8 low;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u32);
} policy SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} headers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MOST_HEADERS + 1);
	__type(key, __u32);
	__type(value, __u64);
} chains SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FAULTS);
	__type(key, __u32);
	__type(value, __u64);
} faults SEC(".maps");

static __always_inline void count(void *map, __u32 key)
{
	__u64 *counter = bpf_map_lookup_elem(map, &key);

	if (counter)
		*counter += 1;
}

static __always_inline int drop(__u32 fault)
{
	count(&faults, fault);
	return XDP_DROP;
}

static __always_inline int is_extension(__u32 header)
{
	return header == IPPROTO_HOPOPTS || header == IPPROTO_ROUTING || header == IPPROTO_FRAGMENT ||
	       header == IPPROTO_AH || header == IPPROTO_DSTOPTS || header == IPPROTO_MH ||
	       header == HOST_IDENTITY || header == SHIM6;
}

SEC("xdp")
int ipv6_extensions(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *data_end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct ipv6hdr *ip = (void *)(eth + 1);
	__u32 offset = sizeof(*eth) + sizeof(*ip);
	__u32 header, passed;

	if ((void *)(eth + 1) > data_end || eth->h_proto != bpf_htons(ETH_P_IPV6))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end || ip->version != 6)
		return drop(CUT_OFF);

	header = ip->nexthdr;
	for (passed = 0; passed < MOST_HEADERS; passed++) {
		struct extension *extension = data + offset;
		__u32 *action = bpf_map_lookup_elem(&policy, &header);
		int ends;

		count(&headers, header);
		if (action && *action)
			return *action;
		if (!is_extension(header)) {
			count(&chains, passed);
			return XDP_PASS;
		}
		if (header == IPPROTO_HOPOPTS && passed)
			return drop(LATE_OPTIONS);
		if ((void *)(extension + 1) > data_end)
			return drop(CUT_OFF);
		if (header == IPPROTO_ROUTING && extension->routing_type == 0)
			return drop(ROUTING_0);

		ends = header == IPPROTO_FRAGMENT &&
		       ((extension->routing_type << 8 | extension->low) & bpf_ntohs(FRAGMENT_OFFSET));
		if (ends) {
			count(&chains, passed);
			return XDP_PASS;
		}
		/* RFC 8200 counts eights behind the first one, RFC 4302 fours behind the first two; fragments have none. */
		if (header == IPPROTO_AH)
			offset += (extension->length + 2) * 4;
		else if (header == IPPROTO_FRAGMENT)
			offset += 8;
		else
			offset += (extension->length + 1) * 8;
		header = extension->next;
	}
	count(&chains, MOST_HEADERS);
	return XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
