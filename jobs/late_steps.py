#!/usr/bin/env python3
"""Times the 2020 IPC code and abut over the same late time steps, from the same positions and velocities, on one core.

    late_steps.py --reference DIR --program IPC [--abut build/bin/abut] [--only WORD] [-o results/late_steps]

DIR contains the scenes below scenes/ipc2020/input; IPC is the program of that code, built without its viewer. For each window of WINDOWS

1. abut computes the scene up to the window and writes a checkpoint;
2. positions and velocities of the checkpoint become a status file, from which the 2020 code restarts;
3. abut, then the 2020 code, compute the window on the same core with one thread.

The first steps of a window are not counted: in each step the 2020 code estimates its barrier stiffness anew, and abut's gaps are not in
equilibrium with that estimate. Times are without start and output, and without abut's exact checks of every step. *Motion* is the root mean
square over vertices of the displacement in the window, *difference* the same mean of the distance between both results, as a share of the
motion. Complete results in the output folder are reused: delete the row (from*.json) and the folder of a window to time it again. With
--only rows of other scenes come from the output folder alone. Needs NumPy and h5py.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys

from benchmark import ENVIRONMENT, convert, kernels, pinned, run, stop_by_lengths, table_of
from scene_runs import ROOT, fail, require_program

sys.path.insert(0, os.path.join(ROOT, "postprocess"))
import needs

needs.modules("numpy", "h5py")
import h5py
import numpy as np

# Scene: last step before the window, number of steps that are not counted, number of counted steps. Windows contain the steps with most
# contacts, or with most Newton iterations of abut, after the start of the scene; 1_squeezeOut: the last steps that were computed.
WINDOWS = {
    "otherExamples/typical/rodsTwist.txt": [(115, 1, 4), (195, 1, 4)],
    "otherExamples/typical/sphere1K_DCORotCylinders.txt": [(90, 1, 4), (155, 1, 4)],
    "paperExamples/12_sphereOnMat.txt": [(45, 1, 4), (225, 1, 4)],
    "paperExamples/13_dolphinFunnel.txt": [(265, 1, 2), (370, 1, 2)],
    "paperExamples/17_pinCushionBall.txt": [(110, 1, 4)],
    "paperExamples/1_squeezeOut.txt": [(50, 1, 1)],
    "paperExamples/21_scalability/mat40x40_twist.txt": [(100, 1, 4), (245, 1, 4)],
    "paperExamples/21_scalability/mat100x100_twist.txt": [(120, 1, 2)],
    "paperExamples/2_matKnives.txt": [(7, 1, 4)],
    "paperExamples/2_spherePoints.txt": [(10, 1, 4)],
    "paperExamples/5_hitCardHouse.txt": [(35, 1, 4), (47, 1, 4)],
    "paperExamples/8_rollerBall.txt": [(390, 4, 4)],
}
COLUMNS = ["scene", "vertices", "first", "last", "contacts", "newton", "local", "newton_2020", "solve_s", "solve_2020_s", "ratio",
           "motion_m", "difference", "crossings", "inversions", "remark"]
HEAD = ["scene", "vertices", "from step", "to step", "contacts", "Newton", "local iterations", "Newton, 2020 code", "time [s]",
        "time, 2020 code [s]", "ratio", "motion [m]", "difference", "crossings", "inversions", "remark"]
OUTPUT = "output:\n  fields: {every: 1000000}\n  checkpoint: {minutes: 0}\n"
MATCH_DISTANCE = 1e-6  # [m] largest distance between the positions of a vertex in both codes at the start
RESTART_DISTANCE = 1e-12  # [m] largest root mean square distance between the positions of a restart and of its status file


def run_abut(arguments, folder, last, *options):
    """Runs the converted scene of a folder up to a step, exactly checked; returns the folder of its results."""
    out = os.path.join(folder, "abut")
    command = ["mpiexec", "-n", "1", arguments.abut, "run", os.path.join(folder, "scene.yaml"), "-o", out, "-steps", str(last), "-verify"]
    code, said = run(pinned([arguments.core], command + list(options)), arguments.timeout)
    with open(os.path.join(folder, "abut.log"), "a", encoding="utf-8") as stream:
        stream.write(said)
    if code == 124:
        raise RuntimeError(f"abut did not end in {arguments.timeout:g} s")
    if code:
        raise RuntimeError(f"abut ended with exit code {code}, see {folder}/abut.log")
    return out


def run_2020(arguments, text, out):
    """Runs the 2020 code on a scene, in the folder to which its paths are relative, unless there are complete results."""
    if os.path.isdir(out):
        return out
    part = out + ".part"
    shutil.rmtree(part, ignore_errors=True)
    with open(out + ".txt", "w", encoding="utf-8") as stream:
        stream.write(text)
    command = [arguments.program, "100", out + ".txt", "-o", part, "--noPBar", "--numThreads", "1", "--log", "warning"]
    with open(out + ".log", "w", encoding="utf-8") as log:
        done = subprocess.run(pinned([arguments.core], command), cwd=os.path.join(arguments.reference, "scenes", "ipc2020"), stdout=log,
                              stderr=log, timeout=arguments.timeout, check=False, env={**ENVIRONMENT, **os.environ})
    if done.returncode:
        raise RuntimeError(f"the 2020 code ended with exit code {done.returncode}, see {out}.log")
    os.replace(part, out)
    return out


def with_duration(text, steps):
    """The text of a scene of the 2020 code that ends after a number of steps."""
    time = re.search(r"^[ \t]*time[ \t]+\S+[ \t]+(\S+).*$", text, re.M)
    if not time:
        raise RuntimeError("the scene has no line `time DURATION STEP`")
    duration = (steps - 0.5) * float(time.group(1))  # that code takes the next larger number of steps
    return text[:time.start()] + f"time {duration:.12g} {time.group(1)}" + text[time.end():]


def positions_of_status(path):
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            if line.startswith("position"):
                return np.loadtxt(stream, max_rows=int(line.split()[1]))
    raise RuntimeError(f"{path} has no positions")


def write_status(path, step, positions, velocities):
    """Writes a file from which the 2020 code restarts: the whole state for backward Euler and scripts that depend on positions only."""
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(f"timestep {step}\n\nposition {len(positions)} 3\n")
        np.savetxt(stream, positions, fmt="%.17g")
        stream.write(f"\nvelocity {velocities.size}\n")
        np.savetxt(stream, velocities.reshape(-1), fmt="%.17g")


def nearest(points, among):
    """Index of the nearest of `among` for each point, and the largest distance."""
    found, largest, block = np.empty(len(points), int), 0.0, 32
    for first in range(0, len(points), block):
        squared = ((points[first:first + block, None, :] - among[None, :, :]) ** 2).sum(axis=2)
        found[first:first + block] = squared.argmin(axis=1)
        largest = np.maximum(largest, squared.min(axis=1).max())  # NaN stays NaN
    return found, np.sqrt(largest)


def common_vertices(arguments, text, folder):
    """Vertices of abut in the order of the 2020 code, matched by their positions at the start; obstacles at rest may be missing there."""
    path = os.path.join(folder, "order.txt")
    if not os.path.exists(path):
        with h5py.File(os.path.join(run_abut(arguments, folder, 0, "-overwrite"), "fields.h5")) as fields:
            abut_positions = np.array(fields["steps/000000/position"])
        start = run_2020(arguments, with_duration(text, 1), os.path.join(folder, "start"))
        order, distance = nearest(positions_of_status(os.path.join(start, "status0")), abut_positions)
        if len(np.unique(order)) != len(order) or not distance <= MATCH_DISTANCE:
            raise RuntimeError(f"the codes start from different vertices, up to {distance:g} m apart")
        np.savetxt(path + ".part", order, fmt="%d")
        os.replace(path + ".part", path)
    return np.loadtxt(path, dtype=int)


def start_states(arguments, folder, starts):
    """Checkpoints at the steps before the windows, each continued from the one before."""
    files, options = {}, ["-overwrite"]
    for start in sorted(starts):
        files[start] = os.path.join(folder, f"step{start}.h5")
        if not os.path.exists(files[start]):
            shutil.copy(os.path.join(run_abut(arguments, folder, start, *options), "checkpoint.h5"), files[start] + ".part")
            os.replace(files[start] + ".part", files[start])
        options = ["-restart", files[start]]
    return files


def rms(vectors):
    return float(np.sqrt((vectors**2).sum(axis=1).mean()))


def state(path, order):
    """Positions and velocities of a checkpoint in the order of the 2020 code."""
    with h5py.File(path) as checkpoint:
        return np.array(checkpoint["position"])[order], np.array(checkpoint["velocity"])[order]


def abut_steps(out, first, last):
    """Numbers of abut over the steps from `first` to `last`."""
    with open(os.path.join(out, "steps.csv"), encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if int(row["step"]) >= first]
    if [int(row["step"]) for row in rows] != list(range(first, last + 1)):
        raise RuntimeError(f"{out}/steps.csv does not end with steps {first} to {last}")

    def total(key):
        return sum(float(row[key]) for row in rows)
    return {"contacts": round(total("contacts") / len(rows)), "newton": int(total("newton_iterations")),
            "local": int(total("local_iterations")), "solve_s": total("wall_s") - total("wall_verify_s") - total("wall_output_s"),
            "crossings": int(total("intersections")), "inversions": int(total("inversions"))}


def totals_2020(out, step):
    """Newton iterations, seconds, and the part of these seconds outside Newton's method, of the 2020 code from its restart to a step."""
    with open(os.path.join(out, f"info{step}.txt"), encoding="utf-8") as stream:
        text = stream.read()
    newton = re.search(r"^\d+ (\d+) ", text, re.M)
    seconds = [re.search(rf"(\S+) s: {activity}$", text, re.M) for activity in ("descent", "solve_extraComp")]
    if not newton or not all(seconds):
        raise RuntimeError(f"{out}/info{step}.txt is incomplete")
    return np.array([int(newton.group(1)), *(float(found.group(1)) for found in seconds)])


