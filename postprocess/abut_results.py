"""Results of a run of abut in a folder: fields.h5, steps.csv, pairs.csv, checkpoint.h5, summary.json.

    from abut_results import Results
    run = Results("results/drop")
    run.steps()["time_s"]                 # a column of steps.csv as an array
    run.positions("last")                 # [vertices, 3] in metres
    run.meshio("last").write("drop.vtu")  # needs meshio
    run.pyvista("last").plot()            # needs meshio and pyvista

A level is a name of levels(), or a word for choose_levels(): "first", "last", "s120".
"""

import argparse
import csv
import json
import math
import os
import sys

import h5py
import numpy as np

FORMAT = 1
CELL_FIELDS = ("von_mises", "cauchy")  # all others are by vertex
TEXTS = ("body_a", "body_b")  # columns of names, which may look like numbers


class ResultsError(Exception):
    """A file is missing or invalid; the message names it."""


class Results:
    """A folder of results. Files are read on first use, so that a missing file does not prevent the use of others."""

    def __init__(self, directory):
        if not os.path.isdir(directory):
            raise ResultsError(f"{directory}: no such directory")
        self.directory = directory
        self._fields = None

    def _path(self, name):
        path = os.path.join(self.directory, name)
        if not os.path.exists(path):
            raise ResultsError(f"{path}: no such file; has the run written anything yet?")
        return path

    def summary(self):
        """summary.json as a dictionary."""
        path = self._path("summary.json")
        with open(path, encoding="utf-8") as stream:
            try:
                return json.load(stream)
            except ValueError as error:
                raise ResultsError(f"{path}: {error}") from None

    def steps(self):
        """steps.csv as a dictionary of arrays by column; texts stay lists. A row cut off by a kill is left out."""
        return self.table("steps.csv")

    def pairs(self):
        """pairs.csv, as steps(): one row for each step and each pair of bodies in contact."""
        return self.table("pairs.csv")

    def force(self, body, column):
        """Force on a body from all its pairs, for each row of steps(): the sum of a column of pairs.csv such as "normal_z_N" [N]."""
        steps, pairs = self.steps()["step"], self.pairs()
        first, second = np.array(pairs["body_a"], str), np.array(pairs["body_b"], str)
        if column not in pairs or not column.endswith("_N"):
            forces = [name for name in pairs if name.endswith("_N")]
            raise ResultsError(f"{self.directory}/pairs.csv has no force {column}; it has {', '.join(forces)}")
        signs = (first == body).astype(float) - (second == body)  # the file has forces on body_a
        if not signs.any():
            names = sorted({*first, *second})
            raise ResultsError(f"{self.directory}/pairs.csv has no contact of {body}; it has {', '.join(names) or 'no contacts'}")
        return np.bincount(np.searchsorted(steps, pairs["step"]), signs * pairs[column], len(steps))[: len(steps)]

    def table(self, name):
        """A CSV file of the folder as steps(), for example "quality.csv" of `abut contacts`."""
        path = self._path(name)
        with open(path, encoding="utf-8", newline="") as stream:
            complete = [line for line in stream if line.endswith("\n")]
        if not complete:
            raise ResultsError(f"{path} is empty")
        header, *rows = csv.reader(complete)
        table = {}
        for column, name in enumerate(header):
            texts = [row[column] for row in rows]
            try:
                table[name] = texts if name in TEXTS else np.array([float(text) for text in texts])
            except ValueError:
                table[name] = texts
        return table

    def open(self, name):
        """An HDF5 file of the folder, opened for reading, for example "contacts.h5" of `abut contacts`."""
        path = self._path(name)
        try:
            return h5py.File(path, "r")
        except OSError as error:
            raise ResultsError(f"{path}: {error}") from None

    def checkpoint(self):
        """checkpoint.h5, opened for reading: position, velocity, ... of all vertices [vertices, dim]."""
        return self.open("checkpoint.h5")

    def fields(self):
        """fields.h5, opened for reading."""
        if self._fields is None:
            fields = self.open("fields.h5")
            found = fields.attrs.get("abut_format")
            if found != FORMAT:
                raise ResultsError(f"{fields.filename}: format version {found}, this script reads {FORMAT}")
            self._fields = fields
        return self._fields

    def levels(self):
        """Names of the time levels in fields.h5, in order of their steps."""
        steps = self.fields()["steps"]
        return sorted(steps, key=lambda name: int(steps[name].attrs["step"]))

    def level(self, name):
        """One time level: a group with position, displacement, velocity, ... and attributes step and time."""
        steps = self.fields()["steps"]
        if name in steps:
            return steps[name]
        chosen = choose_levels(self.levels(), name)
        if len(chosen) > 1:
            raise ResultsError(f"\"{name}\" means {len(chosen)} levels, must be one")
        return steps[chosen[0]]

    def field(self, name, level="last"):
        """A field of a level as an array, by vertex or by cell: "position", "velocity", "stress", ..."""
        group = self.level(level)
        if name not in group:
            raise ResultsError(f"{self.directory}: no field \"{name}\"; this level has {', '.join(sorted(group))}")
        return group[name][()]

    def positions(self, level="last"):
        """Positions of the vertices [vertices, 3] in metres."""
        return self.field("position", level)

    def meshio(self, level="last"):
        """A level as a meshio.Mesh: the cells of the bodies, all fields by vertex and by cell."""
        import meshio

        cells, group = self.mesh("cells"), self.level(level)
        fields = {name: data[()] for name, data in group.items() if name != "position"}
        by_vertex = {name: data for name, data in fields.items() if name not in CELL_FIELDS}
        by_cell = {name: [data] for name, data in fields.items() if name in CELL_FIELDS}
        kind = "tetra" if cells.shape[1] == 4 else "triangle"
        return meshio.Mesh(group["position"][()], [(kind, cells)], point_data=by_vertex,
                           cell_data={"body": [self.mesh("cells_body")], **by_cell})

    def pyvista(self, level="last"):
        """A level as a pyvista.UnstructuredGrid, with the fields of meshio()."""
        import pyvista

        return pyvista.from_meshio(self.meshio(level))

    def mesh(self, name):
        """A dataset under /mesh as an array."""
        return self.fields()["mesh"][name][()]

    @property
    def dim(self):
        return int(self.fields().attrs["dim"])

    def bodies(self):
        """Name, whether it is an obstacle, and first and last + 1 vertex and cell of each body."""
        group = self.fields()["mesh/bodies"]
        names = [name.decode("utf-8") for name in group["name"][()]]
        return [(name, bool(row[0]), tuple(row[1:3]), tuple(row[3:5])) for name, row in zip(names, group["obstacle_vertices_cells"][()])]

    def planes(self):
        """Point and normal of the half spaces, read from the scene file named in the summary; [] without the file or without PyYAML."""
        try:
            import yaml

            with open(self.summary()["scene"], encoding="utf-8") as stream:
                scene = yaml.safe_load(stream)
            specs = [obstacle["plane"] for obstacle in scene.get("obstacles") or [] if "plane" in obstacle]
            planes = [(np.array(_three(spec["point"])), np.array(_three(spec["normal"]))) for spec in specs]
        except (ImportError, OSError, ResultsError, KeyError, TypeError, ValueError, AttributeError):
            return []
        return [(point, normal / np.linalg.norm(normal)) for point, normal in planes if np.linalg.norm(normal) > 0]


