#!/usr/bin/env python3
"""Runs strong and weak series of the scenes in inputs/scaling and writes their tables.

    scaling_study.py [--ranks 1,2,4] [--scenes blocks,rods] [--series strong,weak] [--steps 2] [-o results/scaling]

A strong series has the same number of copies on all rank counts (--copies), a weak series one copy a rank. Counts are recorded on every
rank count; measured times count only where ranks do not exceed --cores. The table has times predicted from the counts, docs/scaling.md
describes the model. A run whose view.txt exists is not repeated.
"""

import argparse
import json
import math
import os
import re
import shlex
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = ["blocks", "rods", "sheets", "balls"]
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}
CELLS, CONTACT, LINEAR = ["elastic", "line_search"], ["contact_search", "ccd", "contact_assembly"], ["linear_setup", "linear_solve"]
COUNTS = ["cells", "candidates", "stencils", "interface", "messages", "bytes", "reductions", "newton", "linear", "memory_MB"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ranks", default="1,2,4,8,16,32,64")
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--series", default="strong,weak")
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--copies", type=int, default=8, help="copies of a strong series [8]")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each measured case, of which the fastest counts [3]")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="largest number of ranks whose times are measured")
    parser.add_argument("--alpha", type=float, default=2e-6, help="latency of a message [2e-6 s]")
    parser.add_argument("--beta", type=float, default=1e-10, help="time of a byte [1e-10 s]")
    parser.add_argument("--rate", type=float, default=5e9, help="speed of dense factorisations [5e9 flop/s]")
    parser.add_argument("--predict", type=int, default=1024, help="largest number of ranks of the prediction")
    parser.add_argument("--launcher", default="mpiexec -n")
    parser.add_argument("--abut", default=os.environ.get("ABUT", os.path.join(ROOT, "build", "bin", "abut")))
    parser.add_argument("-o", default=os.path.join(ROOT, "results", "scaling"))
    given = parser.parse_args()
    given.ranks = [int(n) for n in given.ranks.split(",")]
    return given


def run(given, scene, series, ranks):
    """Runs one case unless it has run before; returns its folder."""
    out = os.path.join(given.o, scene, series, f"np{ranks}")
    if os.path.exists(os.path.join(out, "view.txt")):
        return out
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "scene.yaml")
    with open(os.path.join(ROOT, "inputs", "scaling", scene + ".yaml"), encoding="utf-8") as stream:
        text = re.sub(r"\bCOUNT\b", str(given.copies if series == "strong" else ranks), stream.read())
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    command = [*shlex.split(given.launcher), str(ranks), given.abut, "run", path, "-o", out, "-overwrite", "-steps", str(given.steps),
               "-verify", "0", "-abut_view", "-log_view", f":{out}/log_view.txt"]
    best = None
    for _ in range(given.repeats if ranks <= given.cores else 1):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              env={**ENVIRONMENT, **os.environ})
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} ended with code {done.returncode}:\n{done.stdout[-2000:]}")
        summary = read(out + "/summary.json")
        if best is None or json.loads(summary)["wall_s"]["solve"] < json.loads(best)["wall_s"]["solve"]:
            best = summary
    for name, text in (("summary.json", best), ("view.txt", done.stdout)):
        with open(os.path.join(out, name), "w", encoding="utf-8") as stream:
            stream.write(text)
    return out


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def max_and_mean(view):
    """Name -> (maximum, mean) over ranks, for both kinds of lines that the views print."""
    found = {}
    for name, most, mean in re.findall(r"^  ([\w -]+?) +max ([\d.]+) avg ([\d.]+) a rank", view, re.M):
        found[name] = (float(most), float(mean))
    for name, most, ratio in re.findall(r"^  (\w+) +\d+, most on a rank (\d+) \(([\d.]+) of the average\)", view, re.M):
        found[name] = (float(most), float(most) / max(float(ratio), 1e-9))
    return found


