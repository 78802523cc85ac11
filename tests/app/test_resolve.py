"""`abut deform -resolve`: bodies that intersect move by their stiffnesses, equal on 1, 2 and 3 ranks; the new scene passes the check and
runs; comments, groups and paths survive; refusals."""
import os
import re

from abut_runs import call, expect, near, run, scratch, write

HEAD = """abut: 1  # first line
dim: 3
time: {step: 0.005, steps: 3}
materials:
  soft: {model: fixed-corotated, young: 1.0e5, poisson: 0.4, density: 1000}
  hard: {young: 3.0e5, poisson: 0.3, density: 1000}
"""
BALLS = HEAD + """bodies:
  - name: left
    material: soft
    shape:
      ball: {radius: 1, cells: 8}   # radius
    translate: [-0.9, 0, 0]
    velocity: [0.1, 0, 0]
  - name: right   # second
    material: hard
    shape: {ball: {radius: 1, cells: 7}}
    rotate: [10, 20, 30]
    translate: [0.9, 0.1, 0]
obstacles:
  - name: floor
    plane: {point: [0, -0.95, 0], normal: [0, 2, 0]}
  - {name: wall, shape: {file: wall.obj}}
"""
WALL = "v -3 -3 9\nv 3 -3 9\nv 0 3 9\nf 1 2 3\n"
THREE = HEAD + """bodies:
  - {name: a, material: soft, shape: {box: {size: [1, 1, 1], cells: [4, 4, 4]}}}
  - {name: b, material: soft, shape: {box: {size: [1, 1, 1], cells: [5, 5, 5]}}, translate: [0.95, 0.1, 0.07]}
  - {name: c, material: soft, shape: {ball: {radius: 0.5, cells: 6}}, translate: [0.45, 0.93, 0.05]}
"""
STACK = HEAD + """bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}, copies: [2, 2, 1], spacing: [1, 1, 1]}
obstacles:
  - {name: floor, plane: {point: [0, 0, -0.5], normal: [0, 0, 1]}}
"""
FLAT = """abut: 1
dim: 2
time: {step: 0.005, steps: 3}
materials: {m: {young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: a, material: m, shape: {box: {size: [1, 1], cells: [6, 6]}}}
  - {name: c, material: m, shape: {ball: {radius: 0.5, cells: 8}}, translate: [0.05, 0.9]}
obstacles:
  - {name: floor, plane: {point: [0, -0.48], normal: [0, 1]}}
"""
BOX = "{name: big, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}}"
TOO_DEEP = {
    "inside": (BOX + "\n  - {name: small, material: soft, shape: {box: {size: 0.2, cells: 1}}}", "", "lies inside 'big'"),
    "pierced": (BOX + "\n  - {name: rod, material: soft, shape: {box: {size: [0.2, 0.2, 3], cells: [1, 1, 8]}}}", "", "'rod'"),
    "behind": (BOX, "obstacles: [{name: floor, plane: {point: [0, 0, 2], normal: [0, 0, 1]}}]\n", "behind the plane"),
    "squeezed": (BOX, "obstacles: [{name: floor, plane: {point: [0, 0, -0.3], normal: [0, 0, 1]}}, "
                      "{name: lid, plane: {point: [0, 0, -0.301], normal: [0, 0, -1]}}]\n", "'big'"),
}


def nodes(path):
    """Coordinates of a mesh file, and the rest of its text."""
    with open(path, encoding="ascii") as file:
        before, rest = file.read().split("$Nodes\n")
    lines, after = rest.split("$EndNodes")
    return [[float(word) for word in line.split()[1:]] for line in lines.splitlines()[1:]], before + after


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


def resolve(scene, out, ranks=1, *options):
    return call(ranks, "deform", scene, "-resolve", "-o", out, *options, directory=out)


def check_scene(folder, name, text, all_ranks):
    """Resolves on several ranks; the new scene passes the check and runs on each. The summary on one rank."""
    scene = write(folder, f"{name}.yaml", text)
    before = call(1, "check", scene, "-o", folder)
    expect(before.code == 3, name, before.output)
    for ranks in all_ranks:
        out = os.path.join(folder, name, str(ranks))
        done = resolve(scene, out, ranks)
        expect(done.code == 0, name, ranks, done.output)
        expect(compare(os.path.join(folder, name, "1"), out) < 1e-9, name, ranks)
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


def check_groups(folder):
    """Selections by group and by number select the same vertices in the new scene."""
    mesh = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "1", '2 5 "top"', "$EndPhysicalNames", "$Nodes", "5",
            "1 0 0 1", "2 1 0 1", "3 0 1 1", "4 0.3 0.3 2", "5 0.3 0.3 -0.02", "$EndNodes", "$Elements", "3",
            "1 2 2 5 1 1 2 4", "2 4 2 0 1 1 2 3 4", "3 4 2 0 1 1 3 2 5", "$EndElements"]
    write(folder, "tip.msh", "\n".join(mesh) + "\n")
    scene = write(folder, "groups.yaml", HEAD + """bodies:
  - {name: tip, material: hard, shape: {file: tip.msh}, scale: [1, 1, 1]}
obstacles: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]
motions:
  - {select: {body: tip, group: top}, velocity: [0, 0, 0.1]}
  - {select: {body: tip, ids: [2]}, velocity: [0, 0, 0.1]}
""")
    out = os.path.join(folder, "groups")
    done = resolve(scene, out, 2)
    expect(done.code == 0, done.output)
    moved, _ = nodes(os.path.join(out, "000_tip.msh"))
    expect(moved[:4] == [[0, 0, 1], [1, 0, 1], [0, 1, 1], [0.3, 0.3, 2]] or moved[4][2] > 0, moved)
    checked = call(1, "check", os.path.join(out, "scene.yaml"), "-o", folder)
    expect(checked.code == 0 and re.search(r"3 vert|3 of", checked.output), checked.output)


