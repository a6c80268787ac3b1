"""The copier: which copies leave, in which order, with what of their own and when, with exits of any speed."""

import cocotb

from bench import Bench

NOBODY = "nobody"


class Packet:
    """A result at the head: whether the packet itself leaves and each copy, and how; what the exit must get for it."""

    def __init__(self, wanted, sent):
        self.wanted, self.sent = wanted, sent
        self.expected = [number for number, leaves in enumerate(wanted) if leaves] or [NOBODY]

    def inputs(self):
        inputs = {"forwarded": self.wanted[0], **self.sent[0]}
        for number in range(1, len(self.wanted)):
            inputs[f"copy_{number}_when"] = self.wanted[number]
            inputs |= {f"copy_{number}_{name}": value for name, value in self.sent[number].items()}
        return inputs


class Stage:
    """The copier between results and an exit."""

    @classmethod
    async def start(cls, dut):
        stage = cls()
        stage.bench = await Bench.start(dut, result_valid=0, taken=0)
        stage.random, stage.happens = stage.bench.random, stage.bench.happens
        stage.widths, copies = (stage.bench.parameters[name] for name in ("sent", "copies"))
        stage.all = range(copies + 1)
        return stage

    def some_packet(self, wanted=None):
        share = self.random.choice([0.1, 0.5, 0.9])
        wanted = wanted or [self.happens(share) for _ in self.all]
        sent = [{name: self.random.getrandbits(bits) for name, bits in self.widths.items()} for _ in self.all]
        return Packet(wanted, sent)

    async def absent(self):
        """A clock without a result; what stands on the other ports means nothing."""
        assert not await self.bench.step("pop", result_valid=0, taken=0, **self.some_packet().inputs())

    async def clock(self, packet, ready):
        """One clock with the packet at the head. Whether another one follows; whether it is popped; what is given."""
        names = [f"given_packet_{name}" for name in self.widths]
        nobody, again, pop, *given = await self.bench.step(
            "nobody", "again", "pop", *names, result_valid=1, taken=ready, **packet.inputs()
        )
        return again, pop, NOBODY if nobody else dict(zip(self.widths, given))

    async def deliver(self, packet, ready=1.0):
        """Until the exit has got the packet; the clocks that this takes. It is given in every one of them."""
        got, clocks = 0, 0
        while clocks < 10_000:
            taken = self.happens(ready)
            again, pop, given = await self.clock(packet, taken)
            number, last = packet.expected[got], got + 1 == len(packet.expected)
            assert given == (NOBODY if number == NOBODY else packet.sent[number]), f"{got} of {packet.expected}"
            assert (again, pop) == (not last, taken and last)
            got, clocks = got + taken, clocks + 1
            if pop:
                return clocks
        raise AssertionError("the packet does not leave")


@cocotb.test()
@cocotb.parametrize(there=[0.4, 1.0], ready=[0.2, 0.7, 1.0])
async def each_copy_leaves_once_and_in_order(dut, there, ready):
    stage = await Stage.start(dut)
    for _ in range(60):
        while not stage.happens(there):
            await stage.absent()
        await stage.deliver(stage.some_packet(), ready)


@cocotb.test()
async def copies_follow_without_a_gap(dut):
    """A clock for each that leaves, and one for a packet of which none does."""
    stage = await Stage.start(dut)
    for which in range(1 << len(stage.all)):
        wanted = [bool(which >> number & 1) for number in stage.all]
        assert await stage.deliver(stage.some_packet(wanted)) == max(1, sum(wanted))


@cocotb.test()
async def a_reset_forgets_which_have_left(dut):
    """In each clock of a packet; what comes then is whole."""
    stage = await Stage.start(dut)
    wanted = [True for _ in stage.all]
    for clocks in stage.all:
        packet = stage.some_packet(wanted)
        for _ in range(clocks):
            await stage.clock(packet, ready=True)
        stage.bench.set(result_valid=0, taken=0)
        await stage.bench.reset(clocks=1)
        await stage.absent()
        await stage.deliver(stage.some_packet(wanted))
