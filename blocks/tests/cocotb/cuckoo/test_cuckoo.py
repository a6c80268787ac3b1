"""Exact keys that only the host writes: a lookup a clock but behind the host, keys that move, a table that is full."""

import cocotb

from bench import BAD_INDEX, CREATE, DELETE, DONE, DUMP, EXISTS, FULL, LOOKUP, MISSING, NOTHING, PUT, REFUSED, REPLACE, UPDATE
from timeline import Timeline


class Table:
    """The table beside a dictionary."""

    @classmethod
    async def start(cls, dut, busy):
        table = cls()
        table.bench = bench = await Timeline.start(dut)
        table.busy, table.hits, table.most = busy, 0, 0
        table.entries, table.clocks = bench.parameters["max_entries"], bench.parameters["clocks"]
        bench.strobes = ["host", "clear"]
        bench.free = {"key": bench.parameters["key_bits"]}
        await table.restart()
        return table

    async def restart(self):
        await self.bench.restart(self.bench.parameters["rows"])
        self.values = {}

    def some_key(self):
        random = self.bench.random
        if self.values and random.random() < 0.7:
            return random.choice(list(self.values))
        return random.getrandbits(self.bench.parameters["key_bits"])

    def packet(self, key):
        """Looks the key up in this clock."""
        value = self.values.get(key)
        self.hits += value is not None
        self.bench.drive(0, key=key)
        found = {} if value is None else {"value": value}
        self.bench.expect(self.clocks, f"key {key:#x}", hit=value is not None, **found)

    async def packets(self, clocks):
        for _ in range(clocks):
            if self.bench.happens(self.busy):
                self.packet(self.some_key())
            await self.bench.clock()

    async def operate(self, command, key=0, may=PUT, slot=0, expected=None):
        """The host's operation, in as many slots as it takes; what it changes is seen behind the first of them."""
        bench, values = self.bench, self.values
        value = bench.random.getrandbits(bench.parameters["value_bits"])
        what = (command, hex(key), may, slot)
        bench.set(host_command=command, host_key=key, host_value=value, host_may=may, host_slot=slot)
        answer, there = self.answer(command, key, may, slot), values.get(key)
        assert expected in (None, answer), f"the model says {answer}"
        await self.packets(2)
        for slots in range(bench.parameters["most_moves"] + 2):
            bench.drive(0, host=1)
            bench.expect(self.clocks, what, host_c=1)
            await bench.clock(4)
            if slots == 0 and answer == DONE and command == UPDATE:
                values[key] = value
            if slots == 0 and answer == DONE and command == DELETE:
                del values[key]
            await self.packets(self.clocks + 1)
            given = bench.get("host_answer")
            if given != bench.parameters["again"]:
                break
        self.most = max(self.most, slots)
        if command == DUMP:
            return given
        assert given == answer, f"{given}, not {answer}: {what}"
        if command == LOOKUP and given == DONE:
            assert bench.get("host_value_out") == there, what
        return given

    def answer(self, command, key, may, slot):
        there = key in self.values
        if command == DUMP:
            return None
        if command in (LOOKUP, DELETE):
            return DONE if there else MISSING
        if may == NOTHING:
            return REFUSED
        if there:
            return DONE if may & REPLACE else EXISTS
        if not may & CREATE:
            return MISSING
        return FULL if len(self.values) == self.entries else DONE

    async def compare(self):
        """Every slot as a dump finds it; what it says is empty is passed over."""
        bench, found, slot = self.bench, {}, 0
        slots = bench.parameters["slots"]
        while slot < slots:
            given, at = await self.operate(DUMP, slot=slot), bench.get("host_slot_out")
            if given == DONE:
                assert at == slot
                key = bench.get("host_key_out")
                assert key not in found
                found[key] = bench.get("host_value_out")
            else:
                assert given == MISSING and slot <= at < slot // 4 * 4 + 4
            slot = at + 1
        assert found == self.values
        for slot in (slots, (1 << 32) - 1):
            assert await self.operate(DUMP, slot=slot) == BAD_INDEX


@cocotb.test()
@cocotb.parametrize(busy=[0.2, 1.0])
async def lookups_and_the_hosts_changes(dut, busy):
    table = await Table.start(dut, busy)
    random = table.bench.random
    for _ in range(100):
        command = random.choice([UPDATE, UPDATE, UPDATE, DELETE, LOOKUP])
        await table.operate(command, table.some_key(), random.choice([PUT, PUT, CREATE, REPLACE, NOTHING]))
        await table.packets(random.randrange(20))
    assert table.hits > 100 * busy
    await table.compare()


@cocotb.test()
async def full_at_its_size(dut):
    """Keys that count up, and room for one more behind a delete."""
    table = await Table.start(dut, 0.5)
    keys = [0x100 + number for number in range(table.entries + 1)]
    for key in keys[:-1]:
        await table.operate(UPDATE, key, CREATE, expected=DONE)
    await table.operate(UPDATE, keys[-1], expected=FULL)
    await table.operate(UPDATE, keys[0], CREATE, expected=EXISTS)
    await table.operate(UPDATE, keys[0], REPLACE, expected=DONE)
    await table.compare()
    await table.operate(DELETE, keys[1], expected=DONE)
    await table.operate(DELETE, keys[1], expected=MISSING)
    await table.operate(UPDATE, keys[-1], expected=DONE)
    await table.compare()


@cocotb.test()
async def keys_move(dut):
    """A key in a table of a handful finds a free row at once; among more some others must move for it."""
    table = await Table.start(dut, 1.0)
    rounds = 0
    while table.most < (2 if table.entries > 10 else 0):
        rounds += 1
        assert rounds < 20, "no key has moved"
        await table.restart()
        while len(table.values) < table.entries:
            await table.operate(UPDATE, table.bench.random.getrandbits(16), expected=DONE)
        await table.compare()


@cocotb.test()
async def a_reset_empties_it(dut):
    table = await Table.start(dut, 0.8)
    for _ in range(2):
        for key in range(table.entries):
            await table.operate(UPDATE, key, expected=DONE)
        await table.restart()
        await table.packets(50)
        await table.operate(LOOKUP, 0, expected=MISSING)
        await table.compare()
