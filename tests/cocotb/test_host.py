"""The host port while packets come in at line rate, with the program `pairs`: bounded waits, nothing torn, nothing
lost."""

import struct

import cocotb
from cocotbext.axi import AxiResp

from bench import BAD_INDEX, COMMAND_CLOCKS, CREATE, DONE, EXISTS, FULL, MISSING, NOTHING, PUT, REFUSED, REPLACE, Bench
from common import ABORTED, PASS
from flows import FLOWS, halves, key, pair, under_traffic


@cocotb.test()
@cocotb.parametrize(stalls=[False, True])
async def nothing_is_torn(dut, stalls):
    bench = await Bench.start(dut)
    for flow in FLOWS:
        assert (await bench.command("flows", "UPDATE", key(flow), pair(0)))[0] == 0
    if stalls:
        bench.stall()

    async def access():
        for step in range(40):
            which, value = step % 4, bench.random.getrandbits(64)
            assert (await bench.command("settings", "UPDATE", key(which), pair(value)))[0] == 0
            assert halves((await bench.lookup("settings", key(which)))[0]) == value
            # Packets count this one up while it is read.
            halves((await bench.lookup("flows", key(step % len(FLOWS))))[0])

    sent = await under_traffic(bench, access())
    assert bench.verdicts.count(ABORTED) == 0, "a packet saw different halves"
    assert bench.verdicts.count(PASS) == len(sent)
    for flow in FLOWS:
        assert halves((await bench.lookup("flows", key(flow)))[0]) == sent.count(flow)
    await bench.counters_add_up()


@cocotb.test()
async def torn_settings_are_seen(dut):
    """The control of the test above: packets do look at both halves."""
    bench = await Bench.start(dut)
    assert (await bench.command("settings", "UPDATE", key(0), struct.pack("<QQ", 1, 2)))[0] == 0
    bench.send([bytes(60)] * 3)
    await bench.verdict_of_each(3)
    assert bench.verdicts == [ABORTED] * 3


@cocotb.test()
async def nothing_is_lost(dut):
    """Every command on every map while packets count, and each command's wait is bounded."""
    bench = await Bench.start(dut)
    for flow in FLOWS:
        assert (await bench.command("flows", "UPDATE", key(flow), pair(0)))[0] == 0
    waits = []

    async def does(command, map_name, which, expected, value=b"", may=PUT):
        got, clocks = await bench.command(map_name, command, key(which), value, may)
        assert got == expected, f"{command} {map_name}[{which}]: answer {got}"
        waits.append(clocks)

    async def reads(map_name, which, expected):
        got, clocks = await bench.lookup(map_name, key(which))
        assert got == expected, f"{map_name}[{which}]: {got} {expected}"
        waits.append(clocks)

    async def access():
        seen = 0
        for step in range(10):
            other, value = 100 + bench.random.randrange(1000), pair(bench.random.getrandbits(64))
            await reads("flows", other, None)
            await does("UPDATE", "flows", other, MISSING, value, may=REPLACE)
            await does("UPDATE", "flows", other, DONE, value, may=CREATE)
            await does("UPDATE", "flows", other, EXISTS, pair(1), may=CREATE)
            await reads("flows", other, value)
            await does("UPDATE", "flows", other, DONE, pair(step), may=REPLACE)
            await reads("flows", other, pair(step))
            await does("DELETE", "flows", other, DONE)
            await does("DELETE", "flows", other, MISSING)
            await reads("flows", other, None)
            await does("UPDATE", "settings", step % 4, DONE, value)
            await reads("settings", step % 4, value)
            await does("UPDATE", "settings", 4, BAD_INDEX, value)
            now = int.from_bytes((await bench.lookup("packets", key(0)))[0], "little")
            assert now >= seen, f"the packet counter went back from {seen} to {now}"
            seen = now

    sent = await under_traffic(bench, access())
    assert max(waits) <= COMMAND_CLOCKS, f"a command took {max(waits)} clocks"
    dut._log.info("%d commands took at most %d clocks, %d packets", len(waits), max(waits), len(sent))
    assert int.from_bytes((await bench.lookup("packets", key(0)))[0], "little") == len(sent)
    for flow in FLOWS:
        assert halves((await bench.lookup("flows", key(flow)))[0]) == sent.count(flow)
    assert bench.verdicts.count(PASS) == len(sent)
    await bench.counters_add_up()


