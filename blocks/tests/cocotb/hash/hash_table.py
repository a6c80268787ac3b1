"""A hash table and the bench around it, beside a model that knows where every key lies."""

from functools import cache

from bench import BAD_INDEX, CREATE, DELETE, DONE, DUMP, EXISTS, FULL, MISSING, NOTHING, PUT, REFUSED, REPLACE, UPDATE
from timeline import Timeline

WAYS, SLOTS = 4, 2


def splitmix64(seed):
    """Steele, Lea, Flood, "Fast splittable pseudorandom number generators"."""
    most = (1 << 64) - 1
    while True:
        seed = seed + 0x9E3779B97F4A7C15 & most
        mixed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 & most
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & most
        yield mixed ^ mixed >> 31


class Functions:
    """A digest for each way, a random matrix times the key, joined with the AND of the next two ways' digests."""

    def __init__(self, key_bits, row_bits):
        self.row_bits = row_bits
        self.matrices = [[self.column(way, bit) for bit in range(key_bits)] for way in range(WAYS)]
        self.rows = cache(self.rows)

    def column(self, way, bit):
        """The first AND of two numbers of splitmix64, one behind the other, whose low bits are not all 0."""
        numbers = splitmix64((way << 32 | bit) + 0x9E3779B9)
        while True:
            column = next(numbers) & next(numbers) & (1 << self.row_bits) - 1
            if column:
                return column

    def rows(self, key):
        """The bucket of each way."""
        digests = [0] * WAYS
        for way, matrix in enumerate(self.matrices):
            for bit, column in enumerate(matrix):
                if key >> bit & 1:
                    digests[way] ^= column
        return [digests[way] ^ digests[(way + 1) % 4] & self.rotated(digests[(way + 2) % 4]) for way in range(WAYS)]

    def rotated(self, digest):
        return (digest << 1 | digest >> (self.row_bits - 1)) & (1 << self.row_bits) - 1


