"""Scripts of jobs: --help does nothing else; run.sh and study.sh with a stand-in for abut refuse wrong arguments, a failed run neither
ends a study nor shows old results."""
import glob
import json
import os
import subprocess

from abut_runs import ENVIRONMENT, MPIEXEC, expect, python_with, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# abut run SCENE -o DIR ...: a summary with the words of the command as the number of its steps, an error for a negative modulus
STAND_IN = """#!/bin/sh
if grep -q 'young: -' "$2"; then echo "abut: young must be positive" >&2; exit 2; fi
mkdir -p "$4" && echo "{\\"steps\\": $#}" >"$4/summary.json" && printf 'step\\n1\\n' >"$4/steps.csv"
"""


def job(folder, *words):
    """Exit code and output of a script of jobs; the stand-in is found by its name."""
    environment = dict(ENVIRONMENT, ABUT="abut", PATH=os.pathsep.join([folder, os.path.dirname(MPIEXEC), ENVIRONMENT["PATH"]]))
    command = [os.path.join(ROOT, "jobs", words[0]), *words[1:]]
    if words[0].endswith(".sbatch"):  # as outside of Slurm
        command.insert(0, "bash")
        environment.pop("SLURM_JOB_ID", None)
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def check_refusals(folder):
    for words, message in ((("2",), "needs the number of ranks and a scene"), (("0", "scene.yaml"), "the number of ranks is '0'"),
                           (("scene.yaml", "2"), "the number of ranks is 'scene.yaml'"), (("1", "absent.yaml"), "no scene 'absent.yaml'")):
        code, output = job(folder, "run.sh", *words)
        expect(code == 1 and message in output, words, code, output)


    for words, message in ((("build.sh", "-j1"), "no preset '-j1', only ci debug portable release"),
                           (("study.sh", "0", "scene.yaml", "scene.yaml", "out"), "the number of ranks is '0'"),
                           (("study.sh", "1", "absent.yaml", "scene.yaml", "out"), "no scene 'absent.yaml'"),
                           (("slurm/collect-study.sbatch", "out"), "Slurm did not start this script: sbatch jobs/slurm/collect-study")):
        code, output = job(folder, *words)
        expect(code == 1 and output.count("\n") == 1 and message in output, words, code, output)
    code, output = job(folder, "ipc2020.py", "-n", "0")
    expect(code == 2 and "'0' must be an integer from 1 on" in output, code, output)


def check_help(folder):
    """The comment at the head of each script, which names it."""
    names = glob.glob("**/*.sh", root_dir=os.path.join(ROOT, "jobs"), recursive=True)
    for name in sorted(set(names) - {"common.sh", "help.sh"}):
        code, output = job(folder, name, "--help")
        expect(code == 0 and "jobs/" + name in output and "==" not in output, name, code, output)
    code, output = job(folder, "balance.sh", "-h")
    expect(code == 0 and "usage: balance.py" in output, code, output)


def check_study(folder):
    """The second line has a wrong value, the third an unknown key."""
    python_with("h5py", "matplotlib", "numpy")
    old = os.path.join(folder, "study", "3")
    os.makedirs(old)
    for directory in (old, os.path.join(folder, "study", "2")):
        os.makedirs(directory, exist_ok=True)
        write(directory, "summary.json", '{"steps": 99}')
        write(directory, "steps.csv", "step\n1\n")
    write(folder, "values.txt", "young=1\nyoung=-1\nyuong=2\n\nyoung=4\n")
    code, output = job(folder, "study.sh", "1", "scene.yaml", "values.txt", "study")
    expect(code == 1 and "neither a key nor a word yuong" in output and "young must be positive" in output, code, output)
    expect("values.txt:3: " in output and output.endswith("study.sh: runs that failed: 2 3\n"), output)
    code, output = job(folder, "study_table.py", "study", "-c", "steps")
    rows = [line.split() for line in output.splitlines() if not line.startswith("study_table.py: ")]
    expect(code == 1 and rows[1:] == [["1", "1", "5"], ["2", "-1"], ["3", "2"], ["4", "4", "5"]], code, output)
    expect("run 2 has no summary.json" in output and "run 3 has" in output and "run 4" not in output, output)

    write(folder, "words.txt", "young=soft\nyoung=hard\n")
    code, output = job(folder, "study.sh", "1", "scene.yaml", "words.txt", "words")
    expect(code == 0, output)
    code, output = job(folder, "study_table.py", "words", "-c", "steps")
    expect(code == 0 and os.path.exists(os.path.join(folder, "words", "study.png")), code, output)
    code, output = job(folder, "study_table.py", "words", "-c", "steps", "--refine", "young")
    expect(code == 1 and "--refine needs numbers" in output, code, output)


with scratch() as folder:
    os.chmod(write(folder, "abut", STAND_IN), 0o755)
    write(folder, "scene.yaml", "materials: {soft: {young: 3}}\n")
    check_help(folder)
    check_refusals(folder)
    code, output = job(folder, "run.sh", "1", "scene.yaml")
    expect(code == 0, output)
    with open(os.path.join(folder, "results", "scene", "summary.json"), encoding="utf-8") as file:
        expect(json.load(file)["steps"] == 4, "run SCENE -o DIR has four words")
    check_study(folder)
print("ok")
