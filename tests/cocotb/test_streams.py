"""Random stalls on both sides: as many frames leave as the verdicts say, and with the bytes that the program's meaning
gives them."""

import json
import os
from pathlib import Path

import cocotb

from bench import VERDICTS, Bench
from capture import read_pcap, read_pcapng
from common import DROP, PASS, REDIRECT, TX


@cocotb.test()
@cocotb.parametrize(stalls=[0.0, 0.3, 0.7])
async def the_packets_of_the_interpreter_leave(dut, stalls):
    """The capture and the maps are those that `hardpath sim --engine interpreter` had."""
    folder = Path(os.environ["HARDPATH_EXPECTED"])
    packets, expected = read_pcap(folder / "in.pcap"), read_pcapng(folder / "out.pcapng")
    verdicts = json.loads((folder / "answer.json").read_text())["verdicts"]
    bench = await Bench.start(dut)
    await bench.fill_maps(json.loads((folder / "maps.json").read_text()))
    if stalls:
        bench.stall(stalls)
    bench.send(packets)
    await bench.verdict_of_each(len(packets))
    got = bench.received()
    assert [packet for packet, _, _ in got] == expected
    for verdict, name in enumerate(VERDICTS):
        assert bench.verdicts.count(verdict) == verdicts[name], name
    left = [verdict for verdict in bench.verdicts if verdict >= PASS]
    assert [verdict for _, verdict, _ in got] == left
    for _, verdict, (where, index) in got:
        # Back out where it came in; to a port that is named; to the host's queue 0.
        assert where == {TX: 0, REDIRECT: 1, PASS: 2}[verdict], f"verdict {verdict} to class {where}"
        assert (index != 0) == (verdict == REDIRECT), f"verdict {verdict} to {where}, {index}"
    await bench.counters_add_up()


@cocotb.test()
async def frames_that_are_no_packets_are_counted(dut):
    """Bad frames of the MAC, and lengths that no packet has, leave no verdict and harm no neighbour."""
    bench = await Bench.start(dut)
    bench.stall()
    good = bytes(range(60))
    for _ in range(20):
        bench.send([good])
        bench.send_bad(bench.random.randbytes(bench.random.randint(14, 200)))
        bench.send([bench.random.randbytes(bench.random.randint(1, 13))])
        bench.send([good])
    bench.send([good])
    await bench.verdict_of_each(41)
    assert len({verdict for verdict in bench.verdicts}) == 1
    if bench.verdicts[0] != DROP:
        assert [packet for packet, _, _ in bench.received()] == [good] * 41
    assert await bench.register("DROPPED_BAD") == 20
    assert await bench.register("DROPPED_LENGTH") == 20
    await bench.counters_add_up()
