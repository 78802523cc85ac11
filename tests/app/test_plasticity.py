"""Elastoplastic and viscoelastic bodies in contact: ranks, restarts, halved steps, energy balance, fields; scenes that are refused."""
import os
import re
import subprocess

from abut_runs import expect, near, python_with, run, scratch, write

RUBBER = "{shear: 2.0e9, bulk: 4.0e9, density: 8930, prony: [{shear: 1.0e9, time: 2.0e-6}, {shear: 1.0e9, time: 1.0e-5}]}"
METAL = "{model: j2-plasticity, young: 1.17e11, poisson: 0.35, yield: 4.0e8, hardening: 1.0e8, density: 8930}"
IMPACT = """abut: 1
dim: {dim}
time: {{step: 4.0e-7, steps: 24, integrator: bdf2{time}}}
materials: {{copper: {material}}}
bodies:
  - {{name: bar, material: copper, shape: {{box: {{size: {size}, cells: {cells}}}, order: {order}}}, translate: [0, 0.00505, 0],
     velocity: [0, -150, 0]}}
obstacles:
  - {{name: wall, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}
output: {{checkpoint: {{every: 12, minutes: 0}}}}
"""
PRESS = """abut: 1
dim: 2
time: {step: 0.1, steps: 20, integrator: quasi-static, regularization: 1.0e-3}
materials: {metal: {model: j2-plasticity, young: 2.0e11, poisson: 0.3, yield: 3.0e8, hardening: 1.0e9, density: 7800}}
contact: {dhat: {absolute: 1.0e-5}}
bodies: [{name: block, material: metal, shape: {box: {size: [0.1, 0.05], cells: [4, 2]}, order: ORDER}}]
obstacles:
  - {name: floor, plane: {point: [0, -0.025005], normal: [0, 1]}}
  - {name: press, plane: {point: [0, 0.025005], normal: [0, -1]}}
motions: [{plane: press, velocity: [0, -0.001]}]
"""
INDENTER = """abut: 1
dim: 2
time: {step: 0.1, steps: 7, integrator: quasi-static}
materials: {solid: MATERIAL}
contact: {dhat: {absolute: 2.0e-4}}
bodies: [{name: block, material: solid, shape: {box: {size: [0.1, 0.05], cells: CELLS}, order: 2}}]
obstacles:
  - {name: press, shape: {ball: {radius: 0.05, cells: 20}}, translate: [0, 0.0752]}
motions:
  - {select: {body: block, box: [[-1, -0.026], [1, -0.024]]}}
  - {select: {body: press}, displacement: [0, -0.004], table: [[0, 0], [1, 1]]}
output: {checkpoint: {every: 6}}
"""
STEEL = "{model: j2-plasticity, young: 2.0e11, poisson: 0.3, yield: 3.0e8, hardening: 1.0e9, density: 7800}"
POLYMER = "{shear: 2.0e9, bulk: 4.0e9, density: 1000, prony: [{shear: 1.0e9, time: 1.0}, {shear: 1.0e9, time: 0.3}]}"
ENERGIES = ("energy_kinetic_J", "energy_elastic_J", "energy_dissipated_J")


def impact(dim=2, order=2, time="", material=METAL):
    size, cells = [6e-3, 1e-2, 6e-3], [2, 4, 2]
    return IMPACT.format(dim=dim, order=order, size=size[:dim], cells=cells[:dim], time=time, material=material)


def total(row):
    return row["energy_kinetic_J"] + row["energy_elastic_J"] + row["energy_contact_J"] + row["energy_dissipated_J"]


def compare(one, other, tolerance, what):
    expect(len(one) == len(other), what, len(one), len(other))
    for a, b in zip(one, other):
        for column in ENERGIES:
            near(b[column], a[column], tolerance * a["energy_kinetic_J"], f"{what}: {column} of step {a['step']:g}")


