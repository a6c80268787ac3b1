"""The host port behind an AXI4-Lite master by others, with a responder in the place of the pipeline and its maps."""

import cocotb
from cocotb.triggers import with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from cocotbext.axi.axil_channels import AxiLiteAWTransaction, AxiLiteWTransaction

from bench import BAD_INDEX, Bench, DONE, MISSING, REFUSED, parameters
from common import channels, pauses

OKAY, SLVERR = 0, 2
AT, COMMANDS = parameters()["addresses"], parameters()["commands"]
MAGIC, VERSION, DESIGN_ID, STATUS = (AT[name] for name in ("MAGIC", "VERSION", "DESIGN_ID", "STATUS"))
COUNTERS, PORT_TABLE, KEY, VALUE = (AT[name] for name in ("PACKETS_IN", "PORT_TABLE", "KEY", "VALUE"))
MAP_SELECT, MAP_COMMAND, MAP_STATUS, MAP_MAY, MAP_SLOT, MAP_HANDLE = (
    AT[f"MAP_{name}"] for name in ("SELECT", "COMMAND", "STATUS", "MAY", "SLOT", "HANDLE")
)
LOOKUP, UPDATE, DELETE, DUMP, NEXT = (COMMANDS[name] for name in ("LOOKUP", "UPDATE", "DELETE", "DUMP", "NEXT"))
BUSY = 1 << 31
# For so many clocks the entrance is closed before the slot of an operation comes, the slot's clock included.
HOLD_CLOCKS = 7
# So long an access may take; with pauses, whose clocks are the master's own, too.
ACCESS_CLOCKS, PAUSED_CLOCKS = 12, 300
OPERATION = ["map_select", "host_command", "host_may", "host_slot", "host_index", "host_key", "host_value"]
EVENTS = ["packet_in", "dropped_bad", "dropped_length"]
OUTCOMES = 5
PAUSES = [0.0, 0.3, 0.7]


