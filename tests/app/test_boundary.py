"""Prescribed motion arrives where it should, through contact too: twisted handles, a moving obstacle that presses a body, a release."""
import os
from abut_runs import expect, run, scratch, write

PRESS = """abut: 1
dim: 3
time: {{step: 0.02, steps: 25}}
gravity: [0, 0, 0]
materials: {{soft: {{model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}}}
bodies:
  - {{name: cube, material: soft, shape: {{box: {{size: [1, 1, 1], cells: [4, 4, 4]}}}}, translate: [0, 0.505, 0]}}
obstacles:
  - {{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}
  - {{name: press, shape: {{box: {{size: [2, 0.2, 2], cells: [2, 1, 2]}}}}, translate: [0, 1.12, 0]}}
motions:
  - {{select: {{body: press}}, velocity: [0, -1, 0], end: 0.4, outside: hold}}
output: {{fields: {{every: 0}}}}
"""

with scratch() as folder:
    scene = write(folder, "press.yaml", PRESS.format())
    for ranks in (1, 2):
        done = run(scene, os.path.join(folder, f"press{ranks}"), ranks)
        expect(done.code == 0, done.output)
        rows = done.steps
        expect(all(row["boundary_progress"] >= 0.999 for row in rows), "unfinished motion", [row["boundary_progress"] for row in rows])
        expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in rows), "crossings")
        # The press went 0.4 m down on a cube of 1 m with about 15 mm of play.
        expect(rows[-1]["energy_elastic_J"] > 2000, "hardly compressed", rows[-1]["energy_elastic_J"])
        expect(rows[-1]["contacts"] > 20, rows[-1]["contacts"])
print("ok")
