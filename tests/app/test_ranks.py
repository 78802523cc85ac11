"""The first steps of a scene are the same on every rank count, and the results name the ranks."""
import os
from abut_runs import expect, near, run, scratch, write

SCENE = """abut: 1
dim: {dim}
time: {{step: 0.01, steps: 6}}
gravity: [0, -10{zero}]
materials: {{soft: {{model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}}}
bodies:
  - {{name: a, material: soft, shape: {{ball: {{radius: 0.5, cells: 3}}}}, translate: [0, 0.505{zero}], velocity: [0, -1{zero}]}}
  - {{name: b, material: soft, shape: {{ball: {{radius: 0.5, cells: 3}}}}, translate: [0.2, 1.52{zero}], velocity: [0, -1{zero}]}}
obstacles:
  - {{name: floor, plane: {{point: [0, 0{zero}], normal: [0, 1{zero}]}}}}
solver: {{tolerance: {{absolute: 1.0e-7}}}}
output: {{fields: {{every: 0}}}}
"""
CUBE = """abut: 1
dim: 3
time: {step: 0.01, steps: 2}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: a, material: soft, shape: {box: {size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}}, translate: [0, 0.1005, 0], velocity: [1, -1, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
contact: {dhat: {relative: 3.0e-3}, friction: {default: 0.3}}
output: {fields: {every: 1}}
"""
COLUMNS = ("energy_kinetic_J", "energy_elastic_J", "energy_contact_J", "momentum_x", "momentum_y", "contact_force_y_N")

with scratch() as folder:
    for dim in (2, 3):
        scene = write(folder, "pair.yaml", SCENE.format(dim=dim, zero=", 0" if dim == 3 else ""))
        alone = run(scene, os.path.join(folder, f"one{dim}"), 1)
        expect(alone.code == 0, alone.output)
        expect(alone.steps[-1]["contacts"] > 0, "nothing met")
        for ranks in (3,) if dim == 2 else (2, 4):
            done = run(scene, os.path.join(folder, f"out{dim}{ranks}"), ranks)
            expect(done.code == 0, done.output)
            expect(done.summary["ranks"] == ranks, done.summary["ranks"])
            for a, b in zip(alone.steps, done.steps):
                expect(a["contacts"] == b["contacts"], f"contacts on {ranks} ranks:", a["contacts"], b["contacts"])
                for column in COLUMNS:  # the solver's tolerance bounds the error of momentum by its magnitude, also where a component is 0
                    scale = max(abs(row["momentum_y" if column == "momentum_x" else column]) for row in alone.steps) + 1e-3
                    near(b[column], a[column], 1e-6 * scale, f"{dim}D, {ranks} ranks, step {a['step']:g}: {column}")
    # eight vertices: from nine ranks on some have nothing at all
    scene = write(folder, "cube.yaml", CUBE)
    alone = run(scene, os.path.join(folder, "cube1"), 1)
    expect(alone.code == 0 and alone.steps[-1]["contacts"] > 0, alone.output)
    out = os.path.join(folder, "cube9")
    done = run(scene, out, 9)
    expect(done.code == 0, done.output)
    near(done.steps[-1]["momentum_x"], alone.steps[-1]["momentum_x"], 1e-2, "9 ranks: momentum")
    done = run(scene, out, 9, "-restart", os.path.join(out, "checkpoint.h5"), "-steps", "3")
    expect(done.code == 0 and done.steps[-1]["step"] == 3, "restart on 9 ranks:", done.output)
print("ok")
