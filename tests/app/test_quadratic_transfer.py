"""Bodies of order 2: a run continues on another mesh and order; bodies that intersect are moved apart; positions at the start."""
import os
import re

from abut_runs import call, content, expect, near, run, scratch, write

PRESS = """abut: 1
dim: 2
time: {step: 0.1, steps: 8, integrator: quasi-static}
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
contact: {dhat: {absolute: 5.0e-3}, relative_stiffness: 1}
bodies:
  - {name: block, material: soft, shape: {box: {size: [1, 0.5], cells: [%d, %d]}, order: %d}}
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
bodies:
  - {name: ball, material: soft, shape: {ball: {radius: 0.5, cells: 2}, order: %d}, translate: [0, 0.51, 0], velocity: [1, -2, 0]}
  - {name: box, material: soft, shape: {box: {size: [0.6, 0.6, 0.6], cells: [%d, %d, %d]}, order: %d}, translate: [0.1, 1.32, 0.1],
     velocity: [0, -3, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
"""
OVERLAP = """abut: 1
dim: 3
time: {step: 0.01, steps: 1}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: ball, material: soft, shape: {ball: {radius: 0.5, cells: 2}, order: 2}, translate: [0, 0.5, 0]}
  - {name: box, material: soft, shape: {box: {size: [0.6, 0.6, 0.6], cells: [2, 2, 2]}, order: %d}, translate: [0.1, 1.27, 0.1]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
"""


def resume(scene, out, coarse, folder, *options, ranks=1):
    return run(scene, out, ranks, "-restart", os.path.join(folder, "checkpoint.h5"), "-restart_interpolate", coarse, *options)


def check_press(folder):
    """A quasi-static solution does not depend on its start: the continued run equals the run on its mesh to the tolerance."""
    for order in (1, 2):
        fine = write(folder, f"fine-{order}.yaml", PRESS % (10, 5, order))
        whole = run(fine, os.path.join(folder, f"fine-{order}"))
        expect(whole.code == 0, whole.output)
        for before in (1, 2):
            coarse = write(folder, f"coarse-{before}.yaml", PRESS % (8, 4, before))
            first = run(coarse, os.path.join(folder, f"coarse-{before}-{order}"), 1, "-steps", 4)
            expect(first.code == 0, first.output)
            again = resume(fine, os.path.join(folder, f"continued-{before}-{order}"), coarse, first.directory)
            expect(again.code == 0 and [row["step"] for row in again.steps] == [5, 6, 7, 8], again.output)
            for column in ("energy_elastic_J", "contact_force_y_N"):
                near(again.steps[-1][column], whole.steps[-1][column], 1e-4 * abs(whole.steps[-1][column]), column)


def check_drop(folder):
    """Round bodies of other orders intersect after the interpolation; the report does not depend on the number of ranks."""
    def scene(name, cells, order):
        return write(folder, name, DROP % (order, cells, cells, cells, order))

    scenes = {1: scene("drop-1.yaml", 2, 1), 2: scene("drop-2.yaml", 2, 2)}
    for order, coarse in scenes.items():
        first = run(coarse, os.path.join(folder, f"drop-{order}"), 2, "-steps", 10)
        expect(first.code == 0, first.output)
        fine = scene("drop-fine.yaml", 3, 2)
        runs = [resume(fine, os.path.join(folder, f"drop-{order}-{n}"), coarse, first.directory, "-steps", 11, "-verify", ranks=n)
                for n in (1, 2, 4)]
        report = runs[0].output.split("\nstep 11")[0]
        before, after = (float(number) for number in re.search(r"kinetic energy (\S+) J to (\S+) J", report).groups())
        near(after, before, 0.05 * before, "kinetic energy")
        for again in runs:
            expect(again.code == 0 and report in again.output, "reports differ:", report, again.output)
            expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in again.steps), "intersections")


def check_apart(folder):
    """Files of the new scene do not depend on the number of ranks; it is valid with the new and with the old rest shape."""
    for order in (1, 2):
        scene = write(folder, f"overlap-{order}.yaml", OVERLAP % order)
        refused = call(1, "check", scene)
        expect(refused.code == 3, "no overlap", refused.output)
        for rest in ("new", "keep"):
            outs = [os.path.join(folder, f"apart-{order}-{rest}-{ranks}") for ranks in (1, 3)]
            for ranks, out in zip((1, 3), outs):
                done = call(ranks, "deform", scene, "-resolve", "-resolve_rest", rest, "-o", out)
                expect(done.code == 0 and "new scene" in done.output, done.output)
            files = [{name: text for name, text in content(out).items() if name.endswith(".msh")} for out in outs]
            expect(files[0] == files[1] and len(files[0]) == 2, "files differ on ranks", [sorted(each) for each in files])
            types = {line.split()[1] for line in files[0][sorted(files[0])[1]].split(b"$Elements\n")[1].splitlines()[1:-1]}
            expect(types == {b"11" if order == 2 else b"4"}, "types of cells:", types)
            done = run(os.path.join(outs[0], "scene.yaml"), os.path.join(folder, f"run-{order}-{rest}"), 2, "-verify")
            expect(done.code == 0 and done.steps[-1]["intersections"] == 0 and done.steps[-1]["inversions"] == 0, done.output)


with scratch() as top:
    check_press(top)
    check_drop(top)
    check_apart(top)
print("ok")
