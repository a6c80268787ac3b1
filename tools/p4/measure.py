"""What hardpath says of the programs that tools/bench-p4 measures."""

import hashlib
import json
import pathlib
import re
import subprocess
import time

from p4.programs import ROOT, made, write_capture

WORK = ROOT / "build/p4"
CLOCK_MHZ = 250
BUS_BYTES = 64
# Synthesis of one design is given up after so long.
MINUTES = 60


class Refused(Exception):
    """hardpath has no answer but a message."""


class Hardpath:
    """The command, the one that measures tables by themselves, and what they have said."""

    def __init__(self, command, tables, takes_long):
        self.command, self.tables = (str(pathlib.Path(path).resolve()) for path in (command, tables))
        self.takes_long = takes_long
        self.kept = {}

    def run(self, *words, minutes=10, nice=0):
        """What it prints."""
        return self.printed(self.command, *words, minutes=minutes, nice=nice)

    def printed(self, program, *words, minutes=10, nice=0):
        """What a program prints."""
        command = ["nice", "-n", str(nice), program, *map(str, words)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60 * minutes, cwd=ROOT)
        except subprocess.TimeoutExpired:
            raise Refused(f"not done in {minutes} minutes") from None
        if done.returncode != 0 and not (done.returncode == 3 and "--json" in words):
            raise Refused(f"{' '.join(command)}: {done.stderr or done.stdout}")
        return done.stdout

    def ask(self, *words, **how):
        """The same as JSON."""
        answer = json.loads(self.run(*words, "--json", **how))
        if "error" in answer or "errors" in answer:
            raise Refused(json.dumps(answer))
        return answer

    def files(self, name):
        """Source and entries of a program."""
        place = WORK / "programs" / name.replace(":", "-")
        place.mkdir(parents=True, exist_ok=True)
        source, entries = place / f"{name.split(':')[0]}.p4", place / "begin.entries"
        for path, text in zip((source, entries), made(name)):
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        return source, entries

    def compiled(self, name, *more):
        """The report of a program, of which nothing is written."""
        key = (name, *more)
        if key not in self.kept:
            self.kept[key] = self.ask("compile", self.files(name)[0], "--clock", CLOCK_MHZ, "--bus", 8 * BUS_BYTES, *more)
        return self.kept[key]

    def simulated(self, name, frames, pace="1G", bus_bytes=BUS_BYTES, more=(), minutes=10):
        """The statistics of a run in which all packets are sent on, and become what the source says."""
        source, entries = self.files(name)
        capture = source.with_name("in.pcap")
        write_capture(capture, frames)
        words = [source, "--entries", entries, "--pcap", capture, "--pace", pace, "--clock", CLOCK_MHZ, "--bus", 8 * bus_bytes, *more]
        compared = self.ask("check", *words, minutes=minutes)
        assert compared["mismatches"] == 0 and compared["map_mismatches"] == 0, compared
        ran = compared["statistics"]
        assert ran["packets"] == len(frames) and sent_on(ran) == len(frames), ran
        return ran

    def latency(self, name, frames, bus_bytes=BUS_BYTES):
        """Clocks from the first beat in to the first beat out, the same for all packets."""
        clocks = self.simulated(name, frames, bus_bytes=bus_bytes)["latency_clocks"]
        assert clocks["min"] == clocks["max"], (name, clocks)
        return clocks["median"]

    def kept_or_made(self, make, source, folder, design, *more):
        """
        An answer that takes long, kept by the text of the design, which options say, and by what else it depends on. `None`: it is not
        kept and not to be made, or there is none.
        """
        place = source.with_name("design")
        self.run("compile", source, "--clock", CLOCK_MHZ, "--bus", 8 * BUS_BYTES, *design, "-o", place)
        texts = [path.read_bytes() for path in sorted(place.rglob("*.sv"))]
        return self.kept_by(b"\0".join(texts) + b"\0".join(more), make, source.parent.name, folder)

    def kept_by(self, text, make, title, folder):
        """The same, kept by this text."""
        kept = WORK / folder / f"{hashlib.sha256(text).hexdigest()[:24]}.json"
        if kept.exists():
            return json.loads(kept.read_text())
        if not self.takes_long:
            return None
        began = time.time()
        try:
            answer = make()
        except Refused as refused:
            print(f"{title}: not in {folder}: {refused}", flush=True)
            return None
        answer["seconds"] = round(time.time() - began)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(answer, indent=1))
        print(f"{title}: in {folder}, after {answer['seconds']} s", flush=True)
        return answer

    def kept_run(self, name, frames, pace="1G", more=()):
        """The same as `simulated`, of entries that take long."""
        source, entries = self.files(name)

        def run():
            return self.simulated(name, frames, pace, more=more, minutes=4 * MINUTES)

        return self.kept_or_made(run, source, "runs", more, entries.read_bytes(), *frames, pace.encode())

    def netlist(self, name, *more):
        """What yosys makes of a program."""
        source, _ = self.files(name)

        def synthesize():
            return self.ask("synth", source, "--clock", CLOCK_MHZ, "--bus", 8 * BUS_BYTES, *more, minutes=MINUTES, nice=15)

        return self.kept_or_made(synthesize, source, "netlists", (), " ".join(more).encode())

    def block(self, name):
        """What yosys makes of what finds a table's entries, by itself."""

        def synthesize():
            return json.loads(self.printed(self.tables, "--json", name, minutes=MINUTES, nice=15))

        return self.kept_by(self.printed(self.tables, "--print", name).encode(), synthesize, name, "netlists")

    def stages_of_parts(self, name):
        """
        The first and last stage with something of the parser, the controls and the deparser, by their lines in the source; and where
        tables are asked.
        """
        source, _ = self.files(name)
        text = self.run("ir", source, "--after", "scheduled")
        lines = parts_of(source.read_text())
        places, stages = {}, {}
        for line in text.splitlines():
            place = re.match(r'place(\d+) .*?file "(?:[^"]*/)?([^"/]*)" line (\d+)', line.strip())
            if place and place[2] == source.name:
                places[place[1]] = lines.get(int(place[3]))
            done = re.search(r"\bstage (\d+)\b.* at place(\d+)", line)
            part = places.get(done[2]) if done else None
            if part:
                stages.setdefault(part, set()).add(int(done[1]))
        parts = {part: stages_text(numbers) for part, numbers in stages.items()}
        return {**parts, "lookups": lookups_of(text)}


