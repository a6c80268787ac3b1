// Variables that hold different kinds of things on different paths, and are used where it is known which.
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

#define APART static __attribute__((noinline))
#define OPAQUE(x) asm volatile("" : "+r"(x))

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 4);
} left SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 4);
} right SEC(".maps");

struct headers {
	struct ethhdr *eth;
	struct iphdr *ip;
	struct udphdr *udp;
};

APART int parse(struct xdp_md *ctx, struct headers *headers)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = data;
	struct iphdr *ip;
	struct udphdr *udp;

	if ((void *)(eth + 1) > end)
		return -1;
	headers->eth = eth;
	if (eth->h_proto != bpf_htons(ETH_P_IP))
		return 0;
	ip = (void *)(eth + 1);
	if ((void *)(ip + 1) > end || ip->ihl != 5)
		return -1;
	headers->ip = ip;
	if (ip->protocol != IPPROTO_UDP)
		return 1;
	udp = (void *)(ip + 1);
	if ((void *)(udp + 1) > end)
		return -1;
	headers->udp = udp;
	return 2;
}

// A function gives several pointers, and a number says how many.
SEC("xdp/parsed")
int parsed(struct xdp_md *ctx)
{
	struct headers headers = {};
	int layers = parse(ctx, &headers);

	if (layers < 0)
		return XDP_DROP;
	headers.eth->h_dest[0] = layers;
	if (layers >= 1)
		headers.ip->ttl--;
	if (layers == 2)
		return 16 + (headers.udp->dest == bpf_htons(53));
	return XDP_PASS;
}

// A pointer into the packet or none.
SEC("xdp/maybe")
int maybe(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	unsigned char *found = 0;
	__u32 sum = 0;

	if (data + 16 > end)
		return XDP_DROP;
	if (data[0] & 1)
		found = data + 4;
	else if (data[0] & 2)
		found = data + 8;
	OPAQUE(found);
	sum = data[1] + data[2];
	if (sum & 1)
		data[3] = sum;
	if (found)
		return found[0] + 256;
	return sum;
}

// A value of one map or of another one.
SEC("xdp/either")
int either(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 key;
	__u64 *value;

	if (data + 2 > end)
		return XDP_DROP;
	key = data[1] & 3;
	if (data[0] & 1)
		value = bpf_map_lookup_elem(&left, &key);
	else
		value = bpf_map_lookup_elem(&right, &key);
	if (!value) {
		__u64 first = 1;

		bpf_map_update_elem(&right, &key, &first, 0);
		return XDP_TX;
	}
	*value += 2;
	return *value & 0xff;
}

char _license[] SEC("license") = "Dual MIT/GPL";
