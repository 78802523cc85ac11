"""Symmetry planes by motions of single components: half a model equals the whole one, on ranks, with multigrid."""
import itertools
import os
from abut_runs import expect, near, run, scratch, write

SCENE = """abut: 1
dim: DIM
time: {step: 0.05, steps: 4, integrator: INTEGRATOR}
gravity: [0, -2, 0]
materials: {m: {young: 1.0e4, poisson: 0.3, density: 1000}}
bodies:
  - {name: b, material: m, shape: {file: NAME.msh, order: ORDER}}
obstacles:
  - {name: floor, plane: {point: [0, -0.005, 0], normal: [0, 1, 0]}}
motions:
  - {select: {body: b, box: [[-2, -1, -1], [2, 1.0e-6, 2]]}, components: [y]}
  - {select: {body: b, box: [[-1.0e-6, -1, -1], [1.0e-6, 2, 2]]}, components: [x]}
  - {select: {body: b, box: [[-2, 0.999, -1], [2, 2, 2]]}, components: [y], displacement: [0, 0.3, 0], table: [[0, 0], [0.2, 1]]}
REST
loads:
  - {select: {body: b, box: [[-0.001, 0.499, -1], [2, 0.751, 2]]}, acceleration: [30, 0, 0]}
MIRROR
solver: {tolerance: {relative: 1.0e-7}}
output: {fields: {every: 0}}
"""


def mesh(dim, low):
    """A cube of simplices whose diagonals are mirrored at x = 0, in Gmsh's format."""
    xs, ys = [i / 2 for i in range(low, 3)], [i / 4 for i in range(5)]
    zs = [0] if dim == 2 else [i / 2 for i in range(3)]
    number = {p: i for i, p in enumerate(itertools.product(range(low, 3), range(5), range(len(zs))))}
    cells = []
    for corner in itertools.product(range(low, 2), range(4), *([range(2)] if dim == 3 else [])):
        mirrored = corner[0] < 0
        for order in itertools.permutations(range(dim)):
            at = [corner[0] + mirrored, *corner[1:]]
            cell = [number[(*at, 0)[:3] if dim == 2 else tuple(at)]]
            for axis in order:
                at[axis] += -1 if mirrored and axis == 0 else 1
                cell.append(number[(*at, 0)[:3] if dim == 2 else tuple(at)])
            odd = (sum(order[i] > order[k] for k in range(dim) for i in range(k)) + mirrored) % 2
            cells.append([cell[1], cell[0], *cell[2:]] if odd else cell)
    lines = ["$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes", str(len(number))]
    lines += [f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(itertools.product(xs, ys, zs))]
    lines += ["$EndNodes\n$Elements", str(len(cells))]
    lines += [f"{i + 1} {4 if dim == 3 else 2} 0 {' '.join(str(v + 1) for v in c)}" for i, c in enumerate(cells)] + ["$EndElements\n"]
    return "\n".join(lines)


def scene(folder, dim, order, integrator, whole):
    name = "whole" if whole else "half"
    write(folder, name + ".msh", mesh(dim, -2 if whole else 0))
    depth = "  - {select: {body: b, box: [[-2, -1, -1], [2, 2, 1.0e-6]]}, components: [z]}" if dim == 3 else ""
    mirror = "  - {select: {body: b, box: [[-2, 0.499, -1], [0.001, 0.751, 2]]}, acceleration: [-30, 0, 0]}" if whole else ""
    text = SCENE.replace("DIM", str(dim)).replace("NAME", name).replace("ORDER", str(order)).replace("INTEGRATOR", integrator)
    return write(folder, name + ".yaml", text.replace("REST", depth).replace("MIRROR", mirror))


def energy(folder, path, ranks=1, *options):
    done = run(path, os.path.join(folder, "out"), ranks, *(options or ("-overwrite",)))
    expect(done.code == 0, path, done.output[-2000:])
    expect(done.output.count("warning") == done.output.count("are coarse"), done.output[-2000:])
    return done.steps[-1]["energy_elastic_J"], done.steps[-1]["energy_kinetic_J"]


with scratch() as folder:
    for dim, order, integrator in itertools.product((2, 3), (1, 2), ("quasi-static", "newmark")):
        half, whole = (energy(folder, scene(folder, dim, order, integrator, w)) for w in (False, True))
        for i, kind in enumerate(("elastic", "kinetic")):
            near(2 * half[i], whole[i], 1e-7 * (1 + whole[i]), f"{dim}D, order {order}, {integrator}: {kind} energy, twice")
    half = scene(folder, 3, 2, "newmark", False)
    one = energy(folder, half)
    for options in ((2, "-overwrite"), (3, "-overwrite"), (1, "-overwrite", "-abut_linear", "multigrid")):
        several = energy(folder, half, *options)
        for i in range(2):
            near(several[i] / one[i], 1, 1e-7, f"energy with {options}")
