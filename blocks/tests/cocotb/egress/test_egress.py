"""The exit: bytes, order, fates, which frames are still needed, latency, one beat a clock."""

import cocotb

from stream import Exit, Way, beats_of, resets_amid_traffic


def give(bench, length, sends=None):
    """A packet with its result; `sends`: whether it leaves, once."""
    data = bench.random.randbytes(length)
    inputs, written = bench.overlays()
    inputs["result_last_byte"] = max(0, length - 1)
    if bench.parameters["may_be_empty"]:
        inputs["result_empty"] = length == 0
    leaves = bytes(written.get(at, byte) for at, byte in enumerate(data))
    way = Way(leaves, beats_of(length, bench.beat), {})
    bench.give(data, inputs, lambda: way, sends)


def shortest(bench):
    return 0 if bench.parameters["may_be_empty"] else 1


def give_some(bench, packets=30):
    """Packets of up to six beats, mostly shorter ones."""
    for _ in range(packets):
        most = bench.beat * bench.random.choice([1, 2, 2, 6])
        give(bench, bench.random.randint(shortest(bench), most))


@cocotb.test()
@cocotb.parametrize(gaps=[0.0, 0.5], stalls=[0.0, 0.3, 0.7])
async def packets_leave_with_their_overlays(dut, gaps, stalls):
    """At full rate a packet takes as many clocks as it has beats, and one if it does not leave."""
    bench = await Exit.start(dut, result_valid=0)
    give_some(bench)
    clocks = await bench.run(gaps, stalls)
    assert gaps or stalls or clocks == bench.needed


@cocotb.test()
async def packets_of_every_length_leave(dut):
    """From the shortest, around each end of a beat, to as long as they may be or as the memory holds."""
    bench = await Exit.start(dut, result_valid=0)
    # The packet before it may still be in the memory.
    longest = min(9216, (bench.depth - 1) * bench.beat)
    lengths = {*range(shortest(bench), 2 * bench.beat + 2), *range(3 * bench.beat - 1, 300, 7), longest}
    for length in sorted(lengths):
        give(bench, length, sends=True)
    assert await bench.run() == bench.needed


@cocotb.test()
async def one_beat_packets_leave_one_a_clock(dut):
    bench = await Exit.start(dut, result_valid=0)
    for number in range(100):
        give(bench, bench.beat - number % 2, sends=True)
    since = bench.now
    assert await bench.run() == 100
    assert bench.first_beat == since + 2


@cocotb.test()
async def a_reset_forgets_everything(dut):
    await resets_amid_traffic(dut, give_some)
