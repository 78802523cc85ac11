"""Fields of the contact surface: tractions sum to the resultants of pairs.csv, on any number of ranks; slips accumulate over a restart."""
import os
import subprocess

from abut_runs import expect, python_with, run, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENE = """abut: 1
dim: DIM
time: {step: 0.02, steps: 6}
gravity: [0, -9.81 ZERO]
materials: {rubber: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: rubber, shape: {box: {size: [1, 0.5 SIDE], cells: [4, 2 FOUR]} ORDER}, translate: [0, 0.2512 ZERO],
     velocity: [1, 0 ZERO]}
  - {name: cap, material: rubber, shape: {box: {size: [0.5, 0.5 HALF], cells: [3, 2 THREE]} ORDER}, translate: [0.1, 0.7530 ZERO]}
obstacles:
  - {name: floor, plane: {point: [0, 0 ZERO], normal: [0, 1 ZERO]}}
  - {name: wall, shape: {box: {size: [0.2, 1 SIDE], cells: 1}}, translate: [0.602, 0.2 ZERO]}
motions:
  - {select: {body: wall}, velocity: [-0.2, 0 ZERO]}
contact: {potential: POTENTIAL, dhat: {absolute: 2.0e-3}, friction: {default: 0.4}}
output: {fields: {every: 3}, checkpoint: {every: 3}}
"""
# A block that the lid of a press drags over a floor at 0.1 m/s, quasi-static: all points of its lower face slip as far as the lid travels,
# but for the shear of the block, which is constant once it slides.
DRAGGED = """abut: 1
dim: 3
time: {step: 1, steps: 8, integrator: quasi-static}
materials: {rubber: {young: 1.0e6, poisson: 0.0, density: 1000}}
bodies:
  - {name: block, material: rubber, shape: {box: {size: [0.2, 0.1, 0.2], cells: [2, 1, 2]}}, translate: [0, 0.0505, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
motions:
  - {select: {body: block, box: [[-.inf, 0.1, -.inf], [.inf, .inf, .inf]]}, velocity: [0, -0.001, 0], end: 1, outside: hold}
  - {select: {body: block, box: [[-.inf, 0.1, -.inf], [.inf, .inf, .inf]]}, velocity: [0.1, 0, 0], start: 1}
contact: {dhat: {absolute: 1.0e-3}, friction: {default: 0.3, speed: {absolute: 1.0e-5}}}
output: {fields: {every: 1}}
"""
CHECKS = """
import sys
import numpy as np
from abut_results import Results
first = None
for folder in sys.argv[1:]:
    run = Results(folder)
    pairs, bodies = run.pairs(), run.bodies()
    names = np.array([pairs["body_a"], pairs["body_b"]], str)
    for level in run.levels()[1:]:
        rows = pairs["step"] == run.level(level).attrs["step"]
        touched = 0
        for body, *_ in bodies:
            fields = run.surface(body, level)
            sign = ((names[0] == body).astype(float) - (names[1] == body)) * rows
            for kind, word in (("contact", "normal"), ("friction", "friction")):
                force = fields["contact_area"] @ fields[kind + "_traction"]
                wanted = np.array([sign @ pairs[f"{word}_{axis}_N"] for axis in "xyz"])
                size = max(np.abs(pairs[f"normal_{axis}_N"][rows]).max() for axis in "xyz")
                assert np.abs(force - wanted).max() <= 1e-13 * size, (folder, level, body, kind, force, wanted)
            pressure = np.linalg.norm(fields["contact_traction"], axis=1)
            assert np.allclose(fields["contact_pressure"], pressure, rtol=1e-13)
            assert (fields["contact_gap"] > 0).all() and (fields["contact_gap"] <= 2e-3).all()
            if "-ipc" in folder:  # others also load vertices of the surface around a contact
                assert ((fields["contact_gap"] < 2e-3) == (pressure > 0)).all(), (folder, level, body)
            assert set(fields["stick_state"]) <= {0, 1, 2} and (fields["slip"] >= 0).all()
            touched += (pressure > 0).any()
        assert touched >= 2, (folder, touched)
    values = {name: run.field(name) for name in ("contact_pressure", "contact_gap", "contact_area", "slip", "slip_rate", "stick_state")}
    first = first or values
    for name, wanted in first.items():  # sums over ranks differ by round-off, which the steps before amplify
        assert np.abs(values[name] - wanted).max() <= 1e-6 * wanted.max(), (folder, name)
"""
RESTART = """
import numpy as np
from abut_results import Results
whole, again, old = (Results(name) for name in ("whole", "again", "old"))
for name in ("slip", "contact_pressure", "friction_traction", "slip_rate"):
    assert np.array_equal(whole.field(name), again.field(name)) and np.array_equal(whole.field(name), old.field(name)), name
assert whole.field("slip").max() > 0.01
assert len(again.levels()) == len(whole.levels())
for name in ("contact_surface", "contact_vertices", "contact_surface_body"):
    assert np.array_equal(whole.mesh(name), old.mesh(name)), name
for table in ("motions", "pairs"):
    one, other = getattr(whole, table)(), getattr(again, table)()
    assert all(np.array_equal(one[key], other[key], equal_nan=not isinstance(one[key], list)) for key in one), table
"""
DRAG = """
import numpy as np
from abut_results import Results
run = Results("dragged")
fields, before = run.surface("block"), run.surface("block", "s7")
below = run.mesh("rest")[fields["vertex"]][:, 1] < 0.01
assert (fields["stick_state"][below] == 1).all() and (fields["stick_state"][~below] == 0).all()
assert np.allclose(fields["slip_rate"][below], 0.1, rtol=2e-3), fields["slip_rate"][below]
assert np.allclose((fields["slip"] - before["slip"])[below], 0.1, rtol=2e-3)
moved = run.positions()[fields["vertex"]][below] - run.positions("first")[fields["vertex"]][below]
assert np.allclose(fields["slip"][below], moved[:, 0], rtol=1e-2), (fields["slip"][below], moved[:, 0])
assert abs(run.pairs()["area_m2"][0] / 0.04 - 1) < 0.01, run.pairs()["area_m2"]  # before it is dragged, which tilts the pressure
pressure = run.surface("block", "s1")["contact_pressure"][below]  # uniform, also at edges, where facets meet that carry no load
assert np.ptp(pressure) < 0.3 * pressure.mean(), pressure
"""


