"""The gap at which contact carries a weight is that of the potential's derivative, from soft to stiff contact and on two time steps."""
import os
from abut_runs import expect, near, run, scratch, write
from refinement_cases import CASES
from closed_forms import GAP_LAWS, is_physical, resting_gap

CASE = CASES["resting_gap"]
# Newton's last direction is below 1e-7 m/s * 0.1 s = 1e-5 dhat and it converges quadratically, so that about 1e-10 is left of a share of dhat;
# what remains of the fall decays by a factor a step. 1e-6 dhat has room for both and is far below what any wrong factor would do.
TOLERANCE = 1e-6

with scratch() as folder:
    for potential in GAP_LAWS:
        shares, softest = [], 5e6 if potential == "gcp" else 1e8  # the force of gcp grows with the third power of the gap's inverse
        for rule, size in (("step 0.1 s", softest), ("step 0.1 s", 1e10), ("step 0.1 s", 1e13), ("step 0.05 s", 1e10)):
            scene = write(folder, "scene.yaml", CASE.write(folder, potential, rule, size))
            done = run(scene, os.path.join(folder, "out"))
            expect(done.code == 0, done.output)
            stiffness = CASE.stiffness(potential, size) / (1 if is_physical(potential) else CASE.step(rule) ** 2)
            wanted = resting_gap(potential, CASE.load, CASE.dhat_m, stiffness)
            last = done.steps[-1]
            near(last["min_gap_m"] / CASE.dhat_m, wanted / CASE.dhat_m, TOLERANCE, f"{potential}: gap / dhat at stiffness {stiffness:g}, {rule}")
            near(last["contact_force_y_N"], 2 * CASE.load, 1e-6 * CASE.load, f"{potential}: contact force")
            shares.append(wanted / CASE.dhat_m)
        expect(min(shares) < 0.05 and max(shares) > 0.95, "the cases do not span the barrier's range", shares)
print("ok")
