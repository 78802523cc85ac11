"""What cannot be converted is said, with file, line and exit code; nothing is dropped silently."""

import unittest

from ipc_support import ConverterCase

BOX = "shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1\n"


class Refusals(ConverterCase):
    def test_not_possible(self):
        for line, word in (
            ("timeIntegration NM 0.3 0.5", "beta 0.3"),
            ("selfCollisionOff", "selfCollisionOff"),
            ("restart status5", "restart"),
            ("script hang", "script hang"),
        ):
            with self.subTest(line=line):
                self.refused(3, BOX + line + "\n", "not possible: ", word, "scene.txt:3")

    def test_two_motions_at_one_time(self):
        words = "linearVelocity 1 0 0 DBC 0 0 0  1 1 1  1 0 0  0 0 0"
        self.refused(3, f"shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1 {words}\n", "not possible: ", "scene.txt:2")

    def test_what_is_done_in_another_way_is_noted(self):
        for line, word, written in (
            ("warmStart 2", "warmStart 2", ""),
            ("constraintSolver SQP", "constraintSolver SQP", ""),
            ("tol 2\n1e-3\n1e-2", "its smallest value 0.001", "tolerance: {relative: 0.001}"),
            ("tuning 6\n0 1e-2 1e-3 1e-9 1e-3 1e-3", "narrows the barrier range from 0.01 to 0.001", "dhat: {relative: 0.001}"),
            ("tuning 4\n0 1e-3 1e-3 1e-6", "doubles the stiffness at gaps below 1e-06 \\(dTol\\)", "stiffness: adaptive"),
            ("kappaMinMultiplier 1e12", "kappaMinMultiplier 1e\\+12", "stiffness: adaptive"),
            ("dHat 1e-2", "fourth power", "dhat: {relative: 0.01}"),
            ("selfFric 1\nfricIterAmt 1", "solves the first step once", "lags: 1"),
            ("selfFric 1\ntuning 6\n0 1e-3 1e-3 1e-9 1e-3 1e-4", "lowers the friction speed", "speed: {relative: 0.0001}"),
        ):
            with self.subTest(line=line):
                text = self.convert(BOX + line + "\n").text
                self.assertRegex(text, f"# Note: .*{word}.* \\(scene.txt:[34]\\)")
                self.assertIn(written, text)

    def test_mirrored_shape(self):
        text = self.convert("shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 -1 1\n").text
        self.assertRegex(text, "# Note: .*mirrors the shape.* \\(scene.txt:2\\)")
        self.assertIn("scale: [1, -1, 1]", text)
        self.refused(2, "shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 0 1\n", "flatten", "scene.txt:2")

    def test_kinematic_shape_that_would_be_free(self):
        self.refused(3, "shapes input 2\ninput/box.msh 0 0 0  0 0 0  1 1 1\ninput/plate.obj 0 -1 0  0 0 0  1 1 1\nscript fall\n",
                     "scene.txt:3")

    def test_friction_left_out(self):
        for line in ("selfFric 0.1", "ground 0.1 0", "halfSpace 0 0 0  0 1 0  50 0.1"):
            with self.subTest(line=line):
                text = self.convert(BOX + line + "\n", "--ignore-friction").text
                self.assertIn("left out as asked (scene.txt:3)", text)
                self.assertNotIn("friction:", text)

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
            ("script ACOSquash", "2 half spaces"),
            ("script MCOSquash", "two meshCO"),
            ("script meshSeqFromFile", "the folder of the script is missing"),
            ("dampingStiff -1", "dampingStiff is -1"),
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
