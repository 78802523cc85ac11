"""Results of scenes with linear and quadratic cells: the Python module, pictures and the continuation on other numbers of ranks."""
import os
import subprocess

from abut_runs import expect, near, python_with, run, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 4}
gravity: [0, -9.81, 0]
materials: {soft: {model: neo-hookean, young: 2.0e5, poisson: 0.35, density: 1000}}
bodies:
  - {name: block, material: soft, shape: {box: {size: [0.4, 0.2, 0.4], cells: [3, 1, 3]}}, translate: [0, 0.105, 0]}
  - {name: ball, material: soft, shape: {ball: {radius: 0.15, cells: 1}, order: 2}, translate: [0, 0.37, 0], velocity: [0, -1, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
output: {checkpoint: {every: 2}}
"""
PLANE = """abut: 1
dim: 2
time: {step: 0.01, steps: 2}
gravity: [0, -9.81]
materials: {soft: {model: neo-hookean, young: 2.0e5, poisson: 0.35, density: 1000}}
bodies:
  - {name: block, material: soft, shape: {box: {size: [0.4, 0.2], cells: [3, 2]}}, translate: [0, 0.105]}
  - {name: disc, material: soft, shape: {ball: {radius: 0.15, cells: 2}, order: 2}, translate: [0, 0.37], velocity: [0, -1]}
obstacles:
  - {name: floor, plane: {point: [0, 0], normal: [0, 1]}}
"""
CHECKS = """
import sys, types
import numpy as np
class Mesh:
    def __init__(self, points, cells, point_data, cell_data):
        self.points, self.cells, self.point_data, self.cell_data = points, cells, point_data, cell_data
try:
    import meshio
except ImportError:
    sys.modules["meshio"] = types.SimpleNamespace(Mesh=Mesh)
import abut_results
from contact_pressure import cell_measures
from cut import cut, plane
RUNS = [("solid", ("tetra", "tetra10"), 4 / 3 * np.pi * 0.15**3), ("plane", ("triangle", "triangle6"), np.pi * 0.15**2)]
for name, kinds, measure in RUNS:
    run = abut_results.Results(name)
    dim, nodes, rest = run.dim, run.cell_vertices(), run.nodes(run.mesh("rest"))
    (_, _, _, linear), (_, _, _, quadratic) = run.bodies()[:2]
    assert nodes.shape[1] == (10 if dim == 3 else 6) and np.array_equal(nodes[:, : dim + 1], run.mesh("cells"))
    assert (nodes[slice(*linear), dim + 1 :] == -1).all() and (nodes[slice(*quadratic)] >= 0).all()
    for k, (a, b) in enumerate(abut_results.EDGES[: nodes.shape[1] - dim - 1]):  # nodes are near the middles of their edges
        cells = nodes[slice(*quadratic)]
        off = np.linalg.norm(rest[cells[:, dim + 1 + k]] - (rest[cells[:, a]] + rest[cells[:, b]]) / 2, axis=1)
        assert (off < 0.3 * np.linalg.norm(rest[cells[:, a]] - rest[cells[:, b]], axis=1)).all(), off
    blocks = run.meshio("last").cells
    assert [getattr(block, "type", None) or block[0] for block in blocks] == list(kinds), blocks
    for name in ("position", "displacement", "velocity"):
        assert np.allclose(run.nodes(run.field(name)), run.field("node_" + name), rtol=1e-12, atol=1e-14), name
    on_edges = np.unique(nodes[slice(*quadratic), dim + 1 :])
    radii = np.linalg.norm(rest[on_edges] - np.array([0, 0.37, 0]), axis=1)
    assert np.isclose(radii.max(), 0.15, rtol=1e-12), radii.max()  # nodes of the surface are on the true surface
    stress = [len(rows) for rows in run.meshio("last").cell_data["von_mises"]]
    assert stress == [linear[1] - linear[0], quadratic[1] - quadratic[0]], stress
    measures, _ = cell_measures(run)
    pressures = -run.field("cauchy").reshape(-1, 3, 3).astype(float).trace(axis1=1, axis2=2) / 3
    cell, column = np.nonzero(nodes >= 0)
    sums = [np.bincount(nodes[cell, column], (measures * values)[cell], len(rest)) for values in (pressures, np.ones(len(measures)))]
    error = abs(run.field("pressure") - sums[0] / np.maximum(sums[1], 1e-300)).max()
    assert error < 1e-6 * abs(pressures).max(), error  # cauchy has single precision
    corners, run.cell_vertices = measures, lambda: nodes[:, : dim + 1]
    straight = cell_measures(run)[0]
    assert np.allclose(corners[slice(*linear)], straight[slice(*linear)])
    coarse, fine = (abs(each[slice(*quadratic)].sum() / measure - 1) for each in (straight, corners))
    assert fine < 0.25 * coarse, (name, coarse, fine)
    if dim == 3:  # the part that a cut leaves is closed, with a flat face
        x, half_space, body = run.mesh("rest"), plane("-z,0.037"), run.mesh("cells_body")
        part = cut(x, run.mesh("surface"), run.mesh("surface_body"), nodes, body, half_space)
        points, flat = part.extend(x), part.groups < 0
        assert np.allclose(part.extend(x @ [1, 2, 3]), points @ [1, 2, 3])
        assert (points[part.triangles] @ half_space[0] < half_space[1] + 1e-12).all()
        merged = np.unique(points.round(9), axis=0, return_inverse=True)[1].reshape(-1)[part.triangles]
        for each in (0, 1):
            mine = merged[part.bodies == each]
            mine = mine[(mine != np.roll(mine, 1, axis=1)).all(axis=1)]
            edges = np.sort(mine[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
            assert len(mine) > 20 and (np.unique(edges, axis=0, return_counts=True)[1] == 2).all(), each
        a, b, c = points[part.triangles[flat & (part.bodies == 0)]].transpose(1, 0, 2)
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
        assert np.isclose(area, 0.4 * 0.2) and np.allclose(points[part.triangles[flat]][..., 2], 0.037), area
"""


def python(modules, *words, folder):
    environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "postprocess"), PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")
    done = subprocess.run([python_with(*modules), *words], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, words, done.stdout)


def check_restart(folder, scene):
    """Equal bits on the same number of ranks; round-off, to the tolerance of the solver, on another one."""
    whole = run(scene, os.path.join(folder, "solid"), 2)
    expect(whole.code == 0, whole.output)
    expect(run(scene, os.path.join(folder, "half"), 2, "-steps", 2).code == 0, "half of the run")
    for ranks in (1, 2, 3, 4):
        again = run(scene, os.path.join(folder, f"again-{ranks}"), ranks, "-restart", os.path.join(folder, "half", "checkpoint.h5"))
        expect(again.code == 0 and [row["step"] for row in again.steps] == [3, 4], again.output)
        for row, wanted in zip(again.steps, whole.steps[2:]):
            for column in ("energy_kinetic_J", "energy_elastic_J", "momentum_y"):
                near(row[column], wanted[column], 0 if ranks == 2 else 1e-6 * abs(wanted[column]), column)
    other = write(folder, "other.yaml", SCENE.replace("order: 2", "order: 1"))
    refused = run(other, os.path.join(folder, "refused"), 1, "-restart", os.path.join(folder, "half", "checkpoint.h5"))
    expect(refused.code == 2 and "is of another mesh" in refused.output, refused.output)


with scratch() as top:
    check_restart(top, write(top, "solid.yaml", SCENE))
    expect(run(write(top, "plane.yaml", PLANE), os.path.join(top, "plane"), 3).code == 0, "the plane scene")
    python(("h5py", "numpy"), "-c", CHECKS, folder=top)
    for name, color in (("solid", "body"), ("plane", "von_mises")):
        picture = os.path.join(top, f"{name}.png")
        python(("h5py", "matplotlib", "numpy"), os.path.join(ROOT, "postprocess", "render.py"), name, "--steps", "last", "--width", "200",
               "--color", color, "-o", picture, *(["--cut", "x,0.02"] if name == "solid" else []), folder=top)
        expect(os.path.getsize(picture) > 1000, "no picture", picture)
print("ok")
