"""The maps as they are when packets come one at a time."""

from dataclasses import dataclass
from typing import Optional

from bench import BAD_INDEX, CREATE, DONE, EXISTS, FULL, MISSING, NOTHING, REFUSED, REPLACE

# The slots: a hash table, an array, and an array of sums that nobody reads.
SESSIONS, TABLE, SUMS = range(3)
# Bytes of their values, and their most entries.
VALUE_BYTES = [8, 12, 8]
MOST = [6, 7, 4]
INDEXED = [False, True, True]


@dataclass
class Operation:
    """What a packet asks of a map."""

    opcode: str
    slot: int
    # Of a lookup, an update, a delete: a key, or an index.
    key: int = 0
    # Of the others: which operation of the packet has looked the entry up, or the entry of an array.
    via: Optional[int] = None
    entry: int = 0
    offset: int = 0
    count: int = 8
    value: int = 0
    expected: int = 0
    may: int = 0
    atomic: str = ""
    to: Optional[int] = None
    hit: int = 0

    @property
    def by_key(self):
        return self.opcode in ("Lookup", "Update", "Delete")

    @property
    def reads(self):
        return self.opcode in ("Lookup", "MapLoad")

    @property
    def only_adds(self):
        return self.atomic == "add" and self.to is None

    def writes(self):
        """Its answer goes into a register."""
        return self.opcode == "MapLoad" or self.opcode != "MapStore" and self.to is not None


def bytes_at(value, size, offset, count):
    """Those that a value does not have are zeros."""
    places = [(offset + number) % (1 << 32) for number in range(count)]
    return sum((value >> 8 * place & 0xFF) << 8 * number for number, place in enumerate(places) if place < size)


def with_bytes(value, size, offset, count, word):
    """Those that a value does not have are not written."""
    for number in range(count):
        place = (offset + number) % (1 << 32)
        if place < size:
            value = value & ~(0xFF << 8 * place) | (word >> 8 * number & 0xFF) << 8 * place
    return value


def changed(value, size, operation):
    """What a value becomes."""
    old = bytes_at(value, size, operation.offset, operation.count)
    word, most = operation.value, (1 << 8 * operation.count) - 1
    if operation.opcode == "MapLoad":
        return value
    if operation.atomic == "compare_exchange" and old != operation.expected & most:
        return value
    result = {"add": old + word, "and": old & word, "or": old | word, "xor": old ^ word}.get(operation.atomic, word)
    return with_bytes(value, size, operation.offset, operation.count, result)


class Maps:
    """Each is what it has under its keys or indexes. In which entries keys lie is learned from lookups."""

    def __init__(self):
        self.maps = [{}, {}, {}]
        self.entries = {}
        for slot in SESSIONS, TABLE, SUMS:
            self.clear(slot)

    def clear(self, slot):
        self.maps[slot] = dict.fromkeys(range(MOST[slot]), 0) if INDEXED[slot] else {}
        if slot == SESSIONS:
            self.entries = {}

    def put(self, slot, key, answer, value):
        """The host's update, which a full map refuses."""
        full = key not in self.maps[slot] and len(self.maps[slot]) == MOST[slot]
        assert answer == (FULL if full else DONE)
        if not full:
            self.maps[slot][key] = value

    def run(self, operations, answers):
        """A packet, operation by operation, and what it was answered: value, and whether it hit. `None`: that is not to be compared."""
        found = {}
        for number, operation in enumerate(operations):
            if operation.by_key:
                value, hit = self.by_key(operation, answers.get(number))
                if hit:
                    found[number] = operation.key
            else:
                key = operation.entry if operation.via is None else found.get(operation.via)
                if key is None:
                    assert number not in answers
                    continue
                value, hit = self.through_entry(operation, key), None
            told = answers.get(number)
            if told is not None:
                assert told == (value if operation.writes() else None, hit), f"{operation} gave {told}, not {value}, {hit}"

    def by_key(self, operation, told):
        slot, key = operation.slot, operation.key
        entries, there = self.maps[slot], key in self.maps[slot]
        if operation.opcode == "Lookup":
            return self.entry(slot, key, told) if there else 0, there
        if operation.opcode == "Delete":
            if INDEXED[slot]:
                return REFUSED if there else BAD_INDEX, None
            self.entries.pop(key, None)
            return DONE if entries.pop(key, None) is not None else MISSING, None
        answer = self.may(operation, there)
        if answer == DONE:
            entries[key] = operation.value
        return answer, None

    def may(self, operation, there):
        slot, may = operation.slot, operation.may
        if INDEXED[slot] and not there:
            return BAD_INDEX
        if may == NOTHING:
            return REFUSED
        if there:
            return EXISTS if may == CREATE else DONE
        if may == REPLACE:
            return MISSING
        return FULL if len(self.maps[slot]) == MOST[slot] else DONE

    def entry(self, slot, key, told):
        """What lies where stays there."""
        if INDEXED[slot]:
            return key
        if key not in self.entries and told is not None and told[0] is not None:
            assert told[0] not in self.entries.values(), "two keys lie in one entry"
            self.entries[key] = told[0]
        return self.entries.get(key)

    def through_entry(self, operation, key):
        slot, size = operation.slot, VALUE_BYTES[operation.slot]
        old = self.maps[slot][key]
        self.maps[slot][key] = changed(old, size, operation)
        return bytes_at(old, size, operation.offset, operation.count)
