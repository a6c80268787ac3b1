"""The FIFO between two clocks: order, room and resets, with each side in a task that knows its own clock only."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

from bench import parameters


class Fifo:
    """Both sides of the block, out of reset; `periods` of the writing and the reading clock in ps."""

    def __init__(self, dut, periods):
        self.dut, self.parameters = dut, parameters()
        self.random = random.Random(str((self.parameters, periods)))
        self.stored = deque()
        self.pushed = self.popped = 0
        self.clocks = [Clock(dut.write_clk, periods[0], unit="ps"), Clock(dut.read_clk, periods[1], unit="ps")]

    @classmethod
    async def start(cls, dut, periods, phase=0):
        fifo = cls(dut, periods)
        dut.push.value = dut.data_in.value = dut.pop.value = 0
        dut.write_rst.value = dut.read_rst.value = 0
        fifo.clocks[0].start()
        if phase:
            await Timer(phase, unit="ps")
        fifo.clocks[1].start()
        await fifo.reset()
        return fifo

    async def reset(self):
        """Both resets together, for three edges of each clock; what was inside is gone."""
        self.dut.write_rst.value = self.dut.read_rst.value = 1
        for clock in (self.dut.write_clk, self.dut.read_clk):
            for _ in range(4):
                await RisingEdge(clock)
        self.dut.write_rst.value = 0
        await RisingEdge(self.dut.read_clk)
        self.dut.read_rst.value = 0
        await RisingEdge(self.dut.write_clk)
        await RisingEdge(self.dut.read_clk)
        self.stored.clear()

    async def write(self, words, share):
        """Pushes so many words, in this share of the clocks in which there is room."""
        dut = self.dut
        while words:
            await FallingEdge(dut.write_clk)
            push = int(dut.ready.value) and self.random.random() < share
            dut.push.value = push
            if push:
                word = self.random.getrandbits(self.parameters["width"])
                dut.data_in.value = word
                self.stored.append(word)
                words -= 1
                self.pushed += 1
                assert len(self.stored) <= self.parameters["depth"] + 1
        await FallingEdge(dut.write_clk)
        dut.push.value = 0

    async def read(self, words, share):
        """Pops so many words, in this share of the clocks in which there is one."""
        dut = self.dut
        while words:
            await FallingEdge(dut.read_clk)
            valid = int(dut.valid.value)
            if valid:
                assert int(dut.data_out.value) == self.stored[0]
            pop = valid and self.random.random() < share
            dut.pop.value = pop
            if pop:
                await RisingEdge(dut.read_clk)
                self.stored.popleft()
                words -= 1
                self.popped += 1
        await FallingEdge(dut.read_clk)
        dut.pop.value = 0


@cocotb.test()
@cocotb.parametrize(periods=[(4000, 4000), (6000, 4000), (4000, 6000), (7000, 5000), (1000, 17000)], share=[0.3, 1.0])
async def words_come_out_in_order(dut, periods, share):
    fifo = await Fifo.start(dut, periods, phase=500)
    writing = cocotb.start_soon(fifo.write(200, share))
    await fifo.read(200, 1.3 - share)
    await writing
    assert not fifo.stored


@cocotb.test()
async def a_clock_that_stops_loses_nothing(dut):
    """While nobody reads it takes a word more than its depth, and gives all of them when the clock comes back."""
    fifo = await Fifo.start(dut, (4000, 5000))
    depth = fifo.parameters["depth"]
    writing = cocotb.start_soon(fifo.write(depth + 1, 1.0))
    await writing
    for _ in range(8):
        await FallingEdge(dut.write_clk)
        assert not int(dut.ready.value), "it is full"
    fifo.clocks[0].stop()
    await fifo.read(depth + 1, 1.0)
    for _ in range(8):
        await FallingEdge(dut.read_clk)
        assert not int(dut.valid.value), "it is empty"
    fifo.clocks[1].stop()
    await Timer(100, unit="ns")
    for clock in fifo.clocks:
        clock.start()
    writing = cocotb.start_soon(fifo.write(3 * depth, 0.7))
    await fifo.read(3 * depth, 0.7)
    await writing


@cocotb.test()
async def a_reset_of_both_sides_empties_it(dut):
    fifo = await Fifo.start(dut, (5000, 7000), phase=1300)
    depth = fifo.parameters["depth"]
    await fifo.write(depth, 1.0)
    await fifo.reset()
    for _ in range(8):
        assert not int(dut.valid.value)
        await FallingEdge(dut.read_clk)
    writing = cocotb.start_soon(fifo.write(2 * depth, 1.0))
    await fifo.read(2 * depth, 1.0)
    await writing
