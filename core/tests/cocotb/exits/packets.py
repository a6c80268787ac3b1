"""What becomes of packets: what their rows leave behind, and the jobs that it comes to."""

from dataclasses import dataclass, field
from typing import Optional

from bench import parameters

PARAMETERS = parameters()
NUMBERS = PARAMETERS["numbers"]
# How a packet goes on: as the buffer says, not, it does.
AS_BUFFER, DROPPED, FORWARDED = 0, 2, 3
# Ways: back; as the buffer says; behind these the classes, of which the last one leads nowhere.
BACK, BUFFER, CLASS = 0, 1, 4
NOWHERE = 3


@dataclass
class Ending:
    """What an exit or a copy says; `words`, of a copy, is the buffer when it is sent."""

    forwarded: int = FORWARDED
    has_outputs: int = 0
    way: int = BACK
    leaving: int = 0
    outputs: int = 0
    index: int = 0
    # The list to whose devices it goes.
    each: Optional[int] = None
    over: bool = False
    words: dict = field(default_factory=dict)

    def destination(self, words):
        """Class and index."""
        if self.way == BACK:
            return 0, 0
        if self.way == BUFFER:
            found = words[NUMBERS["way"]]
            return found >> 32 & 3, found & 0xFFFFFFFF
        return self.way - CLASS, self.index

    def result(self, words):
        """The program's outputs."""
        if self.has_outputs:
            return self.outputs
        low, high = words[NUMBERS["outputs"]], words[NUMBERS["outputs"] + 1]
        return (low | high << 64) & (1 << PARAMETERS["output_bits"]) - 1

    def leaves(self, words, length):
        """Which bytes."""
        if not self.leaving:
            return {"from": 0, "end": length, "zeros": length, "front_length": 0}
        found = words[NUMBERS["leaving"]]
        places = {"from": 0, "end": 16, "zeros": 32}
        return {name: found >> lo & 0xFFFF for name, lo in places.items()} | {"front_length": found >> 48 & 0x7F}


@dataclass
class Job:
    """What the transmit side is told, by its names; the bytes in front."""

    told: dict
    front: int = 0
    last: bool = False


class Packet:
    """One inside."""

    def __init__(self, line, lines, front_lines, length, interface):
        self.place = {"line": line, "lines": lines, "front_lines": front_lines}
        self.length, self.interface = length, interface
        self.leaves = False

    def begin(self, rows):
        self.state, self.left, self.starts = "ready", rows, True
        self.sends, self.copies, self.ending = 0, [], None

    def jobs(self, words, lists):
        """Itself, or one for each device, and behind it its further copies."""
        ending = self.ending
        copies = [] if ending.over else self.copies
        asked = words[NUMBERS["flags"]] & 1 if ending.forwarded == AS_BUFFER else ending.forwarded == FORWARDED
        kind, index = ending.destination(words)
        indexes = [index] if asked and kind != NOWHERE else []
        if ending.each is not None and asked:
            not_back = words[NUMBERS["flags"]] >> 1 & 1
            indexes = [device for device in lists[ending.each] if not (not_back and device == self.interface)]
        jobs = [self.job(ending, words, kind, index) for index in indexes]
        for copy in copies:
            jobs.append(self.job(copy, copy.words, *copy.destination(copy.words)))
        if not jobs:
            jobs.append(Job(self.place | {"forwarded": 0, "outputs": ending.result(words)}))
        jobs[-1].last = True
        if PARAMETERS["copies"] or PARAMETERS["lists"]:
            for job in jobs:
                job.told |= {"again": not job.last, "fate_outputs": ending.result(words)}
        return jobs

    def job(self, ending, words, kind, index):
        told = self.place | {"forwarded": 1, "class": kind, "index": index, "outputs": ending.result(words)}
        told |= ending.leaves(words, self.length)
        front = sum(words[NUMBERS["front"] + number] << 64 * number for number in range(8))
        return Job(told, front & (1 << 8 * told["front_length"]) - 1)
