#!/usr/bin/env python3
"""Runs strong and weak series of scenes and writes tables of counts, measured and predicted times.

    scaling_study.py [--ranks 1,2,4] [--scenes blocks,rods,FILE.yaml] [--series strong,weak] [--refine 3] [--steps 2] [-o results/scaling]

A scene is a name in inputs/scaling or a file of the user, which needs no COUNT (then only a strong series makes sense). A strong series
has the same number of copies on all rank counts (--copies), a weak series one copy a rank. Counts are recorded on every rank count;
measured times count only where ranks do not exceed --cores; seconds of the first rank alone also count in other runs, which measure
processor time outside MPI (--clock). The speed of each solver at the size of a rank's problem comes from runs of one copy on one rank
with all smaller --refine. A run whose view.txt exists is not repeated. docs/scaling.md describes the model.
"""

import argparse
import json
import os
import re
import shlex
import subprocess

import scaling_model as model
from scene_runs import fail, positive_integers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = ["blocks", "rods", "sheets", "balls"]
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
               "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def source_of(scene):
    return scene if scene.endswith(".yaml") else os.path.join(ROOT, "inputs", "scaling", scene + ".yaml")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ranks", type=positive_integers, default="1,2,4,8,16,32,64", help="ascending numbers of ranks; the first is 1")
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--series", default="strong,weak")
    parser.add_argument("--refine", type=int, default=3, help="factor of the cells along each edge of the bodies [3]")
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--copies", type=int, default=8, help="copies of a strong series [8]")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each measured case, of which the fastest counts [3]")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="largest number of ranks whose times are measured")
    parser.add_argument("--alpha", type=float, default=2e-6, help="latency of a message [2e-6 s]")
    parser.add_argument("--beta", type=float, default=1e-10, help="time of a byte [1e-10 s]")
    parser.add_argument("--rate", type=float, default=32e9, help="speed of factorisations [32e9 flop/s]")
    parser.add_argument("--serves", type=float, default=28, help="Newton iterations that a nested dissection serves [28]")
    parser.add_argument("--predict", type=int, default=1024, help="largest number of ranks of the prediction")
    parser.add_argument("--linear", default="auto", help="linear solver on more than one rank [auto]")
    parser.add_argument("--options", default="", help="options of abut run for all runs, in one string, for example '-restart FILE'")
    parser.add_argument("--clock", default=os.path.join(ROOT, "build", "tests", "linear", "libwork_clock.so"),
                        help="library by which runs on more ranks than cores measure processor time, if the file exists")
    parser.add_argument("--launcher", default="mpiexec -n")
    parser.add_argument("--abut", default=os.environ.get("ABUT", os.path.join(ROOT, "build", "bin", "abut")))
    parser.add_argument("-o", default=os.path.join(ROOT, "results", "scaling"))
    given = parser.parse_args()
    for scene in given.scenes.split(","):
        if not os.path.isfile(source_of(scene)):
            fail(f"there is no scene {source_of(scene)}; scenes are {', '.join(SCENES)} and files that end in .yaml")
    for series in given.series.split(","):
        if series not in ("strong", "weak"):
            fail(f"--series {given.series}: a series is strong or weak")
    if given.ranks[0] != 1 or given.ranks != sorted(set(given.ranks)):
        parser.error(f"--ranks {','.join(map(str, given.ranks))}: ascending numbers that begin with 1 are needed")
    return given


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def scene_file(scene, copies, refine, out):
    """Path of the scene with the numbers of copies and cells filled in; a file without them is used where it lies."""
    source = source_of(scene)
    text = model.read(source)
    filled = re.sub(r"\bREFINE\*(\d+)", lambda found: str(refine * int(found.group(1))), re.sub(r"\bCOUNT\b", str(copies), text))
    if filled == text:
        return source
    write(os.path.join(out, "scene.yaml"), filled)
    return os.path.join(out, "scene.yaml")


def binding(given, ranks):
    """Environment by which Open MPI 4 keeps ranks on their cores if they fill the machine; otherwise two programs might share core 0."""
    fill = ranks == given.cores == len(os.sched_getaffinity(0)) == os.cpu_count()
    return {"OMPI_MCA_hwloc_base_binding_policy": "core"} if fill else {}


