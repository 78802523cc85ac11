#!/usr/bin/env python3
"""Times abut on scenes of the 2020 IPC code, compares with recorded times of that code, and writes a table.

    benchmark.py --reference DIR [--abut build/bin/abut] [--ranks 1 2] [--only WORD] [--balanced] [-o results/benchmark] [-- PETSc options]

DIR contains bench/peer.csv (times of the other code), bench/calibrate.c (a fixed computation that measures the speed of a machine) and
the scenes below scenes/ipc2020/input. Every run is pinned to as many cores as it has ranks, one thread each. A ratio is the time of abut
over the time of the other code, each divided by the calibration of its machine: below 1 abut is faster. Every step is checked exactly for
intersections and inversions; the check is not part of the time. A scene that cannot run is a row with the reason. Steps end by the
test of the other code, `solver.balance: off`; with --balanced they end as by default, with balanced forces.
"""

import argparse
import csv
import datetime
import json
import os
import platform
import re
import shlex
import subprocess
import sys

from scene_runs import positive_integer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = [
    "otherExamples/friction/slopeTest_highSchoolPhysics_0.5.txt",
    "otherExamples/friction/slopeTest_highSchoolPhysics_0.49.txt",
    "otherExamples/typical/rodsTwist.txt",
    "otherExamples/typical/sphere1K_DCORotCylinders.txt",
    "paperExamples/10_cubeStack.txt",
    "paperExamples/12_sphereOnMat.txt",
    "paperExamples/13_dolphinFunnel.txt",
    "paperExamples/17_pinCushionBall.txt",
    "paperExamples/1_squeezeOut.txt",
    "paperExamples/21_scalability/armadillo13K_twist.txt",
    "paperExamples/21_scalability/mat100x100_twist.txt",
    "paperExamples/21_scalability/mat40x40_twist.txt",
    "paperExamples/20_pencilStickSlip.txt",
    "paperExamples/2_matKnives.txt",
    "paperExamples/2_spherePoints.txt",
    "paperExamples/4_rodsTwist.txt",
    "paperExamples/5_hitCardHouse.txt",
    "paperExamples/7_masonryArch.txt",
    "paperExamples/8_rollerBall.txt",
    "paperExamples/tb1_diffDt/rodsTwist_E1e4_dt0.025.txt",
    "paperExamples/tb1_diffDt/rodsTwist_E1e4_dt0.1.txt",
    "paperExamples/11_erleben/",  # all scenes of the folder
]
# scenes run without friction: it has little effect in the timed steps
WITHOUT_FRICTION = {"paperExamples/1_squeezeOut.txt"}
COLUMNS = ["scene", "ranks", "vertices", "steps", "newton", "local", "peer_newton", "contacts_avg", "min_gap_m", "solve_s",
           "peer_solve_s", "calibration_s", "peer_calibration_s", "ratio", "crossings", "inversions", "peak_MB", "exit", "remark"]
PHASES = ["elastic", "contact_search", "ccd", "contact_assembly", "linear_setup", "linear_solve", "line_search", "halo"]
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none"}


