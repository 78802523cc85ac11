"""The scaling study on a fake program whose counts and times are in closed form."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import unittest

from ipc_support import ConverterCase, ROOT

sys.path.insert(0, os.path.join(ROOT, "jobs"))

import scaling_model  # noqa: E402
import scaling_rates  # noqa: E402

# A rank has e = copies refine^3 / ranks units of work, the size of its problem. Operations are proportional to e, operations for each
# second to its square root. On one rank every other phase takes 1 s; on several ranks each of two nested dissections takes 0.5 s. From
# 4 ranks on multigrid is chosen.
PRETENDER = """#!/usr/bin/env python3
import json, re, sys
value = lambda name: sys.argv[sys.argv.index(name) + 1]
ranks, out, asked = int(sys.argv[1]), value("-o"), value("-abut_linear")
text = open(sys.argv[sys.argv.index("-o") - 1]).read()
solver = asked if asked != "auto" else "multigrid" if ranks >= 4 else "direct"
open(out + "/../calls", "a").write(json.dumps([ranks, solver, text]) + "\\n")
found = re.search(r"cells: .(\\d+)(?s:.*?)copies: .1, 1, (\\d+)", text)
each = (int(found[1]) / 24) ** 3 * int(found[2]) / ranks if found else 216 / ranks
several = solver == "multigrid"
flop = (3e8 if several else 3e7) * each
setup = flop / 32e9 + 3e-3 * each ** 0.5 if several else flop / (1e9 * each ** 0.5)
symbolic = 0 if several else 1 if ranks == 1 else 3
setup += symbolic * 5e-3 * each ** 0.5
prediction = 0.25 if several else 0
solve = 2 * flop / ((4e9 if several else 2e9) * each ** 0.5)
PHASES = ("elastic", "contact_search", "ccd", "contact_assembly", "line_search")
wall = {**dict.fromkeys(PHASES, 1 / ranks), "linear_setup": setup + prediction, "linear_solve": solve, "halo": 0, "solve": 9 - ranks}
json.dump({"vertices": 8, "newton_iterations": 3, "linear_iterations": 6, "peak_memory_MB": {"max": 10}, "wall_s": wall},
          open(out + "/summary.json", "w"))
cells, waiting = round(400 * each), 1.25 if solver == "direct" and ranks > 1 else 1
with open(value("-log_view")[1:], "w") as log:
    log.write(f"abut_linear_setup  7 1.0 1.0e-01 1.0 {flop / waiting:e} 1.1 1.8e+02\\n")
    log.write(f"abut_linear_solve  7 1.0 1.0e-01 1.0 {2 * flop:e} 1.1 1.8e+02\\n")
    log.write(f"abut_prediction  1 1.0 {prediction or 9:e} 1.0 0.00e+00 0.0 0.0e+00\\n")
    if symbolic: log.write(f"abut_symbolic  {symbolic} 1.0 {symbolic * 5e-3 * each ** 0.5:e} 1.0 0.00e+00 0.0 0.0e+00\\n")
    dissections = {2: 1.0, 4: 0.5 if any("LD_PRELOAD=" in word for word in sys.argv) else 7}
    if ranks > 1: log.write(f"abut_dissection  2 1.0 {dissections.get(ranks, 7)} 99.0 0.00e+00 0.0 0.0e+00\\n")
    if several and ranks > 1: log.write(f"abut_parts  2 1.0 {0.125 if ranks == 4 else 7} 99.0 0.0 0.0 0.0\\n")
    log.write("MPI Msg Count:  9.0e3 9.0 4.5e3 9.9e9\\nMPI Reductions:  9.0e3 1.5\\n")
    log.write(" 0:   Main Stage: 4.0e-01 100.0%  2.8e+10 100.0%  1.2e+05 100.0%  1.1e+04  100.0%  4.500e+03  86.7%\\n")
    sent = 50 * ranks * (ranks > 1)
    log.write(f"SNESSolve  1 1.0 2.4e+00 1.0 1.2e+09 1.1 {sent:.1e} 2.0e+04 2.5e+01  84 100 92 81 52  84 100 92 81 67 411\\n")
