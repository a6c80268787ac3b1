"""The value memory: a packet reads what all older ones wrote; the host between them, and its errors."""

import cocotb

from bench import BAD_INDEX, CREATE, DELETE, DONE, DUMP, EXISTS, LOOKUP, MISSING, NOTHING, PUT, REFUSED, REPLACE, UPDATE
from timeline import Timeline


class Array:
    """The memory beside a list; None is an absent entry."""

    @classmethod
    async def start(cls, dut):
        array = cls()
        array.bench = bench = await Timeline.start(dut)
        for name, value in bench.parameters.items():
            setattr(array, name, value)
        array.commit_after = max(array.reads)
        # From a packet's entrance to the address stage of each read; all packets commit in the same stage.
        array.address = [array.commit_after - after for after in array.reads]
        array.stored = array.presence != "Always"
        array.index_bits = max(1, (array.depth - 1).bit_length())
        array.word_bits = array.value_bits + array.stored
        array.suffixes = ["", "_1", "_2"][: array.writers]
        bench.strobes = ["host_a", "clear"] + ["write" + suffix for suffix in array.suffixes]
        bench.free = {f"read_index_{read}": array.index_bits for read in range(len(array.reads))}
        for suffix in array.suffixes:
            bench.free["write_word" + suffix] = array.word_bits
            if array.own_write_index:
                bench.free["write_index" + suffix] = array.index_bits
        if array.host == "Follows":
            bench.free["host_write_ok"] = 1
        for part in range(len(array.parts)):
            bench.free[f"changes_{part}"] = 1
        await array.restart()
        return array

    async def restart(self):
        self.bench.set(host_value=0)
        await self.bench.restart(self.depth)
        self.words = [None if self.stored else 0] * self.depth
        # Index and clock of the commits that may not have happened yet.
        self.written, self.forwarded = [], 0

    def word(self, index):
        """As the memory has it."""
        value = self.words[index]
        if not self.stored:
            return value
        return 0 if value is None else 1 << self.value_bits | value

    def may_enter(self, indexes):
        """Whether every read shows all older writes: with forwarding those before its word, else before its address."""
        now = self.bench.now
        self.written = [(index, clock) for index, clock in self.written if clock >= now]
        late = [now + address + self.clocks * self.forward for address in self.address]
        return all(index != other or clock < end for index, end in zip(indexes, late) for other, clock in self.written)

    def enter(self, indexes):
        """A packet reads at these indexes."""
        for read, index in enumerate(indexes):
            address = self.address[read]
            self.bench.drive(address, **{f"read_index_{read}": index})
            self.bench.expect(address + self.clocks, f"index {index}", **{f"read_word_{read}": self.word(index)})
            self.forwarded += any(index == other and clock >= self.bench.now + address for other, clock in self.written)

    def writes(self, index, value):
        self.words[index] = value
        self.written.append((index, self.bench.now + self.commit_after))

    def packet(self, indexes, writer=None, index=None):
        """Enters in this clock; writes something at the index through that writer."""
        self.enter(indexes)
        if writer is not None:
            value, suffix = self.bench.random.getrandbits(self.value_bits), self.suffixes[writer]
            if self.own_write_index:
                self.bench.drive(self.commit_after, **{"write_index" + suffix: index})
            self.bench.drive(self.commit_after, **{"write" + suffix: 1, "write_word" + suffix: value})
            self.writes(index, self.some_parts(self.words[index], value))

    def some_parts(self, old, new):
        """The word when a packet changes some of its parts, or all where there are none."""
        lo = 0
        for part, bits in enumerate(self.parts):
            changes = self.bench.random.getrandbits(1)
            self.bench.drive(self.commit_after, **{f"changes_{part}": changes})
            if not changes:
                mask = (1 << bits) - 1 << lo
                new = new & ~mask | old & mask
            lo += bits
        return new

    async def operate(self, command, index, value=0, may=PUT, expected=None):
        """The host's operation, packets before and behind it; `expected` is what the test says, as the model must."""
        bench, keyed = self.bench, self.host == "Key"
        bench.set(host_value=value)
        if keyed:
            bench.set(host_command=command, host_index=index, host_may=may)
        await self.some_reads(2)
        inside = index < self.depth
        while not self.may_enter([index]):
            await bench.clock()
        old = self.words[index] if inside else None
        found = self.answer(command, old, inside, value, may)
        assert expected in (None, found)
        changes = command == UPDATE or command == DELETE and keyed
        bench.drive(self.address[0], host_a=1)
        if not keyed:
            bench.drive(self.address[0], read_index_0=index)
            bench.drive(self.commit_after, host_write_ok=changes)
            if self.own_write_index:
                bench.drive(self.commit_after, write_index=index)
        result = {} if old is None or found else {"host_result": old}
        bench.expect(self.commit_after + 1, (command, index, value, may), host_answer=found, **result)
        if changes and found == DONE:
            absent = command == DELETE or self.stored and not value & 0xFFFFFFFF
            self.writes(index, None if absent else value)
        await bench.clock()
        await self.some_reads(self.commit_after + 1)

    async def some_reads(self, clocks):
        for _ in range(clocks):
            indexes = self.some_indexes(self.depth)
            if self.may_enter(indexes):
                self.packet(indexes)
            await self.bench.clock()

    def answer(self, command, old, inside, value, may):
        """What a table of indexes answers."""
        if self.host == "Follows":
            return DONE
        if command == LOOKUP:
            return MISSING if old is None else DONE
        if not inside:
            return BAD_INDEX
        if command == DELETE:
            return DONE if self.stored else REFUSED
        if command == DUMP:
            return MISSING if old is None else DONE
        if may == NOTHING:
            return REFUSED
        if old is not None:
            return DONE if may & REPLACE else EXISTS
        return DONE if may & CREATE else MISSING

    def some_indexes(self, spread):
        return [self.bench.random.randrange(spread) for _ in self.reads]

    async def compare(self):
        """Every entry through every read."""
        await self.bench.settled()
        for index in range(self.depth):
            self.packet([(index + read) % self.depth for read in range(len(self.reads))])
            await self.bench.clock()
        await self.bench.settled()


