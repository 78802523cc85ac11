"""jobs/sqp_baseline.py: derivatives by finite differences, quadratic programs by enumeration, closest points by sampling, and a scene: a
tetrahedron comes to rest at the offset."""
import importlib.util
import itertools
import json
import os
import subprocess
import sys
from abut_runs import ABUT, ENVIRONMENT, expect, near, python_with, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(ROOT, "jobs"), os.path.join(ROOT, "postprocess")]
MODULES = ["numpy", "scipy", "yaml", "h5py"]
if any(importlib.util.find_spec(name) is None for name in MODULES):
    sys.exit(subprocess.run([python_with(*MODULES), "-B", __file__], check=False).returncode)
import numpy as np  # noqa: E402
import sqp_method  # noqa: E402

FALL = """energy NH
time 1 0.01
density 1000
stiffness 1e5 0.4
shapes input 1
{root}/inputs/ipc2020/meshes/tet.msh 0 0.03 0  0 0 0  1 1 1
meshCO {scenes}/floor.obj 0 0 0 4 0 0
selfCollisionOn
"""
FLOOR = "v -2 0 -2\nv 2 0 -2\nv 2 0 2\nv -2 0 2\nf 1 3 2\nf 1 4 3\n"
random = np.random.default_rng(3)


def check_derivatives():
    rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    for neo_hookean in (True, False):
        cell = sqp_method.Elasticity(rest, np.array([[0, 1, 2, 3]]), np.array([1.0]), np.array([0.3]), np.array([neo_hookean]))
        x = 1.2 * rest + 0.05 * random.random((4, 3))  # stretched: the projection changes nothing
        found = np.zeros((12, 12))
        for k in range(12):
            step = np.zeros(12)
            step[k] = 1e-6
            found[k] = (cell.derivatives(x + step.reshape(4, 3))[0] - cell.derivatives(x - step.reshape(4, 3))[0]).ravel() / 2e-6
        near(np.abs(found - cell.derivatives(x)[1]).max(), 0, 1e-8, "Hessian")
        near(np.abs(cell.derivatives(rest)[0]).max(), 0, 1e-14, "stress at rest")


def by_enumeration(hessian, gradient, rows, bounds):
    """The minimum among all choices of constraints that hold with equality."""
    best = None
    for size in range(len(rows) + 1):
        for chosen in map(list, itertools.combinations(range(len(rows)), size)):
            system = np.block([[hessian, -rows[chosen].T], [rows[chosen], np.zeros((size, size))]])
            move = np.linalg.lstsq(system, np.concatenate([-gradient, bounds[chosen]]), rcond=None)[0][: len(gradient)]
            value = move @ hessian @ move / 2 + gradient @ move
            if (rows @ move >= bounds - 1e-9).all() and (best is None or value < best[0]):
                best = value, move
    return best[1]


def check_programs():
    for _ in range(20):
        root = random.random((4, 4))
        hessian, gradient = root @ root.T + 0.1 * np.eye(4), random.random(4) - 0.5
        rows, bounds = random.random((6, 4)) - 0.3, random.random(6)
        difference = sqp_method.quadratic_program(hessian, gradient, rows, bounds) - by_enumeration(hessian, gradient, rows, bounds)
        near(np.abs(difference).max(), 0, 1e-6, "quadratic program")
    try:
        sqp_method.quadratic_program(np.eye(2), np.zeros(2), np.array([[1.0, 0], [-1.0, 0]]), np.array([1.0, 1.0]))
        expect(False, "a program without a solution has one")
    except sqp_method.StepError:
        pass


def check_closest():
    grid = np.linspace(0, 1, 101)
    s, t = (values.ravel() for values in np.meshgrid(grid, grid))
    for kind in (0, 1):
        for _ in range(20):
            x = random.random((4, 3))
            if kind == 0:
                inside = s + t <= 1
                sample = x[0] - x[1] - np.outer(s[inside], x[2] - x[1]) - np.outer(t[inside], x[3] - x[1])
            else:
                sample = x[0] + np.outer(s, x[1] - x[0]) - x[2] - np.outer(t, x[3] - x[2])
            distance = np.linalg.norm(sqp_method.closest(x, np.arange(4)[None], kind)[0] @ x)
            near(np.linalg.norm(sample, axis=1).min(), distance, 2e-2, "closest points")
            expect(np.linalg.norm(sample, axis=1).min() >= distance - 1e-12, "a sample is closer")
    start = np.array([[0.2, 0.2, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0.0]])
    for end, meets in ((-1.0, True), (0.1, False)):
        moved = start.copy()
        moved[0, 2] = end
        expect(sqp_method.crosses(start, moved, 0) == meets, "a point that moves to", end, "crosses:", not meets)


def rows_of(folder):
    """Rows of a run with a floor at height 0."""
    scenes = os.path.join(folder, "scenes")
    os.mkdir(scenes)
    write(scenes, "floor.obj", FLOOR)
    write(scenes, "fall.txt", FALL.format(root=ROOT, scenes=scenes))
    out = os.path.join(folder, "out")
    done = subprocess.run([sys.executable, os.path.join(ROOT, "jobs", "sqp_baseline.py"), "--scenes", scenes, "--dt", "1e-2", "1e-3",
                           "--offsets", "1e-2", "--steps", "10", "-o", out, "--abut", ABUT], env=ENVIRONMENT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, done.stdout)
    with open(os.path.join(out, "fall", "offset0.01-steps10-h0.01-0.001.json")) as file:
        return json.load(file)


check_derivatives()
check_programs()
check_closest()
with scratch() as folder:
    for row in rows_of(folder):
        expect(row["end"] == "done" and row["steps"] == 10, row)
    problem = sqp_method.Problem(os.path.join(folder, "out", "fall"), "converted.yaml")
    state = problem.start
    for _ in range(40):
        state, _, _ = problem.step(state.copy(), 0.01, 0.01)
    near(state.position[~problem.fixed, 1].min(), 0.01, 1e-4, "height at rest")
print("ok")
