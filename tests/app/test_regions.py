"""Regions of other materials in a mesh file: bars in series, all formats, ranks, restart, untangled bodies, refusals."""
import itertools
import json
import os
import re
import subprocess
from abut_runs import call, content, expect, near, python_with, run, scratch, simplices, write

EDGES = [0, 0.3, 0.5, 1]  # of the mesh, along x; the hard part begins at 0.5
SOFT, HARD, TRACTION = 1e6, 4e6, 1000
SCENE = """abut: 1
dim: DIM
time: {step: 1, steps: STEPS, integrator: quasi-static}
materials:
  soft: {model: SOFTMODEL, young: 1.0e6, poisson: 0, density: 1000}
  hard: {model: linear, young: 4.0e6, poisson: 0, density: 3000}
bodies:
  - {name: b, material: soft, shape: {file: FILE, order: ORDER}, regions: [{group: right, material: hard}]}
motions:
  - {select: {body: b, box: [[-1, -1, -1], [1.0e-6, 2, 2]]}}
loads:
  - {select: {body: b, box: [[0.999, -1, -1], [2, 2, 2]]}, traction: [1000, 0, 0], table: [[0, 0], [STEPS, 1]]}
output: {fields: {every: 0}}
"""


def cube(dim, right):
    """Points and cells of a cube of simplices, and whether the centre of each cell is in the region `right`."""
    edges = [EDGES] + [[0, 0.5, 1]] * (dim - 1)
    points = list(itertools.product(*edges))
    cells = simplices(edges)
    centre = [[sum(points[v][d] for v in c) / (dim + 1) for d in range(dim)] for c in cells]
    return [[*p, 0][:3] for p in points], cells, [right(c) for c in centre]


def msh(dim, right=lambda c: c[0] > 0.5):
    points, cells, inside = cube(dim, right)
    kind = 4 if dim == 3 else 2
    lines = [f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n{dim} 1 \"left\"\n{dim} 2 \"right\"\n$EndPhysicalNames\n$Nodes"]
    lines += [str(len(points))] + [f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(points)] + ["$EndNodes\n$Elements", str(len(cells))]
    lines += [f"{i + 1} {kind} 2 {1 + r} {1 + r} {' '.join(str(v + 1) for v in c)}" for i, (c, r) in enumerate(zip(cells, inside))]
    return "\n".join(lines + ["$EndElements\n"])


def msh4(dim):
    points, cells, inside = cube(dim, lambda c: c[0] > 0.5)
    kind, box = 4 if dim == 3 else 2, "0 0 0 1 1 1"
    counts = "0 0 0 2" if dim == 3 else "0 0 2 0"
    lines = [f"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n{dim} 7 \"right\"\n$EndPhysicalNames\n$Entities\n{counts}"]
    lines += [f"1 {box} 0 0", f"2 {box} 1 7 0", "$EndEntities\n$Nodes", f"1 {len(points)} 1 {len(points)}", f"{dim} 1 0 {len(points)}"]
    lines += [str(i + 1) for i in range(len(points))] + [f"{x} {y} {z}" for x, y, z in points]
    lines += ["$EndNodes\n$Elements", f"2 {len(cells)} 1 {len(cells)}"]
    for part in (0, 1):
        chosen = [i for i, r in enumerate(inside) if r == part]
        lines += [f"{dim} {1 + part} {kind} {len(chosen)}"] + [f"{i + 1} {' '.join(str(v + 1) for v in cells[i])}" for i in chosen]
    return "\n".join(lines + ["$EndElements\n"])


def hdf5(folder, dim):
    points, cells, inside = cube(dim, lambda c: c[0] > 0.5)
    program = f"""import h5py
with h5py.File("b.h5", "w") as f:
    f["vertices"], f["cells"] = {points}, {cells}
    f["cell_groups/right"] = {[i for i, r in enumerate(inside) if r]}"""
    subprocess.run([python_with("h5py"), "-c", program], cwd=folder, check=True)


GEO = """Point(1) = {0, 0, 0, 0.5}; Point(2) = {0.5, 0, 0, 0.5}; Point(3) = {1, 0, 0, 0.5};
Point(4) = {1, 1, 0, 0.5}; Point(5) = {0.5, 1, 0, 0.5}; Point(6) = {0, 1, 0, 0.5};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1}; Line(7) = {2, 5};
Curve Loop(1) = {1, 7, 5, 6}; Curve Loop(2) = {2, 3, 4, -7}; Plane Surface(1) = {1}; Plane Surface(2) = {2};
Physical Surface("left") = {1}; Physical Surface("right") = {2};
"""


def text(dim, name, order=1, steps=1, model="linear"):
    return (SCENE.replace("DIM", str(dim)).replace("FILE", name).replace("ORDER", str(order)).replace("STEPS", str(steps))
            .replace("SOFTMODEL", model))


def energy(folder, scene, ranks=1, *options):
    done = run(write(folder, "scene.yaml", scene), os.path.join(folder, "out"), ranks, *(options or ("-overwrite",)))
    expect(done.code == 0 and "warning" not in done.output, done.output[-2000:])
    return done.steps[-1]["energy_elastic_J"]


