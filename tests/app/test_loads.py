"""A resultant force acts as a traction on faces and as an acceleration on volumes: graded meshes, 2D and 3D, on 1 to 3 ranks."""
import itertools
import os
from abut_runs import expect, near, run, scratch, simplices, write

EDGES = [0, 0.1, 0.25, 0.55, 1]  # of the graded mesh
SCENE = """abut: 1
dim: DIM
time: {step: 1, steps: 1, integrator: quasi-static}
materials: {m: {model: linear, young: 1.0e6, poisson: 0.2, density: 1000}}
bodies:
  - {name: b, material: m, shape: {file: graded.msh}}
motions:
  - {select: {body: b, box: [[-1, -1, -1], [2, 1.0e-6, 2]]}}
loads:
  - {select: {body: b, SELECT}, LOAD}
output: {fields: {every: 0}}
"""


def graded(dim, edges):
    """A graded cube of simplices, each brick divided along its diagonal, in Gmsh's format; and its points by vertex number."""
    points = list(itertools.product(*edges, [0])) if dim == 2 else list(itertools.product(*edges))
    cells = simplices(edges)
    lines = ["$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes", str(len(points))]
    lines += [f"{i + 1} {p[0]} {p[1]} {p[2]}" for i, p in enumerate(points)] + ["$EndNodes\n$Elements", str(len(cells))]
    lines += [f"{i + 1} {4 if dim == 3 else 2} 0 {' '.join(str(v + 1) for v in c)}" for i, c in enumerate(cells)] + ["$EndElements\n"]
    return "\n".join(lines), points


def energy(folder, dim, select, load, ranks):
    text = SCENE.replace("DIM", str(dim)).replace("SELECT", select).replace("LOAD", load)
    done = run(write(folder, "scene.yaml", text), os.path.join(folder, "out"), ranks, "-overwrite")
    expect(done.code == 0, load, ranks, "ranks:", done.output[-2000:])
    return done.steps[-1]["energy_elastic_J"]


def same(folder, dim, select, force, other, *ranks):
    """Both loads have the same elastic energy, but for round-off."""
    expected = energy(folder, dim, select, other, 1)
    for num in ranks:
        near(energy(folder, dim, select, f"force: {force}", num) / expected, 1, 1e-9, f"{dim}D: force {force} beside {other}, {num} ranks")


HINGED = """abut: 1
dim: 2
time: {step: 0.01, steps: 20, integrator: INTEGRATOR}
materials: {m: {young: 1.0e6, poisson: 0.3, density: 0.01, damping: {stiffness: 1}}}
bodies:
  - {name: b, material: m, shape: {box: {size: [10, 1], cells: [10, 1]}}}
motions:
  - {select: {body: b, box: [[-6, -1], [-4.999, 1]]}}
loads:
  - {select: {body: b, box: [[4.999, -1], [6, 1]]}, force: [0, -1]}
output: {fields: {every: 0}}
"""


def energies(folder):
    """A light beam that stiffness-proportional damping holds back creeps alike with every integrator."""
    found = []
    for integrator in ("implicit-euler", "bdf2", "newmark"):
        scene = write(folder, f"{integrator}.yaml", HINGED.replace("INTEGRATOR", integrator))
        found.append(float(run(scene, os.path.join(folder, integrator)).steps[-1]["energy_elastic_J"]))
    expect(all(abs(energy / found[0] - 1) < 0.02 for energy in found), "elastic energy", found)


PRESS = """abut: 1
dim: 2
time: {step: 0.004, steps: 12, integrator: INTEGRATOR}
gravity: [0, -10]
materials: {m: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: b, material: m, shape: {box: {size: [1, 1], cells: [3, 3]}}, translate: [0, 0.51]}
obstacles:
  - {name: press, plane: {point: [0, 1.02], normal: [0, -1]}}
  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}
loads:
  - {plane: press, force: [0, -5000], mass: 500}
output: {fields: {every: 0}}
"""


def press(folder):
    """A press with mass falls on a block: restart bit for bit, equal on ranks; refusals."""
    for integrator in ("implicit-euler", "bdf2", "newmark", "contact-implicit-newmark"):
        scene, out = write(folder, "press.yaml", PRESS.replace("INTEGRATOR", integrator)), os.path.join(folder, "press")
        whole = run(scene, out, 1, "-overwrite").table("motions.csv")
        expect(any(row["name"] == "press" and row["force_y_N"] < -1000 for row in whole), integrator, "the press does not touch the block")
        run(scene, out, 1, "-overwrite", "-steps", "7")
        again = run(scene, out, 1, "-restart", os.path.join(out, "checkpoint.h5")).table("motions.csv")
        expect(whole == again, integrator, "restart differs")
        ranks = run(scene, out, 3, "-overwrite").table("motions.csv")
        for one, three in zip(whole, ranks):
            near(three["travel_y_m"], one["travel_y_m"], 1e-7, f"{integrator}: travel on 3 ranks")
    for old, new, message in (("mass: 500", "mass: -1", "loads[0].mass"), ("{plane: press", "{select: {}", "mass"),
                              ("mass: 500", "mass: 0, table: [[0, -1], [1, 1]]", "would pull plane 'press'")):
        done = run(write(folder, "press.yaml", PRESS.replace("INTEGRATOR", "newmark").replace(old, new)), os.path.join(folder, "no"))
        expect(done.code == 2 and message in done.output, message, done.output)


with scratch() as folder:
    press(folder)
    energies(folder)
    top, whole = "box: [[-1, 0.999, -1], [2, 2, 2]]", "box: [[-1, -1, -1], [2, 2, 2]]"
    for dim in (2, 3):
        vector = "[300, -1000, 0]"
        text, points = graded(dim, [EDGES] * dim)
        write(folder, "graded.msh", text)
        same(folder, dim, top, vector, f"traction: {vector}", 1, 2, 3)
        same(folder, dim, whole, vector, "acceleration: [0.3, -1, 0]", 2)
        # two faces that meet: some cells have all their vertices on them
        ids = [i for i, p in enumerate(points) if 1 in p[:2]]
        same(folder, dim, f"ids: {ids}", "[600, -2000, 0]", f"traction: {vector}", 2)
        # a layer of cells is a volume, although all its vertices are on the surface
        write(folder, "graded.msh", graded(dim, [EDGES, [0, 0.3]] + [EDGES] * (dim - 2))[0])
        same(folder, dim, whole, vector, f"acceleration: [1, {-1 / 0.3}, 0]", 1)
print("ok")
