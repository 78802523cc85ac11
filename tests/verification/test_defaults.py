"""Small problems with only geometry, materials, motions and loads given, against closed forms, balances and symmetries.

    test_defaults.py [--ranks N] [--all] [--only PROBLEM ...] [--markdown] [--balance VALUE]

needs the environment of ctest: ABUT, MPIEXEC and, in PYTHONPATH, tests/app. On one rank every problem runs with every potential. On two
ranks each problem runs with one potential, which differs from problem to problem. On more ranks only problems run for which it matters that
a rank has no part of a body, of a contact or of a load; the potential differs from that on two ranks. The exit code is 1 if a row differs
from its closed form by more than its tolerance.
"""
import argparse
import math
import os
import sys
from abut_runs import call, expect, run, scratch, write
from default_loads import (GRAVITY, balance_off, clamped_cube, damped_rotation, face_force, first_impact, leaf_in_vise, load_impulse,
                           tiny_load)

POTENTIALS = ("ipc", "convergent-ipc", "oipc", "gcp")
BALANCE = 0.01  # default of solver.balance
REFUSED, NOT_CONVERGED = 2, 4  # exit codes
STEP_FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "mesh", "data", "cube_20mm.step")
HEAD = "abut: 1\ndim: {dim}\ntime: {{{time}}}\noutput: {{fields: {{{fields}}}}}\n"


class Row:
    """One number of one run beside its closed form. The tolerance is relative unless the expected value is 0."""

    def __init__(self, problem, case, value, expected, tolerance):
        self.problem, self.case, self.value, self.expected, self.tolerance = problem, case, value, expected, tolerance
        self.holds = math.isfinite(value) and abs(value - expected) <= tolerance * (abs(expected) or 1)

    def text(self):
        bounds = f"{self.expected:<11.6g} {self.tolerance:<8.3g} {'ok' if self.holds else 'WRONG'}"
        return f"{self.problem:<62} {self.case:<15} {self.value:>13.7g} {bounds}"


class Table:
    """Runs scenes on a number of ranks and collects rows, and the largest imbalance of a step of any run."""

    def __init__(self, folder, ranks, balance=None):
        self.folder, self.ranks, self.balance = folder, ranks, balance
        self.rows, self.runs, self.imbalance, self.missed = [], 0, 0.0, 0

    def add(self, problem, case, value, expected, tolerance):
        self.rows.append(Row(problem, case, value, expected, tolerance))
        print(self.rows[-1].text(), flush=True)

    def write(self, text, time, dim=3, fields="every: 0", solver=""):
        self.runs += 1
        keys = ", ".join(filter(None, (solver, self.balance and f"balance: {self.balance}")))
        end = f"solver: {{{keys}}}\n" if keys else ""
        return write(self.folder, f"{self.runs}.yaml", HEAD.format(dim=dim, time=time, fields=fields) + text + end)

    def run(self, text, time, *options, allowed=(), counts=True, **keys):
        """Runs a scene to its end, or to an exit code that is allowed. counts: its imbalance enters the last rows of the table."""
        scene = self.write(text, time, **keys)
        done = run(scene, os.path.join(self.folder, str(self.runs)), self.ranks, *options)
        expect(done.code == 0 or done.code in allowed, f"exit code {done.code} of this scene:\n", open(scene).read(), done.output)
        if done.code == 0 and counts:
            self.imbalance = max([self.imbalance] + [step["imbalance"] for step in done.steps])
            self.missed += done.summary["imbalance_missed_steps"]
        return done

    def pair(self, done, *names):
        """Force along y, friction included, of one pair of surfaces in the last step [N]."""
        return abs(sum(row["normal_y_N"] + row["friction_y_N"] for row in pairs(done, done.steps[-1]["step"])
                       if {row["body_a"], row["body_b"]} == set(names)))


def pairs(done, step):
    return [row for row in done.table("pairs.csv") if row["step"] == step]


def compression(young, area, stretch):
    """Force on a neo-Hookean bar with Poisson's ratio 0 at this stretch [N]."""
    return young / 2 * area * (1 / stretch - stretch)


