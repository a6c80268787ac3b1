"""The processor around the requests: threads whose packets ask, begin again and leave, beside the maps as they must be."""

from collections import defaultdict

from bench import DONE, LOOKUP, MISSING, PUT
from maps import INDEXED, MOST, SESSIONS, SUMS, TABLE, VALUE_BYTES, Maps, changed
from programs import KEY_BYTES, KEYS, Program
from rows import word
from timeline import Timeline
from words import BUFFERS, put

# Stages of a row: what is asked, and a clock later its operands; where it leads, so that its thread can be ready a clock later, or over.
ASKED, LED, OVER = 9, 12, 15
# Clocks in which an answer comes from its map.
ANSWERED_WITHIN = 4
# Clocks for which packets of the program before are told behind the last one.
TOLD_AFTER = 32
# What a set of tags has room for.
TAGS = 3
# The maps of which packets see what others do to them; of the sums only with some programs.
IN_ORDER = 1 << SESSIONS | 1 << TABLE
ALL_IN_ORDER = IN_ORDER | 1 << SUMS
# What packets do.
USUAL = "looks", "reads", "changes", "sums"
ANSWER = "writes", "lane", "to", "value", "tells", "hit", "is_hit"


class Packet:
    """What is known of a packet inside."""

    def __init__(self, program, bank):
        self.program, self.bank = program, bank
        self.stale = False
        self.begin()

    def begin(self):
        """With its first row, as if nothing had been."""
        self.state, self.at = "ready", 0
        self.answers, self.log, self.reads = {}, [], {}
        self.stored = False
        # The operation that waits for its answer; it waits for the packet to be the oldest one, since.
        self.waits, self.in_order, self.asked = None, False, 0


class Sums:
    """Values of sums one addition after the other, in the order of the packets."""

    def __init__(self):
        self.steps, self.seen = [[0] * MOST[SUMS]], 0

    def add(self, operation):
        values = list(self.steps[-1])
        values[operation.entry] = changed(values[operation.entry], VALUE_BYTES[SUMS], operation)
        self.steps.append(values)

    def look(self, entry, value, at_least):
        """Nobody sees an older value than the one before."""
        self.seen = max(self.seen, at_least)
        while self.steps[self.seen][entry] != value:
            self.seen += 1
            assert self.seen < len(self.steps), "an addition was made that has not its turn, or an old one was not"