def run(command, timeout=None):
    """Exit code and output; 124 after the time limit."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False,
                              env={**ENVIRONMENT, **os.environ}, cwd=ROOT)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        said = expired.stdout or b""
        return 124, said if isinstance(said, str) else said.decode(errors="replace")


def pinned(cores, command):
    return ["taskset", "-c", ",".join(map(str, cores))] + command


def kernels(abut):
    """Environment that makes other programs use the BLAS kernels that abut selects for processors unknown to OpenBLAS."""
    found = re.search(r"OpenBLAS \((\w+)\)", run([abut, "--version"])[1])
    return {"OPENBLAS_CORETYPE": found.group(1)} if found else {}


def calibrate(reference, folder, core):
    """Seconds of the calibration on this machine, minimum of three; None if it cannot be built."""
    program = os.path.join(folder, "calibrate")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "PETSc"], capture_output=True, text=True, check=False).stdout
    code, said = run(["mpicc", "-O2", os.path.join(reference, "bench", "calibrate.c"), "-o", program, *shlex.split(flags), "-lm"])
    if code:
        print(f"no calibration: {said.strip().splitlines()[-1]}")
        return None
    times = []
    for _ in range(3):
        code, said = run(pinned([core], [program]))
        numbers = [float(word) for word in said.split() if word.replace(".", "", 1).isdigit()]
        if code or not numbers:
            print(f"no calibration: {said.strip()}")
            return None
        times.append(numbers[-1])
    return min(times)


def peers(reference):
    with open(os.path.join(reference, "bench", "peer.csv"), encoding="utf-8", newline="") as stream:
        return {row["scene"]: row for row in csv.DictReader(stream)}


def scenes(reference, only):
    folder = os.path.join(reference, "scenes", "ipc2020", "input")
    for name in SCENES:
        names = [name]
        if name.endswith("/"):
            below = os.path.join(folder, name)
            names = [name + leaf for leaf in sorted(os.listdir(below) if os.path.isdir(below) else []) if leaf.endswith(".txt")]
        yield from ((n, os.path.join(folder, n)) for n in names if only in n)


def convert(path, scene, output, *options):
    """Converts a scene of the 2020 code and adds the entry `output`. Returns the exit code of from_ipc.py and, unless 0, the reason."""
    code, said = run([sys.executable, os.path.join("inputs", "from_ipc.py"), path, "-o", scene, *options])
    if code:
        return code, "not converted: " + said.strip().splitlines()[0].removeprefix("from_ipc: ")
    with open(scene, "a", encoding="utf-8") as stream:
        stream.write(output)
    return 0, ""


def stop_by_lengths(scene):
    """Gives a converted scene the stopping test of the other code."""
    with open(scene, encoding="utf-8") as stream:
        text = stream.read()
    before, found, after = text.partition("\nsolver:\n")
    with open(scene, "w", encoding="utf-8") as stream:
        stream.write(before + found + "  balance: off\n" + after if found else text + "solver: {balance: off}\n")


def measure(arguments, name, path, steps, ranks):
    """One run: its summary, or the reason why there is none."""
    out = os.path.join(arguments.output, name.removesuffix(".txt").replace("/", "_"), f"np{ranks}")
    os.makedirs(out, exist_ok=True)
    scene = os.path.join(os.path.dirname(out), "scene.yaml")
    options = ["--ignore-friction"] if name in WITHOUT_FRICTION else []
    code, reason = convert(path, scene, "output:\n  fields: {every: 0}\n", *options)
    if code:
        return {"exit": code, "remark": reason}
    if not arguments.balanced:
        stop_by_lengths(scene)
    command = ["mpiexec", "-n", str(ranks), arguments.abut, "run", scene, "-o", out, "-overwrite", "-steps", str(steps), "-verify",
               *arguments.options]
    code, said = run(pinned(range(arguments.first_core, arguments.first_core + ranks), command), arguments.timeout)
    with open(os.path.join(out, "log.txt"), "w", encoding="utf-8") as stream:
        stream.write(said)
    try:
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as stream:
            summary = json.load(stream)
    except (OSError, ValueError) as error:
        last = said.strip().splitlines()[-1:] or [str(error)]
        return {"exit": code, "remark": "time is up" if code == 124 else last[0]}
    return {"exit": code, "remark": "" if code == 0 else summary["message"], "vertices": summary["vertices"], "steps": summary["steps"],
            "newton": summary["newton_iterations"], "local": summary["local_iterations"],
            "contacts_avg": round(summary["contacts_avg"], 1), "min_gap_m": summary["min_gap_m"],
            "solve_s": round(summary["wall_s"]["solve"] - summary["wall_s"]["verify"], 3),
            "crossings": summary["intersections_found"], "inversions": summary["inversions_found"],
            **{phase: round(summary["wall_s"][phase], 3) for phase in PHASES}, "peak_MB": round(summary["peak_memory_MB"]["sum"])}


def row_of(name, ranks, steps, measured, peer, calibration):
    row = dict.fromkeys(COLUMNS + PHASES, "")
    row.update(scene=name.removesuffix(".txt"), ranks=ranks, steps=steps, calibration_s=calibration or "")
    row.update(measured)
    if peer:
        row.update(peer_newton=peer["newton_iterations"], peer_solve_s=peer["solve_s"], peer_calibration_s=peer["calibration_s"])
        if row["exit"] == 0 and calibration and row["steps"] == int(peer["steps"]):
            row["ratio"] = round(row["solve_s"] / calibration / (float(peer["solve_s"]) / float(peer["calibration_s"])), 3)
    return row


def markdown(rows):
    shown = ["scene", "ranks", "vertices", "steps", "newton", "local", "peer_newton", "solve_s", "peer_solve_s", "ratio", "crossings",
             "inversions", "peak_MB", "remark"]
    head = ["scene", "ranks", "vertices", "steps", "Newton", "local iterations", "Newton, other", "time [s]", "time, other [s]", "ratio",
            "crossings", "inversions", "memory [MB]", "remark"]
    return table_of(head, shown, rows) + "\nSeconds by phase, the slowest rank's:\n\n" + table_of(
        ["scene", "ranks", *PHASES], ["scene", "ranks", *PHASES], [row for row in rows if row["exit"] == 0])


def table_of(head, keys, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(row[key]) for key in keys) + " |" for row in rows]) + "\n"


def write(arguments, rows, calibration):
    """Writes both tables; called after every run, so that an interrupted benchmark keeps its results."""
    with open(os.path.join(arguments.output, "benchmark.csv"), "w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS + PHASES)
        table.writeheader()
        table.writerows(rows)
    revision = run(["git", "rev-parse", "--short", "HEAD"])[1].strip()
    with open(os.path.join(arguments.output, "benchmark.md"), "w", encoding="utf-8") as stream:
        stream.write(f"{datetime.date.today()}, revision {revision}, {platform.machine()} with {os.cpu_count()} cores, "
                     f"calibration {calibration or 'unknown'} s. Options: {' '.join(arguments.options) or 'none'}.\n\n{markdown(rows)}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="What follows -- is handed to abut.")
    parser.add_argument("--reference", default=os.environ.get("ABUT_REFERENCE_DIR"),
                        help="folder of the reference data [ABUT_REFERENCE_DIR]")
    parser.add_argument("--abut", default=os.path.join(ROOT, "build", "bin", "abut"))
    parser.add_argument("--ranks", type=positive_integer, nargs="+", default=[1, 2])
    parser.add_argument("--only", default="", help="only scenes whose path contains this word")
    parser.add_argument("--steps", type=int, default=0, help="number of time steps [the number timed with the other code]")
    parser.add_argument("--default-steps", type=int, default=200, help="time steps of scenes without a time of the other code")
    parser.add_argument("--timeout", type=float, default=1200, help="seconds a run may take")
    parser.add_argument("--balanced", action="store_true", help="balance forces in every step, as by default")
    parser.add_argument("--first-core", type=int, default=0)
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "results", "benchmark"))
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments, options = parser.parse_args(sys.argv[1:cut]), sys.argv[cut + 1:]
    arguments.options, arguments.output = options, os.path.abspath(arguments.output)
    if not arguments.reference or not os.path.isdir(os.path.join(arguments.reference, "bench")):
        parser.error("no reference data: give --reference DIR or set ABUT_REFERENCE_DIR")
    if not os.access(arguments.abut, os.X_OK):
        parser.error(f"{arguments.abut} is no program; build it with jobs/build.sh release")
    return arguments


def main():
    arguments = parse()
    os.makedirs(arguments.output, exist_ok=True)
    os.environ.update(kernels(arguments.abut))
    calibration, known, rows = calibrate(arguments.reference, arguments.output, arguments.first_core), peers(arguments.reference), []
    print(f"calibration: {calibration or 'unknown'} s")
    for name, path in scenes(arguments.reference, arguments.only):
        peer = known.get(name)
        steps = arguments.steps or (int(peer["steps"]) if peer else arguments.default_steps)
        for ranks in arguments.ranks:
            rows.append(row_of(name, ranks, steps, measure(arguments, name, path, steps, ranks), peer, calibration))
            write(arguments, rows, calibration)
            shown = {key: rows[-1][key] for key in ("ranks", "newton", "solve_s", "ratio", "exit", "remark")}
            print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in shown.items() if value != ""), flush=True)
    print(f"{arguments.output}/benchmark.csv\n{arguments.output}/benchmark.md")
    return 0 if rows and all(row["exit"] == 0 or str(row["remark"]).startswith("not converted") for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
