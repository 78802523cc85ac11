#!/usr/bin/env python3
"""Times the 2020 IPC code and abut over the same late time steps, from the same positions and velocities, on one core.

    late_steps.py --reference DIR --program IPC [--abut build/bin/abut] [--only WORD] [-o results/late_steps]

DIR contains the scenes below scenes/ipc2020/input; IPC is the program of that code, built without its viewer. For each window of steps
in WINDOWS abut computes the scene up to the first step. Positions and velocities of its checkpoint are written as a status file, from
which that code restarts. Then abut and after it the other code compute the steps of the window, pinned to the same core, one thread
each. The first step of a window is not counted, because the other code adapts to its own barrier stiffness in it, except in windows of
one step. Times are without start and output, and without abut's exact checks of every step. The table also has the root mean square over vertices of the motion in the window and of the difference between both results: both codes stop Newton's method
at a tolerance. Checkpoints and rows in the output folder are not computed again. Needs NumPy and h5py.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys

from benchmark import convert, kernels, pinned, run, table_of
from scene_runs import ROOT, fail, require_program

sys.path.insert(0, os.path.join(ROOT, "postprocess"))
import needs

needs.modules("numpy", "h5py")
import h5py
import numpy as np

# scene: steps before a window, number of its steps. In each scene these are the steps with most contacts, or with most Newton iterations of
# abut, except at the start; in 1_squeezeOut the last step that was computed.
WINDOWS = {
    "otherExamples/typical/rodsTwist.txt": [(115, 5), (195, 5)],
    "otherExamples/typical/sphere1K_DCORotCylinders.txt": [(90, 5), (155, 5)],
    "paperExamples/12_sphereOnMat.txt": [(45, 5), (225, 5)],
    "paperExamples/13_dolphinFunnel.txt": [(265, 3), (370, 3)],
    "paperExamples/17_pinCushionBall.txt": [(110, 5)],
    "paperExamples/1_squeezeOut.txt": [(50, 2)],
    "paperExamples/21_scalability/mat40x40_twist.txt": [(100, 5), (245, 5)],
    "paperExamples/21_scalability/mat100x100_twist.txt": [(120, 3)],
    "paperExamples/2_matKnives.txt": [(7, 5)],
    "paperExamples/2_spherePoints.txt": [(10, 5)],
    "paperExamples/5_hitCardHouse.txt": [(35, 5), (47, 5)],
    "paperExamples/8_rollerBall.txt": [(390, 3)],
}
COLUMNS = ["scene", "vertices", "first", "last", "contacts", "newton", "local", "newton_other", "solve_s", "solve_other_s", "ratio",
           "motion_m", "difference_m", "crossings", "inversions"]
HEAD = ["scene", "vertices", "from step", "to step", "contacts", "Newton", "local iterations", "Newton, other", "time [s]",
        "time, other [s]", "ratio", "motion [m]", "difference [m]", "crossings", "inversions"]
NEAR = 1e-6  # [m] largest distance of a vertex in both codes at the start


def abut(arguments, folder, last, *options):
    """Runs the converted scene of a folder up to a step, exactly checked; returns the folder of its results."""
    out = os.path.join(folder, "abut")
    command = ["mpiexec", "-n", "1", arguments.abut, "run", os.path.join(folder, "scene.yaml"), "-o", out, "-steps", str(last), "-verify"]
    code, said = run(pinned([arguments.core], command + list(options)))
    with open(os.path.join(folder, "abut.log"), "a", encoding="utf-8") as stream:
        stream.write(said)
    if code:
        raise RuntimeError(f"abut ended with exit code {code}, see {folder}/abut.log")
    return out


def other(arguments, text, folder, name, last):
    """Runs the 2020 code to a step, unless its state is there, in the folder that holds its input; returns the folder of its results."""
    scene, out = os.path.join(folder, name + ".txt"), os.path.join(folder, name)
    if os.path.exists(os.path.join(out, f"status{last}")):
        return out
    with open(scene, "w", encoding="utf-8") as stream:
        stream.write(text)
    command = [arguments.program, "100", scene, "-o", out, "--noPBar", "--numThreads", "1", "--log", "warning"]
    with open(os.path.join(folder, name + ".log"), "w", encoding="utf-8") as log:
        subprocess.run(pinned([arguments.core], command), cwd=os.path.join(arguments.reference, "scenes", "ipc2020"), stdout=log,
                       stderr=log, timeout=arguments.timeout, check=True)
    return out


def with_duration(text, steps):
    """The text of a scene of the 2020 code that ends after a number of steps."""
    time = re.search(r"^time +\S+ +(\S+).*$", text, re.M)
    duration = (steps - 0.5) * float(time.group(1))  # that code takes the next larger number of steps
    return text[:time.start()] + f"time {duration:.12g} {time.group(1)}" + text[time.end():]


def positions_of_status(path):
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            if line.startswith("position"):
                return np.loadtxt(stream, max_rows=int(line.split()[1]))
    raise ValueError(f"{path} has no positions")


def write_status(path, step, positions, velocities):
    """A file from which the 2020 code restarts; that code computes everything else anew in each step."""
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(f"timestep {step}\n\nposition {len(positions)} 3\n")
        np.savetxt(stream, positions, fmt="%.17g")
        stream.write(f"\nvelocity {velocities.size}\n")
        np.savetxt(stream, velocities.reshape(-1), fmt="%.17g")


def nearest(points, among):
    """Index of the nearest of `among` for each point, and the largest distance."""
    found, largest = np.empty(len(points), int), 0.0
    for first in range(0, len(points), 256):
        squared = ((points[first:first + 256, None, :] - among[None, :, :]) ** 2).sum(axis=2)
        found[first:first + 256] = squared.argmin(axis=1)
        largest = max(largest, float(squared.min(axis=1).max()))
    return found, np.sqrt(largest)


def common_vertices(arguments, text, folder):
    """Vertices of abut in the order of the 2020 code, matched by their positions at the start of the scene."""
    with h5py.File(os.path.join(abut(arguments, folder, 0, "-overwrite"), "fields.h5")) as fields:
        ours = np.array(fields["steps/000000/position"])
    theirs = positions_of_status(os.path.join(other(arguments, with_duration(text, 1), folder, "start", 1), "status0"))
    order, distance = nearest(theirs, ours)
    if len(ours) != len(theirs) or len(np.unique(order)) != len(order) or distance > NEAR:
        raise RuntimeError(f"the codes start from different vertices: {len(ours)} and {len(theirs)}, up to {distance:g} m apart")
    return order


def start_states(arguments, folder, starts):
    """Checkpoints at the steps before the windows, each continued from the one before."""
    files, options = {}, ["-overwrite"]
    for start in sorted(starts):
        files[start] = os.path.join(folder, f"step{start}.h5")
        if not os.path.exists(files[start]):
            shutil.copy(os.path.join(abut(arguments, folder, start, *options), "checkpoint.h5"), files[start])
        options = ["-restart", files[start]]
    return files


def rms(vectors):
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))


def state(path, order):
    """Positions and velocities of a checkpoint in the order of the 2020 code."""
    with h5py.File(path) as checkpoint:
        return np.array(checkpoint["position"])[order], np.array(checkpoint["velocity"])[order]


def our_steps(out, before):
    with open(os.path.join(out, "steps.csv"), encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if int(row["step"]) > before]

    def total(key):
        return sum(float(row[key]) for row in rows)
    return {"contacts": round(total("contacts") / len(rows)), "newton": int(total("newton_iterations")),
            "local": int(total("local_iterations")), "solve_s": total("wall_s") - total("wall_verify_s") - total("wall_output_s"),
            "crossings": int(total("intersections")), "inversions": int(total("inversions"))}


def their_totals(out, step):
    """Newton iterations and seconds from the restart to a step, from the table that the 2020 code writes after it."""
    with open(os.path.join(out, f"info{step}.txt"), encoding="utf-8") as stream:
        text = stream.read()
    return int(text.splitlines()[1].split()[1]), float(re.search(r"([\d.]+) s: descent", text).group(1))


def their_steps(out, start, before, last):
    newton, seconds = their_totals(out, last)
    if before > start:
        newton, seconds = newton - their_totals(out, before)[0], seconds - their_totals(out, before)[1]
    return {"newton_other": newton, "solve_other_s": seconds}


def window(arguments, text, folder, order, checkpoint, start, steps):
    """One row of the table: both codes from the state of a checkpoint over some steps; known rows are read."""
    known = os.path.join(folder, f"from{start}.json")
    if os.path.exists(known):
        with open(known, encoding="utf-8") as stream:
            return json.load(stream)
    last, before = start + steps, start + (1 if steps > 1 else 0)
    positions, velocities = state(checkpoint, order)
    write_status(os.path.join(folder, f"status{start}"), start, positions, velocities)
    ours = abut(arguments, folder, last, "-restart", checkpoint)
    row = our_steps(ours, before)
    restart = f"\nrestart {folder}/status{start}\n"
    theirs = other(arguments, with_duration(text, last) + restart, folder, f"from{start}", last)
    row.update(their_steps(theirs, start, before, last))
    reached = state(os.path.join(ours, "checkpoint.h5"), order)[0]
    there = positions_of_status(os.path.join(theirs, f"status{last}"))
    row.update(vertices=len(order), first=before + 1, last=last, ratio=round(row["solve_s"] / row["solve_other_s"], 4),
               motion_m=f"{rms(reached - positions):.2e}", difference_m=f"{rms(reached - there):.2e}")
    row.update(solve_s=round(row["solve_s"], 3), solve_other_s=round(row["solve_other_s"], 1))
    with open(known, "w", encoding="utf-8") as stream:
        json.dump(row, stream)
    return row


def rows_of_scene(arguments, name):
    """Rows of the windows of a scene, each written as soon as it is known."""
    path = os.path.join(arguments.reference, "scenes", "ipc2020", "input", name)
    folder = os.path.join(arguments.output, os.path.basename(name).removesuffix(".txt"))
    os.makedirs(folder, exist_ok=True)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    reason = convert(path, os.path.join(folder, "scene.yaml"), "output:\n  fields: {every: 1000000}\n  checkpoint: {minutes: 0}\n")
    if reason:
        raise RuntimeError(reason)
    order = common_vertices(arguments, text, folder)
    files = start_states(arguments, folder, [start for start, _ in WINDOWS[name]])
    for start, steps in WINDOWS[name]:
        yield {"scene": name.removeprefix("paperExamples/").removeprefix("otherExamples/").removesuffix(".txt"),
               **window(arguments, text, folder, order, files[start], start, steps)}


def write(arguments, rows):
    with open(os.path.join(arguments.output, "late_steps.csv"), "w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    with open(os.path.join(arguments.output, "late_steps.md"), "w", encoding="utf-8") as stream:
        stream.write(table_of(HEAD, COLUMNS, rows))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--reference", default=os.environ.get("ABUT_REFERENCE_DIR"),
                        help="folder of the reference data [ABUT_REFERENCE_DIR]")
    parser.add_argument("--program", required=True, help="program of the 2020 IPC code")
    parser.add_argument("--abut", default=os.path.join(ROOT, "build", "bin", "abut"))
    parser.add_argument("--only", default="", help="only scenes whose path contains this word")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds that a run of the other code may take")
    parser.add_argument("--core", type=int, default=0, help="core to which all runs are pinned")
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "results", "late_steps"))
    arguments = parser.parse_args()
    arguments.output, arguments.program = os.path.abspath(arguments.output), os.path.abspath(arguments.program)
    if not arguments.reference or not os.path.isdir(os.path.join(arguments.reference, "scenes", "ipc2020")):
        fail("no scenes of the 2020 code: give --reference DIR or set ABUT_REFERENCE_DIR")
    arguments.reference = os.path.abspath(arguments.reference)
    require_program(arguments.abut)
    if not os.access(arguments.program, os.X_OK):
        fail(f"{arguments.program} is no program; build the 2020 code without its viewer")
    return arguments


def main():
    arguments = parse()
    os.environ.update(kernels(arguments.abut))
    rows, failed = [], False
    for name in (name for name in WINDOWS if arguments.only in name):
        try:
            for row in rows_of_scene(arguments, name):
                rows.append(row)
                write(arguments, rows)
                print(", ".join(f"{key} {row[key]}" for key in COLUMNS), flush=True)
        except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
            failed = True
            print(f"{name}: {error}", file=sys.stderr)
    if rows:
        print(f"{arguments.output}/late_steps.csv\n{arguments.output}/late_steps.md")
    return 0 if rows and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
