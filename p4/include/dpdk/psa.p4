// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The Portable Switch Architecture of DPDK's pipeline: that of psa.p4, with packet lengths that programs say.

#ifndef PSA_DPDK
#define PSA_DPDK
#include <psa.p4>
#endif
