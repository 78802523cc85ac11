"""A rod whose end is drawn along a board sticks and slips in turn, with the period of a mass on a spring."""
import math
import os
from abut_runs import expect, near, run, scratch, write
from ipc2020 import SCENES, run_scene

STEP, SPEED, PRESS, THRESHOLD = 1e-3, 0.012, 0.9, 5e-4  # [s], of the clamp [m/s], on the end [N], eps_v [m/s]
STATIC, KINETIC = 0.586, 0.3
MASS = 33 / 140 * 0.08  # of the rod, moved to its end: kinetic energy of a clamped beam in the shape that a force at its end gives it [kg]


def most_friction(rest):
    """The most of smoothed friction, and the speed / eps_v at which it is, for a coefficient at rest (include/abut/friction.h)."""
    change = KINETIC - rest
    return max(((rest + 2 * change * z * z if z <= 0.5 else KINETIC - 2 * change * (1 - z) ** 2) * (2 - z) * z, z)
               for z in (i / 1000 for i in range(1001)))


def peak():
    """The speed / eps_v at which friction is STATIC, its most."""
    return next(z for most, z in (most_friction(i / 1000) for i in range(1, 3000)) if most >= STATIC)


def stiffness(folder):
    """Force on the end over its deflection, of the rod on this mesh alone: half the force's square over the energy."""
    with open(os.path.join(SCENES, "fig20_stick_slip.yaml")) as file:
        text = file.read()
    changes = {"steps: 450": "steps: 1, integrator: quasi-static", ", velocity: [-0.012, 0, 0]": "",
               "force: [0, -0.9, 0]": "force: [0.1, 0, 0]",
               "point: [0, 0, 0]": "point: [0, -1, 0]", "absolute: 1.0e-5": "absolute: 1.0e-9"}
    for old, new in changes.items():
        expect(text.count(old) == 1, "not once in the scene:", old)
        text = text.replace(old, new)
    done = run(write(folder, "spring.yaml", text), os.path.join(folder, "spring"))
    expect(done.code == 0, done.output[-2000:])
    return 0.1**2 / (2 * done.steps[-1]["energy_elastic_J"])


def period(spring):
    """Of a mass on a spring, with the damping of implicit Euler while it slips."""
    excess = (STATIC - KINETIC) * PRESS
    omega = math.sqrt(spring / MASS)
    steps = math.pi / math.atan(omega * STEP)
    rebound = (1 + (omega * STEP) ** 2) ** (-steps / 2)
    creep = THRESHOLD * peak() / 2  # mean over the phase of sticking, from 0 to the peak, of what friction lets pass
    stick = (1 + rebound) * excess / (spring * (SPEED - creep))
    return stick + 2 / omega * (math.pi - math.atan(excess * omega / (spring * SPEED)))


with scratch() as scratch_folder:
    rows = run_scene("fig20_stick_slip", scratch_folder).steps
    expect(all(row["contacts"] == 1 and row["sticking"] + row["sliding"] == 1 for row in rows), "the end is not on the board")
    expect(all(row["friction_residual_m_per_s"] <= 1e-5 for row in rows), "friction has not converged")
    sticks = [row["sticking"] == 1 for row in rows]
    onsets = [i for i in range(10, len(rows)) if not sticks[i] and all(sticks[i - 10:i])]
    lengths = [b - a for a, b in zip(onsets, onsets[1:])]
    expect(len(onsets) >= 5, "slips", len(onsets), "times, at steps", onsets)
    expect(all(not any(sticks[i:i + 10]) for i in onsets[:-1]), "slips for less than 10 steps", onsets)
    measured, spring = STEP * sum(lengths) / len(lengths), stiffness(scratch_folder)
    wanted = period(spring)
    print(f"stiffness {spring:.1f} N/m, beam {3 * 1e8 * 0.02**4 / 12 / 0.2**3:.1f}; "
          f"period {measured:.4f} s, estimate {wanted:.4f} s; onsets {onsets}")
    # Both ends of slipping fall on steps, so each is known to one; a single mode leaves out 3 % of the energy of a rod bent by a force at
    # its end.
    near(measured, wanted, 2 * STEP + 0.03 * wanted, "period")
    # The last step that sticks pulls with nearly what friction holds, as the next would pull with more: the pull grows by less than this a
    # step.
    growth = spring * SPEED * STEP
    for last in (rows[i - 1] for i in onsets):
        force = math.hypot(last["friction_force_x_N"], last["friction_force_z_N"])
        near(force, STATIC * last["contact_force_y_N"], growth, f"friction before it slips at {last['time_s']} s")
print("ok")