class Keys:
    """What the table holds, as a commit finds and leaves it."""

    def __init__(self, functions, max_entries, evicts):
        self.functions, self.max_entries = functions, max_entries
        # So many of a new key's slots can be taken from others.
        self.taken_from = {"Nobody": 0, "Candidates": WAYS * SLOTS, "FirstBucket": SLOTS}[evicts]
        self.entry_of, self.key_at, self.ages = {}, {}, {}
        # Places of keys that it does not store.
        self.foreign = 0

    def is_full(self):
        return len(self.entry_of) + self.foreign >= self.max_entries

    def take_place(self, command):
        """The answer to an operation on a key that it does not store."""
        if command == UPDATE and self.is_full():
            return FULL
        self.foreign += {UPDATE: 1, DELETE: -1}.get(command, 0)
        return DONE if command in (UPDATE, DELETE) else MISSING

    def candidates(self, key):
        """The entries in which it may lie: place, then row."""
        rows = self.functions.rows(key)
        return [place << self.functions.row_bits | rows[place // SLOTS] for place in range(WAYS * SLOTS)]

    def ages_of(self, key):
        """The ages of those who could go for a new key."""
        return [self.ages.get(entry, 0) for entry in self.candidates(key)[: self.taken_from]]

    def victim(self, key, ages):
        """Who goes for a new key, and its age: the first of the oldest; None when no slot is taken."""
        candidates = zip(self.candidates(key), ages)
        taken = [(entry, age) for entry, age in candidates if entry in self.key_at]
        return max(taken, key=lambda one: one[1], default=(None, 0))

    def emptiest(self, key):
        """The first free slot of the emptiest bucket, the leftmost way first; None when all are taken."""
        candidates = self.candidates(key)
        buckets = [candidates[way * SLOTS : way * SLOTS + SLOTS] for way in range(WAYS)]
        free = [[entry for entry in bucket if entry not in self.key_at] for bucket in buckets]
        return next(iter(max(free, key=len)), None)

    def answer(self, command, key, may):
        there = key in self.entry_of
        if command != UPDATE:
            return DONE if there else MISSING
        if may == NOTHING:
            return REFUSED
        if there:
            return DONE if may & REPLACE else EXISTS
        if not may & CREATE:
            return MISSING
        full = self.is_full() or self.emptiest(key) is None
        return FULL if full and not self.taken_from else DONE

    def commit(self, command, key, may, uses, ages):
        """Gives the answer, the entry of the key, and the ages that change. `ages`: as they were when the buckets were read."""
        answer, entry = self.answer(command, key, may), self.entry_of.get(key)
        aged = {}
        if entry is not None:
            if uses:
                aged[entry] = 0
            if command == DELETE:
                del self.entry_of[key], self.key_at[entry]
        elif command == UPDATE and answer == DONE:
            entry = self.emptiest(key)
            if self.taken_from:
                victim, gone = self.victim(key, ages)
                full = len(self.entry_of) >= self.max_entries
                if entry is None or full and victim is not None:
                    entry = victim
                    del self.entry_of[self.key_at[entry]]
                    aged = {other: min(3, age + 3 - gone) for other, age in zip(self.candidates(key), ages)}
            self.entry_of[key], self.key_at[entry] = entry, key
            aged[entry] = 2
        return answer, entry, aged


class Table:
    """The table with packets. Each has a key for each port and may change some of them."""

    @classmethod
    async def start(cls, dut):
        table = cls()
        table.bench = bench = await Timeline.start(dut)
        parameters = bench.parameters
        for name in ("key_bits", "max_entries", "ports", "forward", "evicts", "foreign"):
            setattr(table, name, parameters[name])
        table.rows = max(4, 1 << (-(-table.max_entries // 3) - 1).bit_length())
        table.row_bits = table.rows.bit_length() - 1
        table.entries = table.rows * WAYS * SLOTS
        table.functions = Functions(table.key_bits, table.row_bits)
        table.clocks = 2 + parameters["registers"]
        # From a packet's entrance, a clock before the first stage R, to R and C of each port.
        before = [table.clocks + port["commit_after"] - port["slot"] for port in table.ports]
        first = 1 + max(before)
        table.reads = [first - clocks for clocks in before]
        table.commits = [first + port["slot"] for port in table.ports]
        table.changer = next(number for number, port in enumerate(table.ports) if port["updates"] and port["deletes"])
        table.apart = 1 + max(port["slot"] for port in table.ports)

        bench.strobes, bench.free = ["host", "clear"], {}
        if table.evicts != "Nobody":
            bench.strobes.append("uses")
        for number, port in enumerate(table.ports):
            suffix = table.suffix(number)
            bench.free["key" + suffix] = table.key_bits
            if port["updates"]:
                bench.strobes.append("update" + suffix)
                bench.free.update({flag + suffix: 1 for flag in ("only_create", "only_replace", "may_nothing")})
            if port["deletes"]:
                bench.strobes.append("remove" + suffix)
        await table.restart()
        return table

    async def restart(self):
        await self.bench.restart(self.rows)
        self.keys = Keys(self.functions, self.max_entries, self.evicts)
        # Keys on their way: first bucket, whether it is changed, clock of the commit.
        self.pending, self.answers, self.next = [], [], 0

    @staticmethod
    def suffix(number):
        return f"_{number}" if number else ""

    def some_key(self):
        return self.bench.random.getrandbits(self.key_bits)

    def may_enter(self, keys):
        """Whether the contract lets a packet in: its lookups see all older commits of its keys."""
        now = self.bench.now
        self.pending = [older for older in self.pending if older[-1] >= now]
        if now < self.next:
            return False
        for number, key in keys.items():
            read = now + self.reads[number]
            answer = read + self.clocks * self.forward
            bucket = self.functions.rows(key)[0]
            for older, older_bucket, changes, commit in self.pending:
                same_bucket = self.evicts == "FirstBucket" and bucket == older_bucket
                if same_bucket and commit >= read or changes and key == older and commit >= answer:
                    return False
        return True

    def enter(self, number, key, command=None, may=NOTHING, host=False):
        """A port's part of a packet that enters in this clock."""
        bench, port = self.bench, self.ports[number]
        read, commit = self.reads[number], self.commits[number]
        what = f"port {number}, key {key:#x}, command {command}, may {may}, clock {bench.now}"
        if not host:
            bench.drive(read - 1, **{"key" + self.suffix(number): key})
        self.pending.append((key, self.functions.rows(key)[0], command in (UPDATE, DELETE), bench.now + commit))
        self.next = bench.now + self.apart
        bench.check(read + self.clocks, lambda: self.see_answer(number, self.keys.entry_of.get(key), what))
        if not (port["updates"] or port["deletes"] or number == 0):
            return
        if not host:
            self.drive_change(number, command, may)
        uses = not host and self.evicts != "Nobody" and bench.happens(0.8)
        if uses:
            bench.drive(commit, uses=1)
        ages = []
        if self.evicts != "Nobody":
            bench.check(read, lambda: ages.extend(self.keys.ages_of(key)))

        def turn():
            hit = key in self.keys.entry_of
            answer, entry, aged = self.keys.commit(command, key, may, uses, ages)
            bench.commit(1, lambda: self.keys.ages.update(aged))
            if host or command:
                assert bench.get("answer") == answer, f"{bench.get('answer')}, not {answer}: {what}"
                self.answers.append(answer)
            self.see_commit(number, host, hit, entry if command == UPDATE and answer == DONE else None, what)
            if host:
                bench.expect(1, what, host_answer=answer)

        bench.commit(commit, turn)

    def drive_change(self, number, command, may):
        commit, suffix = self.commits[number], self.suffix(number)
        if command == UPDATE:
            said = {"update": 1, "only_create": may == CREATE, "only_replace": may == REPLACE, "may_nothing": may == NOTHING}
            self.bench.drive(commit, **{name + suffix: value for name, value in said.items()})
        if command == DELETE:
            self.bench.drive(commit, **{"remove" + suffix: 1})

    def see_answer(self, number, entry, what):
        hit, found = self.bench.get("hit" + self.suffix(number)), self.bench.get("entry" + self.suffix(number))
        assert hit == (entry is not None), f"hit {hit}: {what}"
        assert not hit or found == entry, f"entry {found}, not {entry}: {what}"

    def see_commit(self, number, host, hit, written, what):
        """Only the port that commits writes, and only what is the key's."""
        for other, port in enumerate(self.ports):
            if other == 0 or port["updates"]:
                writes = other == number and written is not None
                assert self.bench.get("write_value" + self.suffix(other)) == writes, what
        if written is not None:
            assert self.bench.get("entry_c" + self.suffix(number)) == written, what
        if number == 0:
            assert self.bench.get("host_c") == host, what
            assert self.bench.get("host_found") == (host and hit), what

    async def packet(self, keys, changes=None):
        """Enters as soon as it may; `changes`: command and may of the ports that have some."""
        while not self.may_enter(keys):
            await self.bench.clock()
        for number, key in keys.items():
            self.enter(number, key, *(changes or {}).get(number, ()))
        await self.bench.clock()

    async def operate(self, command, key, may=PUT, expected=None):
        """The host's operation behind other packets; nothing enters before its answer, then others may."""
        bench = self.bench
        bench.set(host_command=command, host_key=key, host_may=may)
        for _ in range(3):
            await self.packet({number: self.some_key() for number in range(len(self.ports))})
        while not self.may_enter({0: key}):
            await bench.clock()
        bench.drive(self.reads[0] - 1, host=1)
        entered = bench.now
        self.enter(0, key, command, may, host=True)
        await bench.clock(self.clocks + 1)
        while bench.now <= entered + self.commits[0] + 1:
            await self.packet({0: self.some_key()})
        if expected is not None:
            assert bench.get("host_answer") == expected

    async def operate_on_foreign(self, command, key, expected=None):
        """As `operate`, on a key that the table does not store; `key`: what it has of its bits."""
        bench = self.bench
        bench.set(host_command=command, host_key=key, host_may=bench.random.randrange(4), host_foreign=1)
        for _ in range(3):
            await self.packet({number: self.some_key() for number in range(len(self.ports))})
        while not self.may_enter({0: key}):
            await bench.clock()
        bench.drive(self.reads[0] - 1, host=1)
        entered, commit = bench.now, self.commits[0]
        self.pending.append((key, self.functions.rows(key)[0], False, entered + commit))
        self.next = entered + self.apart

        def turn():
            answer = self.keys.take_place(command)
            what = f"foreign key {key:#x}, command {command}: {answer}"
            assert expected in (None, answer), what
            assert bench.get("host_c") and not bench.get("host_found"), what
            for number, port in enumerate(self.ports):
                if number == 0 or port["updates"]:
                    assert not bench.get("write_value" + self.suffix(number)), what
            bench.expect(1, what, host_answer=answer)

        bench.commit(commit, turn)
        await bench.clock(self.clocks + 1)
        while bench.now <= entered + commit + 1:
            await self.packet({0: self.some_key()})
        bench.set(host_foreign=0)

    async def dump(self, slot):
        """Alone in the table."""
        bench = self.bench
        await bench.settled()
        bench.set(host_command=DUMP, host_slot=slot)
        await bench.clock(2)
        key = self.keys.key_at.get(slot)
        said = BAD_INDEX if slot >= self.entries else DONE if key is not None else MISSING
        bench.drive(self.reads[0] - 1, host=1)
        answer, commit = self.reads[0] + self.clocks, self.commits[0]
        bench.check(answer, lambda: self.see_answer(0, None if key is None else slot, f"slot {slot}"))
        bench.expect(commit, f"slot {slot}", host_c=1, host_found=key is not None, write_value=0)
        bench.expect(commit + 1, f"slot {slot}", host_answer=said, **({} if key is None else {"host_key_out": key}))
        await bench.settled()

    async def compare(self):
        """Every slot, and behind the last."""
        for slot in [*range(self.entries), self.entries, (1 << 32) - 1]:
            await self.dump(slot)
