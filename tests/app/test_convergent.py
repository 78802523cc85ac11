"""The convergent potential end to end: blocks in contact carry each other's weight; sheets, segments and points stop falling bodies."""
import csv
import os
from abut_runs import call, expect, near, run, scratch, write
from falls import BEDS, fall

STACK = """abut: 1
dim: {dim}
time: {{step: 0.02, steps: 40}}
gravity: [1, -10{zero}]
materials: {{soft: {{model: neo-hookean, young: 1.0e6, poisson: 0.3, density: 1000}}}}
bodies:
  - {{name: lower, material: soft, shape: {{box: {{size: [1, 0.4{width}], cells: [3, 1{cells}]}}}}, translate: [0, 0.201{zero}]}}
  - {{name: upper, material: soft, shape: {{box: {{size: [0.5, 0.4{half}], cells: [2, 1{two}]}}}}, translate: [0.03, 0.603{shift}]}}
obstacles:
  - {{name: floor, plane: {{point: [0, 0{zero}], normal: [0, 1{zero}]}}}}
contact: {{potential: convergent-ipc, dhat: {{absolute: 2.0e-3}}, friction: {{default: 0.5, speed: {{absolute: 1.0e-4}}}}}}
solver: {{tolerance: {{absolute: 1.0e-6}}}}
output: {{fields: {{every: 0}}}}
"""


def last_pairs(done):
    with open(os.path.join(done.directory, "pairs.csv")) as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["step"] == rows[-1]["step"]]


with scratch() as folder:
    for dim in (2, 3):
        more = (dict(zero=", 0", width=", 1", cells=", 3", half=", 0.5", two=", 2", shift=", 0.02") if dim == 3 else
                dict.fromkeys(("zero", "width", "cells", "half", "two", "shift"), ""))
        scene = write(folder, f"stack{dim}.yaml", STACK.format(dim=dim, **more))
        weight = {"lower": 4000.0, "upper": 1000.0 if dim == 3 else 2000.0}
        runs = [run(scene, os.path.join(folder, f"stack{dim}{ranks}"), ranks, "-verify") for ranks in (1, 2)]
        for done in runs:
            expect(done.code == 0, done.output)
            expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in done.steps), "crossings on the way")
            pairs = last_pairs(done)
            expect([(row["body_a"], row["body_b"]) for row in pairs] == [("lower", "upper"), ("lower", "floor")], pairs)
            # The last oscillations of blocks of 1 MPa are damped by now; friction lags by a step: 1 %
            near(float(pairs[0]["normal_y_N"]), -weight["upper"], 0.01 * weight["upper"], f"{dim}D: normal force of the upper block")
            near(float(pairs[1]["normal_y_N"]), sum(weight.values()), 0.01 * sum(weight.values()), f"{dim}D: normal force of the floor")
            near(float(pairs[0]["friction_x_N"]), 0.1 * weight["upper"], 0.01 * weight["upper"], f"{dim}D: friction of the upper block")
            # Resultants are made of contact points, forces of gradients.
            near(done.steps[-1]["contact_force_y_N"], float(pairs[1]["normal_y_N"]), 1e-9 * sum(weight.values()), "sum of contact forces")
        for one, two in zip(runs[0].steps, runs[1].steps):
            expect(one["contacts"] == two["contacts"], f"{dim}D, step {one['step']:g}: contacts", one["contacts"], two["contacts"])
            near(two["momentum_y"], one["momentum_y"], 1e-5, f"{dim}D, step {one['step']:g}: momentum")
        checked = call(2, "check", scene)
        expect(checked.code == 0, checked.output)
    for name in BEDS:
        fall("convergent-ipc", name, folder, 2)
print("ok")
