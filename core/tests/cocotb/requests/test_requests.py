"""Requests: maps are as if packets came one at a time, in the order of their arrival."""

import cocotb

from bench import UPDATE
from maps import MOST, SESSIONS, SUMS, TABLE
from processor import ALL_IN_ORDER, Processor
from programs import KEYS


@cocotb.test()
@cocotb.parametrize(taken=[1.0, 0.1], stores=[0.0, 0.3])
async def packets_do_not_see_each_other(dut, taken, stores):
    processor = await Processor.start(dut)
    for _ in range(2):
        processor.set_up(adds=True, loads=True, taken=taken, stores=stores)
        await processor.run(1000 + 8000 // processor.threads)
        await processor.compare()
    counts = processor.counts
    assert processor.left > 30 and min(counts["changes"], counts["restarts"], counts["full logs"]) > 0
    assert bool(stores) == bool(counts["parks"])


@cocotb.test()
@cocotb.parametrize(taken=[1.0, 0.1])
async def programs_follow_each_other(dut, taken):
    """One adds to sums that only the next one reads, who is told of them before another packet leaves; a third one does both, in order."""
    processor = await Processor.start(dut)
    programs = [dict(adds=True), dict(loads=True), dict(adds=True, loads=True, ordered=ALL_IN_ORDER)]
    restarts = []
    for _ in range(3):
        before = processor.counts["restarts"]
        for program in programs:
            await processor.change_program(taken=taken, **program)
            await processor.run(300)
        restarts.append(processor.counts["restarts"] - before)
        await processor.compare()
    assert processor.left > 30 and any(restarts)


@cocotb.test()
async def additions_leave_alone_who_has_looked_at_much(dut):
    """Nobody sees them: so they make nobody begin again who may have written its bytes since."""
    processor = await Processor.start(dut)
    processor.set_up(adds=True, moods=["looks", "adds"], stores=1.0, leaves=1.0)
    await processor.run(1500)
    await processor.compare()
    assert processor.counts["overflows"] and not processor.counts["restarts"]


@cocotb.test()
async def answers_wait_as_long_as_they_must(dut):
    """Nobody takes any, until nothing moves; then all come, and none is lost."""
    processor = await Processor.start(dut)
    for _ in range(4):
        processor.set_up(adds=True, loads=True, stores=0)
        await processor.run(300)
        processor.taken = 0
        await processor.run(300)
        left = processor.left
        await processor.run(100)
        states = {packet.state for packet in processor.packets.values()}
        assert processor.left == left and "waits" in states and states <= {"waits", "over"}
    processor.taken = 1
    await processor.compare()


@cocotb.test()
async def a_map_becomes_empty_alone(dut):
    processor = await Processor.start(dut)
    for slot in SESSIONS, TABLE, SUMS:
        processor.set_up(adds=True)
        await processor.run(400)
        await processor.empty()
        for key in KEYS[: MOST[SESSIONS]] if slot == SESSIONS else range(MOST[slot]):
            value = processor.random.getrandbits(64)
            answer, _ = await processor.host(slot, UPDATE, key, value)
            processor.maps.put(slot, key, answer, value)
        await processor.compare()
        await processor.clear(slot)
        await processor.compare()
