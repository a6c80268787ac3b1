// Constants that a loader sets: the program writes all of them into the packet, as the object and its loader have them.
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>

enum mode { MODE_OFF, MODE_COUNT, MODE_DROP = 7 };

struct range {
	__u64 min;
	__u64 max;
};

struct config {
	__u16 port;
	__s8 level;
	bool on;
	enum mode mode;
	struct {
		__u32 address;
	};
	__u8 mac[6];
	__u8 address6[16];
	char name[8];
	unsigned int kind : 3;
	int offset : 5;
	struct range ranges[3];
	__u32 table[2][2];
};

const volatile struct config config = { .port = 80, .ranges = { { 1, 2 } } };
const volatile __u32 limit SEC(".rodata.limits") = 5;
volatile __u32 start = 3;

SEC("xdp")
int show(struct xdp_md *ctx)
{
	const volatile __u8 *from = (const volatile __u8 *)&config;
	__u8 *data = (void *)(long)ctx->data;

	if (data + sizeof(struct config) + 8 > (__u8 *)(long)ctx->data_end)
		return XDP_PASS;
#pragma clang loop unroll(full)
	for (int i = 0; i < sizeof(struct config); i++)
		data[i] = from[i];
	*(__u32 *)(data + sizeof(struct config)) = limit;
	*(__u32 *)(data + sizeof(struct config) + 4) = start;
	return XDP_TX;
}
