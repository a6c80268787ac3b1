"""A block under test, clock by clock."""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge


# Commands of the host on a map.
LOOKUP, UPDATE, DELETE, DUMP = 1, 2, 3, 4
# What comes of an operation.
DONE, MISSING, FULL, EXISTS, BAD_INDEX, REFUSED = range(6)
# What an update may do.
NOTHING, CREATE, REPLACE, PUT = range(4)


def parameters():
    """What the block was built with."""
    return json.loads(Path(os.environ["HARDPATH_CASE"]).read_text())["parameters"]


class Bench:
    """A block with its clock; all inputs are 0.

    `step` sets inputs behind a rising edge and gives the outputs as they stand before the next.
    """

    def __init__(self, dut):
        self.dut = dut
        # Ports by their names, and what inputs were set to last: most of the time of a run would go into looking for the ones and
        # into writing the others again.
        self.ports, self.driven = {}, {}
        self.parameters = parameters()
        self.random = random.Random(str(self.parameters))

    @classmethod
    async def start(cls, dut, **inputs):
        """Out of reset; `inputs` are the values of the inputs until they are set."""
        bench = cls(dut)
        bench.set(**inputs)
        cocotb.start_soon(Clock(dut.clk, 4, unit="ns").start())
        await bench.reset()
        return bench

    async def reset(self, clocks=3):
        self.set(rst=1)
        for _ in range(clocks):
            await RisingEdge(self.dut.clk)
        self.set(rst=0)

    def port(self, name):
        if name not in self.ports:
            self.ports[name] = getattr(self.dut, name)
        return self.ports[name]

    def set(self, **inputs):
        for name, value in inputs.items():
            if self.driven.get(name) != value:
                self.driven[name] = value
                self.port(name).value = value

    def get(self, name):
        """An output as it stands now."""
        return int(self.port(name).value)

    async def settle(self):
        """To the middle of the clock, where inputs that were set have reached the outputs."""
        await FallingEdge(self.dut.clk)

    async def edge(self):
        """To right behind the next rising edge."""
        await RisingEdge(self.dut.clk)

    async def step(self, *outputs, **inputs):
        """One clock with these inputs; the outputs of these names in it."""
        self.set(**inputs)
        await self.settle()
        values = [self.get(name) for name in outputs]
        await self.edge()
        return values[0] if len(values) == 1 else values

    def happens(self, share):
        """True in this share of the calls."""
        return self.random.random() < share
