"""A run continues from a checkpoint of another mesh: agreement with a run on that mesh, intersections, equality on ranks, refusals."""
import os
import re
import shutil
from abut_runs import expect, near, run, scratch, write

PRESS = """abut: 1
dim: 2
time: {step: 0.1, steps: 8, integrator: quasi-static}
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
contact: {dhat: {absolute: 5.0e-3}, relative_stiffness: 1}
bodies:
  - {name: block, material: soft, shape: {box: {size: [1, 0.5], cells: [%d, %d]}}}
obstacles:
  - {name: press, shape: {ball: {radius: 0.4, cells: 12}}, translate: [0, 0.67, 0]}
motions:
  - {select: {body: block, box: [[-1, -0.26], [1, -0.24]]}}
  - {select: {body: press}, velocity: [0, -0.2, 0]}
output: {checkpoint: {every: 4}}
"""
DROP = """abut: 1
dim: 3
time: {step: 0.01, steps: 40, integrator: bdf2}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
contact: {friction: {default: {static: 0.4, kinetic: 0.3}}}
bodies:
  - {name: ball, material: soft, shape: {ball: {radius: 0.5, cells: %d}}, translate: [0, 0.51, 0], velocity: [1, -2, 0]}
  - {name: box, material: soft, shape: {box: {size: [0.6, 0.6, 0.6], cells: [%d, %d, %d]}}, translate: [0.1, 1.32, 0.1],
     velocity: [0, -3, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
motions:
  - {plane: floor, velocity: [0.5, 0.3, 0], until: {highest: floor, axis: y, above: 0.02, then: reverse}}
output: {fields: {every: 5}}
"""


def resume(scene, out, coarse, folder, *options, ranks=1):
    return run(scene, out, ranks, "-restart", os.path.join(folder, "checkpoint.h5"), "-restart_interpolate", coarse, *options)


def number_after(text, output):
    return float(re.search(re.escape(text) + r"\s*([-+.e0-9]+)", output).group(1))


def check_press(folder):
    """A quasi-static solution does not depend on its start: the continued run equals the run on the fine mesh to the tolerance."""
    coarse, fine = (write(folder, f"press{n}.yaml", PRESS % (2 * n, n)) for n in (4, 9))
    first = run(coarse, os.path.join(folder, "coarse"), 1, "-steps", 4)
    expect(first.code == 0, first.output)
    last = run(coarse, os.path.join(folder, "coarse-end"), 1)
    whole = run(fine, os.path.join(folder, "fine"), 1)
    expect(whole.code == 0, whole.output)
    again = resume(fine, os.path.join(folder, "continued"), coarse, first.directory)
    expect(again.code == 0, again.output)
    expect([row["step"] for row in again.steps] == [5, 6, 7, 8], "steps of the continued run")
    near(again.steps[-1]["time_s"], whole.steps[-1]["time_s"], 1e-12, "time")
    for column in ("energy_elastic_J", "contact_force_y_N"):
        wanted = whole.steps[-1][column]
        near(again.steps[-1][column], wanted, 2e-3 * abs(wanted), column)
        expect(abs(last.steps[-1][column] - wanted) > 1e-2 * abs(wanted), "the meshes do not differ:", column)


def check_drop(folder):
    """Round bodies are larger on the finer mesh, and intersect; friction, BDF2 and a half space that has turned back continue."""
    coarse, fine = write(folder, "drop3.yaml", DROP % (3, 3, 3, 3)), write(folder, "drop5.yaml", DROP % (5, 4, 4, 4))
    first = run(coarse, os.path.join(folder, "drop"), 2, "-steps", 12)
    expect(first.code == 0, first.output)
    runs = [resume(fine, os.path.join(folder, f"drop-{n}"), coarse, first.directory, "-steps", 14, "-verify", ranks=n) for n in (1, 2, 3)]
    report = runs[0].output.split("\nstep 13")[0]
    expect(number_after("intersections removed:", report) > 0, "no intersections", report)
    expect(0 < number_after("vertices outside of the coarse mesh:", report) < 300, report)
    before, after = (number_after(text, report) for text in ("kinetic energy", " J to"))
    near(after, before, 0.05 * before, "kinetic energy")
    for again in runs:
        expect(again.code == 0, again.output)
        expect(report in again.output, "reports differ:", report, again.output)
        expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in again.steps), "intersections")
        for row, wanted in zip(again.steps, runs[0].steps):
            for column in ("energy_kinetic_J", "energy_elastic_J", "momentum_x"):
                near(row[column], wanted[column], 1e-3 * abs(wanted[column]), column)
    expect(runs[0].steps[0]["contacts"] > 0, "no contacts")
    near(runs[0].steps[0]["energy_kinetic_J"], first.steps[-1]["energy_kinetic_J"], 0.3 * first.steps[-1]["energy_kinetic_J"], "energy")
    return coarse, fine, first


def check_refusals(folder, coarse, fine, first):
    text = DROP % (5, 4, 4, 4)
    cases = (
        (text.replace("name: box", "name: cube"), "'box' is in the mesh of the checkpoint but not in this scene"),
        (text.replace("radius: 0.5", "radius: 0.7").replace("translate: [0, 0.51", "translate: [0, 0.9"), "the rest shapes differ"),
        (text.replace("name: floor", "name: ground").replace("floor", "ground"), "half space 'ground' of"),
        (text.replace("  - {plane: floor, velocity: [0.5, 0.3, 0], until: {highest: floor, axis: y, above: 0.02, then: reverse}}\n",
                      "  - {plane: floor, velocity: [0.5, 0, 0]}\n  - {plane: floor, velocity: [0, 0.3, 0]}\n"), "has 1 motions"),
    )
    for k, (scene, message) in enumerate(cases):
        refused = resume(write(folder, "refused.yaml", scene), os.path.join(folder, f"refused-{k}"), coarse, first.directory)
        expect(refused.code == 2 and message in refused.output, message, refused.code, refused.output)
    out = os.path.join(folder, "other")
    refused = resume(fine, out, coarse, first.directory, "-abut_shrink_most", 0)
    expect(refused.code == 3 and "intersections, of which" in refused.output, refused.code, refused.output)
    refused = resume(fine, out, fine, first.directory)
    expect(refused.code == 2 and "is of another mesh" in refused.output, refused.output)
    refused = run(fine, out, 1, "-restart_interpolate", coarse)
    expect(refused.code == 2 and "needs a checkpoint" in refused.output, refused.output)

    # Results of the coarse run stay unless -overwrite is given.
    used = os.path.join(folder, "used")
    shutil.copytree(first.directory, used)
    refused = resume(fine, used, coarse, first.directory)
    expect(refused.code == 2 and "has results of another run" in refused.output, refused.output)
    done = resume(fine, used, coarse, used, "-overwrite", "-steps", 13)
    expect(done.code == 0 and [row["step"] for row in done.steps] == [13], done.output)


with scratch() as top:
    check_press(top)
    check_refusals(top, *check_drop(top))
