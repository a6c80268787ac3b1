// Fields whose offsets come from the kernel's types (core_kernel.c stands for the kernel).
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

struct header {
	__u8 kind;
	__u16 size;
	__u32 gone;
} __attribute__((preserve_access_index));

SEC("xdp")
int guarded(struct xdp_md *ctx)
{
	struct header *header = (void *)(long)ctx->data;

	if ((void *)header + 32 > (void *)(long)ctx->data_end)
		return XDP_DROP;
	if (bpf_core_field_exists(header->gone))
		return header->gone;
	return header->size;
}

SEC("xdp/unguarded")
int unguarded(struct xdp_md *ctx)
{
	struct header *header = (void *)(long)ctx->data;

	if ((void *)header + 32 > (void *)(long)ctx->data_end)
		return XDP_DROP;
	return header->gone;
}

char _license[] SEC("license") = "GPL";