def pressed_block(table, potentials):
    """A plate presses a block that stands on a fixed face."""
    for potential in potentials:
        done = table.run(f"""materials: {{foam: {{young: 2.0e6, poisson: 0, density: 900}}}}
bodies: [{{name: block, material: foam, shape: {{box: {{size: [0.2, 0.3, 0.2], cells: [2, 3, 2]}}}}, translate: [0, 0.15, 0]}}]
obstacles: [{{name: plate, shape: {{box: {{size: [0.5, 0.1, 0.5], cells: 1}}}}, translate: [0, 0.353, 0]}}]
motions:
  - {{select: {{body: block, box: [[-1, -1, -1], [1, 1.0e-6, 1]]}}}}
  - {{select: {{body: plate}}, velocity: [0, -0.048, 0]}}
contact: {{potential: {potential}}}
""", "step: 0.2, steps: 5, integrator: quasi-static")
        stretch = (0.303 - 0.048 - done.steps[-1]["min_gap_m"]) / 0.3
        table.add("pressed block: force / (E A (1/s - s) / 2)", potential,
                  table.pair(done, "block", "plate") / compression(2e6, 0.04, stretch), 1, 0.02)


def pressed_pair(table, potentials):
    """Two blocks with different meshes, pressed by their far faces."""
    for potential in potentials:
        done = table.run(f"""materials: {{foam: {{young: 5.0e5, poisson: 0, density: 300}}}}
bodies:
  - {{name: low, material: foam, shape: {{box: {{size: 0.4, cells: 2}}}}, translate: [0, 0.2, 0]}}
  - {{name: up, material: foam, shape: {{box: {{size: 0.4, cells: 3}}}}, translate: [0, 0.605, 0]}}
motions:
  - {{select: {{body: low, box: [[-1, -1, -1], [1, 1.0e-6, 1]]}}}}
  - {{select: {{body: up, box: [[-1, 0.804, -1], [1, 1, 1]]}}, velocity: [0, -0.0685, 0]}}
contact: {{potential: {potential}}}
""", "step: 0.25, steps: 8, integrator: quasi-static, regularization: 1.0")
        stretch = (0.805 - 0.137 - done.steps[-1]["min_gap_m"]) / 0.8
        table.add("pressed pair of blocks: force / (E A (1/s - s) / 2)", potential,
                  table.pair(done, "low", "up") / compression(5e5, 0.16, stretch), 1, 0.02)


def column(table, potentials):
    """Three blocks at rest on each other: each contact carries the weight above it, and the floor reacts with the whole weight."""
    weight = 1100 * 0.3 * 0.2 * 0.3 * GRAVITY
    for potential in potentials:
        blocks = "".join(f"  - {{name: b{i}, material: soft, shape: {{box: {{size: [0.3, 0.2, 0.3], cells: [{2 + i % 2}, 1, 2]}}}}, "
                         f"translate: [0, {0.1 + 0.2 * i + 4e-4 * (i + 1)!r}, 0]}}\n" for i in range(3))
        done = table.run(f"""gravity: [0, {-GRAVITY}, 0]
materials: {{soft: {{young: 8.0e5, poisson: 0.35, density: 1100, damping: {{stiffness: 0.02}}}}}}
bodies:
{blocks}obstacles: [{{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]
contact: {{potential: {potential}, friction: {{default: 0.4}}}}
""", "step: 0.02, steps: 60")
        forces = [table.pair(done, "b0", "floor") / 3, table.pair(done, "b0", "b1") / 2, table.pair(done, "b1", "b2")]
        table.add("column of blocks: worst error of force / weight above", potential,
                  max(abs(force / weight - 1) for force in forces), 0, 0.01)
        table.add("column of blocks: floor force of steps.csv / that of pairs.csv", potential,
                  (done.steps[-1]["contact_force_y_N"] + done.steps[-1]["friction_force_y_N"]) / table.pair(done, "b0", "floor"), 1, 1e-9)


