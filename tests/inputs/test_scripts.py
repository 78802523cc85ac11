"""Scripts become the motions that they describe."""

import math
import unittest

from ipc_support import ConverterCase

BOX = "shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1\n"


class Scripts(ConverterCase):
    def squeezed(self, script, *plates, after=""):
        """A scene with flat plates at the given places before a box."""
        lines = "".join(f"input/plate.obj {plate}  0 0 0  1 1 1\n" for plate in plates)
        return f"shapes input {len(plates) + 1}\n{lines}input/box.msh 0 0 0  0 0 0  0.1 0.1 0.1\n{after}script {script}\n"

    def test_twist(self):
        document = self.convert(BOX + "script twist\nturnOffGravity\nrotateModel 0 0 1 90\n")
        left, right = document.motions
        self.assertEqual((left["ids"], right["ids"]), ([0, 2, 4, 6], [1, 3, 5, 7]))  # chosen before the model is rotated
        self.assertAlmostEqual(left["angular_velocity"][0], -0.4 * math.pi)
        self.assertAlmostEqual(right["angular_velocity"][0], 0.4 * math.pi)
        self.assertEqual(left["center"], [1, 0.5, 0.5])
        self.assertIn("gravity: [0, 0, 0]", document.text)

    def test_stretch_and_pause(self):
        document = self.convert(BOX + "script stretchAndPause\ntime 1 0.1\n")
        # steps start at x = 0, -0.1, -0.2: three moves; at -0.3 it is past -0.28
        self.assertEqual([m["velocity"] for m in document.motions], [[-1, 0, 0], [1, 0, 0]])
        for motion in document.motions:
            self.assertEqual((motion["end"], motion["outside"]), (0.3, "hold"))

    def test_dragright(self):
        wall = "meshCO input/plate.obj 9 0 0  1 50 0\n"
        document = self.convert(BOX + wall + "script dragright\n")
        self.assertEqual((document.motions[0]["ids"], document.motions[0]["velocity"]), ([1, 3, 5, 7], [0.5, 0, 0]))
        self.assertEqual(document.motions[0]["until"], "{lowest: box_0, axis: x, above: 9.5, then: release}")
        self.assertIn("translate: [0, 1.2247448713915", document.text)  # raised by half the diagonal

    def test_squash_turns_back(self):
        motions = self.convert(self.squeezed("DCOSquash", "-2 0 0", "1 0 0")).motions
        self.assertEqual([(m["body"], m["velocity"]) for m in motions], [("plate_0", [1, 0, 0]), ("plate_1", [-1, 0, 0])])
        for motion in motions:
            self.assertEqual(motion["until"], "{gap: [plate_0, plate_1], axis: x, below: 0.1, then: reverse}")

    def test_squash_from_six_sides(self):
        motions = self.convert(self.squeezed("DCOSquash6", *["0 0 0"] * 6)).motions
        self.assertEqual([m["velocity"] for m in motions], [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
        self.assertEqual({m["until"] for m in motions}, {"{gap: [plate_0, plate_1], axis: x, below: 0.1, then: reverse}"})

    def test_half_spaces_that_squash(self):
        planes = "".join(f"halfSpace {x} 0 0  1 0 0  50 0\n" for x in range(6))
        motions = self.convert(BOX + planes + "script ACOSquash\n").motions
        self.assertEqual([(m["plane"], m["velocity"]) for m in motions], [("plane_0", [1, 0, 0]), ("plane_1", [-1, 0, 0])])
        self.assertEqual(motions[1]["until"], "{gap: [plane_0, plane_1], axis: x, below: 0.1, then: reverse}")
        motions = self.convert(BOX + planes + "script ACOSquash6\n").motions
        self.assertEqual(motions[5]["velocity"], [0, 0, -1])
        self.assertEqual(motions[5]["until"], "{gap: [plane_4, plane_5], axis: z, below: 0.2, then: reverse}")

    def test_half_spaces_that_shear(self):
        planes = "halfSpace 0 0 0  1 0 0  50 0\nhalfSpace 2 0 0  -1 0 0  50 0\n"
        motions = self.convert(BOX + planes + "script ACOSquashShear\ntime 2 0.25\n").motions
        # gaps of 2, 1.5 and 1 at the starts of three steps are not below 0.8
        windows = [(m["plane"], m["velocity"], m.get("start", 0), m.get("end")) for m in motions]
        self.assertEqual(windows, [("plane_0", [1, 0, 0], 0, 0.75), ("plane_1", [-1, 0, 0], 0, 0.75), ("plane_1", [0, 1, 0], 0.75, None)])

    def test_static_meshes_that_squash(self):
        # a plate of extent 2 about its middle reaches 1 to either side: origins 1.5 apart leave a gap of -0.5
        plates = "meshCO input/plate.obj -3 0 0  2 50 0\nmeshCO input/plate.obj 3 0 0  2 50 0\n"
        motions = self.convert(BOX + plates + "script MCOSquash\n").motions
        self.assertEqual([(m["body"], m["velocity"]) for m in motions], [("static_0", [1, 0, 0]), ("static_1", [-1, 0, 0])])
        self.assertEqual(motions[0]["until"], "{gap: [static_0, static_1], axis: x, below: -0.5, then: reverse}")

    def test_bed_closes_until_the_gap_is_a_tenth(self):
        scene = ("shapes input 5\ninput/box.msh 0 0.5 0  0 0 0  0.1 0.1 0.1\ninput/plate.obj 0 0 0  0 0 0  1 1 1\n"
                 "input/plate.obj 0 0.1 0  0 0 0  1 1 1\ninput/plate.obj 0 2 0  0 0 0  1 1 1\ninput/plate.obj 0 3 0  0 0 0  1 1 1\n"
                 "script DCOSegBedSquash\n")
        motions = self.convert(scene).motions
        self.assertEqual([(m["body"], m["velocity"]) for m in motions], [("plate_3", [0, -1, 0]), ("plate_4", [0, -1, 0])])
        for motion in motions:  # the highest below, the lowest above
            self.assertEqual(motion["until"], "{gap: [plate_2, plate_3], axis: y, below: 0.1, then: stop}")

    def test_a_moving_grid_stays_one(self):
        scene = ("shapes input 1\ninput/box.msh 0 0.5 0  0 0 0  0.1 0.1 0.1\nshapeMatrix input 3 1 2\ninput/plate.obj 2 0 2  0 0 0  1 1 1\n"
                 "shapeMatrix input 3 1 2  0 2 0\ninput/plate.obj 2 0 2  0 0 0  1 1 1\nscript DCOSegBedSquash\n")
        document = self.convert(scene)
        self.assertEqual([(m["body"], m["ids"]) for m in document.motions], [("plate_7", None)])
        self.assertEqual(document.motions[0]["until"], "{gap: [plate_1, plate_7], axis: y, below: 0.1, then: stop}")
        self.assertEqual(sorted(document.entries), ["box_0", "plate_1", "plate_7"])

    def test_squeeze_out(self):
        self.write("input/tall.obj", "v 0 0 0\nv 1 3.8 0\nv 0 3.8 1\nf 1 2 3\n")
        scene = ("shapes input 3\ninput/plate.obj 0 3.1 0  0 0 0  1 1 1\ninput/tall.obj 0 0 0  0 0 0  1 1 1\n"
                 "input/box.msh 9 0 0  0 0 0  1 1 1\nscript DCOSqueezeOut\n")
        (motion,) = self.convert(scene).motions
        self.assertEqual((motion["body"], motion["velocity"]), ("plate_0", [0, -0.3, 0]))
        self.assertEqual(motion["until"], "{highest: plate_0, axis: y, below: 0.9, then: stop}")

    def test_rollers_turn_about_their_centres(self):
        scene = self.squeezed("DCORotCylinders", "0 0 0", "0 1 0", "0 2 0", "0 3 0", after="size 9\n")
        motions = self.convert(scene).motions
        self.assertEqual([m["angular_velocity"].index(max(m["angular_velocity"], key=abs)) for m in motions], [0, 0, 2, 2])
        self.assertPoints([motions[1]["center"]], [(1.5, 3, 1.5)])

    def test_ball_hits_wall(self):
        self.assertEqual(self.convert(BOX + "script DCOBallHitWall 1 67\n").entries["box_0"]["velocity"], [67, 0, 0])

    def test_utopia_comparison(self):
        document = self.convert(BOX + "script utopiaComparison\nNBCTimeRange 0.5 1\n")
        self.assertEqual((document.motions[0]["ids"], document.motions[0]["velocity"]), ([0, 1, 4, 5], [0, 0, 0]))
        (load,) = document.loads
        self.assertEqual((load["ids"], load["acceleration"], load["start"], load["end"]), ([2, 3, 6, 7], [0, -1.5, 0], 0.5, 1))

    def test_words_of_a_shape(self):
        document = self.convert("shapes input 2\ninput/box.msh 0 3 0  0 0 0  1 1 1  material 500 2e6 0.3 initVel 1 2 3  0 90 0 \\\n"
                                "  DBC 0 0 0  0.1 1 1  0 -1 0  0 0 180  0.5 2\ninput/plate.obj 0 0 0  0 0 0  1 1 1  linearVelocity 0 1 0\n"
                                "energy FCR\n")
        entry = document.entries["box_0"]
        self.assertIn("material_1: {model: fixed-corotated, young: 2000000, poisson: 0.3, density: 500}", document.text)
        self.assertEqual(entry["velocity"], [1, 2, 3])
        self.assertAlmostEqual(entry["angular_velocity"][1], math.pi / 2)
        boxed, whole = document.motions
        self.assertEqual((boxed["ids"], boxed["velocity"], boxed["start"], boxed["end"]), ([0, 2, 4, 6], [0, -1, 0], 0.5, 2))
        self.assertEqual(boxed["center"], "follow")
        self.assertAlmostEqual(boxed["angular_velocity"][2], math.pi)
        self.assertEqual((whole["body"], whole["ids"], whole["velocity"]), ("plate_1", None, [0, 1, 0]))

    def test_windows_begin_and_end_with_steps(self):
        scene = "shapes input 1\ninput/box.msh 0 0 0  0 0 0  1 1 1  DBC 0 0 0  0.1 1 1  1 0 0  0 0 0  0.1 0.45\ntime 1 0.2\n"
        (motion,) = self.convert(scene).motions
        self.assertEqual((motion["start"], motion["end"]), (0.2, 0.6))  # the steps that start at 0.2 and 0.4

    def test_steps_round_up(self):
        self.assertIn("steps: 4}", self.convert(BOX + "time 1 0.3\n").text)


if __name__ == "__main__":
    unittest.main()
