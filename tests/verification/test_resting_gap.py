"""The resting gap agrees with the closed form of each potential: soft to stiff contact, two time steps, relative_stiffness."""
import os
import re
from abut_runs import expect, near, run, scratch, write
from refinement_cases import CASES
from closed_forms import GAP_LAWS, convergent_force, gcp_force, ipc_force, is_physical, oipc_force, resting_gap

CASE = CASES["resting_gap"]
# Newton's last direction is below 1e-7 m/s * 0.1 s = 1e-5 dhat and it converges quadratically, so that its error is about 1e-10 dhat.
# The remaining velocity decays by a factor per step. 1e-6 dhat covers both and is far below the effect of a wrong factor.
TOLERANCE = 1e-6
YOUNG = 1e9  # of the scene [Pa]
# Force at half of dhat and stiffness 1 of a vertex with the width of the mean edge, 1 m, against an equal vertex. For ipc the width has no
# effect; convergent-ipc counts half on either side.
AT_HALF = {"ipc": ipc_force(0.5, CASE.dhat_m, 1), "convergent-ipc": 2 * convergent_force(0.5, CASE.dhat_m, 1),
           "oipc": oipc_force(0.5, CASE.dhat_m, 1, face=1.0), "gcp": gcp_force(0.5, CASE.dhat_m, 1, face=1.0)}


def relative_scene(potential, rule, share):
    """The scene with contact that presses with this share of Young's modulus at half of dhat."""
    return re.sub(r"stiffness: \S+", f"relative_stiffness: {share!r}", CASE.write(folder, potential, rule, 1e10))


with scratch() as folder:
    for potential in GAP_LAWS:
        shares, softest = [], 5e6 if potential == "gcp" else 1e8  # the force of gcp grows with the third power of the gap's inverse
        for rule, size in (("step 0.1 s", softest), ("step 0.1 s", 1e10), ("step 0.1 s", 1e13), ("step 0.05 s", 1e10)):
            scene = write(folder, "scene.yaml", CASE.write(folder, potential, rule, size))
            done = run(scene, os.path.join(folder, "out"), 1, "-overwrite")
            expect(done.code == 0, done.output)
            stiffness = CASE.stiffness(potential, size) / (1 if is_physical(potential) else CASE.step(rule) ** 2)
            wanted = resting_gap(potential, CASE.load, CASE.dhat_m, stiffness)
            last = done.steps[-1]
            near(last["min_gap_m"] / CASE.dhat_m, wanted / CASE.dhat_m, TOLERANCE,
                 f"{potential}: gap / dhat at stiffness {stiffness:g}, {rule}")
            near(last["contact_force_y_N"], 2 * CASE.load, 1e-6 * CASE.load, f"{potential}: contact force")
            shares.append(wanted / CASE.dhat_m)
        expect(min(shares) < 0.05 and max(shares) > 0.95, "the cases do not span the barrier's range", shares)
        for rule, share in (("step 0.1 s", CASE.load / YOUNG), ("step 0.05 s", CASE.load / YOUNG), ("step 0.1 s", 100 * CASE.load / YOUNG)):
            done = run(write(folder, "scene.yaml", relative_scene(potential, rule, share)), os.path.join(folder, "out"), 1, "-overwrite")
            expect(done.code == 0, done.output)
            wanted = resting_gap(potential, CASE.load, CASE.dhat_m, share * YOUNG / AT_HALF[potential])
            near(done.steps[-1]["min_gap_m"] / CASE.dhat_m, wanted / CASE.dhat_m, TOLERANCE,
                 f"{potential}: gap / dhat at a share of {share:g}, {rule}")
            expect(potential != "ipc" or share > CASE.load / YOUNG or abs(wanted / CASE.dhat_m - 0.5) < 1e-12, "not at half of dhat",
                   wanted)
print("ok")
