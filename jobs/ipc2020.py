#!/usr/bin/env python3
"""Runs the scenes of inputs/ipc2020, tabulates what each took and draws a picture of each.

    ipc2020.py [NAME ...] [--quick] [--coarse] [--page] [-n 2] [-o results/ipc2020] [--abut build/bin/abut] [--timeout 3600]

Without names all scenes run but the sweeps, which mesh_sweep.py and time_sweep.py refine; a name with * stands for all that match. A scene
whose results are there is not run again (delete its folder to have that), one that was interrupted goes on from its checkpoint; results of a
coarse or quick run are none of a full one, which is refused and wants another folder. The table
is written anew after every scene; a scene that fails is one line of it that says why. --quick runs a few steps of each, --coarse what fits into
minutes: coarser meshes and as many steps as show what the scene is about, see ipc2020_plan.py. --page puts tables and pictures into
docs/ipc2020.md, with those of the reference code where ABUT_REFERENCE_DIR says where its figures are.
"""

import argparse
import csv
import fnmatch
import json
import os
import re
import resource
import subprocess
import sys

import ipc2020_page
from ipc2020_plan import PLANS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = os.path.join(ROOT, "inputs", "ipc2020")
QUICK_STEPS = 10
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", **os.environ}
if os.geteuid() == 0:  # Open MPI in containers
    ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
COLUMNS = ["scene", "nodes", "cells", "steps", "h [s]", "Newton a step", "contacts avg", "contacts max", "s a step", "smallest gap [m]", "crossings",
           "inversions", "lags a step", "processor s a step", "memory [MB]", "remark"]


def chosen(patterns):
    names = sorted(name[:-5] for name in os.listdir(SCENES) if name.endswith(".yaml"))
    if not patterns:
        return [name for name in names if not name.startswith("sweep_")]
    found = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    if not found:
        raise SystemExit(f"ipc2020.py: no scene of {SCENES} is called {' or '.join(patterns)}")
    return found


def summary_of(out):
    try:
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError):
        return None


def processor_seconds(out):
    """Processor time of the runs that left their results in a folder; 0: not known. It does not grow when others use the machine."""
    try:
        with open(os.path.join(out, "cost.json"), encoding="utf-8") as stream:
            return json.load(stream)["cpu_s"]
    except (OSError, ValueError, KeyError):
        return 0.0


def add_processor_seconds(out, used, goes_on):
    total = (processor_seconds(out) if goes_on else 0) + used
    with open(os.path.join(out, "cost.json"), "w", encoding="utf-8") as stream:
        json.dump({"cpu_s": total}, stream)


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def coarsened(name, out):
    """The scene with the replacements of its plan, beside its results; paths of meshes are made absolute."""
    with open(os.path.join(SCENES, name + ".yaml"), encoding="utf-8") as stream:
        text = stream.read().replace("file: meshes/", f"file: {SCENES}/meshes/")
    for old, new in PLANS[name].coarse:
        text = text.replace(old, new)
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, "scene.yaml")
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return path


def what_was_asked(options):
    """Options as a dictionary, without those that do not change what comes out."""
    words, found = list(options), {}
    while words:
        name = words.pop(0)
        value = words.pop(0) if words and not re.match(r"-[a-z]", words[0]) else ""
        if name not in ("-o", "-walltime", "-restart"):
            found[name] = value
    return found


def differs(before, scene, options):
    """What results are of, if that is something else than what is asked for now; or nothing."""
    if os.path.abspath(before["scene"]) != os.path.abspath(scene):
        return before["scene"]
    asked = what_was_asked(before["options"].split())
    return "" if asked == what_was_asked(options) else " ".join([before["scene"], *map(" ".join, asked.items())]).strip()


