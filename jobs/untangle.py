#!/usr/bin/env python3
"""Moves the bodies of scenes with 1 to 1000 overlaps apart, checks and runs the new scenes, and fills a table of docs/deformer.md.

    jobs/untangle.py                      scenes of inputs/untangle/make_overlaps.py, 1 to 1000 overlaps
    jobs/untangle.py --most 10 -n 2       at most 10 overlaps, on two ranks
    jobs/untangle.py --reference DIR      also scenes of the 2020 IPC code in DIR/scenes/ipc2020/input, with bodies closer together

Results go to results/untangle, the whole table to tables/overlaps.md there. --page writes the scenes with the most overlaps and the
scenes of the 2020 IPC code into the page. The exit code is 1 if a scene is not resolved, is refused by `abut check`, or does not run.
"""

import os
import re
import subprocess
import sys

from oipc_page import Table, fill, write_tables
from scene_runs import ENVIRONMENT, ROOT, children_seconds, parser_of, require_program, summary_of

sys.path.insert(0, os.path.join(ROOT, "inputs", "untangle"))
import make_overlaps  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "deformer.md")
COUNTS = (1, 10, 100, 1000)
# scenes of the 2020 IPC code: distances of the bodies from the origin, or from a body, are multiplied by this number
REFERENCE = {"tutorialExamples/2cubesFall": (0.45, None), "paperExamples/10_cubeStack": (0.95, None),
             "paperExamples/7_masonryArch": (-2, "largeArch_13_14")}
COLUMNS = ["scene", "overlaps", "vertices", "passes", "largest displacement", "volume change", "smallest det F", "processor s",
           "gap / dhat"]
STEPS = 3


def overlaps(arguments):
    """Paths of the scenes by kind and count, made anew."""
    folder = os.path.join(arguments.output, "scenes")
    os.makedirs(folder, exist_ok=True)
    for kind in make_overlaps.KINDS:
        for count in COUNTS:
            if count <= arguments.most:
                yield f"{kind}_{count}", make_overlaps.write(folder, kind, count, 2)


def closer(bodies, factor, middle):
    """Text of the bodies with their distances from a body, or from the origin, multiplied by a number."""
    found = re.search(rf"name: {middle}\n.*?translate: \[([^]]*)\]", bodies, re.S) if middle else None
    origin = [float(x) for x in found[1].split(",")] if found else [0, 0, 0]

    def moved(place):
        at = [start + factor * (float(x) - start) for x, start in zip(place[2].split(","), origin)]
        return place[1] + "[" + ", ".join(f"{x:.12g}" for x in at) + "]"

    return re.sub(r"(translate: )\[([^]]*)\]", moved, bodies)


def reference(arguments):
    """Converted scenes of the reference data, with the places of their bodies closer together."""
    source = os.path.join(arguments.reference, "scenes", "ipc2020", "input")
    if not os.path.isdir(source):
        print(f"no scenes in {source}: skipped")
        return
    for name, (factor, middle) in REFERENCE.items():
        path = os.path.join(arguments.output, "scenes", os.path.basename(name) + ".yaml")
        convert = [sys.executable, os.path.join(ROOT, "inputs", "from_ipc.py"), "--ignore-friction"]
        subprocess.run([*convert, os.path.join(source, name + ".txt"), "-o", path], check=True, stderr=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        bodies, rest = re.fullmatch(r"(.*?\nbodies:\n.*?)(\n\w.*)", text, re.S).groups()
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(closer(bodies, factor, middle) + rest)
        yield os.path.basename(name), path


def abut(arguments, *words):
    """Exit code, output and processor seconds of a run of the program."""
    command = [] if arguments.ranks == 1 else ["mpiexec", "-n", str(arguments.ranks)]
    before = children_seconds()
    done = subprocess.run([*command, arguments.abut, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=ENVIRONMENT, timeout=arguments.timeout)
    return done.returncode, done.stdout, children_seconds() - before


def length(value):
    return f"{value:.3g} m"


def row_of(name, out, said, seconds):
    """Row of the table; `said` is the output of `abut check` on the new scene."""
    summary, bodies = summary_of(out), summary_of(out)["bodies"]
    dhat = float(re.search(r"activation distance dhat +(\S+) m", said)[1])
    gap = re.search(r"smallest gap +(more than )?(\S+) m", said)
    worst = max((body["volume_change"] for body in bodies), key=abs)
    return {"scene": name, "overlaps": len(summary["pairs"]), "vertices": re.search(r"vertices +(\d+)", said)[1],
            "passes": summary["passes"], "largest displacement": length(max(body["displacement_max_m"] for body in bodies)),
            "volume change": f"{100 * worst:+.2g} %", "smallest det F": f"{min(body['smallest_det'] for body in bodies):.2f}",
            "processor s": f"{seconds:.2g}", "gap / dhat": ("> " if gap[1] else "") + f"{float(gap[2]) / dhat:.3g}"}


def study(arguments, name, scene):
    """Resolves, checks and runs a scene: row of the table, or None and the reason."""
    out = os.path.join(arguments.output, name)
    code, said, seconds = abut(arguments, "deform", scene, "-resolve", "-o", out, "-overwrite")
    if code:
        return None, f"-resolve: exit {code}: {said.strip().splitlines()[-1]}"
    resolved = os.path.join(out, "scene.yaml")
    code, checked, _ = abut(arguments, "check", resolved, "-o", out)
    if code:
        return None, f"check: exit {code}: {checked.strip().splitlines()[-1]}"
    code, said, _ = abut(arguments, "run", resolved, "-o", os.path.join(out, "run"), "-overwrite", "-verify", "-steps", str(STEPS))
    if code:
        return None, f"run: exit {code}: {said.strip().splitlines()[-1]}"
    return row_of(name, out, checked, seconds), ""


def main():
    parser = parser_of(__doc__, "untangle", 1, 1800)
    parser.add_argument("--most", type=int, default=1000, help="largest number of overlaps")
    parser.add_argument("--reference", metavar="DIR", help="folder of the reference data")
    parser.add_argument("--page", action="store_true", help=f"write the table into {os.path.relpath(PAGE, ROOT)}")
    arguments = parser.parse_args()
    require_program(arguments.abut)
    scenes = [*overlaps(arguments), *(reference(arguments) if arguments.reference else [])]
    rows, failed = [], 0
    for name, scene in scenes:
        row, reason = study(arguments, name, scene)
        print(name + ": " + (reason or ", ".join(f"{key} {row[key]}" for key in COLUMNS[1:])), flush=True)
        failed += row is None
        rows += [row] if row else []
    order = [(name,) for name, _ in scenes]
    write_tables(os.path.join(arguments.output, "tables"), {"overlaps": Table(COLUMNS, 1, rows, order)})
    if arguments.page:
        fewer = tuple(f"_{count}" for count in COUNTS[:-1])
        fill(PAGE, {"overlaps": Table(COLUMNS, 1, [row for row in rows if not row["scene"].endswith(fewer)], order)})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
