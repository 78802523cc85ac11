"""Forces are balanced by default; with `balance: off` they may be wrong, and the imbalance says so. On any number of ranks."""
import os
from abut_runs import expect, run, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.25, steps: 1}
gravity: [0, -9.81]
materials: {steel: {model: neo-hookean, young: 2.0e11, poisson: 0.3, density: 7800}}
bodies:
  - {name: block, material: steel, shape: {box: {size: [1, 1], cells: [4, 4]}}, translate: [0, 0.50002]}
obstacles:
  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}
contact: {dhat: {absolute: 2.5e-5}}
solver: {tolerance: {absolute: 1.0e-4}BALANCE}
output: {fields: {every: 0}}
"""
WEIGHT = 7800 * 9.81  # [N], which the floor bears after the first step of so long a time
HELD = "motions: [{select: {body: block, box: [[0, 0], [1, 0]], relative: true}}]\n"

with scratch() as folder:
    for ranks in (1, 2, 3):
        for balance in ("", ", balance: off"):
            out = os.path.join(folder, f"{len(balance)}-{ranks}")
            done = run(write(folder, "scene.yaml", SCENE.replace("BALANCE", balance)), out, ranks)
            first = done.steps[0]
            error = abs(first["contact_force_y_N"] / WEIGHT - 1)
            expect(done.code == 0 and "are not balanced" not in done.output, done.code, done.output)
            expect(done.summary["imbalance_missed_steps"] == 0 and done.summary["imbalance_max"] == first["imbalance"], done.summary)
            if balance:
                expect(error > 0.5 and first["imbalance"] > 0.5 and first["imbalance_body"] == "block", "wrong by", error, first)
            else:
                expect(error < 0.01 and first["imbalance"] <= 0.01, "wrong by", error, first)
    # Where contact acts on held vertices alone, free ones without any force are no forces at round-off; far from the origin they are.
    for more, far, warned in ((HELD, "[0, 0", False), ("", "[1.0e7, 10000000", True)):
        text = SCENE.replace("BALANCE", "").replace("[0, 0.5", far + ".5").replace("point: [0, 0", "point: " + far) + more
        text = text.replace("-9.81", "0") if more else text
        done = run(write(folder, "rest.yaml", text), os.path.join(folder, "rest"), 1, "-overwrite")
        expect(done.code == 0 and ("round-off of positions" in done.output) == warned, more, done.output)
print("ok")
