"""Wall, Arch and masonry of inputs/contact_points: known areas, faces that coincide, gaps, files that are up to date."""

import filecmp
import math
import os
import sys
import tempfile
import unittest

from ipc_support import ROOT

FOLDER = os.path.join(ROOT, "inputs", "contact_points")
sys.path.insert(0, FOLDER)
import make_cases as cases  # noqa: E402
import make_structures as structures  # noqa: E402


def extent(meshes, body, normal):
    """Smallest and largest coordinate of a body along a unit vector."""
    points = [[x + d for x, d in zip(point, body[2])] for point in meshes[body[1]][0]]
    along = [sum(x * n for x, n in zip(point, normal)) for point in points]
    return min(along), max(along)


class Structures(unittest.TestCase):
    def check_faces(self, name, gap, cells):
        """Neighbours face each other at the distance `gap` along the expected normal."""
        meshes, bodies, expected = structures.STRUCTURES[name][0]((gap, cells))
        place = {body[0]: body for body in bodies}
        for a, b, normal, *_ in expected:
            self.assertAlmostEqual(extent(meshes, place[b], normal)[0] - extent(meshes, place[a], normal)[1], gap, delta=1e-12,
                                   msg=f"{name}: {a} {b}")
        return meshes, bodies, expected

    def test_faces(self):
        for name in ("wall", "arch", "masonry", "pillar"):
            for gap, cells in ((0, 12), (0, 6), (8e-4, 12)):
                if name != "pillar" or gap:
                    self.check_faces(name, gap, cells)

    def test_areas(self):
        """Equation (4) of Erleben (2018), and 14 joints of 1 m^2."""
        wall = structures.wall((0, 12))[2]
        self.assertEqual(len(wall), 8 + 70 + 135)
        self.assertAlmostEqual(sum(entry[4] for entry in wall), 8 * 0.3125 + 70 * 0.2 + 135 * 0.15625, places=12)
        self.assertAlmostEqual(sum(entry[4] for entry in structures.arch((0, 12))[2]), 14, places=12)

    def test_volumes(self):
        """Six and twelve cells fill the same stone; in twelve each cell has one face on the surface."""
        for cells in (6, 12):
            meshes = {**structures.wall((0, cells))[0], **structures.arch((0, cells))[0]}
            for name, volume in (("brick", 0.125), ("pillar_stone", 2 / 3), ("arch_4", 2 * math.sin(math.pi / 7) * (4 - 2.25) / 2)):
                points, found = meshes[name]
                self.assertEqual(len(found), cells)
                self.assertGreater(min(cases.volume(points, cell) for cell in found), 0)
                self.assertAlmostEqual(sum(cases.volume(points, cell) for cell in found), volume, places=12)
                if cells == 12:
                    self.assertTrue(all(8 in cell for cell in found))

    def test_up_to_date(self):
        with tempfile.TemporaryDirectory() as folder:
            sys.argv = ["make_structures.py", "-o", folder]
            structures.main()
            names = ["wall.yaml", "arch.yaml", "masonry.yaml"] + [f"meshes/{name}" for name in os.listdir(os.path.join(folder, "meshes"))]
            different = filecmp.cmpfiles(folder, FOLDER, names, shallow=False)
            self.assertEqual(different[1:], ([], []))


if __name__ == "__main__":
    unittest.main()
