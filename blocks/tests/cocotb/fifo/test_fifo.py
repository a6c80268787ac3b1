"""The FIFO: order, room, latency, one word a clock."""

from collections import deque

import cocotb

from bench import Bench


class Model:
    """A word that is pushed in clock t can be popped from clock t + 2 on."""

    def __init__(self):
        self.stored, self.head = deque(), None

    def clock(self, push, pop):
        if pop:
            self.head = None
        if self.head is None and self.stored:
            self.head = self.stored.popleft()
        if push is not None:
            self.stored.append(push)


async def step(bench, model, push, pop):
    valid, out = await bench.step(
        "valid", "data_out", push=push is not None, data_in=push or 0, pop=pop
    )  # fmt: skip
    assert valid == (model.head is not None)
    assert not valid or out == model.head
    model.clock(push, pop)


@cocotb.test()
@cocotb.parametrize(pushes=[0.1, 0.5, 1.0], pops=[0.1, 0.5, 1.0])
async def words_come_out_in_order(dut, pushes, pops):
    bench, model = await Bench.start(dut, push=0, data_in=0, pop=0), Model()
    for _ in range(300):
        room = len(model.stored) < bench.parameters["depth"]
        push = bench.random.getrandbits(bench.parameters["width"]) if room and bench.happens(pushes) else None
        await step(bench, model, push, model.head is not None and bench.happens(pops))


@cocotb.test()
async def a_full_fifo_passes_one_word_a_clock(dut):
    """The head is a register of its own: depth + 1 words fit. A reset empties it."""
    bench, model = await Bench.start(dut, push=0, data_in=0, pop=0), Model()
    depth, width = bench.parameters["depth"], bench.parameters["width"]
    for number in range(depth + 1):
        await step(bench, model, number % 2, False)
    assert len(model.stored) == depth
    await step(bench, model, None, True)
    for number in range(4 * depth):
        await step(bench, model, bench.random.getrandbits(width), True)
    bench.set(push=0, pop=0)
    await bench.reset()
    model = Model()
    for _ in range(3):
        await step(bench, model, None, False)
    await step(bench, model, 1, False)
    await step(bench, model, None, False)
    await step(bench, model, None, True)
    await step(bench, model, None, False)
