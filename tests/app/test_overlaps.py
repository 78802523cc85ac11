"""`abut deform -resolve` on generated scenes with ten overlaps in 3D and 2D: the new scenes keep the gap, pass the check and run; the same
bodies on 1 and on 2 or 3 ranks. Boxes have cells that would invert if their whole surface were prescribed."""
import json
import os
import re
import sys

from abut_runs import call, expect, near, run, scratch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "inputs", "untangle"))
import make_overlaps  # noqa: E402

COUNT, DHAT = 10, make_overlaps.DHAT


def positions(folder):
    """Coordinates of all vertices of the new meshes, in the order of the files."""
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".msh"):
            with open(os.path.join(folder, name), encoding="ascii") as file:
                nodes = file.read().split("$Nodes\n")[1].split("$EndNodes")[0]
            found += [float(word) for line in nodes.splitlines()[1:] for word in line.split()[1:]]
    return found


def resolve(scene, folder, ranks):
    """Summary of the solution on some ranks; checks the new scene."""
    done = call(ranks, "deform", scene, "-resolve", "-o", folder)
    expect(done.code == 0, scene, ranks, "ranks:", done.output)
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    expect(len(summary["pairs"]) == COUNT, scene, "pairs:", len(summary["pairs"]))
    expect(all(body["smallest_det"] > 0.1 for body in summary["bodies"]), scene, summary["bodies"])
    return summary


with scratch() as top:
    for number, kind in enumerate(("balls", "boxes", "discs", "squares", "bed", "ditch")):
        scene = make_overlaps.write(top, kind, COUNT, 2)
        folders = {ranks: os.path.join(top, f"{kind}{ranks}") for ranks in (1, 2 + number % 2)}
        steps = {ranks: resolve(scene, folder, ranks)["increments"] for ranks, folder in folders.items()}
        expect(len(set(steps.values())) == 1, kind, "increments by ranks:", steps)
        if kind == "boxes":
            expect(steps[1] > 3, "no box needed free surface vertices:", steps)
        first = positions(folders[1])
        for ranks in list(folders)[1:]:
            other = positions(folders[ranks])
            expect(len(first) == len(other) > 0, kind, len(first), len(other))
            near(max(abs(x - y) for x, y in zip(first, other)), 0, 1e-8, f"{kind}: positions on {ranks} ranks")
        resolved = os.path.join(folders[1], "scene.yaml")
        done = call(1 + number % 2, "check", resolved)
        expect(done.code == 0 and "initial intersections        none" in done.output, kind, done.output)
        gap = float(re.search(r"smallest gap +(?:more than )?(\S+) m", done.output)[1])
        expect(gap >= DHAT * (1 - 1e-5), kind, "gap", gap)  # printed with six digits
        done = run(resolved, os.path.join(top, kind + "run"), 1, "-verify", "-steps", "2")
        expect(done.code == 0, kind, done.output)
print("ok")