def pressed_ring(table, potentials):
    """Two plates press a ring: they feel the same force in every step."""
    for potential in potentials:
        for dim, size in ((2, "major: 0.05, minor: 0.01, cells: 2"), (3, "major: 0.05, minor: 0.02, cells: 1")):
            ends = ", 0" if dim == 3 else ""
            half = 0.06 if dim == 2 else 0.07
            done = table.run(f"""materials: {{rubber: {{young: 3.0e6, poisson: 0.45, density: 1200}}}}
bodies: [{{name: ring, material: rubber, shape: {{torus: {{{size}}}}}}}]
obstacles:
  - {{name: low, shape: {{box: {{size: {[0.3, 0.04, 0.3][:dim]}, cells: 1}}}}, translate: [0, {-half - 0.02001}{ends}]}}
  - {{name: up, shape: {{box: {{size: {[0.3, 0.04, 0.3][:dim]}, cells: 1}}}}, translate: [0, {half + 0.02001}{ends}]}}
motions: [{{select: {{body: up}}, velocity: [0, -0.008{ends}]}}]
contact: {{potential: {potential}, friction: {{default: 0.25}}}}
""", "step: 0.1, steps: 6, integrator: quasi-static, regularization: 1.0", dim=dim)
            worst = 0.0
            for step in range(2, 7):
                rows = pairs(done, step)
                plates = [sum(row["normal_y_N"] + row["friction_y_N"] for row in rows if name in (row["body_a"], row["body_b"]))
                          for name in ("low", "up")]
                expect(min(map(abs, plates)) > 0, "a plate does not touch the ring in step", step)
                worst = max(worst, abs(sum(plates)) / max(map(abs, plates)))
            table.add(f"pressed ring, {dim}D: worst difference of the plates' forces", potential, worst, 0, 0.01)


def resting_block(table, potentials):
    """The floor carries the weight of a block at rest while the length of the time step changes: output between steps, end, restart.

    Newmark's method takes longer to come to rest, because it hardly damps the vibration on the barrier, whose force changes sides at
    every step."""
    weight = 700 * 0.25 * 0.2 * GRAVITY
    for integrator, end in (("implicit-euler", 0.803), ("bdf2", 0.803), ("newmark", 2.403)):
        for potential in potentials:
            text = f"""gravity: [0, {-GRAVITY}]
materials: {{soft: {{young: 2.0e5, poisson: 0.3, density: 700, damping: {{stiffness: 0.01}}}}}}
bodies: [{{name: block, material: soft, shape: {{box: {{size: [0.25, 0.2], cells: [3, 2]}}}}, translate: [0, 0.1002]}}]
obstacles: [{{name: floor, plane: {{point: [0, 0], normal: [0, 1]}}}}]
contact: {{potential: {potential}}}
"""
            first = table.run(text, f"step: 0.01, end: {end}, integrator: {integrator}", dim=2, fields="interval: 0.0703")
            expect(len({round(step["dt_s"], 9) for step in first.steps}) > 2, "the length of the step does not change")
            late = [step for step in first.steps if step["time_s"] > end - 0.2]
            again = table.run(text, f"step: 0.001, end: {end + 0.0123!r}, integrator: {integrator}", "-restart",
                              os.path.join(first.directory, "checkpoint.h5"), dim=2)
            table.add(f"resting block, {integrator}: worst error of force", potential,
                      max(abs(step["contact_force_y_N"] / weight - 1) for step in late + again.steps), 0, 0.01)


