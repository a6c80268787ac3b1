// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The architecture of p4c's backend for eBPF in the kernel: a parser and a filter that lets packets pass or not.

// Programs ask for this name to see whether the file is there.
#ifndef _EBPF_MODEL_P4_
#define _EBPF_MODEL_P4_

#include <core.p4>

// Counts of 32 bits, by their index.
extern CounterArray {
    CounterArray(bit<32> max_index, bool sparse);
    void increment(in bit<32> index);
    void add(in bit<32> index, in bit<32> value);
}

// What tables name as their implementation; one with an lpm key takes only the size from it.
extern array_table {
    array_table(bit<32> size);
}

extern hash_table {
    hash_table(bit<32> size);
}

parser parse<H>(packet_in packet, out H headers);
control filter<H>(inout H headers, out bool accept);

package ebpfFilter<H>(parse<H> prs, filter<H> filt);

#endif
