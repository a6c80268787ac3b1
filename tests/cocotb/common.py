"""What the tests of designs and of blocks share: the numbers of verdicts, pauses in the models of the protocols, and a
sink that is fast enough."""

import random

from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus, AxiStreamSink

ABORTED, DROP, PASS, TX, REDIRECT = range(5)


def pauses(seed, share):
    """For a model: a pause in this share of the clocks."""
    generator = random.Random(seed)
    while True:
        yield generator.random() < share


def channels(master):
    """All channels of an AXI4-Lite master, each of which can pause."""
    read, write = master.read_if, master.write_if
    return read.ar_channel, read.r_channel, write.aw_channel, write.w_channel, write.b_channel


def sink_of(dut):
    """The sink of the output stream. It takes a beat apart byte by byte and asks for each signal again each time, which
    is most of the time of a run: it gets what was read at the first time in each clock."""
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
    for name in ("tdata", "tkeep", "tuser", "tdest"):
        if hasattr(sink.bus, name):
            setattr(sink.bus, name, _OnceAClock(getattr(sink.bus, name)))
    sink.log.setLevel("WARNING")
    return sink


class _OnceAClock:
    """A signal that is read at clock edges only."""

    def __init__(self, handle):
        self.handle = handle
        self.time = None

    @property
    def value(self):
        now = get_sim_time("step")
        if now != self.time:
            self.time, self.number = now, int(self.handle.value)
        return self.number
