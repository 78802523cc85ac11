"""The commands of docs/tutorial.md run in their order, print the lines that the page shows, and write its pictures."""
import os
import re
import subprocess

from abut_runs import ABUT, ENVIRONMENT, expect, python_with, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
# The scene's tolerance of 1e-6 m/s is 5e-8 m in a step, 0.1 % of the 50 um that a jaw moves. Orders and percentages come from differences
# of forces of 1 %, in which such an error is 10 % of the order.
RELATIVE, OF_DIFFERENCES = 2e-3, 0.1


def blocks():
    """Commands of the page, each with the lines of the text that follows it before the next command."""
    with open(os.path.join(ROOT, "docs", "tutorial.md"), encoding="utf-8") as page:
        found = re.findall(r"```(sh|text)\n(.*?)```", page.read(), re.S)
    commands = []
    for kind, text in found:
        if kind == "sh":
            commands.append((text, []))
        else:
            commands[-1][1].extend(text.splitlines())
    return commands


def words(line):
    return NUMBER.sub("#", line).split()


def same(shown, printed):
    """Whether a line has the words and numbers of the page; after an ellipsis at its end all lines are the same."""
    if shown.endswith(" ..."):
        shown, printed = shown[:-4], printed[: len(shown) - 4]
    if words(shown) != words(printed):
        return False
    of_differences = "at order" in shown
    for k, (wanted, value) in enumerate(zip(map(float, NUMBER.findall(shown)), map(float, NUMBER.findall(printed)))):
        bound = OF_DIFFERENCES if of_differences and k > 0 else RELATIVE * abs(wanted)
        if abs(value - wanted) > bound:
            return False
    return True


def check_lines(command, shown, printed):
    """Every line of the page is in the output, in this order."""
    rest = iter(printed.splitlines())
    for line in shown:
        expect(any(same(line, candidate) for candidate in rest), f"the page shows\n{line}\nafter\n{command}which prints\n{printed}")


def check_comparison():
    """Another number, another word and another order of lines are differences."""
    expect(same("jaw: 17784.1", "jaw:  17780.0") and not same("jaw: 17784.1", "jaw: 17740"), "numbers")
    expect(not same("upper jaw: 1", "lower jaw: 1"), "words")
    expect(same("a 5, ...", "a 5, b 6") and not same("a 5, ...", "a 6, b 6"), "ellipsis")
    try:
        check_lines("", ["a", "b"], "b\na")
    except AssertionError:
        return
    raise AssertionError("order of lines")


check_comparison()
python_with("h5py", "matplotlib", "numpy")
with scratch() as folder:
    for name in ("inputs", "jobs", "postprocess"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.makedirs(os.path.join(folder, "build", "bin"))
    os.symlink(ABUT, os.path.join(folder, "build", "bin", "abut"))
    environment = {**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1", "ABUT": os.path.join(folder, "build", "bin", "abut")}
    for command, shown in blocks():
        done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        expect(done.returncode == 0, command, done.stdout)
        check_lines(command, shown, done.stdout)
    for picture in ("rod.png", "forces.png", "sizes/study.png", "friction/study.png"):
        expect(os.path.getsize(os.path.join(folder, "results", "tutorial", picture)) > 20000, "no picture", picture)
print("ok")
