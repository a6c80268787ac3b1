// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Internet checksums (RFC 1071) without a look at the bytes that stay the same. Everything is in network byte order:
// a one's complement sum of 16-bit words is the same in either order.

#ifndef HARDPATH_CHECKSUM_H
#define HARDPATH_CHECKSUM_H

#include <linux/ip.h>
#include <linux/types.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define IP_DONT_FRAGMENT bpf_htons(0x4000)

/* The two 16-bit words of `word`; at most 17 bits. */
static __always_inline __u32 checksum_words(__u32 word)
{
	return (word & 0xffff) + (word >> 16);
}

/* Of a sum of at most 65536 words. */
static __always_inline __u16 checksum_fold(__u32 sum)
{
	return checksum_words(checksum_words(sum));
}

/* What replacing `before` by `after` adds to a sum; at most 18 bits. */
static __always_inline __u32 checksum_difference(__u32 before, __u32 after)
{
	return checksum_words(~before) + checksum_words(after);
}

/* A header's checksum after words of it were replaced (RFC 1624, equation 3). */
static __always_inline __u16 checksum_update(__u16 checksum, __u32 difference)
{
	return ~checksum_fold((__u16)~checksum + difference);
}

/* Writes an IPv4 header without options. `length` includes it. */
static __always_inline void write_ipv4_header(struct iphdr *ip, __u8 tos, __u16 length, __be16 id, __be16 fragment,
					      __u8 ttl, __u8 protocol, __be32 source, __be32 destination)
{
	__u32 sum = bpf_htons(0x4500 | tos) + bpf_htons(length) + id + fragment + bpf_htons(ttl << 8 | protocol) +
		    checksum_words(source) + checksum_words(destination);

	ip->version = 4;
	ip->ihl = 5;
	ip->tos = tos;
	ip->tot_len = bpf_htons(length);
	ip->id = id;
	ip->frag_off = fragment;
	ip->ttl = ttl;
	ip->protocol = protocol;
	ip->check = (__u16)~checksum_fold(sum);
	ip->saddr = source;
	ip->daddr = destination;
}

#endif