class Processor(Timeline):
    """Threads, whose rows ask. What they do is drawn at random.

    A thread that is ready is picked; its row is in stage 0 some clocks later.
    """

    def __init__(self, dut):
        super().__init__(dut)
        self.threads = self.parameters["threads"]
        self.to_stage_0 = 1 + self.parameters["fetch"]
        self.strobes = ["ask_of_map", "stores_9", "active", "active_1", "host_inject", "map_start"]
        bits = dict(a=64, a_1=64, b=64, b_1=64, word=128, word_1=128, ask_low=32, ask_last=32, ask_lane=1, ask_a=64, ask_b=64)
        self.free = dict(bits, thread_9=self.threads.bit_length() - 1, bank_9=1)
        self.maps, self.sums = Maps(), Sums()
        self.packets, self.entered, self.left = {}, 0, 0
        self.bank, self.changed_before, self.old_since = 0, 0, None
        # Of the program in each bank.
        self.ordered = [IN_ORDER, IN_ORDER]
        # By the clock: threads whose row is over, and what they are then; what is put into a buffer.
        self.leds, self.puts = defaultdict(list), {}
        # The answer that was offered and not taken; when that was so.
        self.before, self.refused = None, -1
        # Tags of changes: by thread, that which was asked for; those that the oldest packet makes when it leaves.
        self.changing, self.adding = {}, []
        # By thread: what its packet had read before it began again, and until when that can be seen.
        self.forgotten = {}
        self.full_log = False
        self.counts = dict.fromkeys(["restarts", "overflows", "full logs", "answers", "parks", "changes"], 0)
        self.set_up(adds=True, loads=True)

    def set_up(self, enters=0.5, adds=False, loads=False, stores=0.1, taken=1.0, leaves=0.7, ordered=IN_ORDER, moods=USUAL):
        """How often what happens, and what packets that enter do."""
        self.moods = moods
        self.ordered[self.bank] = ordered
        self.enters, self.adds, self.loads = enters, adds, loads
        self.stores, self.taken, self.leaving = stores, taken, leaves

    @classmethod
    async def start(cls, dut):
        """Out of reset and swept."""
        zeros = dict.fromkeys(["ask_slow", "clear", "clear_index", "clears", "leaves", "restarts", "answer_taken", "host_slot", "host_index"], 0)
        rooms = dict(key_bytes_0=KEY_BYTES, key_bytes_1=4, key_bytes_2=4, most_0=MOST[0], most_1=MOST[1], most_2=MOST[2])
        names = "ask_of_map", "stores_9", "active", "active_1", "host_inject", "map_start", "is_stale", "oldest", "some_inside", "done"
        processor = await super().start(dut, **zeros, **rooms, **dict.fromkeys(names, 0))
        await processor.swept()
        return processor

    async def swept(self):
        for _ in range(100):
            await self.clock()
            if self.get("swept") == 0b111:
                return
        raise AssertionError("maps are not swept")

    @property
    def oldest(self):
        return self.left % self.threads

    async def run(self, clocks):
        for _ in range(clocks):
            await self.turn()

    async def empty(self):
        """Until all have left, and nothing is under way."""
        self.enters = 0
        for _ in range(400 * self.threads):
            if not self.packets and self.get("still"):
                break
            await self.turn()
        else:
            raise AssertionError("packets do not leave")

    async def turn(self):
        """One clock."""
        packets, oldest = self.packets, self.packets.get(self.oldest)
        has_room = len(packets) < self.threads
        self.done = oldest is not None and oldest.state == "over" and not oldest.stale
        if self.done and not oldest.told_sums:
            oldest.told_sums = True
            for operation in oldest.log:
                self.sums.add(operation)
                self.adding.append(self.tag(operation, operation.entry))
        stale = sum(1 << thread for thread, packet in packets.items() if packet.stale)
        self.drive(0, oldest=self.oldest, some_inside=bool(packets), done=self.done, is_stale=stale)
        self.drive(0, bank=self.bank, changed_before=self.changed_before, ordered_0=self.ordered[0], ordered_1=self.ordered[1])
        self.pick()
        self.check(0, self.judge)
        await self.clock()
        if self.happens(self.enters) and has_room:
            program = Program(self.random, self.random.choice(self.moods), self.adds, self.loads, self.stores)
            packets[self.entered % self.threads] = packet = Packet(program, self.bank)
            packet.told_sums = False
            self.entered += 1

    # Rows.

    def pick(self):
        ready = [thread for thread, packet in self.packets.items() if packet.state == "ready" and not packet.stale]
        if ready and self.happens(0.9):
            thread = self.random.choice(ready)
            self.packets[thread].state = "row"
            # In stage -2 it is decided whether it may store.
            self.check(self.to_stage_0 - 2, lambda: self.row(thread))

    def row(self, thread):
        packet = self.packets[thread]
        row = packet.program.rows[packet.at]
        sure = thread == self.oldest and not packet.stale
        if row.stores and self.get("guesses") >> thread & 1 and not sure:
            self.counts["parks"] += 1
            self.drive(2 + ASKED, thread_9=thread)
            self.leds[self.now + 2 + LED].append((thread, "ready"))
            return
        number, draw = row.operation, self.random
        entry = self.entry(packet, number)
        packet.at += 1
        lanes = draw.sample([0, 1], 2) if row.puts is None else [1, 0]
        # Some other operation, which writes no buffer.
        words = [word("Move") | draw.getrandbits(123) << 5, word("Move")]
        happens = [draw.getrandbits(1), 1]
        operands = [(draw.getrandbits(64), draw.getrandbits(64)) for _ in range(2)]
        if row.puts is not None:
            buffer, at, data = row.puts
            words[1] = put(buffer, at, data)
            operands[1] = tuple(data + [draw.getrandbits(64)])[:2]
            self.puts[self.now + 2 + ASKED + 1] = thread, buffer, {at + number: one for number, one in enumerate(data)}
        elif draw.random() < 0.2:
            # One that does not happen.
            words[1], happens[1] = put(draw.choice(BUFFERS), draw.randrange(3), [0]), 0
        if number is not None:
            ask = packet.program.asks[number]
            words[0] = ask.low | draw.getrandbits(32) << 64
        for (lane, suffix), what, does, (a, b) in zip([(lane, "_1" if lane else "") for lane in lanes], words, happens, operands):
            self.drive(2, **{"word" + suffix: what})
            self.drive(2 + 6, **{"a" + suffix: a, "b" + suffix: b})
            self.drive(2 + ASKED, **{"active" + suffix: does})
        self.drive(2 + ASKED, thread_9=thread, bank_9=packet.bank, stores_9=row.stores)
        if entry is not None:
            self.drive(2 + ASKED, ask_of_map=1, ask_low=ask.low)
            a = ask.a if packet.program.operations[number].by_key else ask.a | entry
            self.drive(2 + ASKED + 1, ask_last=ask.last, ask_lane=lanes[0], ask_a=a, ask_b=ask.b)
            packet.lane = lanes[0]
        self.check(2 + ASKED, lambda: self.asks(thread, row, entry))

    def entry(self, packet, number):
        """What an operation means; 0 of one with a key, `None` where there is nothing."""
        if number is None:
            return None
        operation = packet.program.operations[number]
        if operation.by_key:
            return 0
        if operation.via is None:
            return operation.entry
        value, hit = packet.answers.get(operation.via, (0, False))
        return value if hit else None

    def asks(self, thread, row, entry):
        """Stage 9."""
        packet, number = self.packets[thread], row.operation
        after = "over" if row.ends else "ready"
        packet.stored |= row.stores
        waits = False
        if entry is not None:
            operation = packet.program.operations[number]
            own = self.ordered[packet.bank] >> operation.slot & 1
            before = self.changed_before >> operation.slot & 1 and packet.bank == self.bank
            adds = operation.only_adds and not own
            self.full_log = adds and len(packet.log) == self.parameters["logged"]
            waits = not adds or self.full_log
            if waits:
                packet.waits, packet.after, packet.asked, packet.still_since = number, after, self.now, None
                packet.entry = entry
                ordered = own or before
                packet.in_order = bool(operation.only_adds or ordered and (packet.stored or not operation.reads))
                packet.lower = len(self.sums.steps) - 1 - self.still_to_add()
                tag = self.tag(operation, entry)
                if not operation.reads:
                    self.changing[thread] = tag
                elif ordered and not packet.in_order and tag is not None:
                    packet.reads.setdefault(tag, False)
            else:
                packet.log.append(operation)
        assert self.get("waits") == waits
        if waits:
            packet.state = "waits"
        else:
            self.leds[self.now + (OVER if row.ends else LED) - ASKED].append((thread, after))

    def still_to_add(self):
        """Additions of the oldest packet, which is over."""
        return len(self.packets[self.oldest].log) if self.done else 0

    def tag(self, operation, entry):
        """What must be told apart; `None`: it is found whatever others do."""
        slot = operation.slot
        if operation.by_key and not INDEXED[slot]:
            return slot, "key", operation.key
        if operation.by_key and operation.opcode == "Lookup":
            return None
        return slot, "entry", operation.key if operation.by_key else entry

    # What stands in the middle of a clock.

    def judge(self):
        self.judge_puts()
        self.judge_waiting()
        told = self.get("stale")
        for thread in range(self.threads):
            if told >> thread & 1:
                self.judge_stale(thread)
        self.answer()
        for thread, state in self.leds.pop(self.now, []):
            self.packets[thread].state = state
        leaves = self.done and self.get("committed") and self.happens(self.leaving)
        restarts = 0
        for thread, packet in self.packets.items():
            if packet.stale and packet.state in ("ready", "over"):
                assert not packet.stored, "it has written its bytes and cannot begin again"
                restarts |= 1 << thread
                self.counts["restarts"] += 1
                self.forget(thread, packet)
                packet.begin()
            packet.stale = bool(told >> thread & 1) or packet.stale and not restarts >> thread & 1
        self.set(leaves=leaves, restarts=restarts)
        if leaves:
            self.leave()
        self.age()

    def judge_puts(self):
        thread, buffer, words = self.puts.pop(self.now, (0, "", {}))
        value = words.get(0) if buffer == "value" else None
        assert self.get("value_puts") == (value is not None)
        assert value is None or self.get("value_put_data") == value
        assert buffer != "exit" or self.get("exit_put_thread") == thread
        for place, number in enumerate(self.parameters["exit_words"]):
            data = words.get(number) if buffer == "exit" else None
            assert self.get(f"exit_puts_{place}") == (data is not None)
            assert data is None or self.get(f"exit_put_data_{place}") == data

    def judge_waiting(self):
        packets = self.packets.items()
        parked = [thread for thread, packet in packets if packet.in_order and thread != self.oldest and self.now >= packet.asked + 2]
        some = any(packet.in_order for packet in self.packets.values())
        assert self.get("some_wait") or not parked
        assert not self.get("some_wait") or some
        still = self.get("still")
        assert not still or not parked
        for packet in self.packets.values():
            if still and packet.waits is not None and packet.still_since is None and self.now >= packet.asked + 2:
                packet.still_since = self.now
        full = any(len(packet.reads) > TAGS for packet in self.packets.values())
        overflows = self.get("overflows")
        assert overflows or not self.full_log, "a full log is told"
        assert not overflows or self.full_log or full
        self.counts["overflows"] += overflows and not self.full_log
        self.counts["full logs"] += self.full_log
        self.full_log = False
        guesses = self.get("guesses")
        for thread in range(self.threads):
            packet = self.packets.get(thread)
            reads = packet.reads if packet else {}
            assert not guesses >> thread & 1 or reads or self.had_read(thread), "it has read nothing"
            assert guesses >> thread & 1 or not any(reads.values()), "what it has read is forgotten"

    def forget(self, thread, packet):
        self.forgotten[thread] = self.now + 2, self.had_read(thread) | packet.reads

    def had_read(self, thread):
        until, reads = self.forgotten.get(thread, (0, {}))
        return reads if self.now <= until else {}

    def judge_stale(self, thread):
        """Told to one who has read what is changed meanwhile, or more than there is room for."""
        assert thread in self.packets, "its packet has left"
        packet = self.packets[thread]
        assert not packet.stored, "it has written its bytes and cannot begin again"
        changes = [tag for other, tag in self.changing.items() if other != thread] + self.adding
        has_read = packet.reads, self.had_read(thread)
        assert any(len(reads) > TAGS or any(tag in reads for tag in changes) for reads in has_read), "it is stale for nothing"

    def answer(self):
        """Takes one, perhaps."""
        if not self.get("answer_valid"):
            assert self.before is None, "an answer was not taken and is gone"
            self.set(answer_taken=0)
            return
        thread = self.get("answer_thread")
        answer = thread, {name: self.get(f"answer_{name}") for name in ANSWER}
        assert self.before in (None, answer), "an answer that is not taken stays"
        packet = self.packets[thread]
        assert packet.state == "waits", "nobody has asked"
        if self.before is None:
            self.judge_answer(thread, packet, answer[1])
        takes = self.happens(self.taken)
        self.refused = self.refused if takes else self.now
        self.before = None if takes else answer
        self.set(answer_taken=takes)
        if takes:
            self.counts["answers"] += 1
            packet.waits, packet.in_order, packet.state = None, False, packet.after
            self.changing.pop(thread, None)

    def judge_answer(self, thread, packet, answer):
        number = packet.waits
        operation = packet.program.operations[number]
        looks = operation.opcode == "Lookup"
        assert thread == self.oldest or not packet.in_order, "it is not its turn"
        # Where none had to wait, an answer is here some clocks after its map gave it.
        at_once = self.refused < packet.asked and packet.still_since is not None
        assert not at_once or packet.still_since >= self.now - ANSWERED_WITHIN, "a request was under way"
        assert answer["writes"] == operation.writes() and answer["tells"] == looks
        assert not operation.writes() or answer["to"] == (operation.to or 0) and answer["lane"] == packet.lane
        assert not looks or answer["hit"] == operation.hit
        value = answer["value"] if operation.writes() else None
        hit = bool(answer["is_hit"]) if looks else None
        tag = self.tag(operation, packet.entry)
        if operation.slot == SUMS:
            if operation.reads:
                self.sums.look(packet.entry, value, packet.lower)
            elif not packet.stale:
                self.sums.add(operation)
                self.sums.seen = len(self.sums.steps) - 1
        if not operation.reads and not packet.stale:
            self.counts["changes"] += 1
            for other, reader in self.packets.items():
                assert other == thread or not reader.reads.get(tag) or reader.stale, "it has read too early and is not told"
        if tag in packet.reads:
            packet.reads[tag] = True
        # A program that adds to sums and looks at them, and does not say so, sees some of those before it.
        if operation.slot != SUMS or not packet.program.adds or self.ordered[packet.bank] == ALL_IN_ORDER:
            packet.answers[number] = value, hit

    def leave(self):
        packet = self.packets.pop(self.oldest)
        self.forget(self.oldest, packet)
        self.maps.run(packet.program.operations, packet.answers)
        # Those that are told of it are told by now.
        self.adding = []
        self.left += 1

    async def change_program(self, **behind):
        """Packets that enter from now on are of another program, while those of the one before, which changes all maps, are inside."""
        while self.changed_before:
            await self.turn()
        self.bank, self.changed_before, self.old_since = 1 - self.bank, ALL_IN_ORDER, self.now
        self.set_up(**behind)

    def age(self):
        """Packets of the program before."""
        if self.changed_before:
            if any(packet.bank != self.bank for packet in self.packets.values()):
                self.old_since = self.now
            elif self.now - self.old_since > TOLD_AFTER:
                self.changed_before = 0

    # The host.

    async def host(self, slot, command, key, value=0):
        self.set(map_select=slot, host_command=command, host_may=PUT, host_key=key, host_value=value, host_index=key & 0xFFFFFFFF)
        self.drive(0, host_inject=1)
        answers = []

        def see():
            if self.get("map_done"):
                answers.append((self.get("map_answer"), self.get("map_value")))

        for _ in range(100):
            self.check(0, see)
            await self.turn()
            if answers:
                return answers[0]
        raise AssertionError("the host has no answer")

    async def clear(self, slot):
        """The map in a slot goes, as when another program comes."""
        self.set(clears=1 << slot)
        await self.turn()
        self.set(clears=0)
        await self.swept()
        self.maps.clear(slot)
        self.sums = Sums()
        self.sums.steps = [[self.maps.maps[SUMS][entry] for entry in range(MOST[SUMS])]]

    async def compare(self):
        """What maps hold when all have left is what the packets have left there."""
        await self.empty()
        for slot, keys in (SESSIONS, KEYS), (TABLE, range(MOST[TABLE])), (SUMS, range(MOST[SUMS])):
            for key in keys:
                expected = self.maps.maps[slot].get(key)
                answer, value = await self.host(slot, LOOKUP, key)
                assert answer == (MISSING if expected is None else DONE)
                assert expected is None or value == expected
