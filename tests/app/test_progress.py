"""Files and mpiexec get lines, terminals get a bar, unless -progress chooses."""
import os
import pty
import subprocess
from abut_runs import ABUT, ENVIRONMENT, MPIEXEC, expect, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.01, steps: 3}
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1], cells: [1, 1]}}}
"""


def in_terminal(command):
    """Output of a command whose standard output is a terminal."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=follower, stderr=subprocess.DEVNULL)
    os.close(follower)
    text = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        text += part
    os.close(leader)
    expect(process.wait(timeout=100) == 0, command)
    return text.decode()


def in_file(command, folder):
    path = os.path.join(folder, "log")
    with open(path, "w") as stream:
        expect(subprocess.run(command, env=ENVIRONMENT, stdout=stream, stderr=subprocess.DEVNULL, timeout=100).returncode == 0, command)
    with open(path, newline="") as stream:
        return stream.read()


def kinds(text):
    return "\r[" in text, "step 3/3 time_s=" in text


BAR, LINES, NOTHING = (True, False), (False, True), (False, False)

with scratch() as folder:
    scene = write(folder, "box.yaml", SCENE)
    run = [ABUT, "run", scene, "-o", os.path.join(folder, "out"), "-overwrite"]
    for start in ([], [MPIEXEC, "-n", "1"], [MPIEXEC, "-n", "2"]):
        shown = in_file(start + run, folder)
        expect(kinds(shown) == LINES, start, "a file gets", shown)
        shown = in_terminal(start + run)
        expect(kinds(shown) == (LINES if start else BAR), start, "a terminal gets", shown)
        piped = ["sh", "-c", " ".join(start + run) + " | cat"]
        shown = in_terminal(piped)
        expect(kinds(shown) == LINES, start, "a pipe gets", shown)
        for mode, kind in (("bar", BAR), ("lines", LINES), ("none", NOTHING)):
            for show in (in_terminal, lambda command: in_file(command, folder)):
                shown = show(start + run + ["-progress", mode])
                expect(kinds(shown) == kind, start, mode, "shows", shown)
    failed = subprocess.run(run + ["-progress", "pie"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(failed.returncode == 2 and "pie" in failed.stdout and "bar lines none" in failed.stdout, failed.stdout)
    log = in_file(run, folder)
    expect("newton step" not in log, "a short step needs no line of its iterations:", log)
    expect("\nend steps=3 newton=" in log and log.endswith(" exit=0\n"), "the last line is", log)
    log = in_file(run + ["-heartbeat", "1e-9"], folder)
    expect(log.count("newton step=3 it=") == int(log.split("step 3/3")[1].split("newton=")[1].split()[0]), log)
    for point, steps in ((0.02, "3/3"), (0.015, "4")):  # a table splits the second step
        table = f"loads: [{{select: {{}}, acceleration: [1, 0], table: [[0, 0], [{point}, 1]]}}]\n"
        log = in_file(run[:2] + [write(folder, "table.yaml", SCENE + table)] + run[3:], folder)
        expect(f"step {steps} time_s=0.03 " in log, point, log)
    failed = subprocess.run(run + ["-heartbeat", "-1"], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(failed.returncode == 2 and "-heartbeat -1" in failed.stdout, failed.stdout)
print("ok")
