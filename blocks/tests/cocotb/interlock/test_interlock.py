"""The interlock: who waits, and for how many clocks; that nobody else does."""

import cocotb

from bench import Bench


class Gate:
    """The interlock with a head in front of it, beside a list of who entered and uses the map."""

    @classmethod
    async def start(cls, dut):
        gate = cls()
        gate.bench = await Bench.start(dut, head_uses=0, head_tag=0, enter=0)
        gate.random, gate.happens = gate.bench.random, gate.bench.happens
        gate.window, gate.for_all = gate.bench.parameters["window"], gate.bench.parameters["for_all"]
        gate.tag_bits = gate.bench.parameters["tag_bits"]
        gate.now, gate.entered = 0, []
        if gate.for_all is not None:
            gate.bench.set(head_waits_for_all=0)
        return gate

    async def step(self, tag, uses=True, for_all=False, ready=True):
        """One clock with this head, which enters when it may and is `ready`; whether it entered."""
        bench = self.bench
        bench.set(head_tag=tag, head_uses=uses, enter=0)
        if self.for_all is not None:
            bench.set(head_waits_for_all=for_all)
        await bench.settle()
        same = any(self.now - since <= self.window and other == tag for since, other in self.entered)
        some = for_all and any(self.now - since <= self.for_all for since, _ in self.entered)
        blocks = bench.get("blocks")
        assert blocks == (uses and (same or some)), f"tag {tag:#x}, inside {self.entered[-3:]}, clock {self.now}"
        enters = ready and not blocks
        bench.set(enter=enters)
        await bench.edge()
        if enters and uses:
            self.entered.append((self.now, tag))
        # Nobody looks farther back.
        self.entered = self.entered[-32:]
        self.now += 1
        return enters

    async def waits(self, tag, **head):
        """For so many clocks a head waits."""
        for clocks in range(64):
            if await self.step(tag, **head):
                return clocks
        raise AssertionError("the head waits for ever")

    async def empty(self):
        """Until nobody is inside."""
        for _ in range(max(self.window, self.for_all or 0) + 1):
            await self.step(0, uses=False, ready=False)


@cocotb.test()
@cocotb.parametrize(heads=[0.3, 1.0], ready=[0.4, 1.0])
async def heads_wait_exactly_for_those_inside(dut, heads, ready):
    gate = await Gate.start(dut)
    passed = waited = 0
    for clock in range(1000):
        if clock % 200 == 0:
            # Tags that often meet, and any.
            tags = [gate.random.getrandbits(gate.tag_bits) for _ in range(gate.random.choice([2, 4, 64]))]
        if not gate.happens(heads):
            await gate.step(gate.random.choice(tags), uses=gate.happens(0.5), ready=False)
            continue
        head = {"tag": gate.random.choice(tags), "uses": gate.happens(0.8)}
        head["for_all"] = gate.for_all is not None and gate.happens(0.2)
        # A head that need not wait may stay there all the same.
        while not await gate.step(**head, ready=gate.happens(ready)):
            waited += 1
        passed += 1
    assert passed > 200 and waited > 100, f"{passed} passed, {waited} clocks of waiting"


@cocotb.test()
async def a_head_waits_as_long_as_it_must(dut):
    gate = await Gate.start(dut)
    other = (1 << gate.tag_bits) - 1
    for first in (0, other):
        second = first ^ other
        expected = [
            ({"tag": first}, gate.window),
            ({"tag": first, "uses": False}, 0),
            *(({"tag": first ^ 1 << bit}, 0) for bit in range(gate.tag_bits)),
        ]
        if gate.for_all is not None:
            expected.append(({"tag": second, "for_all": True}, gate.for_all))
            expected.append(({"tag": first, "for_all": True}, max(gate.for_all, gate.window)))
            expected.append(({"tag": second, "for_all": True, "uses": False}, 0))
        for head, clocks in expected:
            await gate.empty()
            assert await gate.waits(first) == 0
            assert await gate.waits(**head) == clocks, f"{head} behind {first:#x}"
            # Who does not use the map is in nobody's way.
            await gate.empty()
            assert await gate.waits(first, uses=False) == 0
            assert await gate.waits(**head) == 0


@cocotb.test()
async def different_tags_pass_one_a_clock(dut):
    """Equal ones pass once in the window and a clock."""
    gate = await Gate.start(dut)
    for number in range(100):
        assert await gate.step(number % (1 << gate.tag_bits))
    for number in range(100):
        assert await gate.step(1, uses=False)
    for number in range(100):
        assert await gate.step(1) == (number % (gate.window + 1) == 0)


@cocotb.test()
async def a_reset_empties_the_window(dut):
    gate = await Gate.start(dut)
    tags = [number % (1 << gate.tag_bits) for number in range(gate.window)]
    for tag in tags:
        assert await gate.step(tag)
    gate.bench.set(enter=0)
    await gate.bench.reset(clocks=1)
    gate.entered = []
    assert await gate.waits(tags[-1], for_all=gate.for_all is not None) == 0
