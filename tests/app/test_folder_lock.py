"""A run is refused in the folder of another one that is alive; the lock of a run that has ended or was killed does not hold."""
import os
import signal
import subprocess
import time
from abut_runs import KILL, PATIENT, command, expect, ranks_of, run, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.01, steps: 1000000}
gravity: [0, -10]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1], cells: [2, 2]}}}
output: {fields: {every: 0}, checkpoint: {every: 1}}
"""


def start(scene, out, ranks, *options):
    """A run that has written a checkpoint and goes on."""
    process = subprocess.Popen(command(ranks, "run", scene, "-o", out, *options), env=PATIENT, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    deadline = time.time() + 120
    while not os.path.exists(os.path.join(out, "checkpoint.h5")) and time.time() < deadline:
        time.sleep(0.02)
    expect(process.poll() is None and time.time() < deadline, "the run does not go on")
    return process


def end(process, number):
    for rank in ranks_of(process):
        os.kill(rank, number)
    process.wait(timeout=120)


with scratch() as folder:
    scene = write(folder, "fall.yaml", SCENE)
    for ranks in (1, 2):
        out = os.path.join(folder, str(ranks))
        checkpoint, lock = os.path.join(out, "checkpoint.h5"), os.path.join(out, "run.lock")
        first = start(scene, out, ranks)
        for options in (("-overwrite",), ("-restart", checkpoint)):
            done = run(scene, out, 3 - ranks, *options, "-steps", "3")
            expect(done.code == 2 and done.output.count("abut: ") == 1, options, done.code, done.output)
            expect("another run writes into the folder" in done.output and ", process " in done.output, done.output)
        end(first, signal.SIGTERM)
        expect(not os.path.exists(lock), "the lock of a run that has ended is left")
        os.remove(checkpoint)
        end(start(scene, out, ranks, "-overwrite"), KILL)
        expect(os.path.exists(lock), "this test does not kill a run")
        expect(run(scene, out, 3 - ranks, "-overwrite", "-steps", "3").code == 0, "the lock of a killed run holds")
        expect(not os.path.exists(lock), "the lock is left")
print("ok")