def check_ranks(folder, dim, order, material=METAL, least=0.2):
    """Ranks, and restarts in the middle: bit for bit on as many ranks, to round-off on others."""
    name = f"impact_{dim}_{order}{'' if material == METAL else '_rubber'}"
    scene = write(folder, name + ".yaml", impact(dim, order, material=material))
    whole = run(scene, os.path.join(folder, name), 2)
    expect(whole.code == 0, whole.output)
    rows = whole.steps
    expect(rows[-1]["energy_dissipated_J"] > least * rows[0]["energy_kinetic_J"], "hardly inelastic", rows[-1])
    for row, after in zip(rows, rows[1:]):
        expect(after["energy_dissipated_J"] >= row["energy_dissipated_J"], "dissipation falls in step", after["step"])
        if row["step"] > 4:  # bdf2 adds energy at the impact, also to elastic bodies
            expect(total(after) <= total(row) * (1 + 1e-3), "energy grows in step", after["step"])
    for ranks in (1, 3, 4) if order == 2 else (3,):
        done = run(scene, os.path.join(folder, f"{name}_{ranks}"), ranks)
        expect(done.code == 0, done.output)
        compare(rows, done.steps, 1e-6, f"{name} on {ranks} ranks")
    half = os.path.join(folder, name + "_half")
    expect(run(scene, half, 2, "-steps", "12").code == 0, "the first half failed")
    checkpoint = ("-restart", os.path.join(half, "checkpoint.h5"))
    compare(rows[12:], run(scene, os.path.join(folder, name + "_on_3"), 3, *checkpoint).steps, 1e-6, f"{name}, restart on 3 ranks")
    again = run(scene, half, 2, *checkpoint)
    expect(again.code == 0, again.output)
    compare(rows, again.steps, 0, f"{name}, restart")
    return whole


def check_refusals(folder, plastic):
    """A checkpoint with plastic strains needs a scene that has them; without, they start at 0."""
    checkpoint = os.path.join(plastic.directory, "checkpoint.h5")
    elastic = write(folder, "elastic.yaml", impact(material="{young: 1.17e11, poisson: 0.35, density: 8930}"))
    done = run(elastic, os.path.join(folder, "refused"), 2, "-restart", checkpoint)
    expect(done.code == 2 and done.output.count("21 numbers a cell on plastic and viscous strains, the materials") == 1, done.output)
    viscous = "{shear: 2.0e9, bulk: 4.0e9, density: 8930, prony: [{shear: 1.0e9, time: 1.0e-5}]}"
    other = write(folder, "other.yaml", impact(material=viscous))
    done = run(other, os.path.join(folder, "refused"), 1, "-restart", checkpoint)  # as many numbers, of another kind
    expect(done.code == 2 and "has j2-plasticity and 0 terms of prony for the body 'bar', this scene has no j2" in done.output, done.output)
    first = run(elastic, os.path.join(folder, "elastic"), 1, "-steps", "12")
    expect(first.code == 0 and "energy_dissipated_J" not in first.steps[0], first.output)
    scene = os.path.join(folder, "impact_2_2.yaml")
    done = run(scene, os.path.join(folder, "from_elastic"), 1, "-restart", os.path.join(first.directory, "checkpoint.h5"))
    expect(done.code == 0 and done.steps[-1]["energy_dissipated_J"] > 0, done.output)
    done = run(elastic, os.path.join(folder, "interpolated"), 2, "-restart", checkpoint, "-restart_interpolate", scene)
    expect(done.code == 2 and "has j2-plasticity and 0 terms of prony for the body 'bar', this scene has no j2" in done.output, done.output)


def check_halved(folder):
    """Steps that fail and are halved start from the plastic strains of the state: twice as many short steps give about the same."""
    scene = write(folder, "halved.yaml", impact(time=", smallest_step: 1.0e-8").replace("output:", "solver: {max_newton: 4}\noutput:"))
    done = run(scene, os.path.join(folder, "halved"), 1, "-steps", "60")
    expect(done.code == 0 and sum(row["halvings"] for row in done.steps) > 3, done.output)
    end = done.steps[-1]
    reference = [row for row in run(os.path.join(folder, "impact_2_2.yaml"), os.path.join(folder, "long"), 1, "-steps", "60").steps
                 if abs(row["time_s"] - end["time_s"]) < 2.1e-7]
    expect(reference, "no step at", end["time_s"])
    near(end["energy_dissipated_J"] / reference[0]["energy_dissipated_J"], 1, 0.1, "plastic work with halved steps")


