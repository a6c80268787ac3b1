// Several programs in one object, some of them for what hardpath refuses.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(key_size, 4);
	__uint(value_size, 4);
	__uint(max_entries, 8);
} ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(key_size, 8);
	__uint(value_size, 4);
	__uint(max_entries, 8);
} sockets SEC(".maps");

SEC("xdp.frags")
int forward(struct xdp_md *ctx)
{
	return bpf_redirect_map(&ports, ctx->rx_queue_index, XDP_TX);
}

SEC("xdp/direct")
int direct(struct xdp_md *ctx)
{
	if (ctx->ingress_ifindex == 3)
		return bpf_redirect(7, 0);
	return XDP_PASS;
}

static __attribute__((noinline)) int sum(unsigned char *data, unsigned char *data_end)
{
	int total = 0;

	if (data + 64 > data_end)
		return 1;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 64; i++)
		total += data[i];
	return total;
}

SEC("xdp/calls")
int calls(struct xdp_md *ctx)
{
	return sum((void *)(long)ctx->data, (void *)(long)ctx->data_end);
}

SEC("xdp/loops")
int loops(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data;
	__u64 key[1] = { 0 };
	int total = 0;

	if (data + 100 > (unsigned char *)(long)ctx->data_end)
		return XDP_DROP;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 100; i++)
		total += data[i] ^ 3;
	if (bpf_map_lookup_elem(&sockets, key))
		bpf_get_current_pid_tgid();
	return total;
}

SEC("tc")
int classify(struct __sk_buff *skb)
{
	return skb->len & 1;
}

char _license[] SEC("license") = "Dual MIT/GPL";
