"""What the tests of designs and of blocks share: the numbers of verdicts, and pauses in the models of the protocols."""

import random

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