def steps_2020(out, first, last):
    """Newton iterations and seconds of the 2020 code over the steps from `first` to `last`."""
    end = totals_2020(out, last)
    newton, seconds, _ = end - totals_2020(out, first - 1)
    # it contains one more motion of the prescribed vertices after the last step: half of what came outside Newton's method in the last step
    seconds -= (end - totals_2020(out, last - 1))[2] / 2
    return {"newton_2020": int(newton), "solve_2020_s": float(seconds)}


def window(arguments, text, folder, order, checkpoint, start, settling, counted):
    """One row of the table: both codes from the state of a checkpoint over some steps."""
    first, last = start + settling + 1, start + settling + counted
    positions, velocities = state(checkpoint, order)
    status, out = os.path.join(folder, f"status{start}"), os.path.join(folder, f"from{start}to{last}")
    write_status(status, start, positions, velocities)
    abut = run_abut(arguments, folder, last, "-restart", checkpoint)
    row = {"vertices": len(order), "first": first, "last": last, **abut_steps(abut, first, last)}
    # the restart comes first, because that code ignores all lines after a section without an end
    run_2020(arguments, f"restart {status}\n" + with_duration(text, last), out)
    if not rms(positions_of_status(os.path.join(out, f"status{start}")) - positions) <= RESTART_DISTANCE:
        raise RuntimeError(f"{out} does not start from {status}")
    row.update(steps_2020(out, first, last))
    abut_positions = state(os.path.join(abut, "checkpoint.h5"), order)[0]
    motion = rms(abut_positions - positions)
    difference = rms(abut_positions - positions_of_status(os.path.join(out, f"status{last}"))) / motion
    if not np.isfinite(difference):
        raise RuntimeError(f"{out}/status{last} has no finite positions, or nothing moves")
    row.update(ratio=f"{row['solve_s'] / row['solve_2020_s']:.2g}", motion_m=f"{motion:.1e}", difference=f"{100 * difference:.2g} %")
    return {**row, "solve_s": f"{row['solve_s']:.3g}", "solve_2020_s": f"{row['solve_2020_s']:.3g}"}