def sliding_block(table, potentials):
    """A block slides to a stop. Its momentum changes by the forces of the floor alone, and they are the resultants of its pair."""
    speed, mu, dt, mass = 0.8, 0.4, 0.01, 800 * 0.3 * 0.1 * 0.2
    for potential in potentials:
        done = table.run(f"""gravity: [0, {-GRAVITY}, 0]
materials: {{soft: {{young: 2.0e6, poisson: 0.4, density: 800}}}}
bodies:
  - {{name: block, material: soft, shape: {{box: {{size: [0.3, 0.1, 0.2], cells: [3, 1, 2]}}}}, translate: [0, 0.0501, 0],
      velocity: [{speed}, 0, 0]}}
obstacles: [{{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]
contact: {{potential: {potential}, friction: {{default: {mu}}}}}
""", f"step: {dt}, steps: 32")
        distance = sum(step["momentum_x"] / mass * dt for step in done.steps)
        table.add("sliding block: distance / (v^2 / (2 mu g) - v dt / 2)", potential,
                  distance / (speed**2 / (2 * mu * GRAVITY) - speed * dt / 2), 1, 0.03)
        momentum, errors = speed * mass, []
        for step in done.steps:
            errors.append(abs((step["momentum_x"] - momentum) / dt - step["friction_force_x_N"] - step["contact_force_x_N"]))
            for name, pair_name in (("contact_force_y_N", "normal_y_N"), ("friction_force_x_N", "friction_x_N")):
                errors.append(abs(step[name] - sum(row[pair_name] for row in pairs(done, step["step"]))))
            momentum = step["momentum_x"]
        table.add("sliding block: worst error of dp/dt and pair forces / weight", potential, max(errors) / (mass * GRAVITY), 0, 0.01)


def sticking_block(table, potentials):
    """A block on a slope below the angle of friction creeps at the speed at which smoothed friction holds it."""
    mu, angle = 0.6, math.radians(25)
    size = (0.3, 0.2, 0.3)
    slowest = 1e-3 * math.hypot(*size)  # default of friction.speed [m/s]
    for potential in potentials:
        done = table.run(f"""gravity: [{GRAVITY * math.sin(angle)!r}, {-GRAVITY * math.cos(angle)!r}, 0]
materials: {{soft: {{young: 1.0e6, poisson: 0.3, density: 1000, damping: {{stiffness: 0.02}}}}}}
bodies: [{{name: block, material: soft, shape: {{box: {{size: {list(size)}, cells: 2}}}}, translate: [0, 0.1002, 0]}}]
obstacles: [{{name: slope, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]
contact: {{potential: {potential}, friction: {{default: {mu}}}}}
""", "step: 0.02, steps: 120")
        creep = done.steps[-1]["momentum_x"] / (1000 * math.prod(size)) / slowest
        table.add("block that sticks on a slope: creep / friction.speed", potential, creep, 1 - math.sqrt(1 - math.tan(angle) / mu), 0.02)


def oblique_impact(table, potentials):
    """A ball slides through its impact on a floor; friction ends with the contact."""
    mu = 0.15
    for potential in potentials:
        done = table.run(f"""materials: {{rubber: {{young: 3.0e6, poisson: 0.4, density: 1100}}}}
bodies:
  - {{name: ball, material: rubber, shape: {{ball: {{radius: 0.2, cells: 3}}}}, translate: [0, 0.23, 0], velocity: [4, -2, 0]}}
obstacles: [{{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]
contact: {{potential: {potential}, friction: {{default: {mu}}}}}
""", "step: 0.005, steps: 26")
        first, last = done.steps[0], done.steps[-1]
        expect(first["contacts"] == 0 == last["contacts"], "the run does not contain the whole impact")
        table.add("oblique impact: tangential / normal impulse", potential,
                  (first["momentum_x"] - last["momentum_x"]) / (last["momentum_y"] - first["momentum_y"]), mu, 0.03)
        ended = [math.hypot(step["friction_force_x_N"], step["friction_force_z_N"]) for step in done.steps if step["contacts"] == 0]
        table.add("oblique impact: friction without contact [N]", potential, max(ended), 0, 1e-9)