def some_value(array):
    value = array.bench.random.getrandbits(array.value_bits)
    return array.bench.random.choice([value, value, 0, value >> 32 << 32, 1])


async def some_traffic(array, busy, clocks):
    bench = array.bench
    for clock in range(clocks):
        spread = min([1, 2, 5, array.depth][clock // 40 % 4], array.depth)
        indexes = array.some_indexes(spread)
        if bench.happens(1 / 40):
            index = bench.random.choice([indexes[0], indexes[0], indexes[0], array.depth, 1 << 31])
            index = indexes[0] if array.host == "Follows" else index
            command = bench.random.choice([LOOKUP, UPDATE, UPDATE, UPDATE, DELETE, DUMP])
            may = bench.random.choice([PUT, PUT, PUT, CREATE, REPLACE, NOTHING])
            await array.operate(command, index, some_value(array), may)
        elif bench.happens(busy) and array.may_enter(indexes):
            writes = array.writers and bench.happens(0.8)
            own = array.own_write_index and bench.happens(0.5)
            index = bench.random.randrange(spread) if own else indexes[0]
            array.packet(indexes, bench.random.randrange(array.writers) if writes else None, index)
        await bench.clock()


@cocotb.test()
@cocotb.parametrize(busy=[0.2, 1.0])
async def a_packet_reads_what_older_ones_wrote(dut, busy):
    """A reset in the middle, with writes on their way, and the sweep leave nothing."""
    array = await Array.start(dut)
    await some_traffic(array, busy, 400)
    await array.compare()
    await some_traffic(array, busy, 30)
    await array.restart()
    await array.compare()
    await some_traffic(array, busy, 400)
    assert (array.forwarded > 0) == array.forward
    await array.compare()


@cocotb.test()
async def the_host_gets_its_answers(dut):
    array = await Array.start(dut)
    if array.host == "Follows":
        for index in (0, array.depth - 1):
            await array.operate(UPDATE, index, value=77)
            await array.operate(LOOKUP, index)
        await array.compare()
        return
    last, absent = array.depth - 1, MISSING if array.stored else DONE
    for index in (0, last):
        await array.operate(LOOKUP, index, expected=absent)
        await array.operate(DUMP, index, expected=absent)
        await array.operate(UPDATE, index, value=76, may=REPLACE, expected=absent)
        await array.operate(UPDATE, index, value=77, may=CREATE, expected=DONE if array.stored else EXISTS)
        await array.operate(UPDATE, index, value=77, may=REPLACE, expected=DONE)
        await array.operate(UPDATE, index, value=78, may=CREATE, expected=EXISTS)
        await array.operate(UPDATE, index, value=79, may=NOTHING, expected=REFUSED)
        await array.operate(LOOKUP, index, expected=DONE)
        await array.operate(DUMP, index, expected=DONE)
        await array.operate(DELETE, index, expected=DONE if array.stored else REFUSED)
        await array.operate(LOOKUP, index, expected=absent)
        await array.operate(UPDATE, index, value=80, may=REPLACE, expected=absent)
        await array.operate(UPDATE, index, value=0, expected=DONE)
        await array.operate(LOOKUP, index, expected=absent)
        if array.stored and array.value_bits == 64:
            # Only the first 32 bits say whether there is something.
            await array.operate(UPDATE, index, value=5 << 32, expected=DONE)
            await array.operate(LOOKUP, index, expected=MISSING)
        await array.operate(UPDATE, index, value=81, expected=DONE)
    for index in (array.depth, 1 << 31, (1 << 32) - 1):
        await array.operate(UPDATE, index, value=1, expected=BAD_INDEX)
        await array.operate(LOOKUP, index, expected=MISSING)
        await array.operate(DUMP, index, expected=BAD_INDEX)
        await array.operate(DELETE, index, expected=BAD_INDEX)
    await array.compare()


@cocotb.test()
async def one_entry_in_every_clock(dut):
    """Packets that read and write the same entry, as close as the contract lets them."""
    array = await Array.start(dut)
    index = array.depth - 1
    indexes = [index] * len(array.reads)
    entered = 0
    for clock in range(60):
        if array.may_enter(indexes):
            array.packet(indexes, clock % array.writers if array.writers else None, index)
            entered += 1
        await array.bench.clock()
    # With forwarding nobody waits when the word comes in the commit stage; nor when nobody writes.
    assert entered == 60 or array.writers and not (array.forward and max(array.reads) == array.clocks)
    assert entered >= 60 // (array.commit_after + 1)
    await array.compare()
