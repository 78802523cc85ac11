"""Resultants by pair of bodies: a block that rests on another carries it; friction keeps both on a floor that is tilted by gravity."""
import csv
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


def pairs(out):
    with open(os.path.join(out, "pairs.csv")) as file:
        return list(csv.DictReader(file))


with scratch() as folder:
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
