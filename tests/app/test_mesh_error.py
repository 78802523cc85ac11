"""The estimated error of the mesh against closed forms: bending, a pressed block, equality on ranks; when it is warned of."""
import os

from abut_runs import expect, near, run, scratch, write

YOUNG, POISSON, LENGTH, FORCE = 1.0e6, 0.3, 10, 20
BEAM = """abut: 1
dim: 3
time: {step: 1, steps: 1, integrator: quasi-static}
materials: {m: {model: linear, young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: beam, material: m, shape: {box: {size: [10, 1, 1], cells: [LONG, HIGH, HIGH]}, order: ORDER}}
  - {name: idle, material: m, shape: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, translate: [0, 5, 0]}
motions:
  - {select: {body: beam, box: [[-5.01, -1, -1], [-4.99, 1, 1]]}}
  - {select: {body: idle}}
loads:
  - {select: {body: beam, box: [[4.99, -1, -1], [5.01, 1, 1]]}, force: [0, -20, 0]}
"""
PRESSED = """abut: 1
dim: 2
time: {step: 0.1, steps: 3, integrator: quasi-static}
materials: {m: {model: neo-hookean, young: 1.0e6, poisson: 0.3, density: 1000}}
bodies: [{name: block, material: m, shape: {box: {size: [1, 1], cells: [3, 3]}}}]
obstacles:
  - {name: floor, plane: {point: [0, -0.502], normal: [0, 1]}}
  - {name: press, plane: {point: [0, 0.502], normal: [0, -1]}}
motions: [{plane: press, velocity: [0, -0.2]}]
"""
WARNING = "the cells of body 'beam' are coarse"


def bend(folder, high, order, ranks=1):
    """Estimated and true share of error, by the energy of a slender beam with shear (Timoshenko)."""
    shear = YOUNG / 2 / (1 + POISSON)
    wanted = FORCE ** 2 / 2 * (LENGTH ** 3 / (3 * YOUNG / 12) + 1.2 * LENGTH / shear)
    scene = BEAM.replace("LONG", str(10 * high)).replace("HIGH", str(high)).replace("ORDER", str(order))
    done = run(write(folder, "beam.yaml", scene), os.path.join(folder, "beam"), ranks, "-overwrite")
    expect(done.code == 0 and done.summary["mesh_error_body"] == "beam", done.output)
    return done.summary["mesh_error"], 1 - done.steps[-1]["energy_elastic_J"] / wanted, done.output


def check_beam(folder):
    for high, least, warned in ((1, 0.5, True), (2, 0.75, True), (6, 0.8, False)):
        estimated, true, output = bend(folder, high, 1)
        expect(least * true < estimated < 1.15 * true, high, estimated, true)
        expect(output.count(WARNING) == warned and output.count("(such bodies: 1)") == warned, high, output)
    share, true, output = bend(folder, 1, 2)
    expect(share < 0.02 and abs(true) < 0.03 and "warning" not in output, share, true, output)
    shares = [bend(folder, 2, 1, ranks)[0] for ranks in (1, 3, 4)]
    for share in shares[1:]:
        near(share, shares[0], 1e-9, "estimate on ranks")


def check_early(folder):
    """A longer run warns once, after its tenth step."""
    scene = BEAM.replace("LONG", "10").replace("HIGH", "1").replace("ORDER", "1").replace("steps: 1,", "steps: 12,")
    scene = scene.replace("force: [0, -20, 0]", "force: [0, -20, 0], table: [[0, 0], [12, 1]]")
    path = write(folder, "early.yaml", scene)
    out = os.path.join(folder, "early")
    for steps in (9, 12):
        done = run(path, out, 1, "-overwrite", "-steps", steps)
        expect(done.code == 0 and done.output.count(WARNING) == 1, steps, done.output)
    expect("in step 10 is" in done.output and done.summary["mesh_error"] > 0.3, done.output)


def check_pressed(folder):
    """Uniform stress has no error, also under contact."""
    done = run(write(folder, "pressed.yaml", PRESSED), os.path.join(folder, "pressed"), 2)
    expect(done.code == 0 and done.summary["mesh_error"] < 1e-3 and "coarse" not in done.output, done.summary["mesh_error"], done.output)


def check_none(folder):
    """A body that does not deform has no error, and the summary names no body."""
    scene = PRESSED[:PRESSED.index("obstacles")].replace("quasi-static", "bdf2")
    done = run(write(folder, "none.yaml", scene), os.path.join(folder, "none"), 2)
    expect(done.code == 0 and done.summary["mesh_error"] == 0 and done.summary["mesh_error_body"] is None, done.summary)


with scratch() as top:
    check_none(top)
    check_beam(top)
    check_early(top)
    check_pressed(top)
print("ok")