# A finer mesh of a flat face takes the slip of the face, and slips on as far as the coarse one does.
FINER = """
import numpy as np
from abut_results import Results
coarse, finer = Results("half"), Results("finer")
most = coarse.field("slip", "s4").max()
assert most > 0.29 and abs(finer.field("slip", "first").max() - most) < 1e-9 and finer.field("slip", "first").min() == 0
assert abs(finer.field("slip").max() - Results("dragged").field("slip").max()) < 1e-3
"""


def changed(dim, potential, order):
    text = SCENE.replace("DIM", str(dim)).replace("POTENTIAL", potential).replace("ORDER", f", order: {order}")
    for word, value in (("ZERO", ", 0"), ("SIDE", ", 1"), ("HALF", ", 0.5"), ("FOUR", ", 4"), ("THREE", ", 3")):
        text = text.replace(" " + word, value if dim == 3 else "")
    return text


def python(folder, text, *words):
    environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "postprocess"), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([python_with("numpy", "h5py"), "-c", text, *words], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, done.stdout)


def good(scene, out, *options):
    done = run(scene, out, *options)
    expect(done.code == 0, done.output)


with scratch() as folder:
    for dim, potential, order, counts in ((3, "ipc", 1, (1, 2, 3, 4)), (2, "convergent-ipc", 2, (1, 3)), (3, "oipc", 2, (2,)),
                                          (2, "gcp", 1, (1, 2)), (3, "convergent-ipc", 1, (1, 2))):
        scene = write(folder, f"{dim}-{potential}.yaml", changed(dim, potential, order))
        outs = [os.path.join(folder, f"{dim}-{potential}-{ranks}") for ranks in counts]
        for ranks, out in zip(counts, outs):
            good(scene, out, ranks)
        python(folder, CHECKS, *outs)
    scene = write(folder, "restart.yaml", changed(3, "ipc", 1))
    good(scene, os.path.join(folder, "whole"))
    good(scene, os.path.join(folder, "again"), 1, "-steps", 3)
    good(scene, os.path.join(folder, "old"), 1, "-steps", 3)
    python(folder, "import h5py\nwith h5py.File('old/fields.h5', 'a') as file:  # as version 0.2.0 wrote it\n"
           "    for name in ('contact_surface', 'contact_surface_body', 'contact_vertices'):\n        del file['mesh'][name]\n")
    for name in ("again", "old"):
        out = os.path.join(folder, name)
        good(scene, out, 1, "-restart", os.path.join(out, "checkpoint.h5"))
    python(folder, RESTART)
    good(write(folder, "dragged.yaml", DRAGGED), os.path.join(folder, "dragged"))
    python(folder, DRAG)
    half = os.path.join(folder, "half")
    good(write(folder, "half.yaml", DRAGGED), half, 1, "-steps", 4)
    finer = write(folder, "finer.yaml", DRAGGED.replace("cells: [2, 1, 2]", "cells: [5, 2, 4]"))
    done = run(finer, os.path.join(folder, "finer"), 2, "-restart", os.path.join(half, "checkpoint.h5"), "-restart_interpolate",
               os.path.join(folder, "half.yaml"))
    if "has no -restart_interpolate" not in done.output:  # a build without the tools
        expect(done.code == 0, done.output)
        python(folder, FINER)
    none = changed(2, "ipc", 1).replace("every: 3}, c", "every: 3, surface: false}, c")
    good(write(folder, "none.yaml", none), os.path.join(folder, "none"))
    with open(os.path.join(folder, "none", "fields.xdmf"), encoding="utf-8") as file:
        expect("surface" not in file.read(), "surface in spite of surface: false")
print("ok")