def lookups_of(text):
    """In which stages tables are asked, by their names."""
    asked = {}
    for name, stage in re.findall(r"map\.lookup @([\w.]+).*? stage (\d+)", text):
        asked.setdefault(re.sub(r"^.*\.", "", name), []).append(int(stage))
    return ", ".join(f"`{name}` {stages_text(stages)}" for name, stages in asked.items())


def stages_text(stages):
    """`3`, or `3 to 7`."""
    first, last = min(stages), max(stages)
    return str(first) if first == last else f"{first} to {last}"


def sent_on(ran):
    """Packets that came out, by the names of their outcomes."""
    dropped = {"drop", "dropped", "aborted", "abort"}
    return sum(count for name, count in ran["verdicts"].items() if name.lower().removeprefix("xdp_") not in dropped)


def parts_of(source):
    """By line of a source: whether it is of the parser, the deparser or, of all other controls, the tables."""
    parts, part = {}, None
    for number, line in enumerate(source.splitlines(), 1):
        begins = re.match(r"(parser|control) (\w+)", line)
        if begins:
            kind = {"parser": "parser", "control": "tables"}[begins[1]]
            part = "deparser" if begins[2] in ("Deparse", "Compute") else kind
        parts[number] = part
        if line.startswith("}"):
            part = None
    return parts
