#!/usr/bin/env python3
"""Every option that the sources read is in the table of the program and in the user guide."""

import re

import sources

READ = re.compile(r'PetscOptions(?:Int|Real|Bool|String|Enum)\(\s*"(-\w+)"')
TABLED = re.compile(r'\{\s*"(-\w+)",\s*ABUT_OPTION_\w+')
TABLE = "src/app/options.c"
GUIDE = "docs/user-guide.md"


def main():
    checked = [path for path in sources.files(("src",), (".c",)) if path != TABLE]
    read = {name for path in checked for name in READ.findall("\n".join(sources.lines(path)))}
    read |= {name for path in checked for name in TABLED.findall("\n".join(sources.lines(path)))}
    own = {name for line in sources.lines(TABLE) for name in re.findall(r'^  \{"(-\w+)", \w+\},$', line)}
    guide = {name for line in sources.lines(GUIDE) for name in re.findall(r"^\| `(-\w+)", line)}
    findings = [f"{TABLE}: {name} is missing" for name in sorted(read - own)]
    findings += [f"{TABLE}: nothing reads {name}" for name in sorted(own - read)]
    findings += [f"{GUIDE}: {name} is missing" for name in sorted(read - guide)]
    sources.conclude(findings, checked if read else [])


main()
