#!/usr/bin/env python3
"""Doxygen builds the reference of the public headers without a warning. Usage: check_doxygen.py BUILD_FOLDER"""

import os
import re
import shutil
import subprocess
import sys

import sources


def main():
    if shutil.which("doxygen") is None:
        print("doxygen is not installed: skipped")
        sys.exit(sources.SKIPPED)
    build = next(word for word in sys.argv[1:] if not word.startswith("-"))
    done = subprocess.run(["doxygen", os.path.join(build, "Doxyfile")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    findings = [line for line in lines if re.search(r"(error|warning): ", line)]
    if done.returncode and not findings:
        findings = lines or [f"doxygen ended with exit code {done.returncode}"]
    sources.conclude(findings, sources.files(("include/abut",), (".h",)))


main()
