"""Traffic of a few flows for programs whose frames carry a flow's number behind the Ethernet header, and values of two
halves that are always written together and equal."""

import struct

import cocotb

FLOWS = range(8)


def key(number):
    return struct.pack("<I", number)


def pair(value):
    return struct.pack("<QQ", value, value)


def halves(data):
    left, right = struct.unpack("<QQ", data)
    assert left == right, f"torn: {left:x} {right:x}"
    return left


def frame(flow):
    return bytes(12) + b"\x08\0" + key(flow) + bytes(42)


async def under_traffic(bench, access):
    """Runs `access` while packets of all flows come in without a pause; the flows of the packets, in order."""
    sent = []
    running = cocotb.start_soon(access)
    while not running.done():
        if bench.source.count() < 16:
            flows = [bench.random.choice(FLOWS) for _ in range(64)]
            sent += flows
            bench.send([frame(flow) for flow in flows])
        await bench.clock()
    running.result()
    await bench.verdict_of_each(len(sent))
    return sent
