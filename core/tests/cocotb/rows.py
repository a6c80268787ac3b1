"""Operations of rows, as the encoder lays them out."""

from bench import parameters

LAYOUT = parameters()["layout"]


def word(opcode, **fields):
    whole = LAYOUT["opcodes"][opcode]
    for name, value in fields.items():
        lo, width = LAYOUT["bits"][name]
        assert 0 <= value < 1 << width
        whole |= value << lo
    return whole
