"""The exit for moved packets: bytes from where a packet begins to where it ends, bytes in front, order, fates, latency,
clocks."""

import cocotb

from stream import Exit, Way, resets_amid_traffic

# So far before the place where it came in a packet may begin, without what is in front.
HEADROOM = 216


class Move:
    """Where a packet begins and ends, what is in front, and what is zeros."""

    def __init__(self, bench, length, start=None):
        parameters, pick = bench.parameters, bench.random
        self.start = pick.choice(parameters["starts"] or range(-HEADROOM, 40)) if start is None else start
        # Behind what is in front there is junk.
        self.front = pick.randbytes(max(parameters["fronts"]))
        self.front_length = pick.choice(parameters["fronts"])
        self.first = self.start - self.front_length
        self.end = self.keep = length
        if parameters["grows"]:
            self.end = self.start + pick.randint(14, 200)
            self.keep = min(self.start + pick.randint(14, 100), self.end, length)
        elif parameters["has_end"]:
            self.end = pick.randint(self.start + 14, length)

    def inputs(self, ports):
        values = {
            "from": self.first & 0xFFFF,
            "end": self.end & 0xFFFF,
            "keep": self.keep & 0xFFFF,
            "front": int.from_bytes(self.front, "little"),
            "front_length": self.front_length,
        }
        return {port: values[port.removeprefix("result_")] for port in ports}

    def apply(self, data, written):
        """The bytes that leave."""

        def byte(offset):
            came_in = data[offset] if 0 <= offset < min(self.keep, len(data)) else 0
            return written.get(offset, came_in)

        return self.front[: self.front_length] + bytes(map(byte, range(self.start, self.end)))

    def clocks(self, beat):
        """One that begins behind offset 0 takes as many as the beats that it lies in, else as those that it becomes."""
        if self.first > 0:
            return (self.end - 1) // beat - self.first // beat + 1
        return -(-(self.end - self.first) // beat)


def give(bench, length, sends=None, start=None):
    """A packet with its result; `sends`: whether it leaves, once."""
    data = bench.random.randbytes(length)
    inputs, written = bench.overlays()
    inputs["result_length"] = length

    def way():
        move = Move(bench, length, start)
        return Way(move.apply(data, written), move.clocks(bench.beat), move.inputs(bench.parameters["ports"]))

    bench.give(data, inputs, way, sends)


def give_some(bench, packets=30):
    for _ in range(packets):
        give(bench, bench.random.randint(60, 200))


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5], stalls=[0.0, 0.3, 0.7])
async def moved_packets_leave(dut, gaps, stalls):
    bench = await Exit.start(dut, result_valid=0)
    give_some(bench)
    clocks = await bench.run(gaps, stalls)
    # A result is made ready in one clock more.
    assert gaps or stalls or clocks == bench.needed + 1


@cocotb.test()
async def packets_leave_from_every_place(dut):
    """Each place where packets may begin, with lengths that end them in each lane."""
    bench = await Exit.start(dut, result_valid=0)
    starts = bench.parameters["starts"] or range(-HEADROOM, 40, 5)
    lengths = range(60, 60 + bench.beat, 3)
    for number in range(max(len(starts), len(lengths))):
        give(bench, lengths[number % len(lengths)], True, starts[number % len(starts)])
    assert await bench.run() == bench.needed + 1


@cocotb.test()
async def the_first_beat_is_soon_out(dut):
    bench = await Exit.start(dut, result_valid=0)
    for _ in range(5):
        give(bench, 60, sends=True)
        bench.first_beat = None
        since = bench.now
        await bench.run()
        assert bench.first_beat == since + 2 + bench.parameters["more_clocks"]


@cocotb.test()
async def a_reset_forgets_everything(dut):
    await resets_amid_traffic(dut, give_some)
