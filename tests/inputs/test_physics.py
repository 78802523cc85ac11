"""Friction, damping, integrators, loads and mesh sequences mean the same in both scenes."""

import unittest

from ipc_support import ConverterCase, obj

ONE = "shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1\n"
PLATE = [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)]


class Friction(ConverterCase):
    def friction(self, lines):
        """The block of friction, line by line."""
        lines = self.convert(ONE + lines).text.split("\n")
        if "  friction:" not in lines:
            return None
        first = lines.index("  friction:") + 1
        return [line.strip() for line in lines[first:] if line.startswith("    ")]

    def test_none(self):
        self.assertIsNone(self.friction("ground 0 0\nmeshCO input/plate.obj 9 0 0  1 50 0.3\nepsv 1e-5\n"))

    def test_among_shapes(self):
        self.assertEqual(self.friction("selfFric 0.5\n"), ["default: 0.5", "speed: {relative: 0.001}", "lags: 1"])

    def test_planes_have_their_own(self):
        got = self.friction("selfFric 0.5\nground 0.25 0\nground 0.5 -1\nhalfSpace 0 0 0  1 0 0  50 0\n")
        self.assertEqual(got[:4], ["default: 0.5", "pairs:", "- {between: [material_1, plane_0], coefficient: 0.25}",
                                   "- {between: [material_1, plane_2], coefficient: 0}"])

    def test_every_material_on_every_plane(self):
        scene = "shapes input 1\ninput/box.msh 0 3 0  0 0 0  1 1 1  material 500 1e6 0.3\nground 0.25 -9\n"
        self.assertEqual(self.friction(scene)[2:4], [f"- {{between: [material_{k}, plane_0], coefficient: 0.25}}" for k in (1, 2)])

    def test_static_meshes_have_none(self):
        got = self.friction("selfFric 0.5\nmeshCO input/plate.obj 9 0 0  1 50 0.3\n")
        self.assertIn("- {between: [material_1, static_0], coefficient: 0}", got)

    def test_speed_and_lags(self):
        self.assertEqual(self.friction("selfFric 1\nepsv 1e-5\nfricIterAmt -1\n")[1:], ["speed: {relative: 1e-05}", "lags: converged"])
        self.assertEqual(self.friction("selfFric 1\nepsv 1e-2\nfricIterAmt 3\nuseAbsParameters\n")[1:],
                         ["speed: {absolute: 0.01}", "lags: 3"])


class Time(ConverterCase):
    def damping(self, lines):
        text = self.convert(ONE + lines).text
        return float(text.split("damping: {stiffness: ")[1].split("}")[0]) if "damping" in text else 0.0

    def test_integrators(self):
        for word, written in (("BE", "time: {step: 0.025, steps: 200}"), ("NM", "time: {step: 0.025, steps: 200, integrator: newmark}"),
                              ("NM 0.25 0.5", "integrator: newmark}")):
            self.assertIn(written, self.convert(ONE + f"timeIntegration {word}\n").text)

    def test_damping(self):
        # the other code's gradient holds s/dt H dx beside dt^2 f (Newmark: dt^2 f / 4), so f = -(s/dt^2) H dx/dt
        self.assertAlmostEqual(self.damping("time 1 0.1\ndampingStiff 3e-3\n"), 0.3, 12)
        self.assertAlmostEqual(self.damping("time 1 0.1\ndampingStiff 3e-3\ntimeIntegration NM\n"), 1.2, 12)
        # a ratio r is dampingStiff = 3/4 r dt^3
        self.assertAlmostEqual(self.damping("time 1 0.1\ndampingRatio 0.2\n"), 0.015, 12)
        self.assertEqual(self.damping("dampingRatio 0\n"), 0.0)


class Loads(ConverterCase):
    def scene(self, words, *lines):
        return f"shapes input 1\ninput/box.msh 0 3 0  0 0 0  1 1 1  {words}\ntime 1 0.2\n" + "".join(line + "\n" for line in lines)

    def test_box_and_window(self):
        first, second = self.convert(self.scene("NBC 0 0 0  0.1 1 1  -5 0 2  NBC 0 0.9 0  1 1 1  0 7 0  0.3 0.6")).loads
        self.assertEqual((first["ids"], first["acceleration"], "start" in first, "end" in first), ([0, 2, 4, 6], [-5, 0, 2], False, False))
        self.assertEqual((second["ids"], second["acceleration"]), ([2, 3, 6, 7], [0, 7, 0]))
        self.assertEqual((second["start"], second["end"]), (0.4, 0.6))  # steps that start at 0.4 and 0.5

    def test_time_range_of_all(self):
        (load,) = self.convert(self.scene("NBC 0 0 0  0.1 1 1  -5 0 2  0 0.6", "NBCTimeRange 0.2 9")).loads
        self.assertEqual((load["start"], load["end"]), (0.2, 0.6))

    def test_newmark_weighs_four_times(self):
        document = self.convert(self.scene("NBC 0 0 0  0.1 1 1  -5 0 2", "timeIntegration NM"))
        self.assertEqual(document.loads[0]["acceleration"], [-20, 0, 8])
        self.assertIn("# Note: under Newmark", document.text)

    def test_only_without_a_script(self):
        document = self.convert(self.scene("NBC 0 0 0  0.1 1 1  -5 0 2", "script fallNoShift"))
        self.assertEqual(document.loads, [])
        self.assertIn("NBC and meshSeq of a shape act only without a script", document.text)


class Sequences(ConverterCase):
    def frames(self, *numbers, extension="obj"):
        for number in numbers:
            self.write(f"input/wave/{number}.{extension}", obj(PLATE, [(1, 2, 3)]))

    def test_of_a_shape(self):
        self.frames(0, 1, 2, 4)
        scene = ONE.replace("shapes input 1", "shapes input 2") + "input/plate.obj 0 9 0  0 0 0  1 1 1  meshSeq input/wave\ntime 1 0.1\n"
        document = self.convert(scene)
        (motion,) = document.motions
        self.assertEqual(motion["sequence"], "{files: \"input/wave/%d.obj\", first: 0, count: 3, interval: 0.1}")
        self.assertEqual((motion["body"], motion["start"]), ("plate_1", 0.1))  # that code is at file 0 when its first step ends
        self.assertIn("# Note: the last of the 3 files of 'input/wave' stays", document.text)

    def test_of_points(self):
        self.frames(1, 2, extension="obj")
        self.write("input/nail.pt", obj(PLATE, []))
        scene = ONE.replace("shapes input 1",
                            "shapes input 2") + "input/nail.pt 0 9 0  0 0 0  1 1 1\nscript meshSeqFromFile input/wave\ntime 1 0.5\n"
        (motion,) = self.convert(scene).motions
        self.assertEqual(motion["sequence"], "{files: \"input/wave/%d.obj\", first: 1, count: 2, interval: 0.5}")
        self.assertEqual((motion["body"], motion["start"]), ("nail_1", 0.5))

    def test_no_files(self):
        scene = ONE.replace("shapes input 1", "shapes input 2") + "input/plate.obj 0 9 0  0 0 0  1 1 1  meshSeq input/none\n"
        self.refused(2, scene, "scene.txt:3: ", "no mesh files 0.obj or 1.obj in folder 'input/none'")


if __name__ == "__main__":
    unittest.main()
