"""Blocks on slopes: one slides as Coulomb's law says, one sticks, one creeps at the speed of the smoothed law. Cards fall."""
import math
import os
from abut_runs import expect, near, run, scratch, write
from ipc2020 import SCENES, along, run_scene

STEP, MASS, GRAVITY, TANGENT = 0.025, 250.0, 9.81, 0.5
COS = 1 / math.hypot(1, TANGENT)
DOWN, NORMAL = (2, -1, 0), (1, 2, 0)


def check_slide(folder, ranks):
    rows = run_scene("slope_slide", folder, ranks).steps
    # Implicit Euler: m (v - v_old) = h (m g sin - mu N) down the slope, = h (N - m g cos) across it. Their sums over the steps from 10 on
    # leave no truncation error, and N drops out with the change of the normal velocity.
    first, last = rows[9], rows[-1]
    bounce = along(last, NORMAL, MASS) - along(first, NORMAL, MASS)
    gained = along(last, DOWN, MASS) - along(first, DOWN, MASS)
    count, mu = len(rows) - 10, 0.49
    wanted = count * STEP * GRAVITY * COS * (TANGENT - mu) - mu * bounce
    near(gained, wanted, 1e-2 * wanted, f"speed gained on {ranks} ranks")
    near(gained, wanted, count * 1e-6, f"speed gained on {ranks} ranks, by the tolerance of every step")
    expect(all(row["sliding"] > 0 and row["sticking"] == 0 for row in rows[9:]), "a sliding block sticks")
    expect(all(row["friction_lags"] >= 2 and row["friction_residual_m_per_s"] <= 1e-7 for row in rows), "friction has not converged")
    weight = MASS * GRAVITY
    force = math.hypot(last["friction_force_x_N"], last["friction_force_y_N"])
    near(force, mu * weight * COS, 1e-3 * weight, "friction force")


def limit_speeds(count, threshold):
    """Slope whose tangent is the coefficient: friction lacks (1 - v / threshold)^2 of m g sin, so v approaches threshold from below."""
    speeds, push = [0.0], STEP * GRAVITY * TANGENT * COS
    while len(speeds) <= count:
        a = push / threshold  # s = s_old + a (1 - s)^2, for r = 1 - s: a r^2 + r - r_old = 0
        left = (math.sqrt(1 + 4 * a * (1 - speeds[-1] / threshold)) - 1) / (2 * a)
        speeds.append(threshold * (1 - left))
    return speeds


def stays(rows, threshold):
    """Whether a block at the limit of friction sticks: never as fast as the smoothed law, sliding, would have to be."""
    speeds, slack = [along(row, DOWN, MASS) for row in rows], len(rows) * 1e-9  # the tolerance of every step
    # Of two solutions of the law the one that starts faster stays faster: whatever speed below threshold the first step's elastic settling
    # gives, the block is at least as fast as one that starts from rest a step later.
    slowest = limit_speeds(len(rows), threshold)
    return all(slowest[i] - slack <= speed <= threshold + slack for i, speed in enumerate(speeds))


def check_stick(folder, ranks):
    rows, threshold = run_scene("slope_stick", folder, ranks).steps, 1e-3
    expect(stays(rows, threshold), "slides:", [along(row, DOWN, MASS) for row in rows][::10])
    expect(all(row["sticking"] == 25 and row["sliding"] == 0 for row in rows), "contacts slide")
    expect(all(row["friction_residual_m_per_s"] <= 1e-9 for row in rows), "friction has not converged")
    travel = STEP * sum(along(row, DOWN, MASS) for row in rows)
    # With 0.49 the block travels a hundred times as far, g (sin - mu cos) t^2 / 2 = 0.274 m.
    near(travel, 0, threshold * STEP * len(rows), "travel")


