"""Entries of several fields: a lookup a clock while the host inserts, replaces and deletes them."""

import cocotb

from bench import BAD_INDEX, CREATE, DELETE, DONE, DUMP, EXISTS, FULL, LOOKUP, MISSING, NOTHING, PUT, REFUSED, REPLACE, UPDATE
from timeline import Timeline


class Field:
    """How a field matches, and where it is in a key."""

    def __init__(self, kind, bits, first):
        self.kind, self.bits, self.first, self.all = kind, bits, first, (1 << bits) - 1

    def prefix(self, length):
        return self.all & ~(self.all >> length)

    def stored(self, value, mask):
        """As the table stores it; None: it is no entry's."""
        if self.kind == "Exact":
            return value, self.all
        if self.kind == "Range":
            return (value, mask) if value <= mask else None
        if self.kind == "Prefix" and mask not in [self.prefix(length) for length in range(self.bits + 1)]:
            return None
        return value & mask, mask

    def matches(self, stored, value):
        low, high = stored
        return low <= value <= high if self.kind == "Range" else value & high == low


class Entry:
    """Fields as they are stored, and a priority; its number is known when the table has named it."""

    def __init__(self, stored, priority):
        self.stored, self.priority, self.number = stored, priority, None


class Table:
    """The table beside a list of entries."""

    @classmethod
    async def start(cls, dut, busy):
        table = cls()
        table.bench = bench = await Timeline.start(dut)
        table.busy, table.hits = busy, 0
        table.size, table.clocks = bench.parameters["entries"], bench.parameters["clocks"]
        table.fields, first = [], 0
        for kind, bits in bench.parameters["fields"]:
            table.fields.append(Field(kind, bits, first))
            first += bits
        bench.strobes = ["start", "host_r", "clear"]
        bench.free = {"key": first}
        await table.restart()
        return table

    async def restart(self):
        await self.bench.restart(self.size)
        self.entries = []

    def as_signal(self, values):
        return sum(value << field.first for field, value in zip(self.fields, values))

    def best(self, key):
        """The entry of highest priority that matches; of several the first."""
        matching = [
            entry
            for entry in self.entries
            if all(field.matches(stored, value) for field, stored, value in zip(self.fields, entry.stored, key))
        ]
        return max(matching, key=lambda entry: (entry.priority, -entry.number), default=None)

    def stored(self, pairs):
        """All fields as they are stored; None: it is no entry."""
        stored = [field.stored(*pair) for field, pair in zip(self.fields, pairs)]
        return None if None in stored else stored

    def same(self, stored, priority):
        there = [entry for entry in self.entries if entry.stored == stored and entry.priority == priority]
        return there[0] if there else None

    def near(self, field, value):
        random = self.bench.random
        choices = [value, value, value + 1, value - 1, value ^ 1 << random.randrange(field.bits), 0, field.all]
        return random.choice([*choices, random.getrandbits(field.bits)]) & field.all

    def some_key(self):
        """Near an entry that is there."""
        random = self.bench.random
        known = random.choice(self.entries).stored if self.entries else [(0, 0)] * len(self.fields)
        key = []
        for field, (value, mask) in zip(self.fields, known):
            end = random.choice([value, mask if field.kind == "Range" else value | random.getrandbits(field.bits) & ~mask])
            key.append((end if random.random() < 0.8 else self.near(field, end)) & field.all)
        return key

    def some_entry(self):
        """Near those that are there: they overlap, and some are the same."""
        random = self.bench.random
        known = random.choice(self.entries) if self.entries else Entry([(0, 0)] * len(self.fields), 0)
        if random.random() < 0.3:
            return known.stored, known.priority
        pairs = []
        for field, (value, mask) in zip(self.fields, known.stored):
            value, other = self.near(field, value), self.near(field, mask)
            masks = {
                "Exact": [other],
                "Prefix": [field.prefix(random.randint(0, field.bits)), field.all, 0, mask, other],
                "Ternary": [mask, mask, field.all, 0, other],
                "Range": [value, max(value, other), field.all, field.all, other],
            }
            pairs.append((value, random.choice(masks[field.kind])))
        top = (1 << 32) - 1
        priorities = [known.priority, known.priority, known.priority + 1, 0, 1, top, 1 << 31, random.getrandbits(32)]
        return pairs, random.choice(priorities) & top

    def packet(self, key):
        """Looks the key up in this clock."""
        best = self.best(key)
        expected = best and best.number
        self.bench.drive(0, key=self.as_signal(key))
        self.hits += best is not None

        def compare():
            hit, entry = self.bench.get("hit"), self.bench.get("entry")
            assert hit == (expected is not None), f"hit {hit} of {key}"
            assert not hit or entry == expected, f"entry {entry} of {key}, not {expected}"

        self.bench.check(self.clocks, compare)

    async def packets(self, clocks):
        for _ in range(clocks):
            if self.bench.happens(self.busy):
                self.packet(self.some_key())
            await self.bench.clock()

    async def begin(self, command, pairs, priority=0, may=PUT, slot=0):
        """A host command begins. The readiness of the last one is gone a clock later."""
        values, masks = zip(*pairs)
        self.bench.set(host_command=command, host_may=may, host_slot=slot, host_priority=priority)
        self.bench.set(host_key=self.as_signal(values), host_mask=self.as_signal(masks))
        self.bench.drive(0, start=1)
        self.bench.expect(1, "start", prepared=0)
        await self.packets(2)

    async def operate(self, command, pairs=None, priority=0, may=PUT, slot=0, answer=None):
        """The host's operation, packets beside it; `answer` is what the test says, as the model must."""
        bench, begun = self.bench, self.bench.now
        pairs = pairs or [(0, 0)] * len(self.fields)
        await self.begin(command, pairs, priority, may, slot)
        while not bench.get("prepared"):
            assert bench.now - begun <= bench.parameters["prepare_clocks"] + 2
            await self.packets(1)
        waits = bench.random.choice([0, 0, 10])
        for clock in range(waits + 4):
            bench.expect(clock, "until the next command", prepared=1)
        await self.packets(waits)
        await bench.clock(3)

        values = [value for value, _ in pairs]
        found = self.answer(command, pairs, priority, may, slot)
        what = (command, pairs, priority, may, slot)
        assert answer in (None, found), f"{found}: {what}"
        entry = self.meant(command, pairs, priority, slot, found)
        if command == DELETE and found == DONE:
            self.entries.remove(entry)
        number, writes = entry and entry.number, command == UPDATE and found == DONE

        def compare():
            assert bench.get("host_c") == 1 and bench.get("write_value") == writes, what
            assert found != DONE or bench.get("entry") == number, what

        bench.drive(0, host_r=1, key=self.as_signal(values))
        bench.check(self.clocks, compare)
        dumped = {}
        if command == DUMP and found == DONE:
            values, masks = zip(*entry.stored)
            dumped = {"host_key_out": self.as_signal(values), "host_mask_out": self.as_signal(masks)}
            dumped["host_priority_out"] = entry.priority
        bench.expect(self.clocks + 1, what, host_answer=found, **dumped)
        for other in (self.clocks - 1, self.clocks + 1):
            bench.expect(other, what, host_c=0, write_value=0)
        await bench.clock(4)
        await self.packets(self.clocks)

    def meant(self, command, pairs, priority, slot, answer):
        """The entry that an operation means, if it is done; a new one gets the first free number."""
        if answer != DONE:
            return None
        if command == LOOKUP:
            return self.best([value for value, _ in pairs])
        if command == DUMP:
            return self.in_slot(slot)
        stored = self.stored(pairs)
        entry = self.same(stored, priority)
        if not entry:
            entry = Entry(stored, priority)
            entry.number = next(slot for slot in range(self.size) if not self.in_slot(slot))
            self.entries.append(entry)
        return entry

    def in_slot(self, slot):
        return next((entry for entry in self.entries if entry.number == slot), None)

    def answer(self, command, pairs, priority, may, slot):
        if command == LOOKUP:
            return DONE if self.best([value for value, _ in pairs]) else MISSING
        if command == DUMP:
            return BAD_INDEX if slot >= self.size else DONE if self.in_slot(slot) else MISSING
        stored = self.stored(pairs)
        if stored is None:
            return BAD_INDEX
        same = self.same(stored, priority)
        if command == DELETE:
            return DONE if same else MISSING
        if may == NOTHING:
            return REFUSED
        if same:
            return DONE if may & REPLACE else EXISTS
        if not may & CREATE:
            return MISSING
        return FULL if len(self.entries) == self.size else DONE

    async def some_operation(self):
        random = self.bench.random
        command = random.choice([UPDATE, UPDATE, UPDATE, UPDATE, DELETE, LOOKUP, DUMP])
        pairs, priority = self.some_entry()
        may = random.choice([PUT, PUT, PUT, PUT, CREATE, REPLACE, NOTHING])
        await self.operate(command, pairs, priority, may, random.randrange(self.size + 1))

    async def compare(self):
        """Every slot as a dump finds it."""
        for slot in range(self.size):
            await self.operate(DUMP, slot=slot)

    def all_match(self):
        """Fields that match every key."""
        everything = {"Exact": (0, 0), "Range": None, "Prefix": (0, 0), "Ternary": (0, 0)}
        return [everything[field.kind] or (0, field.all) for field in self.fields]


