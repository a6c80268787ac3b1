"""Programs and packets that tools/bench-p4 measures with."""

import ipaddress
import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]


# What packets are made of.


def checksum(data):
    """The Internet's, of an even number of bytes."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def datagram(macs, addresses, ports, payload, size=0):
    """An Ethernet frame without its check sequence: UDP over IPv4, without a checksum of UDP; zeros behind it fill `size` bytes."""
    udp = struct.pack(">HHHH", *ports, 8 + len(payload), 0) + payload
    head = [0x45, 0, 20 + len(udp), 0x1234, 0x4000, 64, 17, 0, *addresses]
    form = ">BBHHHBBHII"
    head[7] = checksum(struct.pack(form, *head))
    frame = bytes.fromhex(macs[0] + macs[1]) + b"\x08\x00" + struct.pack(form, *head) + udp
    return frame.ljust(size, b"\0")


def routed(number, size, target=0x0A00020B):
    """For the router of l2l3.entries, which sends it on; to the host at 10.0.2.11 if nothing else is said."""
    source = 0x0A000100 + number % 256
    payload = bytes(size - 42)
    return datagram(("020000000001", "02000000000a"), (source, target), (1024, 53), payload)


def routed_far(number, size):
    """For a full router, by one of its further prefixes, of which it has more than 16,000."""
    return routed(number, size, prefix_of(number * 7919 % 16000) + number % 0x2000)


def prefix_of(number):
    """Where a further prefix of 19 bits begins: every other one from 32.0.0.0 on, so that each cuts the keys in two places."""
    return 0x20000000 + (number << 14)


def address_of(number):
    """As a MAC address."""
    return ":".join(re.findall("..", f"{number:012x}"))


def full_entries(entries, macs, prefixes, next_hops):
    """These of a router, and further ones until each table holds as many."""

    def further(table, size):
        return range(size - len(re.findall(f"(?m)^table_add {table} ", entries)))

    lines = [entries]
    for at in further("dmac", macs):
        lines.append(f"table_add dmac forward {address_of(0x020001000000 + at)} => {1 + at % 3}")
    hops = further("next_hops", next_hops)
    for at in further("routes", prefixes):
        begin = ipaddress.IPv4Address(prefix_of(at))
        lines.append(f"table_add routes via {begin}/19 => {4 + at % len(hops)}")
    for at in hops:
        lines.append(f"table_add next_hops send {4 + at} => {1 + at % 3} 02:00:00:00:00:01 {address_of(0x020002000000 + at)}")
    return "\n".join(lines)


def market_data(number, size, messages):
    """A packet of the session in marketdata.entries; nobody wants every other message."""
    stocks = [b"HPTH    ", b"NOBODY  "]
    payload = b"FEED000001" + struct.pack(">QH", 1 + number * messages, messages)
    for at in range(messages):
        block = struct.pack(">HcHH6sQcI8sI", 36, b"A", at, 0, bytes(6), at, b"B", 100, stocks[at % 2], 1234500)
        payload += block
    return datagram(("01005e360c01", "02000000000a"), (0x0A000221, 0xE9360C01), (30000, 26400), payload, size)


def paxos(number, size):
    """2A of an instance that is open, in round 1."""
    payload = struct.pack(">HIHHH32s", 3, 1 + number % 1024, 1, 0, 0, b"value")
    return datagram(("01005e006464", "0200000000aa"), (0xC6336401, 0xC633641B), (7000, 34952), payload, size)


def write_capture(path, frames):
    """As pcap."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for number, frame in enumerate(frames):
        data += struct.pack("<IIII", 0, number, len(frame), len(frame)) + frame
    path.write_bytes(data)


# Programs that are made here.

FRAME = """#include <core.p4>
#include <v1model.p4>

{headers}
struct meta_t {{
    bit<32> value;
}}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{states}
}}

control V(inout headers_t hdr, inout meta_t meta) {{ apply {{}} }}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
{control}
}}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ apply {{}} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{}} }}
control D(packet_out packet, in headers_t hdr) {{
    apply {{
        {emits}
    }}
}}

V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
ONE_STATE = "    state start { packet.extract(hdr.h); transition accept; }"
# The table that begins with this has 16 entries and an action for each of them.
SET_TABLE = """    action {action}
    table {name} {{
        key = {{ {key} : exact; }}
        actions = {{ {set}; NoAction; }}
        default_action = NoAction();
        size = 16;
    }}
