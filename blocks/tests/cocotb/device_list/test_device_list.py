"""The device list: each packet sees the map as it was when the packet entered; keys are sorted; when the host and the
entrance must wait, and for how long."""

from collections import deque

import cocotb

from bench import Bench, DELETE, DONE, DUMP, FULL, LOOKUP, MISSING, UPDATE

# So long a change takes besides a clock for each entry.
MERGE_CLOCKS = 5


class Operation:
    """A command, and what the map answers; `selected`: it is for this map."""

    def __init__(self, command, key, device=0, answer=DONE, selected=True):
        self.command, self.key, self.device, self.answer, self.selected = command, key, device, answer, selected
        self.is_change = selected and command in (UPDATE, DELETE)


class Traffic:
    """The list between a host, an entrance and an exit."""

    @classmethod
    async def start(cls, dut):
        traffic = cls()
        bench = traffic.bench = await Bench.start(
            dut, selected=0, map_start=0, inject=0, map_done=0, map_answer=0, host_command=0, host_key=0, host_value=0,
            in_flight=0, packet_left=0, index=0, read=0,
        )  # fmt: skip
        traffic.random, traffic.happens = bench.random, bench.happens
        traffic.entries = bench.parameters["entries"]
        traffic.most_inside = (1 << bench.parameters["flight_bits"]) - 1
        traffic.enters = traffic.leaves = traffic.asks = 0
        traffic.devices_read = traffic.held = 0
        traffic.forget()
        return traffic

    def forget(self):
        """As after a reset."""
        self.map = {}
        # For each packet inside, the number of changes before it and the list that it sees.
        self.inside, self.changes = deque(), 0
        self.asked = None

    async def clock(self, closed=False, hold=False, **inputs):
        """One clock of packets, with inputs from the host; whether the list is prepared. `closed`: none enters; `hold`:
        what the list must say to that."""
        bench = self.bench
        room = len(self.inside) < self.most_inside
        enters = room and not closed and self.happens(self.enters)
        leaves = bool(self.inside) and self.happens(self.leaves)
        devices = self.inside[0][1] if self.inside else []
        place = self.random.randrange(len(devices)) if devices and self.happens(self.asks) else None
        count, device, held, prepared = await bench.step(
            "count", "device", "hold", "prepared",
            in_flight=len(self.inside), packet_left=leaves, read=place is not None, index=place or 0,
            **{"map_start": 0, "inject": 0, "map_done": 0, "map_answer": 0, **inputs},
        )  # fmt: skip
        if self.inside:
            assert count == len(devices)
        if self.asked is not None:
            assert device == self.asked
            self.devices_read += 1
        assert held == hold
        self.held += held
        if place is not None:
            self.asked = devices[place]
        if leaves:
            self.inside.popleft()
        if enters:
            self.inside.append((self.changes, [self.map[key] for key in sorted(self.map)]))
        return prepared

    async def perform(self, operation):
        """An operation from its start until it is over."""
        # Junk above the device, which is not the list's.
        value = self.random.getrandbits(self.bench.parameters["value_bits"]) >> 32 << 32 | operation.device
        assert await self.clock(map_start=1, selected=operation.selected)
        # The registers have it from the next clock on.
        self.bench.set(host_command=operation.command, host_key=operation.key, host_value=value)
        clocks = 0
        while not await self.clock():
            # While a packet sees the other copy, that one is not free.
            seen = any(before < self.changes for before, _ in self.inside)
            clocks = 0 if seen else clocks + 1
            assert operation.is_change and clocks <= len(self.map) + MERGE_CLOCKS
        for _ in range(self.random.randrange(4)):
            assert await self.clock()
        assert await self.clock(closed=True, inject=1)
        # Only behind a change the entrance stays closed until it is over.
        closed = {"closed": operation.is_change, "hold": operation.is_change}
        for _ in range(self.random.randrange(6)):
            await self.clock(**closed)
        await self.clock(map_done=1, map_answer=operation.answer, **closed)
        if operation.is_change and operation.answer == DONE:
            self.changes += 1
            self.map.pop(operation.key, None)
            if operation.command == UPDATE and operation.device:
                self.map[operation.key] = operation.device

    def some_operation(self):
        """Few keys, so that they meet; their order is that of all of their bits."""
        command = self.random.choice([UPDATE, UPDATE, UPDATE, UPDATE, DELETE, LOOKUP, DUMP])
        key = self.random.randrange(2 * self.entries) * self.random.choice([1, 0x80000001]) & 0xFFFFFFFF
        device = self.random.choice([0, 1, 2, 0xFFFFFFFF, self.random.getrandbits(32)])
        answer = DONE
        if command == UPDATE and device and key not in self.map and len(self.map) == self.entries:
            answer = FULL
        elif command != UPDATE and key not in self.map:
            answer = MISSING
        return Operation(command, key, device, answer, selected=self.happens(0.85))


@cocotb.test()
@cocotb.parametrize(enters=[0.2, 1.0], leaves=[0.2, 1.0])
async def packets_see_the_map_at_their_place(dut, enters, leaves):
    traffic = await Traffic.start(dut)
    traffic.enters, traffic.leaves, traffic.asks = enters, leaves, 0.7
    for _ in range(70):
        await traffic.perform(traffic.some_operation())
        for _ in range(traffic.random.choice([0, 1, 8])):
            await traffic.clock()
    assert traffic.changes > 10 and traffic.devices_read > 30 and traffic.held > 30


@cocotb.test()
async def a_full_list_is_sorted(dut):
    """Keys come in any order; a change of any of them takes one clock for each entry."""
    traffic = await Traffic.start(dut)
    keys = [key << 24 | 255 - key for key in range(traffic.entries)]
    traffic.random.shuffle(keys)
    for key in keys:
        await traffic.perform(Operation(UPDATE, key, 1 + traffic.random.getrandbits(31)))
    await traffic.perform(Operation(UPDATE, 77, 1, answer=FULL))
    await read_all(traffic)
    for key in keys[::3]:
        await traffic.perform(Operation(UPDATE, key, traffic.random.getrandbits(8)))
    await read_all(traffic)
    for key in keys[:3]:
        await traffic.perform(Operation(DELETE, key))
    await read_all(traffic)


async def read_all(traffic):
    """The list of a packet that enters now, place by place."""
    bench = traffic.bench
    traffic.enters = 1.0
    await traffic.clock()
    traffic.enters = 0
    for place, key in enumerate(sorted(traffic.map)):
        await bench.step(in_flight=1, read=1, index=place)
        count, device = await bench.step("count", "device", read=0, index=0)
        assert (count, device) == (len(traffic.map), traffic.map[key])
    traffic.leaves, traffic.asked = 1.0, None
    await traffic.clock()
    traffic.leaves = 0


@cocotb.test()
async def a_reset_empties_the_list(dut):
    """Also in the middle of a change."""
    traffic = await Traffic.start(dut)
    for wait in range(8):
        for key in range(min(traffic.entries, 3)):
            await traffic.perform(Operation(UPDATE, key, 5 + key))
        traffic.enters = 0.5
        await traffic.clock(map_start=1, selected=1)
        traffic.bench.set(host_command=UPDATE, host_key=wait, host_value=9)
        for _ in range(wait):
            await traffic.clock()
        traffic.bench.set(in_flight=0, packet_left=0, read=0)
        await traffic.bench.reset(clocks=1)
        traffic.forget()
        traffic.enters = 0
        assert await traffic.clock()
        await read_all(traffic)
