"""Programs of packets, drawn at random: operations on maps, and the rows in which they stand."""

from dataclasses import dataclass
from typing import Optional

from bench import parameters
from maps import INDEXED, MOST, SESSIONS, SUMS, TABLE, VALUE_BYTES, Operation
from rows import LAYOUT, word
from words import ABSENT, ATOMICS, FIELD

KEY_BYTES = parameters()["key_bytes"]
# What two keys differ in leads to different tags, also beside those of entries: nobody is stale for nothing.
KEYS = [low << 2 | high << (64 if KEY_BYTES == 12 else 41) for low in range(4) for high in range(2)]


READS = ["Lookup", "MapLoad"]
# What packets do, beside operations on maps that are in order those on sums.
MOODS = {
    "looks": READS,
    "reads": READS * 4 + ["Update", "loads"],
    "changes": READS + ["Update", "Delete", "MapStore", "Atomic"],
    "adds": ["adds"],
    "sums": READS + ["adds"] * 8 + ["loads"] * 2,
}


@dataclass
class Row:
    """`operation`: the number of one. `puts`: a buffer, the first word and what one or two words become."""

    operation: Optional[int] = None
    puts: Optional[tuple] = None
    stores: bool = False
    ends: bool = False


@dataclass
class Ask:
    """An operation as a lane has it."""

    low: int
    last: int
    a: int
    b: int


class Program:
    """What a packet does. `adds`, `loads`: it adds to sums that nobody reads, and looks at them anyhow. `stores`: the share of rows."""

    def __init__(self, draw, mood, adds, loads, stores):
        self.draw, self.adds, self.loads = draw, adds, loads
        self.operations = []
        # Lookups whose entries are not gone by its own doing.
        self.found = []
        self.asks = {}
        self.rows = []
        self.mood = mood
        for number in range({"looks": 12, "changes": 3, "adds": 1}.get(mood, 1 + draw.randrange(8))):
            self.operations.append(self.operation())
            self.follow(number)
            self.write(number)
        if draw.random() < 0.3:
            self.rows.append(Row())
        # Who looks at much writes at its end.
        for row in self.rows if self.mood != "looks" else self.rows[-1:]:
            row.stores = draw.random() < stores
        self.rows[-1].ends = True

    def operation(self):
        draw = self.draw
        kinds = [kind for kind in MOODS[self.mood] if getattr(self, kind, True)]
        kind = draw.choice(kinds)
        to = draw.randrange(8) if draw.random() < 0.7 else None
        if kind == "adds":
            return Operation("Atomic", SUMS, entry=draw.randrange(2), value=draw.getrandbits(64), atomic="add")
        if kind == "loads":
            return Operation("MapLoad", SUMS, entry=draw.randrange(2), to=0)
        if kind in ("Lookup", "Update", "Delete"):
            slot = draw.choice([SESSIONS, TABLE])
            key = draw.randrange(MOST[TABLE] + 1) if INDEXED[slot] else draw.choice(KEYS)
            may = draw.choice([0, 1, 2, 3, 3, 3])
            value = draw.getrandbits(8 * VALUE_BYTES[slot])
            return Operation(kind, slot, key, value=value, may=may, to=to, hit=draw.randrange(16))
        return self.access(kind, to)

    def access(self, kind, to):
        """Through an entry."""
        draw = self.draw
        slot, via = TABLE, None
        if self.found and draw.random() < 0.7:
            via = draw.choice(self.found)
            slot = self.operations[via].slot
        size = VALUE_BYTES[slot]
        count = 1 + draw.randrange(8)
        offset = draw.randrange(size - count + 1)
        atomic = ""
        if kind == "Atomic":
            atomic = draw.choice(ATOMICS)
        elif draw.random() < 0.2:
            offset = draw.choice([size - 1, size, (1 << 32) - 1])
        if kind == "MapStore":
            to = None
        value, expected = draw.getrandbits(64), draw.choice([0, draw.getrandbits(64)])
        entry = draw.randrange(MOST[TABLE])
        return Operation(kind, slot, 0, via, entry, offset, count, value, expected, atomic=atomic, to=to)

    def follow(self, number):
        operation = self.operations[number]
        if operation.opcode == "Lookup" and operation.to is not None:
            self.found.append(number)
        if operation.opcode == "Delete":
            gone = operation.slot, operation.key
            self.found = [one for one in self.found if (self.operations[one].slot, self.operations[one].key) != gone]

    def write(self, number):
        """The rows of an operation: what does not stand in its operands is put into buffers, the last of it in its own row."""
        operation, draw = self.operations[number], self.draw
        a, b, puts = None, None, []
        low, high = (1 << 32) - 1, draw.getrandbits(32) << 32
        if operation.by_key:
            key = [operation.key & (1 << 64) - 1, operation.key >> 64]
            # What stands above a key does not count.
            if INDEXED[operation.slot]:
                key = [key[0] & low | high, draw.getrandbits(64)]
            elif KEY_BYTES == 12:
                key[1] = key[1] & low | high
            else:
                key[1] = draw.getrandbits(64)
            value = [operation.value & (1 << 64) - 1, operation.value >> 64 | high]
            a = draw.choice([key[0], key[0], None])
            updates = operation.opcode == "Update"
            first = value[0] if updates else key[1]
            b = draw.choice([first, first, None])
            if a is None:
                puts.append(("key", 0, key[:1]))
            if updates or b is None:
                puts.append(("key", 1, key[1:]))
            if len(puts) == 2:
                puts = [("key", 0, key)]
            if updates:
                puts.append(("value", 1, value[1:]) if b is not None else ("value", 0, value))
        else:
            b = operation.value
            if operation.atomic == "compare_exchange":
                puts.append(("value", 0, [operation.expected]))
        fields = {"map": operation.slot, "hit": operation.hit} if operation.opcode == "Lookup" else {"map": operation.slot}
        if operation.opcode == "Update":
            fields["has_may"] = draw.randrange(2)
            if fields["has_may"]:
                fields["may"] = operation.may
            else:
                puts.append(("may", 0, [operation.may | draw.getrandbits(62) << 2]))
        if operation.atomic:
            fields["atomic"] = ATOMICS.index(operation.atomic)
        if operation.to is not None:
            fields.update(has_to=1, to=operation.to)
        draw.shuffle(puts)
        if draw.random() < 0.3:
            puts.insert(0, ("exit", draw.choice([0, 1, 2, 4, 16, 17, 22, 23]), [draw.getrandbits(64) for _ in range(1 + draw.randrange(2))]))
        self.rows += [Row(puts=one) for one in puts[:-1]]
        self.rows.append(Row(number, puts[-1] if puts else None))
        self.asks[number] = self.ask(operation, fields, a, b)

    def ask(self, operation, fields, a, b):
        kinds = {"a_kind": ABSENT if operation.by_key and a is None else FIELD, "b_kind": ABSENT if b is None else FIELD}
        low = word(operation.opcode, **kinds, **fields)
        if operation.by_key:
            # The last word is the upper half of a number then.
            last = self.draw.getrandbits(32)
        else:
            above = self.draw.choice([0, 0, 1, (1 << 32) - 1])
            a = above << 32
            (at, _), (bytes_at, bits) = LAYOUT["bits"]["map_offset"], LAYOUT["bits"]["bytes"]
            offset = (operation.offset - above) % (1 << 32)
            if offset >> bytes_at - at:
                offset, a = 0, operation.offset << 32
            last = offset << at - 96 | operation.count - 1 << bytes_at - 96
        return Ask(low, last, a or 0, b or 0)