def repeat(command, out, times, environment):
    """Runs a command; the summary and the log of the fastest run stay. Returns the output of the last run."""
    best = {}
    for _ in range(times):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              env={**ENVIRONMENT, **os.environ, **environment})
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} ended with code {done.returncode}:\n{done.stdout[-2000:]}")
        files = {name: model.read(f"{out}/{name}") for name in ("summary.json", "log_view.txt")}
        if not best or json.loads(files["summary.json"])["wall_s"]["solve"] < json.loads(best["summary.json"])["wall_s"]["solve"]:
            best = files
    for name, text in best.items():
        write(f"{out}/{name}", text)
    return done.stdout


def base(scene):
    return os.path.splitext(os.path.basename(scene))[0]


def run(given, scene, case, copies, refine):
    """Runs one case unless it has run before; returns its record. case: folder in that of the scene, ranks, solver."""
    folder, ranks, solver = case
    out = os.path.join(given.o, base(scene), folder + ("" if solver == "auto" else f"-{solver}"))
    if not os.path.exists(os.path.join(out, "view.txt")):
        os.makedirs(out, exist_ok=True)
        path = scene_file(scene, copies, refine, out)
        clock = ranks > given.cores and os.path.exists(given.clock)
        libraries = [os.path.abspath(given.clock), *filter(None, [os.environ.get("LD_PRELOAD")])]
        preload = ["env", "LD_PRELOAD=" + ":".join(libraries)] if clock else []
        command = [*shlex.split(given.launcher), str(ranks), *preload, given.abut, "run", path, "-o", out, "-overwrite",
                   "-steps", str(given.steps), "-verify", "0", "-abut_view", "-log_view", f":{out}/log_view.txt", "-abut_linear", solver,
                   *shlex.split(given.options)]
        view = repeat(command, out, given.repeats if ranks <= given.cores else 1, binding(given, ranks))
        write(os.path.join(out, "view.txt"), view + (model.PROCESSOR_TIME + "\n" if clock else ""))
    try:
        return model.record(out, ranks)
    except (OSError, ValueError, LookupError) as error:
        fail(f"{out}: the results are incomplete, delete the folder to repeat the run ({type(error).__name__}: {error})")


def rates(given, scene, series, first, solver):
    """Records of one rank with a solver, of several sizes: one copy with each refinement, and the first run if it had this solver.

    The first run of a weak series has one copy with the largest refinement, which then is not repeated.
    """
    known = [first] if first["solver"] == solver else []
    text = model.read(scene) if scene.endswith(".yaml") else "REFINE"
    if "REFINE" not in text:
        return known or [run(given, scene, ("strong/np1", 1, solver), given.copies, given.refine)]
    last = given.refine - 1 if known and series == "weak" else given.refine
    return known + [run(given, scene, (f"rates/refine{refine}", 1, solver), 1, refine) for refine in range(1, last + 1)]


def run_series(given, scene, series):
    strong = series == "strong"
    records = [run(given, scene, (f"{series}/np{ranks}", ranks, given.linear if ranks > 1 else "auto"), given.copies if strong else ranks,
                   given.refine) for ranks in given.ranks]
    speeds = {solver: rates(given, scene, series, records[0], solver) for solver in sorted({at["solver"] for at in records})}
    phases, lines = model.study(given, series, records, speeds)
    name, suffix = base(scene), "" if given.linear == "auto" else f"-{given.linear}"
    folder = os.path.join(given.o, name, series)
    found = {"scene": name, "series": series + suffix.replace("-", ", "), "phases": phases, "records": records}
    write(os.path.join(folder, f"phases{suffix}.json"), json.dumps(found, indent=1))
    write(os.path.join(folder, f"table{suffix}.md"), "\n".join(lines) + "\n")
    print(f"\n### {name}, {found['series']}\n\n" + "\n".join(lines), flush=True)


def main():
    given = arguments()
    for scene in given.scenes.split(","):
        for series in given.series.split(","):
            run_series(given, scene, series)


if __name__ == "__main__":
    main()
