#!/usr/bin/env python3
"""Writes the table of a scaling study: scaling.py [--weak] DIRECTORY, which contains np1/summary.json, np2/summary.json, ..."""

import json
import os
import re
import sys

PHASES = ["elastic", "contact_search", "ccd", "contact_assembly", "linear_setup", "linear_solve", "line_search", "halo"]


def runs(folder):
    """Summaries by number of ranks, ascending."""
    found = []
    for name in os.listdir(folder):
        path = os.path.join(folder, name, "summary.json")
        if re.fullmatch(r"np\d+", name) and os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                found.append((int(name[2:]), json.load(stream)))
    return sorted(found, key=lambda run: run[0])


def table(found, weak):
    first_ranks, first = found[0]
    yield "| ranks | vertices | steps | Newton | time [s] | efficiency | " + " | ".join(PHASES) + " |"
    yield "|" + " --- |" * (6 + len(PHASES))
    for ranks, summary in found:
        wall = summary["wall_s"]
        ideal = first["wall_s"]["solve"] * (1 if weak else first_ranks / ranks)
        efficiency = ideal / wall["solve"] if wall["solve"] > 0 else float("nan")
        cells = [ranks, summary["vertices"], summary["steps"], summary["newton_iterations"], f"{wall['solve']:.2f}", f"{efficiency:.2f}"]
        yield "| " + " | ".join(map(str, cells + [f"{wall[phase]:.2f}" for phase in PHASES])) + " |"


def main():
    weak = "--weak" in sys.argv
    folders = [a for a in sys.argv[1:] if a != "--weak"]
    if len(folders) != 1 or not os.path.isdir(folders[0]):
        sys.exit(__doc__)
    found = runs(folders[0])
    if not found:
        sys.exit(f"{folders[0]}: no run has a summary.json")
    print("\n".join(table(found, weak)))


if __name__ == "__main__":
    main()
