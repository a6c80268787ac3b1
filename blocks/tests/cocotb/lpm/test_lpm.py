"""Longest prefix match: a lookup a clock while the host inserts, replaces and deletes prefixes."""

import cocotb

from bench import BAD_INDEX, CREATE, DELETE, DONE, DUMP, EXISTS, FULL, LOOKUP, MISSING, NOTHING, PUT, REFUSED, REPLACE, UPDATE
from timeline import Timeline


class Prefix:
    """An entry of the table; its number is known when the table has named it."""

    def __init__(self, length, data):
        self.length, self.data, self.entry = length, data, None


class Lpm:
    """The table beside a list of prefixes. A key is its length and its data, the first bit the highest."""

    @classmethod
    async def start(cls, dut, busy):
        lpm = cls()
        lpm.bench = bench = await Timeline.start(dut)
        lpm.busy, lpm.hits = busy, 0
        lpm.entries, lpm.data_bytes = bench.parameters["max_entries"], bench.parameters["data_bytes"]
        lpm.bits = 8 * lpm.data_bytes
        registers, lpm.ranges = bench.parameters["registers"], bench.parameters["bits_a_clock"] is None
        if lpm.ranges:
            lpm.clocks = bench.parameters["clocks"]
        else:
            searches = -(-lpm.bits.bit_length() // bench.parameters["bits_a_clock"])
            lpm.clocks = 2 + registers + searches + 1
        bench.strobes = ["start", "host_r", "clear"]
        bench.free = {"key": 32 + lpm.bits}
        await lpm.restart()
        return lpm

    async def restart(self):
        await self.bench.restart(self.entries)
        self.prefixes = []

    def as_signal(self, key):
        length, data = key
        return int.from_bytes(length.to_bytes(4, "little") + data.to_bytes(self.data_bytes, "big"), "little")

    def first_bits(self, data, length):
        return data >> (self.bits - length)

    def best(self, key):
        """The longest prefix that covers the key."""
        length, data = key
        covering = [
            prefix
            for prefix in self.prefixes
            if prefix.length <= length <= self.bits
            and self.first_bits(prefix.data, prefix.length) == self.first_bits(data, prefix.length)
        ]
        return max(covering, key=lambda prefix: prefix.length, default=None)

    def same(self, key):
        """The prefix that a key names; its bits behind the length do not count."""
        best = self.best(key)
        return best if best and best.length == key[0] else None

    def some_key(self):
        """Near those that are there, of any length; sometimes too long."""
        random = self.bench.random
        length = random.choice([self.bits, self.bits, random.randint(0, self.bits), random.randint(0, self.bits)])
        if random.random() < 0.1:
            length = random.choice([self.bits + 1, 2 * self.bits, 1 << 31, length | 1 << 24])
        data = random.getrandbits(self.bits)
        if self.prefixes and random.random() < 0.8:
            data = random.choice(self.prefixes).data
        if random.random() < 0.4:
            data ^= 1 << random.randrange(self.bits)
        return length, data

    def packet(self, key):
        """Looks the key up in this clock; among ranges a key has all bits."""
        if self.ranges:
            key = self.bits, key[1]
        best = self.best(key)
        self.bench.drive(0, key=self.as_signal(key))
        self.hits += best is not None

        def compare():
            hit, entry = self.bench.get("hit"), self.bench.get("entry")
            assert hit == (best is not None), f"hit {hit} of {key}"
            assert not hit or entry == best.entry, f"entry {entry} of {key}, not {best.entry}"

        self.bench.check(self.clocks, compare)

    async def packets(self, clocks):
        for _ in range(clocks):
            if self.bench.happens(self.busy):
                self.packet(self.some_key())
            await self.bench.clock()

    async def begin(self, command, key, may=PUT, slot=0):
        """A host command begins. The readiness of the last one is gone a clock later."""
        key = self.as_signal(key)
        self.bench.set(host_command=command, host_key=key, host_may=may, host_slot=slot)
        self.bench.drive(0, start=1)
        self.bench.expect(1, "start", prepared=0)
        await self.packets(2)

    async def operate(self, command, key=(0, 0), may=PUT, slot=0, expected=None):
        """The host's operation, packets beside it; `expected` is what the test says, as the model must."""
        bench, begun = self.bench, self.bench.now
        await self.begin(command, key, may, slot)
        while not bench.get("prepared"):
            assert bench.now - begun <= bench.parameters["prepare_clocks"] + 2
            await self.packets(1)
        waits = bench.random.choice([0, 0, 10])
        for clock in range(waits + 4):
            bench.expect(clock, "until the next command", prepared=1)
        await self.packets(waits)
        await bench.clock(3)

        found = self.answer(command, key, may, slot)
        assert expected in (None, found), f"{found}"
        prefix = self.same(key) if command in (UPDATE, DELETE) else self.best(key)
        if command == UPDATE and found == DONE and not prefix:
            prefix = Prefix(*key)
            self.prefixes.append(prefix)
        others = [other.entry for other in self.prefixes if other is not prefix]
        if command == DELETE and found == DONE:
            self.prefixes.remove(prefix)
        dumped = self.in_slot(slot) if command == DUMP else None
        what = (command, key, may, slot)

        def answer():
            writes = command == UPDATE and found == DONE
            assert bench.get("host_c") == 1 and bench.get("write_value") == writes, what
            entry = bench.get("entry")
            if writes and prefix.entry is None:
                assert entry < self.entries and entry not in others, what
                prefix.entry, prefix.data = entry, key[1]
            elif writes:
                # The bits behind the length are those of the last update.
                prefix.data = key[1]
            if found == DONE:
                assert entry == (dumped or prefix).entry, what

        bench.drive(0, host_r=1, key=self.as_signal(key))
        bench.check(self.clocks, answer)
        key_out = {"host_key_out": self.as_signal((dumped.length, dumped.data))} if dumped else {}
        bench.expect(self.clocks + 1, what, host_answer=found, **key_out)
        for other in (self.clocks - 1, self.clocks + 1):
            bench.expect(other, what, host_c=0, write_value=0)
        await bench.clock(4)
        await self.packets(self.clocks)

    def in_slot(self, slot):
        return next((prefix for prefix in self.prefixes if prefix.entry == slot), None)

    def answer(self, command, key, may, slot):
        same = self.same(key)
        if command == LOOKUP:
            return DONE if self.best(key) else MISSING
        if command == DUMP:
            return BAD_INDEX if slot >= self.entries else DONE if self.in_slot(slot) else MISSING
        if key[0] > self.bits:
            return BAD_INDEX
        if command == DELETE:
            return DONE if same else MISSING
        if may == NOTHING:
            return REFUSED
        if same:
            return DONE if may & REPLACE else EXISTS
        if not may & CREATE:
            return MISSING
        return FULL if len(self.prefixes) == self.entries else DONE

    async def some_operation(self):
        random = self.bench.random
        command = random.choice([UPDATE, UPDATE, UPDATE, DELETE, LOOKUP, DUMP])
        key, may = self.some_key(), random.choice([PUT, PUT, PUT, PUT, CREATE, REPLACE, NOTHING])
        if self.prefixes and random.random() < 0.4:
            prefix = random.choice(self.prefixes)
            key = prefix.length, prefix.data
        await self.operate(command, key, may, random.randrange(self.entries + 1))

    async def compare(self):
        """Every slot as a dump finds it."""
        for slot in range(self.entries):
            await self.operate(DUMP, slot=slot)


@cocotb.test()
@cocotb.parametrize(busy=[0.2, 1.0])
async def lookups_and_the_hosts_changes(dut, busy):
    lpm = await Lpm.start(dut, busy)
    for _ in range(25):
        await lpm.some_operation()
        await lpm.packets(lpm.bench.random.randrange(40))
    assert lpm.hits > 100 * busy
    await lpm.compare()


@cocotb.test()
async def the_longest_of_nested_prefixes(dut):
    """One within the other, the longest neither first nor last; without it the next one answers."""
    lpm = await Lpm.start(dut, 0.5)
    data = lpm.bench.random.getrandbits(lpm.bits)
    lengths = [lpm.bits // 2, 0, lpm.bits, 1, lpm.bits - 1][: lpm.entries]
    for length in lengths:
        await lpm.operate(UPDATE, (length, data), may=CREATE, expected=DONE)
    for gone in [None, *sorted(lengths, reverse=True)]:
        if gone is not None:
            await lpm.operate(DELETE, (gone, data), expected=DONE)
            lengths.remove(gone)
        for length in range(lpm.bits + 2):
            best = lpm.best((length, data))
            assert (best and best.length) == max((len_ for len_ in lengths if len_ <= length <= lpm.bits), default=None)
            lpm.packet((length, data))
            await lpm.bench.clock()
            if length in (lpm.bits // 2, lpm.bits, lpm.bits + 1):
                await lpm.operate(LOOKUP, (length, data))
    await lpm.bench.settled()


@cocotb.test()
async def the_host_gets_its_answers(dut):
    """A table that fills up, keys that are too long, slots behind the end."""
    lpm = await Lpm.start(dut, 0.2)
    full, too_long = lpm.entries, lpm.bits + 1
    keys = [(8, number << lpm.bits - 8) for number in range(full + 1)]
    await lpm.operate(LOOKUP, keys[0], expected=MISSING)
    await lpm.operate(DELETE, keys[0], expected=MISSING)
    await lpm.operate(UPDATE, keys[0], may=REPLACE, expected=MISSING)
    await lpm.operate(UPDATE, keys[0], may=NOTHING, expected=REFUSED)
    for command in (UPDATE, DELETE):
        await lpm.operate(command, (too_long, 0), expected=BAD_INDEX)
        await lpm.operate(command, (8 | 1 << 31, 0), expected=BAD_INDEX)
    for key in keys[:full]:
        await lpm.operate(UPDATE, key, may=CREATE, expected=DONE)
    await lpm.operate(UPDATE, keys[full], expected=FULL)
    await lpm.operate(UPDATE, keys[0], expected=DONE)
    await lpm.operate(UPDATE, keys[0], may=CREATE, expected=EXISTS)
    await lpm.operate(UPDATE, keys[0], may=REPLACE, expected=DONE)
    await lpm.operate(LOOKUP, (too_long, 0), expected=MISSING)
    await lpm.operate(LOOKUP, (lpm.bits, keys[0][1]), expected=DONE)
    await lpm.compare()
    await lpm.operate(DELETE, keys[0], expected=DONE)
    await lpm.operate(DELETE, keys[0], expected=MISSING)
    await lpm.operate(LOOKUP, keys[0], expected=MISSING)
    await lpm.operate(UPDATE, keys[full], expected=DONE)
    await lpm.operate(DUMP, slot=full, expected=BAD_INDEX)
    await lpm.operate(DUMP, slot=(1 << 32) - 1, expected=BAD_INDEX)
    await lpm.compare()


@cocotb.test()
async def a_reset_empties_it(dut):
    """Also in the middle of a command that is being prepared."""
    lpm = await Lpm.start(dut, 0.8)
    for _ in range(2):
        await lpm.operate(UPDATE, (0, 0), expected=DONE)
        await lpm.operate(UPDATE, (3, 0), expected=DONE)
        await lpm.begin(UPDATE, (5, 0))
        await lpm.packets(100)
        await lpm.restart()
        assert lpm.bench.get("prepared") == 0
        await lpm.packets(100)
        await lpm.compare()
        await lpm.operate(LOOKUP, (lpm.bits, 0), expected=MISSING)