class Host(Bench):
    """The block between the master and the responder; every clock is looked at."""

    def __init__(self, dut):
        super().__init__(dut)
        for name, value in self.parameters.items():
            setattr(self, name, value)
        self.axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        for part in (self.axi.write_if, self.axi.read_if):
            part.log.setLevel("ERROR")
        self.bound = ACCESS_CLOCKS
        # Share of the clocks with an event of each kind.
        self.events = 0
        # What the maps answer: answer, value, key, slot; while `stuck` they do not.
        self.answer, self.stuck = (0, 0, 0, 0), False
        # The slots that dumps find empty before that.
        self.empty = []
        self.injected = 0
        self.forget()

    @classmethod
    async def start(cls, dut, share=0.0):
        names = [*EVENTS, "fate_valid", "counted", "map_done", "map_answer", "map_value", "map_key", "map_slot"]
        host = await super().start(dut, **dict.fromkeys(names, 0))
        if share:
            host.bound = PAUSED_CLOCKS
            for channel in channels(host.axi):
                channel.set_pause_generator(pauses(host.random.random(), share))
        cocotb.start_soon(host.play())
        return host

    def forget(self):
        """As after a reset."""
        # Clocks since then; requests that were taken, answers, what was offered and not taken.
        self.now = 0
        self.asked, self.answers = {"b": 0, "r": 0}, {"b": 0, "r": 0}
        # Requests that were taken two clocks ago or before: they have their answers.
        self.before, self.due = {"b": 0, "r": 0}, {"b": 0, "r": 0}
        self.offered, self.waiting = {"b": None, "r": None}, {"b": 0, "r": 0}
        # The operation that is to come, the one that is inside, and the clocks until it is over.
        self.coming, self.inside, self.left, self.was_done = None, None, 0, False
        self.given, self.empty = (0, 0, 0, 0), []
        self.held, self.asks, self.prepared = 0, False, 0
        # For each clock, the events before it.
        self.counts = [[0] * (len(EVENTS) + OUTCOMES)]

    async def play(self):
        while True:
            await self.settle()
            if self.get("rst"):
                self.forget()
            else:
                self.look_at_sweep()
                self.look_at_axi("b", ("aw", "w"), ("resp",))
                self.look_at_axi("r", ("ar",), ("resp", "data"))
                self.look_at_operation()
                self.count_events()
                self.now += 1
            await self.edge()
            self.drive()

    def look_at_sweep(self):
        """One word a clock."""
        # A clock after the last word, which is cleared twice.
        running = self.now > self.clear_words
        assert (self.get("running"), self.get("clear")) == (running, not running)
        assert running or self.get("clear_index") == min(self.now, self.clear_words - 1)

    def look_at_axi(self, answer, requests, fields):
        """One transaction at a time, answered three clocks after it is offered; the answer stays until it is taken."""
        valid = all(self.get(f"s_axil_{name}valid") for name in requests)
        taken = [self.get(f"s_axil_{name}ready") and self.get(f"s_axil_{name}valid") for name in requests]
        answers = self.get(f"s_axil_{answer}valid")
        self.due[answer], self.before[answer] = self.before[answer], self.asked[answer]
        assert answers == self.due[answer] - self.answers[answer]
        self.waiting[answer] += valid and self.asked[answer] == self.answers[answer]
        assert all(taken) == any(taken) == (self.waiting[answer] == 2)
        if all(taken):
            self.asked[answer] += 1
            self.waiting[answer] = 0
        if answers:
            given = [self.get(f"s_axil_{answer}{field}") for field in fields]
            assert self.offered[answer] in (None, given)
            self.offered[answer] = given
            if self.get(f"s_axil_{answer}ready"):
                self.answers[answer] += 1
                self.offered[answer] = None

    def look_at_operation(self):
        """The entrance is closed for a few clocks; then the operation comes, once, with what the registers have."""
        hold, inject = self.get("hold"), self.get("inject")
        start = self.prepares and self.get("map_start")
        assert not (hold or inject or start) or self.coming, "nobody asked for an operation"
        assert not (start and self.asks), "a command starts once"
        self.asks |= start
        assert not hold or not self.prepares or self.prepared
        # From the clock of the sweep's end on it counts.
        self.held += hold and self.get("running")
        assert inject == (self.held == HOLD_CLOCKS)
        if self.inside:
            assert self.operation() == self.inside, "the registers stand still"
        if inject:
            assert self.operation() == self.coming
            self.injected += 1
            self.inside, self.coming, self.left = self.coming, None, self.random.randint(1, 12)
            self.held, self.asks, self.prepared = 0, False, 0

    def operation(self):
        return {name: self.get(name) for name in OPERATION}

    def count_events(self):
        events = [self.get(name) for name in EVENTS] + [0] * OUTCOMES
        if self.get("fate_valid"):
            events[len(EVENTS) + self.get("counted")] = 1
        self.counts.append([before + event for before, event in zip(self.counts[-1], events)])

    def drive(self):
        """What means nothing is junk."""
        self.set(**{name: self.happens(self.events) for name in [*EVENTS, "fate_valid"]})
        self.set(counted=self.random.randrange(OUTCOMES))
        self.left -= self.left > 1 or not self.stuck
        done = self.inside is not None and self.left == 0
        if done:
            self.given = self.answer
            if self.empty:
                slot = self.empty.pop(0)
                self.given = (MISSING, *self.given[1:3], slot)
                # The next one of its dumps.
                following = {"host_slot": slot + 1, "host_index": slot + 1}
                self.coming = {**self.inside, **following}
            self.inside = None
        answer, value, key, slot = self.given
        if not done:
            answer = self.random.getrandbits(3)
            # The others stand still a clock longer.
            if not self.was_done:
                widths = (self.value_bits, self.key_bits, self.slot_bits)
                value, key, slot = (self.random.getrandbits(bits) for bits in widths)
        self.was_done = done
        self.set(map_done=done, map_answer=answer, map_value=value, map_key=key, map_slot=slot)
        if self.prepares:
            # Made ready in some clock after the start; then it stays so.
            self.prepared = self.asks and (self.prepared or self.happens(0.1))
            self.set(map_prepared=self.prepared if self.asks else self.happens(0.5))

    # Accesses

    async def access(self, access, words=1):
        return await with_timeout(access, 4 * self.bound * words, "ns")

    async def read(self, address, response=OKAY, words=1):
        """The words from an address on as a number."""
        answer = await self.access(self.axi.read(address, 4 * words), words)
        assert answer.resp == response, f"read of {address:#x}: response {answer.resp}"
        return int.from_bytes(answer.data, "little")

    async def write(self, address, number, response=OKAY, words=1):
        """Writes a number to the words from an address on."""
        answer = await self.access(self.axi.write(address, number.to_bytes(4 * words, "little")), words)
        assert answer.resp == response, f"write of {address:#x}: response {answer.resp}"

    async def write_parts(self, address, word, strobe):
        """Writes the bytes of a word that the strobe has; the response."""
        port = self.axi.write_if
        await port.aw_channel.send(AxiLiteAWTransaction(awaddr=address))
        await port.w_channel.send(AxiLiteWTransaction(wdata=word, wstrb=strobe))
        return int((await self.access(port.b_channel.recv())).bresp)

    async def sweep_is_over(self):
        while not await self.read(STATUS):
            assert self.now < self.clear_words + 2 * self.bound
        assert await self.read(STATUS) == 1

    def map_registers(self):
        """Addresses that can be read and written, with the bits that they have."""
        bits = {MAP_SELECT: 32, MAP_MAY: 2, MAP_SLOT: 32}
        for first, width in ((KEY, self.key_bits), (VALUE, self.value_bits)):
            bits.update({first + low // 8: min(32, width - low) for low in range(0, width, 32)})
        return bits

    def port_registers(self):
        return {PORT_TABLE + 4 * place: 16 if place % 2 else 32 for place in range(32)} if self.has_port_table else {}

    def nowhere(self):
        """Addresses without a register: those behind each block of them, and any."""
        behind = [COUNTERS + 64, MAP_HANDLE + 4, KEY + self.key_bits // 32 * 4 + 4, VALUE + self.value_bits // 32 * 4 + 4]
        behind += [0xFC, PORT_TABLE - 4, PORT_TABLE + 128, MAP_SELECT - 4, KEY - 4, VALUE - 4, 0xFFFC]
        if not self.has_port_table:
            behind += [PORT_TABLE, PORT_TABLE + 124]
        anywhere = [self.random.randrange(0x3000, 0x10000) & ~3 for _ in range(4)]
        # A register's address with one bit more.
        anywhere += [register | 1 << self.random.randrange(14, 16) for register in (0, COUNTERS, MAP_SELECT, KEY)]
        return behind + anywhere

    async def command(self, number, map_number, known):
        """Writes a command whose registers are written; `known` has what they are."""
        key, value = known["host_key"], known["host_value"]
        if map_number < self.maps and LOOKUP <= number <= NEXT:
            # Maps see dumps.
            of_slot = number in (DUMP, NEXT)
            index = known["host_slot"] if of_slot else key & 0xFFFFFFFF
            shown = DUMP if of_slot else number
            self.coming = {**known, "map_select": map_number, "host_command": shown, "host_index": index}
        await self.write(MAP_COMMAND, number)
        return key, value

    async def end_of_operation(self):
        """The status when it is over."""
        for _ in range(40):
            status = await self.read(MAP_STATUS)
            if not status & BUSY:
                return status
        raise AssertionError("the operation is not over")

    async def registers(self, select):
        """Gives all registers of an operation something."""
        known = {"host_may": self.random.getrandbits(2), "host_slot": self.random.getrandbits(32)}
        known["host_key"] = self.random.getrandbits(self.key_bits)
        known["host_value"] = self.random.getrandbits(self.value_bits)
        await self.write(MAP_SELECT, select)
        await self.write(MAP_MAY, known["host_may"])
        await self.write(MAP_SLOT, known["host_slot"])
        await self.write(KEY, known["host_key"], words=self.key_words())
        await self.write(VALUE, known["host_value"], words=self.value_words())
        return known

    def key_words(self):
        return -(-self.key_bits // 32)

    def value_words(self):
        return -(-self.value_bits // 32)


@cocotb.test()
@cocotb.parametrize(share=PAUSES)
async def registers_keep_what_is_written(dut, share):
    host = await Host.start(dut, share)
    await host.sweep_is_over()
    constant = {MAGIC: int.from_bytes(b"HPTH", "big"), VERSION: host.version, DESIGN_ID: host.design_id, STATUS: 1}
    constant.update({COUNTERS + 4 * word: 0 for word in range(16)})
    constant[MAP_STATUS] = 0
    bits = {**host.map_registers(), **host.port_registers()}
    written = {}
    for address in bits:
        written[address] = host.random.getrandbits(32) & (1 << bits[address]) - 1
        # Bits that a register does not have are no reason to refuse the word.
        await host.write(address, written[address] | ~((1 << bits[address]) - 1) & 0xFFFFFFFF)
    for address, word in {**constant, **written}.items():
        assert await host.read(address) == word, f"{address:#x}"
    for address in [*constant, *host.nowhere()]:
        await host.write(address, host.random.getrandbits(32), SLVERR)
    for address in host.nowhere():
        assert await host.read(address, SLVERR) == 0, f"{address:#x}"
    await host.read(MAP_COMMAND)
    for address, word in {**constant, **written}.items():
        assert await host.read(address) == word, f"{address:#x}"
    assert host.injected == 0


@cocotb.test()
async def parts_of_words_are_refused(dut):
    host = await Host.start(dut, share=0.3)
    await host.sweep_is_over()
    for address in [MAP_SELECT, MAP_SLOT, KEY, VALUE, *list(host.port_registers())[:1]]:
        await host.write(address, 0x12345678)
        for strobe in range(15):
            assert await host.write_parts(address, host.random.getrandbits(32), strobe) == SLVERR
            assert await host.write_parts(MAP_COMMAND, LOOKUP, strobe) == SLVERR
        assert await host.read(address) == 0x12345678
        assert await host.write_parts(address, 0x9ABCDEF0, 15) == OKAY
        assert await host.read(address) == 0x9ABCDEF0
    assert host.injected == 0


@cocotb.test()
@cocotb.parametrize(share=PAUSES)
async def both_directions_at_once(dut, share):
    """Reads and writes that do not wait for each other."""
    host = await Host.start(dut, share)
    await host.write(MAP_MAY, 2)

    async def reads():
        for _ in range(30):
            assert await host.read(MAP_MAY) == 2
            assert await host.read(MAP_MAY + 0x8000, SLVERR) == 0

    reader = cocotb.start_soon(reads())
    for number in range(30):
        await host.write(MAP_SLOT, number)
        await host.write(MAP_MAY + 0x4000, number, SLVERR)
    await reader
    assert await host.read(MAP_SLOT) == 29


@cocotb.test()
@cocotb.parametrize(share=PAUSES)
async def operations_take_their_registers_with_them(dut, share):
    host = await Host.start(dut, share)
    ended, handle = 0, None
    for round in range(12):
        # Maps and commands that do not exist look like others in their low bits.
        exists = round % 3 != 2
        select, number = host.random.randrange(host.maps), round % 4 + 1
        if not exists:
            beyond = [(host.maps, number), (1 << 31, number), (select, 0), (select, NEXT + 1), (select, 8 + number)]
            select, number = host.random.choice(beyond)
        known = await host.registers(select)
        answer = host.random.choice([DONE, DONE, MISSING, BAD_INDEX])
        widths = (host.value_bits, host.key_bits, host.slot_bits)
        answer_value, answer_key, answer_slot = (host.random.getrandbits(bits) for bits in widths)
        host.answer = (answer, answer_value, answer_key, answer_slot)
        key, value = await host.command(number, select, known)
        assert await host.end_of_operation() == (answer if exists else REFUSED)
        ended += exists
        assert host.injected == ended
        if exists and answer == DONE:
            handle = answer_slot
        if handle is not None:
            assert await host.read(MAP_HANDLE) == handle
        assert await host.read(MAP_SLOT) == known["host_slot"]
        # A lookup gives a value, a dump the key, too; what failed gives nothing.
        if exists and answer == DONE:
            value = answer_value if number in (LOOKUP, DUMP) else value
            key = answer_key if number == DUMP else key
        assert await host.read(KEY, words=host.key_words()) == key
        assert await host.read(VALUE, words=host.value_words()) == value


@cocotb.test()
@cocotb.parametrize(share=[0.0, 0.3])
async def the_next_entry_is_found_slot_by_slot(dut, share):
    """NEXT is dumps of one slot after the other."""
    host = await Host.start(dut, share)
    await host.sweep_is_over()
    last = (1 << host.slot_bits) - 1
    for round in range(8):
        known = await host.registers(host.random.randrange(host.maps))
        select = await host.read(MAP_SELECT)
        first = [0, last, max(0, last - 3), host.random.randint(0, last)][round % 4]
        found = first + host.random.randrange(6)
        await host.write(MAP_SLOT, first)
        known["host_slot"] = first
        exists = found <= last
        key, value = host.random.getrandbits(host.key_bits), host.random.getrandbits(host.value_bits)
        host.answer = (DONE, value, key, found) if exists else (BAD_INDEX, value, key, 0)
        host.empty = list(range(first, min(found, last + 1)))
        before = host.injected
        dumps = len(host.empty) + 1
        await host.command(NEXT, select, known)
        assert await host.end_of_operation() == (DONE if exists else MISSING)
        assert host.injected == before + dumps and not host.empty
        assert await host.read(MAP_SLOT) == (found if exists else last) + 1
        if exists:
            assert await host.read(MAP_HANDLE) == found
            assert await host.read(KEY, words=host.key_words()) == key
            assert await host.read(VALUE, words=host.value_words()) == value
        else:
            assert await host.read(KEY, words=host.key_words()) == known["host_key"]


@cocotb.test()
async def nothing_changes_while_an_operation_runs(dut):
    host = await Host.start(dut)
    await host.sweep_is_over()
    known = await host.registers(0)
    host.stuck, host.answer = True, (7, 0, 0, 0)
    await host.command(UPDATE, 0, known)
    for _ in range(2):
        for address in (MAP_COMMAND, *host.map_registers()):
            # All the same whether it would start something.
            await host.write(address, LOOKUP, SLVERR)
            assert await host.read(MAP_STATUS) & BUSY
        for address in list(host.port_registers())[:2]:
            await host.write(address, 99)
            assert await host.read(address) == 99
    assert await host.read(KEY, words=host.key_words()) == known["host_key"]
    host.stuck = False
    assert await host.end_of_operation() == 7
    assert await host.read(KEY, words=host.key_words()) == known["host_key"]
    assert await host.read(MAP_MAY) == known["host_may"]
    await host.write(KEY, 1)
    assert host.injected == 1


@cocotb.test()
@cocotb.parametrize(share=PAUSES)
async def a_reset_ends_all_accesses(dut, share):
    host = await Host.start(dut, share)
    unanswered = 0
    for _ in range(10):
        known = await host.registers(host.maps - 1)
        command = cocotb.start_soon(host.command(LOOKUP, host.maps - 1, known))
        for _ in range(host.random.randrange(30)):
            if host.happens(0.3):
                host.axi.init_read(host.random.choice([MAP_STATUS, KEY, 0x300]), 4)
            if host.happens(0.3):
                host.axi.init_write(host.random.choice([MAP_STATUS, 0x300]), bytes(4))
            await host.edge()
        unanswered += not host.axi.idle()
        command.cancel()
        await host.reset(host.random.randint(1, 2))
        # No answer is left, and no operation comes.
        for address in (MAP_SELECT, MAP_STATUS, MAP_MAY, MAP_SLOT):
            assert await host.read(address) == 0
        await host.sweep_is_over()
    assert unanswered > 3


@cocotb.test()
async def an_operation_waits_for_the_sweep(dut):
    host = await Host.start(dut)
    await host.write(MAP_SELECT, 0)
    await host.reset(1)
    known = {"host_may": 0, "host_slot": 0, "host_key": host.get("host_key"), "host_value": host.get("host_value")}
    await host.command(LOOKUP, 0, known)
    assert host.now < host.clear_words and host.injected == 0
    await host.end_of_operation()
    assert host.injected == 1


@cocotb.test()
async def counters_count(dut):
    host = await Host.start(dut)
    for events in (0.1, 0.5, 1.0):
        host.events = events
        for _ in range(20):
            place, since = host.random.randrange(8), host.now
            count = await host.read(COUNTERS + 8 * place)
            # An event is seen at most 8 clocks later.
            assert host.counts[max(0, since - 8)][place] <= count <= host.counts[-1][place]
        host.events = 0
        for _ in range(8):
            await host.edge()
        for place in range(8):
            assert await host.read(COUNTERS + 8 * place) == host.counts[-1][place]
            assert await host.read(COUNTERS + 8 * place + 4) == 0
    assert all(host.counts[-1])
    await host.reset(1)
    for place in range(8):
        assert await host.read(COUNTERS + 8 * place) == 0


@cocotb.test()
async def ports_become_interfaces_and_queues(dut):
    host = await Host.start(dut, share=0.3)
    assert hasattr(dut, "port_interface") == host.has_port_table
    registers = host.port_registers()
    for place in range(len(registers) // 2):
        await host.write(PORT_TABLE + 8 * place, 1000 + place)
        await host.write(PORT_TABLE + 8 * place + 4, 0xFF00 + place)
    for port in range(256 if registers else 0):
        host.set(early_port=port)
        await host.settle()
        expected = (1000 + port, 0xFF00 + port) if port < 16 else (0, 0)
        assert (host.get("port_interface"), host.get("port_queue")) == expected
        await host.edge()
