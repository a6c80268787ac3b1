"""The entrance: which frames come in, their window, length and side inputs, where they are stored, credits and room,
latency, one beat a clock."""

from collections import deque
from dataclasses import dataclass

import cocotb
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource

from bench import Bench
from common import pauses
from stream import beats_of

IDLE = {"hold": 0, "running": 1, "packet_left": 0, "frame_read_pointer": 0}


@dataclass
class Frame:
    data: bytes
    beats: int
    port: int
    queue: int
    own: int
    # What must become of it: "packet", "bad" or "length".
    fate: str


class Entrance(Bench):
    """An entrance with a source in front of it and, behind it, the frame FIFO's memory and a program that lets packets
    leave in order. In each clock every output must be what the contract says."""

    def __init__(self, dut):
        super().__init__(dut)
        self.dut.rst.value = 1
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.source.log.setLevel("WARNING")
        for name, value in self.parameters.items():
            setattr(self, name, value)
        self.now = 0
        self.forget()

    def forget(self):
        """As after a reset."""
        # Frames that were sent and are not yet all in; beats of the first that are in.
        self.frames, self.beats = deque(), 0
        # By the clock in which it must be seen: the port; what became of a frame.
        self.early, self.coming = {}, {}
        # The frame FIFO, the words of packets written and read all told, and the packets in it.
        self.memory, self.written, self.read = [0] * self.frame_depth, 0, 0
        self.inside, self.flight = deque(), 0
        self.ready = False
        # Whether beats were taken in the last clocks, the last one first.
        self.accepted = deque([False] * (1 + self.waits), maxlen=1 + self.waits)
        # Counts for the tests.
        self.announced = self.beats_in = 0

    def send(self, data, bad=False, ends_apart=False):
        """Queues a frame. One that fills its beats may end with an empty beat of its own."""
        beats = beats_of(len(data), self.beat)
        if ends_apart and data and len(data) % self.beat == 0:
            beats += 1
        # Only what the first beat says of port, queue and own inputs counts, and only the last beat's mark.
        users = [self.random.getrandbits(25 + self.own_bits) for _ in range(beats)]
        users[-1] = users[-1] & ~1 | bad
        padding = beats * self.beat - len(data)
        frame = AxiStreamFrame(
            data + self.random.randbytes(padding),
            tkeep=[1] * len(data) + [0] * padding,
            tuser=[user for user in users for _ in range(self.beat)],
        )
        self.source.send_nowait(frame)
        good_length = self.shortest <= len(data) <= self.longest
        fate = "bad" if bad else "packet" if good_length else "length"
        port, queue, own = users[0] >> 1 & 0xFF, users[0] >> 9 & 0xFFFF, users[0] >> 25
        self.frames.append(Frame(data, beats, port, queue, own, fate))

    def send_some(self, frames):
        """Frames of all kinds, many of them with lengths at which something changes."""
        for _ in range(frames):
            length = self.random.choice([self.random.choice(self.edges()), self.random.randint(self.shortest, 160)])
            length = min(length, self.longest + 2 * self.beat)
            self.send(self.random.randbytes(length), self.happens(0.1), self.happens(0.5))

    def edges(self):
        """Lengths around those at which something changes: also one that the length's bits do not hold."""
        limits = [1, self.shortest, self.beat, self.window, 3 * self.beat, self.longest, self.longest + self.beat]
        around = {limit + more for limit in limits for more in (-1, 0, 1)}
        return sorted(length for length in around if length >= 0) + [(1 << 14) + self.beat]

    async def run(self, gaps=0.0, leaves=1.0, holds=0.0):
        """Until all that was sent is in and out again."""
        self.source.set_pause_generator(pauses(self.random.random(), gaps))
        since = self.now
        hold = False
        while self.frames or self.coming or self.inside:
            assert self.now - since < 5_000, "nothing comes in any more"
            if self.now % 16 == 0:
                hold = self.happens(holds)
            await self.clock(leaves, hold)
        for _ in range(10):
            await self.clock()

    async def clock(self, leaves=1.0, hold=False, running=True):
        """One clock; the first packet inside leaves with this likelihood."""
        sides = {name: self.random.getrandbits(len(getattr(self.dut, name))) for name in self.sides}
        left = bool(self.inside) and self.happens(leaves)
        if left:
            data = self.inside.popleft()
            self.is_stored(self.read, data)
            self.read += beats_of(len(data), self.beat)
        pointer = self.read % self.frame_depth
        self.set(hold=hold, running=running, packet_left=left, frame_read_pointer=pointer, **sides)
        await self.settle()
        ready = self.get("s_axis_tready")
        assert ready == self.ready, f"{self.flight} packets inside"
        announced = self.look_at_strobes()
        self.look_at_memory()
        accept = ready and self.get("s_axis_tvalid")
        if accept:
            self.take_beat(sides)
        self.accepted.appendleft(accept)
        # tready is a register behind the counters.
        used = (self.get("frame_write_address") - pointer) % self.frame_depth
        credit = self.flight < self.credits - self.margin
        self.ready = credit and used < self.frame_depth - self.margin and not hold and running
        self.flight += announced - left
        assert self.flight <= self.credits
        await self.edge()
        self.now += 1

    def take_beat(self, sides):
        frame = self.frames[0]
        if self.beats == 0:
            self.drawn = sides
        self.beats += 1
        self.beats_in += 1
        assert self.get("s_axis_tlast") == (self.beats == frame.beats)
        if self.beats == frame.beats:
            self.early[self.now + self.waits + 1] = frame.port, frame.queue
            self.coming[self.now + self.waits + 2] = frame, self.drawn
            self.frames.popleft()
            self.beats = 0

    def look_at_strobes(self):
        """Two clocks after its last beat was taken, a packet is announced or dropped; its port is known one before. With its sum it waits."""
        early = self.early.pop(self.now, None)
        if self.has_port and early:
            assert (self.get("early_port"), self.get("early_queue")) == early
        assert not self.tells_flight or self.get("in_flight") == self.flight
        frame, drawn = self.coming.pop(self.now, (None, None))
        fate = frame and frame.fate
        assert self.get("packet_valid") == (fate == "packet")
        assert self.get("dropped_bad") == (fate == "bad")
        assert self.get("dropped_length") == (fate == "length")
        if fate != "packet":
            return False
        data = frame.data
        assert self.get("packet_length") == len(data)
        window = self.get("window").to_bytes(self.window, "little")
        if self.clears_window:
            assert window == data[: self.window].ljust(self.window, b"\0")
        else:
            assert window[: len(data)] == data[: self.window]
        if self.has_sum:
            words = [int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big") for at in range(0, len(data), 2)]
            assert self.get("packet_sum") == sum(words)
        if self.has_own:
            assert self.get("packet_own") == frame.own
        for name, value in drawn.items():
            assert self.get(f"packet_{name}") == value, name
        # All of it is in the frame FIFO, right behind the packet before.
        self.is_stored(self.written, data)
        self.written += beats_of(len(data), self.beat)
        self.inside.append(data)
        self.announced += 1
        return True

    def look_at_memory(self):
        """A beat is written in the clock after it was taken and has waited, or not at all."""
        if self.get("frame_write"):
            assert self.accepted[-1]
            self.memory[self.get("frame_write_address")] = self.get("frame_write_data")

    def is_stored(self, word, data):
        for at in range(0, len(data), self.beat):
            frame = self.memory[(word + at // self.beat) % self.frame_depth].to_bytes(self.beat, "little")
            part = data[at : at + self.beat]
            assert frame[: len(part)] == part, f"byte {at} of {len(data)}"


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.3, 0.7], leaves=[1.0, 0.05], holds=[0.0, 0.3])
async def good_frames_come_in(dut, gaps, leaves, holds):
    bench = await Entrance.start(dut, **IDLE)
    bench.send_some(25)
    await bench.run(gaps, leaves, holds)


@cocotb.test()
async def lengths_at_the_limits(dut):
    bench = await Entrance.start(dut, **IDLE)
    lengths = [*range(2 * bench.beat + 2), *bench.edges()]
    for length in lengths:
        bench.send(bench.random.randbytes(length))
    await bench.run()
    assert bench.announced == sum(bench.shortest <= length <= bench.longest for length in lengths)


@cocotb.test()
async def the_shortest_packets_at_line_rate(dut):
    """One beat a clock, whatever becomes of it: where they fit in a beat, one packet a clock."""
    bench = await Entrance.start(dut, **IDLE)
    data = [bench.random.randbytes(max(1, bench.shortest) + number % 3) for number in range(150)]
    for number, packet in enumerate(data):
        bench.send(packet, bad=number % 50 == 49)
    beats = sum(frame.beats for frame in bench.frames)
    while not bench.beats_in:
        await bench.clock()
    for _ in range(beats - 1):
        await bench.clock()
    assert bench.beats_in == beats
    await bench.run()
    assert bench.announced == 147


@cocotb.test()
async def credits_run_out(dut):
    bench = await Entrance.start(dut, **IDLE)
    for _ in range(40):
        bench.send(bench.random.randbytes(bench.shortest or 1))
    for _ in range(120):
        await bench.clock(leaves=0)
    assert bench.credits - bench.margin <= bench.flight <= bench.credits
    assert not bench.ready and bench.frames
    await bench.run(leaves=0.5)
    assert bench.announced == 40


@cocotb.test()
async def room_runs_out(dut):
    bench = await Entrance.start(dut, **IDLE)
    for _ in range(12):
        bench.send(bench.random.randbytes(bench.longest))
    for _ in range(2 * bench.frame_depth):
        await bench.clock(leaves=0)
    assert bench.flight < bench.credits - bench.margin, "there are credits"
    assert bench.frame_depth - bench.margin <= bench.beats_in < bench.frame_depth
    assert not bench.ready and bench.frames
    await bench.run(leaves=0.1)
    assert bench.announced == 12


@cocotb.test()
@cocotb.parametrize(held=[{"hold": True}, {"running": False}])
async def nothing_comes_in_while_it_is_held(dut, held):
    """From the second clock on, and again from the second clock after."""
    bench = await Entrance.start(dut, **IDLE)
    for _ in range(40):
        bench.send(bench.random.randbytes(bench.shortest or 1))
    for _ in range(20):
        await bench.clock()
    for _ in range(3):
        before = bench.beats_in
        for _ in range(20):
            await bench.clock(**held)
        assert bench.beats_in == before + 1
        await bench.clock()
        assert bench.beats_in == before + 1
        for _ in range(4):
            await bench.clock()
        assert bench.beats_in == before + 5
    await bench.run()
    assert bench.announced == 40


@cocotb.test()
async def a_reset_forgets_everything(dut):
    bench = await Entrance.start(dut, **IDLE)
    for number in range(12):
        bench.source.set_pause_generator(pauses(number, 0.3))
        bench.send_some(20)
        for _ in range(bench.random.randint(5, 60)):
            await bench.clock(leaves=0.2)
        assert bench.frames, "the reset comes in the middle of traffic"
        bench.set(**IDLE)
        await bench.reset(clocks=2)
        bench.source.clear()
        bench.forget()
        bench.send_some(6)
        await bench.run(leaves=0.3)
