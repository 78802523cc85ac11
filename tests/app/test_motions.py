"""motions.csv: reactions balance gravity, loads and inertia; travel, rotation and moments; names; curves of several runs."""
import csv
import os
import subprocess

from abut_runs import expect, near, python_with, run, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A pressed block, a block on it and a block that a moving face pushes down. Forces are balanced to 1e-8 of the forces on a body.
SCENE = """abut: 1
dim: 3
time: {step: 0.02, steps: 8, integrator: INTEGRATOR}
gravity: [0, GRAVITY, 0]
materials: {rubber: {young: 1.0e6, poisson: 0.3, density: 1000, damping: {stiffness: 0.001, mass: MASS}}}
bodies:
  - {name: block, material: rubber, shape: {box: {size: [1, 0.5, 1], cells: [3, 2, 3]}}, translate: [0.2, 0.2515, 0]}
  - {name: cap, material: rubber, shape: {box: {size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}ORDER}, translate: [0.3, 0.7535, 0.05]}
  - {name: held, material: rubber, shape: {box: {size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}}, translate: [0.3, 1.2565, 0.05]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
  - {name: wall, shape: {box: {size: [0.2, 1, 1], cells: 1}}, translate: [0.805, 0.2, 0]}
  - {name: paddle, shape: {box: {size: [0.1, 0.2, 0.3], cells: 1}}, translate: [3, 3, 0]}
motions:
  - {select: {body: held, box: [[-.inf, 1.5, -.inf], [.inf, .inf, .inf]]}, velocity: [0, -0.3, 0]}
  - {select: {body: wall}, velocity: [-0.2, 0, 0]}
  - {select: {body: paddle}, velocity: [0, 0.25, 0], angular_velocity: [0, 0, 2], center: [2, 3, 0]}
  - {select: {body: held, box: [[-.inf, 1.5, -.inf], [.inf, .inf, .inf]]}, velocity: [0, 0, 0], end: 0.001}
loads:
  - {select: {body: cap}, force: [0, -500, 30]}
contact: {dhat: {absolute: 2.0e-3}, friction: {default: 0.4}}
solver: {tolerance: {absolute: 1.0e-8}, balance: 1.0e-8}
output: {fields: {every: 0}, checkpoint: {every: 0, minutes: 0}}
"""
# A floor that turns about its normal below a block.
TURNED = """abut: 1
dim: 3
time: {step: 0.02, steps: 8}
gravity: [0, -9.81, 0]
materials: {rubber: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: rubber, shape: {box: {size: [0.4, 0.2, 0.4], cells: [2, 1, 2]}}, translate: [0.3, 0.1015, 0]}
obstacles:
  - {name: floor, plane: {point: [0.1, 0, 0], normal: [0, 1, 0]}}
motions:
  - {plane: floor, velocity: [0.1, 0.02, 0], angular_velocity: [0, -0.5, 0], center: [0.3, 0, 0]}
contact: {dhat: {absolute: 2.0e-3}, friction: {default: 0.4}}
output: {fields: {every: 0}, checkpoint: {every: 4}}
"""
# A block in a die: rollers on all faces but the upper one, on which a pressure grows; the die is 1.2 m wide and 0.8 m deep.
DIE = """abut: 1
dim: 3
time: {step: 0.02, steps: 6}
gravity: [0, -9.81, 0]
materials: {rubber: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: rubber, shape: {box: {size: [1.2, 0.5, 0.8], cells: [3, 2, 2]}, order: 2}}
motions:
  - {select: {body: block, box: [[0, 0, 0], [1, 0, 1]], relative: true}, components: [y]}
  - {select: {body: block, box: [[0, 0, 0], [0, 1, 1]], relative: true}, components: [x]}
  - {select: {body: block, box: [[1, 0, 0], [1, 1, 1]], relative: true}, components: [x]}
  - {select: {body: block, box: [[0, 0, 0], [1, 1, 0]], relative: true}, components: [z]}
  - {select: {body: block, box: [[0, 0, 1], [1, 1, 1]], relative: true}, components: [z]}
loads:
  - {select: {body: block, box: [[0, 1, 0], [1, 1, 1]], relative: true}, pressure: 2.0e4, table: [[0, 0], [0.06, 1]]}
solver: {tolerance: {absolute: 1.0e-9}, balance: 1.0e-8}
output: {fields: {every: 0}, checkpoint: {every: 0, minutes: 0}}
"""
NAMES = ["wall", "paddle", "floor", "held", "held (2)", "cap"]
WEIGHT = (0.5 + 2 * 0.125) * 1000 * 9.81


