"""abut study computes what abut run computes; a failed run does not end the others; the same command continues a stopped study."""
import os
import signal
import subprocess
import time

from abut_runs import PATIENT, call, command, expect, ranks_of, run, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.01, steps: STEPS}
gravity: [0, -10]
materials: {soft: {model: neo-hookean, young: YOUNG, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1], cells: [6, 6]}}, translate: [0, 0.6]}
obstacles: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]
"""
TIMES = ("wall", "seconds")


def scene(folder, name, young="1.0e5", steps=20):
    return write(folder, name + ".yaml", SCENE.replace("YOUNG", young).replace("STEPS", str(steps)))


def rows(done):
    """steps.csv without times."""
    return [{key: value for key, value in row.items() if not key.startswith(TIMES)} for row in done.steps]


def check_runs(folder):
    """Stiffness by stiffness as abut run computes it, on one and on two ranks a run."""
    scenes = [scene(folder, name, young) for name, young in (("soft", "1.0e4"), ("middle", "1.0e5"), ("stiff", "1.0e6"))]
    for ranks, per_run in ((3, 1), (4, 2)):
        out = os.path.join(folder, f"study{ranks}")
        done = call(ranks, "study", *scenes, "-o", out, "-ranks", per_run)
        expect(done.code == 0 and "3 of 3 runs done" in done.output, ranks, done.output)
        for path in scenes:
            name = os.path.basename(path)[:-5]
            alone = run(path, os.path.join(folder, f"alone{ranks}-{name}"), per_run)
            there = call(1, "--version", directory=os.path.join(out, name))
            expect(rows(there) == rows(alone), ranks, name, "differs from abut run")
            expect(there.summary["ranks"] == per_run and there.summary["wall_s"]["total"] < 60, there.summary)
            with open(os.path.join(out, name, "run.log"), encoding="utf-8") as log:
                expect("end steps=20" in log.read(), name, "has no log")


def check_failure(folder):
    scenes = [scene(folder, "wrong", "-1"), scene(folder, "right")]
    out = os.path.join(folder, "failure")
    done = call(2, "study", *scenes, "-o", out)
    expect(done.code == 2 and "1 failed" in done.output, done.code, done.output)
    expect("wrong: wrong input" in done.output and "right: done" in done.output, done.output)
    with open(os.path.join(out, "wrong", "run.log"), encoding="utf-8") as log:
        expect("young is -1" in log.read(), "the log has no message")


def check_changed(folder):
    """A scene that has changed since its results were computed is refused."""
    path, out = scene(folder, "changing", steps=4), os.path.join(folder, "changed")
    expect(call(1, "study", path, "-o", out).code == 0 and call(1, "study", path, "-o", out).code == 0, "the study failed")
    scene(folder, "changing", "2.0e5", steps=4)
    done = call(1, "study", path, "-o", out)
    expect(done.code == 2 and "has changed since" in done.output and "-overwrite" in done.output, done.output)
    expect(call(1, "study", path, "-o", out, "-overwrite").code == 0, "-overwrite failed")
    foreign = os.path.join(folder, "foreign", "changing")
    os.makedirs(foreign)
    write(foreign, "fields.h5", "of somebody")  # results that no study has made
    done = call(1, "study", path, "-o", os.path.dirname(foreign))
    expect(done.code == 2 and "has results of another run" in done.output, done.output)
    expect(os.path.exists(os.path.join(foreign, "fields.h5")), "results of others are gone")


def check_refusals(folder):
    one = scene(folder, "one")
    os.makedirs(os.path.join(folder, "other"), exist_ok=True)
    same = scene(os.path.join(folder, "other"), "one")
    for ranks, words, message in ((1, (one,), "needs a folder for the results"), (1, ("-o", folder), "needs a scene file"),
                                  (3, (one, "-o", folder, "-ranks", "2"), "-ranks 2 must divide the number of ranks, 3"),
                                  (1, (one, "-o", folder, "-ranks", "0"), "-ranks 0: the valid range is [1, "),
                                  (1, (one, same, "-o", folder), "would both write to"),
                                  (1, (one, "-o", folder, "-restart", "x"), "-restart is no option of abut study")):
        done = call(ranks, "study", *words)
        expect(done.code == 2 and done.output.count("abut: ") == 1 and message in done.output, words, done.output)


def check_stop(folder):
    """A signal stops all groups with checkpoints; the same command ends with the results of a study that was not stopped."""
    scenes = [scene(folder, f"long{k}", "1.0e5", 3000) for k in range(3)]
    out = os.path.join(folder, "stop")
    words = ("study", *scenes, "-o", out)
    process = subprocess.Popen(command(2, *words), env=PATIENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    tables = [os.path.join(out, f"long{k}", "steps.csv") for k in range(2)]
    deadline = time.time() + 120
    while time.time() < deadline and not all(os.path.exists(path) and os.path.getsize(path) > 2500 for path in tables):
        time.sleep(0.01)
    for rank in ranks_of(process):
        os.kill(rank, signal.SIGUSR1)
    output, _ = process.communicate(timeout=120)
    expect(process.returncode == 5 and "0 of 3 runs done, 2 failed or stopped, 1 not started" in output, process.returncode, output)
    done = call(2, *words, "-steps", "60")
    expect(done.code == 0 and "3 of 3 runs done" in done.output, done.output)
    whole = call(2, "study", *scenes, "-o", os.path.join(folder, "whole"), "-steps", "60")
    expect(whole.code == 0, whole.output)
    for k in range(3):
        stopped, straight = (call(1, "--version", directory=os.path.join(folder, name, f"long{k}")) for name in ("stop", "whole"))
        one, other = rows(stopped)[:60], rows(straight)
        expect([row["step"] for row in one] == list(range(1, 61)), k, "steps are missing")
        change = max(abs(row["energy_gravity_J"] - same["energy_gravity_J"]) for row, same in zip(one, other))
        expect(change < 1e-6 * abs(other[0]["energy_gravity_J"]), k, "the study that was stopped has other results:", change)


with scratch() as scratched:
    check_runs(scratched)
    check_failure(scratched)
    check_refusals(scratched)
    check_changed(scratched)
    check_stop(scratched)
print("ok")
