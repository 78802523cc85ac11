"""Follower pressure and gas: thick shells and a piston in closed form, equal on ranks and after a restart."""
import math
import os
from abut_runs import expect, near, run, scratch, write
from shells import eighth, inflation, ring

YOUNG, POISSON, INSIDE, OUTSIDE = 1.0e5, 0.4999, 1.0, 1.3
SHELL = """abut: 1
dim: DIM
time: {step: 0.1, steps: STEPS, integrator: quasi-static}
materials: {m: {young: 1.0e5, poisson: 0.4999, density: 1000}}
bodies:
  - {name: b, material: m, shape: {file: shell.msh, order: 2}}
motions:
SYMMETRY
loads:
  - {select: {body: b, group: inner}, LOAD, table: [[0, 0], [1, 1]]}
output: {fields: {every: 0}, checkpoint: {every: 4}}
"""
PISTON = """abut: 1
dim: 2
time: {step: STEP, steps: STEPS, integrator: INTEGRATOR}
gravity: [0, -10]
materials: {m: {young: 1.0e9, poisson: 0, density: 1000}}
bodies:
  - {name: block, material: m, shape: {box: {size: 1, cells: 2}}, velocity: [0, VELOCITY]}
motions:
  - {select: {body: block, box: [[0, 0], [0, 1]], relative: true}, components: [x]}
  - {select: {body: block, box: [[1, 0], [1, 1]], relative: true}, components: [x]}
loads:
  - {select: {body: block, box: [[0, 0], [1, 0]], relative: true}, gas: {pressure: PRESSURE, exponent: 1.4, ambient: 1.0e5, volume: 2}}
solver: {tolerance: {relative: 1.0e-6}}
output: {fields: {every: 0}}
"""


def filled(text, **words):
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text


MESHES = {2: ring(INSIDE, OUTSIDE, 32, 2), 3: eighth(INSIDE, OUTSIDE, 3, 2)}
ENCLOSED = {dim: volume for dim, (_, volume) in MESHES.items()}


def shell(folder, dim, load, steps=10):
    write(folder, "shell.msh", MESHES[dim][0])
    symmetry = []
    for axis in range(dim):
        low, high = [-3] * dim, [3] * dim
        low[axis], high[axis] = -1.0e-9, 1.0e-9
        symmetry.append(f"  - {{select: {{body: b, box: [{low}, {high}]}}, components: [{'xyz'[axis]}]}}")
    return write(folder, "shell.yaml", filled(SHELL, DIM=dim, STEPS=steps, SYMMETRY="\n".join(symmetry), LOAD=load))


def done(scene, out, *options):
    result = run(scene, out, *options)
    expect(result.code == 0, scene, options, result.output[-2000:])
    return result


def shells(folder):
    """Gas inflates a ring and an eighth of a sphere beyond the largest pressure; Newton's method converges as without the gas."""
    for dim, pressure in ((2, 2.0e4), (3, 4.0e4)):
        volume = "" if dim == 2 else f", volume: {ENCLOSED[3]}"
        result = done(shell(folder, dim, f"gas: {{pressure: {pressure}{volume}}}"), os.path.join(folder, "gas"), 1, "-overwrite")
        rows = result.table("cavities.csv")
        for row in rows:
            near(row["volume_m3"] * row["pressure_Pa"] / (pressure * row["step"] / 10 * ENCLOSED[dim]), 1, 1.0e-6, "amount of gas")
        for row in rows[5:]:
            stretch = (row["volume_m3"] / ENCLOSED[dim])**(1 / dim)
            exact = inflation(dim, YOUNG / (2 * (1 + POISSON)), INSIDE, OUTSIDE, stretch)
            near(row["pressure_Pa"] / exact, 1, 0.003, f"{dim}D: pressure at the stretch {stretch:.3f} over the closed form")
        near(rows[-1]["volume_m3"] / ENCLOSED[dim], 2.77 if dim == 2 else 3.72, 0.02, f"{dim}D: last volume over the first one")
        most = max(row["newton_iterations"] for row in result.steps)
        expect(most <= 12, f"{dim}D: {most} Newton iterations in a step")


