// Programs whose packet accesses and moves depend on the packet's bytes.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned int u32;
#define CTX void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
/* Writes behind up to two VLAN tags and an IPv4 header with options. */
SEC("xdp/vlan")
int vlan(struct xdp_md *ctx)
{
	CTX
	u8 *p = data;
	if (p + 14 > (u8 *)end) return XDP_DROP;
	u16 type = *(u16 *)(p + 12);
	p += 14;
#pragma unroll
	for (int i = 0; i < 2; i++) {
		if (type != 0x0081) break;
		if (p + 4 > (u8 *)end) return XDP_DROP;
		type = *(u16 *)(p + 2);
		p += 4;
	}
	if (type != 0x0008) return XDP_PASS;
	if (p + 20 > (u8 *)end) return XDP_DROP;
	u32 ihl = (*p & 15) * 4;
	if (ihl < 20) return XDP_DROP;
	p[8]--;
	u8 *l4 = p + ihl;
	if (l4 + 8 > (u8 *)end) return XDP_DROP;
	u16 t = *(u16 *)l4; *(u16 *)l4 = *(u16 *)(l4 + 2); *(u16 *)(l4 + 2) = t;
	return XDP_TX;
}
/* Walks up to four IPv6 extension headers. */
SEC("xdp/extensions")
int extensions(struct xdp_md *ctx)
{
	CTX
	u8 *p = data;
	if (p + 54 > (u8 *)end) return XDP_DROP;
	u8 next = p[20];
	u32 at = 54;
#pragma unroll
	for (int i = 0; i < 4; i++) {
		if (next != 0 && next != 43 && next != 60) break;
		p = data + at;
		if (p + 8 > (u8 *)end) return XDP_DROP;
		next = p[0];
		at += ((p[1] & 3) + 1) * 8;
	}
	p = data + at;
	if (p + 8 > (u8 *)end) return XDP_DROP;
	p[3] ^= next;
	return XDP_TX;
}
/* Looks for the MSS among up to ten TCP options and lowers it. */
SEC("xdp/options")
int options(struct xdp_md *ctx)
{
	CTX
	u8 *p = data;
	if (p + 54 > (u8 *)end || p[23] != 6 || p[14] != 0x45) return XDP_PASS;
	u32 at = 54, stop = 34 + (p[46] >> 4) * 4;
#pragma unroll
	for (int i = 0; i < 10; i++) {
		if (at >= stop || at > 93) break;
		p = data + at;
		if (p + 1 > (u8 *)end) break;
		u8 kind = p[0];
		if (kind == 0) break;
		if (kind == 1) { at++; continue; }
		if (p + 2 > (u8 *)end) break;
		u8 len = p[1];
		if (kind == 2) {
			if (p + 4 > (u8 *)end) break;
			p[2] = 5; p[3] = 0;
			return XDP_TX;
		}
		if (len < 2 || len > 40) break;
		at += len;
	}
	return XDP_PASS;
}

/* Grows and shrinks head and tail, and writes over where the packet begins then. */
SEC("xdp/moves")
int moves(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	if (data + 60 > end)
		return XDP_DROP;
	unsigned char kind = data[13];
	if (kind == 1) {
		if (bpf_xdp_adjust_head(ctx, -20))
			return XDP_DROP;
	} else if (kind == 2) {
		if (bpf_xdp_adjust_head(ctx, 20))
			return XDP_DROP;
	} else if (kind == 3) {
		if (bpf_xdp_adjust_tail(ctx, 40))
			return XDP_DROP;
	}
	data = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	if (data + 34 > end)
		return XDP_DROP;
	__builtin_memset(data, kind, 34);
	return XDP_TX;
}
/* Moves the head by an amount that the packet says. */
SEC("xdp/any_move")
int any_move(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	if (data + 60 > end)
		return XDP_DROP;
	int by = (data[14] & 15) * 4 - 30;
	if (bpf_xdp_adjust_head(ctx, by))
		return XDP_DROP;
	return XDP_TX;
}
char _license[] SEC("license") = "GPL";