def check_static(folder):
    """A block on a slope stays if the static coefficient exceeds the tangent, and else slides with the kinetic one."""
    with open(os.path.join(SCENES, "slope_stick.yaml")) as file:
        text = file.read()
    for static, kinetic in ((0.51, 0.45), (0.51, 0.3), (0.51, 0), (0.495, 0.45), (0.495, 0.3)):
        scene = text.replace("default: 0.5\n", f"default: {{static: {static}, kinetic: {kinetic}}}\n")
        rows = run(write(folder, "static.yaml", scene), os.path.join(folder, "static"), 1, "-overwrite").steps
        if static > TANGENT:
            expect(all(along(row, DOWN, MASS) < 1e-3 and row["sliding"] == 0 for row in rows), static, kinetic, "slides")
        else:
            last, before = along(rows[-1], DOWN, MASS), along(rows[-11], DOWN, MASS)
            near(last - before, 10 * STEP * GRAVITY * COS * (TANGENT - kinetic), 1e-3, f"speed gained with {static}, {kinetic}")


def check_edge(folder):
    """Friction a five-hundredth below the limit: what check_stick() asks is refused, and the block slides by Coulomb's law."""
    with open(os.path.join(SCENES, "slope_stick.yaml")) as file:
        text = file.read()
    expect(text.count("default: 0.5\n") == 1, "the scene's coefficient is not 0.5")
    done = run(write(folder, "edge.yaml", text.replace("default: 0.5\n", "default: 0.499\n")), os.path.join(folder, "edge"))
    expect(done.code == 0, done.output[-2000:])
    expect(not stays(done.steps, 1e-3), "a block on a slope steeper than friction holds is taken for one that sticks")
    first, last = done.steps[9], done.steps[-1]
    bounce = along(last, NORMAL, MASS) - along(first, NORMAL, MASS)
    wanted = (len(done.steps) - 10) * STEP * GRAVITY * COS * (TANGENT - 0.499) - 0.499 * bounce
    near(along(last, DOWN, MASS) - along(first, DOWN, MASS), wanted, 90 * 1e-9, "speed gained with friction 0.499")


def check_creep(folder):
    rows = run_scene("creep", folder).steps
    threshold, ratio = 1e-3, 0.3 / 0.5
    # Friction mu N f1(v h) with f1 = 2 s - s^2, s = v / threshold, balances m g sin: s = 1 - sqrt(1 - tan / mu).
    wanted = threshold * (1 - math.sqrt(1 - ratio))
    near(along(rows[-1], (1, 0, 0), 1000.0), wanted, 1e-6, "creep")  # ten times the tolerance of Newton's method
    expect(rows[-1]["sticking"] > 0 and rows[-1]["sliding"] == 0, "a creeping block slides")


def check_overshoot(folder):
    """Many stiff contacts of falling cards: without relaxation the solves of steps 3 to 5 do not converge."""
    with open(os.path.join(SCENES, "cards_falls.yaml")) as file:
        text = file.read()
    for ranks in (1, 2):
        done = run(write(folder, "cards.yaml", text), os.path.join(folder, f"cards{ranks}"), ranks, "-steps", "5")
        expect(all(row["friction_lags"] < 30 and row["friction_residual_m_per_s"] < 1e-6 for row in done.steps), done.output[-2000:])
        # No contact is counted twice, though relaxation keeps parts of earlier ones.
        expect(all(row["sticking"] + row["sliding"] <= done.steps[0]["contacts"] for row in done.steps), done.steps)
        expect("repeated solves" not in done.output, done.output[-2000:])
    scene = write(folder, "cards.yaml", text.replace("lags: converged", "lags: converged\n    most_lags: 3"))
    done = run(scene, os.path.join(folder, "few"), 1, "-steps", "2")
    expect("in 2 steps friction still changed in the last of the repeated solves" in done.output, done.output[-2000:])


with scratch() as scratch_folder:
    for number_of_ranks in (1, 2):
        check_slide(scratch_folder, number_of_ranks)
        check_stick(scratch_folder, number_of_ranks)
    check_static(scratch_folder)
    check_edge(scratch_folder)
    check_creep(scratch_folder)
    check_overshoot(scratch_folder)
print("ok")
