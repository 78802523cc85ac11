#!/usr/bin/env python3
"""Every option that the sources read is in a table that the program checks, or in the list of a command, and in the user guide.

The program's own options are also in the man page and in the completion of the shell."""

import re

import sources

READ = re.compile(r'PetscOptions(?:Int|Real|Bool|String|Enum)\(\s*"(-\w+)"')
TABLED = re.compile(r'\{\s*"(-\w+)",\s*ABUT_OPTION_\w+,(?! *"-)')
COMMON = re.compile(r'\{"(-\w+)", ABUT_OPTION_\w+\}')  # of all commands, read elsewhere
TABLE = re.compile(r"^(?:static )?const AbutOptionTable +(\w+Options) *=", re.M)
PROGRAM = "the lists of the program"
GUIDE = "docs/user-guide.md"
MAN, COMPLETION = "packaging/abut.1", "packaging/abut.bash-completion"


def main():
    texts = {path: "\n".join(sources.lines(path)) for path in sources.files(("src",), (".c",))}
    program = "\n".join(text for text in texts.values() if "AbutOptionTable *const" in text)  # where tables are listed
    read = {name for text in texts.values() for name in READ.findall(text)}
    tabled = {name for text in texts.values() for name in TABLED.findall(text)}
    tables = {name for text in texts.values() for name in TABLE.findall(text)}
    common = {name for text in texts.values() for name in COMMON.findall(text)}
    own = common | set(TABLED.findall(program))
    guide = {name for line in sources.lines(GUIDE) for name in re.findall(r"^\| `(-\w+)", line)}
    findings = [f"{PROGRAM}: {name} is missing" for name in sorted(read - tabled - common)]
    findings += [f"{PROGRAM}: nothing reads {name}" for name in sorted(common - read - tabled)]
    findings += [f"{PROGRAM}: the table {name} is missing" for name in sorted(tables - set(re.findall(r"&(\w+Options)\b", program)))]
    private = [path for path, text in texts.items() if TABLED.search(text) and not TABLE.search(text)]
    findings += [f"{path}: its options are in no AbutOptionTable that the program can check" for path in private]
    findings += [f"{GUIDE}: {name} is missing" for name in sorted((read | tabled) - guide)]
    for page in (MAN, COMPLETION):
        named = set(re.findall(r"-\w+", "\n".join(sources.lines(page)).replace("\\-", "-")))
        findings += [f"{page}: {name} is missing" for name in sorted(own - named)]
    sources.conclude(findings, texts if read and tabled and tables else [])


main()
