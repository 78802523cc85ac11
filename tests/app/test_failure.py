"""A step that cannot converge ends with code 4, a message that says what limited it, and the last accepted state on disk."""
import os
from xml.etree import ElementTree
from abut_runs import expect, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.02, steps: 10}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: cube, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}, translate: [0, 0.51, 0], velocity: [0, -5, 0]}
obstacles:
  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}
solver: {max_newton: 2}
output: {fields: {every: 0}}
"""


def attempt(*arguments):
    """A run without predicted contacts, with which no pair limits the first iterations and no step needs to be halved."""
    return run(*arguments, "-abut_predict", "off")


with scratch() as folder:
    scene = write(folder, "hard.yaml", SCENE)
    for ranks in (1, 2):
        done = attempt(scene, os.path.join(folder, f"out{ranks}"), ranks)
        expect(done.code == 4, done.code, done.output)
        expect("did not converge" in done.output and "floor" not in done.output.split("abut: ")[0], done.output)
        expect(done.summary["exit_code"] == 4 and not done.summary["converged"], done.summary)
        expect(os.path.exists(os.path.join(done.directory, "checkpoint.h5")), "no checkpoint")
        failure = done.summary["failure"]
        expect(failure["step"] == 1 and failure["pair"]["body_b"] == "floor" and failure["pair"]["body_a"] == "cube", failure)
        expect(failure["limits"]["ccd"] > 0 and failure["halvings"] == 0 and "max_newton" in failure["advice"], failure)
        expect("'cube' and 'floor'" in done.output and "smallest_step" in done.output, done.output)
        drawn = ElementTree.parse(os.path.join(done.directory, "failure.xdmf")).getroot()
        expect(drawn.find(".//Topology[@TopologyType='Polyvertex']") is not None, "nothing drawn")
        # The checkpoint repeats the failure.
        again = attempt(scene, os.path.join(folder, f"again{ranks}"), ranks, "-restart", os.path.join(done.directory, "checkpoint.h5"))
        expect(again.code == 4 and again.summary["failure"]["limits"] == failure["limits"], again.code, again.output)

    # The message quotes the linear solver that failed: every pivot of its preconditioner is below the limit here.
    fine = write(folder, "fine.yaml", SCENE.replace("[3, 3, 3]", "[6, 6, 6]"))
    done = attempt(fine, os.path.join(folder, "linear"), 1, "-abut_linear", "multigrid", "-pc_type", "gamg",
                   "-mg_levels_pc_type", "bjacobi",
               "-mg_levels_sub_pc_type", "ilu", "-mg_levels_sub_pc_factor_zeropivot", 1e300, "-mg_levels_sub_pc_factor_shift_type", "none")
    expect(done.code == 4 and "when the linear solver failed: cg with preconditioner gamg stopped after" in done.output, done.output)

    patient = write(folder, "patient.yaml", SCENE.replace("[3, 3, 3]", "[6, 6, 6]").replace("max_newton: 2", "max_newton: 2000"))
    done = attempt(patient, os.path.join(folder, "unsolved"), 2, "-abut_linear", "multigrid", "-ksp_max_it", "1")
    expect(done.code == 4 and "when the linear solver failed: cg with preconditioner abut-multigrid stopped after 1 iter" in done.output,
           done.output)
    expect(done.summary["failure"]["linear_failed"] and "-abut_linear direct" in done.summary["failure"]["advice"], done.summary)

    # Steps that may be halved get through, land on the times of the fields and end when the scene says.
    halved = SCENE.replace("steps: 10", "steps: 3, smallest_step: 1.0e-5").replace("every: 0", "interval: 0.025")
    halved = halved.replace("max_newton: 2", "max_newton: 6")
    done = attempt(write(folder, "halved.yaml", halved), os.path.join(folder, "halved"), 2)
    expect(done.code == 0, done.output)
    expect(done.output.count("warning: step") == 1 and "was halved" in done.output, done.output)
    rows = done.steps
    expect(sum(row["halvings"] for row in rows) == done.summary["halvings"] > 0, rows)
    expect(abs(rows[-1]["time_s"] - 0.06) < 1e-12 and abs(sum(row["dt_s"] for row in rows) - 0.06) < 1e-12, rows[-1])
    for time in (0.025, 0.05):
        expect(sum(abs(row["time_s"] - time) < 1e-12 for row in rows) == 1, "no step ends at", time)
    with open(os.path.join(done.directory, "fields.xdmf")) as file:
        times = [float(line.split('"')[1]) for line in file if "<Time" in line]
    expect([round(time, 9) for time in times] == [0, 0.025, 0.05, 0.06], times)
    few = attempt(os.path.join(folder, "halved.yaml"), os.path.join(folder, "few"), 1, "-steps", "2")
    expect(few.code == 0 and few.summary["last_step"] == 2 and few.summary["time_s"] < 0.04, few.output)
print("ok")
