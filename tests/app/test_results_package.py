"""`pip install ./postprocess` works in a virtual environment; meshes for meshio equal the files of the run, in 2D and 3D."""
import os
import shutil
import subprocess

from abut_runs import ENVIRONMENT, call, expect, python_with, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKS = """
import os, sys, types
import meshio
import numpy as np
import abut_results
assert abut_results.__file__.startswith(sys.prefix), abut_results.__file__
try:
    import pyvista
except ImportError:  # the conversion is PyVista's own
    sys.modules["pyvista"] = types.SimpleNamespace(from_meshio=lambda mesh: types.SimpleNamespace(points=mesh.points))
for name, kind, corners in (("drop", "tetra", 4), ("stack2d", "triangle", 3)):
    run = abut_results.Results(name)
    path = name + ".vtu"
    run.meshio("last").write(path)
    mesh = meshio.read(path)
    assert [block.type for block in mesh.cells] == [kind], mesh
    assert np.array_equal(mesh.cells[0].data, run.mesh("cells")) and mesh.cells[0].data.shape[1] == corners
    assert np.array_equal(mesh.points, run.positions("last"))
    assert np.array_equal(mesh.point_data["velocity"], run.field("velocity"))
    assert np.array_equal(mesh.cell_data["von_mises"][0], run.field("von_mises"))
    assert np.array_equal(mesh.cell_data["body"][0], run.mesh("cells_body"))
    assert np.array_equal(run.pyvista("last").points, run.positions("last"))
"""


def succeed(command, folder):
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, command, done.stdout)


python = python_with("ensurepip", "setuptools", "wheel", "h5py", "meshio", "numpy")
with scratch() as folder:
    source, venv = os.path.join(folder, "postprocess"), os.path.join(folder, "venv")
    shutil.copytree(os.path.join(ROOT, "postprocess"), source, ignore=shutil.ignore_patterns("__pycache__"))  # pip writes into it
    succeed([python, "-m", "venv", "--system-site-packages", venv], folder)
    inside = os.path.join(venv, "bin", "python")
    succeed([inside, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", source], folder)  # nothing is downloaded
    for scene in ("drop", "stack2d"):
        done = call(2, "run", os.path.join(ROOT, "inputs", scene + ".yaml"), "-o", os.path.join(folder, scene), "-steps", "3")
        expect(done.code == 0, done.output)
    succeed([inside, "-c", CHECKS], folder)
print("ok")