print(f"  cells {cells}, most on a rank {cells} (1.00 of the average)\\n  stencils      max {cells} avg {cells}.0 a rank")
print(f"  candidates edge-edge     max {cells} avg {cells}.0 a rank\\n  current solver: {solver}")
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
                               "--abut", "run", "--clock", "", "-o", self.path("out"), *arguments], capture_output=True, text=True,
                              check=False)

    def calls(self, folder):
        with open(self.path(f"out/rods/{folder}/calls"), encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]

    def phases(self, series):
        with open(self.path(f"out/rods/{series}/phases.json"), encoding="utf-8") as stream:
            return {at["ranks"]: at for at in json.load(stream)["phases"]}

    def test_strong_series(self):
        done = self.run_study("--cores", "4", "--ranks", "1,2,4,8", "--scenes", "rods", "--series", "strong", "--predict", "16",
                              "--alpha", "1e-3", "--beta", "1e-6", "--serves", "6", "--copies", "1", "--repeats", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        phases = self.phases("strong")
        self.assertEqual(sorted(phases), [1, 2, 4, 8, 16])
        for ranks, at in phases.items():
            each = 27 / ranks  # size of a rank's problem: the speed is the one of that size
            linear = (0.03 + 0.03) * each ** 0.5 + 5e-3 * each ** 0.5 * (1 if ranks == 1 else 3)
            if ranks >= 4:
                linear = 3e8 / 32e9 * each + (3e-3 + 0.15) * each ** 0.5
            self.assertAlmostEqual(at["cells"], 2 / ranks, 12)
            self.assertAlmostEqual(at["contact"], 3 / ranks, 12)
            self.assertAlmostEqual(at["linear"], linear, 5)
            serial = {1: 0, 2: 0.5, 4: 0.125 / 2, 8: 0.125 / 2 * 7 / 6, 16: 0.125 / 2 * 5 / 4}[ranks]
            self.assertAlmostEqual(at["first rank"], serial * 3 / 6, 12)
            messages = 1e-3 * (100 + 50 * (ranks.bit_length() - 1)) + 1e-6 * 1e6 if ranks > 1 else 0
            self.assertAlmostEqual(at["messages"], messages, 12)
        rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")][2:]
        self.assertEqual([row[5] for row in rows], ["direct", "direct", "multigrid", "multigrid", "multigrid"])
        total = [sum(value for name, value in phases[ranks].items() if name != "ranks") for ranks in (1, 2)]
        self.assertEqual(rows[1][-1].strip(" |"), f"{total[0] / 2 / total[1]:.2f}")
        self.assertEqual([bool(row[-3]) for row in rows], [True, True, True, False, False])

    def test_solvers_are_measured_on_one_rank_at_all_sizes(self):
        self.run_study("--cores", "2", "--ranks", "1,4", "--scenes", "rods", "--series", "strong", "--repeats", "1", "--refine", "2")
        self.assertEqual([call[:2] for call in self.calls("strong")], [[1, "direct"], [4, "multigrid"]])
        for _, _, scene in self.calls("strong"):
            self.assertIn("cells: [48, 4, 4]", scene)
            self.assertIn("copies: [1, 1, 8]", scene)
        self.assertEqual([call[:2] for call in self.calls("rates")], [[1, "direct"]] * 2 + [[1, "multigrid"]] * 2)
        for (_, _, scene), cells in zip(self.calls("rates"), (24, 48, 24, 48)):
            self.assertIn(f"cells: [{cells}, ", scene)
            self.assertIn("copies: [1, 1, 1]", scene)

    def test_weak_series_has_its_largest_size_already(self):
        self.run_study("--cores", "2", "--ranks", "1,4", "--scenes", "rods", "--series", "weak", "--repeats", "1", "--refine", "2")
        self.assertEqual([call[:2] for call in self.calls("rates")], [[1, "direct"]] + [[1, "multigrid"]] * 2)
        at = self.phases("weak")[1]
        self.assertAlmostEqual(at["linear"], (0.03 + 0.03) * 8 ** 0.5 + 5e-3 * 8 ** 0.5, 12)

    def test_given_solver(self):
        """The first rank keeps the automatic choice, so that efficiencies are relative to it."""
        done = self.run_study("--cores", "2", "--ranks", "1,2", "--scenes", "rods", "--series", "strong", "--repeats", "1",
                              "--refine", "1", "--linear", "multigrid")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([call[:2] for call in self.calls("strong")], [[1, "direct"], [2, "multigrid"]])
        self.assertIn("### rods, strong, multigrid", done.stdout)
        self.assertTrue(os.path.exists(self.path("out/rods/strong/phases-multigrid.json")))

    def test_processor_time_of_the_first_rank(self):
        """Where the clock counts processor time, the first rank's own time serves, otherwise that of the largest run with enough cores."""
        self.write("clock.so", "")
        for clock, own in ((self.path("clock.so"), 0.25), (self.path("missing.so"), 0.5)):
            done = self.run_study("--cores", "2", "--ranks", "1,2,4", "--scenes", "rods", "--series", "strong", "--repeats", "1",
                                  "--refine", "1", "--serves", "6", "--predict", "8", "--linear", "direct", "--clock", clock)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(self.path("out/rods/strong/phases-direct.json"), encoding="utf-8") as stream:
                serial = {at["ranks"]: at["first rank"] for at in json.load(stream)["phases"]}
            for ranks, expected in ((1, 0), (2, 0.5), (4, own), (8, own)):
                self.assertAlmostEqual(serial[ranks], expected * 3 / 6, 12)
            shutil.rmtree(self.path("out"))

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

    def test_refused_with_one_line(self):
        for arguments, message in ((("--scenes", "nosuch"), "there is no scene"), (("--series", "wek"), "--series wek")):
            done = self.run_study(*arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("scaling_study.py: " + message, done.stderr)
        self.write("out/rods/strong/np1/view.txt", "cut")
        done = self.run_study("--ranks", "1", "--scenes", "rods", "--series", "strong")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("np1: the results are incomplete", done.stderr)


class Rates(unittest.TestCase):
    def test_between(self):
        points = [(8, 4), (1, 2), (0, 9)]  # a count of 0 says nothing about the speed
        for x, y in ((1, 2), (8, 4), (8 ** 0.5, 8 ** 0.5), (2, 2 ** (4 / 3)), (0.5, 2), (100, 4)):
            self.assertAlmostEqual(scaling_rates.between(points, x), y, 12)
        self.assertEqual(scaling_rates.between([], 3), 0)

    def test_operations_with_waiting(self):
        """All operations of direct are of factorisations; multigrid factorises its coarsest level in each set-up."""
        view = "9 operations, 1e+06 on the busiest rank, 3e+06 one after the other"
        for solver, setups, flop in (("direct", 4, 15e6), ("multigrid", 4, 12e6), ("multigrid", 1, 5e6)):
            log = "abut_linear_setup  7 1.0 1.0e-01 1.0 5.0e+06 1.1 1.8e+02\n"
            log += f"MatPtAPNumeric  {setups} 1.0 1.0e-01 1.0 5.0e+06 1.1 1.8e+02\n"
            self.assertAlmostEqual(scaling_model.setup_flop(view, log, solver), flop, 3)

    def test_communication(self):
        """Messages and reductions of the busiest rank, bytes of the average one; a missing line is an error, not zero messages."""
        log = ("MPI Msg Count:  9.0e3 9.0 4.5e3 9.9e9\nMPI Reductions:  6.0e3 1.5\n"
               " 0:   Main Stage: 4.0e-01 100.0%  2.8e+10 100.0%  1.2e+05 100.0%  1.1e+04  100.0%  4.000e+03  86.7%\n"
               "SNESSolve  1 1.0 2.4e+00 1.0 1.2e+09 1.1 8.0e+02 2.0e+04 3.0e+01  84 100 92 81 52  84 100 92 81 67 411\n")
        self.assertEqual(scaling_model.communication(log, 4), {"messages": 400, "bytes": 4e6, "reductions": 45})
        for name in ("MPI Msg Count", "MPI Reductions", "Main Stage", "SNESSolve"):
            with self.assertRaisesRegex(ValueError, name):
                scaling_model.communication(log.replace(name, "other"), 4)

    def test_linear_iterations_grow(self):
        """More iterations have more messages; fewer ones are not extrapolated."""
        counts = {**dict.fromkeys(scaling_model.GROWING, 8.0), "solver": "direct", "coarse_flop": 0, "parts_s": 0, "newton": 5}
        for first, last, after in ((20, 30, 45), (20, 10, 10)):
            records = [{**counts, "ranks": 8, "linear": first}, {**counts, "ranks": 16, "linear": last}]
            more = next(scaling_model.extrapolate(argparse.Namespace(predict=32), records))
            self.assertAlmostEqual(more["linear"], after, 12)
            self.assertAlmostEqual(more["messages"] / more["linear"], 8 * first / last ** 2, 12)

    def test_no_speed_above_that_of_a_larger_size(self):
        points = [(1, 1), (4, 16), (16, 4), (0, 1)]
        for x, y in ((1, 1), (2, 2), (4, 4), (8, 4), (16, 4)):
            self.assertAlmostEqual(scaling_rates.speed(points, x), y, 12)

    def test_counts_for_each_iteration_grow(self):
        """One more Newton iteration on 16 ranks does not change the counts of an iteration on more ranks."""
        counts = {**dict.fromkeys(scaling_model.GROWING, 64.0), "coarse_flop": 0, "parts_s": 0}
        records = [{**counts, "solver": "direct", "ranks": 8, "newton": 5, "linear": 10},
                   {**dict.fromkeys(scaling_model.GROWING, 32.0), "solver": "direct", "ranks": 16, "coarse_flop": 9.0, "parts_s": 0.4,
                    "newton": 10, "linear": 20}]
        more = next(scaling_model.extrapolate(argparse.Namespace(predict=64), records))
        self.assertAlmostEqual(more["cells"], 16, 12)
        self.assertAlmostEqual(more["solve_flop"], 32 / 4, 12)
        self.assertAlmostEqual(more["setup_flop"], 9, 12)  # the coarsest level does not get smaller
        self.assertAlmostEqual(more["parts_s"], 0.4 * 31 / 30, 12)  # bisections of 1, 1/2, ..., 1/16 of the graph
        self.assertAlmostEqual(more["reductions"], 32 / 4, 12)


if __name__ == "__main__":
    unittest.main()
