"""Blocks on slopes: one slides with the acceleration of Coulomb's law, one sticks, one creeps at the speed of the smoothed law."""
import math
from abut_runs import expect, near, scratch
from ipc2020 import along, run_scene

STEP, MASS, GRAVITY, TANGENT = 0.025, 250.0, 9.81, 0.5
COS = 1 / math.hypot(1, TANGENT)
DOWN, NORMAL = (2, -1, 0), (1, 2, 0)


def check_slide(folder, ranks):
    rows = run_scene("slope_slide", folder, ranks).steps
    # Implicit Euler: m (v - v_old) = h (m g sin - mu N) down the slope, = h (N - m g cos) across it. Their sums over the steps from 10 on leave
    # no truncation error, and N drops out with the change of the normal velocity.
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


def check_stick(folder):
    rows = run_scene("slope_stick", folder).steps
    # Friction 0.5 on tangent 0.5 is the limit: gravity and friction cancel, and what speed the first step's elastic settling by some micrometres
    # leaves (below 4e-6 m / 0.025 s, a thousandth of what the other block reaches) neither grows nor fades.
    speeds = [along(row, DOWN, MASS) for row in rows]
    expect(all(0 <= speed <= 2e-4 for speed in speeds), "slides:", speeds[::20])
    near(speeds[-1], speeds[9], 90 * 1e-7, "speed after settling, by the tolerance of every step")


def check_creep(folder):
    rows = run_scene("creep", folder).steps
    threshold, ratio = 1e-3, 0.3 / 0.5
    # Friction mu N f1(v h) with f1 = 2 s - s^2, s = v / threshold, balances m g sin: s = 1 - sqrt(1 - tan / mu).
    wanted = threshold * (1 - math.sqrt(1 - ratio))
    near(along(rows[-1], (1, 0, 0), 1000.0), wanted, 1e-6, "creep")  # ten times the tolerance of Newton's method
    expect(rows[-1]["sticking"] > 0 and rows[-1]["sliding"] == 0, "a creeping block slides")


with scratch() as scratch_folder:
    for number_of_ranks in (1, 2):
        check_slide(scratch_folder, number_of_ranks)
    check_stick(scratch_folder)
    check_creep(scratch_folder)
print("ok")
