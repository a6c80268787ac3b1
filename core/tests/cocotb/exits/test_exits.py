"""Exits: packets leave in their order, each once, and as their programs say."""

import cocotb

from threads import Threads


@cocotb.test()
@cocotb.parametrize(ready=[1.0, 0.15], restarts=[0.0, 0.02])
async def packets_leave_as_their_programs_say(dut, ready, restarts):
    threads = await Threads.start(dut)
    for _ in range(3):
        threads.draw_lists()
        await threads.run(600, ready, restarts)
        await threads.empty(ready)
    assert threads.left == threads.entered > 30
    assert bool(threads.restarted) == bool(restarts)
