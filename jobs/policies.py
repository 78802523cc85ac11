#!/usr/bin/env python3
"""What each policy of the solver is worth: runs twelve scenes with and without it and writes a table.

    policies.py [--abut build/bin/abut] [-n RANKS] [--core C] [--only SCENE] [--policies NAME[,NAME]] [-o results/policies]

A row is a policy that is switched off. Its columns are geometric means over the scenes: processor time, Newton, local and linear
iterations without it over those with it, and the largest and smallest ratio of times. A policy stays if a right answer needs it, or if
the first column is 1.05 or more on one or on two ranks. Processor times are of user code, pinned; other work changes them by some percent.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys

from scene_runs import ENVIRONMENT, ROOT, children_seconds, markdown, positive_integer, require_program

# scene in inputs/ipc2020: time steps, 5 to 10 s on one core
SCENES = {"fig01_squeeze_out": 20, "fig02_ball_on_points": 5, "fig02_mat_on_knives": 8, "fig04_rods_twist": 100,
          "fig05_card_house_hit": 25, "fig07_arch_falls": 30, "fig08_roller_ball": 14, "fig12_sphere_on_mat": 20,
          "fig13_dolphin_funnel": 60, "fig14_mat_twist": 30, "fig17_pin_cushion": 6, "fig21_creature_twist": 300}
# policy: options that switch it off
POLICIES = {
    "predicted contacts": ["-abut_predict", "off"],
    "local iterations": ["-abut_local", "0"],
    "lagged factor": ["-abut_reuse", "0"],
    "single precision": ["-abut_single_min_unknowns", "1000000000"],
}
COUNTS = ["newton_iterations", "local_iterations", "linear_iterations"]


def run(arguments, scene, options):
    """Processor seconds and counts of iterations of one run; ends the script if the run fails."""
    out = os.path.join(arguments.output, scene)
    shutil.rmtree(out, ignore_errors=True)
    cores = ",".join(str(arguments.core + k) for k in range(arguments.ranks))
    command = ["taskset", "-c", cores] + (["mpiexec", "-n", str(arguments.ranks)] if arguments.ranks > 1 else [])
    command += [arguments.abut, "run", os.path.join(ROOT, "inputs", "ipc2020", scene + ".yaml"), "-o", out, "-progress", "none",
                "-steps", str(SCENES[scene]), *options]
    before = children_seconds()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT, check=False)
    if done.returncode:
        raise SystemExit(f"{scene} {' '.join(options)}: exit {done.returncode}\n{done.stdout}")
    used = children_seconds() - before
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as stream:
        summary = json.load(stream)
    return [used] + [summary[name] for name in COUNTS]


def geometric_mean(ratios):
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def row_of(name, without, kept):
    """A row of the table from figures of all scenes; counts get one more, so that none is zero."""
    times = [without[scene][0] / kept[scene][0] for scene in kept]
    counts = [geometric_mean([(without[scene][k] + 1) / (kept[scene][k] + 1) for scene in kept]) for k in (1, 2, 3)]
    return {"switched off": name, "time": f"{geometric_mean(times):.2f}", "smallest": f"{min(times):.2f}", "largest": f"{max(times):.2f}",
            **{column: f"{count:.2f}" for column, count in zip(("Newton", "local", "linear"), counts)}}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--abut", default=os.path.join(ROOT, "build", "bin", "abut"))
    parser.add_argument("-n", "--ranks", type=positive_integer, default=1)
    parser.add_argument("--core", type=int, default=0, help="first core that ranks are bound to")
    parser.add_argument("--only", default="", help="only scenes whose name contains this word")
    parser.add_argument("--policies", default=",".join(POLICIES), help="names, separated by commas")
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "results", "policies"))
    arguments = parser.parse_args()
    arguments.abut, arguments.output = os.path.abspath(arguments.abut), os.path.abspath(arguments.output)
    require_program(arguments.abut)
    arguments.policies = arguments.policies.split(",")
    for name in arguments.policies:
        if name not in POLICIES:
            parser.error(f"no policy is called '{name}'; there are {', '.join(POLICIES)}")
    return arguments


def main():
    arguments = parse()
    scenes = [scene for scene in SCENES if arguments.only in scene]
    os.makedirs(arguments.output, exist_ok=True)
    kept, rows = {scene: run(arguments, scene, []) for scene in scenes}, []
    for name in arguments.policies:
        without = {scene: run(arguments, scene, POLICIES[name]) for scene in scenes}
        for scene in scenes:
            print(f"{name}, {scene}: with {kept[scene]}, without {without[scene]}", flush=True)
        rows.append(row_of(name, without, kept))
        with open(os.path.join(arguments.output, f"policies-{arguments.ranks}.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(list(rows[0]), rows))
    print(markdown(list(rows[0]), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
