"""A generated design between models of the protocols by others: cocotbext-axi's streams and its AXI4-Lite master."""

import json
import os
import random
import struct
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamFrame, AxiStreamSource

from common import PASS, REDIRECT, TX, channels, pauses, sink_of
from monitor import watch_stream

# What comes of a command, and what an update may do.
DONE, MISSING, FULL, EXISTS, BAD_INDEX, REFUSED = range(6)
NOTHING, CREATE, REPLACE, PUT = range(4)

# What of a destination is the class, and what the number of a port or of a queue.
CLASS_SHIFT = 32
# Bits of the one output that an XDP program has; above them a fate says whether the packet comes out.
VERDICT_BITS = 3
VERDICTS = ["XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT"]

# Clocks for which one access to a register may take, and one command on a map, from its register write to the clock
# in which the status says that it is done, with the reads of the status in between: under traffic at line rate, too.
REGISTER_CLOCKS = 12
COMMAND_CLOCKS = 40
# A change of a longest-prefix map sorts its memory anew; so long it may take until it ends at all.
LONGEST_COMMAND_CLOCKS = 20_000


class Bench:
    """The design under test, out of reset, with its maps cleared."""

    @classmethod
    async def start(cls, dut):
        bench = cls(dut)
        await bench.reset()
        return bench

    def __init__(self, dut):
        self.dut = dut
        about = json.loads(Path(os.environ["HARDPATH_REGISTERS"]).read_text())
        self.bytes = about["bus_bits"] // 8
        self.commands = about["commands"]
        self.outcomes = about["outcomes"]
        names = ["DONE", "MISSING", "FULL", "EXISTS", "BAD_INDEX", "REFUSED"]
        assert about["answers"] == {name: number for number, name in enumerate(names)}
        self.maps = {entry["name"]: entry for entry in about["maps"]}
        # By map: the keys that the design does not store, with their values.
        self.foreign = {name: {} for name in self.maps}
        self.registers = {entry["name"]: entry for entry in about["registers"]}
        self.random = random.Random(os.environ["HARDPATH_SEED"])
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 4, unit="ns").start())
        self.clocks = 0
        cocotb.start_soon(self._count_clocks())
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.sink = sink_of(dut)
        self.host = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        for model in (self.source, self.host.write_if, self.host.read_if):
            model.log.setLevel("WARNING")
        cocotb.start_soon(watch_stream(dut))
        self.stalled = False
        self.verdicts = []
        self.sent = []
        cocotb.start_soon(self._collect_fates())

    async def _count_clocks(self):
        while True:
            await RisingEdge(self.dut.clk)
            self.clocks += 1

    async def _collect_fates(self):
        while True:
            await RisingEdge(self.dut.clk)
            if self.dut.fate_valid.value == 1 and self.dut.rst.value == 0:
                fate = int(self.dut.fate.value)
                self.verdicts.append(fate & ((1 << VERDICT_BITS) - 1))
                self.sent.append(bool(fate >> VERDICT_BITS))

    async def clock(self):
        await RisingEdge(self.dut.clk)

    async def reset(self):
        """Throws away what is under way, and waits until the maps are clear."""
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.source.clear()
        self.sink.clear()
        self.verdicts.clear()
        self.sent.clear()
        for kept in self.foreign.values():
            kept.clear()
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 2)
        for _ in range(10_000):
            if await self.register("STATUS") & 1:
                break
        else:
            raise AssertionError("the maps are not clear after reset")
        # Port 1 is the interface of index 1, as `hardpath sim` has it; programs that do not ask have no table.
        if "PORT_TABLE" in self.registers:
            await self.write("PORT_TABLE", bytes(8) + struct.pack("<II", 1, 0))

    def stall(self, share=0.3):
        """Pauses on both streams and on all channels of the host port, each in this share of the clocks."""
        self.stalled = True
        for model in (self.source, self.sink, *channels(self.host)):
            model.set_pause_generator(pauses(self.random.random(), share))

    # Streams

    def send(self, packets, port=1):
        """Queues packets as frames that come in at interface `port`."""
        for packet in packets:
            self.source.send_nowait(AxiStreamFrame(packet, tuser=port << 1))

    def send_bad(self, packet, port=1):
        """Queues a frame that the MAC marks bad on its last beat."""
        user = [port << 1] * len(packet)
        user[-1] |= 1
        self.source.send_nowait(AxiStreamFrame(packet, tuser=user))

    async def verdict_of_each(self, packets, clocks=200_000):
        """Waits until so many packets have a verdict, and what passes has left."""
        for _ in range(clocks):
            await RisingEdge(self.dut.clk)
            if len(self.verdicts) >= packets and self.sink.count() >= self.leaving() and self.source.idle():
                break
        await ClockCycles(self.dut.clk, 200)
        assert len(self.verdicts) == packets, f"{len(self.verdicts)} verdicts, {packets} packets"
        assert self.sink.count() == self.leaving(), f"{self.sink.count()} frames out, {self.leaving()} to leave"

    def leaving(self):
        """How many frames come out, as the fates say; only those whose verdict says so."""
        goes = [verdict in (PASS, TX, REDIRECT) for verdict in self.verdicts]
        assert self.sent == goes, f"{self.sent} of verdicts {self.verdicts}"
        return sum(goes)

    def received(self):
        """Frames that left: bytes, verdict, class and index of the destination."""
        frames = []
        while not self.sink.empty():
            frame = self.sink.recv_nowait()
            where, index = divmod(frame.tdest, 1 << CLASS_SHIFT)
            frames.append((bytes(frame.tdata), frame.tuser, (where, index)))
        return frames

    # The host port

    async def register(self, name):
        """The value of a register."""
        return await self._within(REGISTER_CLOCKS, name, self._read(name))

    async def _read(self, name):
        entry = self.registers[name]
        answer = await self.host.read(entry["offset"], entry["bits"] // 8)
        assert answer.resp == 0, f"{name}: response {answer.resp}"
        return int.from_bytes(answer.data, "little")

    async def write(self, name, data):
        """Writes bytes, or one word, to a register; longer data to the words that follow."""
        data = struct.pack("<I", data) if isinstance(data, int) else data
        offset = self.registers[name]["offset"]
        bound = REGISTER_CLOCKS * (len(data) // 4)
        answer = await self._within(bound, name, self.host.write(offset, data))
        assert answer.resp == 0, f"{name}: response {answer.resp}"

    async def _within(self, bound, name, access):
        since = self.clocks
        answer = await access
        # Pauses of the models themselves are not the design's.
        assert self.stalled or self.clocks - since <= bound, f"{name} took {self.clocks - since} clocks"
        return answer

    def is_foreign(self, map_name, key):
        """The design does not store the key, because it has other bits than all keys of the program."""
        entry = self.maps[map_name]
        masks = zip(key, entry.get("key_mask", b""), entry.get("key_constants", b""))
        return any(byte & mask != constant for byte, mask, constant in masks)

    async def command(self, map_name, command, key=b"", value=b"", may=PUT):
        """Carries a command on a map out: what came of it and the clocks that it took."""
        if command == "DUMP" or not self.is_foreign(map_name, key):
            return await self._command(map_name, command, key, value, may)
        kept = self.foreign[map_name]
        # What needs no place goes as a lookup, which finds nothing.
        new = command == "UPDATE" and key not in kept and may & CREATE
        gone = command == "DELETE" and key in kept
        answer, clocks = await self._command(map_name, command if new or gone else "LOOKUP", key, value)
        if gone or new:
            assert answer in ((DONE, FULL) if new else (DONE,)), f"{command} on a foreign key: answer {answer}"
            if gone:
                del kept[key]
            elif answer == DONE:
                kept[key] = value
            return answer, clocks
        assert answer == MISSING, f"{command} on a foreign key: answer {answer}"
        if command == "UPDATE" and may == NOTHING:
            return REFUSED, clocks
        if key not in kept:
            return MISSING, clocks
        if command == "UPDATE" and not may & REPLACE:
            return EXISTS, clocks
        if command == "UPDATE":
            kept[key] = value
        return DONE, clocks

    async def _command(self, map_name, command, key, value, may=PUT):
        """Runs a command of the design."""
        await self.write("MAP_SELECT", self.maps[map_name]["select"])
        if key:
            await self.write("KEY", key)
        if value:
            await self.write("VALUE", value)
        await self.write("MAP_MAY", may)
        since = self.clocks
        await self.write("MAP_COMMAND", self.commands[command])
        while (status := await self.register("MAP_STATUS")) >> 31:
            assert self.clocks - since <= LONGEST_COMMAND_CLOCKS, f"{command} on {map_name} does not end"
        return status & 7, self.clocks - since

    async def lookup(self, map_name, key):
        """The value of a key, `None` when it is not there, and the clocks that this took."""
        answer, clocks = await self.command(map_name, "LOOKUP", key)
        if answer == MISSING:
            return None, clocks
        assert answer == DONE, f"lookup in {map_name}: answer {answer}"
        if self.is_foreign(map_name, key):
            return self.foreign[map_name][key], clocks
        length = (self.maps[map_name]["value_bytes"] + 3) // 4 * 4
        read = await self.host.read(self.registers["VALUE"]["offset"], length)
        return read.data[: self.maps[map_name]["value_bytes"]], clocks

    async def fill_maps(self, contents):
        """Writes what a map file says: `{map: [{key: bytes, value: bytes}]}` as hexadecimal text."""
        for name, entries in contents.items():
            for entry in entries:
                key, value = (bytes(int(byte, 16) for byte in entry[part]) for part in ("key", "value"))
                answer, _ = await self.command(name, "UPDATE", key, value)
                assert answer == DONE, f"{name}: answer {answer}"

    async def counters_add_up(self):
        """The counters of the register map say what was seen on the ports."""
        # They show an event at most 8 clocks later.
        await ClockCycles(self.dut.clk, 8)
        assert await self.register("PACKETS_IN") == len(self.verdicts)
        assert self.outcomes == VERDICTS
        for verdict, name in enumerate(VERDICTS):
            assert await self.register(f"OUTCOME_{verdict}") == self.verdicts.count(verdict), name
