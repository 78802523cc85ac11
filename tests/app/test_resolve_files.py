"""Files and options of `abut deform -resolve`: groups and boxes of selections, old folders, positions at the start, refusals."""
import os
import re

from abut_runs import call, expect, near, run, scratch, write
from resolve_scenes import FLAT, HEAD, STACK, nodes, resolve

BOX = "{name: big, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}}"
TOO_DEEP = {
    "inside": (BOX + "\n  - {name: small, material: soft, shape: {box: {size: 0.2, cells: 1}}}", "", "lies inside 'big'"),
    "behind": (BOX, "obstacles: [{name: floor, plane: {point: [0, 0, 2], normal: [0, 0, 1]}}]\n", "behind the plane"),
    "squeezed": (BOX, "obstacles: [{name: floor, plane: {point: [0, 0, -0.3], normal: [0, 0, 1]}}, "
                      "{name: lid, plane: {point: [0, 0, -0.301], normal: [0, 0, -1]}}]\n", "'big'"),
}


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
    moved, rest = nodes(os.path.join(out, "000_tip.msh"))
    expect(moved[4][2] >= done.summary["gap_m"] > 0.002, moved, done.summary)
    for new, old in zip(moved, ([0, 0, 1], [1, 0, 1], [0, 1, 1], [0.3, 0.3, 2])):
        near(max(abs(a - b) for a, b in zip(new, old)), 0, 0.025, "vertices that only follow the tip")
    marks = [line.split() for line in rest.splitlines() if line.split()[1:3] == ["15", "2"]]
    expect([int(words[5]) for words in marks] == [1, 2, 4], "vertices of the group", rest)
    masses = {}
    for name, path in (("old", scene), ("new", os.path.join(out, "scene.yaml"))):
        checked = call(1, "check", path, "-o", folder)
        masses[name] = [(int(count), float(mass)) for count, mass in re.findall(r"selects (\d+) vertices, (\S+) kg", checked.output)]
    expect([count for count, _ in masses["new"]] == [3, 1] and checked.code == 0, checked.output)
    for (_, old), (_, new) in zip(masses["old"], masses["new"]):
        near(new, old, 0.005 * old, "mass of the selected vertices")


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


def check_options(folder):
    """Options of other commands are refused by name; a scene without overlaps is written as it was, and the output says so."""
    scene = write(folder, "apart.yaml", FLAT.replace("[0.05, 0.9]", "[0.05, 1.1]").replace("-0.48", "-0.6"))
    out = os.path.join(folder, "apart")
    for words in (("-steps", "3"), ("-v",), ("-restart", "checkpoint.h5"), ("-verify",)):
        done = resolve(scene, out, 2 if words == ("-v",) else 1, *words)
        expect(done.code == 2 and words[0] + " is no option of abut deform" in done.output, words, done.output)
    done = resolve(scene, out, 1, "-progress", "lines")
    expect(done.code == 2 and "-progress has no meaning with abut deform -resolve" in done.output, done.output)
    done = resolve(scene, out, 1, "-walltime", "-5")
    expect(done.code == 2 and "-walltime -5: the valid range is [0, inf]" in done.output, done.output)
    done = resolve(scene, out, 1, "-resolve_rest", "old")
    expect(done.code == 2 and "resolve_rest" in done.output, done.output)
    done = resolve(scene, out, 2)
    expect(done.code == 0 and "no bodies intersect" in done.output and "nothing moved" in done.output, done.output)
    expect("pass" not in done.output and os.listdir(out).count("scene.yaml") == 1, done.output)
    with open(scene, encoding="ascii") as old, open(os.path.join(out, "scene.yaml"), encoding="ascii") as new:
        expect(old.read() == new.read(), "the scene is unchanged")


def check_kept_rest(folder):
    """With -resolve_rest keep the bodies that moved have their shapes and positions at the start, with stress. It can be repeated."""
    out, again = os.path.join(folder, "kept_rest"), os.path.join(folder, "kept_again")
    done = resolve(write(folder, "rest.yaml", FLAT), out, 2, "-resolve_rest", "keep")
    expect(done.code == 0 and {"000_a_start.msh", "001_c_start.msh"} <= set(os.listdir(out)) and "1 pass," in done.output, done.output)
    path = os.path.join(out, "scene.yaml")
    with open(path, encoding="ascii") as file:
        text = file.read()
    expect('start: "001_c_start.msh", shape: {ball: {radius: 0.5, cells: 8}}, translate: [0.05, 0.9]' in text, text)
    ran = run(path, os.path.join(out, "run"), 2, "-verify", "-steps", 1)
    expect(ran.code == 0 and ran.steps[0]["energy_elastic_J"] + ran.steps[0]["energy_kinetic_J"] > 100, ran.output)
    done = resolve(path, again, 1, "-resolve_rest", "keep", "-abut_resolve_gap", "2")
    expect(done.code == 0, "a wider gap", done.output)
    expect(call(1, "check", os.path.join(again, "scene.yaml"), "-o", again).code == 0)
    with open(os.path.join(again, "scene.yaml"), encoding="ascii") as file:
        expect(file.read() == text, "a second time: the same scene, other positions")


def check_old_scene(folder):
    """An old scene does not stay with -overwrite if the new one is refused: its meshes may be replaced."""
    out = os.path.join(folder, "old")
    expect(resolve(write(folder, "old.yaml", FLAT), out).code == 0)
    done = resolve(write(folder, "deep.yaml", HEAD + "bodies:\n  - " + TOO_DEEP["inside"][0] + "\n"), out, 2, "-overwrite")
    expect(done.code == 4 and not os.path.exists(os.path.join(out, "scene.yaml")), done.output, os.listdir(out))


def check_pierced(folder):
    """A rod through a box: both move aside, with a warning for each."""
    rod = "\n  - {name: rod, material: soft, shape: {box: {size: [0.2, 0.2, 3], cells: [1, 1, 8]}}}\n"
    done = resolve(write(folder, "pierced.yaml", HEAD + "bodies:\n  - " + BOX + rod), os.path.join(folder, "pierced"))
    expect(done.code == 0 and all(f"warning: '{name}' moved as a whole by" in done.output for name in ("big", "rod")), done.output)
    expect(0.6 < sum(body["displacement_whole_m"] for body in done.summary["bodies"]) < 0.61, done.summary)


def check_refusals(folder):
    for name, (bodies, more, message) in TOO_DEEP.items():
        scene = write(folder, f"{name}.yaml", HEAD + "bodies:\n  - " + bodies + "\n" + more)
        for ranks in (1, 2) if name in ("inside", "squeezed") else (1,):
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
    check_groups(place)
    check_boxes(place)
    check_options(place)
    check_pierced(place)
    check_kept_rest(place)
    check_old_scene(place)
    check_refusals(place)
