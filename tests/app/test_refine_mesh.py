"""jobs/refine_mesh.py keeps volume, orientation, conformity and groups; a state is interpolated to its mesh without intersections."""
import os
import re
import subprocess
import sys
from collections import Counter
from abut_runs import expect, near, run, scratch, write

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(SOURCE, "jobs", "refine_mesh.py")
WEDGE = os.path.join(SOURCE, "inputs", "ipc2020", "meshes", "wedge.msh")
PLATE = os.path.join(SOURCE, "tests", "mesh", "data", "triangles_22.msh")
SCENE = """abut: 1
dim: 3
time: {step: 0.02, steps: 40}
gravity: [0, -10, 0]
materials: {soft: {model: j2-plasticity, young: 1.0e4, poisson: 0.4, yield: 100, hardening: 100, density: 1000}}
bodies:
  - {name: below, material: soft, shape: {file: FILE}, translate: [0, 0.01, 0]}
  - {name: above, material: soft, shape: {file: FILE}, rotate: [180, 0, 0], translate: [0.15, 0.8, 0.02], velocity: [0, -2, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
output: {checkpoint: {every: 1}}
"""
sys.path.insert(0, os.path.dirname(TOOL))
import refine_mesh


def refine(coarse, fine, times):
    done = subprocess.run([sys.executable, TOOL, coarse, fine, "--times", str(times)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def cells(path, kind):
    _, points, elements = refine_mesh.read(path)
    return points, [(tags, v) for k, tags, v in elements if k == kind]


def surface(tetrahedra):
    """Number of faces of one cell only; no face has more than two cells."""
    count = Counter(tuple(sorted(v[:i] + v[i + 1:])) for _, v in tetrahedra for i in range(4))
    expect(max(count.values()) <= 2, "a face with", max(count.values()), "cells")
    return sum(number == 1 for number in count.values())


def check_meshes(folder):
    fine = os.path.join(folder, "wedge.msh")
    expect(refine(WEDGE, fine, 2) == (0, ""), "refinement of", WEDGE)
    points, before = cells(WEDGE, refine_mesh.TETRAHEDRON)
    fine_points, after = cells(fine, refine_mesh.TETRAHEDRON)
    expect(len(after) == 64 * len(before) and surface(after) == 16 * surface(before), "numbers of cells and faces", len(after))
    expect(all(fine_points[number] == x for number, x in points.items()), "vertices moved")
    volumes = [abs(refine_mesh.volume(points, v)) for _, v in before]
    parts = [abs(refine_mesh.volume(fine_points, v)) for _, v in after]
    near(sum(parts), sum(volumes), 1e-14, "volume")
    near(min(parts), min(volumes) / 64, 1e-14, "smallest cell")
    signs = {refine_mesh.volume(fine_points, v) > 0 for _, v in after}
    expect(signs == {refine_mesh.volume(points, v) > 0 for _, v in before}, "orientation")

    plate = os.path.join(folder, "plate.msh")
    expect(refine(PLATE, plate, 1) == (0, ""), "refinement of", PLATE)
    expect([tags for tags, _ in cells(plate, refine_mesh.TRIANGLE)[1]] == [[6, 1]] * 8, "tags of triangles")
    expect([tags for tags, _ in cells(plate, refine_mesh.LINE)[1]] == [[5, 1]] * 2, "tags of lines")
    code, output = refine(write(folder, "other.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"), plate, 1)
    expect(code == 2 and "is not a Gmsh mesh of version 2.2" in output, code, output)
    return fine


def check_refusals(folder):
    """One line on standard error with file and line, exit code 2."""
    with open(PLATE, encoding="ascii") as file:
        good = file.read()
    out = os.path.join(folder, "out.msh")
    for old, new, message in (("$EndElements", "", "broken.msh is incomplete: $Elements or $EndElements is missing"),
                              ("1 0 0 0\n", "1 nan 0 0\n", "broken.msh:6: a vertex must have a number and three finite coordinates"),
                              ("1 3 4\n", "1 3 44\n", "broken.msh:15: an element must be"),
                              ("\n4\n", "\n5\n", "broken.msh:5: $Nodes has 4 lines")):
        expect(old in good, old)
        code, output = refine(write(folder, "broken.msh", good.replace(old, new)), out, 1)
        expect(code == 2 and output.count("\n") == 1 and message in output, code, output)
    for coarse, fine, times, message in ((os.path.join(folder, "absent.msh"), out, 1, "absent.msh: No such file"),
                                         (PLATE, os.path.join(folder, "absent", "out.msh"), 1, "out.msh: No such file"),
                                         (PLATE, out, -1, "'-1' must be an integer from 1 on")):
        code, output = refine(coarse, fine, times)
        expect(code == 2 and message in output and not os.path.exists(out), code, output)


def check_transfer(folder, fine):
    """A refined mesh has the shape of the coarse one: the same elastic energy and plastic strains, no vertex outside, no intersection."""
    scenes = [write(folder, name, SCENE.replace("FILE", mesh)) for name, mesh in (("coarse.yaml", WEDGE), ("fine.yaml", fine))]
    first = run(scenes[0], os.path.join(folder, "coarse"), 1, "-steps", 8)
    expect(first.code == 0 and first.steps[-1]["contacts"] > 0, first.output)
    again = run(scenes[1], os.path.join(folder, "fine"), 2, "-restart", os.path.join(first.directory, "checkpoint.h5"),
                "-restart_interpolate", scenes[0], "-steps", 9)
    expect(again.code == 0 and again.steps[-1]["intersections"] == 0, again.output)
    expect("outside of the coarse mesh: 0," in again.output and "intersections removed: 0," in again.output, again.output)
    energies = re.search(r"elastic energy (\S+) J to (\S+) J", again.output).groups()
    near(float(energies[1]), float(energies[0]), 1e-5 * float(energies[0]), "elastic energy")
    longer = run(scenes[0], os.path.join(folder, "longer"), 1, "-restart", os.path.join(first.directory, "checkpoint.h5"), "-steps", 9)
    works = [done.steps[-1]["energy_dissipated_J"] for done in (first, longer, again)]
    expect(works[0] > float(energies[0]), "hardly plastic", works, energies)
    near(works[2] - works[0], works[1] - works[0], 0.2 * (works[1] - works[0]), "plastic work of the next step")


with scratch() as top:
    check_refusals(top)
    check_transfer(top, check_meshes(top))
