"""Maps of every kind from the host port while packets come in at line rate, with the program `kinds`: bounded waits,
nothing torn, nothing lost. Each test turns to one map; the data plane works on all of them all the time."""

import itertools
import struct

import cocotb

from bench import COMMAND_CLOCKS, DONE, LONGEST_COMMAND_CLOCKS, MISSING, Bench
from common import ABORTED, PASS, REDIRECT
from flows import FLOWS, frame, halves, key, pair, under_traffic

ALL_FLOWS = (0, bytes(4))
# A command waits its turn behind the packets inside, of which each may wait for the window of `states`.
PACKETS_INSIDE, WINDOW = 32, 5
COMMAND_CLOCKS = COMMAND_CLOCKS + PACKETS_INSIDE * WINDOW
MAX_64 = (1 << 64) - 1


def next_state(state):
    """`next` of kinds.c."""
    state = (state + (state >> 3) + 1) & MAX_64
    state ^= (state << (state & 7 | 1)) & MAX_64
    return (state + (state >> 5)) & MAX_64


# After so many packets, more than any test sends; and back again.
STATES = list(itertools.accumulate(range(20_000), lambda state, _: next_state(state), initial=0))
PACKETS_BEFORE = {state: packets for packets, state in enumerate(STATES)}


def prefix(bits, flow):
    return struct.pack("<I4s", bits, flow)


def longest(routes, flow):
    """The value of the longest prefix of a flow's bytes."""
    number = int.from_bytes(flow, "big")
    holds = [
        (bits, value)
        for (bits, other), value in routes.items()
        if bits == 0 or (number ^ int.from_bytes(other, "big")) >> (32 - bits) == 0
    ]
    return max(holds)[1]


async def start(dut, stalls=False):
    """A design with a route for every packet and a state for every flow."""
    bench = await Bench.start(dut)
    await does(bench, "routes", "UPDATE", prefix(*ALL_FLOWS), pair(1))
    for flow in FLOWS:
        await does(bench, "states", "UPDATE", key(flow), pair(0))
    if stalls:
        bench.stall()
    return bench


async def does(bench, map_name, command, which, value=b"", expected=DONE):
    # A trie sorts its memory anew.
    bound = LONGEST_COMMAND_CLOCKS if bench.maps[map_name]["type"] == "lpm_trie" else COMMAND_CLOCKS
    got, clocks = await bench.command(map_name, command, which, value)
    assert got == expected, f"{command} {map_name}[{which.hex()}]: answer {got}"
    assert bench.stalled or clocks <= bound, f"{command} {map_name}[{which.hex()}]: {clocks} clocks"


async def reads(bench, map_name, which):
    """The number whose halves an entry holds; `None`: it is not there."""
    got, clocks = await bench.lookup(map_name, which)
    assert bench.stalled or clocks <= COMMAND_CLOCKS, f"{map_name}[{which.hex()}]: {clocks} clocks"
    return None if got is None else halves(got)


async def every_packet_counts(bench, sent):
    """What the data plane made of all packets: nothing aborted or dropped, and each map says how many there were."""
    assert bench.verdicts.count(PASS) + bench.verdicts.count(REDIRECT) == len(sent)
    assert await reads(bench, "lanes", key(0)) == len(sent)
    for flow in FLOWS:
        assert await reads(bench, "sources", key(flow)) == sent.count(flow)
        assert await reads(bench, "states", key(flow)) == STATES[sent.count(flow)]
    await bench.counters_add_up()


@cocotb.test()
@cocotb.parametrize(stalls=[False, True])
async def routes(dut, stalls):
    """Routes come and go, and every packet finds one, whole."""
    bench = await start(dut, stalls)
    model = {ALL_FLOWS: 1}

    async def access():
        for _ in range(12):
            bits, flow = bench.random.choice([8, 13, 24, 32]), key(bench.random.choice(FLOWS))
            # A prefix has zeros behind its bits, as the kernel keeps it.
            flow = (int.from_bytes(flow, "big") >> (32 - bits) << (32 - bits)).to_bytes(4, "big")
            if (bits, flow) in model:
                await does(bench, "routes", "DELETE", prefix(bits, flow))
                del model[bits, flow]
            else:
                value = bench.random.getrandbits(64)
                await does(bench, "routes", "UPDATE", prefix(bits, flow), pair(value))
                model[bits, flow] = value
            asked = key(bench.random.choice(FLOWS))
            assert await reads(bench, "routes", prefix(32, asked)) == longest(model, asked)

    sent = await under_traffic(bench, access())
    await every_packet_counts(bench, sent)