def dragged_block(table, potentials):
    """A pressed block slides on a floor in quasi-static steps: friction is Coulomb's, whatever the pseudo time step."""
    for potential in potentials:
        ratios = []
        for step in (0.05, 2.0, 500.0):
            done = table.run(f"""materials: {{soft: {{young: 1.0e6, poisson: 0.3, density: 1000}}}}
bodies: [{{name: block, material: soft, shape: {{box: {{size: [0.2, 0.1, 0.2], cells: [2, 1, 2]}}}}, translate: [0, 0.0501, 0]}}]
obstacles: [{{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]
motions:
  - {{select: {{body: block, box: [[-1, 0.1, -1], [1, 1, 1]]}}, velocity: [0, {-0.001 / step!r}, 0], end: {3.5 * step!r}}}
  - {{select: {{body: block, box: [[-1, 0.1, -1], [1, 1, 1]]}}, velocity: [{0.01 / step!r}, 0, 0], start: {3.5 * step!r}}}
contact: {{potential: {potential}, friction: {{default: 0.3}}}}
""", f"step: {step!r}, steps: 8, integrator: quasi-static")
            ratios.append(-done.steps[-1]["friction_force_x_N"] / done.steps[-1]["contact_force_y_N"])
        table.add("dragged block, quasi-static: friction / normal force", potential, ratios[0], 0.3, 0.02)
        table.add("dragged block, pseudo steps of 0.05 to 500 s: change of friction", potential,
                  max(abs(ratio / ratios[0] - 1) for ratio in ratios[1:]), 0, 0.02)


def steel_ball(table, potentials):
    """The force on a pressed steel ball does not depend on the tolerance of Newton's method."""
    for potential in potentials:
        forces = []
        for solver in ("", "tolerance: {relative: 1.0e-7}"):
            done = table.run(f"""materials: {{steel: {{young: 2.1e11, poisson: 0.28, density: 7850}}}}
bodies: [{{name: ball, material: steel, shape: {{ball: {{radius: 0.02, cells: 4}}}}}}]
obstacles:
  - {{name: low, plane: {{point: [0, -0.02002, 0], normal: [0, 1, 0]}}}}
  - {{name: up, plane: {{point: [0, 0.02002, 0], normal: [0, -1, 0]}}}}
motions:
  - {{plane: up, velocity: [0, -5.0e-5, 0]}}
  - {{select: {{body: ball, box: [[-0.006, -0.0004, -0.006], [0.006, 0.0004, 0.006]]}}}}
contact: {{potential: {potential}}}
""", "step: 1, steps: 4, integrator: quasi-static", solver=solver)
            forces.append(table.pair(done, "ball", "up"))
        table.add("pressed steel ball: force / that with tolerance 1e-7", potential, forces[0] / forces[1], 1, 0.02)


def other_units(table, potentials):
    """A ball hits a floor in metres, kilograms and seconds, and in millimetres, tonnes and seconds: forces are newtons in both."""
    for potential in potentials:
        forces = []
        for length, stress, density in ((1.0, 1.0, 1.0), (1e3, 1e-6, 1e-12)):
            done = table.run(f"""gravity: [0, {-GRAVITY * length!r}, 0]
materials: {{soft: {{young: {4e5 * stress!r}, poisson: 0.4, density: {1000 * density!r}}}}}
bodies:
  - {{name: ball, material: soft, shape: {{ball: {{radius: {0.1 * length!r}, cells: 2}}}}, translate: [0, {0.102 * length!r}, 0],
      velocity: [{length!r}, {-length!r}, 0]}}
obstacles: [{{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]
contact: {{potential: {potential}, friction: {{default: 0.3}}}}
""", "step: 0.01, steps: 10")
            forces.append([step["contact_force_y_N"] for step in done.steps])
        largest = max(forces[0])
        expect(largest > 0, "the ball does not touch the floor")
        table.add("impact in mm, t, s: worst change of force / largest force", potential,
                  max(abs(a - b) for a, b in zip(*forces)) / largest, 0, 1e-3)


