#!/usr/bin/env python3
"""Sources look as clang-format 14 leaves them; skipped where that version is absent."""

import os
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
    findings, checked = [], sources.c_files()
    for path in checked:
        done = subprocess.run([program, "--style=file", path], capture_output=True, text=True, check=False, cwd=sources.ROOT)
        with open(os.path.join(sources.ROOT, path), encoding="utf-8") as stream:
            current = stream.read()
        if done.returncode:
            findings.append(f"{path}: {done.stderr.strip()}")
        elif done.stdout != current:
            pairs = enumerate(zip(done.stdout.splitlines(), current.splitlines()), 1)
            number = next((n for n, (wanted, found) in pairs if wanted != found), 1)
            findings.append(f"{path}:{number}: not formatted (clang-format -i {path})")
    sources.conclude(findings, checked)


main()
