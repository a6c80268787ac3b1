#!/bin/sh
# Makes the objects of this folder from their sources. Needs clang 14 and libbpf's headers; for isa_v4.o a current
# clang, such as `python -m ziglang cc` of PyPI's ziglang: ZIG="python -m ziglang cc" ./build.sh
set -e
cd "$(dirname "$0")"
FLAGS="-O2 -I/usr/include/$(uname -m)-linux-gnu -fdebug-compilation-dir=."
clang -target bpf $FLAGS -c legacy_maps.c -o legacy_maps.o
for level in v1 v2 v3; do
	clang -target bpf -mcpu=$level $FLAGS -g -c globals.c -o globals_$level.o
done
clang -target bpf $FLAGS -g -c core.c -o core.o
clang -target bpf $FLAGS -g -c core_kernel.c -o core_kernel.o
clang -target bpf $FLAGS -g -c programs.c -o programs.o
for program in loops calls; do
	clang -target bpf -mcpu=v3 $FLAGS -g -O1 -c $program.c -o ${program}_o1.o
	clang -target bpf -mcpu=v3 $FLAGS -g -c $program.c -o ${program}_o2.o
done
clang -target bpf -mcpu=v1 $FLAGS -g -c loops.c -o loops_v1.o
clang -target bpf -mcpu=v3 $FLAGS -g -c tails.c -o tails.o
clang -target bpf -mcpu=v3 $FLAGS -g -c mixed.c -o mixed.o
clang -target bpf -c notype.S -o notype.o
# Debug information in DWARF is of no use here and would make up most of the size.
for object in *.o; do
	llvm-strip --strip-debug --keep-section=.BTF --keep-section=.BTF.ext --keep-section=.rel.BTF.ext $object
done
if [ -n "$ZIG" ]; then
	$ZIG -target bpfel-freestanding-none -mcpu=v4 -O2 -g -fhosted -fbuiltin -fno-unwind-tables -I/usr/include \
		-I/usr/include/$(uname -m)-linux-gnu -fdebug-compilation-dir=. -c isa_v4.c -o isa_v4.o
	llvm-strip --strip-debug --keep-section=.BTF --keep-section=.BTF.ext isa_v4.o
fi
