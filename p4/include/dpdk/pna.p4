// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The Portable NIC Architecture of DPDK's pipeline: that of pna.p4, with hashes by their names, packet lengths that programs say, and
// IPsec.

#ifndef PNA_DPDK
#define PNA_DPDK
#include <pna.p4>
#endif
