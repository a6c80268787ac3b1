"""Adders and comparers: random pairs, neighbours, carries of every length, the ends."""

import random

import cocotb
from cocotb.triggers import Timer

from bench import parameters

PARAMETERS = parameters()
FUNCTIONS = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a < b": lambda a, b: int(a < b),
    "a <= b": lambda a, b: int(a <= b),
}


async def check(dut, pairs):
    """There is no clock in them: the result follows the inputs."""
    function, most = PARAMETERS["function"], (1 << PARAMETERS["width"]) - 1
    output = dut.holds if "<" in function else dut.sum
    for a, b in pairs:
        dut.a.value, dut.b.value = a, b
        await Timer(1, unit="ns")
        assert int(output.value) == FUNCTIONS[function](a, b) & most, f"{function}: {a:#x}, {b:#x}"


@cocotb.test()
async def numbers_at_random(dut):
    width = PARAMETERS["width"]
    most, generator, pairs = (1 << width) - 1, random.Random(width), []
    for _ in range(200):
        a, place = generator.getrandbits(width), generator.randrange(width)
        # The second one: any, equal, one bit beside; then a sum of all ones, and one bit beside that.
        others = [generator.getrandbits(width), a, a ^ 1 << place, a ^ most, a ^ most ^ 1 << place]
        pairs += [(a, other) for other in others]
    await check(dut, pairs)


@cocotb.test()
async def carries_of_every_length(dut):
    """From each place up to the top, and one that ends at each place."""
    width = PARAMETERS["width"]
    most = (1 << width) - 1
    ends = [0, 1, most, most ^ 1, 1 << width - 1, most >> 1]
    pairs = [(a, b) for a in ends for b in ends]
    for place in range(width):
        bit = 1 << place
        for a, b in [(most, bit), (bit, most), (most ^ bit, bit), (bit - 1, 1), (bit, 1), (bit, bit - 1), (0, bit)]:
            pairs += [(a, b), (b, a)]
    await check(dut, [(a & most, b & most) for a, b in pairs])
