// Two ways lead to an atomic operation on the stack that gives back what was there; a byte tells them apart. The verifier
// of Linux 6.18 takes them for one, and then removes what only the second one does. In assembly, for no compiler keeps a
// variable on the stack like that.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int fetch(struct xdp_md *ctx)
{
	register int verdict asm("r0");

	asm volatile("r2 = *(u32 *)(%[ctx] + 0)\n"
		     "r3 = *(u32 *)(%[ctx] + 4)\n"
		     "r0 = 2\n"
		     "r4 = r2\n"
		     "r4 += 14\n"
		     "if r4 > r3 goto 4f\n"
		     "r2 = *(u8 *)(r2 + 0)\n"
		     "r1 = 0\n"
		     "*(u64 *)(r10 - 8) = r1\n"
		     "if r2 != 0 goto 2f\n"
		     "1: r1 = 0\n"
		     // r1 = atomic_fetch_or((u64 *)(r10 - 8), r1)
		     ".8byte 0x00000041fff81adb\n"
		     "if r1 != 0 goto 3f\n"
		     "goto 4f\n"
		     "2: r1 = 255\n"
		     "*(u8 *)(r10 - 4) = r1\n"
		     "goto 1b\n"
		     "3: r0 = 1\n"
		     "4:\n"
		     : "=r"(verdict)
		     : [ctx] "r"(ctx)
		     : "r1", "r2", "r3", "r4", "memory");
	return verdict;
}

char LICENSE[] SEC("license") = "GPL";
