"""A body that prescribed motion squeezes is warned of if gaps take a large part of its compression; loads, inertia and large compressions
cause no warning. The force without the gaps is the one that the warning bounds. Bodies that start well within the activation distance of
each other and fly apart are warned of."""
import os
import re
from abut_runs import expect, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.1, steps: 2, integrator: %s}
gravity: [0, %s, 0]
materials: {soft: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies: [{name: cube, material: soft, shape: {box: {size: 1, cells: 2}}, translate: [0, 0.502, 0]}]
obstacles:
  - {name: floor, plane: {point: [0, %s, 0], normal: [0, 1, 0]}}
  - {name: press, plane: {point: [0, %s, 0], normal: [0, -1, 0]}}
motions: [{plane: %s, velocity: [0, %s, 0]}]
contact: {dhat: {absolute: %s}}
"""
# integrator, gravity, heights of floor and press, what moves, its velocity, dhat, whether to warn
PRESSED = ("quasi-static", 0, 0, 1.004, "press", -0.05, 0.0017, True)
CASES = [PRESSED, ("quasi-static", 0, 0, 1.004, "press", -0.5, 0.0017, False),  # far
         ("quasi-static", -9.81, 0.001, 1.004, "press", 0.05, 0.0017, False),   # carries its weight
         ("implicit-euler", 0, 0, 2, "floor", 0.05, 0.0017, False)]             # pushed, free above

APART = """abut: 1
dim: 3
time: {step: %s, steps: 40}
gravity: [0, %s, 0]
materials: {soft: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies: [{name: cube, material: soft, shape: {box: {size: [1, 0.5, 1], cells: [2, 1, 2]}}, translate: [0, %s, 0]}]
obstacles: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]
contact: {potential: %s, dhat: {absolute: 1.0e-3}}
output: {fields: {every: 0}}
"""
# step, gravity, height of the centre, potential, whether to warn: the cube rises by more than dhat, or flies where nothing pulls it back
STARTS = [(5e-4, 0, 0.2501, "ipc", True), (5e-4, -9.81, 0.2505, "ipc", True), (0.01, -9.81, 0.2505, "ipc", False),
          (5e-4, -9.81, 0.2509, "ipc", False), (5e-4, 0, 0.2501, "oipc", False)]


def starts(folder):
    """The energy of the warning is at most the largest one of the cube; without a warning it rises by less than dhat."""
    for case in STARTS:
        done = run(write(folder, "apart.yaml", APART % case[:-1]), os.path.join(folder, "apart"), 1, "-overwrite")
        said = re.findall(r"warning: step 1: contact forces push bodies apart .* give them (\S+) J", done.output)
        most = max(row["energy_kinetic_J"] + row["energy_elastic_J"] for row in done.steps)
        rise = max(row["momentum_y"] for row in done.steps) ** 2 / 500 ** 2 / 2 / 9.81
        expect(done.code == 0 and len(said) == case[-1] and (rise > 1e-3) == case[-1], case, rise, done.output)
        expect(not said or 0.05 * most < float(said[0]) < 1.01 * most, case, said, most)
    fall = APART % (1e-4, 0, 0.5015, "ipc")
    fall = fall.replace("0.5015, 0]", "0.5015, 0], velocity: [0, -1, 0]").replace("0.5, 1], cells: [2, 1, 2]", "1, 1], cells: 4")
    done = run(write(folder, "fall.yaml", fall), os.path.join(folder, "fall"))
    expect(done.code == 0 and done.steps[-1]["contact_force_y_N"] > 0 and "squeezed" not in done.output, "round-off squeezes", done.output)


SHEARED = """abut: 1
dim: 2
time: {step: 0.25, steps: 4, integrator: quasi-static}
materials: {soft: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: soft, shape: {box: {size: [1.0e-3, 5.0e-4], cells: [4, 2]}}}
  - {name: far, material: soft, shape: {box: {size: FAR, cells: 1}}, translate: [1, -1]}
obstacles: [{name: lid, plane: {point: [0, 2.505e-4], normal: [0, -1]}}]
motions:
  - {select: {body: block, box: [[-1, -1], [1, -2.499e-4]]}}
  - {select: {body: far}}
  - {plane: lid, velocity: [2.0e-5, -3.0e-5]}
contact: {dhat: {absolute: 1.0e-6}, friction: {default: 0.5}, reference_length: LENGTH}
"""


def creep(folder):
    """A large body does not change the force of friction on a small one, quasi-static; a large length in the scene does, with a warning."""
    force = []
    for far, length, warned in ((1e-3, "diagonal", False), (1, "1.0", True), (1, "diagonal", False)):
        scene = write(folder, "sheared.yaml", SHEARED.replace("FAR", str(far)).replace("LENGTH", length))
        done = run(scene, os.path.join(folder, "sheared"), 1, "-overwrite")
        expect(done.code == 0 and ("contacts that stick creep" in done.output) == warned, far, length, done.output)
        force.append([abs(row["friction_x_N"]) for row in done.table("pairs.csv")][-1])
    expect(abs(force[2] / force[0] - 1) < 1e-3 and abs(force[1] / force[0] - 1) > 0.05, "forces", force)


with scratch() as folder:
    starts(folder)
    creep(folder)
    for number, case in enumerate(CASES):
        scene = write(folder, f"{number}.yaml", SCENE % case[:-1])
        said = []
        for ranks in (1, 3) if case is PRESSED else (1,):
            done = run(scene, os.path.join(folder, f"{number}_{ranks}"), ranks)
            said.append(re.findall(r"step 2: body 'cube' is squeezed by about (\S+) N, .* by up to (\d+) %", done.output))
            expect(done.code == 0 and len(said[-1]) == case[-1], case, done.output)
        expect(said == [said[0]] * len(said), "ranks", said)
        force = max(abs(row["normal_y_N"]) for row in done.table("pairs.csv"))
        if case is PRESSED:
            expect(abs(float(said[0][0][0]) / force - 1) < 0.01, said, force)
            share, gapless = float(said[0][0][1]) / 100, 1e5 * (0.01 - 0.004)
            expect(0.1 < 1 - gapless / force < share, force, gapless, share)
        if case[0] == "implicit-euler":
            expect(force > 0, "the floor pushes the cube")
print("ok")
