#!/usr/bin/env python3
"""Prints what a run did, from its summary.json: summary.py DIRECTORY"""

import json
import os
import sys

ROWS = [
    ("vertices", "vertices", "{}"),
    ("cells", "cells", "{}"),
    ("ranks", "ranks", "{}"),
    ("steps", "steps", "{}"),
    ("simulated time [s]", "time_s", "{:g}"),
    ("Newton iterations", "newton_iterations", "{}"),
    ("contacts, mean", "contacts_avg", "{:.0f}"),
    ("contacts, most", "contacts_max", "{}"),
    ("smallest gap [m]", "min_gap_m", "{:.3g}"),
    ("intersections found", "intersections_found", "{}"),
    ("inverted cells found", "inversions_found", "{}"),
]


def main():
    with open(os.path.join(sys.argv[1], "summary.json"), encoding="utf-8") as stream:
        summary = json.load(stream)
    for title, key, form in ROWS:
        value = summary.get(key)
        print(f"{title:24s} {'unknown' if value is None else form.format(value)}")
    wall = summary["wall_s"]
    print(f"{'wall time [s]':24s} {wall['total']:.1f}, of which steps {wall['solve']:.1f}")


if __name__ == "__main__":
    main()