def run(scene, out, arguments, options=()):
    """Runs a scene unless its results are there; exit code and last words."""
    os.makedirs(out, exist_ok=True)
    before = summary_of(out)
    other = before and differs(before, scene, options)
    if other:
        return 2, f"the results there are of {other}: delete {out}, or give another folder (-o)"
    if before and before["exit_code"] == 0:
        return 0, ""
    command = [] if arguments.ranks == 1 else ["mpiexec", "-n", str(arguments.ranks)]
    command += [arguments.abut, "run", scene, "-o", out, *options]
    checkpoint = os.path.join(out, "checkpoint.h5")
    if before and before["exit_code"] == 5 and os.path.exists(checkpoint):
        command += ["-restart", checkpoint]
    already = children_seconds()
    try:
        done = subprocess.run(command + ["-walltime", str(arguments.timeout / 60)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, env=ENVIRONMENT, timeout=arguments.timeout + 600)
        code, said = done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        code, said = 124, (expired.stdout or b"").decode(errors="replace") + "\nabut: did not end in time"
    add_processor_seconds(out, children_seconds() - already, "-restart" in command)
    with open(os.path.join(out, "log.txt"), "w", encoding="utf-8") as stream:
        stream.write(said)
    words = [line for line in said.splitlines() if line.startswith("abut: ")]
    return code, words[0].removeprefix("abut: ") if words else ""


def rows_of(out):
    try:
        with open(os.path.join(out, "steps.csv"), encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except OSError:
        return []


def measured(name, out, code, said):
    """A row of the table."""
    row = dict.fromkeys(COLUMNS, "")
    row.update(scene=name, remark=f"exit {code}: {said[:160]}" if code else "")
    summary, steps = summary_of(out), rows_of(out)
    if not summary or not steps:
        return row
    count = len(steps)
    row["nodes"], row["cells"], row["steps"], row["h [s]"] = summary["vertices"], summary["cells"], count, f"{float(steps[0]['dt_s']):g}"
    row["Newton a step"] = f"{sum(int(step['newton_iterations']) for step in steps) / count:.1f}"
    row["contacts avg"] = f"{sum(int(step['contacts']) for step in steps) / count:.0f}"
    row["contacts max"] = max(int(step["contacts_max"]) for step in steps)
    row["s a step"] = f"{sum(float(step['wall_s']) for step in steps) / count:.3g}"
    row["smallest gap [m]"] = f"{min(float(step['min_gap_m']) for step in steps):.2g}"
    for column, key in (("crossings", "intersections"), ("inversions", "inversions")):
        numbers = [int(step[key]) for step in steps if step[key] not in ("", "-1")]
        row[column] = sum(numbers) if numbers else "not checked"
    row["lags a step"] = f"{sum(int(step['friction_lags']) for step in steps) / count:.1f}"
    row["processor s a step"] = f"{processor_seconds(out) / count:.3g}" if processor_seconds(out) else ""
    row["memory [MB]"] = f"{summary['peak_memory_MB']['sum']:.0f}"
    return row


def draw(name, out, folder):
    """A picture of first, middle and last level; what went wrong, or nothing."""
    path = os.path.join(folder, name + ".png")
    if not os.path.exists(os.path.join(out, "fields.h5")):
        return "no fields to draw"
    options = PLANS[name].picture or () if name in PLANS else ()
    command = ["python3", os.path.join(ROOT, "postprocess", "render.py"), out, "-o", path, "--width", "640", "--palette", "160", "--edges", *options]
    for python in ("python3", "/usr/bin/python3"):
        command[0] = python
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == 0:
            return ""
    return "not drawn: " + (done.stdout.strip().splitlines() or ["?"])[-1][:120]


def markdown(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(str(row[key]) for key in columns) + " |" for row in rows]) + "\n"


def run_and_draw(name, arguments):
    """A row of the table."""
    out, scene, steps = os.path.join(arguments.output, name), os.path.join(SCENES, name + ".yaml"), 0
    if arguments.coarse and name in PLANS:
        scene, steps = coarsened(name, out), PLANS[name].steps
    if arguments.quick:
        steps = QUICK_STEPS
    code, said = run(scene, out, arguments, ["-steps", str(steps)] if steps else [])
    row = measured(name, out, code, said)
    if not arguments.no_pictures and not code:
        row["remark"] = draw(name, out, arguments.output)
    print(f"{name}: " + (row["remark"] or f"{row['steps']} steps, {row['Newton a step']} Newton and {row['s a step']} s a step"), flush=True)
    return row


def make_page(arguments):
    rows = {}
    for name in PLANS:
        out = os.path.join(arguments.output, name)
        if rows_of(out):
            rows[name] = measured(name, out, 0, "")
            if PLANS[name].picture is not None and not arguments.no_pictures and (not arguments.names or name in chosen(arguments.names)):
                problem = draw(name, out, os.path.join(ROOT, "docs", "ipc2020"))
                print(f"{name}: {problem or 'drawn'}", flush=True)
    ipc2020_page.fill(os.path.join(ROOT, "docs", "ipc2020.md"), rows, ipc2020_page.read_peer(os.environ.get("ABUT_REFERENCE_DIR", "")))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_STEPS} steps of each")
    parser.add_argument("--coarse", action="store_true", help="what fits into minutes")
    parser.add_argument("--page", action="store_true", help="docs/ipc2020.md from the results that there are, without running anything")
    parser.add_argument("-n", "--ranks", type=int, default=2)
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "results", "ipc2020"))
    parser.add_argument("--abut", default=os.path.join(ROOT, "build", "bin", "abut"))
    parser.add_argument("--timeout", type=float, default=3600, help="seconds a scene may take in one go")
    parser.add_argument("--no-pictures", action="store_true")
    arguments = parser.parse_args()
    if arguments.page:
        return make_page(arguments)
    rows = []
    for name in chosen(arguments.names):
        rows.append(run_and_draw(name, arguments))
        with open(os.path.join(arguments.output, "ipc2020.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(COLUMNS, rows))
    print(os.path.join(arguments.output, "ipc2020.md"))
    return 1 if any(row["remark"].startswith("exit") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
