"""What a stream must keep to, clock by clock."""

from cocotb.triggers import RisingEdge


async def watch_stream(dut):
    """The output stream: what is offered stays until it is taken; `tkeep` is all ones but on the last beat, where it is
    packed from bit 0; outputs and destination are the same on every beat of a frame."""
    every_byte = (1 << len(dut.m_axis_tkeep)) - 1
    offered = None
    frame = None
    while True:
        await RisingEdge(dut.clk)
        if dut.rst.value == 1:
            offered = frame = None
            continue
        if dut.m_axis_tvalid.value == 0:
            assert offered is None, "tvalid fell before tready"
            continue
        names = ("tdata", "tkeep", "tlast", "tuser", "tdest")
        beat = tuple(int(getattr(dut, f"m_axis_{name}").value) for name in names)
        assert offered in (None, beat), f"a beat changed while it waited: {offered} {beat}"
        _, keep, last, user, dest = beat
        assert frame in (None, (user, dest)), f"outputs or destination changed inside a frame: {frame} {beat}"
        assert keep == every_byte or (last and keep > 0 and keep & (keep + 1) == 0), f"tkeep {keep:x}, tlast {last}"
        taken = dut.m_axis_tready.value == 1
        offered = None if taken else beat
        frame = None if taken and last else (user, dest)