"""


def one_header(fields, control):
    """A program with a header of these lines."""
    lines = "".join(f"    {field};\n" for field in fields)
    headers = f"header h_t {{\n{lines}}}\n\nstruct headers_t {{ h_t h; }}\n"
    return FRAME.format(headers=headers, states=ONE_STATE, control=control, emits="packet.emit(hdr.h);")


def headers_program(count):
    """Headers of 8 bytes, each of which says whether another one comes; what is in the last one goes into the first one, and says the port."""
    members = "".join(f"    part_t h{at};\n" for at in range(count))
    headers = f"header part_t {{\n    bit<48> data;\n    bit<16> next;\n}}\n\nstruct headers_t {{\n{members}}}\n"
    states = ""
    for at in range(count):
        goes_on = f"1: s{at + 1}; " if at + 1 < count else ""
        name = f"s{at}" if at else "start"
        states += f"    state {name} {{\n        packet.extract(hdr.h{at});\n"
        states += f"        transition select(hdr.h{at}.next) {{ {goes_on}default: accept; }}\n    }}\n"
    last = count - 1
    control = f"""    apply {{
        if (hdr.h{last}.isValid()) {{
            hdr.h0.data = ~hdr.h{last}.data;
            std.egress_spec = (bit<9>)hdr.h{last}.data;
        }}
    }}"""
    emits = " ".join(f"packet.emit(hdr.h{at});" for at in range(count))
    return FRAME.format(headers=headers, states=states.rstrip(), control=control, emits=emits)


def chain_program(count):
    """Tables of 16 entries: each looks up what the one before has found."""
    control = ""
    for at in range(count):
        action = f"set{at}(bit<32> value) {{ meta.value = value; }}"
        control += SET_TABLE.format(action=action, name=f"t{at}", key='meta.value', set=f"set{at}")
    applied = "".join(f"        t{at}.apply();\n" for at in range(count))
    control += f"    apply {{\n        meta.value = hdr.h.key;\n{applied}        hdr.h.found = meta.value;\n    }}"
    return one_header(["bit<32> key", "bit<32> found"], control)


def beside_program(count):
    """Tables of 16 entries: each looks up a field of its own, and what all of them find is joined."""
    control = ""
    for at in range(count):
        action = f"set{at}(bit<32> value) {{ meta.value = meta.value ^ value; }}"
        control += SET_TABLE.format(action=action, name=f"t{at}", key=f"hdr.h.key{at}", set=f"set{at}")
    applied = "".join(f"        t{at}.apply();\n" for at in range(count))
    control += f"    apply {{\n{applied}        hdr.h.found = meta.value;\n    }}"
    return one_header([f"bit<32> key{at}" for at in range(count)] + ["bit<32> found"], control)


def fields_program(count):
    """One table, whose action writes so many fields of 16 bits."""
    writes = " ".join(f"hdr.h.f{at} = value[{16 * (at % 2) + 15}:{16 * (at % 2)}];" for at in range(count))
    action = f"set(bit<32> value) {{ {writes} }}"
    control = SET_TABLE.format(action=action, name="t", key="hdr.h.key", set="set") + "    apply { t.apply(); }"
    return one_header(["bit<32> key"] + [f"bit<16> f{at}" for at in range(count)], control)


def table_program(way, bits, entries):
    """One table that finds its entries in a way; of the way `none` the same program without its table."""
    rest = [f"bit<{-bits % 8}> rest"] if bits % 8 else []
    fields = [f"bit<{bits}> key", *rest, "bit<16> found"]
    if way == "none":
        return one_header(fields, "    apply { hdr.h.found = 7; }")
    kind = {"tcam": "ternary", "masks": "ternary", "prefixes": "lpm"}.get(way, "exact")
    said = "" if way == "prefixes" else f'    @hardpath_table("{way}")\n'
    control = f"""    action set(bit<16> value) {{ hdr.h.found = value; }}
{said}    table t {{
        key = {{ hdr.h.key : {kind} @name("key"); }}
        actions = {{ set; NoAction; }}
        default_action = NoAction();
        size = {entries};
    }}
    apply {{ t.apply(); }}"""
    return one_header(fields, control)


def made(name):
    """The program of that name, as `--print` takes it: its source and its entries."""
    kind, *numbers = name.split(":")
    entries = []
    if kind == "headers":
        text = headers_program(int(numbers[0]))
    elif kind == "chain":
        text = chain_program(int(numbers[0]))
        entries = [f"table_add t{at} set{at} {at} => {at + 1}" for at in range(int(numbers[0]))]
    elif kind == "beside":
        text = beside_program(int(numbers[0]))
        entries = [f"table_add t{at} set{at} 0 => {at + 1}" for at in range(int(numbers[0]))]
    elif kind == "fields":
        text = fields_program(int(numbers[0]))
        entries = ["table_add t set 0 => 0x12345678"]
    elif kind == "table":
        way, bits = numbers[0], int(numbers[1])
        text = table_program(way, bits, int(numbers[2]) if way != "none" else 0)
        every_bit = (1 << bits) - 1
        key = {"tcam": f"0&&&{every_bit}", "masks": f"0&&&{every_bit}", "prefixes": f"0/{bits}"}.get(way, "0")
        entries = [f"table_add t set {key} => 7" + (" 1" if "&" in key else "")] if way != "none" else []
    elif kind == "l2l3" and numbers:
        # Of MAC addresses, prefixes and next hops, in the order of the source.
        sizes = iter(numbers)
        text = (ROOT / "programs/p4/l2l3.p4").read_text()
        text = re.sub(r"\bsize = \d+;", lambda _: f"size = {next(sizes)};", text)
        entries = [(ROOT / "programs/p4/l2l3.entries").read_text()]
        if numbers[-1] == "full":
            entries = [full_entries(entries[0], *map(int, numbers[:3]))]
    elif kind == "marketdata" and numbers:
        text = (ROOT / "programs/p4/marketdata.p4").read_text()
        text = re.sub(r"(?m)^const int MESSAGES = \d+;", f"const int MESSAGES = {numbers[0]};", text)
        entries = [(ROOT / "programs/p4/marketdata.entries").read_text()]
    else:
        text = (ROOT / f"programs/p4/{kind}.p4").read_text()
        entries = [(ROOT / f"programs/p4/{kind}.entries").read_text()]
    return text, "\n".join(entries) + "\n"
