"""jobs/large_scenes.py on a fake program: its plan fits the scenes, coarse and fine runs follow each other, rows of the page."""

import argparse
import dataclasses
import json
import os
import sys
import unittest
from unittest import mock

from ipc_support import ROOT, ConverterCase

sys.path.insert(0, os.path.join(ROOT, "jobs"))

import large_scenes  # noqa: E402
from large_plan import ROWS, Row  # noqa: E402
from scene_runs import ENVIRONMENT  # noqa: E402

PRETENDER = """#!/usr/bin/env python3
import json, os, sys
out, words = sys.argv[sys.argv.index("-o") + 1], sys.argv[1:]
with open(out + "/../calls.txt", "a") as stream:
    stream.write(" ".join(words) + "\\n")
code = int(os.environ.get("FAKE_CODE", "0"))
json.dump({"exit_code": code, "scene": sys.argv[2], "options": " ".join(words[2:]) + " ", "vertices": 7, "cells": 9, "last_step": 3,
           "peak_memory_MB": {"sum": 12.6}}, open(out + "/summary.json", "w"))
open(out + "/checkpoint.h5", "w").close()
columns = "step,newton_iterations,contacts,contacts_max,dt_s,wall_s,min_gap_m,intersections,inversions,friction_lags"
open(out + "/steps.csv", "w").write(columns + "\\n31,4,10,20,0.5,1,0.1,0,0,0\\n32,6,30,40,0.5,1,0.1,0,0,0\\n")
sys.exit(code)
"""
ROW = Row("1K; 2; 3", 2, scene="fig14_mat_twist", fine=(("[39, 39, 1]", "[5, 5, 1]"),), start=30, coarse_scene="fig14_mat_twist",
          options=("-fine",), coarse_options=("-coarse",))
PAGE = """<!-- measured: large -->
| scene |
| --- |
| fig99 | 1 |
<!-- end -->
after
"""


class LargeScenes(ConverterCase):
    def setUp(self):
        super().setUp()
        self.write("abut", PRETENDER)
        os.chmod(self.path("abut"), 0o755)
        os.makedirs(self.path("out"))
        self.arguments = argparse.Namespace(abut=self.path("abut"), output=self.path("out"), ranks=1, timeout=60.0)

    def run_row(self, code=0):
        with mock.patch.dict(ROWS, {"row": ROW}), mock.patch.dict(ENVIRONMENT, FAKE_CODE=str(code)):
            return large_scenes.run_row("row", self.arguments), large_scenes.table_row("row", self.arguments)

    def calls(self):
        with open(self.path("out/calls.txt"), encoding="utf-8") as stream:
            return [line.split() for line in stream]

    def test_plan_fits_the_scenes(self):
        for name, row in ROWS.items():
            large_scenes.write_scene(row.scene or name, large_scenes.fine_texts(row), self.path(name))
            if row.start:
                large_scenes.write_scene(row.coarse_scene, row.coarse, self.path(name + "-coarse"))
        with self.assertRaises(SystemExit):
            large_scenes.write_scene("fig14_mat_twist", (("no such text", ""),), self.path("none"))

    def test_fine_run_starts_from_the_coarse_one(self):
        (code, _), row = self.run_row()
        self.assertEqual(code, 0)
        coarse, fine = self.calls()
        self.assertNotIn("-restart", coarse)
        self.assertEqual(("-coarse" in coarse, "-coarse" in fine, "-fine" in coarse, "-fine" in fine), (True, False, False, True))
        self.assertEqual(coarse[coarse.index("-steps") + 1], "30")
        self.assertEqual(fine[fine.index("-steps") + 1], "32")
        self.assertEqual(fine[fine.index("-restart") + 1], self.path("out/row-coarse/checkpoint.h5"))
        self.assertEqual(fine[fine.index("-restart_interpolate") + 1], self.path("out/row-coarse/scene.yaml"))
        self.assertEqual((row["start [s] (nodes)"], row["steps"], row["contacts avg (max)"], row["Newton a step"], row["memory [MB]"]),
                         ("15 (7)", "31–32", "20 (40)", "5.0", "13"))

    def test_whole_run_starts_with_the_fine_mesh(self):
        with mock.patch.dict(ROWS, {"fig98": dataclasses.replace(ROW, start=0, steps=9)}):
            large_scenes.run_row("fig98", self.arguments)
            text = large_scenes.filled(PAGE, ["fig98", "fig99"], self.arguments)
        self.assertEqual(len(self.calls()), 1)
        self.assertNotIn("-restart_interpolate", self.calls()[0])
        lines = text.splitlines()
        self.assertEqual([line.split("|")[1].strip() for line in lines if line.startswith("|")], ["scene", "---", "fig98", "fig99"])
        self.assertEqual((lines[0], lines[1].split(" | ")[1], lines[3].split(" | ")[2:4], lines[-2:]),
                         (PAGE.splitlines()[0], "nodes", ["0", "31–32"], ["<!-- end -->", "after"]))

    def test_interrupted_run_continues_from_its_own_checkpoint(self):
        self.run_row()
        path = self.path("out/row/summary.json")
        with open(path, encoding="utf-8") as stream:
            summary = json.load(stream)
        with open(path, "w", encoding="utf-8") as stream:
            json.dump({**summary, "exit_code": 5, "peak_memory_MB": {"sum": 40.2}}, stream)
        _, row = self.run_row()
        self.assertEqual(len(self.calls()), 3)  # the coarse run has results
        last = self.calls()[-1]
        self.assertEqual([last[i + 1] for i, word in enumerate(last) if word == "-restart"], [self.path("out/row/checkpoint.h5")])
        self.assertNotIn("-restart_interpolate", last)
        self.assertEqual(row["memory [MB]"], "40")

    def test_failure_of_the_coarse_run_is_said(self):
        (code, said), row = self.run_row(code=4)
        self.assertEqual((code, row), (4, None))
        self.assertIn("coarse mesh", said)
        self.assertEqual(len(self.calls()), 1)


if __name__ == "__main__":
    unittest.main()