def rows(folder, table):
    with open(os.path.join(folder, table), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def of(table, name, column):
    return [float(row[column]) for row in table if row["name"] == name]


def balance(integrator, gravity, mass, order, ranks):
    """Runs the scene. In each step the reactions, the load and the weight equal the change of momentum by the rule of the integrator."""
    out = os.path.join(folder, f"{integrator}-{ranks}")
    text = SCENE.replace("INTEGRATOR", integrator).replace("GRAVITY", str(gravity)).replace("ORDER", order).replace("MASS", str(mass))
    done = run(write(folder, f"{integrator}.yaml", text), out, ranks)
    expect(done.code == 0, done.output)
    table, h, steps = rows(out, "motions.csv"), 0.02, done.steps
    expect([row["name"] for row in table[: len(NAMES)]] == NAMES and len(table) == len(NAMES) * len(steps), table[: len(NAMES)])
    expect([row["kind"] for row in table[: len(NAMES)]] == 3 * ["obstacle"] + 2 * ["motion"] + ["load"], table[: len(NAMES)])
    for axis, weight in (("x", 0), ("y", WEIGHT * gravity / -9.81), ("z", 0)):
        force = [sum(forces) for forces in zip(*(of(table, name, f"force_{axis}_N") for name in NAMES))]
        p = [0.0] + [0 if integrator == "quasi-static" else step[f"momentum_{axis}"] for step in steps]
        size = max(abs(force) for name in NAMES for force in of(table, name, "force_y_N"))
        for k in range(2, len(steps) + 1):
            rate, held = (p[k] - p[k - 1]) / h, force[k - 1]
            if integrator == "bdf2":
                rate = (3 * p[k] - 4 * p[k - 1] + p[k - 2]) / (2 * h)
            if integrator == "newmark":  # the mean over the step
                held = (force[k - 2] + force[k - 1]) / 2
            if k > 2:  # the first step starts both methods, and the second one still contains it
                near(held - weight - rate, 0, 1e-6 * size, f"{integrator}, {ranks} ranks, {axis}: forces minus rate of momentum")
    return table, out


def pressure(ranks):
    """Pressure, weight and the forces of the die change the momentum; the upper face keeps its area and carries the pressure."""
    out = os.path.join(folder, f"die-{ranks}")
    done = run(write(folder, "die.yaml", DIE), out, ranks)
    expect(done.code == 0, done.output)
    table = rows(out, "motions.csv")
    loads = [row for row in table if row["kind"] == "load"]
    p = [0.0] + [step["momentum_y"] for step in done.steps]
    for k, load in enumerate(loads):
        near(float(load["force_y_N"]), -2.0e4 * 0.96 * min(1, (k + 0.5) / 3), 1e-6 * 2.0e4, "force of the pressure")
        near(float(load["force_x_N"]), 0, 1e-6 * 2.0e4, "force of the pressure along the surface")
        step = [row for row in table if row["step"] == load["step"]]
        for axis, rest in (("x", 0), ("y", 0.48 * 9810 + (p[k + 1] - p[k]) / 0.02), ("z", 0)):
            near(sum(float(row[f"force_{axis}_N"]) for row in step), rest, 1e-6 * 2.0e4, f"{ranks} ranks, {axis}: forces of the die")
    expect(abs(float(table[1]["force_x_N"])) > 100, "the sides of the die carry nothing")


# A strip that one motion pulls, and then another one; steps of a table with points closer than a step.
HANDOVER = """abut: 1
dim: 2
time: {step: 0.25, steps: 8, integrator: quasi-static}
materials: {m: {model: linear, young: 1.0e6, poisson: 0, density: 1000}}
bodies:
  - {name: b, material: m, shape: {box: {size: [1, 1], cells: [2, 2]}}}
motions:
  - {select: {body: b, box: [[-1, -1, -1], [1, -0.499, 1]]}, outside: hold}
  - {select: {body: b, box: [[-1, 0.499, -1], [1, 1, 1]]}, velocity: [0, 0.01], end: 1}
  - {select: {body: b, box: [[-1, 0.499, -1], [1, 1, 1]]}, velocity: [0, -0.01], start: 1}
output: {fields: {every: 0}}
"""


def handover(folder):
    """The force on vertices belongs to the motion that moves them; steps end at both ends of a jump of a table, with no warning."""
    out = os.path.join(folder, "handover")
    done = run(write(folder, "handover.yaml", HANDOVER), out, 1, "-overwrite")
    expect(done.code == 0, done.output[-2000:])
    table = rows(out, "motions.csv")
    first, second = (of(table, name, "force_y_N") for name in ("b (2)", "b (3)"))
    for k in range(8):
        near(first[k], 2500 * (k + 1) if k < 4 else 0, 1e-3, f"step {k + 1}: force of the motion that ends")
        near(second[k], 0 if k < 4 else 2500 * (7 - k), 1e-3, f"step {k + 1}: force of the motion that follows")
    jump = HANDOVER.replace("velocity: [0, 0.01], end: 1", "displacement: [0, 0.01], table: [[0, 0], [1.1, 1], [1.11, 0], [2, 0]]")
    jump = "".join(line for line in jump.splitlines(True) if "start: 1" not in line)
    done = run(write(folder, "handover.yaml", jump), out, 1, "-overwrite")
    times = sorted({float(row["time_s"]) for row in rows(out, "motions.csv")})
    expect(done.code == 0 and "warning" not in done.output and {1.1, 1.11, 2} < set(times), times, done.output)
    near(max(of(rows(out, "motions.csv"), "b (2)", "force_y_N")), 1e4, 1e-2, "peak of the force")
    done = run(write(folder, "handover.yaml", jump.replace("[1.11, 0]", "[1.11, 0], [1.12, 0.5], [1.13, 0]")), out, 1, "-overwrite")
    expect("2 of the 6 points of the table are closer" in done.output, done.output)


def ends(folder):
    """A table that ends with the run: 6 steps of 0.1 s end at 0.6000000000000001 s, no step follows the point at 0.6 s."""
    for steps in (3, 6, 7, 8):
        scene = HANDOVER.replace("step: 0.25, steps: 8", f"step: 0.1, steps: {steps}").replace(", end: 1}", "}")
        scene = scene.replace("velocity: [0, -0.01], start: 1", f"displacement: [0, -0.01], table: [[0, 0], [{steps / 10}, 1]]")
        done = run(write(folder, "ends.yaml", scene), os.path.join(folder, "ends"), 1, "-overwrite")
        expect(done.code == 0 and len(done.steps) == steps, steps, [row["time_s"] for row in done.steps])


def lets_go(folder):
    """A driven plane whose force ends squeezes nothing."""
    scene = HANDOVER[:HANDOVER.index("  - {select: {body: b, box: [[-1, 0.499")] + """obstacles:
  - {name: press, plane: {point: [0, 0.501], normal: [0, -1]}}
loads:
  - {plane: press, force: [0, -1000], table: [[0, 0], [1, 1], [1.5, 0], [2, 0]]}
output: {fields: {every: 0}}
"""
    done = run(write(folder, "press.yaml", scene), os.path.join(folder, "press"), 1, "-overwrite")
    expect(done.code == 0 and "squeez" not in done.output, done.output)


with scratch() as folder:
    handover(folder)
    ends(folder)
    lets_go(folder)
    pressure(1)
    pressure(3)
    table, out = balance("implicit-euler", -9.81, 0, ", order: 2", 3)
    balance("implicit-euler", -9.81, 0, ", order: 2", 1)
    balance("bdf2", -9.81, 0, "", 1)
    balance("newmark", -9.81, 0, "", 2)
    for step in range(1, 9):  # a motion of a step is complete at 99.9 % of its distance
        time = 0.02 * step
        near(of(table, "wall", "travel_x_m")[step - 1], -0.2 * time, 4e-6, "travel of the wall")
        near(of(table, "held", "travel_y_m")[step - 1], -0.3 * time, 6e-6, "travel of the held face")
        near(of(table, "paddle", "rotation_z_rad")[step - 1], 2 * time, 4e-5, "rotation of the paddle")
    near(of(table, "cap", "force_z_N")[3], 30, 1e-12, "load")
    # Moments are about the centre: that of the floor about its point, from centre and resultants of its only pair.
    pair = [row for row in rows(out, "pairs.csv") if row["step"] == "8" and row["body_b"] == "floor"][0]
    x, y, z = (float(pair[f"center_{axis}_m"]) for axis in "xyz")
    normal = float(pair["normal_y_N"])
    last = [row for row in table if row["step"] == "8" and row["name"] == "floor"][0]
    near(float(last["force_y_N"]), normal, 1e-9 * normal, "force of the floor")
    near(float(last["moment_x_Nm"]), -z * normal + y * float(pair["friction_z_N"]), 1e-3 * normal, "moment about x")
    near(float(last["moment_z_Nm"]), x * normal - y * float(pair["friction_x_N"]), 1e-3 * normal, "moment about z")
    # The pressure is not uniform: less than the whole face of 1 m^2.
    expect(0.8 < float(pair["area_m2"]) < 1.001 and 0 < y < 2e-3, pair)

    scene, turned = write(folder, "turned.yaml", TURNED), os.path.join(folder, "turned")
    expect(run(scene, turned, 1, "-steps", 4).code == 0, "the first part failed")
    done = run(scene, turned, 2, "-restart", os.path.join(turned, "checkpoint.h5"))
    expect(done.code == 0, done.output)
    table = rows(turned, "motions.csv")
    for step in range(1, 9):
        near(of(table, "floor", "rotation_y_rad")[step - 1], -0.5 * 0.02 * step, 1e-5, "rotation of the floor")
        near(of(table, "floor", "travel_y_m")[step - 1], 0.02 * 0.02 * step, 4e-7, "travel of the floor")

    curve, lines = os.path.join(folder, "curve.png"), ["-x=-held:travel_y", "-y=-held:force_y"]
    python = python_with("numpy", "h5py", "matplotlib")
    script = [python, os.path.join(ROOT, "postprocess", "plot_curve.py"), out, os.path.join(folder, "bdf2-1"), "-o", curve]
    done = subprocess.run([*script, *lines], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    expect(done.returncode == 0 and os.path.getsize(curve) > 5000, done.stdout)
    done = subprocess.run([*script[:3], "-o", curve, "-x=time", "-y=floor, block:area"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    expect(done.returncode == 0, done.stdout)
    areas = ("import numpy as np, plot_curve\n"
             "assert [plot_curve.scale([np.array([area])], 'm²') for area in (0.16, 1e-4)] == [(1.0, ''), (1e-6, 'm')]\n"
             f"run = plot_curve.Results({out!r})\n"
             "ratio, label, unit = plot_curve.quantity(run, 'floor,block:friction_sum / floor,block:normal_sum')\n"
             "parts = [plot_curve.quantity(run, f'floor,block:{name}_sum')[0] for name in ('friction', 'normal')]\n"
             "assert parts[1][-1] > 0 and abs(ratio[-1] * parts[1][-1] - parts[0][-1]) <= 1e-12 * parts[1][-1]\n"
             "assert (label, unit) == ('friction sum / normal sum of floor and block', '')")
    done = subprocess.run([python, "-c", areas], cwd=os.path.dirname(script[1]), stderr=subprocess.PIPE, text=True, check=False)
    expect(done.returncode == 0, "areas or quotients are wrong:", done.stderr)
    for wrong, said in ((["-x=time", "-y=floor,cap:area"], "the pairs block,"),
                        (["-x=held:travel_y", "-y=block:force_y"], "wall, paddle, floor, held"), (["-x=time", "-y=held:force"], "force_x"),
                        (["-x=tim", "-y=held:force_y"], "NAME:")):
        done = subprocess.run([*script, *wrong], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        expect(done.returncode == 1 and said in done.stdout and "Traceback" not in done.stdout, done.stdout)
print("ok")
