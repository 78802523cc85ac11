"""Two balls collide in free flight: momentum is conserved to round-off times the number of steps."""
import os
from abut_runs import expect, near, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.005, steps: 40}
materials:
  soft: {model: neo-hookean, young: 2.0e5, poisson: 0.4, density: 1000}
  stiff: {model: fixed-corotated, young: 1.0e6, poisson: 0.3, density: 2000}
bodies:
  - {name: fast, material: soft, shape: {ball: {radius: 0.5, cells: 3}}, translate: [-0.6, 0.1, 0], velocity: [6, 0, 0]}
  - {name: slow, material: stiff, shape: {ball: {radius: 0.5, cells: 3}}, translate: [0.6, 0, 0.05], velocity: [-2, 0, 0]}
solver: {tolerance: {absolute: 1.0e-4}}
output: {fields: {every: 0}}
"""

with scratch() as folder:
    scene = write(folder, "collide.yaml", SCENE)
    for ranks in (1, 3):
        done = run(scene, os.path.join(folder, f"out{ranks}"), ranks)
        expect(done.code == 0, done.output)
        rows = done.steps
        expect(max(row["contacts"] for row in rows) > 0, "the balls never met")
        expect(rows[-1]["momentum_x"] != 0, "no momentum")
        size = max(abs(rows[0]["momentum_x"]), 1) + 500 * 6  # masses times speeds of both balls bound the sums
        for axis in "xyz":
            # Newton ends with full steps, which leave the sum of inertia residuals at round-off of the forces in the sum.
            near(rows[-1][f"momentum_{axis}"], rows[0][f"momentum_{axis}"], 1e-11 * size * len(rows), f"momentum_{axis} on {ranks} ranks")
        expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in rows), "crossings on the way")
print("ok")
