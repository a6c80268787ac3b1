"""Random packets."""


def ethernet(random, packets, shortest=14, longest=300):
    """Frames of random lengths and bytes, some of them as short as they may be."""
    lengths = [random.choice([shortest, 60, random.randint(shortest, longest)]) for _ in range(packets)]
    return [random.randbytes(length) for length in lengths]


def checksum(header):
    total = sum(int.from_bytes(header[at : at + 2], "big") for at in range(0, len(header), 2))
    total = (total >> 16) + (total & 0xFFFF)
    return 0xFFFF - ((total >> 16) + total & 0xFFFF)


def ipv4(random, packets, destinations):
    """IPv4 packets of random lengths to these addresses, three of four; others have other EtherTypes, little hop limits
    or are cut short."""
    frames = []
    for _ in range(packets):
        payload = random.randbytes(random.randint(0, 300))
        hops = random.choice([64, 64, 64, 1])
        header = bytearray(b"\x45\0" + (20 + len(payload)).to_bytes(2, "big") + random.randbytes(2) + b"\0\0")
        header += bytes([hops, 17, 0, 0]) + random.randbytes(4) + bytes(random.choice(destinations))
        header[10:12] = checksum(header).to_bytes(2, "big")
        kind = random.choice([b"\x08\0"] * 5 + [b"\x86\xdd"])
        frame = random.randbytes(12) + kind + bytes(header) + payload
        frames.append(frame if random.random() < 0.9 else frame[: random.randint(14, len(frame))])
    return frames
