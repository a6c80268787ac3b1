// Maps that the program comes to only with another constant: one whose size is open, two of types that are not built.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 cpus = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} choice SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__type(key, __u32);
	__type(value, __u32);
} cpu_map SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} sockets SEC(".maps");

struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct inner);
} maps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} steps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
} events SEC(".maps");

SEC("xdp")
int spread(struct xdp_md *ctx)
{
	__u32 zero = 0, *cpu = bpf_map_lookup_elem(&choice, &zero);

	if (!cpu)
		return XDP_ABORTED;
	*cpu += 1;
	if (*cpu % 4 < cpus)
		return bpf_redirect_map(&cpu_map, *cpu % 4, XDP_DROP);
	if (cpus > 100) {
		bpf_ringbuf_output(&events, &zero, sizeof(zero), 0);
		if (bpf_map_lookup_elem(&sockets, &zero) || bpf_map_lookup_elem(&maps, &zero))
			return XDP_TX;
	}
	bpf_tail_call(ctx, &steps, 0);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