def check_conditions(arguments):
    """All results of an output folder are of the same programs on the same core; ends the script if this run has others."""
    path = os.path.join(arguments.output, "conditions.json")
    now = {"abut": run([arguments.abut, "--version"])[1].strip(), "2020 code": arguments.program, "core": arguments.core}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            before = stream.read()
        if before != json.dumps(now):
            fail(f"results in {arguments.output} are of {before}, not of {json.dumps(now)}: give another folder (-o)")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(now, stream)


def known_row(path):
    """The row in a file of an earlier run; None: there is none."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as stream:
        row = json.load(stream)
    if not isinstance(row, dict):
        raise RuntimeError(f"{path} is no row: delete it")
    return row


def new_row(arguments, name, folder, start, settling, counted):
    path = os.path.join(arguments.reference, "scenes", "ipc2020", "input", name)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    scene = os.path.join(folder, "scene.yaml")
    reason = convert(path, scene, OUTPUT)[1]
    if reason:
        raise RuntimeError(reason)
    stop_by_lengths(scene)
    order = common_vertices(arguments, text, folder)
    files = start_states(arguments, folder, [before for before, _, _ in WINDOWS[name] if before <= start])
    return window(arguments, text, folder, order, files[start], start, settling, counted)


def rows_of_scene(arguments, name):
    """Rows of the windows of a scene: known ones, and new ones if the scene is chosen. A window that failed is a row with the reason."""
    folder = os.path.join(arguments.output, os.path.basename(name).removesuffix(".txt"))
    for start, settling, counted in WINDOWS[name]:
        path = os.path.join(folder, f"from{start}to{start + settling + counted}.json")
        scene = {"scene": re.sub(r"^(paper|other)Examples/|\.txt$", "", name)}
        try:
            row = known_row(path)
            if row is None and arguments.only in name:
                os.makedirs(folder, exist_ok=True)
                row = new_row(arguments, name, folder, start, settling, counted)
                with open(path + ".part", "w", encoding="utf-8") as stream:
                    json.dump(row, stream)
                os.replace(path + ".part", path)
            if row is not None:
                yield {**scene, **row}
        except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
            yield {**scene, "remark": str(error)}
        except (LookupError, TypeError, ArithmeticError) as error:  # of a damaged file
            yield {**scene, "remark": f"{type(error).__name__}: {error}"}


def write_tables(arguments, rows):
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
    parser.add_argument("--timeout", type=float, default=3600, help="seconds that one run of either code may take")
    cores = sorted(os.sched_getaffinity(0))
    parser.add_argument("--core", type=int, default=cores[0], choices=cores, help="core to which all runs are pinned")
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "results", "late_steps"))
    arguments = parser.parse_args()
    if not arguments.reference or not os.path.isdir(os.path.join(arguments.reference, "scenes", "ipc2020")):
        fail("no scenes of the 2020 code: give --reference DIR or set ABUT_REFERENCE_DIR")
    for name in ("output", "program", "abut", "reference"):
        setattr(arguments, name, os.path.abspath(getattr(arguments, name)))
    require_program(arguments.abut)
    if not arguments.timeout > 0:
        fail("--timeout must be positive")
    if not os.access(arguments.program, os.X_OK) or os.path.isdir(arguments.program):
        fail(f"{arguments.program} is no program; build the 2020 code without its viewer")
    if not any(arguments.only in name for name in WINDOWS):
        fail(f"no scene contains '{arguments.only}'")
    return arguments


def main():
    arguments, rows = parse(), []
    try:
        os.makedirs(arguments.output, exist_ok=True)
        os.environ.update(kernels(arguments.abut))
        check_conditions(arguments)
    except OSError as error:
        fail(str(error))
    for name in WINDOWS:
        for found in rows_of_scene(arguments, name):
            rows.append({key: found.get(key, "") for key in COLUMNS})
            write_tables(arguments, rows)
            print(", ".join(f"{key} {rows[-1][key]}" for key in COLUMNS if rows[-1][key] != ""), flush=True)
    print(f"{arguments.output}/late_steps.csv\n{arguments.output}/late_steps.md")
    return 1 if any(row["remark"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
