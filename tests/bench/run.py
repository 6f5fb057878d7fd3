"""`make bench`: how fast the engine and the lab are on this machine.

python -m tests.bench.run [--size 5000x1000] [--profile] [--no-pages]
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource

# What the benchmark's README says of kube-scheduler v1.35.4 in Go on two cores; machines differ.
REAL = {"1000x1000": "830 pods/s as it ships, 370 when it records every verdict", "5000x1000": "650 pods/s as it ships"}


def engine_table(size: str) -> list[tuple[str, str]]:
    """(what, how much) of one run of the engine."""
    from tests.bench import engine

    times = engine.measure(size)
    placements = {True: "all as the real scheduler's", False: "NOT the real scheduler's", None: "no record to compare"}
    return [
        ("load the text", f"{times.load:.2f} s"),
        ("run, full record kept", f"{times.run:.2f} s"),
        ("", f"{times.pods_per_second:.0f} pods/s"),
        ("kube-scheduler v1.35.4", REAL.get(size, "not measured")),
        ("print the record as JSON", f"{times.json:.2f} s, {times.size / 1e6:.0f} MB"),
        ("peak memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"),
        ("placements", placements[times.agrees]),
    ]


def pages_table() -> list[tuple[str, str]]:
    """(what, how much) of the lab's pages against the home page."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from tests.bench import pages

    times = pages.measure()
    return [
        ("home page", f"{times.home * 1000:.1f} ms"),
        ("lab run, 10 nodes × 10 pods", f"{times.run * 1000:.1f} ms = {times.run / times.home:.1f} × home"),
        ("the same run again", f"{times.again * 1000:.1f} ms = {times.again / times.home:.1f} × home"),
    ]


def painted_table() -> list[tuple[str, str]]:
    """(what, how much) of the lab in a browser against the home page."""
    from tests.bench import painted

    home, runs = painted.measure()
    rows = [("home page, first paint", f"{home:.0f} ms")]
    return rows + [(f"{n} nodes, click to painted", f"{ms:.0f} ms = {ms / home:.1f} × home") for n, ms in runs.items()]


def hostile_table() -> list[tuple[str, str]]:
    """(which text, how long it takes to be refused), the slowest first."""
    from tests.bench import hostile

    return [(name, f"{seconds:.2f} s of CPU") for name, seconds in hostile.measure()]


def show(title: str, rows: list[tuple[str, str]]) -> None:
    """Print a small table."""
    width = max(len(name) for name, _ in rows)
    print(title)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")
    print(flush=True)


def profile(size: str) -> None:
    """The ten functions in which a run spends most time, calls from them not counted."""
    from scheduler_lab.engine import run
    from tests.bench import engine

    manifest = engine.read(size)
    profiler = cProfile.Profile()
    profiler.runcall(run, manifest)
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(10)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.run", description="Time the engine and the lab.")
    parser.add_argument("--size", default="1000x1000", help="nodes x pods: 10x10, 200x200, 1000x1000 or 5000x1000")
    parser.add_argument("--profile", action="store_true", help="print the engine's top ten functions instead")
    parser.add_argument("--no-pages", action="store_true", help="leave out the lab's pages")
    options = parser.parse_args()
    if options.profile:
        profile(options.size)
        return
    show(f"Engine, {options.size} (nodes x pods), one process", engine_table(options.size))
    if not options.no_pages:
        show("Lab, server side, median", pages_table())
        show("Lab, in a browser, median", painted_table())
        show("Texts of 5 MB that are refused", hostile_table())


if __name__ == "__main__":
    main()
