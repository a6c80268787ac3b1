// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What all variants of the Portable NIC Architecture have in common; they include it behind their enums PNA_IdleTimeout_t and
// PNA_HashAlgorithm_t. Widths are those that the specification has as examples.

#ifndef PNA_COMMON_P4
#define PNA_COMMON_P4

#include <core.p4>

// Numbers by their names, as types of their own.

// A port, of the network or of the host.
typedef bit<32> PortIdUint_t;
@p4runtime_translation("p4.org/pna/v1/PortId_t", 32)
type PortIdUint_t PortId_t;

// An interface of the host.
typedef bit<32> InterfaceIdUint_t;
@p4runtime_translation("p4.org/pna/v1/InterfaceId_t", 32)
type InterfaceIdUint_t InterfaceId_t;

// Ports that all get a copy, as the control plane says.
typedef bit<32> MulticastGroupUint_t;
@p4runtime_translation("p4.org/pna/v1/MulticastGroup_t", 32)
type MulticastGroupUint_t MulticastGroup_t;

// Where mirrored packets go, as the control plane says.
typedef bit<16> MirrorSessionIdUint_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSessionId_t", 16)
type MirrorSessionIdUint_t MirrorSessionId_t;

// Which of a packet's mirrors it is: one can have several.
typedef bit<8> MirrorSlotIdUint_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSlotId_t", 8)
type MirrorSlotIdUint_t MirrorSlotId_t;

// How urgent a packet is.
typedef bit<8> ClassOfServiceUint_t;
@p4runtime_translation("p4.org/pna/v1/ClassOfService_t", 8)
type ClassOfServiceUint_t ClassOfService_t;

// Bytes of a packet.
typedef bit<16> PacketLengthUint_t;
@p4runtime_translation("p4.org/pna/v1/PacketLength_t", 16)
type PacketLengthUint_t PacketLength_t;

// Which copy of a multicast it is.
typedef bit<16> MulticastInstanceUint_t;
@p4runtime_translation("p4.org/pna/v1/MulticastInstance_t", 16)
type MulticastInstanceUint_t MulticastInstance_t;

// When something was; the unit is the device's.
typedef bit<64> TimestampUint_t;
@p4runtime_translation("p4.org/pna/v1/Timestamp_t", 64)
type TimestampUint_t Timestamp_t;

// A flow, by a number that the device gives.
typedef bit<32> FlowIdUint_t;
@p4runtime_translation("p4.org/pna/v1/FlowId_t", 32)
type FlowIdUint_t FlowId_t;

// After how long an entry expires, as the control plane says.
typedef bit<8> ExpireTimeProfileIdUint_t;
@p4runtime_translation("p4.org/pna/v1/ExpireTimeProfileId_t", 8)
type ExpireTimeProfileIdUint_t ExpireTimeProfileId_t;

// Keys and state of an encryption.
typedef bit<32> SecurityAssocIdUint_t;
@p4runtime_translation("p4.org/pna/v1/SecurityAssocId_t", 64)
type SecurityAssocIdUint_t SecurityAssocId_t;

typedef error ParserError_t;

// The processor that controls the device.
const InterfaceId_t PNA_PORT_CPU = (InterfaceId_t)0xfffffffd;
const MirrorSessionId_t PNA_MIRROR_SESSION_TO_CPU = (MirrorSessionId_t)0;

// The same numbers as they stand in headers that leave for the control plane or for other devices: whole bytes.

typedef bit<32> PortIdInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/PortIdInHeader_t", 32)
type PortIdInHeaderUint_t PortIdInHeader_t;

typedef bit<32> InterfaceIdInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/InterfaceIdInHeader_t", 32)
type InterfaceIdInHeaderUint_t InterfaceIdInHeader_t;

typedef bit<32> MulticastGroupInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/MulticastGroupInHeader_t", 32)
type MulticastGroupInHeaderUint_t MulticastGroupInHeader_t;

typedef bit<16> MirrorSessionIdInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSessionIdInHeader_t", 16)
type MirrorSessionIdInHeaderUint_t MirrorSessionIdInHeader_t;

typedef bit<8> MirrorSlotIdInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/MirrorSlotIdInHeader_t", 8)
type MirrorSlotIdInHeaderUint_t MirrorSlotIdInHeader_t;

typedef bit<8> ClassOfServiceInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/ClassOfServiceInHeader_t", 8)
type ClassOfServiceInHeaderUint_t ClassOfServiceInHeader_t;