def block_on_block(table, potentials):
    """A block that a traction presses on another stays there, or the program ends and names it."""
    for potential in potentials:
        done = table.run(f"""materials: {{soft: {{young: 1.5e6, poisson: 0.3, density: 1000}}}}
bodies:
  - {{name: table, material: soft, shape: {{box: {{size: [0.3, 0.1, 0.3], cells: [3, 1, 3]}}}}, translate: [0, 0.05, 0]}}
  - {{name: weight, material: soft, shape: {{box: {{size: [0.2, 0.1, 0.2], cells: [2, 1, 2]}}}}, translate: [0, 0.150002, 0]}}
motions: [{{select: {{body: table, box: [[-1, -1, -1], [1, 1.0e-6, 1]]}}}}]
loads: [{{select: {{body: weight, box: [[-1, 0.199, -1], [1, 1, 1]]}}, traction: [0, -2.0e4, 0], start: 0.02}}]
contact: {{potential: {potential}}}
""", "step: 0.01, steps: 5, integrator: quasi-static, regularization: 1.0", allowed=(NOT_CONVERGED,))
        named = done.code == NOT_CONVERGED and "weight" in done.output
        share = 1.0 if named else table.pair(done, "table", "weight") / (2e4 * 0.04)
        table.add("block on a block, quasi-static: force / load", potential, share, 1, 0.02)


def cantilever(table, _):
    """The deflection of a clamped bar under its weight does not depend on the pseudo time step."""
    energies = []
    for step in (0.02, 3.0, 1e5):
        done = table.run(f"""gravity: [0, {-GRAVITY}, 0]
materials: {{soft: {{young: 2.0e5, poisson: 0.35, density: 900}}}}
bodies: [{{name: bar, material: soft, shape: {{box: {{size: [1.2, 0.2, 0.2], cells: [6, 1, 1]}}}}}}]
motions: [{{select: {{body: bar, box: [[0, 0, 0], [0.01, 1, 1]], relative: true}}}}]
""", f"step: {step!r}, steps: 1, integrator: quasi-static")
        energies.append(done.steps[-1]["energy_elastic_J"])
    expect(min(energies) > 0, "the bar does not bend")
    table.add("cantilever, pseudo steps of 0.02 to 1e5 s: spread of energy", "", max(energies) / min(energies) - 1, 0, 1e-3)


def blade(table, _):
    """A blade hits the blocks in its way in the sense of its rotation, or the program refuses the angle per step."""
    good = 0
    for degrees in (40, 170, 300):
        blocks = "".join(f"  - {{name: block{i}, material: soft, shape: {{box: {{size: 0.03, cells: 1}}}}, translate: [{x}, {y}, 0]}}\n"
                         for i, (x, y) in enumerate(((0.06, 0.05), (-0.05, 0.06), (-0.06, -0.05), (0.05, -0.06))))
        done = table.run(f"""materials: {{soft: {{young: 2.0e6, poisson: 0.3, density: 900}}}}
bodies:
{blocks}obstacles: [{{name: blade, shape: {{box: {{size: [0.22, 0.02, 0.02], cells: [4, 1, 1]}}}}}}]
motions: [{{select: {{body: blade}}, angular_velocity: [0, 0, {math.radians(degrees) / 0.02!r}]}}]
""", "step: 0.02, steps: 3", allowed=(REFUSED,))
        refused = done.code == REFUSED and "blade" in done.output
        hits = done.code == 0 and done.steps[-1]["angular_momentum_z"] > 0
        good += refused or hits
    table.add("blade, 40, 170, 300 degrees a step: hits, or refused by name", "", good, 3, 0)


def step_file(table, _):
    """A STEP file in millimetres is a part in metres."""
    scene = table.write(f"""materials: {{soft: {{young: 1.0e6, poisson: 0.3, density: 1000}}}}
bodies: [{{name: cube, material: soft, shape: {{file: {STEP_FILE}, mesh_size: 0.01}}}}]
""", "step: 0.01, steps: 1")
    done = call(table.ranks, "check", scene)
    if "libgmsh" in done.output:
        print("STEP file: skipped, built without Gmsh")
        return
    line = [line for line in done.output.splitlines() if "diagonal" in line]
    expect(done.code == 0 and line, done.code, done.output)
    words = line[0].split()
    table.add("STEP file of a cube of 20 mm: diagonal / (0.02 m sqrt(3))", "",
              float(words[words.index("m") - 1]) / (0.02 * math.sqrt(3)), 1, 1e-3)


