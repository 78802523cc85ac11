"""Ties: bars in series, surfaces moved apart, a layered cantilever against a single one, restart, support, contact, refusals."""
import itertools
import os
import subprocess
from abut_runs import call, expect, near, python_with, run, scratch, write

PYTHON = python_with("h5py", "numpy")
BARS = """abut: 1
dim: DIM
time: {step: 1, steps: 1, integrator: quasi-static}
materials:
  a: {model: linear, young: 1.0e6, poisson: 0, density: 1000}
  b: {model: linear, young: 1.0e8, poisson: 0, density: 1000}
bodies:
  - {name: a, material: a, shape: {box: {size: SIZE, cells: COARSE}, order: ORDER}, translate: [0.5, 0, 0]}
  - {name: b, material: b, shape: {box: {size: SIZE, cells: FINE}}, translate: [1.5, 0, 0]}
motions:
  - {select: {body: a, box: [[-1, -9, -9], [1.0e-6, 9, 9]]}}
loads:
  - {select: {body: b, box: [[1.999, -9, -9], [3, 9, 9]]}, traction: [1000, 0, 0]}
ties:
  - {select: {body: b, box: [[0.9, -9, -9], [1.001, 9, 9]]}, to: {body: a, box: [[0.999, -9, -9], [1.1, 9, 9]]}}
solver: {tolerance: {relative: 1.0e-9}}
"""
LAYERS = """abut: 1
dim: DIM
time: {step: 1, steps: 1, integrator: quasi-static}
materials: {m: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
BODIES
motions:
  - {select: {box: [[-2, -9, -9], [-0.499999, 9, 9]]}}
loads:
  - {select: {box: [[0.499999, -9, -9], [2, 9, 9]]}, force: [0, FORCE, 0]}
REST
output: {fields: {every: 0}}
"""


def short(text, dim):
    """Vectors of a scene in 2D have two entries."""
    return text if dim == 3 else text.replace(", 0, 0]}", ", 0]}").replace(", 0], table", "], table").replace("[1000, 0, 0]", "[1000, 0]")


