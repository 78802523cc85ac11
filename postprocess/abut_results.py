"""Results of a run of abut in a folder: fields.h5, steps.csv, pairs.csv, motions.csv, checkpoint.h5, summary.json.

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
import warnings

import h5py
import numpy as np

FORMAT = 1
CELL_FIELDS = ("von_mises", "cauchy", "plastic_strain")
SURFACE_FIELDS = ("contact_pressure", "contact_traction", "contact_gap", "contact_area", "friction_traction", "slip_rate", "slip",
                  "stick_state", "surface_position")  # by vertex of the contact surface; all others are by vertex of the mesh
AT_NODES = ("displacement", "velocity")  # interpolated by the shape functions of the cells
EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))  # of a cell, by corners
TEXTS = ("body_a", "body_b", "kind", "name", "case", "method", "limiter", "imbalance_body")  # columns of names, which may look like numbers
INDICES = ("cells", "surface", "contact_vertices", "obstacle_triangles", "obstacle_segments", "obstacle_points")  # of vertices
DAMAGE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, MemoryError, csv.Error)

_opened = []  # files in the order of their use: the last one is named where damage shows later than at its reading


class ResultsError(Exception):
    """A file is missing or invalid; the message names it."""


def _one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


class Table(dict):
    """Columns of a CSV file by name."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def __missing__(self, column):
        raise ResultsError(f"{self.path} has no column {column}; it has {', '.join(self)}")


