"""Functions shared by scripts that run scenes: run a scene unless it has results, read results, draw them, write tables."""

import argparse
import csv
import fnmatch
import json
import math
import os
import re
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1", **os.environ}
if os.geteuid() == 0:  # Open MPI in containers
    ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def matching(names, patterns, folder, script):
    """Names that match a pattern, in their order; all names without patterns."""
    found = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns or ["*"])]
    if not found:
        raise SystemExit(f"{script}: no scene of {folder} is called {' or '.join(patterns or ['*'])}")
    return found


def fail(text):
    """Ends the script with exit code 2 and a line on standard error that begins with its name."""
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)
    raise SystemExit(2)


def positive_integer(text):
    """An integer from 1 on, for example a number of ranks; for argparse."""
    if not re.fullmatch(r"0*[1-9]\d*", text):
        raise argparse.ArgumentTypeError(f"'{text}' must be an integer from 1 on")
    return int(text)


def positive_integers(text):
    """Integers from 1 on, separated by commas; for argparse."""
    return [positive_integer(word) for word in text.split(",")]


def parser_of(about, results, ranks, timeout=3600):
    """Parser with the common options; `about` is the docstring of the script, `results` the folder in results/."""
    parser = argparse.ArgumentParser(description=about.split("\n", maxsplit=1)[0])
    parser.add_argument("-n", "--ranks", type=positive_integer, default=ranks)
    parser.add_argument("-o", "--output", default=os.path.join(ROOT, "results", results))
    parser.add_argument("--abut", default=os.path.join(ROOT, "build", "bin", "abut"))
    parser.add_argument("--timeout", type=float, default=timeout, help="seconds that a run may take in one go")
    return parser


def add_scene_options(parser, quick_steps, page):
    """Adds the options of scripts that run a folder of scenes and fill a page with their results; returns the group of sizes of a run."""
    parser.add_argument("names", nargs="*", metavar="NAME")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_true", help=f"{quick_steps} steps of each")
    sizes.add_argument("--coarse", action="store_true", help="coarse meshes and fewer steps, minutes")
    parser.add_argument("--page", action="store_true", help=f"{page} from existing results, without running anything")
    parser.add_argument("--no-pictures", action="store_true")
    return sizes


def summary_of(out):
    try:
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError):
        return None


def cost_of(out):
    """Processor seconds and peak memory [MB] of all runs in a folder, restarts included; 0: unknown."""
    try:
        with open(os.path.join(out, "cost.json"), encoding="utf-8") as stream:
            known = json.load(stream)
    except (OSError, ValueError):
        known = {}
    return {"cpu_s": known.get("cpu_s", 0.0), "peak_MB": known.get("peak_MB", 0.0)}


def processor_seconds(out):
    """Processor time of the runs in a folder; 0: unknown. Other programs on the machine do not change it."""
    return cost_of(out)["cpu_s"]


def peak_megabytes(out):
    """Largest sum over the ranks of their peak memory in the runs in a folder; 0: unknown."""
    last = (summary_of(out) or {}).get("peak_memory_MB", {"sum": 0.0})
    return max(cost_of(out)["peak_MB"], last["sum"])


def set_cost(out, cost):
    with open(os.path.join(out, "cost.json"), "w", encoding="utf-8") as stream:
        json.dump(cost, stream)


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def requested(options):
    """Options as a dictionary, without options that do not change results."""
    words, found = list(options), {}
    while words:
        name = words.pop(0)
        value = words.pop(0) if words and not re.match(r"-[a-z]", words[0]) else ""
        if name not in ("-o", "-walltime", "-restart", "-restart_interpolate", "-overwrite"):
            found[name] = value
    return found


def differs(before, scene, options):
    """Scene and options of existing results if they differ from the requested ones, else ''."""
    if os.path.abspath(before["scene"]) != os.path.abspath(scene):
        return before["scene"]
    asked = requested(before["options"].split())
    return "" if asked == requested(options) else " ".join([before["scene"], *map(" ".join, asked.items())]).strip()


def require_program(abut):
    if not os.access(abut, os.X_OK) or os.path.isdir(abut):
        raise SystemExit(f"there is no program {abut}: build it (jobs/build.sh), or say where it is with --abut")


def steps_of(scene):
    """Number of steps of a scene, from its entry `time` on one line; 0: unknown."""
    try:
        with open(scene, encoding="utf-8") as stream:
            time = dict(re.findall(r"(\w+): ([-+.\de]+)", re.search(r"^time: \{(.*)\}", stream.read(), re.M).group(1)))
    except (OSError, AttributeError):
        return 0
    if "steps" in time:
        return int(time["steps"])
    return math.ceil(float(time["end"]) / float(time["step"]) - 1e-9) if {"end", "step"} <= set(time) else 0


