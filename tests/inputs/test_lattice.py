"""Meshes cut from a lattice: shapes of cells, closed surface, volume of the function."""

import math
import os
import sys
import unittest

from ipc_support import ROOT

sys.path.insert(0, os.path.join(ROOT, "inputs", "ipc2020"))
import creatures  # noqa: E402
import lattice  # noqa: E402
from make_blocks import cross, dot, positive, skin, subtract, volume  # noqa: E402


def angles(points, cell):
    """Angles between the faces of a cell [degrees]."""
    a, b, c, d = (points[i] for i in cell)
    normals = [cross(subtract(q, p), subtract(r, p)) for p, q, r in ((b, c, d), (a, d, c), (a, b, d), (a, c, b))]
    for i in range(4):
        for j in range(i):
            n, m = normals[i], normals[j]
            yield 180 - math.degrees(math.acos(max(-1.0, min(1.0, dot(n, m) / math.sqrt(dot(n, n) * dot(m, m))))))


class Lattice(unittest.TestCase):
    def check(self, function, lower, upper, cell):
        points, tets = lattice.fill(function, lower, upper, cell)
        tets = positive(points, tets)
        self.assertGreater(min(volume(points, tet) for tet in tets), 1e-3 * cell**3)
        found = [angle for tet in tets for angle in angles(points, tet)]
        self.assertGreater(min(found), 10)
        self.assertLess(max(found), 160)
        uses = {}
        for face in skin(tets):
            for edge in zip(face, face[1:] + face[:1]):
                uses[frozenset(edge)] = uses.get(frozenset(edge), 0) + 1
        self.assertEqual(set(uses.values()), {2})
        return points, tets

    def test_ball(self):
        points, tets = self.check(creatures.ellipsoid((0.01, 0.02, 0.03), (0.4, 0.4, 0.4)), (-0.5,) * 3, (0.5,) * 3, 0.09)
        # a polyhedron inscribed in the ball: its volume is short by about (cell / radius)^2 / 10
        self.assertAlmostEqual(sum(volume(points, tet) for tet in tets) / (4 / 3 * math.pi * 0.4**3), 1.0, delta=0.02)
        for x, y, z in (points[v] for face in skin(tets) for v in face):
            self.assertAlmostEqual(math.hypot(x - 0.01, y - 0.02, z - 0.03), 0.4, delta=1e-4)

    def test_gnome(self):
        self.check(*creatures.gnome(), 0.055)

    def test_parts_that_float_are_dropped(self):
        def two(x, y, z):
            return min(math.hypot(x, y, z) - 0.3, math.hypot(x - 0.7, y, z) - 0.2)
        points, _ = self.check(two, (-0.5,) * 3, (1, 0.5, 0.5), 0.1)
        self.assertLess(max(p[0] for p in points), 0.31)


if __name__ == "__main__":
    unittest.main()