@cocotb.test()
async def keys_that_no_packet_has(dut):
    """The host keeps them, and the design only their places: the answers of a table that has them while packets count."""
    bench = await Bench.start(dut)
    own = [key(flow) + key(6) for flow in range(4)]
    foreign = [key(0) + key(7), key(1) + key(2), key(0x80000000) + key(6 | 1 << 31)]
    assert not any(bench.is_foreign("marked", one) for one in own)
    assert all(bench.is_foreign("marked", one) for one in foreign)

    async def does(command, which, expected, value=0, may=PUT):
        got, _ = await bench.command("marked", command, which, pair(value), may)
        assert got == expected, f"{command} {which.hex()}: answer {got}"

    async def access():
        for which in own[:2] + foreign[:2]:
            await does("UPDATE", which, MISSING, may=REPLACE)
            await does("DELETE", which, MISSING)
            await does("UPDATE", which, REFUSED, may=NOTHING)
            await does("UPDATE", which, DONE, may=CREATE)
            await does("UPDATE", which, EXISTS, may=CREATE)
        # It is full, of both.
        for which in own[2], foreign[2]:
            await does("UPDATE", which, FULL)
            assert (await bench.lookup("marked", which))[0] is None
        for which in foreign[:2]:
            await does("UPDATE", which, DONE, value=9, may=REPLACE)
            assert halves((await bench.lookup("marked", which))[0]) == 9
        for gone, new in [(foreign[0], own[2]), (own[0], foreign[2]), (foreign[1], foreign[0]), (own[2], own[0])]:
            await does("DELETE", gone, DONE)
            await does("DELETE", gone, MISSING)
            await does("UPDATE", new, DONE, value=5)
            await does("UPDATE", gone, FULL)

    sent = await under_traffic(bench, access())
    for flow, which in enumerate(own):
        value, _ = await bench.lookup("marked", which)
        assert (value is not None) == (flow in (0, 1)), f"flow {flow}"
        assert value is None or halves(value) <= sent.count(flow) + 5
    assert halves((await bench.lookup("marked", foreign[2]))[0]) == 5
    await bench.reset()
    for which in own:
        await does("UPDATE", which, DONE)
    await does("UPDATE", foreign[0], FULL)
    assert (await bench.lookup("marked", foreign[2]))[0] is None


@cocotb.test()
async def what_has_no_effect_is_refused(dut):
    bench = await Bench.start(dut)
    at = {name: entry["offset"] for name, entry in bench.registers.items()}
    await bench.write("MAP_SLOT", 0x01020304)
    for address, data in [(at["MAP_SLOT"], b"\7"), (at["MAP_SLOT"] + 2, b"\7\7")]:
        assert (await bench.host.write(address, data)).resp == AxiResp.SLVERR, "a part of a word"
    only_read = [at[name] for name in ("MAGIC", "STATUS", "PACKETS_IN", "MAP_STATUS", "MAP_HANDLE")]
    for address in (*only_read, at["MAP_HANDLE"] + 4, 0xFFFC):
        assert (await bench.host.write(address, bytes(4))).resp == AxiResp.SLVERR, f"write of {address:#x}"
    for address in (at["MAP_HANDLE"] + 4, at["KEY"] - 4, 0xFFFC):
        answer = await bench.host.read(address, 4)
        assert (answer.resp, answer.data) == (AxiResp.SLVERR, bytes(4)), f"read of {address:#x}"
    assert await bench.register("MAP_SLOT") == 0x01020304
    # Neither a map nor a command is taken for another one that has the same low bits.
    assert (await bench.command("flows", "LOOKUP", key(1)))[0] == MISSING
    await bench.write("MAP_COMMAND", 8 + bench.commands["LOOKUP"])
    assert await bench.register("MAP_STATUS") == REFUSED
    await bench.write("MAP_SELECT", 0x100)
    await bench.write("MAP_COMMAND", bench.commands["LOOKUP"])
    assert await bench.register("MAP_STATUS") == REFUSED
