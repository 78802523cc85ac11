"""`abut deform -resolve`: bodies that intersect move by their stiffnesses, equal on 1, 2 and 3 ranks; the new scene passes the check and
runs; comments and paths survive."""
import os
import re

from abut_runs import call, expect, near, run, scratch, write
from resolve_scenes import BALLS, FLAT, STACK, THREE, WALL, nodes, resolve


def compare(one, other):
    """Largest difference of the positions in two folders with the same meshes."""
    names = sorted(name for name in os.listdir(one) if name.endswith(".msh"))
    expect(names and names == sorted(name for name in os.listdir(other) if name.endswith(".msh")), names)
    largest = 0
    for name in names:
        (x, cells), (y, same) = nodes(os.path.join(one, name)), nodes(os.path.join(other, name))
        expect(cells == same and len(x) == len(y), "cells of", name)
        largest = max(largest, max(abs(a - b) for p, q in zip(x, y) for a, b in zip(p, q)))
    return largest


def check_scene(folder, name, text, all_ranks):
    """Resolves on several ranks; the new scene passes the check and runs on one and on the most. The summary on the most."""
    scene = write(folder, f"{name}.yaml", text)
    before = call(1, "check", scene, "-o", folder)
    expect(before.code == 3, name, before.output)
    for ranks in all_ranks:
        out = os.path.join(folder, name, str(ranks))
        done = resolve(scene, out, ranks)
        expect(done.code == 0, name, ranks, done.output)
        expect(compare(os.path.join(folder, name, "1"), out) < 1e-9, name, ranks)
        if ranks not in (1, max(all_ranks)):
            continue
        checked = call(ranks, "check", os.path.join(out, "scene.yaml"), "-o", folder)
        gap = re.search(r"smallest gap +(\S+) m", checked.output)
        expect(checked.code == 0 and gap and float(gap[1]) >= 0.99 * done.summary["gap_m"], name, ranks, checked.output)
        ran = run(os.path.join(out, "scene.yaml"), os.path.join(out, "run"), ranks, "-verify", "-steps", 2)
        expect(ran.code == 0 and len(ran.steps) >= 2, name, ranks, ran.output)
    return done.summary


def check_balls(folder):
    write(folder, "wall.obj", WALL)
    total = check_scene(folder, "balls", BALLS, (1, 2, 3))
    bodies = {body["name"]: body for body in total["bodies"]}
    expect(set(bodies) == {"left", "right"} and total["exit_code"] == 0, total)
    expect(all(abs(body["volume_change"]) < 0.01 and body["smallest_det"] > 0.5 for body in bodies.values()), bodies)
    pairs = {(pair["first"], pair["second"]): pair["depth_m"] for pair in total["pairs"]}
    near(pairs["left", "right"], 0.2, 0.02, "depth of the balls")
    near(pairs["left", "floor"], 0.05, 0.01, "depth in the floor")
    near(bodies["right"]["displacement_max_m"], 0.25 * pairs["left", "right"], 0.01, "displacement of the stiffer ball")
    with open(os.path.join(folder, "balls", "1", "scene.yaml"), encoding="ascii") as file:
        text = file.read()
    for kept in ("abut: 1  # first line", "# radius", "- name: right   # second", "velocity: [0.1, 0, 0]", "normal: [0, 2, 0]"):
        expect(kept in text, kept, text)
    expect("translate:" not in text and "rotate:" not in text and '"../../wall.obj"' in text, text)


with scratch() as place:
    check_balls(place)
    check_scene(place, "three", THREE, (1, 3))
    stack = check_scene(place, "stack", STACK, (1, 2))
    expect(len(stack["bodies"]) == 4 and max(body["displacement_max_m"] for body in stack["bodies"]) < 3 * stack["gap_m"], stack)
    check_scene(place, "flat", FLAT, (1, 2))