class Node:
    """A file, group, dataset or the attributes of one in HDF5, as h5py has them; errors are ResultsErrors with file and place."""

    def __init__(self, node, file, place=""):
        self._node, self._file, self._place = node, file, place

    def __getitem__(self, key):
        place = self._place if not isinstance(key, str) else self._place + key if self._place.endswith(" ") else f"{self._place}/{key}"
        try:
            found = self._node[key]
        except KeyError:
            raise ResultsError(f"{self._file} has no {place}") from None
        except (OSError, *DAMAGE) as error:
            raise ResultsError(f"{self._file}: {place} cannot be read: {_one_line(error)}") from None
        return Node(found, self._file, place) if isinstance(found, (h5py.Group, h5py.Dataset)) else found

    def __getattr__(self, name):
        found = getattr(self._node, name)
        return Node(found, self._file, f"{self._place} attribute ") if name == "attrs" else found

    def __contains__(self, key):
        return key in self._node

    def __iter__(self):
        return iter(self._node)

    def __len__(self):
        return len(self._node)

    def __array__(self, *types, **options):
        return np.asarray(self[()], *types, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._node.close()

    def items(self):
        """Names and objects."""
        return [(name, self[name]) for name in self]


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
        _opened.append(path)
        return path

    def summary(self):
        """summary.json as a dictionary."""
        return read_json(self._path("summary.json"))

    def steps(self):
        """steps.csv as a dictionary of arrays by column; texts stay lists. A row cut off by a kill is left out."""
        return self._numbers("steps.csv")

    def pairs(self):
        """
        pairs.csv, as steps(): one row for each step and each pair of bodies in contact. Rows of steps that steps.csv does not have yet,
        because the run was killed, are left out.
        """
        return self._of_steps("pairs.csv")

    def motions(self):
        """motions.csv, as pairs(): one row for each step and each obstacle, motion and load, with its travel and reaction."""
        return self._of_steps("motions.csv")

    def motion(self, name, column):
        """A column of motions.csv for one obstacle, motion or load, for each row of steps(): motion("press", "force_y_N")."""
        motions = self.motions()
        rows = np.flatnonzero(np.array(motions["name"], str) == name)
        if not len(rows):
            raise ResultsError(f"{motions.path} has no {name}; it has {', '.join(dict.fromkeys(motions['name'])) or 'no rows'}")
        if not isinstance(motions[column], np.ndarray):
            raise ResultsError(f"{motions.path}: {column} has no numbers")
        values = np.full(len(self.steps()["step"]), np.nan)
        values[np.searchsorted(self.steps()["step"], motions["step"][rows])] = motions[column][rows]
        return values

    def _of_steps(self, name):
        """A table with several rows a step, without rows of steps that steps.csv lacks."""
        table = self._numbers(name)
        if not os.path.exists(os.path.join(self.directory, "steps.csv")):
            return table
        kept = np.flatnonzero(np.isin(table["step"], self.steps()["step"]))
        for column, values in table.items():
            table[column] = values[kept] if isinstance(values, np.ndarray) else [values[row] for row in kept]
        return table

    def force(self, body, column):
        """
        Force on a body from all its pairs, for each row of steps(): the sum of a column of pairs.csv such as "normal_z_N" [N]. Sums of
        lengths ("friction_sum_N") and "area_m2" have no sign.
        """
        steps, pairs = self.steps()["step"], self.pairs()
        first, second = np.array(pairs["body_a"], str), np.array(pairs["body_b"], str)
        if column not in pairs or not column.endswith(("_N", "area_m2")):
            forces = [name for name in pairs if name.endswith(("_N", "area_m2"))]
            raise ResultsError(f"{self.directory}/pairs.csv has no force or area {column}; it has {', '.join(forces)}")
        signs = (first == body).astype(float) - (second == body)  # the file has forces on body_a
        if not signs.any():
            names = sorted({*first, *second})
            raise ResultsError(f"{self.directory}/pairs.csv has no contact of {body}; it has {', '.join(names) or 'no contacts'}")
        if column.endswith(("_sum_N", "area_m2")):
            signs = abs(signs)
        return np.bincount(np.searchsorted(steps, pairs["step"]), signs * pairs[column], len(steps))[: len(steps)]

    def table(self, name):
        """A CSV file of the folder as steps(), for example "quality.csv" of `abut contacts`."""
        path = self._path(name)
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                complete = [line for line in stream if line.endswith("\n")]
            if not complete:
                raise ResultsError(f"{path} is empty")
            header, *rows = csv.reader(complete, strict=True)
        except (ValueError, csv.Error) as error:
            raise ResultsError(f"{path}: {_one_line(error)}") from None
        for line, row in enumerate(rows, 2):
            if len(row) != len(header):
                raise ResultsError(f"{path}:{line}: {len(row)} values, but the header has {len(header)}")
        table = Table(path)
        for column, name in enumerate(header):
            texts = [row[column] for row in rows]
            try:
                table[name] = texts if name in TEXTS else np.array([float(text) for text in texts])
            except ValueError:
                table[name] = texts
        return table

    def _numbers(self, name):
        """A table in which all columns but TEXTS are numbers."""
        table = self.table(name)
        for column, values in table.items():
            if column not in TEXTS and not isinstance(values, np.ndarray):
                line, value = next((line, value) for line, value in enumerate(values, 2) if not _is_number(value))
                raise ResultsError(f"{table.path}:{line}: {column} is \"{value}\", must be a number")
        return table

    def open(self, name):
        """An HDF5 file of the folder, opened for reading, for example "contacts.h5" of `abut contacts`."""
        path = self._path(name)
        try:
            return Node(h5py.File(path, "r"), path)
        except (OSError, *DAMAGE) as error:
            raise ResultsError(f"{path}: {_one_line(error)}") from None

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
        """A field of a level as an array: "position", "velocity", "cauchy", ...; SURFACE_FIELDS are by row of mesh("contact_vertices")."""
        group = self.level(level)
        if name not in group:
            raise ResultsError(f"{self.directory}: no field \"{name}\"; this level has {', '.join(sorted(group))}")
        place = "cells" if name in CELL_FIELDS else "contact_vertices" if name in SURFACE_FIELDS else "rest"
        return checked(group[name], len(self.mesh(place)) if "mesh" in self.fields() else None, 3 if name.endswith("position") else None)

    def surface(self, body, level="last"):
        """SURFACE_FIELDS of a body or obstacle by name, and "vertex": its vertices on the contact surface."""
        vertices, group = self.mesh("contact_vertices"), self.level(level)
        for name, _, (first, last), _ in self.bodies():
            if name == body:
                rows = np.flatnonzero((vertices >= first) & (vertices < last))
                return {"vertex": vertices[rows], **{field: self.field(field, level)[rows] for field in SURFACE_FIELDS if field in group}}
        raise ResultsError(f"{self.directory}: no body is called {body}; there are {', '.join(row[0] for row in self.bodies())}")

    def positions(self, level="last"):
        """Positions of the vertices [vertices, 3] in metres."""
        return self.field("position", level)

    def meshio(self, level="last"):
        """A level as a meshio.Mesh: the cells of the bodies, all fields by vertex and by cell; linear cells before quadratic ones."""
        import meshio

        cells, group = self.cell_vertices(), self.level(level)
        others = ("position", "planes", *SURFACE_FIELDS)
        fields = {name: data[()] for name, data in group.items() if name not in others and not name.startswith("node_")}
        by_vertex = {name: self.nodes(data) if name in AT_NODES else data for name, data in fields.items() if name not in CELL_FIELDS}
        numbers = {name: self.mesh("cells_" + name) for name in ("body", "region") if "cells_" + name in self.fields()["mesh"]}
        by_cell = {**numbers, **{name: data for name, data in fields.items() if name in CELL_FIELDS}}
        corners, linear, quadratic = (4, "tetra", "tetra10") if self.dim == 3 else (3, "triangle", "triangle6")
        quadratics = cells[:, -1] >= 0 if cells.shape[1] > corners else np.zeros(len(cells), bool)
        blocks = [(linear, ~quadratics, cells[:, :corners]), (quadratic, quadratics, cells)]
        blocks = [block for block in blocks if block[1].any()] or blocks[:1]
        parts = [(kind, rows[chosen]) for kind, chosen, rows in blocks]
        return meshio.Mesh(self.nodes(group["position"][()]), parts, point_data=by_vertex,
                           cell_data={name: [data[chosen] for _, chosen, _ in blocks] for name, data in by_cell.items()})

    def pyvista(self, level="last"):
        """A level as a pyvista.UnstructuredGrid, with the fields of meshio()."""
        import pyvista

        return pyvista.from_meshio(self.meshio(level))

    def mesh(self, name):
        """A dataset under /mesh as an array."""
        group = self.fields()["mesh"]
        values = checked(group[name], width=3 if name == "rest" else None)
        counted = "rest" if name in INDICES else "contact_vertices" if name == "contact_surface" else None
        count = len(group[counted]) if counted else len(group["bodies"]["name"]) if name.endswith("_body") else None
        if count is not None and len(values) and (values.dtype.kind == "f" or values.min() < 0 or values.max() >= count):
            raise ResultsError(f"{group.file.filename}: {group[name].name} has numbers outside of [0, {count})")
        return values

    def cell_vertices(self):
        """
        Vertices of the cells: corners [cells, 4; in 2D 3]. With quadratic cells 6 (in 2D 3) further columns: on the edges 01 12 20 03 13
        23, -1 in linear cells.
        """
        corners, group = self.mesh("cells"), self.fields()["mesh"]
        if "cells_middles" not in group:
            return corners
        middles = checked(group["cells_middles"], len(corners), 6 if self.dim == 3 else 3)
        if middles.dtype.kind == "f" or len(middles) and (middles.min() < -1 or middles.max() >= len(group["rest"])):
            raise ResultsError(f"{group.file.filename}: /mesh/cells_middles has numbers outside of [-1, {len(group['rest'])})")
        return np.hstack([corners, middles])

    def nodes(self, values):
        """
        Values at the nodes of quadratic cells, where their shape functions are 1, from values by vertex such as positions. The node on an
        edge is 3/4 of the vertex and 1/8 of each corner; elsewhere nodes are vertices.
        """
        cells, values = self.cell_vertices(), np.asarray(values)
        result, corners = values.copy(), self.dim + 1
        for k, (a, b) in enumerate(EDGES[: cells.shape[1] - corners]):
            some = cells[cells[:, corners + k] >= 0]
            result[some[:, corners + k]] = 0.75 * values[some[:, corners + k]] + 0.125 * (values[some[:, a]] + values[some[:, b]])
        return result

    @property
    def dim(self):
        dim = self.fields().attrs["dim"]
        if dim not in (2, 3):
            raise ResultsError(f"{self.fields().filename}: dim is {dim}, must be 2 or 3")
        return int(dim)

    def bodies(self):
        """Name, whether it is an obstacle, and first and last + 1 vertex and cell of each body."""
        group = self.fields()["mesh/bodies"]
        names = [name.decode("utf-8") for name in group["name"][()]]
        return [(name, bool(row[0]), tuple(row[1:3]), tuple(row[3:5])) for name, row in zip(names, group["obstacle_vertices_cells"][()])]

    def planes(self, level="last"):
        """
        Point and normal of the half spaces at a level. Files of version 0.1 and of `abut contacts` lack them: the scene file that the
        summary names has them; [] without that file or without PyYAML.
        """
        if "planes" not in self.level(level):
            return self._planes_of_scene()
        corners = checked(self.level(level)["planes"], width=3).reshape(-1, 4 if self.dim == 3 else 2, 3)
        along = corners[:, 1] - corners[:, 0]
        normals = np.cross(along, corners[:, 2] - corners[:, 1] if self.dim == 3 else [0.0, 0.0, 1.0])
        return list(zip(corners[:, 0], normals / np.linalg.norm(normals, axis=1)[:, None]))

    def _planes_of_scene(self):
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
        groups = [group for _, group in sorted(self.file["surfaces"].items(), key=lambda item: int(item[0]))]
        names = [group.attrs["name"] for group in groups]
        self.names = [name.decode() if isinstance(name, bytes) else str(name) for name in names]
        self.triangles = [checked(group["triangles"], width=3).astype(np.int64) for group in groups]
        self.frames = sorted(self.file["frames"])
        if not self.frames:
            raise ResultsError(f"{self.file.filename} holds no frame yet")

    def surface(self, frame, number):
        """Positions and displacements [vertices, 3] of a surface in a frame [m], and which vertices are in a contact zone."""
        group = self.file["frames"][frame][str(number)]
        position = checked(group["position"], width=3)
        return position, checked(group["displacement"], len(position), 3), checked(group["zone"], len(position)) > 0


def read_json(path):
    """A file with one JSON object, as a dictionary."""
    _opened.append(path)
    with open(path, encoding="utf-8") as stream:
        try:
            content = json.load(stream)
        except (ValueError, RecursionError) as error:
            raise ResultsError(f"{path} is no valid JSON: {_one_line(error)}") from None
    if not isinstance(content, dict):
        raise ResultsError(f"{path} is no JSON object")
    return content


def checked(dataset, rows=None, width=None):
    """A dataset of finite numbers, of this number of rows and columns."""
    values, place = dataset[()], f"{dataset.file.filename}: {dataset.name}"
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf":
        raise ResultsError(f"{place} has no numbers")
    if (rows is not None and values.shape[:1] != (rows,)) or (width is not None and values.shape[1:] != (width,)):
        wanted = ["any" if number is None else str(number) for number in (rows, width)]
        raise ResultsError(f"{place} has the shape {values.shape}, must be ({', '.join(wanted)})")
    if not np.isfinite(values).all():
        raise ResultsError(f"{place} has numbers that are not finite")
    return values


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


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
    text = f"{words} [{unit.replace('m2', 'm²')}]" if unit in ("N", "m", "m2", "s", "J", "Pa", "MB", "rad", "Nm") else column
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


def save(figure, path, **options):
    """Writes a figure of Matplotlib; the suffix of the file is the format."""
    formats = figure.canvas.get_supported_filetypes()
    if os.path.splitext(path)[1][1:].lower() not in formats:
        raise ResultsError(f"{path}: the suffix of a picture must be one of {', '.join(sorted(formats))}")
    figure.savefig(path, **options)


def guard(script, work):
    """Runs a script that reads results. Damaged files end it with one line that names the file, and exit status 1."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without the letter of a unit must not look like a damaged file
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of values that are not finite
            work()
    except (ResultsError, OSError) as error:
        file = "" if isinstance(error, ResultsError) or error.filename or not _opened else f"{_opened[-1]}: "
        sys.exit(f"{script}: {file}{' '.join(str(error).split())}")
    except DAMAGE as error:
        file = _opened[-1] if _opened else "results"
        sys.exit(f"{script}: {file} is damaged, or not as abut writes it ({_one_line(error)})")


def main(script, about, picture, draw):
    """Main program of a script that draws results: `about` is its docstring, `picture` the default file name in the folder."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", help="results of a run")
    parser.add_argument("-o", "--output", help=f"picture to write; default DIR/{picture}")
    args = parser.parse_args()

    def work():
        draw(args.directory, args.output or os.path.join(args.directory, picture))

    guard(script, work)
