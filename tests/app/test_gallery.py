"""Each example of docs/gallery.md has a picture and commands on files that exist; `abut check` accepts its scene, and the tools run."""
import os
import re
import shlex
import subprocess

from abut_runs import ABUT, ENVIRONMENT, call, expect, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = 13


def examples():
    """Title, commands and pictures of each example."""
    with open(os.path.join(ROOT, "docs", "gallery.md"), encoding="utf-8") as page:
        parts = re.split(r"^## (.*)\n", page.read(), flags=re.M)[1:]
    for title, text in zip(parts[::2], parts[1::2]):
        yield title, [shlex.split(line) for line in re.findall(r"^    (.*)", text, re.M)], re.findall(r"!\[\]\((.*)\)", text)


def check(folder, words):
    """Checks the scene of a run or of a study, and runs every other command."""
    for word in words:
        expect(not re.match("(inputs|jobs|postprocess)/", word) or os.path.exists(os.path.join(folder, word)), words, "names", word)
    if words[0] in ("jobs/run.sh", "jobs/study.sh"):
        done = call(1, "check", os.path.join(folder, words[2]), "-o", folder)
        expect(words[1] == "2" and done.code == 0 and "initial intersections        none" in done.output, words, done.output)
    elif words[0] != "jobs/study_table.py":  # needs the runs of the study; app_tutorial makes its table
        done = subprocess.run(words, cwd=folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        expect(done.returncode == 0, words, done.stdout)


with scratch() as scratched:
    for name in ("inputs", "jobs", "postprocess"):
        os.symlink(os.path.join(ROOT, name), os.path.join(scratched, name))
    os.makedirs(os.path.join(scratched, "build", "bin"))
    os.symlink(ABUT, os.path.join(scratched, "build", "bin", "abut"))
    count = 0
    for what, commands, pictures in examples():
        count += 1
        expect(re.search(r": \d+(\.\d)? s$", what) and commands and len(pictures) == 1, what, commands, pictures)
        expect(os.path.exists(os.path.join(ROOT, "docs", pictures[0])), what, pictures)
        for command in commands:
            check(scratched, command)
    expect(count == EXAMPLES, count, "examples")
print("ok")
