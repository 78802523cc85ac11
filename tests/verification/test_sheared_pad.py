"""
A pad is pressed and sheared between plates that it sticks to. With the default slip threshold its forces do not depend on the number of
steps, as if contacts that stick did not creep, and steps take few iterations at thresholds near round-off. In slow dynamic steps contacts
creep by default, of which a warning tells.
"""
import os
from abut_runs import expect, run, scratch, write

SCENE = """
abut: 1
dim: {dim}
time: {{step: {step!r}, end: 2.0, integrator: quasi-static}}
materials:
  rubber: {{model: neo-hookean, young: 2.0e6, poisson: 0.4, density: 1100}}
bodies:
  - {{name: pad, material: rubber, shape: {{box: {{size: [0.06, 0.02{wide}], cells: {cells}}}}}, translate: [0, 0.01001{z}]}}
obstacles:
  - {{name: base, plane: {{point: [0, 0{z}], normal: [0, 1{z}]}}}}
  - {{name: press, plane: {{point: [0, 0.02002{z}], normal: [0, -1{z}]}}}}
motions:
  - {{plane: press, velocity: [0, -2.0e-3{z}], end: 1.0, outside: hold}}
  - {{plane: press, velocity: [2.0e-3, 0{z}], start: 1.0, outside: hold}}
contact:
  dhat: {{absolute: 1.0e-5}}
  friction: {{default: 0.5{speed}}}
output: {{fields: {{every: 0}}}}
"""


PLANE = {"dim": 2, "cells": [18, 6], "wide": "", "z": ""}
SOLID = {"dim": 3, "cells": [6, 3, 6], "wide": ", 0.06", "z": ", 0"}
LOOSE = ", speed: {absolute: 1.0e-6}"  # 5 % of the travel in 200 steps
FINEST = ", speed: {absolute: 1.0e-10}"


def forces(folder, step, speed="", ranks=1, shape=PLANE):
    """Normal force after pressing, shear and normal force at the end [N; 2D: N/m], and Newton iterations."""
    scene = write(folder, "scene.yaml", SCENE.format(step=step, speed=speed, **shape))
    done = run(scene, os.path.join(folder, "out"), ranks, "-overwrite")
    expect(done.code == 0 and done.summary["imbalance_missed_steps"] == 0, step, speed, done.output)
    expect(("contacts that stick creep" in done.output) == (speed == LOOSE), "a warning of creep:", speed, done.output)
    press = [row for row in done.table("motions.csv") if row["name"] == "press"]
    pressed = min(press, key=lambda row: abs(row["time_s"] - 1))
    values = [abs(pressed["force_y_N"]), abs(press[-1]["force_x_N"]), abs(press[-1]["force_y_N"])]
    return values, done.summary["newton_iterations"] + done.summary["local_iterations"]


def slow(folder):
    """In 40 s instead of 2 s, by inertia: force of shear at the end by default, which a warning says to be too small, and without creep."""
    text = SCENE.format(step=2, speed="SPEED", **PLANE)
    for old, new in (("quasi-static", "implicit-euler"), ("end: 2.0", "end: 40.0"), (": 1.0, out", ": 20.0, out"), ("2.0e-3", "1.0e-4")):
        expect(old in text, old)
        text = text.replace(old, new)
    found = []
    for speed, warned in (("", True), (FINEST, False)):
        done = run(write(folder, "slow.yaml", text.replace("SPEED", speed)), os.path.join(folder, "slow"), 1, "-overwrite")
        expect(done.code == 0 and ("contacts that stick creep" in done.output) == warned, "a slow run:", speed, done.output)
        found.append([abs(row["force_x_N"]) for row in done.table("motions.csv") if row["name"] == "press"][-1])
    return found


with scratch() as folder:
    creeping, sticking = slow(folder)
    expect(creeping < 0.97 * sticking, "the reference of the slow run hardly depends on the threshold:", creeping, sticking)
    sticking, most = forces(folder, 0.1, FINEST)
    fast, count = forces(folder, 0.1, ranks=2)
    slow, _ = forces(folder, 0.01)
    still, _ = forces(folder, 0.01, FINEST)
    loose, _ = forces(folder, 0.01, LOOSE)
    expect(all(abs(a - b) < 1e-3 * b for a, b in zip(fast, sticking)), "20 steps:", fast, sticking)
    expect(all(abs(a - b) < 1e-3 * b for a, b in zip(slow, still)), "200 steps:", slow, still)
    expect(abs(loose[2] - still[2]) > 1e-2 * still[2], "the reference hardly depends on the threshold:", loose, still)
    expect(most < 1.6 * count, f"{most} iterations with a threshold near round-off, {count} by default")
    solid, count = forces(folder, 0.1, ranks=3, shape=SOLID)
    sticking, most = forces(folder, 0.1, FINEST, shape=SOLID)
    expect(all(abs(a - b) < 2e-3 * b for a, b in zip(solid, sticking)), "in 3D:", solid, sticking)  # forces balance to 5e-3
    expect(most < 2 * count, f"in 3D {most} iterations with a threshold near round-off, {count} by default")
print("ok")
