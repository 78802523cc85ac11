"""
Resultants by pair of bodies: a block that rests on another carries it; friction keeps both on a floor that is tilted by gravity. The area
of contact of a block with a much finer cylinder.
"""
import csv
import math
import os
from abut_runs import call, expect, near, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.02, steps: 60}
gravity: [2, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: lower, material: soft, shape: {box: {size: [1, 0.4, 1], cells: [3, 1, 3]}}, translate: [0, 0.201, 0]}
  - {name: upper, material: soft, surface: rough, shape: {box: {size: [0.5, 0.4, 0.5], cells: [2, 1, 2]}}, translate: [0, 0.603, 0]}
obstacles:
  - {name: wall, plane: {point: [-9, 0, 0], normal: [1, 0, 0]}}
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
contact:
  dhat: {absolute: 2.0e-3}
  friction: {default: {static: 0.5, kinetic: 0.4}, pairs: [{between: [soft, rough], coefficient: 0.7}], speed: {absolute: 1.0e-4}}
solver: {tolerance: {absolute: 1.0e-6}}
output: {fields: {every: 0}, checkpoint: {every: 30}}
"""
WEIGHT = {"lower": 4000.0, "upper": 1000.0}  # [N] along y; a fifth of it along x

HERTZ = """abut: 1
dim: 2
time: {step: 0.5, steps: 2, integrator: quasi-static}
materials: {soft: {model: linear, young: 1.0e6, poisson: 0.3, density: 1000}}
bodies: [{name: block, material: soft, shape: {box: {size: [2, 1], cells: [80, 40]}}, translate: [0, -0.5]}]
obstacles: [{name: roller, shape: {file: roller.msh}, translate: [0, 1.0e-4]}]
motions:
  - {select: {body: block, box: [[-.inf, -1], [.inf, -0.999]]}}
  - {select: {body: roller}, velocity: [0, -0.03]}
contact: {dhat: {absolute: 1.0e-4}}
output: {fields: {every: 0}}
"""


def sector(edges, width):
    """A mesh of the part |x| < width of the unit disc about (0, 1), in Gmsh's format, with equal edges along the circle."""
    angles = [width * (2 * k / edges - 1) for k in range(edges + 1)]
    points = [(0, 1)] + [(math.sin(a), 1 - math.cos(a)) for a in angles]
    nodes = "".join(f"{k} {x!r} {y!r} 0\n" for k, (x, y) in enumerate(points, 1))
    cells = "".join(f"{k} 2 2 0 1 1 {k + 1} {k + 2}\n" for k in range(1, edges + 1))
    return f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(points)}\n{nodes}$EndNodes\n$Elements\n{edges}\n{cells}$EndElements\n"


def check_area(folder):
    """Width of Hertz, to an edge of the block on either side; the roller has edges of this length, and ten times finer ones."""
    for edges in (24, 240):
        write(folder, "roller.msh", sector(edges, 0.3))
        for ranks in (1, 2):
            done = run(write(folder, "hertz.yaml", HERTZ), os.path.join(folder, f"hertz{edges}-{ranks}"), ranks)
            expect(done.code == 0, done.output)
            last = pairs(done.directory)[-1]
            width = 4 * math.sqrt(float(last["normal_sum_N"]) * (1 - 0.3**2) / (math.pi * 1e6))
            near(float(last["area_m2"]), width, 2 / 40, f"width with {edges} edges on {ranks} ranks")


def pairs(out):
    with open(os.path.join(out, "pairs.csv")) as file:
        return list(csv.DictReader(file))


with scratch() as folder:
    check_area(folder)
    scene = write(folder, "rest.yaml", SCENE)
    for ranks in (1, 2):
        done = run(scene, os.path.join(folder, f"out{ranks}"), ranks)
        expect(done.code == 0, done.output)
        last = [row for row in pairs(done.directory) if row["step"] == "60"]
        names = [(row["body_a"], row["body_b"]) for row in last]
        expect(names == [("lower", "upper"), ("lower", "floor")], names)
        # Forces are on the first body: the upper block presses the lower one down, the floor holds both. Friction lags behind the normal
        # force by a step and the last oscillations of a kilopascal pressure on a megapascal block are damped by now: 1 %.
        near(float(last[0]["normal_y_N"]), -WEIGHT["upper"], 10, "normal force of the upper block")
        near(float(last[0]["friction_x_N"]), 0.2 * WEIGHT["upper"], 10, "friction of the upper block")
        near(float(last[1]["normal_y_N"]), sum(WEIGHT.values()), 50, "normal force of the floor")
        near(float(last[1]["friction_x_N"]), -0.2 * sum(WEIGHT.values()), 50, "friction of the floor")
        expect(all(row["contacts"] == row["sticking"] for row in last), "sliding", last)
        row = done.steps[-1]
        # Forces between bodies cancel: the sum is the force of the floor.
        near(row["contact_force_y_N"], float(last[1]["normal_y_N"]), 1e-6 * 5000, "sum of contact forces")
        near(row["friction_force_x_N"], float(last[1]["friction_x_N"]), 1e-6 * 5000, "sum of friction forces")
        expect(row["sticking"] > 0 and row["sliding"] == 0, row)
        expect(done.summary["sticking"] == row["sticking"] and done.summary["friction_lags"] >= 60, done.summary)
    again = run(scene, done.directory, 2, "-steps", "35", "-restart", os.path.join(done.directory, "checkpoint.h5"))
    expect(again.code == 0, again.output)

    checked = call(2, "check", scene)
    expect(checked.code == 0 and "friction of soft on rough: 0.7\n" in checked.output, checked.output)
    expect("friction of soft on floor: 0.5 sticking, 0.4 sliding" in checked.output and "wall on floor" not in checked.output,
           checked.output)
    expect("of 'lower' and 'floor'" in checked.output and "2 of two bodies" not in checked.output, checked.output)
print("ok")
