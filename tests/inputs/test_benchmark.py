"""The benchmark and the scaling table on a fake program: computed columns, refused input."""

import csv
import json
import os
import subprocess
import sys
import unittest

from ipc_support import ConverterCase, ROOT

PRETENDER = """#!/usr/bin/env python3
import json, sys
PHASES = ("elastic", "contact_search", "ccd", "contact_assembly", "linear_setup", "linear_solve", "line_search", "halo")
out, steps = sys.argv[sys.argv.index("-o") + 1], int(sys.argv[sys.argv.index("-steps") + 1])
json.dump({"vertices": 8, "steps": steps, "newton_iterations": 3 * steps, "local_iterations": 5,
           "contacts_avg": 1.5, "min_gap_m": 1e-3, "message": "done",
           "intersections_found": 0, "inversions_found": 0, "peak_memory_MB": {"sum": 10.4},
           "wall_s": {"solve": 0.375, "verify": 0.125, **dict.fromkeys(PHASES, 0.01)}}, open(out + "/summary.json", "w"))
"""
FOLDER = "reference/scenes/ipc2020/input/"


class Benchmark(ConverterCase):
    def setUp(self):
        super().setUp()
        self.write("bin/abut", PRETENDER)
        os.chmod(self.path("bin/abut"), 0o755)
        self.write("reference/bench/calibrate.c", '#include <stdio.h>\nint main(void) { printf("0.5\\n"); return 0; }\n')
        self.write("reference/bench/peer.csv",
                   "scene,steps,solve_s,newton_iterations,calibration_s\npaperExamples/10_cubeStack.txt,7,4,20,2\n")
        with open(self.path("input/box.msh"), encoding="utf-8") as stream:
            self.write(FOLDER + "tetMeshes/box.msh", stream.read())
        self.write(FOLDER + "paperExamples/10_cubeStack.txt", "shape input input/tetMeshes/box.msh\n")
        self.write(FOLDER + "paperExamples/12_sphereOnMat.txt", "shape input input/tetMeshes/box.msh\nselfCollisionOff\n")

    def run_job(self, script, *arguments):
        return subprocess.run([sys.executable, "-B", os.path.join(ROOT, "jobs", script), *arguments], capture_output=True, text=True,
                              check=False)

    def rows(self, only):
        out = self.path("out")
        done = self.run_job("benchmark.py", "--reference", self.path("reference"), "--abut", self.path("bin/abut"), "--ranks", "1",
                            "--only", only, "-o", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(os.path.join(out, "benchmark.csv"), encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    def test_ratio_is_of_calibrated_times(self):
        (row,) = self.rows("10_cubeStack")
        self.assertEqual((row["steps"], row["newton"], row["local"], row["exit"]), ("7", "21", "5", "0"))
        self.assertEqual(float(row["ratio"]), (0.25 / 0.5) / (4 / 2))

    def test_what_does_not_convert_is_a_row(self):
        (row,) = self.rows("12_sphereOnMat")
        self.assertTrue(row["remark"].startswith("not converted: not possible: contact turned off"), row["remark"])
        self.assertEqual(row["ratio"], "")

    def test_scaling(self):
        phases = ("elastic", "contact_search", "ccd", "contact_assembly", "linear_setup", "linear_solve", "line_search", "halo")
        for ranks, seconds in ((1, 8.0), (4, 2.5)):
            summary = {"vertices": 9, "steps": 2, "newton_iterations": 5, "wall_s": {"solve": seconds, **dict.fromkeys(phases, 0.1)}}
            self.write(f"study/np{ranks}/summary.json", json.dumps(summary))
        strong = self.run_job("scaling.py", self.path("study")).stdout.splitlines()
        weak = self.run_job("scaling.py", "--weak", self.path("study")).stdout.splitlines()
        self.assertEqual([line.split(" | ")[5] for line in strong[2:]], ["1.00", "0.80"])
        self.assertEqual([line.split(" | ")[5] for line in weak[2:]], ["1.00", "3.20"])
        with open(self.path("study/scaling.md"), encoding="utf-8") as stream:
            self.assertEqual(stream.read().splitlines(), weak)
        self.assertGreater(os.path.getsize(self.path("study/scaling.png")), 10000)


if __name__ == "__main__":
    unittest.main()
