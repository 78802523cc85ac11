"""A body that falls on a plane comes to rest, and then the contact force carries its weight; 2D and 3D, 1 and 2 ranks."""
import os
from abut_runs import expect, near, run, scratch, write

SCENE = """abut: 1
dim: {dim}
time: {{step: 0.02, steps: 100}}
gravity: [0, -10{zero}]
materials: {{soft: {{model: {model}, young: 1.0e5, poisson: 0.3, density: 1000}}}}
bodies:
  - {{name: block, material: soft, shape: {{box: {{size: [1, 0.5{size}], cells: [4, 2{cells}]}}}}, translate: [0, 0.3{zero}]}}
obstacles:
  - {{name: floor, plane: {{point: [0, 0{zero}], normal: [0, 1{zero}]}}}}
solver: {{tolerance: {{absolute: 1.0e-6}}}}
output: {{fields: {{every: 0}}}}
"""

with scratch() as folder:
    for dim, model, ranks in ((3, "neo-hookean", 1), (3, "fixed-corotated", 2), (2, "neo-hookean", 2)):
        extra = dict(zero=", 0", size=", 1", cells=", 4") if dim == 3 else dict(zero="", size="", cells="")
        scene = write(folder, "rest.yaml", SCENE.format(dim=dim, model=model, **extra))
        out = os.path.join(folder, f"{model}{dim}")
        done = run(scene, out, ranks)
        expect(done.code == 0, done.output)
        weight = 1 * 0.5 * 1000 * 10
        last = done.steps[-1]
        near(last["contact_force_y_N"], weight, 1e-3 * weight, f"{dim}D {model}: contact force at rest")
        near(last["contact_force_x_N"], 0, 1e-6 * weight, "sideways contact force")
        expect(last["contacts"] > 0 and last["min_gap_m"] > 0, last)
        expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in done.steps), "crossings on the way")
print("ok")
