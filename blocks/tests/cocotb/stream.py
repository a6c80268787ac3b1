"""What the tests of the blocks at the streams share."""

from collections import deque, namedtuple

from bench import Bench
from common import pauses, sink_of

# How a packet leaves: its bytes, the clocks that this takes, and the inputs that say so.
Way = namedtuple("Way", "leaves clocks inputs")
BEAT_PORTS = ("tdata", "tkeep", "tlast", "tuser", "tdest")


def beats_of(length, beat):
    """So many words of the frame FIFO a packet takes."""
    return max(1, -(-length // beat))


class Exit(Bench):
    """An exit with a sink behind it and, in front of it, the result FIFO and the frame FIFO's memory, in which words
    change as soon as the exit no longer needs them."""

    def __init__(self, dut):
        super().__init__(dut)
        self.set(rst=1)
        self.sink = sink_of(dut)
        self.beat, self.depth = self.parameters["beat"], self.parameters["frame_depth"]
        self.now, self.gaps = 0, 0
        self.forget()

    def forget(self):
        """As after a reset."""
        self.memory = [self.random.getrandbits(8 * self.beat) for _ in range(self.depth)]
        # Words that were given, written and read, all told.
        self.end = self.written = self.pointer = 0
        # What waits to be shown to the exit: frames, inputs. The first is shown.
        self.results, self.shown = deque(), False
        # What must come: frames with tuser and tdest; fates.
        self.expected, self.fates = deque(), deque()
        # A beat that was offered and not taken; amid a frame.
        self.offered, self.amid = None, False
        # So many clocks in a row in which a beat could leave.
        self.free = 0
        self.needed = 0
        self.first_beat = self.last_freed = None

    def overlays(self):
        """Inputs that overlay some bytes, and these bytes by their offset."""
        inputs, written = {}, {}
        for offset, count in self.parameters["overlays"]:
            name = f"overlay_{offset}" if offset >= 0 else f"overlay_m{-offset}"
            data = self.random.randbytes(count)
            inputs[f"{name}_data"] = int.from_bytes(data, "little")
            inputs[f"{name}_enable"] = enable = self.random.randint(0, 1)
            if enable:
                written.update(enumerate(data, offset))
        return inputs, written

    def give(self, data, inputs, way, sends=None):
        """A packet that came in as `data`, with its result. `way()`: how it leaves, or a copy of it; `sends`: whether
        it does, once."""
        drops, repeats, has_copies = (self.parameters[name] for name in ("drops", "repeats", "copies"))
        forwarded = not drops or sends or (sends is None and self.happens(0.75))
        copies = self.random.randint(0, 3) if repeats and forwarded and sends is None else 1
        sent = bool(forwarded and copies > 0)
        if drops:
            inputs = {**inputs, "result_forwarded": forwarded}
        frames = [data[at : at + self.beat] for at in range(0, len(data), self.beat)] or [b""]
        self.end += len(frames)
        # Copies that have nothing of their own but the index have the packet's outputs.
        own, common, bits = self.some_outputs(), self.some_way(), self.parameters["output_bits"]
        common_way = way()
        self.fates.append((sent << bits | own, self.end if copies < 2 else None))
        for copy in range(max(1, copies)):
            again = copy + 1 < copies
            outputs, (leaves, clocks, moves) = own, common_way
            beside, destination = common
            if has_copies:
                outputs, (leaves, clocks, moves) = self.some_outputs(), way()
                beside, destination = self.some_way()
            elif self.parameters["has_index"]:
                index = self.random.getrandbits(32)
                beside, destination = {**beside, "result_index": index}, destination >> 32 << 32 | index
            inputs = {**inputs, **moves, **beside}
            if bits:
                inputs["result_outputs"] = outputs
            if repeats:
                inputs |= {"result_again": again, "result_nobody": copies == 0}
            if has_copies and bits:
                # The fate is told with the first one.
                inputs["result_fate_outputs"] = own if copy == 0 else self.some_outputs()
            self.results.append((frames if copy == 0 else [], inputs))
            self.needed += clocks if sent else 1
            if sent:
                self.expected.append((leaves, again << max(1, bits) | outputs, destination))

    def some_outputs(self):
        return self.random.getrandbits(self.parameters["output_bits"])

    def some_way(self):
        """Inputs that tell class and index, and the destination that they make."""
        inputs, destination = {}, 0
        if self.parameters["class"] is None:
            inputs["result_class"] = self.random.getrandbits(2)
        destination = inputs.get("result_class", self.parameters["class"]) << 32
        if self.parameters["has_index"]:
            inputs["result_index"] = self.random.getrandbits(32)
            destination |= inputs["result_index"]
        return inputs, destination

    async def run(self, gaps=0.0, stalls=0.0):
        """Until all that was given is out; the clocks from the first result until no frame is needed."""
        self.gaps = gaps
        self.sink.set_pause_generator(pauses(self.random.random(), stalls))
        since = self.now
        while self.results or self.expected or self.fates:
            assert self.now - since < 5_000, "nothing comes out any more"
            await self.clock()
        for _ in range(10):
            await self.clock()
        assert self.pointer == self.end, "frames of packets that are gone are still needed"
        return self.last_freed - since

    async def clock(self):
        """One clock, in which everything that the exit does is looked at."""
        frames = []
        if self.results and not self.shown and not self.happens(self.gaps):
            frames, inputs = self.results[0]
            self.set(**inputs)
            self.shown = True
        self.set(result_valid=self.shown)
        await self.settle()
        self.look_at_pointer()
        self.write(frames)
        self.look_at_fate()
        self.look_at_stream()
        reads, pops = self.get("frame_read"), self.get("result_pop")
        assert self.shown or not pops
        has_address = self.parameters["has_address"]
        address = self.get("frame_read_address" if has_address else "frame_read_pointer")
        await self.edge()
        if reads:
            self.set(frame_read_data=self.memory[address])
        if pops:
            self.results.popleft()
            self.shown = False
        self.now += 1
        while not self.sink.empty():
            self.look_at_frame(self.sink.recv_nowait(compact=False))

    def write(self, frames):
        for frame in frames:
            # What is behind the end of a packet is of no meaning.
            frame += self.random.randbytes(self.beat - len(frame))
            self.memory[self.written % self.depth] = int.from_bytes(frame, "little")
            self.written += 1
        assert self.written - self.pointer <= self.depth, "the memory is too small for these packets"

    def look_at_pointer(self):
        """What is before the first word still needed may be overwritten."""
        while self.pointer % self.depth != self.get("frame_read_pointer"):
            assert self.pointer < self.written, "a word was read that had not been written"
            self.memory[self.pointer % self.depth] = self.random.getrandbits(8 * self.beat)
            self.pointer += 1
            self.last_freed = self.now

    def look_at_fate(self):
        """One fate for each packet, in the clock in which its last word is no longer needed: with the first copy."""
        if self.get("fate_valid"):
            assert self.fates, "a fate without a packet"
            fate, end = self.fates.popleft()
            assert self.get("fate") == fate
            assert end in (None, self.pointer)
        assert not self.fates or self.fates[0][1] is None or self.pointer < self.fates[0][1]

    def look_at_stream(self):
        """A beat that is offered stays as it is until it is taken; a frame has no gaps, and full beats up to its last;
        the exit reads on exactly if it can send on. One whose beats wait behind it reads on a few clocks longer, and begins
        again a few clocks later."""
        valid, ready = self.get("m_axis_tvalid"), self.get("m_axis_tready")
        self.free = self.free + 1 if ready or not valid else 0
        waiting = self.parameters["waiting"]
        if waiting == 0:
            assert self.get("frame_read") == (self.free > 0)
        assert self.get("frame_read") or self.free <= waiting
        if not valid:
            assert self.offered is None, "tvalid fell before tready"
            assert not self.amid, "a gap amid a frame"
            return
        beat = tuple(self.get(f"m_axis_{name}") for name in BEAT_PORTS)
        assert self.offered in (None, beat), "a beat changed while it waited"
        self.offered = None if ready else beat
        _, keep, last, _, _ = beat
        assert keep == (1 << self.beat) - 1 or (last and keep & (keep + 1) == 0), f"tkeep {keep:x}, tlast {last}"
        if self.first_beat is None:
            self.first_beat = self.now
        if ready:
            self.amid = not last

    def look_at_frame(self, frame):
        assert self.expected, "a frame that was not to leave"
        leaves, user, destination = self.expected.popleft()
        got = bytes(byte for byte, keep in zip(frame.tdata, frame.tkeep) if keep)
        assert got == leaves, f"{got.hex()} instead of {leaves.hex()}"
        assert len(frame.tdata) == beats_of(len(leaves), self.beat) * self.beat, "too many beats"
        assert set(frame.tuser) == {user} and set(frame.tdest) == {destination}


async def resets_amid_traffic(dut, give_some):
    """Cuts traffic off in many places: what comes after is as if nothing had been before."""
    bench = await Exit.start(dut, result_valid=0)
    for number in range(12):
        give_some(bench)
        bench.sink.set_pause_generator(pauses(number, 0.3))
        for _ in range(bench.random.randint(3, 40)):
            await bench.clock()
        assert bench.results or bench.expected, "the reset comes in the middle of traffic"
        bench.set(result_valid=0)
        await bench.reset(clocks=2)
        bench.sink.clear()
        bench.forget()
        await bench.settle()
        assert (bench.get("m_axis_tvalid"), bench.get("fate_valid"), bench.get("frame_read_pointer")) == (0, 0, 0)
        await bench.edge()
        give_some(bench)
        await bench.run(gaps=0.3, stalls=0.3)
