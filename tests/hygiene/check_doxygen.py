#!/usr/bin/env python3
"""Doxygen builds the reference of the public headers without a warning. Usage: check_doxygen.py BUILD_FOLDER"""

import os
import re
import shutil
import subprocess
import sys

import sources


OBJECT = re.compile(r"\w+\((?:const )?Abut\w+ \**(\w+)")


def run(build):
    """Messages of Doxygen with warnings about missing parameters, which the target `doc` leaves out."""
    with open(os.path.join(build, "Doxyfile"), encoding="utf-8") as stream:
        settings = stream.read() + "\nWARN_IF_INCOMPLETE_DOC = YES\n"
    done = subprocess.run(["doxygen", "-"], input=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return re.split(r"\n(?! )", done.stdout.strip())


def only_the_object(message):
    """Whether a message is about a function whose only undocumented parameter is the object, its first one."""
    missing, object_name = re.findall(r"parameter '(\w+)'", message), OBJECT.search(message)
    return bool(missing) and object_name is not None and missing == [object_name[1]]


def main():
    if shutil.which("doxygen") is None:
        print("doxygen is not installed: skipped")
        sys.exit(sources.SKIPPED)
    messages = run(next(word for word in sys.argv[1:] if not word.startswith("-")))
    findings = [message for message in messages if re.search(r"(error|warning): ", message) and not only_the_object(message)]
    sources.conclude(findings, sources.files(("include/abut",), (".h",)))


main()
