"""The threads around the exits: rows of packets that lead somewhere, end, send copies and begin again."""

from collections import deque

from packets import AS_BUFFER, BACK, BUFFER, CLASS, DROPPED, FORWARDED, NOWHERE, PARAMETERS, Ending, Packet
from rows import word
from timeline import Timeline

# Stages of a row: operands; what happens; where it leads, and words for buffers; copies; its thread is ready, or over.
OPERANDS, CUT, LEADS, SENT, LED, OVER = 6, 9, 10, 11, 12, 15
# What comes with a packet.
ENTERS = "line", "lines", "front_lines", "length"


class Threads(Timeline):
    """What packets do is drawn at random; a row begins in each clock in which a thread is ready."""

    def __init__(self, dut):
        super().__init__(dut)
        self.threads = PARAMETERS["threads"]
        self.copies, self.words = PARAMETERS["copies"], PARAMETERS["words"]
        bits = self.threads.bit_length() - 1
        self.free = {"thread_9": bits, "put_thread": bits, "enters_thread": bits, "word": 128, "word_1": 128, "a": 64, "a_1": 64}
        self.free |= {f"enters_{name}": self.bits(f"enters_{name}") for name in ENTERS}
        self.strobes = ["over", "enters", "taken", "taken_1"]
        for number in range(len(self.words)):
            self.strobes.append(f"puts{self.suffix(number)}")
            self.free[f"put_data{self.suffix(number)}"] = 64
        if self.copies:
            self.strobes += ["row_begins", "row_starts", "lane_active_0", "lane_active_1"]
        if PARAMETERS["lists"]:
            self.free["enters_interface"] = 32
        self.buffers = [dict.fromkeys(self.words, 0) for _ in range(self.threads)]
        self.packets, self.entered, self.left, self.restarted = {}, 0, 0, 0
        # Jobs of the packet that leaves, whose bytes in front have not come; those behind it that have not been taken.
        self.due, self.offered = deque(), deque()
        self.lists, self.devices = [], {}

    def bits(self, name):
        return len(getattr(self.dut, name))

    @staticmethod
    def suffix(number):
        return f"_{number}" if number else ""

    @classmethod
    async def start(cls, dut):
        """Out of reset, which leaves buffers as they were."""
        threads = await super().start(dut, oldest=0, leave_valid=0, job_ready=0, over=0, enters=0, taken=0, taken_1=0)
        for thread in range(threads.threads):
            threads.put(0, thread, dict.fromkeys(threads.words, 0))
            await threads.clock()
        return threads

    def draw_lists(self):
        """What the maps hold, while no packet is inside."""
        draw = self.random
        self.lists = [draw.sample(range(8), draw.randrange(most + 1)) for most in PARAMETERS["lists"]]
        self.set(**{f"list_count_{number}": len(devices) for number, devices in enumerate(self.lists)})

    @property
    def oldest(self):
        return self.left % self.threads

    async def run(self, clocks, ready, restarts):
        for _ in range(clocks):
            await self.turn(ready, restarts, enters=0.3)

    async def empty(self, ready):
        for _ in range(4000):
            if not self.packets and not self.offered:
                return
            await self.turn(ready, 0.0, enters=0)
        raise AssertionError("packets do not leave")

    async def turn(self, ready, restarts, enters):
        """One clock."""
        oldest = self.packets.get(self.oldest)
        if oldest and oldest.state == "over" and not oldest.leaves and self.happens(0.5):
            oldest.leaves = True
            self.due.extend(oldest.jobs(self.buffers[self.oldest], self.lists))
        job_ready = self.happens(ready)
        self.drive(0, oldest=self.oldest, leave_valid=bool(oldest and oldest.leaves), job_ready=job_ready, **self.devices)
        waiting = [thread for thread, packet in self.packets.items() if packet.state == "ready"]
        if waiting and self.happens(0.9):
            self.row(self.random.choice(waiting))
        enters = len(self.packets) < self.threads and self.happens(enters)
        if enters:
            self.enter(self.entered % self.threads)
        self.check(0, lambda: self.judge(job_ready))
        await self.clock()
        for packet in self.packets.values():
            if packet.state in ("ready", "over") and not packet.leaves and self.happens(restarts):
                packet.begin(self.rows())
                self.restarted += 1

    def rows(self):
        return 1 + self.random.randrange(6)

    def enter(self, thread):
        draw = self.random
        place = {name: draw.getrandbits(self.free[f"enters_{name}"]) for name in ENTERS}
        interface = draw.randrange(8)
        self.drive(0, enters=1, enters_thread=thread, **{f"enters_{name}": value for name, value in place.items()})
        if PARAMETERS["lists"]:
            self.drive(0, enters_interface=interface)
        packet = Packet(**place, interface=interface)
        packet.begin(self.rows())
        packet.state = "enters"

        def is_here():
            packet.state = "ready"

        self.check(1, is_here)
        self.packets[thread] = packet
        self.entered += 1

    # Rows.

    def row(self, thread):
        """From stage 0 on."""
        packet, draw = self.packets[thread], self.random
        packet.left -= 1
        packet.state = "row"
        over = draw.random() < 0.05
        kind = draw.choice(["Branch", "Indirect", None]) if packet.left else draw.choice(["Exit"] * 9 + [None])
        over |= not packet.left and kind is None
        words, taken, active = [self.other(), self.other()], [0, 0], [draw.getrandbits(1) for _ in range(2)]
        operands = [draw.getrandbits(64), draw.getrandbits(64)]
        goes, ending = None, Ending(DROPPED, has_outputs=1, over=True) if over else None
        lane = draw.randrange(2)
        if kind is not None:
            taken[lane] = active[lane] = 1
            target = draw.randrange(PARAMETERS["rows"])
            if kind == "Exit":
                words[lane], found = self.exit(operands[lane])
                ending = ending or found
            elif not over:
                goes = target if kind == "Branch" else operands[lane] % PARAMETERS["rows"]
            if kind == "Branch":
                words[lane] = word(kind, target=target)
            elif kind == "Indirect":
                words[lane] = word(kind)
        copy = None
        if self.copies and packet.sends < self.copies and draw.random() < 0.4:
            packet.sends += 1
            words[1 - lane], copy = self.send()
            active[1 - lane] = draw.randrange(4) > 0
            copy = copy if active[1 - lane] else None
        for number in range(2):
            suffix = self.suffix(number)
            self.drive(0, **{f"word{suffix}": words[number]})
            self.drive(OPERANDS, **{f"a{suffix}": operands[number]})
            self.drive(CUT, **{f"taken{suffix}": taken[number]})
            if self.copies:
                self.drive(CUT, **{f"lane_active_{number}": active[number]})
        if self.copies:
            self.drive(0, row_begins=1, row_starts=packet.starts)
            self.check(SENT, lambda: self.sent(thread, packet, copy))
        packet.starts = False
        self.drive(CUT, thread_9=thread, over=over)
        puts = self.puts(thread)
        self.check(LEADS, lambda: self.leads(thread, packet, puts, goes, ending))

        def led():
            packet.state = "over" if ending else "ready"

        self.check(OVER if ending else LED, led)

    def other(self):
        """An operation that leads nowhere; as long as it is not taken it may be any but a copy."""
        opcode = self.random.choice(["Move", "Put", "Exit", "Branch", "Indirect", "Load"])
        return word(opcode) | self.random.getrandbits(123) << 5

    def exit(self, operand):
        draw = self.random
        ending = Ending(draw.choice([AS_BUFFER, DROPPED, FORWARDED, FORWARDED]), **self.said())
        fields = {"b_kind": draw.randrange(2)}
        if PARAMETERS["lists"] and draw.random() < 0.4:
            # Not one that leads nowhere.
            ending.way = CLASS + draw.randrange(NOWHERE)
            ending.each = draw.randrange(len(self.lists))
            # Behind a map that is no list.
            fields |= {"has_each": 1, "map": 1 + ending.each}
        # One with a condition has its operands there.
        ending.index = 0 if fields["b_kind"] else operand & 0xFFFFFFFF
        return word("Exit", forwarded=ending.forwarded, **self.fields(ending), **fields), ending

    def send(self):
        ending = Ending(**self.said())
        return word("Send", **self.fields(ending)), ending

    def said(self):
        draw = self.random
        own = draw.randrange(2)
        return {
            "has_outputs": own,
            "outputs": draw.getrandbits(32) if own else 0,
            "way": draw.choice([BACK, BUFFER, CLASS, CLASS + 1, CLASS + 2, CLASS + NOWHERE]),
            "leaving": draw.randrange(2),
        }

    @staticmethod
    def fields(ending):
        return {name: getattr(ending, name) for name in ("has_outputs", "outputs", "way", "leaving")}

    def puts(self, thread):
        """Words of the exit buffer that the row writes."""
        draw = self.random
        puts = {number: draw.getrandbits(64) for number in self.words if draw.random() < 0.15}
        self.put(LEADS, thread, puts)
        return puts

    def put(self, after, thread, puts):
        self.drive(after, put_thread=thread)
        for place, number in enumerate(self.words):
            if number in puts:
                suffix = self.suffix(place)
                self.drive(after, **{f"puts{suffix}": 1, f"put_data{suffix}": puts[number]})

    def leads(self, thread, packet, puts, goes, ending):
        """Stage 10."""
        assert self.get("goes") == (goes is not None)
        assert goes is None or self.get("goes_to") == goes
        assert self.get("ends") == (ending is not None)
        self.buffers[thread] |= puts
        if ending:
            packet.ending = ending

    def sent(self, thread, packet, copy):
        """Stage 11: with what the row has put; only one that leads somewhere."""
        if copy is not None:
            copy.words = dict(self.buffers[thread])
            if copy.destination(copy.words)[0] != NOWHERE:
                packet.copies.append(copy)

    # What stands in the middle of a clock.

    def judge(self, job_ready):
        self.judge_job(job_ready)
        comes = self.get("front_comes")
        assert not comes or self.due, "a job comes of nobody"
        leaves = False
        if comes:
            job = self.due.popleft()
            length = job.told.get("front_length", 0)
            assert self.get("front") & (1 << 8 * length) - 1 == job.front
            self.offered.append(job)
            leaves = job.last
            # One more than is offered at most.
            assert len(self.offered) <= 2
        assert self.get("leave_ready") == leaves, "a packet leaves with its last job"
        if leaves:
            del self.packets[self.oldest]
            self.left += 1
        for number, devices in enumerate(self.lists):
            if self.get(f"list_read_{number}"):
                self.devices[f"list_device_{number}"] = devices[self.get(f"list_index_{number}")]

    def judge_job(self, job_ready):
        """It stands still until it is taken."""
        if not self.get("job_valid"):
            assert not self.offered, "a job is late, or gone"
            return
        assert self.offered, "a job is offered twice"
        for name, value in self.offered[0].told.items():
            found = self.get(f"job_{name}")
            assert found == value, f"{name} is {found}, not {value}"
        if job_ready:
            self.offered.popleft()
