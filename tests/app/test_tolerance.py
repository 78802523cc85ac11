"""Accuracies at the ends of their ranges: 1e-7 m/s and 0.1 m/s of dynamics, 1 um and 20 nm of geometry with E = 2e11 Pa, 1e-8 and 1e-9 m/s
of stiction."""
import math
from abut_runs import expect, near, scratch
from ipc2020 import along, changed, run_scene

with scratch() as folder:
    tight = run_scene("tolerance_newton", folder, 2, "-steps", "12").steps
    loose = run_scene("tolerance_loose", folder, 2, "-steps", "25").steps
    expect(sum(row["newton_iterations"] for row in loose[:12]) < sum(row["newton_iterations"] for row in tight),
           "a loose tolerance saves nothing")

    rows = run_scene("tolerance_distance", folder, 1, "-steps", "40").steps
    expect(all(row["min_gap_m"] <= 1.0e-6 for row in rows if row["contacts"] > 0), "contact beyond its range")

    rows = run_scene(changed("tolerance_distance", folder, "dhat: {absolute: 1.0e-6}", "dhat: {absolute: 2.0e-8}"), folder, 1, "-steps",
                     "25").steps
    expect(min(row["min_gap_m"] for row in rows) < 1.0e-8, "no gap below 10 nm")

    share = 1 - math.sqrt(1 - 0.5 / 0.6)
    rows = run_scene("tolerance_friction", folder).steps
    near(along(rows[-1], (2, -1, 0), 250.0), 1e-8 * share, 1e-9, "creep")  # the tolerance of Newton's method
    rows = run_scene(changed("tolerance_friction", folder, "speed: {absolute: 1.0e-8}", "speed: {absolute: 1.0e-9}"), folder, 1, "-steps",
                     "25").steps
    near(along(rows[-1], (2, -1, 0), 250.0), 1e-9 * share, 1e-9, "creep at 1e-9 m/s")
print("ok")
