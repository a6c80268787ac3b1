// Programs of which many bits wait for one signal.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32; typedef unsigned long long u64;
#define CTX void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
/* Takes an IPv4 header of any length away, so that the packet begins anywhere. */
SEC("xdp/anywhere")
int anywhere(struct xdp_md *ctx)
{
	CTX
	u8 *p = data;
	if (p + 64 > (u8 *)end) return XDP_DROP;
	if (bpf_xdp_adjust_head(ctx, (p[14] & 15) * 4)) return XDP_DROP;
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	p = data;
	if (p + 14 > (u8 *)end) return XDP_DROP;
	*(u16 *)(p + 12) = 0x0008;
	return XDP_TX;
}
struct sums {
	u64 of[8];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 32);
	__type(key, u32);
	__type(value, struct sums);
} sums SEC(".maps");
/* Adds up bytes in words of 512 bits, which are read in one clock. */
SEC("xdp/words")
int words(struct xdp_md *ctx)
{
	CTX
	u8 *p = data;
	if (p + 64 > (u8 *)end) return XDP_DROP;
	u32 index = p[33] & 31;
	struct sums *sum = bpf_map_lookup_elem(&sums, &index);
	if (!sum) return XDP_ABORTED;
	sum->of[0] += p[15];
	sum->of[3] += p[41];
	sum->of[7] += p[17];
	return XDP_PASS;
}
char LICENSE[] SEC("license") = "GPL";