def check_boxes(folder):
    """Boxes that select other vertices in the new shapes are named; a box that selects none is refused."""
    box = "loads: [{select: {body: a, box: [[-9, -9], [%s]]}, force: [0.1, 0]}]\n"
    for name, corner, code, message in (("all", "9, 9", 0, ""), ("side", "0.5, 9", 0, "selects other vertices"),
                                        ("none", "9, -0.49", 2, "has no vertices")):
        out = os.path.join(folder, f"box_{name}")
        done = resolve(write(folder, f"box_{name}.yaml", FLAT + box % corner), out, 2)
        expect(done.code == code and message in done.output and ("warning" in done.output) == (name == "side"), name, done.output)
        expect(os.path.exists(os.path.join(out, "scene.yaml")) == (code == 0), name, os.listdir(out))
    kept = os.path.join(out, "unchecked_scene.yaml")
    expect(kept in done.output and os.path.exists(kept), "a scene with a box to correct is kept", done.output, os.listdir(out))
    with open(kept, encoding="ascii") as file:
        corrected = file.read().replace("-0.49", "9")
    checked = call(1, "check", write(out, "corrected.yaml", corrected), "-o", folder)
    expect(checked.code == 0, checked.output)
    again = resolve(kept, out, 1, "-overwrite")
    expect(again.code == 2 and "is the scene that is read" in again.output, again.output)


def check_old_scene(folder):
    """An old scene does not stay with -overwrite if the new one is refused: its meshes may be replaced."""
    out = os.path.join(folder, "old")
    expect(resolve(write(folder, "old.yaml", FLAT), out).code == 0)
    done = resolve(write(folder, "deep.yaml", HEAD + "bodies:\n  - " + TOO_DEEP["inside"][0] + "\n"), out, 2, "-overwrite")
    expect(done.code == 4 and not os.path.exists(os.path.join(out, "scene.yaml")), done.output, os.listdir(out))


def check_refusals(folder):
    for name, (bodies, more, message) in TOO_DEEP.items():
        scene = write(folder, f"{name}.yaml", HEAD + "bodies:\n  - " + bodies + "\n" + more)
        for ranks in (1, 2):
            out = os.path.join(folder, f"{name}{ranks}")
            done = resolve(scene, out, ranks)
            expect(done.code == 4 and message in done.output and "'big'" in done.output, name, ranks, done.code, done.output)
            expect(done.summary["exit_code"] == 4 and not os.path.exists(os.path.join(out, "scene.yaml")), name, os.listdir(out))
    scene = write(folder, "alias.yaml", HEAD + "bodies:\n  - {name: a, material: soft, shape: &s {box: {size: 1, cells: 2}}}\n"
                                               "  - {name: b, material: soft, shape: *s, translate: [0.9, 0, 0]}\n")
    done = resolve(scene, os.path.join(folder, "alias"))
    expect(done.code == 2 and "alias *s" in done.output, done.output)
    scene = write(folder, "grid.yaml", STACK + "loads: [{select: {body: box}, acceleration: [0, 0, -1]}]\n")
    done = resolve(scene, os.path.join(folder, "grid"))
    expect(done.code == 2 and "grid of copies 'box'" in done.output, done.output)
    scene = write(folder, "until.yaml", STACK + "motions: [{plane: floor, velocity: [0, 0, 0.1], until: "
                                                "{lowest: box, axis: z, above: 1, then: stop}}]\n")
    done = resolve(scene, os.path.join(folder, "until"))
    expect(done.code == 2 and "grid of copies 'box'" in done.output, done.output)
    done = call(1, "deform", scene, "-o", os.path.join(folder, "plain"))
    expect(done.code == 2 and "-resolve" in done.output, "a scene of abut run without -resolve", done.output)
    out = os.path.join(folder, "kept")
    write(folder, "flat.yaml", FLAT)
    expect(resolve(os.path.join(folder, "flat.yaml"), out).code == 0)
    again = resolve(os.path.join(folder, "flat.yaml"), out)
    expect(again.code == 2 and "-overwrite" in again.output and "-restart" not in again.output, again.output)
    expect(resolve(os.path.join(folder, "flat.yaml"), out, 1, "-overwrite").code == 0)
    own = resolve(os.path.join(out, "scene.yaml"), out, 1, "-overwrite")
    expect(own.code == 2 and "is the scene that is read" in own.output, own.output)
    done = resolve(os.path.join(folder, "flat.yaml"), os.path.join(folder, "gap"), 1, "-abut_resolve_gap", "-1")
    expect(done.code == 2 and "abut_resolve_gap" in done.output, done.output)


with scratch() as place:
    check_balls(place)
    check_scene(place, "three", THREE, (1, 3))
    stack = check_scene(place, "stack", STACK, (1, 2))
    expect(len(stack["bodies"]) == 4 and max(body["displacement_max_m"] for body in stack["bodies"]) < 3 * stack["gap_m"], stack)
    check_scene(place, "flat", FLAT, (1, 2))
    check_groups(place)
    check_boxes(place)
    check_old_scene(place)
    check_refusals(place)
