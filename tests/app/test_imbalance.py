"""Steps that converge by lengths while forces are far from balance are named once a run, on any number of ranks; others are not."""
import os
from abut_runs import expect, run, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.25, steps: 3}
gravity: [0, -9.81]
materials: {steel: {model: neo-hookean, young: 2.0e11, poisson: 0.3, density: 7800}}
bodies:
  - {name: block, material: steel, shape: {box: {size: [1, 1], cells: [4, 4]}}, translate: [0, 0.50002]}
obstacles:
  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}
contact: {dhat: {absolute: 2.5e-5}}
solver: {tolerance: {absolute: TOLERANCE}}
output: {fields: {every: 0}}
"""
WEIGHT = 7800 * 9.81  # [N], which the floor bears after the first step of so long a time

with scratch() as folder:
    for ranks in (1, 2):
        for tolerance, warnings in (("1.0e-4", 1), ("1.0e-8", 0)):
            out = os.path.join(folder, f"{tolerance}-{ranks}")
            done = run(write(folder, "scene.yaml", SCENE.replace("TOLERANCE", tolerance)), out, ranks)
            expect(done.code == 0 and done.output.count("nothing balances") == warnings, done.code, done.output)
            first = done.steps[0]
            share = first["residual_N"] / first["contact_force_max_N"]
            expect((share > 0.5) == bool(warnings), "share", share)
            error = abs(first["contact_force_y_N"] / WEIGHT - 1)
            expect(error > 0.5 if warnings else error < 1e-3, "contact force is wrong by", error)
