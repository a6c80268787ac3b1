"""Words of operations, as the encoder lays them out."""

from bench import parameters

LAYOUT = parameters()["layout"]
# In the order of their codes.
BUFFERS = ["key", "value", "may", "exit"]
ATOMICS = ["add", "and", "or", "xor", "exchange", "compare_exchange"]
# What an operand is: there is none, or bits of a register.
ABSENT, FIELD = 0, 1


def word(opcode, **fields):
    whole = LAYOUT["opcodes"][opcode]
    for name, value in fields.items():
        lo, width = LAYOUT["bits"][name]
        assert 0 <= value < 1 << width
        whole |= value << lo
    return whole


def put(buffer, at, words):
    """What one or two words of a buffer become, from one on."""
    second = FIELD if len(words) == 2 else ABSENT
    return word("Put", put_at=at, buffer=BUFFERS.index(buffer), a_kind=FIELD, b_kind=second)
