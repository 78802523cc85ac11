"""Small scenes and meshes of their own making for the tests of the converter."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONVERTER = os.path.join(ROOT, "inputs", "from_ipc.py")
sys.path.insert(0, os.path.join(ROOT, "inputs"))

# a box of two unit-high layers along x: five tetrahedra would do, the converter needs only corners and a surface
BOX = [(0, 0, 0), (2, 0, 0), (0, 1, 0), (2, 1, 0), (0, 0, 1), (2, 0, 1), (0, 1, 1), (2, 1, 1)]
TETS = [(1, 2, 3, 5), (2, 4, 3, 8), (2, 5, 6, 8), (3, 5, 8, 7), (2, 3, 5, 8)]


def msh41(vertices, tets):
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$Nodes", f"1 {len(vertices)} 1 {len(vertices)}", f"3 0 0 {len(vertices)}"]
    lines += [str(i + 1) for i in range(len(vertices))] + ["%r %r %r" % v for v in vertices] + ["$EndNodes"]
    lines += ["$Elements", f"1 {len(tets)} 1 {len(tets)}", f"3 0 4 {len(tets)}"]
    lines += [f"{i + 1} " + " ".join(map(str, tet)) for i, tet in enumerate(tets)] + ["$EndElements"]
    return "\n".join(lines) + "\n"


def msh22(vertices, tets):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(vertices))]
    lines += [f"{i + 1} " + "%r %r %r" % v for i, v in enumerate(vertices)] + ["$EndNodes", "$Elements", str(len(tets) + 1)]
    lines += ["1 2 2 0 0 1 2 3"] + [f"{i + 2} 4 2 0 0 " + " ".join(map(str, tet)) for i, tet in enumerate(tets)] + ["$EndElements"]
    return "\n".join(lines) + "\n"


def obj(vertices, faces):
    return "".join("v %r %r %r\n" % v for v in vertices) + "".join("f %d %d %d\n" % f for f in faces)


def rotation(degrees):
    """Rx Ry Rz, written out independently of the converter."""
    from math import cos, radians, sin
    (a, b, c) = map(radians, degrees)
    return (
        (cos(b) * cos(c), -cos(b) * sin(c), sin(b)),
        (cos(a) * sin(c) + sin(a) * sin(b) * cos(c), cos(a) * cos(c) - sin(a) * sin(b) * sin(c), -sin(a) * cos(b)),
        (sin(a) * sin(c) - cos(a) * sin(b) * cos(c), sin(a) * cos(c) + cos(a) * sin(b) * sin(c), cos(a) * cos(b)),
    )


def placed(entry, vertices):
    """Where abut puts the vertices of a body: p' = R (scale .* p) + translate."""
    scale, turn = entry.get("scale", 1), rotation(entry.get("rotate", (0, 0, 0)))
    scale = scale if isinstance(scale, list) else [scale] * 3
    if entry.get("center"):
        mean = [sum(column) / len(vertices) for column in zip(*vertices)]
        vertices = [tuple(p - m for p, m in zip(v, mean)) for v in vertices]
    out = []
    for v in vertices:
        q = [s * p for s, p in zip(scale, v)]
        out.append(tuple(sum(r * x for r, x in zip(row, q)) + t for row, t in zip(turn, entry.get("translate", (0, 0, 0)))))
    return out


def value(text):
    text = re.sub(r"\b(true|false)\b", lambda m: m[0].capitalize(), text.strip())
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class Document:
    """A written scene, read back line by line: `entries` by name, `motions` and `loads` in order, and `text`."""

    def __init__(self, text):
        self.text = text
        self.entries, self.motions, self.loads = {}, [], []
        text = re.sub(r",\n\s+", ", ", text)
        for block in re.split(r"\n  - ", text)[1:]:
            fields = {}
            for line in block.split("\n    "):
                line = line.split("\n")[0]
                key, _, rest = line.partition(": ")
                fields[key.strip()] = value(rest)
            if "name" in fields:
                self.entries[fields["name"]] = fields
            elif "select" in fields:
                ids = re.search(r"ids: (\[[^]]*\])", fields["select"])
                body = re.search(r"body: (\w+)", fields["select"])
                fields["ids"], fields["body"] = value(ids[1]) if ids else None, body[1] if body else None
                (self.loads if "acceleration" in fields else self.motions).append(fields)
            elif "plane" in fields:
                self.motions.append(fields)

    def number(self, key):
        return float(re.search(rf"{key}: ([-0-9.e+]+)", self.text)[1])


class ConverterCase(unittest.TestCase):
    """Each test has a folder with meshes below `input/` and scenes below `input/scenes/`."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("input/box.msh", msh41(BOX, TETS))
        self.write("input/plate.obj", obj([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], [(1, 2, 3), (1, 3, 4)]))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(text)

    def run_converter(self, scene, *options):
        """Exit code and standard error."""
        self.write("input/scenes/scene.txt", scene)
        command = [sys.executable, CONVERTER, self.path("input/scenes/scene.txt"), "-o", self.path("scene.yaml"), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def convert(self, scene, *options):
        code, said = self.run_converter(scene, *options)
        self.assertEqual(code, 0, said)
        with open(self.path("scene.yaml"), encoding="utf-8") as stream:
            return Document(stream.read())

    def refused(self, code, scene, *words, options=()):
        """The scene ends in the code, and the message holds the words."""
        got, said = self.run_converter(scene, *options)
        self.assertEqual(got, code, said)
        self.assertNotIn("Traceback", said)
        for word in words:
            self.assertIn(word, said)

    def assertPoints(self, points, expected, digits=12):
        self.assertEqual(len(points), len(expected))
        for p, q in zip(points, expected):
            for a, b in zip(p, q):
                self.assertAlmostEqual(a, b, digits)
