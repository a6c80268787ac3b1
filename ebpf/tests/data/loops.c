// Loops that hardpath writes out: with constant rounds, with rounds that depend on the packet, in each other.
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#define LOOP _Pragma("clang loop unroll(disable)")

struct vlan {
	__be16 tci;
	__be16 next;
};

struct extension {
	__u8 next;
	__u8 length;
	__u8 rest[6];
};

// Up to four VLAN tags; the verdict tells how many, and which protocol is behind them.
SEC("xdp/vlans")
int vlans(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	__be16 protocol;
	void *at;
	int tags = 0;

	if ((void *)(eth + 1) > end)
		return XDP_DROP;
	protocol = eth->h_proto;
	at = eth + 1;
	LOOP for (int i = 0; i < 4; i++) {
		struct vlan *tag = at;

		if (protocol != bpf_htons(ETH_P_8021Q) && protocol != bpf_htons(ETH_P_8021AD))
			break;
		if ((void *)(tag + 1) > end)
			return XDP_DROP;
		protocol = tag->next;
		at = tag + 1;
		tags++;
	}
	return tags * 256 + (protocol == bpf_htons(ETH_P_IP) ? XDP_TX : XDP_PASS);
}

// The checksum of an IPv4 header without options is put into the packet.
SEC("xdp/checksum")
int checksum(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip = (void *)(eth + 1);
	__u16 *words = (__u16 *)ip;
	__u32 sum = 0;

	if ((void *)(ip + 1) > end)
		return XDP_DROP;
	ip->check = 0;
	LOOP for (int i = 0; i < 10; i++)
		sum += words[i];
	LOOP while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	ip->check = ~sum;
	return XDP_TX;
}

// The protocol behind up to six IPv6 extension headers.
SEC("xdp/extensions")
int extensions(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct ipv6hdr *ip = (void *)(eth + 1);
	__u32 offset = sizeof(*eth) + sizeof(*ip);
	__u8 protocol;

	if ((void *)(ip + 1) > end || eth->h_proto != bpf_htons(ETH_P_IPV6))
		return XDP_PASS;
	protocol = ip->nexthdr;
	LOOP for (int i = 0; i < 6; i++) {
		struct extension *header = data + offset;

		if (protocol != IPPROTO_HOPOPTS && protocol != IPPROTO_ROUTING && protocol != IPPROTO_DSTOPTS)
			break;
		if ((void *)(header + 1) > end)
			return XDP_DROP;
		protocol = header->next;
		offset += (header->length + 1) * 8;
	}
	return offset * 256 + protocol;
}

// As many bytes as the first one says, at most 16, are summed up.
SEC("xdp/counted")
int counted(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 count, sum = 0;

	if (data + 17 > end)
		return XDP_DROP;
	count = data[0];
	// Seen as a number of 32 bits, as by the verifier.
	asm volatile("" : "+r"(count));
	if (count > 16)
		return XDP_ABORTED;
	LOOP for (__u32 i = 0; i < count; i++)
		sum = sum * 3 + data[i + 1];
	return sum;
}

// A masked number and a signed counter that goes down.
SEC("xdp/downwards")
int downwards(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	int sum = 0;

	if (data + 2 > end)
		return XDP_DROP;
	LOOP for (int i = data[1] & 31; i >= 0; i -= 3) {
		unsigned char *at = data + i;

		if (at + 1 > end)
			return XDP_ABORTED;
		sum = sum * 5 + *at;
	}
	return sum;
}

// A table on the stack is sorted by a loop in a loop.
SEC("xdp/sort")
int sort(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	volatile __u8 table[6];
	int sum = 0;

	if (data + 6 > end)
		return XDP_DROP;
	LOOP for (int i = 0; i < 6; i++)
		table[i] = data[i];
	LOOP for (int i = 0; i < 5; i++) {
		LOOP for (int j = 0; j < 5 - i; j++) {
			if (table[j] > table[j + 1]) {
				__u8 larger = table[j];

				table[j] = table[j + 1];
				table[j + 1] = larger;
			}
		}
	}
	LOOP for (int i = 0; i < 6; i++)
		data[i] = table[i];
	LOOP for (int i = 0; i < 6; i++)
		sum = sum * 2 + table[i];
	return sum;
}

// Addresses are compared and copied byte by byte.
SEC("xdp/copies")
int copies(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	int i;

	if (data + 14 > end)
		return XDP_DROP;
	LOOP for (i = 0; i < 6; i++)
		if (data[i] != data[i + 6])
			break;
	if (i == 6)
		return XDP_PASS;
	LOOP for (int j = 0; j < 6; j++) {
		__u8 byte = data[j];

		data[j] = data[j + 6];
		data[j + 6] = byte;
	}
	return 256 + i;
}

// Steps of two sizes: the rounds differ from path to path.
SEC("xdp/steps")
int steps(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 i = 0, sum = 0;

	if (data + 20 > end)
		return XDP_DROP;
	LOOP while (i < 18) {
		if (i + 1 >= 20)
			break;
		sum = sum * 7 + data[i];
		i += data[i] & 1 ? 1 : 2;
	}
	return sum;
}

char _license[] SEC("license") = "Dual MIT/GPL";