def check_press(folder, order):
    """Quasi-static: the work of the press is elastic energy, plastic work and energy of the contact."""
    scene = write(folder, f"press_{order}.yaml", PRESS.replace("ORDER", str(order)))
    done = run(scene, os.path.join(folder, f"press_{order}"), 1)
    expect(done.code == 0, done.output)
    forces = {row["step"]: abs(row["normal_y_N"]) for row in done.table("pairs.csv") if "press" in (row["body_a"], row["body_b"])}
    work, last = 0, 0
    for row in done.steps:  # trapezoidal rule
        force = forces.get(row["step"], 0)
        work += (last + force) / 2 * 1e-4
        last = force
    end = done.steps[-1]
    stored = end["energy_elastic_J"] + end["energy_dissipated_J"] + end["energy_contact_J"]
    near(stored / work, 1, 0.02, "energy over the work of the press")
    expect(end["energy_dissipated_J"] > 5 * end["energy_elastic_J"], "hardly plastic", end)


def check_transfer(folder, name, material):
    """Strains on a mesh of twice as many cells: as in a run on that mesh."""
    def scene(cells):
        text = INDENTER.replace("MATERIAL", material).replace("CELLS", str([2 * cells, cells]))
        return write(folder, f"{name}_{cells}.yaml", text)

    coarse, fine = scene(3), scene(6)
    first = run(coarse, os.path.join(folder, f"{name}_first"), 2, "-steps", "6")
    expect(first.code == 0, first.output)
    restart = ("-restart", os.path.join(first.directory, "checkpoint.h5"), "-restart_interpolate", coarse)
    runs = [run(fine, os.path.join(folder, f"{name}_{ranks}"), ranks, *restart) for ranks in (1, 3)]
    expect(all(done.code == 0 for done in runs), runs[0].output)
    before, after = (float(number) for number in re.search(r"elastic energy (\S+) J to (\S+) J", runs[0].output).groups())
    near(after, before, 0.4 * before, "elastic energy")
    for column in ENERGIES[1:]:
        near(runs[1].steps[0][column], runs[0].steps[0][column], 1e-6 * before, f"{column} on 3 ranks")
    whole = run(fine, os.path.join(folder, f"{name}_whole"), 1).steps[-1]
    for column in ENERGIES[1:]:
        near(runs[0].steps[0][column] / whole[column], 1, 0.08, f"{name}: {column} after the transfer")


def check_fields(directory):
    """The plastic strain in fields.h5 is 0 at the start, and its integral of (Y + H p / 2) p is the plastic work at the end."""
    script = """
import sys
sys.path.insert(0, sys.argv[2])
import numpy as np, abut_results
run = abut_results.Results(sys.argv[1])
rest, cells = run.mesh("rest"), run.mesh("cells")
a, b = rest[cells[:, 1]] - rest[cells[:, 0]], rest[cells[:, 2]] - rest[cells[:, 0]]
p = run.field("plastic_strain")
print(abs(run.field("plastic_strain", "first")).max(), (abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2 * (4e8 + 5e7 * p) * p).sum())
"""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    done = subprocess.run([python_with("h5py", "numpy"), "-c", script, directory, os.path.join(root, "postprocess")], capture_output=True,
                          text=True, check=False)
    expect(done.returncode == 0, done.stderr)
    expect("plastic_strain" in open(os.path.join(directory, "fields.xdmf")).read(), "no plastic strain for ParaView")
    return [float(word) for word in done.stdout.split()]


with scratch() as scratched:
    quadratic = check_ranks(scratched, 2, 2)
    start, work = check_fields(quadratic.directory)
    near(work / quadratic.steps[-1]["energy_dissipated_J"], 1, 0.02, "plastic work of the fields")
    expect(start == 0, "plastic strain at the start", start)
    check_ranks(scratched, 3, 1)
    check_ranks(scratched, 2, 2, RUBBER, 0.02)
    check_refusals(scratched, quadratic)
    check_transfer(scratched, "steel", STEEL)
    check_transfer(scratched, "viscous", POLYMER)
    check_halved(scratched)
    check_press(scratched, 1)
    check_press(scratched, 2)
print("ok")
