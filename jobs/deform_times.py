#!/usr/bin/env python3
"""
Processor time of `abut deform` for a frame in contact, beside Table 1 of Brunel, Benard and Guennebaud (2021).

    jobs/deform_times.py build/bin/abut -o results/deform_times               all rows, fastest of ten runs
    jobs/deform_times.py build/bin/abut -o DIR --repeats 3 --core 1 finger    one row, on core 1

A frame is in contact if a pair has a contact zone. Frames without contact come first in a scene: a run of these alone gives their time,
which is subtracted. Runs of all rows alternate, so that a busy moment of the machine spoils one run of each.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys

from scene_runs import positive_integer, require_program

FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inputs", "deform", "make_figures.py")
ROWS = {  # scene: refinement of the meshes and of the frames, so that vertices are near the paper's; its vertices and milliseconds
    "fingers": (0.6, 1, 2625, 5.6), "palm": (1.05, 3, 4848, 9), "finger": (1.03, 2, 4918, 13.6), "elbow": (1.1, 2, 4918, 13.6),
    "mouth": (1, 3, 3325, 9.8), "relief": (1, 1, 19410, 101.8), "foot": (1.03, 1, 12457, 76.8), "hat_egg": (1.05, 1, 22334, 173.4),
}


def run(args, scene):
    """Runs a scene on one core; its summary."""
    out = os.path.join(args.o, "out")
    subprocess.run(["taskset", "-c", str(args.core), args.abut, "deform", scene, "-o", out, "-overwrite", "-progress", "none"], check=True)
    with open(os.path.join(out, "summary.json"), encoding="ascii") as file:
        return json.load(file)


class Row:
    def __init__(self, args, name):
        refine, finer, self.paper_vertices, self.paper = ROWS[name]
        subprocess.run([sys.executable, "-B", FIGURES, name, "--refine", str(refine), "--finer", str(finer), "-o", args.o], check=True)
        self.name, self.scene, self.idle = name, os.path.join(args.o, f"{name}.yaml"), None
        summary = run(args, self.scene)
        with open(os.path.join(args.o, "out", "contacts.csv"), encoding="ascii") as file:
            touching = {int(row["frame"]) for row in csv.DictReader(file) if int(row["zone_first"]) or int(row["zone_second"])}
        self.frames, self.vertices, self.contact, self.first = summary["frames"], summary["vertices"], len(touching), min(touching)
        self.times, self.idle_times = [], []
        if self.first:
            self.idle = os.path.join(args.o, f"{name}_idle.yaml")
            with open(self.scene, encoding="ascii") as file, open(self.idle, "w", encoding="ascii") as out:
                out.write(re.sub(r"frames: \d+", f"frames: {self.first}", file.read(), count=1))

    def measure(self, args):
        self.times.append(run(args, self.scene)["processor_seconds_all_ranks"])
        if self.idle:
            self.idle_times.append(run(args, self.idle)["processor_seconds_all_ranks"])

    def result(self):
        """Milliseconds of a frame: in contact, without contact, mean."""
        whole, idle = min(self.times), min(self.idle_times) / self.first if self.idle else 0
        return [1e3 * t for t in ((whole - idle * (self.frames - self.contact)) / self.contact, idle, whole / self.frames)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abut", help="program")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"rows: {', '.join(ROWS)}; default: all")
    parser.add_argument("-o", required=True, metavar="DIR", help="folder of scenes and results")
    parser.add_argument("--repeats", type=positive_integer, default=10, metavar="N")
    parser.add_argument("--core", type=int, default=0, help="processor core of the runs")
    args = parser.parse_intermixed_args()
    if set(args.names) - set(ROWS):
        parser.error(f"there is no row {', '.join(sorted(set(args.names) - set(ROWS)))}")
    require_program(args.abut)
    rows = [Row(args, name) for name in args.names or ROWS]
    for _ in range(args.repeats):
        for row in rows:
            row.measure(args)
    print("scene,vertices,frames,in_contact,contact_ms,idle_ms,mean_ms,paper_vertices,paper_ms,factor")
    for row in rows:
        contact, idle, mean = row.result()
        print(f"{row.name},{row.vertices},{row.frames},{row.contact},{contact:.3g},{idle:.3g},{mean:.3g},{row.paper_vertices},{row.paper},"
              f"{row.paper / contact:.2g}")
    print("load of the machine at the end:", *os.getloadavg())


if __name__ == "__main__":
    main()
