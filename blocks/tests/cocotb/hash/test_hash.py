"""Hash tables: lookups, updates and deletes as close as the contract allows, the host between them, eviction."""

from collections import defaultdict

import cocotb

from bench import CREATE, DELETE, DONE, DUMP, EXISTS, FULL, LOOKUP, MISSING, NOTHING, PUT, REFUSED, REPLACE, UPDATE
from hash_table import Table


def some_change(table, number):
    """What a port may do to its key."""
    port, random = table.ports[number], table.bench.random
    can = [LOOKUP] + [UPDATE] * 3 * port["updates"] + [DELETE] * 2 * port["deletes"]
    command = random.choice(can)
    return () if command == LOOKUP else (command, random.choice([PUT, PUT, PUT, CREATE, CREATE, REPLACE, NOTHING]) * (command == UPDATE))


async def some_traffic(table, pool, busy, clocks):
    bench, numbers = table.bench, range(len(table.ports))
    until = bench.now + clocks
    while bench.now < until:
        if bench.happens(1 / 30):
            command = bench.random.choice([LOOKUP, UPDATE, UPDATE, DELETE])
            await table.operate(command, bench.random.choice(pool), bench.random.choice([PUT, PUT, CREATE, REPLACE, NOTHING]))
        elif bench.happens(busy):
            keys = {number: bench.random.choice(pool) for number in numbers}
            await table.packet(keys, {number: some_change(table, number) for number in numbers})
        else:
            await bench.clock()


@cocotb.test()
@cocotb.parametrize(busy=[0.2, 1.0], few=[True, False])
async def packets_and_the_host_change_keys(dut, busy, few):
    """A reset in the middle, with commits on their way, and the sweep leave nothing."""
    table = await Table.start(dut)
    pool = [table.some_key() for _ in range(2 if few else 2 * table.max_entries + 2)]
    await some_traffic(table, pool, busy, 300)
    await table.restart()
    await table.packet({0: pool[0]})
    await some_traffic(table, pool, busy, 600)
    assert {0, MISSING, EXISTS, REFUSED} <= set(table.answers)
    await table.compare()


@cocotb.test()
async def one_key_comes_and_goes(dut):
    """With forwarding in every clock."""
    table = await Table.start(dut)
    key, last = table.some_key(), len(table.ports) - 1
    steps = [(UPDATE, REPLACE), (UPDATE, CREATE), (UPDATE, CREATE), (), (UPDATE, REPLACE), (UPDATE, PUT), (UPDATE, NOTHING), (DELETE,), (DELETE,), ()]
    begun = table.bench.now
    for step in steps * 3:
        await table.packet({table.changer: key, last: key}, {table.changer: step})
    if table.forward and table.ports[0]["commit_after"] == 0:
        assert table.bench.now == begun + len(steps) * 3
    await table.bench.settled()
    assert table.answers == [MISSING, 0, EXISTS, 0, 0, REFUSED, 0, MISSING] * 3
    assert not table.keys.entry_of


@cocotb.test()
async def the_last_place_is_given_once(dut):
    """New keys behind each other at the limit. A table that evicts takes them all."""
    table = await Table.start(dut)
    keys = [table.some_key() for _ in range(table.max_entries + 8)]
    for key in keys:
        await table.packet({table.changer: key}, {table.changer: (UPDATE, CREATE)})
    await table.bench.settled()
    refused = 8 if table.evicts == "Nobody" else 0
    assert table.answers == [0] * (len(keys) - refused) + [FULL] * refused
    assert len(table.keys.entry_of) >= table.max_entries
    # A delete makes room for exactly the one behind it.
    await table.operate(DELETE, next(iter(table.keys.entry_of)), expected=DONE)
    for key in table.some_key(), table.some_key():
        await table.packet({table.changer: key}, {table.changer: (UPDATE, PUT)})
    await table.bench.settled()
    assert table.answers[-3:] == [0, 0, FULL if refused else 0]
    await table.compare()


@cocotb.test()
async def nine_keys_of_the_same_buckets(dut):
    """Eight find room, and each another slot; the ninth does not, or takes the place of one that was not used."""
    table = await Table.start(dut)
    same = defaultdict(set)
    while True:
        key = table.some_key()
        keys = same[tuple(table.functions.rows(key))]
        keys.add(key)
        if len(keys) == 9:
            break
    keys = sorted(keys)
    for key in keys[:8]:
        await table.packet({table.changer: key}, {table.changer: (UPDATE, CREATE)})
    await table.bench.settled()
    assert table.answers == [0] * 8 and set(table.keys.key_at) == set(table.keys.candidates(keys[0]))
    await table.packet({table.changer: keys[8]}, {table.changer: (UPDATE, CREATE)})
    await table.packet({0: keys[8]})
    for key in keys:
        await table.packet({0: key})
    await table.bench.settled()
    gone = [key for key in keys if key not in table.keys.entry_of]
    if table.evicts == "Nobody":
        assert table.answers[8:] == [FULL] and gone == [keys[8]]
    else:
        assert table.answers[8:] == [0] and len(gone) == 1 and gone != [keys[8]]
    # Those that went come back in turn.
    for _ in range(12):
        await table.packet({table.changer: gone[0]}, {table.changer: (UPDATE, PUT)})
        await table.bench.settled()
        gone = [key for key in keys if key not in table.keys.entry_of]
        assert len(gone) == 1
    await table.compare()


