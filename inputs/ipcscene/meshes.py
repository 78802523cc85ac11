"""Reads of mesh files what a conversion needs: vertices, and the surface vertices of tetrahedral meshes."""

import os

from .errors import NotYet, SceneError

KINDS = {".msh": "tets", ".obj": "triangles", ".seg": "segments", ".pt": "points"}
TETRAHEDRON = 4  # gmsh element type


def find(path, scene_path, place):
    """Where a path of a scene file leads: beside the scene, else below the nearest folder above it that holds `input/`."""
    extension = os.path.splitext(path)[1]
    if extension in ("", ".node", ".ele"):
        raise NotYet(place, f"TetGen mesh {path}")
    if extension not in KINDS:
        raise SceneError(place, f"'{path}' is no mesh: the file name must end in one of {' '.join(KINDS)}")
    folder = os.path.dirname(os.path.abspath(scene_path))
    candidates = [path] if os.path.isabs(path) else [os.path.join(folder, path)]
    while not os.path.isabs(path):
        if os.path.isdir(os.path.join(folder, "input")):
            candidates.append(os.path.join(folder, path))
            break
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    for candidate in candidates:
        if os.path.exists(readable(candidate)):
            return os.path.normpath(candidate)
    raise SceneError(place, f"mesh file '{path}' not found (looked for {', '.join(candidates)})")


def readable(path):
    """The file that holds a shape: a missing .seg or .pt is made of the .obj of the same name."""
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
            raise NotYet(self.place, f"gmsh format {' '.join(fields)} of '{self.path}' (2.2 and 4.1 in ASCII are read)")
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
