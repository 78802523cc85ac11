"""A step that cannot converge ends with code 4, a message that says what limited it, and the last accepted state on disk."""
import os
from abut_runs import expect, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.02, steps: 10}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: cube, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}, translate: [0, 0.51, 0], velocity: [0, -5, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
solver: {max_newton: 2}
output: {fields: {every: 0}}
"""

with scratch() as folder:
    scene = write(folder, "hard.yaml", SCENE)
    for ranks in (1, 2):
        done = run(scene, os.path.join(folder, f"out{ranks}"), ranks)
        expect(done.code == 4, done.code, done.output)
        expect("did not converge" in done.output and "floor" not in done.output.split("abut: ")[0], done.output)
        expect(done.summary["exit_code"] == 4 and not done.summary["converged"], done.summary)
        expect(os.path.exists(os.path.join(done.directory, "checkpoint.h5")), "no checkpoint")
print("ok")
