"""What cannot be converted is said, with file, line and exit code; nothing is dropped silently."""

import unittest

from ipc_support import ConverterCase

BOX = "shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1\n"


class Refusals(ConverterCase):
    def test_not_yet(self):
        for line, word in (
            ("timeIntegration NM", "Newmark"),
            ("dampingStiff 1e-4", "damping"),
            ("dampingRatio 0.1", "damping"),
            ("warmStart 2", "warmStart 2"),
            ("constraintSolver SQP", "constraintSolver SQP"),
            ("selfCollisionOff", "selfCollisionOff"),
            ("restart status5", "restart"),
            ("script ACOSquash", "script ACOSquash"),
            ("kappaMinMultiplier 1e12", "1e+12"),
            ("tol 2\n1e-2\n1e-3", "tolerance"),
            ("tuning 6\n0 1e-2 1e-3 1e-9 1e-3 1e-3", "shrinks"),
        ):
            with self.subTest(line=line):
                self.refused(3, BOX + line + "\n", "not yet: ", word, "scene.txt:3")

    def test_not_yet_words_of_shapes(self):
        for words in ("NBC 0 0 0  1 1 1  0 1 0", "meshSeq somewhere", "linearVelocity 1 0 0 DBC 0 0 0  1 1 1  1 0 0  0 0 0"):
            with self.subTest(words=words):
                self.refused(3, f"shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1 {words}\n", "not yet: ", "scene.txt:2")

    def test_mirrored_shape(self):
        self.refused(3, "shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 -1 1\n", "mirrored", "scene.txt:2")

    def test_kinematic_shape_that_would_be_free(self):
        self.refused(3, "shapes input 2\ninput/box.msh 0 0 0  0 0 0  1 1 1\ninput/plate.obj 0 -1 0  0 0 0  1 1 1\nscript fall\n", "scene.txt:3")

    def test_friction(self):
        for line in ("selfFric 0.1", "ground 0.1 0", "halfSpace 0 0 0  0 1 0  50 0.1"):
            with self.subTest(line=line):
                self.refused(3, BOX + line + "\n", "friction", "scene.txt:3", "--ignore-friction")
                self.assertIn("left out as asked (scene.txt:3)", self.convert(BOX + line + "\n", "--ignore-friction").text)

    def test_friction_of_a_mesh_obstacle_is_noted(self):
        self.assertIn("# Note: friction 0.5 of meshCO", self.convert(BOX + "meshCO input/plate.obj 0 0 0  1 50 0.5\n").text)

    def test_wrong_input(self):
        for line, *words in (
            ("viscosity 3", "unknown keyword 'viscosity'"),
            ("time 1", "dt is missing"),
            ("time 1 fast", "dt is 'fast'"),
            ("stiffness 1e5 0.7", "Poisson's ratio is 0.7", "[-1, 0.5]"),
            ("density 0", "density is 0"),
            ("energy StVK", "energy is 'StVK'"),
            ("script dance", "unknown script 'dance'"),
            ("meshCO input/none.obj 0 0 0  1 50 0", "'input/none.obj' not found"),
            ("meshCO input/none.stl 0 0 0  1 50 0", "'input/none.stl' is no mesh"),
            ("halfSpace 0 0 0  0 0 0  50 0", "normal"),
            ("rotateModel 0 0 2 90", "length 1"),
            ("shapes input 2", "the file ends where shape 1 is expected"),
            ("script DCORotCylinders", "4 kinematic shapes"),
        ):
            with self.subTest(line=line):
                self.refused(2, BOX + line + "\n", "scene.txt:3: ", *words)

    def test_damaged_mesh(self):
        self.write("input/cut.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 2\n3 0 0 2\n1\n2\n0 0 0\n")
        self.refused(2, "shape input input/cut.msh\n", "scene.txt:1", "cut.msh")

    def test_missing_scene_and_usage(self):
        self.refused(2, "", "no shapes")
        self.assertEqual(self.run_converter(BOX, "-o")[0], 2)

    def test_sections(self):
        """Blocks for other solvers are passed over up to `section end`; those for this one count."""
        document = self.convert("shape input input/box.msh\nsection SQP QP\nwarmStart 1\nsection\ntime 9 9\nsection end\n"
                                "section IP\ntime 2 0.5\nsection end\n")
        self.assertIn("time: {step: 0.5, steps: 4}", document.text)

    def test_absolute_parameters(self):
        text = self.convert(BOX + "useAbsParameters\ndHat 2e-3\ntol 1\n0.05\ntuning 1\n1e6\n").text
        self.assertIn("dhat: {absolute: 0.002}", text)
        self.assertIn("tolerance: {absolute: 0.05}", text)
        self.assertIn("stiffness: 1000000", text)


if __name__ == "__main__":
    unittest.main()
