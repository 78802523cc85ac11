"""jobs/authors_scenes.py on a fake program: the rows it computes, and the tables that it writes into the page."""

import argparse
import os
import re
import sys
import unittest
from unittest import mock

from ipc_support import ROOT, ConverterCase

sys.path.insert(0, os.path.join(ROOT, "jobs"))

import authors_scenes  # noqa: E402
from scene_runs import section_of  # noqa: E402

PRETENDER = """#!/usr/bin/env python3
import json, os, sys
out, words = sys.argv[sys.argv.index("-o") + 1], sys.argv[1:]
json.dump({"exit_code": 0, "scene": sys.argv[2], "options": " ".join(words[2:]) + " ", "vertices": 2520, "cells": 9, "last_step": 2,
           "peak_memory_MB": {"sum": 12.6}}, open(out + "/summary.json", "w"))
columns = "step,newton_iterations,contacts,contacts_max,dt_s,wall_s,min_gap_m,intersections,inversions,friction_lags,local_iterations"
open(out + "/steps.csv", "w").write(columns + "\\n1,4,10,20,0.5,1,0.1,0,0,0,3\\n2,6,30,40,0.5,1,0.1,CROSSINGS,0,0,4\\n")
"""
SCENE = "energy NH\ntime 0.2 0.1\ndensity 1000\nstiffness 1e4 0.4\nshapes input 1\nbox.msh 0 0 0  0 0 0  1 1 1\nground 0 -1\n"
PAGE = "".join(f"<!-- measured: {name} -->\n| scene |\n| --- |\n<!-- end -->\n" for name in authors_scenes.SECTIONS)


class AuthorsScenes(ConverterCase):
    def run_row(self, name, crossings=0, end="0.2"):
        self.write("abut", PRETENDER.replace("CROSSINGS", str(crossings)))
        os.chmod(self.path("abut"), 0o755)
        folder = self.path("scenes/paperExamples/tb1_diffDt")
        os.makedirs(folder, exist_ok=True)
        scene = SCENE.replace("box.msh", self.path("input/box.msh")).replace("time 0.2", f"time {end}")
        self.write("scenes/paperExamples/tb1_diffDt/rodsTwist_E1e4_dt0.05.txt", scene)
        self.arguments = argparse.Namespace(abut=self.path("abut"), output=self.path("out"), scenes=self.path("scenes"), ranks=1,
                                            timeout=60.0)
        return authors_scenes.run_scene(name, self.arguments)

    def test_row(self):
        row, problem = self.run_row("h = 0.05 s")
        self.assertEqual(problem, "")
        self.assertEqual([row["contacts avg (max)"], row["Newton a step (max)"], row["local a step"], row["Newton here / paper"]],
                         ["20 (40)", "5.00 (6)", "3.5", "1.63"])  # 5 / 3.06

    def test_part_of_a_run_has_no_ratio(self):
        row, _ = self.run_row("h = 0.05 s", end="1")
        self.assertEqual([row["steps"], row["Newton here / paper"]], ["2 of 10", "–"])

    def test_intersection_is_a_failure(self):
        self.assertEqual(self.run_row("h = 0.05 s", crossings=1)[1], "1 intersections")

    def test_scene_that_is_missing(self):
        self.run_row("h = 0.05 s")
        self.assertIn("rodsTwist_E1e4_dt2.txt", authors_scenes.run_scene("h = 2 s", self.arguments)[1])

    def test_page_keeps_rows_without_results(self):
        self.run_row("h = 0.05 s")
        page = self.path("page.md")
        before = "| " + " | ".join(["h = 1 s"] + ["kept"] * 8) + " |"
        table = "\n".join(["| " + " | ".join(authors_scenes.COLUMNS) + " |", "|" + " --- |" * 9, before])
        with open(page, "w", encoding="utf-8") as stream:
            stream.write(re.sub(r"(authors rods -->\n).*?(\n<!-- end)", lambda found: found[1] + table + found[2], PAGE, flags=re.S))
        with mock.patch.object(authors_scenes, "PAGE", page):
            authors_scenes.write_page(self.arguments)
        written = section_of(page, "authors rods").splitlines()[2:]
        self.assertEqual([line.split("|")[1].strip() for line in written], ["h = 0.05 s", "h = 1 s"])
        self.assertIn(before, written)

    def test_plan_states_the_paper(self):
        for name, row in authors_scenes.ROWS.items():
            self.assertTrue(not row.paper or authors_scenes.newton_of_paper(row) > 1, name)


if __name__ == "__main__":
    unittest.main()