def same(folder):
    """The pressure of the gas as a `pressure` has the same energy; on 2 and 3 ranks; a restart continues bit for bit."""
    gas = shell(folder, 3, f"gas: {{pressure: 4.0e4, volume: {ENCLOSED[3]}}}", 8)
    whole = os.path.join(folder, "whole")
    one = done(gas, whole, 1, "-overwrite")
    for ranks in (2, 3):
        other = done(gas, os.path.join(folder, "ranks"), ranks, "-overwrite")
        near(other.steps[-1]["energy_elastic_J"] / one.steps[-1]["energy_elastic_J"], 1, 1.0e-6, f"elastic energy on {ranks} ranks")
    half = os.path.join(folder, "half")
    done(gas, half, 1, "-overwrite", "-steps", "4")
    done(gas, half, 1, "-restart", os.path.join(half, "checkpoint.h5"))
    with open(os.path.join(whole, "cavities.csv")) as first, open(os.path.join(half, "cavities.csv")) as second:
        expect(first.read() == second.read(), "cavities.csv differs after a restart")
    row = one.table("cavities.csv")[2]  # before the largest pressure, so that the equilibrium is stable
    pressed = done(shell(folder, 3, f"pressure: {row['pressure_Pa'] / 0.3!r}", 3), os.path.join(folder, "pressed"), 3, "-overwrite")
    near(pressed.steps[-1]["energy_elastic_J"] / one.steps[2]["energy_elastic_J"], 1, 1.0e-3, "elastic energy with a pressure")


def piston(folder):
    """A block on a column of gas: small oscillation with omega^2 = n p A^2 / (V m), and equilibrium with its weight."""
    omega, start = math.sqrt(1.4 * 1.1e5 / (2 * 1000)), 0.01
    scene = write(folder, "piston.yaml", filled(PISTON, STEPS=100, STEP=0.01, INTEGRATOR="newmark", VELOCITY=start, PRESSURE=1.1e5))
    for row in done(scene, os.path.join(folder, "piston"), 2, "-overwrite").table("cavities.csv"):
        wave = math.sin(omega * row["time_s"])
        near((row["volume_m3"] - 2) * omega / start, wave, 0.007, f"wave at {row['time_s']} s")  # Newmark: phase (omega h)^2 / 12
    text = filled(PISTON, STEPS=6, STEP="1, regularization: 1.0e-2", INTEGRATOR="quasi-static", VELOCITY=0, PRESSURE=1.0e5)
    scene = write(folder, "rest.yaml", text)
    row = done(scene, os.path.join(folder, "rest"), 2, "-overwrite").table("cavities.csv")[-1]
    near(row["pressure_Pa"], 1.1e5, 1, "pressure under the block")
    near(row["volume_m3"], 2 * 1.1**(-1 / 1.4), 1.0e-5, "volume under the block")


PRESSED = """abut: 1
dim: 2
time: {step: 0.1, end: 1, integrator: quasi-static}
materials: {m: {young: 1.0e5, poisson: 0.45, density: 1000}}
bodies:
  - {name: b, material: m, shape: {file: tyre.msh, order: 2}}
obstacles:
  - {name: floor, plane: {point: [0, -1.101, 0], normal: [0, 1, 0]}}
  - {name: press, plane: {point: [0, 1.101, 0], normal: [0, -1, 0]}}
motions:
  - {select: {body: b, box: [[-1.0e-9, -2], [1.0e-9, 2]]}, components: [x]}
loads:
  - {select: {body: b, group: inner}, gas: {pressure: 1.0e5, ambient: 1.0e5}}
  - {plane: press, force: [0, -4.0e4], table: [[0, 0], [1, 1]]}
output: {fields: {every: 0}}
"""


def pressed(folder):
    """A ring with a gas under a press that a force drives: contact forces balance it, in few Newton iterations."""
    text, volume = ring(INSIDE, 1.1, 48, 2)
    write(folder, "tyre.msh", text)
    result = done(write(folder, "tyre.yaml", PRESSED), os.path.join(folder, "tyre"), 2, "-overwrite")
    force = {(row["step"], row["body_b"]): row["normal_y_N"] for row in result.table("pairs.csv")}
    for row in result.table("cavities.csv"):
        near(row["volume_m3"] * row["pressure_Pa"] / (1.0e5 * volume), 1, 1.0e-6, "amount of gas in the ring")
        near(force[row["step"], "press"] / (-4.0e3 * row["step"]), 1, 0.01, f"contact force over force in step {row['step']:.0f}")
        near(force[row["step"], "floor"] / (4.0e3 * row["step"]), 1, 0.02, f"force of the floor in step {row['step']:.0f}")
    count = sum(row["newton_iterations"] for row in result.steps)
    expect(count < 150, f"{count} Newton iterations")


with scratch() as folder:
    shells(folder)
    same(folder)
    piston(folder)
    pressed(folder)
