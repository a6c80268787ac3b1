# Functions whose symbols have no type, as hand-written assembly leaves them.
	.section xdp, "ax", @progbits
	.globl first
first:
	r0 = 2
	exit
	.globl second
second:
	r0 = *(u32 *)(r1 + 16)
	if r0 s> 5 goto far
	exit
far:
	r0 = 1
	exit
