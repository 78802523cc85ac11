"""Option -check_iterates of the program: a passage through a sheet ends the run with pair and iteration; a correct run stays the same.

ABUT_FAULTY_BOUND is the program with a step bound that bounds nothing (faulty_bound.c).
"""
import os
import re
import subprocess
from abut_runs import ENVIRONMENT, MPIEXEC, Finished, expect, number, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 3}
gravity: [0, GRAVITY, 0]
materials: {soft: {model: neo-hookean, young: 1.0e6, poisson: 0.4, density: 1000}}
bodies:
  - {name: block, material: soft, shape: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, translate: [0.013, 0.35, 0.02]}
obstacles:
  - {name: sheet, shape: {box: {size: [1, 0.01, 1], cells: [4, 1, 4]}}}
contact: {potential: POTENTIAL, dhat: {absolute: 0.005}}
output: {fields: {every: 0}}
"""
PASSAGE = re.compile(r"^abut: step (\d+), Newton iteration (\d+): the motion to the new iterate moves '(\w+)' through '(\w+)' "
                     r"\((vertex|vertices)((?: \d+)+), (\S+) m apart before\); the step bound has failed to prevent it$", re.M)
CHECKED = re.compile(r"^ *(\d+) motions checked, (\d+) pairs on the first rank$", re.M)
BLOCK, GAP = 27, 0.245  # vertices of the block have the ids 0 to 26; distance of its lower side from the sheet at the start [m]


def run_faulty(scene, out, ranks, *options):
    done = subprocess.run([MPIEXEC, "-n", str(ranks), os.environ["ABUT_FAULTY_BOUND"], "run", scene, "-o", out, *options], env=ENVIRONMENT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return Finished(done.returncode, done.stdout, out)


def caught(done):
    """The message of a caught passage: step, iteration, distance before."""
    found = PASSAGE.findall(done.output)
    expect(done.code == 4 and len(found) == 1, "exit", done.code, done.output)
    step, iteration, first, second, _, ids, distance = found[0]
    ids = [int(name) for name in ids.split()]
    expect({first, second} == {"block", "sheet"}, "bodies", first, second)
    expect(min(ids) < BLOCK <= max(ids) and len(ids) == 4, "the pair has no vertex of one of the bodies", ids)
    expect(GAP * 0.99 < number(distance) < GAP + 0.3, "distance", distance)
    return int(step), int(iteration), number(distance)


with scratch() as folder:
    falls = {potential: write(folder, f"{potential}.yaml", SCENE.replace("GRAVITY", "-1.0e4").replace("POTENTIAL", potential))
             for potential in ("ipc", "oipc")}
    for potential, counts in (("ipc", (1, 2, 3)), ("oipc", (2,))):
        found = {caught(run_faulty(falls[potential], os.path.join(folder, f"{potential}-{ranks}"), ranks, "-check_iterates"))
                 for ranks in counts}
        expect(len(found) == 1 and min(found)[0] == 1, "ranks disagree, or another step", found)

    # a passage is complete within a step, so that the state after it has no intersection: only the option notices
    unnoticed = run_faulty(falls["ipc"], os.path.join(folder, "unnoticed"), 1, "-steps", "1")
    expect(unnoticed.code == 0 and unnoticed.steps[0]["intersections"] == 0, unnoticed.code, unnoticed.output)
    weight = 0.2**3 * 1000
    expect(unnoticed.steps[0]["momentum_y"] < -0.9 * weight * 100, "the block was held", unnoticed.steps[0]["momentum_y"])

    # the run ends as after any step that did not converge: accepted steps, state before the step, reason
    done = Finished(4, "", os.path.join(folder, "ipc-2"))
    expect(done.steps == [] and os.path.exists(os.path.join(done.directory, "checkpoint.h5")), "files of the failed run")
    expect("through" in done.summary["message"] and done.summary["exit_code"] == 4, done.summary)

    # with a correct bound the option changes no result; -abut_view has the numbers of motions and pairs
    impact = write(folder, "impact.yaml", SCENE.replace("GRAVITY", "-1.0e3").replace("POTENTIAL", "ipc"))
    for ranks in (1, 2, 3):
        plain = run(impact, os.path.join(folder, f"plain-{ranks}"), ranks)
        checked = run(impact, os.path.join(folder, f"checked-{ranks}"), ranks, "-check_iterates", "-abut_view")
        expect(plain.code == 0 and checked.code == 0, plain.output, checked.output)
        for one, other in zip(plain.steps, checked.steps):
            differ = [key for key in one if not key.endswith("_s") and one[key] != other[key]]
            expect(not differ, ranks, "ranks, step", one["step"], differ)
        expect(max(row["contacts_max"] for row in checked.steps) > 0, "never met the sheet")
        motions, pairs = map(int, CHECKED.findall(checked.output)[-1])
        expect(motions >= sum(row["newton_iterations"] for row in checked.steps) and pairs >= 0, motions, pairs)
        expect(not CHECKED.findall(plain.output), "checked without the option")
print("ok")