@cocotb.test()
@cocotb.parametrize(busy=[0.2, 1.0])
async def lookups_and_the_hosts_changes(dut, busy):
    table = await Table.start(dut, busy)
    for _ in range(25):
        await table.some_operation()
        await table.packets(table.bench.random.randrange(40))
    assert table.hits > 100 * busy
    await table.compare()


@cocotb.test()
async def the_highest_priority_wins(dut):
    """All match; the best is neither first nor last, some are equal. Without it the next one answers."""
    table = await Table.start(dut, 0.5)
    random = table.bench.random
    priorities = [3, 0, 7, 7, (1 << 32) - 1][: table.size]
    pairs = table.all_match()
    for number, priority in enumerate(priorities):
        # The first field is ternary.
        await table.operate(UPDATE, [(0, number), *pairs[1:]], priority, may=CREATE, answer=DONE)
    key = [0] * len(pairs)
    while table.entries:
        best = table.best(key)
        assert best.priority == max(entry.priority for entry in table.entries)
        table.packet(key)
        await table.bench.clock()
        gone = best if random.random() < 0.7 else random.choice(table.entries)
        await table.operate(DELETE, gone.stored, gone.priority, answer=DONE)
    table.packet(key)
    await table.bench.settled()


@cocotb.test()
async def the_host_gets_an_answer(dut):
    """A table that fills up, what is no entry, slots behind the end."""
    table = await Table.start(dut, 0.2)
    full, pairs = table.size, table.all_match()
    await table.operate(LOOKUP, pairs, answer=MISSING)
    await table.operate(DELETE, pairs, answer=MISSING)
    await table.operate(UPDATE, pairs, may=REPLACE, answer=MISSING)
    await table.operate(UPDATE, pairs, may=NOTHING, answer=REFUSED)
    for number, field in enumerate(table.fields):
        wrong = {"Range": (1, 0), "Prefix": (0, 1)}.get(field.kind)
        if wrong:
            for command in (UPDATE, DELETE):
                await table.operate(command, [*pairs[:number], wrong, *pairs[number + 1 :]], answer=BAD_INDEX)
    for priority in range(full):
        await table.operate(UPDATE, pairs, priority, may=CREATE, answer=DONE)
    await table.operate(UPDATE, pairs, full, answer=FULL)
    await table.operate(UPDATE, pairs, 0, answer=DONE)
    await table.operate(UPDATE, pairs, 0, may=CREATE, answer=EXISTS)
    await table.operate(UPDATE, pairs, 0, may=REPLACE, answer=DONE)
    await table.operate(LOOKUP, pairs, answer=DONE)
    await table.compare()
    await table.operate(DELETE, pairs, 0, answer=DONE)
    await table.operate(DELETE, pairs, 0, answer=MISSING)
    await table.operate(UPDATE, pairs, full, answer=DONE)
    await table.operate(DUMP, slot=full, answer=BAD_INDEX)
    await table.operate(DUMP, slot=(1 << 32) - 1, answer=BAD_INDEX)
    await table.compare()


@cocotb.test()
async def a_reset_empties_it(dut):
    """Also in the middle of a command that is being prepared."""
    table = await Table.start(dut, 0.8)
    pairs = table.all_match()
    for _ in range(2):
        await table.operate(UPDATE, pairs, 1, answer=DONE)
        await table.operate(UPDATE, pairs, 2, answer=DONE)
        await table.begin(UPDATE, pairs, 3)
        await table.packets(100)
        await table.restart()
        assert table.bench.get("prepared") == 0
        await table.packets(100)
        await table.compare()
        await table.operate(LOOKUP, pairs, answer=MISSING)