def record(out, ranks):
    """The counts and times of a run. Cells, stencils and so on are of the rank with most."""
    summary, view, log = json.loads(read(out + "/summary.json")), read(out + "/view.txt"), read(out + "/log_view.txt")
    sizes = max_and_mean(view)

    def logged(name):
        line = re.search(rf"^{name}: +([\d.e+-]+)", log, re.M)
        return float(line.group(1)) if line else 0.0

    def total_bytes():
        line = re.search(r"^MPI Msg Len \(bytes\): +\S+ +\S+ +\S+ +([\d.e+-]+)", log, re.M)
        return float(line.group(1)) if line else 0.0

    interface = re.findall(r"(\d+) unknowns on the interface", view)
    kinds = [sizes[name] for name in ("candidates face-vertex", "candidates edge-edge", "candidates edge-vertex") if name in sizes]
    return {"ranks": ranks, "vertices": summary["vertices"], "cells": sizes["cells"][0], "candidates": sum(most for most, _ in kinds),
            "stencils": sizes["stencils"][0], "balance": sizes["stencils"][0] / max(sizes["stencils"][1], 1e-9),
            "interface": float(interface[-1]) if interface else 0.0, "messages": logged("MPI Msg Count"), "bytes": total_bytes() / ranks,
            "reductions": logged("MPI Reductions"), "newton": summary["newton_iterations"], "linear": summary["linear_iterations"],
            "memory_MB": summary["peak_memory_MB"]["max"], "wall": summary["wall_s"]}


def predict(given, first, at):
    """Seconds by phase on at["ranks"] ranks: work of the rank with most at the speed of one rank, and messages."""
    def compute(phases, count, iterations="newton"):
        times = sum(first["wall"][phase] for phase in phases) * at[iterations] / max(first[iterations], 1)
        return times * at[count] / max(first[count], 1)

    return {"cells": compute(CELLS, "cells"), "contact": compute(CONTACT, "candidates"),
            "linear": compute(["linear_setup"], "cells") + compute(["linear_solve"], "cells", "linear")
                      + at["newton"] * at["interface"] ** 3 / 3 / given.rate,
            "messages": given.alpha * (at["messages"] + at["reductions"] * math.log2(max(at["ranks"], 1))) + given.beta * at["bytes"]}


def extrapolate(given, records):
    """Counts on more ranks than were run: powers of the rank count through the last two records."""
    if len(records) < 3:
        return
    a, b = records[-2:]
    ranks = 2 * b["ranks"]
    while ranks <= given.predict:
        more = {"ranks": ranks, "extrapolated": True}
        for name in COUNTS:
            power = math.log(b[name] / a[name]) / math.log(b["ranks"] / a["ranks"]) if a[name] > 0 and b[name] > 0 else 0
            more[name] = b[name] * (ranks / b["ranks"]) ** power
        yield more
        ranks *= 2


HEADINGS = ["ranks", "vertices", "cells, most", "stencils, most", "max/avg", "interface", "messages of a rank", "MB of a rank",
            "reductions", "Newton", "CG", "MB, most", "measured [s]", "predicted [s]", "efficiency"]


def row(given, series, first, at):
    """One row of the table; max/avg and measured times only of real runs."""
    real, ranks = not at.get("extrapolated"), at["ranks"]
    total, start = sum(predict(given, first, at).values()), sum(predict(given, first, first).values())
    seconds = sum(at["wall"][phase] for phase in [*CELLS, *CONTACT, *LINEAR, "halo"]) if real and ranks <= given.cores else None
    ideal = start / (ranks / first["ranks"] if series == "strong" else 1)
    return [ranks, at.get("vertices", ""), f"{at['cells']:.0f}", f"{at['stencils']:.0f}", f"{at['balance']:.2f}" if real else "",
            f"{at['interface']:.0f}", f"{at['messages']:.0f}", f"{at['bytes'] / 1e6:.2f}", f"{at['reductions']:.0f}",
            f"{at['newton']:.0f}", f"{at['linear']:.0f}", f"{at['memory_MB']:.0f}", "" if seconds is None else f"{seconds:.2f}",
            f"{total:.3f}", f"{ideal / total:.2f}"]


def table(given, series, records):
    yield "| " + " | ".join(HEADINGS) + " |"
    yield "|" + " --- |" * len(HEADINGS)
    for at in [*records, *extrapolate(given, records)]:
        yield "| " + " | ".join(map(str, row(given, series, records[0], at))) + " |"


def main():
    given = arguments()
    for scene in given.scenes.split(","):
        for series in given.series.split(","):
            records = [record(run(given, scene, series, ranks), ranks) for ranks in given.ranks]
            phases = [{"ranks": at["ranks"], **predict(given, records[0], at)} for at in [*records, *extrapolate(given, records)]]
            folder = os.path.join(given.o, scene, series)
            with open(os.path.join(folder, "phases.json"), "w", encoding="utf-8") as stream:
                json.dump({"scene": scene, "series": series, "phases": phases, "records": records}, stream, indent=1)
            text = "\n".join(table(given, series, records))
            with open(os.path.join(folder, "table.md"), "w", encoding="utf-8") as stream:
                stream.write(text + "\n")
            print(f"\n### {scene}, {series}\n\n{text}", flush=True)


if __name__ == "__main__":
    main()
