"""A run that converges by lengths while forces stay far from balance warns once, on any number of ranks; other runs do not warn."""
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
solver: {tolerance: {absolute: TOLERANCE}}
output: {fields: {every: 0}}
"""
TOUCHES = """abut: 1
dim: 2
time: {step: 0.01, steps: 8}
gravity: [0, -9.81]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: soft, shape: {box: {size: [1, 1], cells: [4, 4]}}, translate: [0, 0.5039]}
obstacles:
  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}
contact: {dhat: {absolute: 1.0e-3}}
solver: {tolerance: {absolute: TOLERANCE}}
output: {fields: {every: 0}}
"""
WEIGHT = 7800 * 9.81  # [N], which the floor bears after the first step of so long a time

with scratch() as folder:
    for ranks in (1, 2):
        for tolerance, warnings in (("1.0e-4", 1), ("1.0e-8", 0)):
            out = os.path.join(folder, f"{tolerance}-{ranks}")
            done = run(write(folder, "scene.yaml", SCENE.replace("TOLERANCE", tolerance)), out, ranks)
            expect(done.code == 0 and done.output.count("is not balanced") == warnings, done.code, done.output)
            first = done.steps[0]
            share = first["residual_N"] / first["contact_force_max_N"]
            expect((share > 0.5) == bool(warnings), "share", share)
            error = abs(first["contact_force_y_N"] / WEIGHT - 1)
            expect(error > 0.5 if warnings else error < 1e-3, "contact force is wrong by", error)

        # the first contact force is 20 N, with an imbalance of 13 N; later forces are about 1000 N with a negligible imbalance
        touches = write(folder, "touches.yaml", TOUCHES.replace("TOLERANCE", "1.0e-2"))
        done = run(touches, os.path.join(folder, f"touches-{ranks}"), ranks)
        shares = [row["residual_N"] / row["contact_force_max_N"] for row in done.steps if row["contacts"] > 0]
        expect(done.code == 0 and shares[0] > 0.5 > 0.1 > max(shares[1:]), "shares", shares)
        expect("is not balanced" not in done.output, done.output)

        # an imbalance in the last step is warned of even if it has not lasted; one that lasted is warned of even if it ends
        ends = int(done.steps[-len(shares)]["step"])
        done = run(touches, os.path.join(folder, f"ends-{ranks}"), ranks, "-steps", ends)
        expect(done.code == 0 and done.output.count("is not balanced") == 1, done.code, done.output)
        # without the stopping test of tiny gaps, which would balance the forces of one of these steps
        lasts = write(folder, "lasts.yaml", TOUCHES.replace("TOLERANCE", "1.0e-1"))
        done = run(lasts, os.path.join(folder, f"lasts-{ranks}"), ranks, "-abut_gap_resolution", "0")
        expect(done.code == 0 and done.output.count("is not balanced") == 1, done.code, done.output)
        expect(f"step {ends + 2} converged" in done.output and done.steps[-1]["residual_N"] < 0.1 * done.steps[-1]["contact_force_max_N"],
               done.output)
print("ok")
