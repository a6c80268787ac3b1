"""Words of operations, as the encoder lays them out."""

from rows import word

# In the order of their codes.
BUFFERS = ["key", "value", "may", "exit"]
ATOMICS = ["add", "and", "or", "xor", "exchange", "compare_exchange"]
# What an operand is: there is none, or bits of a register.
ABSENT, FIELD = 0, 1


def put(buffer, at, words):
    """What one or two words of a buffer become, from one on."""
    second = FIELD if len(words) == 2 else ABSENT
    return word("Put", put_at=at, buffer=BUFFERS.index(buffer), a_kind=FIELD, b_kind=second)
