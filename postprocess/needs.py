"""Checks the Python modules that a script of this folder needs."""

import importlib.util
import os
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"  # has the modules after jobs/setup.sh


def has(python, names):
    done = subprocess.run([python, "-c", "import " + ", ".join(names)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def modules(*names):
    """Continues with the system's Python if this one lacks a module; ends the script with a message if that one lacks it, too."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if not missing:
        return
    if os.path.exists(SYSTEM_PYTHON) and has(SYSTEM_PYTHON, names):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    raise SystemExit(f"{os.path.basename(sys.argv[0])}: {sys.executable} has no {' and no '.join(missing)}: run jobs/setup.sh, "
                     f"or install {' '.join(missing)}")
