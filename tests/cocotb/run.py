#!/usr/bin/env python3
"""Builds generated designs with Verilator and runs the cocotb tests of this folder on them.

    tests/cocotb/run.py HARDPATH FOLDER     the command, and where everything goes; all designs
    tests/cocotb/run.py HARDPATH FOLDER pairs-64   only this one; `core`: the core, into which programs are loaded

Prints one line for each test. Exit status: 0 all passed, 1 a test failed.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import capture  # noqa: E402
import core  # noqa: E402
import traffic  # noqa: E402
from simulate import SEED, compile_with, simulate, use_installed_verilator  # noqa: E402

# Program, bits of the streams, tests.
DESIGNS = [
    ("pairs", 64, ["test_streams", "test_reset", "test_host"]),
    ("pairs", 512, ["test_streams", "test_host"]),
    ("kinds", 64, ["test_kinds"]),
    ("kinds", 512, ["test_kinds"]),
    ("redirector", 64, ["test_streams", "test_reset"]),
    ("ipip_encap", 512, ["test_streams", "test_reset"]),
]
PACKETS = 300
TUNNELS = [[198, 18, 0, 1], [198, 19, 1, 2], [198, 19, 128, 9], [172, 16, 5, 5], [10, 0, 0, 1]]


def main():
    hardpath, folder, *only = sys.argv[1:]
    use_installed_verilator()
    failed = False
    for program, bits, tests in DESIGNS:
        if not only or f"{program}-{bits}" in only:
            failed |= run_design(hardpath, Path(folder).resolve() / f"{program}-{bits}", program, bits, tests)
    if not only or "core" in only:
        failed |= run_core(hardpath, Path(folder).resolve() / "core")
    sys.exit(1 if failed else 0)


def run_design(hardpath, folder, program, bits, tests):
    """Runs the tests of one design; whether one failed."""
    folder.mkdir(parents=True, exist_ok=True)
    obj = object_of(program, folder)
    design = folder / "design"
    run([hardpath, "compile", obj, "--bus", str(bits), "--output", design])
    expect(hardpath, obj, program, folder)

    return tried(f"{program}-{bits}", folder, design, program, tests)


def run_core(hardpath, folder):
    """The same of a core, into which programs are loaded."""
    folder.mkdir(parents=True, exist_ok=True)
    design = core.build(run, hardpath, folder)
    compile_with("-O1")
    return tried("core", folder, design, "core", ["test_loads"])


def tried(name, folder, design, top, tests):
    """Runs tests of a design; whether one failed."""
    sources = [design / file for file in (design / f"{top}.f").read_text().split() if file.endswith(".sv")]
    environment = {
        "HARDPATH_REGISTERS": str(design / f"{top}.json"),
        "HARDPATH_EXPECTED": str(folder),
        "HARDPATH_SEED": str(SEED),
    }
    lines, log = simulate(name, folder, sources, top, tests, environment)
    print("\n".join(lines), flush=True)
    print(log, end="", file=sys.stderr, flush=True)
    return bool(log)


def object_of(program, folder):
    """The object of a program of this folder, or of the samples."""
    places = [HERE / f"{program}.c", ROOT / "programs" / f"{program}.c"]
    source = next(place for place in places if place.exists())
    obj = folder / f"{program}.o"
    headers = f"/usr/include/{os.uname().machine}-linux-gnu"
    run(["clang", "-target", "bpf", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I", headers, "-c", source, "-o", obj])
    return obj


def expect(hardpath, obj, program, folder):
    """A capture, the maps, and what the program makes of them."""
    generator = random.Random(SEED)
    packets = traffic.ethernet(generator, PACKETS // 3) + traffic.ipv4(generator, PACKETS * 2 // 3, TUNNELS)
    generator.shuffle(packets)
    capture.write_pcap(folder / "in.pcap", packets)
    maps = ROOT / "programs" / f"{program}.maps.json"
    (folder / "maps.json").write_text(maps.read_text() if maps.exists() else "{}")
    files = ["--pcap", folder / "in.pcap", "--maps", folder / "maps.json", "--out", folder / "out.pcapng"]
    answer = run([hardpath, "sim", obj, "--engine", "interpreter", "--json", *files])
    (folder / "answer.json").write_text(answer)


def run(command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


if __name__ == "__main__":
    main()
