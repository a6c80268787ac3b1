"""Captures: packets in as pcap, packets out as the pcapng that `hardpath sim` writes."""

import struct

# The block with a packet, the only kind that is read.
ENHANCED_PACKET = 6


def write_pcap(path, packets):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for second, packet in enumerate(packets):
            file.write(struct.pack("<IIII", second, 0, len(packet), len(packet)) + packet)


def read_pcap(path):
    data = path.read_bytes()
    packets, at = [], 24
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        packets.append(data[at + 16 : at + 16 + length])
        at += 16 + length
    return packets


def read_pcapng(path):
    data = path.read_bytes()
    packets, at = [], 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == ENHANCED_PACKET:
            length = struct.unpack_from("<I", data, at + 20)[0]
            packets.append(data[at + 28 : at + 28 + length])
        at += size
    return packets
