"""The repeater: who gets a packet, how often, in which order and when, with exits of any speed."""

import cocotb
from cocotb.triggers import Timer

from bench import Bench

NOBODY = "nobody"
# A packet that goes to no list, where none of these has an index.
SOMEWHERE = "somewhere"


class Packet:
    """A result at the head, and what the exit must get for it: destinations, or nobody once.

    `number`: of the list that it goes to; `not_back`: by list, not to where it came in."""

    def __init__(self, lists, index, not_back, ingress=1, number=None):
        self.lists, self.index, self.not_back, self.ingress = lists, index, not_back, ingress
        self.number, self.is_broadcast, self.left_out = number, number is not None, 0
        self.expected = [index]
        if self.is_broadcast:
            excludes = not_back[number]
            self.expected = [device for device in lists[number] if not excludes or device != ingress] or [NOBODY]
            self.left_out = lists[number].count(ingress) if excludes else 0


class Stage:
    """The repeater between results and an exit, with lists that show a device in the clock after they are read."""

    @classmethod
    async def start(cls, dut):
        stage = cls()
        stage.bench = await Bench.start(dut, result_valid=0, taken=0)
        stage.random, stage.happens = stage.bench.random, stage.bench.happens
        stage.list_bits, stage.has_index = (stage.bench.parameters[name] for name in ("lists", "has_index"))
        stage.shown = [0 for _ in stage.list_bits]
        return stage

    def some_lists(self):
        """Few devices, so that they are often the one at which the packet came in."""
        lengths = [self.random.randint(0, 1 << bits) for bits in self.list_bits]
        return [[self.random.randrange(6) for _ in range(length)] for length in lengths]

    def broadcast(self, number, lists=None, ingress=1, excludes=False):
        """To all devices of a list. What is said of the other lists means nothing, and no more does the index."""
        not_back = self.some_bits()
        not_back[number] = excludes
        return Packet(lists or self.some_lists(), self.random.randrange(6), not_back, ingress, number)

    def single(self, index, lists=None):
        """To none."""
        index = index if self.has_index else SOMEWHERE
        return Packet(lists or self.some_lists(), index, self.some_bits())

    def some_bits(self):
        return [self.happens(0.5) for _ in self.list_bits]

    def some_packet(self):
        if self.happens(0.4):
            return self.single(self.random.choice([0, 1, 7, self.random.getrandbits(32)]))
        number = self.random.randrange(len(self.list_bits))
        return self.broadcast(number, ingress=self.random.randrange(6), excludes=self.happens(0.5))

    def show(self, packet, **inputs):
        """A result on the ports."""
        for number, not_back in enumerate(packet.not_back):
            inputs[f"each_{number}"], inputs[f"not_back_{number}"] = number == packet.number, not_back
        if self.has_index:
            inputs["result_index"] = packet.index
        self.bench.set(ingress=packet.ingress, **inputs)

    async def absent(self):
        """A clock without a result; what stands on the other ports means nothing."""
        bench = self.bench
        number = self.random.randrange(len(self.list_bits))
        self.show(self.broadcast(number), taken=0, result_valid=0)
        await bench.settle()
        assert not bench.get("valid") and not bench.get("pop") and not bench.get(f"read_{number}")
        await bench.edge()

    async def clock(self, packet, ready):
        """One clock with the packet at the head. What the exit is given; whether it comes again, is taken, popped."""
        bench = self.bench
        self.show(packet, result_valid=1, taken=0)
        for number, devices in enumerate(packet.lists):
            bench.set(**{f"count_{number}": len(devices), f"device_{number}": self.shown[number]})
        await bench.settle()
        valid = bench.get("valid")
        bench.set(taken=valid and ready)
        await Timer(1, unit="ns")
        assert bench.get("valid") == valid
        given = NOBODY if bench.get("nobody") else bench.get("destination")
        if given != NOBODY and packet.index == SOMEWHERE:
            given = SOMEWHERE
        again, pop = bench.get("again"), bench.get("pop")
        asked = [number for number in range(len(packet.lists)) if bench.get(f"read_{number}")]
        for number in asked:
            self.shown[number] = packet.lists[number][bench.get(f"index_{number}")]
        await bench.edge()
        return given if valid else None, again, valid and ready, pop

    async def deliver(self, packet, ready=1.0):
        """Until the exit has got the packet. In each clock, whether it got a copy."""
        got, waiting, clocks = 0, 0, []
        was_given = False
        for _ in range(10_000):
            given, again, taken, pop = await self.clock(packet, self.happens(ready))
            clocks.append(taken)
            if given is None:
                assert not pop and not was_given, "what is given stays until it is taken"
                waiting += 1
                assert packet.is_broadcast and waiting <= 2 + packet.left_out
                continue
            last = got + 1 == len(packet.expected)
            assert (given, again) == (packet.expected[got], not last), f"copy {got} of {packet.expected}"
            assert pop == (taken and last)
            # A device is known two clocks after the packet; then no clock is lost but for those that are left out.
            assert given == NOBODY or waiting >= 2 * packet.is_broadcast
            got, was_given = got + taken, not taken
            if pop:
                return clocks
        raise AssertionError("the packet does not leave")


@cocotb.test()
@cocotb.parametrize(there=[0.4, 1.0], ready=[0.2, 0.7, 1.0])
async def each_packet_goes_where_it_must(dut, there, ready):
    stage = await Stage.start(dut)
    for _ in range(50):
        while not stage.happens(there):
            await stage.absent()
        await stage.deliver(stage.some_packet(), ready)


@cocotb.test()
async def copies_follow_without_a_gap(dut):
    """Two clocks until the first copy, then one a clock; a packet for one destination takes one clock."""
    stage = await Stage.start(dut)
    for number, bits in enumerate(stage.list_bits):
        for length in {1, 2, (1 << bits) - 1, 1 << bits} - {0}:
            lists = [[9] for _ in stage.list_bits]
            lists[number] = list(range(100, 100 + length))
            for _ in range(2):
                for excludes in (False, True):
                    clocks = await stage.deliver(stage.broadcast(number, lists, ingress=9, excludes=excludes))
                    assert clocks == [False] * 2 + [True] * length
                assert await stage.deliver(stage.single(3, lists)) == [True]


@cocotb.test()
async def a_reset_forgets_the_copies(dut):
    """In each clock of a packet; what comes then is whole."""
    stage = await Stage.start(dut)
    last = len(stage.list_bits) - 1
    devices = [20 + number for number in range(1 << stage.list_bits[last])]
    lists = [[9] for _ in stage.list_bits[:-1]] + [devices]
    for clocks in range(len(devices) + 2):
        for _ in range(clocks):
            await stage.clock(stage.broadcast(last, lists), ready=True)
        stage.bench.set(result_valid=0, taken=0)
        await stage.bench.reset(clocks=1)
        await stage.absent()
        await stage.deliver(stage.broadcast(last, lists))