@cocotb.test()
async def torn_routes_are_seen(dut):
    """The control of the test above: packets do look at both halves, and at the longest prefix."""
    bench = await start(dut)
    await does(bench, "routes", "UPDATE", prefix(32, key(3)), struct.pack("<QQ", 1, 2))
    bench.send([frame(flow) for flow in (2, 3, 4)])
    await bench.verdict_of_each(3)
    assert bench.verdicts == [PASS, ABORTED, PASS]


@cocotb.test()
@cocotb.parametrize(map_name=["sources", "states"], stalls=[False, True])
async def entries(dut, map_name, stalls):
    """The host's own entries come and go beside those that packets change, in a table that packets fill (LRU) and in
    one with a recurrence over several clocks; the packets' entries are seen whole and never go back."""
    bench = await start(dut, stalls)
    seen = [0 for _ in FLOWS]

    async def access():
        for step in range(16):
            other, value = key(100 + bench.random.randrange(1000)), bench.random.getrandbits(64)
            await does(bench, map_name, "DELETE", other, expected=MISSING)
            await does(bench, map_name, "UPDATE", other, pair(value))
            assert await reads(bench, map_name, other) == value
            flow = step % len(FLOWS)
            got = await reads(bench, map_name, key(flow))
            if got is not None:
                packets = got if map_name == "sources" else PACKETS_BEFORE[got]
                assert packets >= seen[flow], f"{map_name}[{flow}] went back"
                seen[flow] = packets
            await does(bench, map_name, "DELETE", other)
            assert await reads(bench, map_name, other) is None

    sent = await under_traffic(bench, access())
    await every_packet_counts(bench, sent)


@cocotb.test()
@cocotb.parametrize(stalls=[False, True])
async def devices(dut, stalls):
    """Packets are redirected to what the host wrote, in the order in which it wrote it."""
    bench = await start(dut, stalls)
    ports = 4
    history = [[None] for _ in range(ports)]

    async def access():
        for step in range(24):
            port, device = bench.random.randrange(ports), 1 + step
            if history[port][-1] is not None and step % 3 == 0:
                await does(bench, "ports", "DELETE", key(port))
                history[port].append(None)
            else:
                await does(bench, "ports", "UPDATE", key(port), struct.pack("<I", device))
                history[port].append(device)

    sent = await under_traffic(bench, access())
    left = bench.received()
    assert len(left) == len(sent)
    at = [0] * ports
    for flow, (data, verdict, (where, device)) in zip(sent, left, strict=True):
        assert data[14:18] == key(flow), "the order of the packets"
        port = flow % ports
        device = device if (verdict, where) == (REDIRECT, 1) else None
        assert device in history[port][at[port] :], f"port {port}: {device} is not what was written, or was before"
        at[port] = history[port].index(device, at[port])
    assert any(at), "no packet saw a change"
    await every_packet_counts(bench, sent)


@cocotb.test()
async def counters_of_all_packets(dut):
    """A counter that every packet adds to is read whole, never goes back, and takes what the host writes."""
    bench = await start(dut)
    seen = []

    async def access():
        for _ in range(40):
            seen.append(await reads(bench, "lanes", key(0)))

    sent = await under_traffic(bench, access())
    assert seen == sorted(seen) and seen[0] < seen[-1]
    await every_packet_counts(bench, sent)
    await does(bench, "lanes", "UPDATE", key(0), pair(1 << 40))
    bench.send([bytes(60)] * 3)
    await bench.verdict_of_each(len(sent) + 3)
    assert await reads(bench, "lanes", key(0)) == (1 << 40) + 3
