"""Puts tables into docs/oipc.md: between the lines `<!-- measured: SECTION -->` and `<!-- end -->` rows measured now replace those of the same run."""

import dataclasses
import re

from scene_runs import markdown


@dataclasses.dataclass(frozen=True)
class Table:
    columns: list
    keys: int  # how many columns, from the first, say which run or study a row is of
    rows: list  # that were measured now: dictionaries by column
    order: list  # keys of all rows that there can be, as tuples


def parsed(text):
    """Rows of a Markdown table as dictionaries by column."""
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return [dict(zip(lines[0], cells)) for cells in lines[2:]]


def merged(table, text):
    """The table in `text` with the rows of `table` in the place of those with the same key, in its order; rows that it does not know are the last."""
    rows = {}
    for row in parsed(text) + table.rows:
        found = {column: str(row.get(column, "")) for column in table.columns}
        rows[tuple(found[column] for column in table.columns[: table.keys])] = found
    places = {key: place for place, key in enumerate(table.order)}
    return markdown(table.columns, [rows[key] for key in sorted(rows, key=lambda key: places.get(key, len(places)))])


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
