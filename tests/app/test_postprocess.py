"""Scripts of postprocess/ on sound and on damaged results (postprocess_fuzz.py); half spaces in fields.xdmf, equal on 1 and 2 ranks."""
import os
import subprocess
from xml.etree import ElementTree

from abut_runs import ENVIRONMENT, call, expect, python_with, run, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN = """abut: 1
time: {step: 0.01, steps: 12}
gravity: [0, -9.81, 0]
materials: {m: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: box, material: m, shape: {box: {size: 0.2, cells: 2}}, translate: [0, 0.15, 0], velocity: [0, -1, 0]}
  - {name: ball, material: m, shape: {ball: {radius: 0.1, cells: 2}}, translate: [0, 0.4, 0], velocity: [0, -2, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
  - {name: ceiling, plane: {point: [0, 0.6, 0], normal: [0, -1, 0]}}
  - {name: post, shape: {box: {size: 0.1, cells: 1}}, translate: [0.3, 0.1, 0]}
contact: {friction: {default: 0.2}}
output: {fields: {every: 4}}
"""
DEFORM = """abut: 1
deform:
  frames: 3
  surfaces:
    - {name: ball, shape: {ball: {radius: 1, cells: 3}}, extent: 0.9,
       keys: [{frame: 1, translate: [0.05, 0.02, 1.1]}, {frame: 2, translate: [0.05, 0.02, 0.7]}]}
    - {name: block, shape: {box: {size: [4, 4, 1], cells: [6, 6, 2]}}, translate: [0, 0, -0.5], extent: 1.0}
  pairs: [{first: block, second: ball}]
"""
CONTACTS = """abut: 1
time: {step: 0.01, steps: 1}
materials: {m: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: ground, material: m, shape: {box: {size: 1, cells: 1}}, translate: [0, -0.5, 0]}
  - {name: block, material: m, shape: {box: {size: 0.5, cells: 1}}, translate: [0, 0.24, 0]}
expected_normals: [{between: [ground, block], normal: [0, 1, 0]}]
"""

with scratch() as folder:
    out = [os.path.join(folder, name) for name in ("run", "deform", "contacts")]
    for ranks in (2, 1):
        done = run(write(folder, "run.yaml", RUN), out[0], ranks, "-overwrite")
        expect(done.code == 0, done.output)
        grids = ElementTree.parse(os.path.join(out[0], "fields.xdmf")).getroot().findall(".//Grid[@Name='planes']")
        counts = [grid.find("Topology").get("NumberOfElements") for grid in grids]
        expect(counts == 4 * ["2"], ranks, "ranks: planes in the levels:", counts)
        expect("steps/000004/planes" in "".join(grids[1].itertext()), "no corners of planes")
    done = call(1, "deform", write(folder, "deform.yaml", DEFORM), "-o", out[1])
    expect(done.code == 0, done.output)
    done = call(1, "contacts", write(folder, "contacts.yaml", CONTACTS), "-o", out[2], "-method", "opposing,closest-points")
    expect(done.code == 0, done.output)

    python = python_with("h5py", "numpy", "matplotlib")
    environment = dict(ENVIRONMENT, PYTHONPATH=os.path.join(ROOT, "postprocess"), PYTHONDONTWRITEBYTECODE="1")
    fuzz = os.path.join(os.path.dirname(os.path.abspath(__file__)), "postprocess_fuzz.py")
    done = subprocess.run([python, fuzz, *out], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, done.stdout)
print("ok")
