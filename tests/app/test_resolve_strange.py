"""`abut deform -resolve` with strange input, on 3 ranks where ranks matter. Resolved: bodies of 1e-8 m and 1e9 m, coincident and touching
bodies, moduli that differ by 1e8, moving obstacles, a dhat of half a diameter, a sheet from both sides. Refused by name: segments, points
inside bodies, and bodies inside others or behind planes."""
import os

from abut_runs import call, expect, scratch, write
from resolve_scenes import resolve

HEAD = """abut: 1
dim: 3
time: {step: 0.005, steps: 2}
materials:
  soft: {young: 1.0e5, poisson: 0.4, density: 1000}
  hard: {young: 1.0e13, poisson: 0.3, density: 1000}
bodies:
"""
SHEET = "v -3 -3 0.01\nv 3 -3 0.01\nv 0 3 0.01\nf 1 2 3\n"
PLANE = "obstacles:\n  - {name: o, plane: {point: [0, 0, -0.4], normal: [0, 0, 1]}}\n"


def ball(name, place, radius=0.5, material="soft"):
    return f"  - {{name: {name}, material: {material}, shape: {{ball: {{radius: {radius}, cells: 4}}}}, translate: {place}}}\n"


def box(name, place):
    return f"  - {{name: {name}, material: soft, shape: {{box: {{size: 1, cells: 2}}}}, translate: {place}}}\n"


def obstacle(file):
    return f"obstacles:\n  - {{name: o, shape: {{file: {file}}}}}\n"


PAIR = ball("a", [0, 0, 0]) + ball("b", [0.9, 0.1, 0])
RESOLVED = {
    "large": ball("a", [0, 0, 0], 5e8) + ball("b", [9e8, 1e7, 0], 5e8),
    "small": ball("a", [0, 0, 0], 5e-9) + ball("b", [9e-9, 1e-10, 0], 5e-9),
    "coincident": ball("a", [0, 0, 0]) + ball("b", [0, 0, 0]),
    "touching": box("a", [0, 0, 0]) + box("b", [1, 1, 0]),
    "moduli": ball("a", [0, 0, 0], material="hard") + ball("b", [0.9, 0.1, 0]),
    "dhat": PAIR + "contact: {dhat: {absolute: 0.5}}\n",
    "sheet": ball("a", [0, 0, 0]) + obstacle("sheet.obj"),
    "behind sheet": ball("a", [0, 0, 0]) + obstacle("high.obj"),
    "moving": ball("a", [0, 0, 0]) + PLANE + "motions:\n  - {plane: o, velocity: [0, 0, 1]}\n",
}
REFUSED = {
    "segments": (ball("a", [0, 0, 0]) + obstacle("wire.seg"), 2, "obstacle 'o' intersects a body"),
    "points": (ball("a", [0, 0, 0]) + obstacle("dust.pt"), 2, "obstacle 'o' has its vertex"),
    "nested": (ball("a", [0, 0, 0], 1) + ball("b", [0.1, 0, 0], 0.3), 4, "lies inside 'a' as a whole"),
    "behind": (ball("a", [0, 0, -3]) + PLANE, 4, "behind the plane as a whole"),
}


ON_RANKS = ("large", "touching", "sheet", "moving", "points", "nested")  # on 3 ranks, too; the others on one


def check_resolved(folder, name, bodies, head=HEAD):
    scene = write(folder, f"{name}.yaml", head + bodies)
    for ranks in (1, 3) if name in ON_RANKS else (1,):
        out = os.path.join(folder, f"{name}{ranks}")
        done = resolve(scene, out, ranks)
        expect(done.code == 0, name, ranks, done.output)
    checked = call(1, "check", os.path.join(out, "scene.yaml"), "-o", folder)
    expect(checked.code == 0 and "initial intersections        none" in checked.output, name, checked.output)


with scratch() as place:
    write(place, "sheet.obj", SHEET)
    write(place, "high.obj", SHEET.replace("0.01", "0.4"))
    write(place, "dust.pt", "v 2 2 2\nv 0.1 0.1 0.1\n")
    write(place, "wire.seg", "v -3 0.01 0.45\nv 3 0.02 0.45\ns 1 2\n")
    for case, text in RESOLVED.items():
        check_resolved(place, case, text)
    write(place, "line.seg", "v 3 0.4\nv -3 0.4\ns 1 2\n")
    check_resolved(place, "behind line", ball("a", [0, 0]) + obstacle("line.seg"), HEAD.replace("dim: 3", "dim: 2"))
    for case, (text, code, message) in REFUSED.items():
        path = write(place, f"{case}.yaml", HEAD + text)
        for number in (1, 3) if case in ON_RANKS else (1,):
            refused = resolve(path, os.path.join(place, f"{case}{number}"), number)
            expect(refused.code == code and message in refused.output, case, number, refused.code, refused.output)
    occupied = write(place, "occupied", "a file\n")
    ended = call(3, "deform", write(place, "pair.yaml", HEAD + PAIR), "-resolve", "-o", occupied)
    expect(ended.code == 6 and "is a file, not a folder for results" in ended.output, ended.code, ended.output)
