#!/usr/bin/env python3
"""Every script can be parsed, and a script with #! is executable."""

import os
import subprocess

import sources


def check(path):
    full = os.path.join(sources.ROOT, path)
    if path.endswith(".py"):
        try:
            compile("\n".join(sources.lines(path)) + "\n", path, "exec")
        except SyntaxError as error:
            yield f"{path}:{error.lineno}: {error.msg}"
    else:
        done = subprocess.run(["bash", "-n", full], capture_output=True, text=True, check=False)
        if done.returncode:
            yield f"{path}: {done.stderr.strip()}"
    if sources.lines(path)[0].startswith("#!") and not path.endswith(".sbatch") and not os.access(full, os.X_OK):
        yield f"{path}: begins with #! but is not executable"


def main():
    checked = sources.files(("inputs", "jobs", "postprocess", "tests", ".ci"), (".py", ".sh", ".sbatch", "run"))
    sources.conclude([finding for path in checked for finding in check(path)], checked)


main()