def bars(folder, dim, order, ranks):
    """Uniform stress through a tie of meshes that do not match, one of them 100 times as stiff; the elongation, by the energy."""
    size, coarse, fine = ("[1, 1]", "[4, 3]", "[5, 5]") if dim == 2 else ("[1, 0.5, 0.5]", "[4, 2, 2]", "[4, 3, 3]")
    text = BARS.replace("DIM", str(dim)).replace("SIZE", size).replace("COARSE", coarse).replace("FINE", fine).replace("ORDER", str(order))
    done = run(write(folder, "bars.yaml", short(text, dim)), os.path.join(folder, "bars"), ranks, "-overwrite")
    expect(done.code == 0 and "warning" not in done.output, done.output[-2000:])
    area = 1 if dim == 2 else 0.25
    wanted = 1000 ** 2 * area / 2 * (1e-6 + 1e-8)
    near(done.steps[-1]["energy_elastic_J"] / wanted, 1, 2e-4, f"{dim}D, order {order}, {ranks} ranks: energy of two bars")
    program = ("import h5py, numpy; s = h5py.File('bars/fields.h5')['steps/000001/cauchy'][:] / 1000; s[:, 0] -= 1; "
               "print(abs(s).max())")
    stress = float(subprocess.run([PYTHON, "-c", program], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout)
    near(stress, 0, 1e-4, f"{dim}D, order {order}: error of a uniform stress")


def torn(folder):
    """A soft surface is held, or motions move both surfaces apart: a warning tells that the tie opens."""
    text = BARS.replace("DIM", "2").replace("SIZE", "[1, 1]").replace("COARSE", "[4, 3]").replace("FINE", "[5, 5]").replace("ORDER", "1")
    held = "  - {select: {body: a, box: [[0.999, -9, -9], [1.1, 9, 9]]}}\nloads:"
    for more in ("", "  - {select: {body: b}, velocity: [0.001, 0]}\n"):
        done = run(write(folder, "torn.yaml", short(text, 2).replace("loads:", more + held)), os.path.join(folder, "torn"), 1, "-overwrite")
        expect(done.code == 0 and "ties hold" in done.output, done.output[-2000:])


def layers(folder, dim, ranks, *cuts):
    """Energy of a cantilever: one body, two layers tied along it, or two halves tied across it."""
    depth, cell, zero = (", 0.1", ", 1", ", 0") if dim == 3 else ("", "", "")
    beam = lambda name, x, y, size, cells: (f"  - {{name: {name}, material: m, shape: {{box: {{size: [{size}{depth}], "
                                            f"cells: [{cells}{cell}]}}, order: 2}}, translate: [{x}, {y}{zero}]}}")
    bodies, rest = [beam("a", 0, 0, "1, 0.1", "20, 2")], ""
    if cuts:
        along = cuts[0] == "along"
        bodies = ([beam("a", 0, -0.025, "1, 0.05", "20, 1"), beam("b", 0, 0.025, "1, 0.05", "24, 1")] if along else
                  [beam("a", -0.25, 0, "0.5, 0.1", "10, 2"), beam("b", 0.25, 0, "0.5, 0.1", "10, 3")])
        box = "box: [[-1, -1.0e-6, -9], [1, 1.0e-6, 9]]" if along else "box: [[-1.0e-6, -1, -9], [1.0e-6, 1, 9]]"
        rest = f"ties:\n  - {{select: {{body: b, {box}}}, to: {{body: a, {box}}}}}"
    text = LAYERS.replace("DIM", str(dim)).replace("BODIES", "\n".join(bodies)).replace("REST", rest)
    text = text.replace("FORCE", "-0.1" if dim == 3 else "-1").replace("force: [0, -1, 0]", "force: [0, -1]")
    done = run(write(folder, "layers.yaml", text), os.path.join(folder, "layers"), ranks, "-overwrite")
    expect(done.code == 0 and "warning" not in done.output, done.output[-2000:])
    return done.steps[-1]["energy_elastic_J"]


PLATES = """abut: 1
time: {step: 0.01, steps: STEPS, integrator: INTEGRATOR}
gravity: [0, 0, -10]
materials: {m: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: plate, material: m, shape: {box: {size: [1, 1, 0.2], cells: [4, 4, 1]}}}
  - {name: block, material: m, shape: {box: {size: [0.4, 0.4, 0.4], cells: [3, 3, 3]}}, translate: [0.1, 0, 0.3]}
obstacles:
  - {name: floor, plane: {point: [0, 0, -0.1005], normal: [0, 0, 1]}}
TIES
output: {fields: {every: 0}}
"""
TIE = "ties:\n  - {select: {body: block, box: [[-9, -9, -9], [9, 9, 0.101]]}, to: {body: plate, box: [[-9, -9, 0.099], [9, 9, 9]]}}"


def plates(ties, steps=4, integrator="implicit-euler"):
    return PLATES.replace("STEPS", str(steps)).replace("INTEGRATOR", integrator).replace("TIES", ties)


def touching(folder):
    """Bodies that touch are refused without a tie, and a tie that touches supports a quasi-static body; restart bit for bit."""
    path, out = os.path.join(folder, "plates.yaml"), os.path.join(folder, "plates")
    write(folder, "plates.yaml", plates(""))
    expect(run(path, out).code == 3, "bodies that touch are accepted")
    write(folder, "plates.yaml", plates(TIE, 1, "quasi-static"))
    done = run(path, out, 1, "-overwrite")
    expect(done.code == 0, done.output[-2000:])
    weight = 1000 * 10 * (0.2 + 0.064)
    near(done.table("motions.csv")[-1]["force_z_N"] / weight, 1, 0.006, "force of the floor over the weight")
    for ranks in (1, 3):
        write(folder, "plates.yaml", plates(TIE))
        whole = run(path, out, ranks, "-overwrite").steps
        run(path, out, ranks, "-overwrite", "-steps", "2")
        again = run(path, out, ranks, "-restart", os.path.join(out, "checkpoint.h5")).steps
        for column in ("energy_elastic_J", "energy_kinetic_J", "newton_iterations"):
            expect([row[column] for row in whole] == [row[column] for row in again], "restart changes", column)


def free(folder):
    """One of two tied bodies starts with a velocity: their momentum stays, and no warning says that motions open the tie."""
    text = plates(TIE, 20, "newmark").replace("-0.1005", "-9").replace("0, -10]", "0, 0]")
    text = text.replace("[0.1, 0, 0.3]", "[0.1, 0, 0.3], velocity: [0, 0, 1]")
    done = run(write(folder, "free.yaml", text), os.path.join(folder, "free"), 1, "-overwrite")
    expect(done.code == 0 and "ties hold" not in done.output, done.output[-2000:])
    near(done.steps[-1]["momentum_z"] / 64, 1, 1e-6, "momentum of tied bodies")


def untangling(folder):
    """Tied surfaces that touch stay where they are."""
    path = write(folder, "plates.yaml", plates(TIE).replace("-0.1005", "-0.11"))
    done = call(1, "deform", path, "-resolve", "-o", os.path.join(folder, "apart"), "-overwrite")
    expect(done.code == 0 and "nothing moved" in done.output, done.output[-2000:])


def refusals(folder):
    for old, new, message in (
            ("box: [[-9, -9, -9], [9, 9, 0.101]]", "relative: false, box: [[-9, -9, -9], [9, 9, 9]]", "the face with the vertices"),
            ("{body: block, box: [[-9, -9, -9], [9, 9, 0.101]]}, to: {body: plate, box: [[-9, -9, 0.099], [9, 9, 9]]}",
             "{body: plate, box: [[-9, -9, 0.099], [9, 9, 9]]}, to: {body: block, box: [[-9, -9, -9], [9, 9, 0.101]]}",
             "exchange `select` and `to`"),
            ("to: {body: plate, box: [[-9, -9, 0.099], [9, 9, 9]]}", "to: {body: block}", "is in both surfaces of the tie"),
            ("[9, 9, 0.101]", "[-0.09, 9, 0.101]", "`select` selects all vertices of no surface triangle"),
            ("to: {body: plate, box: [[-9, -9, 0.099]", "to: {body: plate, box: [[-9, 0.49, 0.099]",
             "`to` selects all vertices of no surface"),
            ("body: plate, box: [[-9, -9, 0.099]", "body: plain, box: [[-9, -9, 0.099]", "plain")):
        expect(old in plates(TIE), old)
        path = write(folder, "wrong.yaml", plates(TIE).replace(old, new))
        for ranks in (1, 3):
            done = call(ranks, "check", path)
            expect(done.code == 2 and message in done.output and done.output.count("abut:") == 1, message, done.output)
    done = call(1, "check", write(folder, "gap.yaml", plates(TIE).replace("[0.1, 0, 0.3]", "[0.1, 0, 0.305]").replace("0.101]", "0.106]")))
    expect(done.code == 0 and "have a gap" in done.output and "ties 16 vertices, 0.16 m^2, gap at most 0.005 m" in done.output, done.output)


with scratch() as folder:
    for dim, order, ranks in ((2, 1, 1), (2, 2, 3), (3, 1, 2), (3, 2, 4)):
        bars(folder, dim, order, ranks)
    for dim, ranks in ((2, 1), (3, 2)):
        whole = layers(folder, dim, ranks)
        for cut in ("along", "across"):
            # layers of one cell: the traces of both sides differ by the error of the mesh; with twice the cells 6e-5
            near(layers(folder, dim, ranks, cut) / whole, 1, 3e-3, f"{dim}D: energy of a beam tied {cut} over that of one body")
    torn(folder)
    touching(folder)
    free(folder)
    untangling(folder)
    refusals(folder)
print("ok")
