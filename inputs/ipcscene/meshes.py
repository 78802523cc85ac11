"""Reads vertices of mesh files, and the surface vertices of tetrahedral meshes."""

import itertools
import os

from .errors import Impossible, SceneError

KINDS = {".msh": "tets", ".obj": "triangles", ".seg": "segments", ".pt": "points"}
TETRAHEDRON = 4  # gmsh element type


def candidates(path, scene_path):
    """Candidates for a path of a scene file: beside the scene, else below the nearest parent folder with `input/`."""
    if os.path.isabs(path):
        return [path]
    folder = os.path.dirname(os.path.abspath(scene_path))
    found = [os.path.join(folder, path)]
    while not os.path.isdir(os.path.join(folder, "input")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return found
        folder = parent
    return found + [os.path.join(folder, path)]


def find(path, scene_path, place):
    """The mesh file of a path of a scene file."""
    extension = os.path.splitext(path)[1]
    if extension in ("", ".node", ".ele"):
        raise Impossible(place, f"TetGen mesh {path}; abut reads .msh, which Gmsh makes of it")
    if extension not in KINDS:
        raise SceneError(place, f"'{path}' is no mesh: the file name must end in one of {' '.join(KINDS)}")
    tried = candidates(path, scene_path)
    for candidate in tried:
        if os.path.exists(readable(candidate)):
            return os.path.normpath(candidate)
    raise SceneError(place, f"mesh file '{path}' not found (looked for {', '.join(tried)})")


def find_frames(folder, kind, scene_path, place):
    """Pattern of the files NUMBER.EXTENSION of a folder with positions step by step, number of the first (0 or 1), and how many follow."""
    own = {name: extension for extension, name in KINDS.items()}[kind]
    for path in candidates(folder, scene_path):
        for extension in (own, ".obj") if kind in ("segments", "points") else (own,):
            pattern = os.path.join(os.path.normpath(path), "%d" + extension)
            first = next((k for k in (0, 1) if os.path.exists(pattern % k)), None)
            if first is not None:
                return pattern, first, next(k for k in itertools.count(1) if not os.path.exists(pattern % (first + k)))
    raise SceneError(place, f"no mesh files 0{own} or 1{own} in folder '{folder}' (looked in {', '.join(candidates(folder, scene_path))})")


def readable(path):
    """The file of a shape: a missing .seg or .pt is written from the .obj of the same name."""
    stem, extension = os.path.splitext(path)
    return stem + ".obj" if extension in (".seg", ".pt") and not os.path.exists(path) else path


class Mesh:
    """A mesh file: `vertices` as tuples in file order; the surface is read when asked for."""

    def __init__(self, path, place):
        self.path = path
        self.place = place
        self.kind = KINDS[os.path.splitext(path)[1]]
        self._surface = None
        try:
            with open(readable(path), encoding="utf-8", errors="replace") as stream:
                lines = stream.read().splitlines()
        except OSError as error:
            raise SceneError(place, f"cannot read mesh '{path}': {error.strerror}") from error
        try:
            if self.kind == "tets":
                self._lines = lines
                self.vertices, self._index = self._read_nodes()
            else:
                self.vertices = [tuple(map(float, line.split()[1:4])) for line in lines if line.startswith("v ")]
        except (ValueError, IndexError, KeyError) as error:
            raise SceneError(place, f"mesh '{path}' is damaged: {error}") from error
        if not self.vertices or any(len(v) != 3 for v in self.vertices):
            raise SceneError(place, f"mesh '{path}' has no vertices with three coordinates")

    def surface(self):
        """Sorted vertex numbers on the boundary; all vertices of meshes that are no volumes."""
        if self.kind != "tets":
            return range(len(self.vertices))
        if self._surface is None:
            faces = set()
            for tet in self._read_tets():
                for corner in range(4):
                    faces ^= {tuple(sorted(tet[:corner] + tet[corner + 1:]))}
            self._surface = sorted({v for face in faces for v in face})
        return self._surface

    def _section(self, name):
        if f"${name}" not in self._lines:
            raise ValueError(f"section ${name} is missing")
        return self._lines.index(f"${name}") + 1

    def _version(self):
        fields = self._lines[self._section("MeshFormat")].split()
        if fields[0] not in ("2.2", "4.1") or fields[1] != "0":
            raise Impossible(self.place, f"gmsh format {' '.join(fields)} of '{self.path}'; 2.2 and 4.1 in ASCII are read")
        return fields[0]

    def _read_nodes(self):
        """Vertices in file order and the place of every tag."""
        at, lines, vertices, tags = self._section("Nodes"), self._lines, [], []
        if self._version() == "2.2":
            for line in lines[at + 1:at + 1 + int(lines[at])]:
                fields = line.split()
                tags.append(int(fields[0]))
                vertices.append(tuple(map(float, fields[1:4])))
        else:
            blocks = int(lines[at].split()[0])
            at += 1
            for _ in range(blocks):
                count = int(lines[at].split()[3])
                tags += [int(line) for line in lines[at + 1:at + 1 + count]]
                vertices += [tuple(map(float, line.split()[:3])) for line in lines[at + 1 + count:at + 1 + 2 * count]]
                at += 1 + 2 * count
        if len(vertices) != len(tags) or any(len(v) != 3 for v in vertices):
            raise ValueError("$Nodes ends early")
        return vertices, {tag: i for i, tag in enumerate(tags)}

    def _read_tets(self):
        at, lines, tets = self._section("Elements"), self._lines, []
        if self._version() == "2.2":
            for line in lines[at + 1:at + 1 + int(lines[at])]:
                fields = line.split()
                if int(fields[1]) == TETRAHEDRON:
                    tets.append(fields[-4:])
        else:
            blocks = int(lines[at].split()[0])
            at += 1
            for _ in range(blocks):
                fields = lines[at].split()
                if int(fields[2]) == TETRAHEDRON:
                    tets += [line.split()[1:5] for line in lines[at + 1:at + 1 + int(fields[3])]]
                at += 1 + int(fields[3])
        return [tuple(self._index[int(tag)] for tag in tet) for tet in tets]
