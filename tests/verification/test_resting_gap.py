"""The gap at which contact carries a weight is that of the barrier's derivative, from soft to stiff contact and on two time steps."""
import os
from abut_runs import expect, near, run, scratch, write
from refinement_cases import CASES
from closed_forms import resting_gap

CASE = CASES["resting_gap"]
# Newton's last direction is below 1e-7 m/s * 0.1 s = 1e-5 dhat and it converges quadratically, so that about 1e-10 is left of a share of dhat;
# what remains of the fall decays by a factor a step. 1e-6 dhat has room for both and is far below what any wrong factor would do.
TOLERANCE = 1e-6

with scratch() as folder:
    shares = []
    for rule, stiffness in (("step 0.1 s", 1e9), ("step 0.1 s", 1e10), ("step 0.1 s", 1e12), ("step 0.05 s", 1e10)):
        scene = write(folder, "scene.yaml", CASE.write(folder, "ipc", rule, stiffness))
        done = run(scene, os.path.join(folder, "out"))
        expect(done.code == 0, done.output)
        wanted = resting_gap("ipc", CASE.load, CASE.dhat_m, stiffness / CASE.step(rule) ** 2)
        last = done.steps[-1]
        near(last["min_gap_m"] / CASE.dhat_m, wanted / CASE.dhat_m, TOLERANCE, f"gap / dhat at stiffness {stiffness:g}, {rule}")
        near(last["contact_force_y_N"], 2 * CASE.load, 1e-6 * CASE.load, "contact force")
        shares.append(wanted / CASE.dhat_m)
    expect(min(shares) < 0.05 and max(shares) > 0.95, "the cases do not span the barrier's range", shares)
print("ok")
