// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The Portable NIC Architecture of p4c's backend for Linux' tc: that of bmv2/pna.p4, with what the kernel keeps of a packet. What that
// backend tells its own tools in annotations and in structs for the control path is not here.

#ifndef PNA_TC
#define PNA_TC
#include <bmv2/pna.p4>
#endif
