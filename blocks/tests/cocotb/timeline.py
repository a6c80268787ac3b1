"""A block in a pipeline: what a packet sets and shows in later clocks is said when it enters."""

from collections import defaultdict

from bench import Bench


class Timeline(Bench):
    """Inputs called strobes are 0 in a clock for which nothing was said, those called free are random."""

    def __init__(self, dut):
        super().__init__(dut)
        self.now = 0
        self.strobes, self.free = [], {}
        self.inputs, self.checks, self.commits = (defaultdict(factory) for factory in (dict, list, list))

    def drive(self, after, **inputs):
        """The inputs have these values in so many clocks."""
        self.inputs[self.now + after].update(inputs)

    def check(self, after, what):
        """Calls `what` in so many clocks, when the outputs of that clock stand."""
        self.checks[self.now + after].append(what)

    def expect(self, after, what, **outputs):
        """The outputs have these values in so many clocks."""

        def compare():
            for name, value in outputs.items():
                assert self.get(name) == value, f"{name} is {self.get(name)}, not {value}: {what}"

        self.check(after, compare)

    def commit(self, after, what):
        """Calls `what` in so many clocks, behind all checks of that clock: what it changes is seen from the next on."""
        self.commits[self.now + after].append(what)

    async def clock(self, count=1):
        for _ in range(count):
            values = {name: self.random.getrandbits(bits) for name, bits in self.free.items()}
            values.update(dict.fromkeys(self.strobes, 0))
            values.update(self.inputs.pop(self.now, {}))
            self.set(**values)
            await self.settle()
            for what in self.checks.pop(self.now, []) + self.commits.pop(self.now, []):
                what()
            await self.edge()
            self.now += 1

    async def settled(self):
        """Until all that was said has happened."""
        while self.inputs or self.checks or self.commits:
            await self.clock()

    async def restart(self, words):
        """Reset, whatever is on its way, and the sweep over so many words."""
        for said in (self.inputs, self.checks, self.commits):
            said.clear()
        self.set(**dict.fromkeys(self.strobes, 0))
        await self.reset()
        for word in range(words):
            self.drive(0, clear=1, clear_index=word)
            await self.clock()
