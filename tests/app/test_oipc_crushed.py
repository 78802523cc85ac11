"""A twisted sheet of fixed-corotated cells, which can be flattened, is crushed: with "oipc" and "gcp" its two sides never meet.

The angle terms of both potentials do not see a contact through the inside of a body. Without pairs that ignore angles the gap falls to
1e-17 m in step 168, and the step does not converge."""
import os
from abut_runs import expect, run, scratch, write

STEPS, THICKNESS = 172, 0.013
SCENE = """
abut: 1
title: Sheet crushed flat
dim: 3
time: {{step: 0.01, steps: 300}}
gravity: [0, 0, 0]
materials:
  soft: {{model: fixed-corotated, young: 1.0e4, poisson: 0.4, density: 1000}}
bodies:
  - {{name: sheet, material: soft, shape: {{box: {{size: [1, 1, {thickness}], cells: [12, 12, 1]}}}}}}
motions:
  - {{select: {{body: sheet, box: [[0, 0, 0], [0.01, 1, 1]], relative: true}}, angular_velocity: [1.2566, 0, 0], center: [0, 0, 0]}}
  - {{select: {{body: sheet, box: [[0.99, 0, 0], [1, 1, 1]], relative: true}}, angular_velocity: [-1.2566, 0, 0], center: [0, 0, 0]}}
contact: {{potential: {potential}, dhat: {{relative: 1.0e-3}}, stiffness: adaptive}}
solver: {{tolerance: {{relative: 1.0e-2}}}}
output: {{fields: {{every: 0}}}}
"""


def crushed(folder, potential, ranks):
    scene = write(folder, potential + ".yaml", SCENE.format(potential=potential, thickness=THICKNESS))
    done = run(scene, os.path.join(folder, f"{potential}-{ranks}"), ranks, "-verify", "-steps", STEPS)
    expect(done.code == 0, potential, "on", ranks, "ranks:", done.output[-3000:])
    expect(len(done.steps) == STEPS, potential, "took", len(done.steps), "steps")
    expect(all(row["intersections"] == 0 for row in done.steps), potential, "crosses itself on", ranks, "ranks")
    gap = min(row["min_gap_m"] for row in done.steps if row["contacts"] > 0)
    expect(1.0e-9 < gap < 0.0012 * THICKNESS, potential, "on", ranks, "ranks: the gap is", gap)


with scratch() as scratch_folder:
    for name, ranks in (("oipc", 1), ("oipc", 2), ("gcp", 1)):
        crushed(scratch_folder, name, ranks)
print("ok")