@cocotb.test()
async def the_host_gets_its_answers(dut):
    table = await Table.start(dut)
    for key in table.some_key(), 0, (1 << table.key_bits) - 1:
        await table.operate(LOOKUP, key, expected=MISSING)
        await table.operate(DELETE, key, expected=MISSING)
        await table.operate(UPDATE, key, may=REPLACE, expected=MISSING)
        await table.operate(UPDATE, key, may=NOTHING, expected=REFUSED)
        await table.operate(UPDATE, key, may=CREATE, expected=DONE)
        await table.operate(UPDATE, key, may=CREATE, expected=EXISTS)
        await table.operate(UPDATE, key, may=REPLACE, expected=DONE)
        await table.operate(UPDATE, key, expected=DONE)
        await table.operate(LOOKUP, key, expected=DONE)
        await table.operate(LOOKUP, key ^ 1 << table.key_bits - 1, expected=MISSING)
        await table.operate(DELETE, key, expected=DONE)
        await table.operate(LOOKUP, key, expected=MISSING)
    await table.operate(UPDATE, 0, expected=DONE)
    await table.compare()


@cocotb.test()
async def keys_that_are_not_stored_have_places(dut):
    """Packets and the host put in, until neither can; what is stored under the same bits does not move."""
    table = await Table.start(dut)
    if not table.foreign:
        return
    bench, pool = table.bench, [table.some_key() for _ in range(table.max_entries + 2)]
    for _ in range(120):
        key = bench.random.choice(pool)
        command = bench.random.choice([LOOKUP, UPDATE, UPDATE, DELETE])
        if command != DELETE or table.keys.foreign:
            await table.operate_on_foreign(command, key)
        for _ in range(bench.random.randrange(6)):
            keys = {number: bench.random.choice(pool) for number in range(len(table.ports))}
            await table.packet(keys, {number: some_change(table, number) for number in keys})
    await bench.settled()
    assert FULL in table.answers
    while not table.keys.is_full():
        await table.operate_on_foreign(UPDATE, pool[0], expected=DONE)
        await bench.settled()
    await table.operate_on_foreign(UPDATE, pool[0], expected=FULL)
    await table.operate(UPDATE, next(key for key in pool if key not in table.keys.entry_of), expected=FULL)
    await table.operate_on_foreign(LOOKUP, next(iter(table.keys.entry_of), pool[0]), expected=MISSING)
    if table.keys.foreign:
        await table.operate_on_foreign(DELETE, pool[0], expected=DONE)
    await table.compare()
    # A reset takes all places back.
    await table.restart()
    for key in set(pool[: table.max_entries]):
        await table.packet({table.changer: key}, {table.changer: (UPDATE, CREATE)})
    await bench.settled()
    assert table.answers == [0] * table.max_entries
    await table.operate_on_foreign(UPDATE, pool[0], expected=FULL)
    await table.compare()


@cocotb.test()
async def keys_go_to_the_buckets_of_the_functions(dut):
    table = await Table.start(dut)
    bench, bits = table.bench, table.row_bits

    def joined(rows):
        return sum(row << way * bits for way, row in enumerate(rows))

    for number in range(60):
        key = table.some_key() if number % 2 else 1 << number % table.key_bits
        for port in range(len(table.ports)):
            suffix = table.suffix(port)
            bench.drive(0, **{"key" + suffix: key})
            outputs = {"key_out" + suffix: key, "rows" + suffix: joined(table.functions.rows(key))}
            bench.expect(0, f"key {key:#x}", **outputs)
        await bench.clock()
        # The host's key, or the row of its slot, instead of the packet's.
        bench.set(host_command=LOOKUP, host_key=key)
        bench.drive(0, host=1)
        bench.expect(0, f"host's key {key:#x}", key_out=key, rows=joined(table.functions.rows(key)))
        await bench.clock()
        slot = bench.random.randrange(table.entries)
        bench.set(host_command=DUMP, host_slot=slot)
        bench.drive(0, host=1)
        bench.expect(0, f"slot {slot}", rows=joined([slot % table.rows] * 4))
        await bench.clock()