def incomplete_reason(out):
    """Reason why results are not of a complete run of the scene.yaml in their folder, or ''."""
    summary = summary_of(out)
    if not summary:
        return "has not ended"
    if summary["exit_code"]:
        return f"exit {summary['exit_code']}: {summary.get('message', '')[:160]}"
    asked = requested(summary["options"].split()).get("-steps")
    if asked and int(asked) != steps_of(os.path.join(out, "scene.yaml")):
        return f"was run with -steps {asked}"
    return "" if len(rows_of(out)) == summary["last_step"] else "is being run again"


def run(scene, out, arguments, options=()):
    """Runs a scene unless it has results; returns exit code and error message."""
    require_program(arguments.abut)
    os.makedirs(out, exist_ok=True)
    before = summary_of(out)
    other = before and differs(before, scene, options)
    if other:
        return 2, f"the results there are of {other}: delete {out}, or give another folder (-o)"
    if before and before["exit_code"] == 0:
        return 0, ""
    command = [] if arguments.ranks == 1 else ["mpiexec", "-n", str(arguments.ranks)]
    command += [arguments.abut, "run", scene, "-o", out, *options]
    checkpoint = os.path.join(out, "checkpoint.h5")
    cost = {"cpu_s": 0.0, "peak_MB": 0.0}
    if before and before["exit_code"] == 5 and os.path.exists(checkpoint):
        command += ["-restart", checkpoint]
        cost = {"cpu_s": processor_seconds(out), "peak_MB": peak_megabytes(out)}
    else:
        command += ["-overwrite"]
    set_cost(out, cost)
    already = children_seconds()
    try:
        done = subprocess.run(command + ["-walltime", str(arguments.timeout / 60)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True,
                              check=False, env=ENVIRONMENT, timeout=arguments.timeout + 600)
        code, said = done.returncode, done.stdout
    except subprocess.TimeoutExpired as expired:
        code, said = 124, (expired.stdout or b"").decode(errors="replace") + "\nabut: did not end in time"
    set_cost(out, {**cost, "cpu_s": cost["cpu_s"] + children_seconds() - already})
    with open(os.path.join(out, "log.txt"), "w", encoding="utf-8") as stream:
        stream.write(said)
    words = [line for line in said.splitlines() if line.startswith("abut: ")]
    return code, words[0].removeprefix("abut: ") if words else ""


def converted(source, path):
    """Converts a scene of the 2020 IPC code into the scene `path`, whose meshes stay where they are; returns the path.

    Raises ValueError with the converter's message if it refuses the scene.
    """
    os.makedirs(os.path.dirname(path), exist_ok=True)
    done = subprocess.run([sys.executable, os.path.join(ROOT, "inputs", "from_ipc.py"), source, "-o", path], stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    return path


def divided(source, path, times):
    """Makes the mesh `path`, the mesh `source` with cells cut into eight `times` times, unless it exists."""
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        part = os.path.join(os.path.dirname(path), "part_" + os.path.basename(path))
        subprocess.run([sys.executable, os.path.join(ROOT, "jobs", "refine_mesh.py"), source, part, "--times", str(times)], check=True)
        os.replace(part, path)


def rows_of(out, table="steps.csv"):
    try:
        with open(os.path.join(out, table), encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    except OSError:
        return []


def postprocess(script, out, picture, *options):
    """Runs a script of postprocess/ on results; returns an error message or ''."""
    for python in ("python3", "/usr/bin/python3"):
        done = subprocess.run([python, os.path.join(ROOT, "postprocess", script), out, "-o", picture, *options], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode == 0:
            return ""
    return "not drawn: " + (done.stdout.strip().splitlines() or ["?"])[-1][:120]


def draw(out, picture, options=()):
    """Draws results; returns an error message or ''."""
    return postprocess("render.py", out, picture, "--width", "1280", "--palette", "160", "--edges", *options)


def markdown(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(str(row[key]) for key in columns) + " |" for row in rows]) + "\n"


def section(name):
    """Regular expression of a table that scripts write into a page; its group is the table."""
    return rf"<!-- measured: {name} -->\n(.*?)\n?<!-- end -->"


def section_of(page, name):
    """The table of a section of a page."""
    with open(page, encoding="utf-8") as stream:
        return re.search(section(name), stream.read(), re.S)[1]


def write_section(page, name, table):
    """Replaces the table of a section of a page."""
    with open(page, encoding="utf-8") as stream:
        text = stream.read()
    text = re.sub(section(name), lambda found: f"<!-- measured: {name} -->\n{table.rstrip()}\n<!-- end -->", text, flags=re.S)
    with open(page, "w", encoding="utf-8") as stream:
        stream.write(text)
