"""The replay FIFO: order, words that come again, when nothing is in between, latency, one word a clock."""

from collections import deque

import cocotb

from bench import Bench

IDLE = {"push": 0, "data_in": 0, "pop": 0, "retire": 0, "rewind": 0}


class Model:
    """A word is on the output from two clocks after its push and after the last rewind on."""

    def __init__(self):
        # Clock of the push and word, the oldest that is not retired first; so many of them were popped.
        self.words, self.popped = deque(), 0
        self.now, self.shows_from = 0, 0

    def head(self):
        if self.popped == len(self.words):
            return None
        pushed, word = self.words[self.popped]
        return word if self.now >= max(self.shows_from, pushed + 2) else None

    async def step(self, bench, push=None, pop=False, retire=False, rewind=False):
        valid, out, idle = await bench.step(
            "valid", "data_out", "idle",
            push=push is not None, data_in=push or 0, pop=pop, retire=retire, rewind=rewind,
        )  # fmt: skip
        assert valid == (self.head() is not None)
        assert not valid or out == self.head()
        assert idle == (self.popped == 0)
        self.popped += pop
        if retire:
            self.words.popleft()
            self.popped -= 1
        if rewind:
            self.popped, self.shows_from = 0, self.now + 2
        if push is not None:
            self.words.append((self.now, push))
        self.now += 1


@cocotb.test()
@cocotb.parametrize(pushes=[0.2, 1.0], pops=[0.2, 1.0], retires=[0.2, 1.0], rewinds=[0.0, 0.05])
async def words_come_out_in_order_and_again(dut, pushes, pops, retires, rewinds):
    bench, model = await Bench.start(dut, **IDLE), Model()
    depth, width = bench.parameters["depth"], bench.parameters["width"]
    again = 0
    for _ in range(400):
        room = len(model.words) < depth
        rewind = bench.happens(rewinds)
        again += model.popped * rewind
        await model.step(
            bench,
            push=bench.random.getrandbits(width) if room and bench.happens(pushes) else None,
            pop=not rewind and model.head() is not None and bench.happens(pops),
            retire=not rewind and model.popped > 0 and bench.happens(retires),
            rewind=rewind,
        )
    assert again or not rewinds


@cocotb.test()
async def all_of_a_full_fifo_comes_again(dut):
    bench, model = await Bench.start(dut, **IDLE), Model()
    depth = bench.parameters["depth"]
    for number in range(depth):
        await model.step(bench, push=number % 2)
    await model.step(bench)
    for _ in range(3):
        for _ in range(depth):
            await model.step(bench, pop=True)
        await model.step(bench, rewind=True)
        await model.step(bench)
    bench.set(**IDLE)
    await bench.reset()
    model = Model()
    await model.step(bench, push=1)
    await model.step(bench)
    await model.step(bench, pop=True)
    await model.step(bench, retire=True)
    await model.step(bench)
