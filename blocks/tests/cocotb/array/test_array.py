"""The value memory: a packet reads what all older ones wrote; the host between them, and its errors."""

from errno import E2BIG, EBADF, EEXIST, EINVAL, ENOENT

import cocotb

from bench import DELETE, DUMP, LOOKUP, UPDATE
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
            self.writes(index, value)

    async def operate(self, command, index, value=0, flags=0, errno=None):
        """The host's operation, packets before and behind it; `errno` is what the test says, as the model must."""
        bench, keyed = self.bench, self.host == "Key"
        bench.set(host_value=value)
        if keyed:
            bench.set(host_command=command, host_index=index, host_flags=flags)
        await self.some_reads(2)
        inside = index < self.depth
        while not self.may_enter([index]):
            await bench.clock()
        old = self.words[index] if inside else None
        found = self.answer(command, old, inside, value, flags)
        assert errno in (None, found)
        changes = command == UPDATE or command == DELETE and keyed
        bench.drive(self.address[0], host_a=1)
        if not keyed:
            bench.drive(self.address[0], read_index_0=index)
            bench.drive(self.commit_after, host_write_ok=changes)
            if self.own_write_index:
                bench.drive(self.commit_after, write_index=index)
        result = {} if old is None or found else {"host_result": old}
        bench.expect(self.commit_after + 1, (command, index, value, flags), host_errno=found, **result)
        if changes and found == 0:
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

    def answer(self, command, old, inside, value, flags):
        """As the kernel's array_map_*, dev_map_* and xsk_map_*."""
        if self.host == "Follows":
            return 0
        if command == UPDATE:
            if flags > 2:
                return EINVAL
            if not inside:
                return E2BIG
            if self.presence == "Sockets":
                if value == 0:
                    return EBADF
                if old != value and old is not None and flags == 1:
                    return EEXIST
                return ENOENT if old is None and flags == 2 else 0
            if flags == 1:
                return EEXIST
            # A program, whose descriptor is above 0, needs a device.
            program = value >> 32
            return EINVAL if self.stored and not value & 0xFFFFFFFF and 0 < program < 1 << 31 else 0
        if command == DELETE:
            return 0 if self.stored and inside else EINVAL
        if command == DUMP and not inside:
            return EINVAL
        return ENOENT if old is None else 0

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
            await array.operate(command, index, some_value(array), bench.random.choice([0, 0, 0, 1, 2, 3, 1 << 31]))
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
async def the_host_gets_the_kernels_answers(dut):
    array = await Array.start(dut)
    if array.host == "Follows":
        for index in (0, array.depth - 1):
            await array.operate(UPDATE, index, value=77)
            await array.operate(LOOKUP, index)
        await array.compare()
        return
    last, sockets, absent = array.depth - 1, array.presence == "Sockets", ENOENT if array.stored else 0
    for index in (0, last):
        await array.operate(LOOKUP, index, errno=absent)
        await array.operate(DUMP, index, errno=absent)
        await array.operate(UPDATE, index, value=77, flags=1, errno=0 if sockets else EEXIST)
        await array.operate(UPDATE, index, value=77, flags=2, errno=0)
        await array.operate(UPDATE, index, value=78, flags=1, errno=EEXIST)
        await array.operate(UPDATE, index, value=77, flags=1, errno=0 if sockets else EEXIST)
        await array.operate(UPDATE, index, value=79, flags=3, errno=EINVAL)
        await array.operate(LOOKUP, index, errno=0)
        await array.operate(DUMP, index, errno=0)
        await array.operate(DELETE, index, errno=0 if array.stored else EINVAL)
        await array.operate(LOOKUP, index, errno=absent)
        await array.operate(UPDATE, index, value=80, flags=2, errno=ENOENT if sockets else 0)
        await array.operate(UPDATE, index, value=0, errno=EBADF if sockets else 0)
        await array.operate(LOOKUP, index, errno=absent)
        if array.presence == "Devices":
            await array.operate(UPDATE, index, value=5 << 32, errno=EINVAL)
            await array.operate(UPDATE, index, value=0xFFFFFFFF << 32, errno=0)
            await array.operate(LOOKUP, index, errno=ENOENT)
        await array.operate(UPDATE, index, value=81, errno=0)
    for index in (array.depth, 1 << 31, (1 << 32) - 1):
        await array.operate(UPDATE, index, value=1, errno=E2BIG)
        await array.operate(LOOKUP, index, errno=ENOENT)
        await array.operate(DUMP, index, errno=EINVAL)
        await array.operate(DELETE, index, errno=EINVAL)
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
