"""Writes tables into pages of docs/: new rows replace rows of the same run between `<!-- measured: SECTION -->` and `<!-- end -->`."""

import dataclasses
import os
import re

from scene_runs import markdown


@dataclasses.dataclass(frozen=True)
class Table:
    columns: list
    keys: int  # number of leading columns that identify the run or study of a row
    rows: list  # new rows: dictionaries by column
    order: list  # keys of all possible rows, as tuples


def parsed(text):
    """Rows of a Markdown table as dictionaries by column; none without a table."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [dict(zip(lines[0], cells)) for cells in lines[2:]]


def merged(table, text):
    """The table in `text` with rows replaced by the rows of `table` with the same key, in the order of `table`; unknown rows come last."""
    rows = {}
    for row in parsed(text) + table.rows:
        found = {column: str(row.get(column, "")) for column in table.columns}
        rows[tuple(found[column] for column in table.columns[: table.keys])] = found
    places = {key: place for place, key in enumerate(table.order)}
    return markdown(table.columns, [rows[key] for key in sorted(rows, key=lambda key: places.get(key, len(places)))])


def pictures(path):
    """Names of the pictures that the page at `path` shows."""
    with open(path, encoding="utf-8") as stream:
        return [os.path.basename(link) for link in re.findall(r"!\[[^]]*\]\(([^)]+)\)", stream.read())]


def fill(path, tables):
    """Merges tables, by section, into the page at `path`."""
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    for section, table in tables.items():
        found = re.search(rf"<!-- measured: {section} -->\n(.*?)<!-- end -->", text, re.S)
        if found:
            text = text[: found.start(1)] + merged(table, found.group(1)) + text[found.end(1) :]
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def write_tables(folder, tables):
    """Writes tables, by section, to FOLDER/SECTION.md: also tables that no page has. Tables without rows are skipped."""
    os.makedirs(folder, exist_ok=True)
    for section, table in tables.items():
        if table.rows:
            with open(os.path.join(folder, f"{section}.md"), "w", encoding="utf-8") as stream:
                stream.write(merged(table, ""))