class Frames:
    """frames.h5 of `abut deform`: triangles of the surfaces, positions and contact zones by frame."""

    def __init__(self, directory):
        self.file = Results(directory).open("frames.h5")
        groups = [self.file["surfaces"][key] for key in sorted(self.file["surfaces"], key=int)]
        names = [group.attrs["name"] for group in groups]
        self.names = [name.decode() if isinstance(name, bytes) else str(name) for name in names]
        self.triangles = [group["triangles"][()].astype(np.int64) for group in groups]
        self.frames = sorted(self.file["frames"])
        if not self.frames:
            raise ResultsError(f"{self.file.filename} holds no frame yet")

    def surface(self, frame, number):
        """Positions and displacements [vertices, 3] of a surface in a frame [m], and which vertices are in a contact zone."""
        group = self.file["frames"][frame][str(number)]
        return group["position"][()], group["displacement"][()], group["zone"][()] > 0


def _three(values):
    return ([float(value) for value in values] + [0.0, 0.0, 0.0])[:3]


def choose_levels(names, wanted):
    """Names of levels for a list such as "first,middle,last", "0,-1", "all", "s120" (step 120) or "000120" (a name); no level twice."""
    if not names:
        raise ResultsError("the run has written no time level")
    chosen = []
    for word in wanted.split(","):
        word = word.strip()
        if word == "all":
            picks = names
        elif word in names:  # before indices, because a name is a number as well
            picks = [word]
        elif word in ("first", "middle", "last"):
            picks = [names[{"first": 0, "middle": len(names) // 2, "last": -1}[word]]]
        elif word.startswith("s") and word[1:].isdigit():
            picks = [name for name in names if int(name) == int(word[1:])]
        else:
            try:
                picks = [names[int(word)]]
            except (ValueError, IndexError):
                picks = []
        if not picks:
            raise ResultsError(f"no level \"{word}\" among {len(names)}; use first, middle, last, all, an index or s<step>")
        chosen += [name for name in picks if name not in chosen]
    return chosen


def labelled(column):
    """Text for an axis: "jaw:normal_z_N" -> "jaw: normal z [N]"."""
    words, _, unit = column.rpartition("_")
    text = f"{words} [{unit}]" if unit in ("N", "m", "s", "J", "Pa", "MB") else column
    return text.replace("_", " ").replace(":", ": ")


def engineering(value, unit):
    """A number with a prefix of its unit: 0.0012, "m" -> "1.2 mm"."""
    if value is None:
        return "-"
    if value == 0 or not math.isfinite(value):
        return f"{value:g} {unit}"
    prefixes = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
    power = min(9, max(-9, 3 * math.floor(math.log10(abs(value)) / 3)))
    return f"{value / 10.0**power:.4g} {prefixes[power]}{unit}"


def main(script, about, picture, draw):
    """Main program of a script that draws results: `about` is its docstring, `picture` the default file name in the folder."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", help="results of a run")
    parser.add_argument("-o", "--output", help=f"picture to write; default DIR/{picture}")
    args = parser.parse_args()
    try:
        draw(args.directory, args.output or os.path.join(args.directory, picture))
    except (ResultsError, OSError) as error:
        sys.exit(f"{script}: {error}")
