#!/usr/bin/env python3
"""Measures the balance of work: runs a scene on several numbers of ranks and writes a table from the output of `abut run -abut_view`.

    balance.py SCENE.yaml [--steps 20] [--ranks 2 4 8 16] [--restart CHECKPOINT] [--abut build/bin/abut]

The numbers describe the state after the last step. More ranks than cores are allowed, because no times are measured.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile

from scene_runs import positive_integer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1"}


def run(arguments, ranks, out):
    command = ["mpiexec", "-n", str(ranks), arguments.abut, "run", arguments.scene, "-o", out, "-steps", str(arguments.steps), "-abut_view",
               "-verify", "0"] + (["-restart", arguments.restart] if arguments.restart else [])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**ENVIRONMENT, **os.environ})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with code {done.returncode}:\n{done.stdout[-2000:]}")
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as stream:
        return done.stdout, json.load(stream)


def max_over_average(text):
    """Name -> maximum over mean of ranks, for both kinds of lines that the views print."""
    found = {}
    for name, ratio in re.findall(r"^  (\w+) +\d+, most on a rank \d+ \(([\d.]+) of the average\)", text, re.M):
        found[name] = float(ratio)
    for name, most, mean in re.findall(r"^  ([\w -]+?) +max ([\d.]+) avg ([\d.]+) a rank", text, re.M):
        found[name] = float(most) / float(mean) if float(mean) > 0 else 1.0
    return found


def row(ranks, text, summary):
    ratio = max_over_average(text)
    ghosts = re.search(r"^  ghosts +(\d+)", text, re.M).group(1)
    messages, megabytes = re.search(r"messages of all ranks: (\d+), ([\d.e+-]+) MB", text).groups()
    newton = max(summary["newton_iterations"], 1)
    candidates = max(ratio[name] for name in ("candidates face-vertex", "candidates edge-edge", "candidates edge-vertex"))
    return [ranks, *(f"{ratio[name]:.2f}" for name in ("cells", "faces")), f"{candidates:.2f}", f"{ratio['stencils']:.2f}", ghosts,
            f"{int(messages) / newton:.0f}", f"{1e3 * float(megabytes) / newton:.0f}",
            f"{summary['peak_memory_MB']['max']:.0f}", f"{summary['peak_memory_MB']['sum']:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("scene")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--ranks", type=positive_integer, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--restart", default="")
    parser.add_argument("--abut", default=os.path.join(ROOT, "build", "bin", "abut"))
    arguments = parser.parse_args()
    print("| ranks | cells max/avg | faces max/avg | candidates max/avg | stencils max/avg | ghosts | contact messages a Newton step "
          "| kB a Newton step "
          "| memory of a rank [MB] | of all [MB] |")
    print("|" + " --- |" * 10)
    for ranks in arguments.ranks:
        with tempfile.TemporaryDirectory(prefix="abut-balance-") as out:
            text, summary = run(arguments, ranks, out)
        print("| " + " | ".join(map(str, row(ranks, text, summary))) + " |", flush=True)


if __name__ == "__main__":
    main()
