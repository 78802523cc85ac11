"""Repetition of runs by the scripts of the 2020 paper, on a fake program: completed, interrupted and refused runs."""

import os
import subprocess
import sys
import unittest

from ipc_support import ConverterCase, ROOT

PRETENDER = """#!/usr/bin/env python3
import json, sys
out = sys.argv[sys.argv.index("-o") + 1]
json.dump({"exit_code": 0, "scene": sys.argv[2], "options": " ".join(sys.argv[3:]) + " "}, open(out + "/summary.json", "w"))
open(out + "/runs", "a").write("x")
"""


class Repeats(ConverterCase):
    def setUp(self):
        super().setUp()
        self.write("bin/abut", PRETENDER)
        os.chmod(self.path("bin/abut"), 0o755)

    def run_job(self, *options, script="ipc2020.py", names=("fig02_ball_on_points",)):
        """Exit code, output and how often the program has run so far."""
        done = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "jobs", script), *names, "-n", "1", "-o", self.path("out"),
                               "--abut",
                               self.path("bin/abut"), *options], capture_output=True, text=True, check=False)
        runs = [os.path.join(folder, "runs") for folder, _, files in os.walk(self.path("out")) if "runs" in files]
        return done.returncode, done.stdout + done.stderr, sum(os.path.getsize(path) for path in runs)

    def test_results_that_are_there_serve(self):
        for kind in (["--coarse"], ["--coarse", "--timeout", "60"]):
            code, said, runs = self.run_job("--no-pictures", *kind)
            self.assertEqual((code, runs), (0, 1), said)

    def test_coarse_results_are_no_full_ones(self):
        self.run_job("--no-pictures", "--coarse")
        code, said, runs = self.run_job("--no-pictures")
        self.assertEqual((code, runs), (1, 1), said)
        self.assertIn("scene.yaml: delete " + self.path("out/fig02_ball_on_points"), said)

    def test_quick_results_are_no_full_ones(self):
        self.run_job("--no-pictures", "--quick")
        code, said, runs = self.run_job("--no-pictures")
        self.assertEqual((code, runs), (1, 1), said)
        self.assertIn("fig02_ball_on_points.yaml -steps 10: delete", said)

    def test_sweeps_of_other_lengths(self):
        for steps, expected in (("3", (0, 1)), ("3", (0, 1)), ("4", (1, 1))):
            code, said, runs = self.run_job("--sizes", "1", "--only", "mat", "--steps", steps, script="mesh_sweep.py", names=())
            self.assertEqual((code, runs), expected, said)


if __name__ == "__main__":
    unittest.main()
