"""fields.vtkhdf and surface.vtkhdf keep to their format and have the numbers of fields.h5: mixed orders, obstacles, restarts, kills."""
import os
import signal
import subprocess

from abut_runs import expect, python_with, run, run_and_signal, scratch, write

SCENE = """abut: 1
dim: DIM
time: {step: 0.01, steps: 200}
gravity: [0, -9.81 ZERO]
materials: {rubber: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: one, material: rubber, shape: {box: {size: [0.4, 0.2 SIDE], cells: [2, 1 TWO]}}, translate: [0, 0.302 ZERO]}
  - {name: two, material: rubber, shape: {box: {size: [0.2, 0.2 SIDE], cells: [2, 2 TWO]}, order: 2}, translate: [0, 0.504 ZERO]}
obstacles:
  - {name: table, shape: {box: {size: [1, 0.2 WIDE], cells: 1}}, translate: [0, 0.1 ZERO]}
  - {name: floor, plane: {point: [0, -1 ZERO], normal: [0, 1 ZERO]}}
output: {fields: {every: 1, stress: true, surface: true}}
"""
# The specification: https://docs.vtk.org, "VTKHDF format specification", version 2.0. Nodes of the types of cells.
CHECK = """
import sys
import h5py
import numpy as np
folder, levels = sys.argv[1], int(sys.argv[2])
NODES = {1: 1, 3: 2, 5: 3, 10: 4, 22: 6, 24: 10}
own = h5py.File(folder + "/fields.h5", "r")
steps = [own["steps"][name] for name in sorted(own["steps"])]
mesh = own["mesh"]


def check(name, points, types, surface):
    root = h5py.File(f"{folder}/{name}.vtkhdf", "r")["VTKHDF"]
    assert root.attrs["Type"] == b"UnstructuredGrid" and list(root.attrs["Version"]) == [2, 0]
    count, cells, nodes = (int(root["NumberOf" + what][0]) for what in ("Points", "Cells", "ConnectivityIds"))
    assert all(root["NumberOf" + what].shape == (1,) for what in ("Points", "Cells", "ConnectivityIds"))
    offsets, kinds, connectivity = (root[what][:] for what in ("Offsets", "Types", "Connectivity"))
    assert offsets.shape == (cells + 1,) and kinds.shape == (cells,) and kinds.dtype == np.uint8 and connectivity.shape == (nodes,)
    assert offsets.dtype == connectivity.dtype == np.int64  # VTK shows no cells if they differ
    assert offsets[0] == 0 and offsets[-1] == nodes and (np.diff(offsets) == [NODES[kind] for kind in kinds]).all()
    assert connectivity.min() >= 0 and connectivity.max() < count and set(kinds) == types, set(kinds)
    times = root["Steps"]
    n = int(times.attrs["NSteps"])
    assert 1 <= n <= len(steps) and (n == levels or not levels), (n, len(steps))
    assert (times["Values"][:] == [step.attrs["time"] for step in steps[:n]]).all()
    for what in ("PartOffsets", "CellOffsets", "ConnectivityIdOffsets"):
        assert (times[what][:] == np.zeros(n)).all(), what
    assert (times["NumberOfParts"][:] == 1).all() and (times["PointOffsets"][:] == count * np.arange(n)).all()
    assert root["Points"].shape == (n * count, 3)
    for k in range(n):
        assert (root["Points"][k * count:(k + 1) * count] == steps[k][points][:]).all(), (k, points)
    for place, rows in (("PointData", count), ("CellData", cells)):
        assert set(root[place]) == set(times[place + "Offsets"])
        for field, values in root[place].items():
            at = times[place + "Offsets"][field][:]
            if field == "body":
                assert (at == 0).all() and len(values) == rows
                continue
            assert (at == rows * np.arange(n)).all() and len(values) == n * rows, field
            for k in range(n):
                source = steps[k][field if "node_" + field not in steps[k] or surface else "node_" + field][:]
                part = values[k * rows:(k + 1) * rows]
                assert (part[:len(source)] == source).all() and np.isnan(part[len(source):]).all(), (field, k)
    return root, offsets, connectivity, kinds


three = mesh["rest"][:, 2].any()
root, offsets, connectivity, kinds = check("fields", "node_position", {5, 10, 24} if three else {3, 5, 22}, False)
assert {"displacement", "velocity", "contact_force"} <= set(root["PointData"]) and {"cauchy", "von_mises"} <= set(root["CellData"])
corners, middles = mesh["cells"][:], mesh["cells_middles"][:]
for c in range(len(corners)):
    expected = list(corners[c]) + [v for v in middles[c] if v >= 0]
    assert list(connectivity[offsets[c]:offsets[c + 1]]) == expected, c
obstacle = mesh["obstacle_triangles" if three else "obstacle_segments"][:]
assert (connectivity[offsets[len(corners)]:] == obstacle.ravel()).all()
assert (root["CellData/body"][:len(corners)] == mesh["cells_body"][:]).all()
root, offsets, connectivity, kinds = check("surface", "surface_position", {5} if three else {3}, True)
assert (connectivity == mesh["contact_surface"][:].ravel()).all() and "contact_pressure" in root["PointData"]
"""


def scene_of(dim):
    extra = {"DIM": str(dim), "ZERO": ", 0", "SIDE": ", 0.2", "TWO": ", 1", "WIDE": ", 1"} if dim == 3 else \
        {"DIM": "2", "ZERO": "", "SIDE": "", "TWO": "", "WIDE": ""}
    text = SCENE
    for word, value in extra.items():
        text = text.replace(" " + word if value == "" else word, value)
    return text


def check(python, folder, levels):
    """From another folder, as a viewer has it; 0 levels: any number, of a killed run."""
    done = subprocess.run([python, "-c", CHECK, folder, str(levels)], cwd="/", text=True, capture_output=True, check=False)
    expect(done.returncode == 0, folder, done.stderr)


with scratch() as scratched:
    reader = python_with("h5py", "numpy")
    for dim, ranks in ((3, 2), (2, 1)):
        scene, out = write(scratched, f"scene{dim}.yaml", scene_of(dim)), os.path.join(scratched, f"out{dim}")
        expect(run(scene, out, ranks, "-steps", "4").code == 0, "the run failed")
        check(reader, out, 5)
        done = run(scene, out, ranks, "-restart", os.path.join(out, "checkpoint.h5"), "-steps", "7")
        expect(done.code == 0, done.output)
        check(reader, out, 8)
    out = os.path.join(scratched, "killed")
    run_and_signal(write(scratched, "long.yaml", scene_of(2)), out, 1, 25, signal.SIGKILL)
    check(reader, out, 0)
print("ok")
