#!/usr/bin/env python3
"""Builds blocks with Verilator and runs their cocotb tests.

    run.py FOLDER   each folder in it has a block's SystemVerilog and `case.json`: block, top module, files, parameters, and
                    where its tests are, if not in a folder of the block's name here

Prints one line for each test. Exit status: 0 all passed, 1 a test failed.
"""

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "tests/cocotb")]

from simulate import simulate, use_installed_verilator  # noqa: E402


def main():
    use_installed_verilator()
    folders = sorted(path.parent for path in Path(sys.argv[1]).resolve().glob("*/case.json"))
    failed = not folders
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for lines, log in pool.map(run_case, folders):
            print("\n".join(lines), flush=True)
            print(log, end="", file=sys.stderr, flush=True)
            failed |= bool(log)
    sys.exit(1 if failed else 0)


def run_case(folder):
    """One line for each test, and the log when one failed."""
    case = json.loads((folder / "case.json").read_text())
    tests = Path(case.get("tests", HERE / case["block"]))
    # What the tests of a crate share stands above their folders.
    sys.path[:0] = [str(tests), str(tests.parent)]
    sources = [folder / name for name in case["files"]]
    modules = sorted(path.stem for path in tests.glob("test_*.py"))
    environment = {"HARDPATH_CASE": str(folder / "case.json")}
    lines, log = simulate(folder.name, folder, sources, case["top"], modules, environment)
    return lines, log and f"{case['parameters']}\n{log}"


if __name__ == "__main__":
    main()
