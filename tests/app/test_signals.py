"""A signal ends set-up at once with code 5, and a run in progress with a checkpoint and code 5; the process keeps its name."""
import os
import signal
import subprocess
import time
from abut_runs import ABUT, ENVIRONMENT, MPIEXEC, PATIENT, content, expect, ranks_of, run, run_and_signal, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 100000}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [CELLS, CELLS, CELLS]}}}
output: {fields: {every: 0}}
"""


def processor_seconds(process):
    """Seconds that a process has computed, by /proc/PID/stat."""
    try:
        with open(f"/proc/{process}/stat") as stream:
            return sum(map(int, stream.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def signal_in_set_up(start, scene, out, number, *options, first=0):
    """Sends a signal to the ranks from `first` on while the mesh is made; exit code, output and the seconds until the end."""
    process = subprocess.Popen(start + [ABUT, "run", scene, "-o", out, *options], env=PATIENT, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    count, ranks, least = 2 if start else 1, [], 1.0 if options else 0.3
    while process.poll() is None and (len(ranks) < count or min(map(processor_seconds, ranks)) < least or not os.path.isdir(out)):
        ranks = ranks if len(ranks) == count else ranks_of(process)
        time.sleep(0.01)
    expect(process.poll() is None, "set-up was over before the signal: take a larger scene\n",
           process.stdout.read() if process.poll() else "")
    sent = time.time()
    for rank in ranks[first:]:
        os.kill(rank, number)
    said, _ = process.communicate(timeout=120)
    return process.returncode, said, time.time() - sent


with scratch() as folder:
    large, small = write(folder, "large.yaml", SCENE.replace("CELLS", "90")), write(folder, "small.yaml", SCENE.replace("CELLS", "2"))
    for start in ([], [MPIEXEC, "-n", "2"]):
        for number in (signal.SIGTERM, signal.SIGUSR1) if start else (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            out = os.path.join(folder, f"set-up-{len(start)}-{number}")
            code, said, seconds = signal_in_set_up(start, large, out, number)
            expect(code == 5 and said.count("during set-up: no step was computed") == 1, start, number, "exit code", code, said)
            expect(start or f"stopped by signal {number} " in said, said)
            expect(seconds < 10, number, "took", seconds, "s")
            expect(set(os.listdir(out)) <= {"run.lock"}, "set-up left", os.listdir(out))

    # a signal to one rank ends the others; MPICH kills rank 0, Open MPI lets it speak
    code, said, seconds = signal_in_set_up([MPIEXEC, "-n", "2"], large, os.path.join(folder, "one-rank"), signal.SIGTERM, first=1)
    expect(code == 5 and said.count("during set-up: no step was computed") <= 1 and seconds < 10, code, said, seconds)

    # results of the run before stay as they were
    out = os.path.join(folder, "before")
    expect(run(small, out, 1, "-steps", "1").code == 0, "the first run failed")
    before = content(out)
    for options in (("-overwrite",), ("-restart", os.path.join(out, "checkpoint.h5"))):
        code, said, _ = signal_in_set_up([], large, out, signal.SIGTERM, *options)
        left = content(out)
        left.pop("run.lock", None)  # locks nothing after its process has ended
        expect(code == 5 and left == before, options, "exit code", code, said, "left", os.listdir(out))

    out = os.path.join(folder, "hangup")
    done = run_and_signal(small, out, 2, 5, signal.SIGHUP, "-verify", "0")
    expect(done.code == 5 and "stopped by signal 1 after step" in done.output, done.code, done.output)
    steps = done.summary["last_step"]
    again = run(small, out, 2, "-restart", os.path.join(out, "checkpoint.h5"), "-steps", steps + 2)
    expect(again.code == 0 and len(again.steps) == steps + 2, again.output)

    # the program may have executed itself again to choose kernels of OpenBLAS
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "OPENBLAS_CORETYPE"}
    process = subprocess.Popen([ABUT, "run", large, "-o", os.path.join(folder, "name")], env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    while process.poll() is None and processor_seconds(process.pid) < 0.5:
        time.sleep(0.01)
    with open(f"/proc/{process.pid}/comm") as stream:
        name = stream.read().strip()
    process.kill()
    process.wait()
    expect(name == os.path.basename(ABUT), "the process is called", name)
print("ok")