def negative_ratio(table, _):
    """A negative Poisson's ratio, for which the energy has no lower bound, is refused by name."""
    refused = 0
    for ratio in (-0.3, -0.95):
        done = table.run(f"""materials: {{foam: {{young: 1.0e5, poisson: {ratio}, density: 200}}}}
bodies: [{{name: ball, material: foam, shape: {{ball: {{radius: 0.1, cells: 2}}}}}}]
""", "step: 0.01, steps: 1", allowed=(REFUSED,))
        refused += done.code == REFUSED and "poisson" in done.output
    table.add("Poisson's ratio of -0.3 and -0.95: refused by name", "", refused, 2, 0)


PROBLEMS = (pressed_block, pressed_pair, column, pressed_ring, resting_block, sliding_block, sticking_block, oblique_impact,
            dragged_block, steel_ball, other_units, block_on_block, cantilever, tiny_load, balance_off, blade, step_file,
            face_force, negative_ratio, load_impulse, first_impact, clamped_cube, leaf_in_vise,
            damped_rotation)
ON_MORE_RANKS = (pressed_pair, column, pressed_ring, sliding_block, block_on_block, balance_off, blade, face_force, load_impulse,
                 first_impact, clamped_cube, damped_rotation)


def short(value):
    """Four digits of a value, three of a small error; errors of rounding have no digits."""
    return "< 1e-9" if 0 < abs(value) < 1e-9 else f"{value:.4g}" if abs(value) >= 0.1 else f"{value:.3g}"


def markdown(rows):
    """The rows as a table with a column for each potential; a value that depends on none is in the first one."""
    print("\n| problem: value | expected | tolerance | " + " | ".join(f"`{potential}`" for potential in POTENTIALS) + " |")
    print("| --- " * (3 + len(POTENTIALS)) + "|")
    for problem in dict.fromkeys(row.problem for row in rows):
        mine = {row.case or POTENTIALS[0]: row for row in rows if row.problem == problem}
        first = next(iter(mine.values()))
        values = " | ".join(short(mine[potential].value) if potential in mine else "" for potential in POTENTIALS)
        print(f"| {problem} | {first.expected:.4g} | {first.tolerance:g} | {values} |")


def expect_failure(folder, ranks):
    """With the stopping test by lengths alone the row of a pressed block must not hold: the rows are able to fail."""
    print("with solver.balance: off, which must be wrong:")
    table = Table(folder, ranks, "off")
    pressed_block(table, ["gcp"])
    expect(not table.rows[0].holds, "the force is right without the balance of forces")


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--ranks", type=int, default=1)
    words.add_argument("--all", action="store_true", help="all problems and potentials on any number of ranks")
    words.add_argument("--only", nargs="+", choices=[problem.__name__ for problem in PROBLEMS])
    words.add_argument("--markdown", action="store_true", help="print the table of docs/verification.md")
    words.add_argument("--balance", help="solver.balance of all scenes; rows fail with `off`")
    given = words.parse_args()
    with scratch() as folder:
        table = Table(folder, given.ranks, given.balance)
        print(f"{'problem: value':<62} {'potential':<15} {'value':>13} expected    tolerance")
        for index, problem in enumerate(PROBLEMS):
            if problem.__name__ in given.only if given.only else given.all or given.ranks < 3 or problem in ON_MORE_RANKS:
                problem(table, POTENTIALS if given.ranks == 1 or given.all else [POTENTIALS[(index + given.ranks) % len(POTENTIALS)]])
        table.add("all runs: largest imbalance of a step", "", table.imbalance, 0, BALANCE)
        table.add("all runs: steps that miss the balance", "", table.missed, 0, 0)
        if not given.balance and not given.only:
            os.mkdir(os.path.join(folder, "off"))
            expect_failure(os.path.join(folder, "off"), given.ranks)
    if given.markdown:
        markdown(table.rows)
    wrong = sum(not row.holds for row in table.rows)
    print(f"{len(table.rows) - wrong} of {len(table.rows)} rows hold, {table.runs} scenes, {given.ranks} ranks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
