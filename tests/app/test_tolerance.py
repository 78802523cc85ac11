"""Accuracies at the ends of their ranges: 1e-7 m/s and 0.1 m/s of dynamics, 1 um of geometry with E = 2e11 Pa, 1e-8 m/s of stiction."""
import math
from abut_runs import expect, near, scratch
from ipc2020 import along, run_scene

with scratch() as folder:
    tight = run_scene("tolerance_newton", folder, 2, "-steps", "12").steps
    loose = run_scene("tolerance_loose", folder, 2, "-steps", "25").steps
    expect(sum(row["newton_iterations"] for row in loose[:12]) < sum(row["newton_iterations"] for row in tight),
           "a loose tolerance saves nothing")

    rows = run_scene("tolerance_distance", folder, 1, "-steps", "40").steps
    expect(all(row["min_gap_m"] <= 1.0e-6 for row in rows if row["contacts"] > 0), "contact beyond its range")

    rows = run_scene("tolerance_friction", folder).steps
    creep = 1e-8 * (1 - math.sqrt(1 - 0.5 / 0.6))
    near(along(rows[-1], (2, -1, 0), 250.0), creep, 1e-9, "creep")  # the tolerance of Newton's method
print("ok")
