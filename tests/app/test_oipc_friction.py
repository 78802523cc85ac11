"""Friction with the orientation-aware potentials: blocks on slopes; the normal forces of pairs of primitives add up to the weight."""
import csv
import math
import os
from abut_runs import expect, near, run, scratch, write
from ipc2020 import along

SCENES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "inputs", "oipc")
STEP, MASS, GRAVITY, TANGENT = 0.025, 250.0, 9.81, 0.5  # of the slopes
COS = 1 / math.hypot(1, TANGENT)
DOWN, NORMAL = (2, -1, 0), (1, 2, 0)

# A block on the mesh of a table, turned by one degree: edges of the two surfaces cross almost in parallel. 2D: the same without the turn.
BLOCK = """abut: 1
dim: DIM
time: {step: 0.01, steps: STEPS}
gravity: [0, -9.81]
materials: {stone: {model: neo-hookean, young: 1.0e7, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: stone, shape: {box: {size: BODY, cells: BODY_CELLS}},
      rotate: [0, TURN, 0], translate: [0.07, 0.1259, 0.03], velocity: [SPEED, 0]}
obstacles:
  - {name: table, shape: {box: {size: TABLE, cells: TABLE_CELLS}}, translate: [0, -0.1]}
contact:
  potential: oipc
  dhat: {absolute: 1.0e-3}
  friction: {default: 0.3, speed: {absolute: 1.0e-3}, lags: converged}
solver: {tolerance: {absolute: 1.0e-6}}
output: {fields: {every: 0}}
"""
SPACE = {"DIM": "3", "[0, -9.81]": "[0, -9.81, 0]", "BODY_CELLS": "[2, 1, 2]", "TABLE_CELLS": "[4, 1, 4]", "BODY": "[0.5, 0.25, 0.5]",
         "TABLE": "[2, 0.2, 2]", "TURN": "1", "[SPEED, 0]": "[SPEED, 0, 0]", "[0, -0.1]": "[0, -0.1, 0]"}
PLANE = {"DIM": "2", "rotate: [0, TURN, 0], ": "", "BODY_CELLS": "[2, 1]", "TABLE_CELLS": "[4, 1]", "BODY": "[0.5, 0.25]",
         "TABLE": "[2, 0.2]",
         "0.1259, 0.03]": "0.1259]"}
GCP = {"potential: oipc": "potential: gcp"}


def rows_of(done, name):
    expect(done.code == 0, name, done.output[-2000:])
    expect(all(row["intersections"] == 0 for row in done.steps), name, "crosses")
    return done.steps


def slope(name, folder, ranks, steps):
    return rows_of(run(os.path.join(SCENES, name + ".yaml"), os.path.join(folder, f"{name}-{ranks}"), ranks, "-steps", steps), name)


def check_slide(folder, ranks):
    """As with ipc (test_friction.py): sums over steps of implicit Euler leave no truncation error."""
    rows = slope("slope_slide", folder, ranks, 30)
    first, last, mu = rows[9], rows[-1], 0.49
    bounce = along(last, NORMAL, MASS) - along(first, NORMAL, MASS)
    gained = along(last, DOWN, MASS) - along(first, DOWN, MASS)
    wanted = (len(rows) - 10) * STEP * GRAVITY * COS * (TANGENT - mu) - mu * bounce
    near(gained, wanted, 20 * 1e-6, f"speed gained on {ranks} ranks, by the tolerance of every step")
    expect(all(row["sliding"] == 25 and row["sticking"] == 0 for row in rows[9:]), "a sliding block sticks")
    # Friction is the coefficient times the sum of the lagged normal forces: that of the weight across the slope.
    near(math.hypot(last["friction_force_x_N"], last["friction_force_y_N"]), mu * MASS * GRAVITY * COS, 1e-3, "friction force")


def check_stick(folder, ranks):
    rows, threshold = slope("slope_stick", folder, ranks, 20), 1e-3
    speeds = [along(row, DOWN, MASS) for row in rows]
    expect(all(row["sticking"] == 25 and row["sliding"] == 0 for row in rows), "contacts slide")
    expect(all(speed <= threshold + 1e-8 for speed in speeds) and speeds[-1] > 0.9 * threshold, "creeps at", speeds)


def check_creep(folder):
    rows, threshold = slope("slope_creep", folder, 1, 40), 1e-3
    near(along(rows[-1], (1, 0, 0), 1000.0), threshold * (1 - math.sqrt(1 - 0.3 / 0.5)), 1e-6, "creep")


def block(folder, name, changes, speed, steps, ranks):
    """Steps of a block, each with the resultant of its pairs with the table."""
    text = BLOCK
    for old, new in {**changes, "STEPS": str(steps), "SPEED": str(speed)}.items():
        expect(old in text, old, "is not in the scene")
        text = text.replace(old, new)
    name = f"{name}-{speed}-{ranks}"
    done = run(write(folder, name + ".yaml", text), os.path.join(folder, name), ranks)
    rows = rows_of(done, name)
    with open(os.path.join(done.directory, "pairs.csv")) as file:
        pairs = {int(pair["step"]): pair for pair in csv.DictReader(file)}
    return [(row, {key: float(pairs[row["step"]][key]) for key in ("normal_y_N", "friction_x_N", "contacts", "sticking")}) for row in rows
            if row["step"] in pairs]


def check_block(folder, name, changes, weight, ranks):
    row, pair = block(folder, name, changes, 0, 20, ranks)[-1]
    near(pair["normal_y_N"], weight, 1e-5 * weight, f"sum of normal forces at rest, {name} on {ranks} ranks")
    expect(pair["contacts"] == row["contacts"] == row["sticking"], "contacts", pair, row["contacts"], "sticking", row["sticking"])
    for row, pair in block(folder, name, changes, 2, 8, ranks):
        # The block is stiff, its surface flat: forces of pairs are along the normal but for rounding of angles.
        near(pair["normal_y_N"], row["contact_force_y_N"], 1e-6 * weight,
             f"sum of normal forces in step {row['step']}, {name} on {ranks} ranks")
        # Normal forces are lagged until they change as little as the tolerance moves the block: by 2e-7 of the weight here.
        near(row["friction_force_x_N"], -0.3 * pair["normal_y_N"], 2e-6 * weight,
             f"friction in step {row['step']}, {name} on {ranks} ranks")
        expect(row["sliding"] > 0 and row["sticking"] == 0, "sticks in step", row["step"])


with scratch() as scratch_folder:
    for number_of_ranks in (1, 2):
        check_slide(scratch_folder, number_of_ranks)
        check_block(scratch_folder, "space", SPACE, 0.5 * 0.25 * 0.5 * 1000 * GRAVITY, number_of_ranks)
    check_stick(scratch_folder, 1)
    check_block(scratch_folder, "plane", PLANE, 0.5 * 0.25 * 1000 * GRAVITY, 1)
    check_block(scratch_folder, "space-gcp", {**SPACE, **GCP}, 0.5 * 0.25 * 0.5 * 1000 * GRAVITY, 2)
    check_block(scratch_folder, "plane-gcp", {**PLANE, **GCP}, 0.5 * 0.25 * 1000 * GRAVITY, 1)
    check_creep(scratch_folder)
print("ok")
