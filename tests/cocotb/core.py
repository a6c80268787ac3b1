"""A core, and programs for it that mark packets: from rows as text to the writes that load them."""

import json

# Slots of the core.
SLOTS = [{"kind": "array", "value_bytes": 8, "entries": 16}, {"kind": "hash", "key_bytes": 4, "value_bytes": 8, "entries": 256}]
# Rows between the first mark and the last one: a program of 28 rows.
WAITING = range(3, 26)


def marks(mark, own_map=""):
    """Marks a packet with its first row and with its last one, and counts it in a map that all of these programs have."""
    rows = [
        f'core "marks_{mark}" lanes 4 registers 16 stack 0',
        'output "verdict" 3 values "XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT"',
        'map @seen array key 4 value 8 entries 16 as "array"',
        own_map,
        f"row0:\n    lane0: store packet[0] 1, {mark}\n    lane1: r1.0 = sub 64 r1.0, r1.0",
        "row1:\n    lane0: p1, r0.1 = lookup @seen 3",
        "row2:\n    lane0: (p1) map.atomic add @seen[r0.1[0+:32]] 8, 1",
        *(f"row{row}:\n    lane1: r1.0 = add 64 r1.0, 1" for row in WAITING),
        f"row26:\n    lane0: store packet[1] 1, {mark}",
        "row27:\n    lane0: exit forward to back with 3",
    ]
    return "\n".join(rows) + "\n"


def build(run, hardpath, folder):
    """The core's design, and the writes of each load; gives the folder of the design."""
    (folder / "slots.json").write_text(json.dumps(SLOTS))
    core = folder / "core"
    run([hardpath, "core", "--maps", folder / "slots.json", "--threads", "16", "--output", core])
    own = 'map @other exact key 4 value 8 entries 256 as "hash"'
    for name, text in [("first", marks(1)), ("second", marks(2)), ("third", marks(3, own))]:
        (folder / f"{name}.hps").write_text(text)
        run([hardpath, "asm", folder / f"{name}.hps", "--output", folder / f"{name}.hpi"])
    loads = [("reset", "first", None), ("second", "second", "first"), ("third", "third", "second"), ("cleared", "first", None)]
    for load, program, before in loads:
        kept = ["--keep", folder / f"{before}.hpi"] if before else []
        image, words = folder / f"{program}.hpi", folder / f"{load}.txt"
        run([hardpath, "load", image, "--core", core / "core.json", "--words", words, *kept])
    return core / "verilog"