typedef bit<16> PacketLengthInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/PacketLengthInHeader_t", 16)
type PacketLengthInHeaderUint_t PacketLengthInHeader_t;

typedef bit<16> MulticastInstanceInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/MulticastInstanceInHeader_t", 16)
type MulticastInstanceInHeaderUint_t MulticastInstanceInHeader_t;

typedef bit<64> TimestampInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/TimestampInHeader_t", 64)
type TimestampInHeaderUint_t TimestampInHeader_t;

typedef bit<32> FlowIdInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/FlowIdInHeader_t", 32)
type FlowIdInHeaderUint_t FlowIdInHeader_t;

typedef bit<8> ExpireTimeProfileIdInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/ExpireTimeProfileIdInHeader_t", 8)
type ExpireTimeProfileIdInHeaderUint_t ExpireTimeProfileIdInHeader_t;

typedef bit<32> SecurityAssocIdInHeaderUint_t;
@p4runtime_translation("p4.org/pna/v1/SecurityAssocIdInHeader_t", 64)
type SecurityAssocIdInHeaderUint_t SecurityAssocIdInHeader_t;

// A number as it stands in a header to what the architecture takes, and back. Who includes this file forgets the macro.
#define PNA_CONVERSIONS(name) \
    name##_t pna_##name##_header_to_int(in name##InHeader_t x) { \
        return (name##_t)(name##Uint_t)(name##InHeaderUint_t)x; \
    } \
    name##InHeader_t pna_##name##_int_to_header(in name##_t x) { \
        return (name##InHeader_t)(name##InHeaderUint_t)(name##Uint_t)x; \
    }

PNA_CONVERSIONS(PortId)
PNA_CONVERSIONS(InterfaceId)
PNA_CONVERSIONS(MulticastGroup)
PNA_CONVERSIONS(MirrorSessionId)
PNA_CONVERSIONS(MirrorSlotId)
PNA_CONVERSIONS(ClassOfService)
PNA_CONVERSIONS(PacketLength)
PNA_CONVERSIONS(MulticastInstance)
PNA_CONVERSIONS(Timestamp)
PNA_CONVERSIONS(FlowId)
PNA_CONVERSIONS(ExpireTimeProfileId)
PNA_CONVERSIONS(SecurityAssocId)

match_kind {
    range,
    // Of tables with an action selector: what goes into its hash.
    selector,
    // An exact value, or any.
    optional
}

extern Hash<O> {
    Hash(PNA_HashAlgorithm_t algo);
    O get_hash<D>(in D data);
    // base + hash % max.
    O get_hash<T, D>(in T base, in D data, in T max);
}

// Cleared when its parser or control begins.
extern Checksum<W> {
    Checksum(PNA_HashAlgorithm_t hash);
    void clear();
    void update<T>(in T data);
    W get();
}

// RFC 1071, of data in 16-bit words; what is subtracted is as if it had never been added (RFC 1624).
extern InternetChecksum {
    InternetChecksum();
    void clear();
    void add<T>(in T data);
    void subtract<T>(in T data);
    bit<16> get();
    // What set_state of any InternetChecksum goes on from.
    bit<16> get_state();
    void set_state(in bit<16> checksum_state);
}

enum PNA_CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

enum PNA_MeterType_t {
    PACKETS,
    BYTES
}

enum PNA_MeterColor_t {
    RED,
    GREEN,
    YELLOW
}

extern Register<T, S> {
    Register(bit<32> size);
    Register(bit<32> size, T initial_value);
    T read(in S index);
    void write(in S index, in T value);
}

// From min to max, both included.
extern Random<T> {
    Random(T min, T max);
    T read();
}

extern ActionProfile {
    ActionProfile(bit<32> size);
}

// Members of a group are chosen by a hash of so many bits.
extern ActionSelector {
    ActionSelector(PNA_HashAlgorithm_t algo, bit<32> size, bit<32> outputWidth);
}

// To the control plane.
extern Digest<T> {
    Digest();
    void pack(in T data);
}

// The last one of drop_packet and send_to_port says where the packet goes when the main control is over.
extern void drop_packet();

// Of the flow that the packet begins.
extern FlowId_t allocate_flow_id();

// In actions of tables whose entries expire: the entry that was found does so after another time, or lives on.
extern void set_entry_expire_time(in ExpireTimeProfileId_t expire_time_profile_id);
extern void restart_expire_timer();

#endif
