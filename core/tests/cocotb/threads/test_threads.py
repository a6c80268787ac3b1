"""Threads: the order of packets, one row of each at a time, and that all end."""

import cocotb

from bench import Bench


class Packet:
    """What is known of a packet inside."""

    def __init__(self, rows):
        self.rows, self.left = 0, rows
        self.begins, self.over, self.stale = True, False, False
        self.waits, self.ends_then = False, False


class Traffic:
    """Packets of random programs, with units that answer, and older packets that make younger ones stale."""

    def __init__(self, bench, stale, gaps):
        self.bench, self.stale, self.gaps = bench, stale, gaps
        self.threads = bench.parameters["threads"]
        self.packets = {}
        self.entered = self.left = self.restarts = 0
        # By the clock in which it is decided: the thread.
        self.under_way, self.clock = {}, 0

    async def step(self, offers):
        bench, draw = self.bench, self.bench.random
        decided = self.under_way.pop(self.clock, None)
        row = {"ends": 0, "waits": 0, "goes": draw.getrandbits(1), "row": draw.getrandbits(4)}
        packet = None
        if decided is not None:
            packet = self.packets[decided]
            packet.left -= 1
            row["ends"], row["waits"] = int(packet.left <= 0), int(bench.happens(0.2))
        waiting = [number for number, one in self.packets.items() if one.waits]
        answers = bool(waiting) and bench.happens(0.3)
        answered = draw.choice(waiting) if answers else 0
        oldest = self.left % self.threads
        younger = [number for number in self.packets if number != oldest]
        stale = sum(1 << number for number in younger if bench.happens(self.stale))
        inputs = dict(
            packet_valid=offers, leave_ready=bench.happens(0.7), gap=bench.happens(self.gaps), held=bench.happens(0.1),
            stale=stale, answered=answers, answered_thread=answered, **row,
        )  # fmt: skip
        names = "packet_ready", "packet_thread", "chosen", "thread", "starts", "oldest", "leave_valid", "packets", "restarts"
        out = dict(zip(names, await bench.step(*names, **inputs)))
        # Who begins again may do so in the clock in which its row, or its answer, comes to an end.
        if packet is not None:
            packet.over = bool(row["ends"] and not row["waits"])
            packet.waits, packet.ends_then = bool(row["waits"]), bool(row["ends"])
            packet.rows -= 1
        if answers:
            self.packets[answered].waits = False
            self.packets[answered].over = self.packets[answered].ends_then
        self.judge(out, oldest)
        self.follow(out, inputs, stale, oldest)
        self.clock += 1

    def judge(self, out, oldest):
        assert out["packets"] == len(self.packets) == self.entered - self.left
        assert out["oldest"] == oldest
        if out["chosen"]:
            packet = self.packets[out["thread"]]
            assert packet.rows == 0 and not packet.waits and not packet.over, "one row at a time, and none behind the last"
            assert out["starts"] == packet.begins, "the first row, and no other, is told"
        if out["leave_valid"]:
            assert self.packets[oldest].over and not self.packets[oldest].stale
        for number, packet in self.packets.items():
            if out["restarts"] >> number & 1:
                assert packet.stale and packet.rows == 0 and not packet.waits

    def follow(self, out, inputs, stale, oldest):
        if out["chosen"]:
            packet = self.packets[out["thread"]]
            packet.rows, packet.begins = 1, False
            self.under_way[self.clock + self.bench.parameters["decided_after"]] = out["thread"]
        for number, packet in self.packets.items():
            if out["restarts"] >> number & 1:
                packet.stale, packet.over, packet.begins = False, False, True
                packet.left = 1 + self.bench.random.randrange(5)
                self.restarts += 1
            if stale >> number & 1:
                packet.stale = True
        if out["leave_valid"] and inputs["leave_ready"]:
            del self.packets[oldest]
            self.left += 1
        if out["packet_ready"] and inputs["packet_valid"]:
            assert out["packet_thread"] == self.entered % self.threads
            self.packets[out["packet_thread"]] = Packet(1 + self.bench.random.randrange(5))
            self.entered += 1


@cocotb.test()
@cocotb.parametrize(stale=[0.0, 0.05], gaps=[0.0, 0.3], offers=[0.2, 1.0])
async def packets_leave_in_their_order(dut, stale, gaps, offers):
    bench = await Bench.start(dut, brought_valid=0, first_row=3)
    traffic = Traffic(bench, stale, gaps)
    for _ in range(1500):
        await traffic.step(bench.happens(offers))
    assert traffic.entered > 30
    assert bool(traffic.restarts) == bool(stale)
    traffic.stale = 0.0
    for _ in range(600):
        await traffic.step(False)
    assert traffic.left == traffic.entered, "all end when no others come"
