"""The page of jobs/oipc.py: new rows replace old rows of the same run, other rows stay, incomplete runs are left out."""

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from ipc_support import ROOT, ConverterCase

sys.path.insert(0, os.path.join(ROOT, "jobs"))

import oipc  # noqa: E402
import oipc_page  # noqa: E402
from oipc_plan import PLANS  # noqa: E402

COLUMNS = oipc.PAGE_COLUMNS
OLD = "old"
PRETENDER = """#!/usr/bin/env python3
import json, sys
if "--scene-reference" in sys.argv:
    print("| `potential` | name | | `ipc`, `oipc` |")
else:
    out = sys.argv[sys.argv.index("-o") + 1]
    json.dump({"exit_code": 0, "scene": sys.argv[2], "options": " ".join(sys.argv[3:]) + " "}, open(out + "/summary.json", "w"))
"""


def old_row(*keys, columns=COLUMNS):
    """A row of the page as it was."""
    return "| " + " | ".join([*keys, *[OLD] * (len(columns) - len(keys))]) + " |\n"


def table(columns, *rows):
    return "| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns) + "\n" + "".join(rows)


class Pages(ConverterCase):
    def page(self, **sections):
        text = "".join(f"before\n<!-- measured: {name} -->\n{inside}<!-- end -->\nafter\n" for name, inside in sections.items())
        self.write("docs/oipc.md", text)
        return text

    def results(self, name, potential, variant="", ranks=1, newton=2, code=0, options="", rows=None):
        """Writes results of a run with all steps of its scene."""
        folder = "out/" + oipc.folder_of(name, potential, variant, ranks)
        scene = oipc.write_scene(name, potential, variant, False, self.path(folder))
        steps = rows or oipc.scene_runs.steps_of(scene)
        summary = {"exit_code": code, "message": "did not converge", "scene": scene, "options": f"-o {folder} {options}",
                   "last_step": steps, "vertices": 10, "cells": 20, "peak_memory_MB": {"sum": 30}}
        self.write(folder + "/summary.json", json.dumps(summary))
        self.write(folder + "/steps.csv", "newton_iterations,min_gap_m,wall_s,energy_contact_J\n" + f"{newton},0.5,0.25,{newton}\n" * steps)

    def make(self, names=PLANS, potentials=oipc.POTENTIALS):
        """The page and the output afterwards."""
        said = io.StringIO()
        arguments = argparse.Namespace(output=self.path("out"), no_pictures=True)
        with mock.patch.object(oipc, "fields_of", return_value=(0.0, 0.0)), contextlib.redirect_stdout(said):
            oipc.make_page(list(names), potentials, arguments, self.path("docs/oipc.md"))
        with open(self.path("docs/oipc.md"), encoding="utf-8") as stream:
            return stream.read(), said.getvalue()

    def test_rows_replace_theirs_in_the_order_of_the_plan(self):
        gone = old_row("a scene that was", "oipc")
        self.page(rest=table(COLUMNS, gone, old_row("fig11_slit_3d", "oipc"), old_row("fig10_fillet_2d", "oipc")), range=table(COLUMNS))
        self.results("fig11_slit_3d", "oipc", newton=3)
        self.results("fig11_slit_3d", "oipc", ranks=2, newton=4)
        self.results("fig10_fillet_2d", "ipc", newton=7)
        text, said = self.make()
        rows = oipc_page.parsed(text)
        self.assertEqual([(row["scene"], row["potential"], row["Newton a step"]) for row in rows[:4]],
                         [("fig10_fillet_2d", "ipc", "7.0"), ("fig10_fillet_2d", "oipc", OLD), ("fig11_slit_3d", "oipc", "3.0, 4.0"),
                          ("a scene that was", "oipc", OLD)])
        self.assertIn(gone, text)
        self.assertEqual((said, text.count("before\n"), text.count("after\n")), ("", 2, 2))

    def test_only_what_is_asked_for(self):
        before = self.page(rest=table(COLUMNS, old_row("fig10_fillet_2d", "ipc"), old_row("fig10_fillet_2d", "oipc")))
        self.results("fig10_fillet_2d", "ipc")
        self.assertEqual(self.make(potentials=["oipc"]), (before, ""))
        self.assertEqual(self.make(names=["fig11_slit_2d"]), (before, ""))
        self.assertNotEqual(self.make(potentials=["ipc"])[0], before)

    def test_what_was_cut_stays_out_and_is_named(self):
        before = self.page(rest=table(COLUMNS, old_row("fig10_fillet_2d", "ipc"), old_row("fig10_fillet_2d", "oipc"),
                                      old_row("fig11_slit_2d", "ipc")))
        self.results("fig10_fillet_2d", "ipc", options="-steps 3", rows=3)
        self.results("fig10_fillet_2d", "oipc", code=4, rows=7)
        self.results("fig11_slit_2d", "ipc", rows=9)
        self.write("out/fig11_slit_2d/ipc/steps.csv", "newton_iterations\n1\n")  # it runs again
        self.results("fig11_slit_3d", "ipc")
        os.remove(self.path("out/fig11_slit_3d/ipc/summary.json"))
        text, said = self.make()
        self.assertEqual(text, before)
        for words in ("fig10_fillet_2d/ipc: not on the page: was run with -steps 3",
                      "fig10_fillet_2d/oipc: not on the page: exit 4: did not converge",
                      "fig11_slit_2d/ipc: not on the page: is being run again", "fig11_slit_3d/ipc: not on the page: has not ended"):
            self.assertIn(words, said)

    def test_two_ranks_that_failed(self):
        self.page(rest=table(COLUMNS, old_row("fig10_fillet_2d", "ipc")))
        self.results("fig10_fillet_2d", "ipc", newton=5)
        self.results("fig10_fillet_2d", "ipc", ranks=2, code=4, rows=1)
        text, said = self.make()
        self.assertEqual(oipc_page.parsed(text)[0]["Newton a step"], "5.0")
        self.assertIn("fig10_fillet_2d/ipc-2_ranks: not on the page", said)

    def test_pictures_that_the_page_shows(self):
        self.write("docs/oipc.md", "![](oipc/fig11_slit_2d-oipc.png) ![Slit](oipc/fig11_slit_3d-ipc.png)\n")
        for name in ("fig11_slit_2d", "fig11_slit_3d"):
            for potential in ("ipc", "oipc"):
                self.results(name, potential)
        arguments = argparse.Namespace(output=self.path("out"), no_pictures=False)
        with mock.patch.object(oipc, "fields_of", return_value=(0.0, 0.0)), \
                mock.patch.object(oipc.scene_runs, "draw", return_value="") as draw, contextlib.redirect_stdout(io.StringIO()):
            oipc.make_page(list(PLANS), oipc.POTENTIALS, arguments, self.path("docs/oipc.md"))
        drawn = [os.path.basename(call.args[1]) for call in draw.call_args_list]
        self.assertEqual(drawn, ["fig11_slit_2d-oipc.png", "fig11_slit_3d-ipc.png"])

    def test_meshes_of_the_papers_size(self):
        self.page(**{"paper size": table(oipc.SIZE_COLUMNS, old_row("fig24_mat_twist", columns=oipc.SIZE_COLUMNS))})
        with mock.patch.object(oipc.scene_runs, "divided") as divided:
            for name, code, count in (("fig22_dolphin_funnel", 0, 1280), ("fig23_trash_compactor", 5, 4), ("fig24_mat_twist", 4, 4)):
                self.results(name, "oipc", oipc.PAPER_SIZE, code=code, rows=count)
                self.write("out/" + oipc.folder_of(name, "oipc", oipc.PAPER_SIZE) + "/steps.csv",
                           "newton_iterations,local_iterations,contacts,min_gap_m\n" + "2,3,4,0.5\n" * count)
        divided.assert_called_once()
        text, said = self.make()
        self.assertEqual([(row["scene"], row["steps"]) for row in oipc_page.parsed(text)],
                         [("fig22_dolphin_funnel", "all 1280"), ("fig23_trash_compactor", "4 of 1250"), ("fig24_mat_twist", OLD)])
        self.assertIn("fig24_mat_twist/oipc-paper_size: not on the page: exit 4", said)

    def test_rows_of_studies_want_all_levels(self):
        columns = ["configuration", "L", "potential by level", "order, all", "order, last three"]
        self.page(order=table(columns, *[old_row("B", length, columns=columns) for length in ("mean edge", "fixed")]))
        for level in range(1, 6):
            self.results("fig19_potential_b", "oipc", f"level {level}", newton=2 ** (7 - level))
            if level != 4:
                self.results("fig19_potential_b", "oipc", f"level {level}, L fixed")
        text, said = self.make()
        mean, fixed = oipc_page.parsed(text)
        self.assertEqual((mean["potential by level"], mean["order, all"], fixed["potential by level"]), ("64, 32, 16, 8, 4", "1.00", OLD))
        self.assertIn("potential, fig19_potential_b, L fixed: left as it is: fig19_potential_b, oipc, level 4, L fixed has not ended", said)


class Runs(ConverterCase):
    def start(self, *options):
        return subprocess.run([sys.executable, "-B", os.path.join(ROOT, "jobs", "oipc.py"), *options, "-o", self.path("out")],
                              capture_output=True, text=True,
                              check=False)

    def test_no_more_steps_than_the_scene_has(self):
        self.write("bin/abut", PRETENDER)
        os.chmod(self.path("bin/abut"), 0o755)
        self.start("fig19_potential_c", "fig11_slit_2d", "--quick", "--abut", self.path("bin/abut"))
        for folder, steps in (("fig19_potential_c/oipc-level_1", 1), ("fig11_slit_2d/oipc", 3)):
            with open(self.path(f"out/{folder}/summary.json"), encoding="utf-8") as stream:
                self.assertIn(f"-steps {steps} ", json.load(stream)["options"])

    def test_no_program(self):
        done = self.start("fig11_slit_2d", "--abut", self.path("nowhere"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"there is no program {self.path('nowhere')}: build it (jobs/build.sh), "
                         "or say where it is with --abut\n")


if __name__ == "__main__":
    unittest.main()
