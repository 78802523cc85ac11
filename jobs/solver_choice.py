#!/usr/bin/env python3
"""Measures whether -abut_linear auto chooses the linear solver with the least work, on the scenes of linear_study.py.

    jobs/solver_choice.sh [--ranks 1,2,4,8,16,64] [--problems arch,squeeze,...] [--solvers direct,multigrid,auto] [--repeat 1]
                          [-o DIRECTORY]

Restarts each scene from the step before its system and runs a few steps without local iterations. Work:
processor time of set-ups and solutions outside MPI on the rank with most, for one Newton iteration (tests/linear/work_clock.c). So waiting
does not count, and more ranks than cores may run. With --repeat the least work of several runs counts. A line has the work [ms] of each
solver, in brackets Newton iterations and iterations of conjugate gradients, the choice of auto at the end, the work of this solver over the
best, and the work of auto's own run over the best: it contains the symbolic factorisations of the prediction, which a few Newton iterations
carry here alone. DIRECTORY keeps the output of the runs with predictions (PROBLEM-RANKS-auto.log).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

from linear_study import PROBLEMS, scene_of, write_checkpoint

PROBLEMS["rods"] = ("inputs/ipc2020/fig04_rods_twist_large.yaml", 62, ("[272, 6, 6]", "[180, 4, 4]"))  # 54,300 unknowns
STEPS = {"rods": 5, "squeeze": 1, "mat": 1, "compactor": 1, "block": 4, "arch": 3}  # time steps of a run
SOLVERS = ("direct", "multigrid", "auto")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="1,2,4,8,16,64")
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--solvers", default="direct,multigrid,auto")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--abut", default="build/bin/abut")
    parser.add_argument("--clock", default="build/tests/linear/libwork_clock.so")
    parser.add_argument("-o", dest="output", default="build/solver_choice")
    return parser.parse_args()


def chosen_names(text, valid, option):
    """The names of a list separated by commas; ends the program if one is not valid."""
    for name in text.split(","):
        if name not in valid:
            sys.exit(f"solver_choice.py: {option} has '{name}'; valid are {', '.join(valid)}")
    return text.split(",")


def chosen_ranks(text):
    """The numbers of a list separated by commas; ends the program if one is no number of ranks."""
    for number in text.split(","):
        if not number.isdecimal() or int(number) < 1:
            sys.exit(f"solver_choice.py: --ranks has '{number}', must be whole numbers from 1 on")
    return list(map(int, text.split(",")))


def run(chosen, name, scene, ranks, solver):
    """Work [ms], Newton and linear iterations of a run of a few steps, and what -abut_view prints; None if the run failed."""
    base = os.path.join(chosen.output, f"{name}-{ranks}-{solver}")
    checkpoint = os.path.join(chosen.output, f"{name}-before", "checkpoint.h5")
    last = PROBLEMS[name][1] - 1 + STEPS[name]
    command = ["mpiexec", "-n", str(ranks), "-x", "LD_PRELOAD=" + os.path.abspath(chosen.clock), chosen.abut, "run", scene, "-o", base,
               "-restart", checkpoint, "-steps", str(last), "-abut_local", "off", "-abut_linear", solver, "-abut_view"]
    shutil.rmtree(base, ignore_errors=True)  # -restart continues results in the folder
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    with open(base + ".log", "w", encoding="utf-8") as stream:
        stream.write(done.stdout)
    if done.returncode != 0:
        return None
    with open(os.path.join(base, "summary.json"), encoding="utf-8") as stream:
        summary = json.load(stream)
    seconds = summary["wall_s"]["linear_setup"] + summary["wall_s"]["linear_solve"]
    return 1e3 * seconds / summary["newton_iterations"], summary["newton_iterations"], summary["linear_iterations"], done.stdout


def measure(chosen, name, scene, ranks, solver):
    """The run with the least work."""
    runs = [run(chosen, name, scene, ranks, solver) for _ in range(chosen.repeat)]
    return min((done for done in runs if done), default=None)


def cell(done):
    return f"{done[0]:.3g} ({done[1]}, {done[2]})" if done else "failed"


def choice_cells(works):
    """Choice of auto and its ratios to the best."""
    if not works.get("auto"):
        return ["", "", ""]
    kind = re.search(r"current solver: (\w+)", works["auto"][3]).group(1)
    best = min((done[0] for solver, done in works.items() if done and solver != "auto"), default=works["auto"][0])
    ratio = f"{works[kind][0] / best:.2f}" if works.get(kind) else ""
    return [kind, ratio, f"{works['auto'][0] / best:.2f}"]


def main():
    chosen = arguments()
    solvers, problems = chosen_names(chosen.solvers, SOLVERS, "--solvers"), chosen_names(chosen.problems, PROBLEMS, "--problems")
    ranks_list = chosen_ranks(chosen.ranks)
    os.makedirs(chosen.output, exist_ok=True)
    print(f"| problem | ranks | {' | '.join(solvers)} | chosen | over the best | with the prediction |")
    print("|" + " --- |" * (len(solvers) + 5))
    for name in problems:
        scene = scene_of(name, chosen.output, PROBLEMS[name][0])
        write_checkpoint(name, scene, chosen.output)
        for ranks in ranks_list:
            works = {solver: measure(chosen, name, scene, ranks, solver) for solver in solvers}
            cells = [name, ranks, *(cell(works[solver]) for solver in solvers), *choice_cells(works)]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
