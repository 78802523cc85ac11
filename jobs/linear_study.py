#!/usr/bin/env python3
"""Counts the work of linear solvers on the systems of six scenes in contact, on many ranks of one machine.

    jobs/linear_study.sh [--ranks 1,4,16] [--problems rods,mat,...] [--solvers direct,multigrid,mumps] [--rods SCENE.yaml]
                         [-o DIRECTORY]

Runs each scene to the step before the system, and one more step without local iterations that writes the system (-abut_linear_write);
files that exist are used again. Then the program linear_study solves each system. Counts do not depend on the load of the machine, unlike
times. Columns: conjugate gradient iterations at a true relative residual of 1e-3; operations of a factorisation in Gflop, the busiest rank
over the mean, operations one after the other; predicted memory of the factor in MB, the fullest rank over the mean, the largest array. For
multigrid PETSc counts the operations of set-up and solution.
"""

import argparse
import os
import re
import subprocess
import sys

from scene_runs import positive_integers

BLOCK = """abut: 1
title: Stacked boxes
dim: 3
time: {step: 0.01, steps: 10}
gravity: [0, -9.81, 0]
materials:
  rubber: {model: neo-hookean, young: 1.0e6, poisson: 0.4, density: 1000}
bodies:
  - name: box
    material: rubber
    shape: {box: {size: [0.5, 0.5, 0.5], cells: [16, 16, 16]}}
    translate: [0, 0.2505, 0]
    copies: [2, 2, 2]
    spacing: [0.5005, 0.5005, 0.5005]
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
contact: {dhat: {absolute: 1.0e-3}}
solver: {tolerance: {relative: 1.0e-2}}
"""
# name: scene, step of the system, (text, replacement) in the scene
PROBLEMS = {
    "rods": ("inputs/ipc2020/fig04_rods_twist_large.yaml", 62, None),
    "squeeze": ("inputs/ipc2020/fig01_squeeze_out.yaml", 62, None),
    "mat": ("inputs/ipc2020/fig14_mat_twist.yaml", 46, ("[39, 39, 1]", "[79, 79, 1]")),
    "compactor": ("inputs/ipc2020/fig15_trash_compactor.yaml", 19, None),
    "block": (None, 4, None),
    "arch": ("inputs/oipc/arch_stands.yaml", 11, None),
}
RUN = ["build/bin/abut", "run"]
SOLVERS = {
    "direct": ["-abut_linear", "direct"],
    "multigrid": ["-abut_linear", "multigrid", "-ksp_type", "cg", "-ksp_rtol", "1e-3"],  # with -ksp_type the residual alone counts
    "mumps": ["-abut_linear", "direct", "-ksp_type", "preonly", "-pc_type", "cholesky", "-pc_factor_mat_solver_type", "mumps"],
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=positive_integers, default="1,4,16")
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--solvers", default="direct,multigrid")
    parser.add_argument("--rods", help="another scene for rods, for example one converted by inputs/from_ipc.py")
    parser.add_argument("-o", dest="output", default="build/linear_study")
    chosen = parser.parse_args()
    for names, known in ((chosen.problems, PROBLEMS), (chosen.solvers, SOLVERS)):
        unknown = [name for name in names.split(",") if name not in known]
        if unknown:
            parser.error(f"unknown: {', '.join(unknown)}; known are {', '.join(known)}")
    return chosen


def run(*command):
    """Output of a command; ends the study if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def scene_of(name, folder, scene):
    """Path of the scene of a problem; writes it to the folder if it is no file of inputs/."""
    edit = PROBLEMS[name][2]
    if scene and not edit:
        return scene
    text = open(scene, encoding="utf-8").read().replace(*edit) if scene else BLOCK
    path = os.path.join(folder, f"{name}.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def write_checkpoint(name, scene, folder):
    """Path of the checkpoint before the step of a system; computes it if it does not exist."""
    before = os.path.join(folder, f"{name}-before")
    checkpoint = os.path.join(before, "checkpoint.h5")
    if not os.path.exists(os.path.join(before, "summary.json")):
        run(*RUN, scene, "-o", before, "-steps", str(PROBLEMS[name][1] - 1), "-overwrite", "-progress", "none")
    return checkpoint


def write_system(name, scene, folder):
    """Path of the file with the system of a problem; computes it if it does not exist."""
    system = os.path.join(folder, f"{name}.bin")
    if os.path.exists(system):
        return system
    scene = scene_of(name, folder, scene)
    checkpoint = write_checkpoint(name, scene, folder)
    after, part = os.path.join(folder, f"{name}-after"), system + ".part"
    run(*RUN, scene, "-o", after, "-restart", checkpoint, "-steps", str(PROBLEMS[name][1]), "-abut_local", "off",
        "-abut_linear_write", part, "-progress", "none")
    os.rename(part, system)
    return system


def solve(system, solver, ranks):
    """Counts of a solution by name, and the number of iterations; None if the solver failed."""
    command = ["mpiexec", "-n", str(ranks), "build/tests/linear/linear_study", "-file", system, *SOLVERS[solver]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    line = next((line for line in done.stdout.splitlines() if line.startswith("ranks ")), None)
    return line and dict(re.findall(r"(\S+) (-?(?:[\d.]+(?:e[-+]?\d+)?|nan|inf))(?= |$)", line))


def row(name, solver, ranks, counts):
    if not counts:
        return [name, solver, ranks] + ["failed"] + [""] * 7
    value = {key: float(text) for key, text in counts.items()}
    flops = value.get("flop", value["setup_flop"] + value["solve_flop"])
    balance = value.get("flop_max/mean", value["solve_flop_max/mean"])
    gigaflops = f"{flops / 1e9:.3g}" if flops > 0 else ""
    path = f"{value['path'] / 1e9:.3g}" if "path" in value else ""
    memory = [counts.get("MB", ""), counts.get("MB_max/mean", ""), counts.get("array_MB", "")]
    return [name, solver, ranks, counts["iterations"], counts["residual"], gigaflops, balance if gigaflops else "", path, *memory]


def main():
    chosen = arguments()
    os.makedirs(chosen.output, exist_ok=True)
    print("| problem | solver | ranks | iterations | residual | Gflop | max/mean | Gflop, path | MB | max/mean | largest array [MB] |")
    print("|" + " --- |" * 11)
    for name in chosen.problems.split(","):
        scene = chosen.rods if name == "rods" and chosen.rods else PROBLEMS[name][0]
        system = write_system(name, scene, chosen.output)
        for solver in chosen.solvers.split(","):
            for ranks in chosen.ranks:
                cells = row(name, solver, ranks, solve(system, solver, ranks))
                print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