def series(folder):
    """Stiffness of two bars in series, exactly, from each format."""
    wanted = TRACTION ** 2 / 2 * (0.5 / SOFT + 0.5 / HARD)
    for dim in (2, 3):
        write(folder, "b.msh", msh(dim))
        write(folder, "four.msh", msh4(dim))
        hdf5(folder, dim)
        for name, order, ranks in (("b.msh", 1, 1), ("b.msh", 2, 3), ("four.msh", 1, 2), ("b.h5", 1, 4), ("b.h5", 2, 1)):
            near(energy(folder, text(dim, name, order), ranks) / wanted, 1, 1e-8, f"{dim}D, {name}, order {order}, {ranks} ranks: energy")
    write(folder, "b.geo", GEO)
    if "needs libgmsh" not in call(1, "check", write(folder, "scene.yaml", text(2, "b.geo"))).output:
        for order in (1, 2):
            near(energy(folder, text(2, "b.geo", order), order) / wanted, 1, 1e-8, f"order {order}, geometry: energy")


def layers(folder):
    """A strain that is uniform in two layers has stresses that differ, without an error of the mesh."""
    pulled = "  - {select: {body: b, box: [[0.999, -1, -1], [2, 2, 2]]}, velocity: [1.0e-3, 0, 0]}\nloads: []\noutput:"
    for order in (1, 2):
        write(folder, "b.msh", msh(3, lambda c: c[1] > 0.5))
        scene = text(3, "b.msh", order)
        energy(folder, scene[:scene.index("loads:")] + pulled + scene[scene.index("output:") + 7:], 2)
        with open(os.path.join(folder, "out", "summary.json"), encoding="utf-8") as file:
            error = json.load(file)["mesh_error"]
        expect(error < 1e-12, "order", order, "error of the mesh", error)


def restart(folder):
    """Rubber and a linear material: a run that stops and continues, bit for bit."""
    write(folder, "b.msh", msh(3))
    scene = text(3, "b.msh", 2, 4, "neo-hookean")
    whole = energy(folder, scene, 2)
    energy(folder, scene, 2, "-overwrite", "-steps", "2")
    expect(energy(folder, scene, 2, "-restart", os.path.join(folder, "out", "checkpoint.h5")) == whole, "restart differs")


REGIONS = """import h5py
mesh = h5py.File("out/fields.h5")["mesh"]
wanted = {wanted}
assert list(mesh["cells_region"]) == wanted, list(mesh["cells_region"])
with h5py.File("out/fields.vtkhdf") as f:
    found = list(f["VTKHDF/CellData/region"])
assert found == wanted + [-1] * len(mesh["obstacle_triangles"]) and len(found) > len(wanted), found
"""


def fields(folder):
    """Regions of the cells in fields.h5 and its indices, beside a body without regions and an obstacle; after a restart, too."""
    write(folder, "b.msh", msh(3))
    more = """  - {name: a, material: soft, shape: {box: {size: 1, cells: 1}}, translate: [9, 0, 0]}
obstacles:
  - {name: o, shape: {box: {size: 1, cells: 1}}, translate: [5, 0, 0]}
motions:
  - {select: {body: a}}
"""
    scene = text(3, "b.msh", steps=2).replace("motions:\n", more).replace("every: 0", "every: 1")
    wanted = [0 if r else -1 for r in cube(3, lambda c: c[0] > 0.5)[2]] + [-1] * 5
    restarted = "-restart", os.path.join(folder, "out", "checkpoint.h5")
    for ranks, levels, options in ((1, 3, ()), (3, 2, ("-overwrite", "-steps", "1")), (2, 3, restarted)):
        energy(folder, scene, ranks, *options)
        program = [python_with("h5py"), "-c", REGIONS.format(wanted=wanted)]
        done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, ranks, done.stderr)
        expect(content(os.path.join(folder, "out"))["fields.xdmf"].count(b'Name="region"') == levels, ranks, "levels in the index")


def check(folder, scene):
    return re.findall(r"region '(\w+)' of '(\w+)': material '(\w+)', (\d+) cells, mass ([\d.]+) kg", call(1, "check", scene).output)


def corners(folder):
    """Cells in the corners of an interface, all of whose vertices are in both groups; kept by abut deform -resolve."""
    in_block = lambda c: max(c) < 0.5
    _, cells, inside = cube(3, in_block)
    write(folder, "b.msh", msh(3, in_block))
    other = "  - {name: other, material: soft, shape: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, translate: [1.49, 0.5, 0.5]}\nmotions:"
    scene = text(3, "b.msh").replace("motions:", other).replace("box: [[0.999", "group: left, box: [[0.7")
    path = write(folder, "scene.yaml", scene)
    done = call(1, "deform", path, "-resolve", "-o", os.path.join(folder, "apart"), "-overwrite")
    expect(done.code == 0, done.output[-2000:])
    found = check(folder, os.path.join(folder, "apart", "scene.yaml"))
    expect([f[:4] for f in found] == [("right", "b", "hard", str(sum(inside)))], found)
    near(float(found[0][4]), 3000 * 0.125, 1, "mass of the region")


def refusals(folder):
    write(folder, "b.msh", msh(2))
    scene = text(2, "b.msh")
    for old, new, message in (
            ("group: right,", "group: rihgt,", "b.msh has no cells of the physical group 'rihgt', which is a region"),
            ("regions: [", "regions: [{group: left, material: hard}, {group: left, material: soft}, ", "is in the regions"),
            ("material: hard}]", "material: steel}]", "regions[0].material"),
            ("shape: {file: b.msh, order: 1}", "shape: {box: {size: [1, 1], cells: [2, 2]}}", "only bodies from a mesh file")):
        path = write(folder, "wrong.yaml", scene.replace(old, new))
        for ranks in (1, 2):
            done = call(ranks, "check", path)
            expect(done.code == 2 and message in done.output and done.output.count("abut:") == 1, message, done.output)


with scratch() as folder:
    series(folder)
    layers(folder)
    restart(folder)
    fields(folder)
    corners(folder)
    refusals(folder)
print("ok")
