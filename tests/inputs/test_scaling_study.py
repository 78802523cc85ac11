"""The scaling study on a fake program whose counts and times are in closed form."""

import json
import os
import subprocess
import sys
import unittest

from ipc_support import ConverterCase, ROOT

# The work is divided evenly. On one rank every phase takes 1 s; on several ranks each of two nested dissections takes 0.5 s. From 4 ranks
# on multigrid is chosen, which has 10 times the operations of the direct solver at 20 times its speed.
PRETENDER = """#!/usr/bin/env python3
import json, sys
value = lambda name: sys.argv[sys.argv.index(name) + 1]
ranks, out, asked = int(sys.argv[1]), value("-o"), value("-abut_linear")
solver = asked if asked != "auto" else "multigrid" if ranks >= 4 else "direct"
open(out + "/../calls", "a").write(json.dumps([ranks, solver, open(sys.argv[4]).read()]) + "\\n")
PHASES = ("elastic", "contact_search", "ccd", "contact_assembly", "linear_setup", "linear_solve", "line_search")
linear = 0.5 if solver == "multigrid" else 1
wall = {**dict.fromkeys(PHASES, 1 / ranks), "linear_setup": linear / ranks, "linear_solve": linear / ranks, "halo": 0, "solve": 9 - ranks}
json.dump({"vertices": 8, "newton_iterations": 3, "linear_iterations": 6, "peak_memory_MB": {"max": 10}, "wall_s": wall},
          open(out + "/summary.json", "w"))
each, flop = 6400 // ranks, 6.4e9 / ranks * (10 if solver == "multigrid" else 1)
waiting = 1.25 if solver == "direct" and ranks > 1 else 1
with open(value("-log_view")[1:], "w") as log:
    log.write(f"abut_linear_setup  7 1.0 1.0e-01 1.0 {flop / waiting:e} 1.1 1.8e+02\\n")
    log.write(f"abut_linear_solve  7 1.0 1.0e-01 1.0 {flop:e} 1.1 1.8e+02\\n")
    if ranks > 1: log.write(f"abut_dissection  2 1.0 {1.0 if ranks == 2 else 7} 99.0 0.00e+00 0.0 0.0e+00\\n")
    if solver == "multigrid" and ranks > 1: log.write(f"abut_parts  2 1.0 {0.125 if ranks == 4 else 7} 99.0 0.0 0.0 0.0\\n")
    log.write(f"MPI Msg Count:  {100 * (ranks > 1):e} 1.0\\nMPI Msg Len (bytes):  1 1.0 1 {1e6 * ranks * (ranks > 1):e}\\n")
    log.write(f"MPI Reductions:  {50:e} 1.0\\n")
print(f"  cells {6400}, most on a rank {each} (1.00 of the average)\\n  stencils      max {each} avg {each}.0 a rank")
print(f"  candidates edge-edge     max {each} avg {each}.0 a rank\\n  current solver: {solver}")
if waiting > 1: print(f"  Cholesky: 9 operations, {flop / waiting:e} on the busiest rank, {flop:e} one after the other")
"""


class ScalingStudy(ConverterCase):
    def setUp(self):
        super().setUp()
        self.write("bin/abut", PRETENDER)
        os.chmod(self.path("bin/abut"), 0o755)

    def run_study(self, *arguments):
        # the launcher is the program itself: its first argument is the number of ranks
        return subprocess.run([sys.executable, "-B", os.path.join(ROOT, "jobs", "scaling_study.py"), "--launcher", self.path("bin/abut"),
                               "--abut", "run", "-o", self.path("out"), *arguments], capture_output=True, text=True, check=False)

    def phases(self, series):
        with open(self.path(f"out/rods/{series}/phases.json"), encoding="utf-8") as stream:
            return {at["ranks"]: at for at in json.load(stream)["phases"]}

    def test_strong_series(self):
        done = self.run_study("--cores", "4", "--ranks", "1,2,4,8", "--scenes", "rods", "--series", "strong", "--predict", "16",
                              "--alpha", "1e-3", "--beta", "1e-6", "--serves", "6")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        phases = self.phases("strong")
        self.assertEqual(sorted(phases), [1, 2, 4, 8, 16])
        for ranks, at in phases.items():
            linear = (1 if ranks >= 4 else 2) / ranks  # measured speed of the solver in use
            self.assertAlmostEqual(at["cells"], 2 / ranks, 12)
            self.assertAlmostEqual(at["contact"], 3 / ranks, 12)
            self.assertAlmostEqual(at["linear"], linear, 5)
            self.assertAlmostEqual(at["first rank"], {1: 0, 2: 0.5 * 3 / 6}.get(ranks, 0.125), 12)
            messages = 1e-3 * (100 + 50 * (ranks.bit_length() - 1)) + 1e-6 * 1e6 if ranks > 1 else 0
            self.assertAlmostEqual(at["messages"], messages, 12)
        rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")][2:]
        self.assertEqual([row[5] for row in rows], ["direct", "direct", "multigrid", "multigrid", "multigrid"])
        total = [sum(value for name, value in phases[ranks].items() if name != "ranks") for ranks in (1, 2)]
        self.assertEqual(rows[1][-1].strip(" |"), f"{total[0] / 2 / total[1]:.2f}")
        self.assertEqual([bool(row[-3]) for row in rows], [True, True, True, False, False])

    def test_solver_of_more_ranks_is_measured_on_one(self):
        self.run_study("--cores", "2", "--ranks", "1,4", "--scenes", "rods", "--series", "strong", "--repeats", "1", "--refine", "2")
        with open(self.path("out/rods/strong/calls"), encoding="utf-8") as stream:
            calls = [json.loads(line) for line in stream]
        self.assertEqual([call[:2] for call in calls], [[1, "direct"], [4, "multigrid"], [1, "multigrid"]])
        for _, _, scene in calls:
            self.assertIn("cells: [48, 4, 4]", scene)
            self.assertIn("copies: [1, 1, 8]", scene)

    def test_own_scene_and_options(self):
        self.write("mine.yaml", "abut: 1\n")
        done = self.run_study("--ranks", "1,2", "--scenes", self.path("mine.yaml"), "--series", "strong", "--options", "-restart FILE")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("### mine, strong", done.stdout)
        self.assertFalse(os.path.exists(self.path("out/mine/strong/np1/scene.yaml")))

    def test_ranks_begin_with_one(self):
        done = self.run_study("--ranks", "2,4")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--ranks 2,4: ascending numbers that begin with 1 are needed", done.stderr)


if __name__ == "__main__":
    unittest.main()
