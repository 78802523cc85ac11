"""Checks the Python modules that a script of this folder needs, and names the missing one in one line."""

import importlib.util
import os
import sys


def modules(*names):
    """Ends the script if one of the modules is missing."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise SystemExit(f"{os.path.basename(sys.argv[0])}: {sys.executable} has no {' and no '.join(missing)}: "
                         "run the script with a Python that has, "
                         f"such as /usr/bin/python3 after jobs/setup.sh, or install {' '.join(missing)}")
