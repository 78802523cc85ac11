"""Runs the program on scenes written by tests and reads its results."""
import csv
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

ABUT = os.environ["ABUT"]
MPIEXEC = os.environ["MPIEXEC"]
SECONDS = float(os.environ.get("ABUT_TEST_SECONDS", "1400"))  # of one run
SUPPORT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")
with open(os.path.join(SUPPORT, "environment.txt"), encoding="ascii") as listed:
    os.environ.update(line.strip().split("=", 1) for line in listed if not line.startswith("#"))
# One rank without mpiexec needs no daemon of Open MPI. Its folder has no number then: one for each test.
MPI_FOLDER = tempfile.TemporaryDirectory(prefix="abut-mpi-")
os.environ.update(OMPI_MCA_ess_singleton_isolated="1", OMPI_MCA_orte_tmpdir_base=MPI_FOLDER.name)
ENVIRONMENT = dict(os.environ)
# As for users, Open MPI waits before it kills the ranks that are left after the first one has ended.
PATIENT = {name: value for name, value in ENVIRONMENT.items() if name != "OMPI_MCA_odls_base_sigkill_timeout"}


class Finished:
    """Exit code, output and result files of a run."""

    def __init__(self, code, output, directory):
        self.code, self.output, self.directory = code, output, directory

    def table(self, name):
        """Rows of a CSV file of the run."""
        with open(os.path.join(self.directory, name)) as file:
            return [{key: number(value) for key, value in row.items()} for row in csv.DictReader(file)]

    @property
    def steps(self):
        return self.table("steps.csv")

    @property
    def summary(self):
        with open(os.path.join(self.directory, "summary.json")) as file:
            return json.load(file)


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def content(folder):
    """Bytes of all files by name."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def scratch():
    return tempfile.TemporaryDirectory(prefix="abut-test-")


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def command(ranks, *words):
    """One rank needs no mpiexec, whose start takes longer than that of abut."""
    return ([MPIEXEC, "-n", str(ranks)] if ranks > 1 else []) + [ABUT, *map(str, words)]


def call(ranks, *words, directory="", environment=None):
    """Runs abut with these words and additional variables of the environment; the output is both channels."""
    done = subprocess.run(command(ranks, *words), env=ENVIRONMENT | (environment or {}), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
    return Finished(done.returncode, done.stdout, directory)


def run(scene, out, ranks=1, *options, environment=None):
    return call(ranks, "run", scene, "-o", out, *options, directory=out, environment=environment)


def ranks_of(process):
    """Process numbers of the ranks: the descendants of a launcher that run abut. Launchers may start them through another program."""
    found, parents = [], [process.pid]
    while parents:
        parent = parents.pop(0)
        children = subprocess.run(["pgrep", "-P", str(parent)], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        parents += map(int, children)
        try:
            if os.path.samefile(f"/proc/{parent}/exe", ABUT):
                found.append(parent)
        except OSError:  # it has ended since
            pass
    return sorted(found)


def run_and_signal(scene, out, ranks, after_step, number_of_signal, *options, verb="run", table="steps.csv"):
    """Starts a run and sends a signal to the program's ranks once the table of its steps has this many rows."""
    process = subprocess.Popen(command(ranks, verb, scene, "-o", out, *options), env=PATIENT, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    path = os.path.join(out, table)
    deadline = time.time() + 240
    while process.poll() is None and time.time() < deadline:
        if os.path.exists(path) and sum(1 for _ in open(path)) > after_step:
            break
        time.sleep(0.01)
    assert process.poll() is None, "the run ended before the signal: make it longer\n" + process.stdout.read()
    for rank in ranks_of(process):
        os.kill(rank, number_of_signal)
    output, _ = process.communicate(timeout=120)
    return Finished(process.returncode, output, out)


def python_with(*modules):
    """A Python that has these modules; without one the test is skipped."""
    for python in ("python3", "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import " + ", ".join(modules)], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    print(f"skipped: no Python with {', '.join(modules)}")
    sys.exit(77)


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def near(value, wanted, tolerance, what):
    expect(abs(value - wanted) <= tolerance, f"{what} is {value!r}, expected {wanted!r} within {tolerance:g}")


KILL, TERMINATE = signal.SIGKILL, signal.SIGTERM


def simplices(edges):
    """Cells of a grid of bricks, each divided along its diagonal; edges: coordinates along each axis. Points count the last axis first."""
    dim = len(edges)
    number = {point: i for i, point in enumerate(itertools.product(*(range(len(e)) for e in edges)))}
    cells = []
    for corner in itertools.product(*(range(len(e) - 1) for e in edges)):
        for order in itertools.permutations(range(dim)):
            at, cell = list(corner), [number[corner]]
            for axis in order:
                at[axis] += 1
                cell.append(number[tuple(at)])
            odd = sum(order[i] > order[k] for k in range(dim) for i in range(k)) % 2
            cells.append([cell[1], cell[0], *cell[2:]] if odd else cell)
    return cells
