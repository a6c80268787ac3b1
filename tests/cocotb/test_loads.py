"""Programs that are loaded into a core while packets come in at line rate."""

import os
from pathlib import Path

import cocotb
from cocotb.triggers import ClockCycles

from bench import Bench
from common import TX

# Registers that only processors have.
REGISTERS = {"LOAD": 0x400, "LOAD_CLOCKS": 0x404, "LOAD_BEFORE": 0x408}
# Clocks until a program runs, where nothing is to be cleared for it.
SWITCH_CLOCKS = 200
WAITS, WRONG, RUNS, OLD = 2, 4, 8, 32
PACKETS = 350


def writes(load):
    """The writes of a load: address and data."""
    lines = (Path(os.environ["HARDPATH_EXPECTED"]) / f"{load}.txt").read_text().split("\n")
    return [tuple(int(part, 16) for part in line.split()) for line in lines if line]


async def write_all(bench, load):
    """Carries them out, those to addresses behind each other at once; gives the clocks."""
    since = bench.clocks
    rest = writes(load)
    while rest:
        count = 1
        while count < len(rest) and rest[count][0] == rest[0][0] + 4 * count:
            count += 1
        data = b"".join(word.to_bytes(4, "little") for _, word in rest[:count])
        answer = await bench.host.write(rest[0][0], data)
        assert answer.resp == 0
        rest = rest[count:]
    return bench.clocks - since


async def status(bench):
    return await bench.register("LOAD") & 0x3F


async def started(dut, stalls):
    """With the first program running, behind which all loads of these tests are."""
    bench = await Bench.start(dut)
    bench.registers |= {name: {"offset": offset, "bits": 32} for name, offset in REGISTERS.items()}
    await write_all(bench, "reset")
    await ClockCycles(dut.clk, 600)
    assert await status(bench) == RUNS
    if stalls:
        bench.stall(0.2)
    return bench


def frames(count, first=0):
    return [bytes(4) + (first + number).to_bytes(4, "little") + bytes(52) for number in range(count)]


async def settled(bench):
    """No packet of a program before is inside."""
    for _ in range(5000):
        if await status(bench) & (OLD | WAITS) == 0:
            return
    said = await status(bench)
    raise AssertionError(f"packets of the program before do not leave: status {said}, {len(bench.verdicts)} verdicts")


def check(bench, count, runs):
    """All came out in their order, each run by one program: `runs` has the program, and how many packets entered before it."""
    received = bench.received()
    assert len(received) == count
    for number, (data, verdict, _) in enumerate(received):
        mark = [mark for mark, before in runs if before <= number][-1]
        assert data[:2] == bytes([mark, mark]), f"packet {number}: {data[:2]}, {runs}"
        assert int.from_bytes(data[4:8], "little") == number
        assert verdict == TX


@cocotb.test()
@cocotb.parametrize(stalls=[False, True])
async def each_packet_is_run_by_one_program(dut, stalls):
    bench = await started(dut, stalls)
    bench.send(frames(PACKETS))
    await ClockCycles(dut.clk, 800)
    clocks = await write_all(bench, "second")
    words = len(writes("second"))
    assert stalls or clocks < 1.2 * words + 40, f"{words} writes take {clocks} clocks"
    await ClockCycles(dut.clk, 4)
    assert await bench.register("LOAD_CLOCKS") <= SWITCH_CLOCKS
    assert await status(bench) == RUNS | OLD
    # Old packets run on in the other bank: another load is refused, and changes nothing.
    await write_all(bench, "third")
    assert await status(bench) & WRONG
    await settled(bench)
    first = await bench.register("LOAD_BEFORE")
    assert 20 < first < PACKETS - 100
    await write_all(bench, "third")
    await ClockCycles(dut.clk, 4)
    assert await bench.register("LOAD_CLOCKS") <= SWITCH_CLOCKS
    await settled(bench)
    second = await bench.register("LOAD_BEFORE")
    assert first < second < PACKETS, f"{first} {second}"
    await bench.verdict_of_each(PACKETS)
    check(bench, PACKETS, [(1, 0), (2, first), (3, second)])
    # The map that all have was kept: it stands in the slot of its size.
    value, _ = await bench.lookup("slot_0", (3).to_bytes(4, "little"))
    assert int.from_bytes(value, "little") == PACKETS


@cocotb.test()
async def the_entrance_closes_for_maps_that_become_empty(dut):
    bench = await started(dut, False)
    bench.send(frames(PACKETS))
    await ClockCycles(dut.clk, 800)
    await write_all(bench, "second")
    await settled(bench)
    first = await bench.register("LOAD_BEFORE")
    await write_all(bench, "cleared")
    await settled(bench)
    second = await bench.register("LOAD_BEFORE")
    await bench.verdict_of_each(PACKETS)
    check(bench, PACKETS, [(1, 0), (2, first), (1, second)])
    value, _ = await bench.lookup("slot_0", (3).to_bytes(4, "little"))
    assert int.from_bytes(value, "little") == PACKETS - second


@cocotb.test()
async def what_is_broken_off_or_altered_changes_nothing(dut):
    bench = await started(dut, False)
    bench.send(frames(PACKETS))
    await ClockCycles(dut.clk, 300)
    good = writes("second")
    for number in range(1, len(good), 9):
        await bench.host.write(good[0][0], good[0][1].to_bytes(4, "little"))
        for at, (address, word) in enumerate(good[1 : number + 2], 1):
            word ^= 1 << (number % 32) if at == number else 0
            await bench.host.write(address, word.to_bytes(4, "little"))
        assert await status(bench) & ~WRONG in (RUNS, RUNS | 1)
    await write_all(bench, "second")
    await settled(bench)
    before = await bench.register("LOAD_BEFORE")
    await bench.verdict_of_each(PACKETS)
    check(bench, PACKETS, [(1, 0), (2, before)])
