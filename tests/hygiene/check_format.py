#!/usr/bin/env python3
"""Sources look as clang-format 14 leaves them; skipped where that version is absent."""

import re
import shutil
import subprocess
import sys

import sources

VERSION = 14


def formatter():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
            match = re.search(r"version (\d+)", said)
            if match and int(match[1]) == VERSION:
                return path
    return None


def main():
    program = formatter()
    if program is None:
        print(f"clang-format {VERSION} is not installed: skipped")
        sys.exit(sources.SKIPPED)
    checked = sources.c_files()
    done = subprocess.run([program, "--style=file", "--dry-run", "--Werror", *checked], capture_output=True, text=True, check=False,
                          cwd=sources.ROOT)
    first = {}  # line of each file that would change
    for path, line in re.findall(r"^(.*?):(\d+):\d+: error: code should be clang-formatted", done.stderr, re.M):
        first.setdefault(path, line)
    findings = [f"{path}:{line}: not formatted (clang-format -i {path})" for path, line in first.items()]
    if done.returncode and not findings:
        findings = [done.stderr.strip()]
    sources.conclude(findings, checked)


main()
