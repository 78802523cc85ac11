"""Every vertex starts where the other code puts it."""

import math
import re
import unittest

from ipc_support import BOX, ConverterCase, msh22, obj, placed, rotation, TETS


def expected_start(shapes, rotate=None, size=None):
    """Start positions by the rules of the other code, shape by shape: shapes are (vertices, t, r, s)."""
    placed_shapes = []
    for vertices, t, r, s in shapes:
        turn = rotation(r)
        placed_shapes.append([tuple(sum(m * k * p for m, k, p in zip(row, s, v)) + d for row, d in zip(turn, t)) for v in vertices])

    def corners():
        columns = list(zip(*(p for points in placed_shapes for p in points)))
        return [min(c) for c in columns], [max(c) for c in columns]

    if rotate is not None:
        low, high = corners()
        half = [(b - a) / 2 for a, b in zip(low, high)]
        for points in placed_shapes:
            points[:] = [tuple(sum(m * (x - h) for m, x, h in zip(row, p, half)) + h0 for row, h0 in zip(rotate, half)) for p in points]
    if size is not None:
        low, high = corners()
        f = size / max(b - a for a, b in zip(low, high))
        for points in placed_shapes:
            points[:] = [tuple(f * (x - a) for x, a in zip(p, low)) for p in points]
    return placed_shapes


class Placement(ConverterCase):
    SHAPES = """shapes input 2
input/box.msh 1 2 3  10 20 30  1 2 0.5
# a comment between shapes

input/box.msh -4 0.5 1  -50 5 120  0.7 0.7 0.7
"""
    RULES = [(BOX, (1, 2, 3), (10, 20, 30), (1, 2, 0.5)), (BOX, (-4, 0.5, 1), (-50, 5, 120), (0.7, 0.7, 0.7))]

    def check(self, document, expected):
        for name, points in zip(("box_0", "box_1"), expected):
            self.assertPoints(placed(document.entries[name], BOX), points)

    def test_names_are_unique(self):
        """Meshes whose files are called like the parts that the converter names itself."""
        for mesh in ("plane", "static", "material"):
            self.write(f"input/{mesh}.obj", obj([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], [(1, 2, 3), (1, 3, 4)]))
        self.write("input/plane.msh", msh22(BOX, TETS))
        shapes = ["plane.obj", "static.obj", "material.obj", "plane.obj", "plane.msh", "box.msh"]
        lines = [f"input/{mesh} {3 * k} 0 0  0 0 0  1 1 1" for k, mesh in enumerate(shapes)]
        text = self.convert("\n".join([f"shapes input {len(shapes)}", *lines, "ground 0.1 -1", "halfSpace 0 -2 0  0 1 0  50 0.1",
                                       "meshCO input/plate.obj 0 -3 0  1 50 0", "script null"]) + "\n").text
        names = re.findall(r"\bname: (\w+)", text) + re.findall(r"^  (material_\d+): ", text, re.M)
        self.assertEqual(len(names), len(shapes) + 2 + 1 + 1)
        self.assertEqual(len(set(names)), len(names), names)

    def test_shapes(self):
        self.check(self.convert(self.SHAPES + "script fallNoShift\n"), expected_start(self.RULES))

    def test_size(self):
        self.check(self.convert(self.SHAPES + "size 3\n"), expected_start(self.RULES, size=3))

    def test_rotate_model_and_size(self):
        document = self.convert(self.SHAPES + "rotateModel 0 1 0 35\nsize 2\n")
        self.check(document, expected_start(self.RULES, rotate=rotation((0, 35, 0)), size=2))
        # the reference length belongs to the rest shape, which is scaled but not rotated
        rest = [p for points in expected_start(self.RULES) for p in points]
        start = [p for points in expected_start(self.RULES, rotate=rotation((0, 35, 0))) for p in points]
        f = 2 / max(max(c) - min(c) for c in zip(*start))
        diagonal = math.sqrt(sum((max(c) - min(c)) ** 2 for c in zip(*rest)))
        self.assertAlmostEqual(document.number("reference_length"), f * diagonal, 12)

    def test_fall_raises_by_half_the_diagonal(self):
        document = self.convert("shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1\nscript fall\n")
        self.assertPoints([document.entries["box_0"]["translate"]], [(0, 0.5 * math.sqrt(6), 0)])

    def test_mesh_obstacle(self):
        tent = [(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 1.0, 2.0)]
        self.write("input/tent.obj", obj(tent, [(1, 2, 3)]))
        document = self.convert("shape input input/box.msh\nsize 1\nmeshCO input/tent.obj 1 2 3  6 50 0 rotate 0 0 90\n")
        mean = [sum(c) / 3 for c in zip(*tent)]
        # centred, a quarter turn about z (x, y -> -y, x), largest extent 4 -> 6, then put at 1 2 3; not touched by `size`
        points = [(-1.5 * (v[1] - mean[1]) + 1, 1.5 * (v[0] - mean[0]) + 2, 1.5 * (v[2] - mean[2]) + 3) for v in tent]
        self.assertPoints(placed(document.entries["static_0"], tent), points)

    def test_grid_of_copies(self):
        scene = "shapes input 1\ninput/box.msh 0 5 0  0 0 0  1 1 1\n" \
                "shapeMatrix input 2 1 3  1 0 2\ninput/nail.pt 2 1 4  0 0 0  1 1 1\nscript DCOFix\n"
        self.write("input/nail.obj", obj([(0.0, 0.0, 0.0)], []))
        entry = self.convert(scene).entries["nail_1"]
        self.assertEqual((entry["copies"], entry["spacing"], entry["translate"]), ([2, 1, 3], [2, 1, 4], [1, 0, 2]))
        # a rotation of the whole model turns the grid: every copy becomes its own entry
        self.assertIn("nail_6", self.convert(scene + "rotateModel 0 0 1 45\n").entries)

    def test_planes(self):
        document = self.convert("shape input input/box.msh\nground 0 -1 50\nhalfSpace 1 2 3  0 3 4  50 0\n")
        self.assertIn("plane: {point: [0, -1, 0], normal: [0, 1, 0]}", document.text)
        self.assertIn("plane: {point: [1, 2, 3], normal: [0, 0.6, 0.8]}", document.text)

    def test_both_formats_of_gmsh(self):
        self.write("input/old.msh", msh22(BOX, TETS))
        for mesh in ("old", "box"):
            document = self.convert(f"shapes input 1\ninput/{mesh}.msh 0 0 0  0 0 0  1 1 1  DBC 0 0 0  0 1 1  0 0 0  0 0 0\n")
            self.assertEqual(document.motions[0]["ids"], [0, 2, 4, 6])


if __name__ == "__main__":
    unittest.main()
