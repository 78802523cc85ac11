"""A killed run continues from its last checkpoint to the same result; a signal or time limit ends it with a checkpoint and code 5."""
import os
from abut_runs import KILL, TERMINATE, expect, near, run, run_and_signal, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 40}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: ball, material: soft, shape: {ball: {radius: 0.5, cells: 3}}, translate: [0, 0.6, 0], velocity: [1, -3, 0]}
  - {name: box, material: soft, shape: {box: {size: [0.6, 0.6, 0.6], cells: [3, 3, 3]}}, translate: [0.1, 1.5, 0.1], velocity: [0, -3, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
output: {fields: {every: 5}, checkpoint: {every: 4}}
"""
MOVING = SCENE.replace("steps: 40}", "steps: 40, integrator: INTEGRATOR}").replace("every: 4}", "every: 8}") + """
contact: {friction: {default: {static: 0.4, kinetic: 0.3}}}
motions:
  - {plane: floor, velocity: [0.5, 0.3, 0], until: {highest: floor, axis: y, above: 0.02, then: reverse}}
"""
FALL = """abut: 1
dim: 2
time: {step: 0.01, steps: 20, integrator: INTEGRATOR}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1], cells: [2, 2]}}}
output: {checkpoint: {every: 1}}
"""
BLOCK = """abut: 1
dim: 3
time: {step: 0.01, steps: 4}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [13, 13, 13]}}, translate: [0, 0.53, 0], velocity: [0, -3, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
output: {fields: {every: 0}, checkpoint: {every: 2}}
"""
COLUMNS = ("energy_kinetic_J", "energy_elastic_J", "momentum_x", "momentum_y", "contact_force_y_N")


def compare(one, other, tolerance, what):
    expect(len(one) == len(other), what, len(one), len(other))
    for column in COLUMNS:
        scale = max(abs(row[column]) for row in one)
        for a, b in zip(one, other):
            near(b[column], a[column], tolerance * scale, f"{what}: {column} at step {a['step']:g}")


def compare_restart(scene, folder, name, ranks, options, middle=8, last=12):
    """Runs these steps at once, and with a restart in the middle: equal bit for bit. Returns the first run."""
    reference = run(scene, os.path.join(folder, "whole-" + name), ranks, *options, "-steps", last)
    expect(reference.code == 0, reference.output)
    out = os.path.join(folder, name)
    expect(run(scene, out, ranks, *options, "-steps", middle).code == 0, "the first part failed")
    again = run(scene, out, ranks, *options, "-steps", last, "-restart", os.path.join(out, "checkpoint.h5"))
    expect(again.code == 0, again.output)
    compare(reference.steps, again.steps, 0, "restart with " + name)  # bit for bit
    return reference


with scratch() as folder:
    scene = write(folder, "drop.yaml", SCENE)
    whole = run(scene, os.path.join(folder, "whole"), 2)
    expect(whole.code == 0, whole.output)
    whole_steps = whole.steps
    expect(max(row["contacts"] for row in whole_steps) > 0, "nothing met")
    expect(sum(row["local_iterations"] for row in whole_steps) > 0, "no local iterations")

    # A restart at the end of the run does nothing, prints so once, and leaves the results unchanged; with fewer steps, too.
    for ranks, steps in ((3, 40), (1, 30)):
        done = run(scene, whole.directory, ranks, "-steps", steps, "-restart", os.path.join(whole.directory, "checkpoint.h5"))
        expect(done.code == 0 and done.summary["exit_code"] == 0, done.output)
        expect(done.output.count("is complete at step 40, t = 0.4 s") == 1, done.output)
        expect(done.steps == whole_steps, "steps.csv changed")
        near(done.summary["time_s"], 0.4, 1e-12, "time in the summary")

    out = os.path.join(folder, "killed")
    killed = run_and_signal(scene, out, 2, 14, KILL)
    expect(killed.code != 0, "survived SIGKILL")
    again = run(scene, out, 2, "-restart", os.path.join(out, "checkpoint.h5"))
    expect(again.code == 0, again.output)
    compare(whole.steps, again.steps, 0, "restart on as many ranks")  # bit for bit

    # Kinds of parallel solvers on ranks that exchange contacts, from a checkpoint in the middle. All bodies are in contact from step 8 on.
    for solver in ("direct", "multigrid"):
        compare_restart(scene, folder, solver, 4, ("-abut_linear", solver))

    # The automatic choice, made anew at the checkpoint: multigrid, which fails before and after it.
    block = write(folder, "block.yaml", BLOCK)
    automatic = ("-abut_iterative_min_unknowns", "0", "-abut_single_min_unknowns", "1000000", "-abut_view")
    reference = compare_restart(block, folder, "auto", 1, automatic, 2, 4)
    expect("current solver: multigrid\n" in reference.output, reference.output)
    failing = compare_restart(block, folder, "failing", 1, (*automatic, "-ksp_max_it", "2"), 2, 4)
    expect("current solver: direct, multigrid failed\n" in failing.output, failing.output)
    expect(failing.steps[0]["linear_failures"] > 0 and failing.steps[2]["linear_failures"] > 0, "no failure before or after the checkpoint")
    for column in ("energy_kinetic_J", "energy_elastic_J", "contact_force_y_N"):
        for one, other in zip(reference.steps, failing.steps):
            near(other[column], one[column], 1e-3 * abs(one[column]), f"multigrid that fails: {column} at step {one['step']:g}")

    # Predicted contacts leave no state from one step to the next.
    eager = ("-abut_predict", "eager")
    reference = run(scene, os.path.join(folder, "whole-predicted"), 2, *eager, "-steps", "24")
    plain = run(scene, os.path.join(folder, "plain"), 2, "-abut_predict", "off", "-steps", "24")
    iterations = [[row["newton_iterations"] for row in done.steps] for done in (reference, plain)]
    expect(iterations[0][:8] != iterations[1][:8] and iterations[0][8:] != iterations[1][8:], "nothing was predicted", iterations)
    out = os.path.join(folder, "predicted")
    expect(run(scene, out, 2, *eager, "-steps", "8").code == 0, "the first part failed")
    again = run(scene, out, 2, *eager, "-steps", "24", "-restart", os.path.join(out, "checkpoint.h5"))
    expect(again.code == 0, again.output)
    compare(reference.steps, again.steps, 0, "restart with predicted contacts")
    expect([row["newton_iterations"] for row in again.steps] == iterations[0], "iterations after a restart", iterations)

    # Histories of an integrator, lagged friction, a plane that has moved and conditions that were met are in the checkpoint.
    for integrator in ("newmark", "contact-implicit-newmark", "bdf2"):
        moving = write(folder, "moving.yaml", MOVING.replace("INTEGRATOR", integrator))
        reference = run(moving, os.path.join(folder, "whole-" + integrator), 2, "-steps", "14")
        expect(reference.code == 0, reference.output)
        expect(max(row["sliding"] + row["sticking"] for row in reference.steps) > 0, "no friction")
        out = os.path.join(folder, integrator)
        expect(run(moving, out, 2, "-steps", "8").code == 0, "the first part failed")
        again = run(moving, out, 2, "-steps", "14", "-restart", os.path.join(out, "checkpoint.h5"))
        expect(again.code == 0, again.output)
        compare(reference.steps, again.steps, 0, "restart with " + integrator)
        with open(os.path.join(reference.directory, "pairs.csv")) as one, open(os.path.join(out, "pairs.csv")) as other:
            expect(one.read() == other.read(), "pairs.csv differs")

    # Newmark goes on from implicit Euler with the whole weight at once, and from itself with the accelerations of the checkpoint.
    out = os.path.join(folder, "fall")
    for integrator, steps in (("implicit-euler", 5), ("newmark", 8), ("newmark", 12), ("contact-implicit-newmark", 14)):
        fall = write(folder, "fall.yaml", FALL.replace("INTEGRATOR", integrator))
        options = ("-restart", os.path.join(out, "checkpoint.h5")) if steps > 5 else ()
        done = run(fall, out, 2, "-steps", steps, *options)
        expect(done.code == 0, done.output)
    expect(len(done.steps) == 14, done.steps)
    for row in done.steps:
        near(row["momentum_y"], -1000 * 10 * row["time_s"], 1e-3, f"falls, step {row['step']:g}")

    # With a smaller time step the same number of steps ends earlier: -steps counts steps, whatever their length, and the scene's end is a
    # time.
    out = os.path.join(folder, "shorter")
    for step, options, wanted, end in ((0.01, ("-steps", 8), 8, 0.08), (0.004, ("-steps", 12), 12, 0.096), (0.004, (), 38, 0.2)):
        shorter = FALL.replace("INTEGRATOR", "implicit-euler").replace("step: 0.01, steps: 20", f"step: {step}, end: 0.2")
        done = run(write(folder, "shorter.yaml", shorter), out, 1, *options,
                   *(("-restart", os.path.join(out, "checkpoint.h5")) if step < 0.01 else ()))
        expect(done.code == 0 and done.summary["last_step"] == wanted, step, options, done.output)
        near(done.summary["time_s"], end, 1e-12, "end of the run")

    out = os.path.join(folder, "terminated")
    stopped = run_and_signal(scene, out, 1, 10, TERMINATE)
    expect(stopped.code == 5 and "signal 15" in stopped.output, stopped.code, stopped.output)
    expect(stopped.summary["exit_code"] == 5, stopped.summary)
    again = run(scene, out, 3, "-restart", os.path.join(out, "checkpoint.h5"))
    expect(again.code == 0, again.output)
    # Another rank count sums in another order; Newton's tolerance, not round-off, bounds the difference of trajectories.
    compare(whole.steps[:15], again.steps[:15], 1e-2, "restart on other ranks")

    limited = run(scene, os.path.join(folder, "limited"), 2, "-walltime", "0.0001")
    expect(limited.code == 5 and "wall-clock limit" in limited.output, limited.code, limited.output)

    other = write(folder, "other.yaml", SCENE.replace("cells: 3}", "cells: 4}"))
    refused = run(other, os.path.join(folder, "refused"), 2, "-restart", os.path.join(folder, "whole", "checkpoint.h5"))
    expect(refused.code == 2 and "checkpoint.h5" in refused.output, refused.code, refused.output)
print("ok")
