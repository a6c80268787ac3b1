"""A reset in the middle of traffic: everything under way is gone, the maps are clear, and what comes later is right."""

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from bench import Bench
from traffic import ethernet


@cocotb.test()
async def traffic_is_right_after_a_reset(dut):
    bench = await Bench.start(dut)
    bench.stall()
    for _ in range(8):
        bench.send(ethernet(bench.random, 200, shortest=64))
        # In the middle of a frame, and of a frame that leaves.
        await ClockCycles(dut.clk, bench.random.randint(20, 400))
        while not (dut.s_axis_tvalid.value == 1 and dut.s_axis_tlast.value == 0):
            await RisingEdge(dut.clk)
        assert bench.verdicts, "the reset comes in the middle of traffic"
        await bench.reset()
        await bench.counters_add_up()
        assert dut.m_axis_tvalid.value == 0
        packets = ethernet(bench.random, 30, shortest=64)
        bench.send(packets)
        await bench.verdict_of_each(len(packets))
        # With empty maps the programs that this is for leave such packets as they are.
        assert [packet for packet, _, _ in bench.received()] == packets
        await bench.counters_add_up()


@cocotb.test()
async def a_reset_clears_the_maps(dut):
    bench = await Bench.start(dut)
    name = min(bench.maps)
    entry = bench.maps[name]
    key, value = bytes(entry["key_bytes"]), b"\x05" + bytes(entry["value_bytes"] - 1)
    before, _ = await bench.lookup(name, key)
    assert (await bench.command(name, "UPDATE", key, value))[0] == 0
    assert (await bench.lookup(name, key))[0] == value
    bench.send(ethernet(bench.random, 100, shortest=64))
    await ClockCycles(dut.clk, 100)
    await bench.reset()
    assert (await bench.lookup(name, key))[0] == before
