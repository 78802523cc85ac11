#!/usr/bin/env python3
"""
Sources with SIMD batches compile without warnings for AVX-512 at -O3, as `ABUT_NATIVE` compiles them on a processor that has it:
registers of 512 bits change loops, and with them warnings. Usage: check_avx512.py BUILD_FOLDER
"""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TARGET = "-march=x86-64-v4"  # registers of 512 bits are preferred, unlike in skylake-avx512, whose warnings it contains
BATCHES = re.compile(r"AbutSimd|ABUT_SIMD")
# loops that the compiler turns into vectors; they have caused warnings
SHORT_LOOPS = ("/src/model/potential/oriented/", "/src/tools/untangle/sheets.c")


def chosen(path):
    with open(path, encoding="utf-8") as stream:
        return "/src/" in path and (any(part in path for part in SHORT_LOOPS) or BATCHES.search(stream.read()) is not None)


def arguments(entry):
    """Compiler command of a source for the target; the object file and a precompiled header, which is for another target, are dropped."""
    words = shlex.split(entry["command"])
    if os.path.basename(words[0]) == "ccache":
        del words[0]
    words = [word for word in words if not word.startswith(("-march=", "-fsanitize", "-O", "-Werror", "-Winvalid-pch"))]
    words[words.index("-o") + 1] = os.devnull
    return [*words, "-O3", "-g0", TARGET]


def messages(entry):
    done = subprocess.run(arguments(entry), cwd=entry["directory"], capture_output=True, text=True, check=False)
    return done.stderr


def knows_target(compiler):
    done = subprocess.run([compiler, TARGET, "-E", "-x", "c", os.devnull], capture_output=True, check=False)
    return done.returncode == 0


def main():
    with open(os.path.join(sys.argv[1], "compile_commands.json"), encoding="utf-8") as stream:
        entries = {entry["file"]: entry for entry in json.load(stream)}
    used = [entry for path, entry in sorted(entries.items()) if chosen(path)]
    assert len(used) > 20, f"only {len(used)} sources with SIMD batches: has the layout changed?"
    if not knows_target(arguments(used[0])[0]):
        sys.exit(77)
    with ThreadPoolExecutor(2) as pool:
        found = [text for text in pool.map(messages, used) if text]
    print("".join(found), end="")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
