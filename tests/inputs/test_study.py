"""Parameter studies: scenes with the values of a line, tables of runs, limits and orders of convergence."""

import itertools
import json
import os
import subprocess
import sys
import unittest

from ipc_support import ConverterCase, ROOT

SCENE = """# young: of the material
time: {step: 0.1, steps: 2}
materials: {soft: {young: 1.0e5, poisson: 0.3}, hard: {young: STIFF, poisson: 0.3}}
bodies:
  - {name: rod, shape: {file: meshes/rod.geo, mesh_size: 0.1}}   # file: relative
obstacles: [{plane: {point: [0, 0, 0], normal: UP}}]
motions: [{sequence: {files: "frames/%04d.obj", count: 3}}]
"""
STEPS = "step,time_s,contacts\n1,0.1,2\n2,0.2,3\n"
PAIRS = "step,time_s,body_a,body_b,contacts,sticking,normal_x_N\n1,0.1,rod,jaw,1,0,-5\n2,0.2,rod,jaw,1,0,-{}\n2,0.2,jaw,bar,1,0,-1\n"


class Study(ConverterCase):
    def run_job(self, script, *arguments):
        return subprocess.run([sys.executable, "-B", os.path.join(ROOT, "jobs", script), *arguments], capture_output=True, text=True,
                              check=False)

    def scene(self, values, line="1"):
        self.write("scenes/rod.yaml", SCENE)
        self.write("values.txt", values)
        return self.run_job("study_scene.py", self.path("scenes/rod.yaml"), self.path("values.txt"), line, self.path("out"))

    def refused(self, values, *words, line="1"):
        done = self.scene(values, line)
        self.assertEqual(done.returncode, 2, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_keys_words_and_paths(self):
        done = self.scene("# edges and stiffness\n\nstep=0.2\nmesh_size=0.05 STIFF=2e9\n", "2")
        self.assertEqual(done.stdout.strip(), self.path("out/2/scene.yaml"), done.stderr)
        with open(self.path("out/2/scene.yaml"), encoding="utf-8") as stream:
            text = stream.read()
        self.assertIn("mesh_size: 0.05}", text)
        self.assertIn("hard: {young: 2e9,", text)
        self.assertIn("soft: {young: 1.0e5,", text)
        self.assertIn(f'{{file: "{self.path("scenes/meshes/rod.geo")}", mesh_size', text)
        self.assertIn(f'{{files: "{self.path("scenes/frames/%04d.obj")}", count', text)
        with open(self.path("out/2/values.txt"), encoding="utf-8") as stream:
            self.assertEqual(stream.read(), "mesh_size=0.05 STIFF=2e9\n")

    def test_refused_values(self):
        self.refused("young=1e6\n", "young occurs 2 times", "a word of your own")
        self.refused("density=1\n", "neither a key nor a word density")
        self.assertIn("run  density", self.run_job("study_table.py", self.path("out")).stdout)  # a line that fails is in the table
        self.refused("# a plane\n\npoint=3\n", "values.txt:3: point has a list", "not a number or word")
        self.refused("bodies=3\n", "values.txt:1: bodies has a list or keys")
        self.refused("STIFF=1e5 STIFF=2e5\n", "values.txt:1: STIFF has two values, 1e5 and 2e5")
        self.refused("mesh_size\n", '"mesh_size" must be NAME=VALUE')
        self.refused("mesh_size=1\n", "no line 2, only 1 to 1", line="2")

    def runs(self):
        for number, size in enumerate((0.4, 0.2, 0.1), 1):
            self.write(f"study/{number}/values.txt", f"mesh_size={size}\n")
            self.write(f"study/{number}/steps.csv", STEPS)
            self.write(f"study/{number}/pairs.csv", PAIRS.format(10 + 3 * size**2))  # with the pair of bar 1 N less
            self.write(f"study/{number}/summary.json", json.dumps({"steps": 2, "newton_iterations": 7, "min_gap_m": None}))
        self.write("study/4/values.txt", "mesh_size=0.05\n")  # has not ended

    def table(self, *options):
        self.runs()
        done = self.run_job("study_table.py", self.path("study"), *options)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_limit_and_order(self):
        code, lines, errors = self.table("--refine", "mesh_size", "-c", "jaw:normal_x_N,newton_iterations")
        self.assertEqual((code, errors), (1, "study_table.py: run 4 has no summary.json: it failed or has not ended\n"))
        self.assertEqual([line.split() for line in lines[1:5]],
                         [["1", "0.4", "9.48", "7"], ["2", "0.2", "9.12", "7"], ["3", "0.1", "9.03", "7"], ["4", "0.05"]])
        self.assertEqual(lines[5], "jaw:normal_x_N: limit 9 at order 2.00, the finest mesh is 0.33 % off")
        self.assertIn("do not fit", lines[6])
        self.assertGreater(os.path.getsize(self.path("study/study.png")), 10000)

    def test_limits_of_two_materials(self):
        """Limits 9 and 90 in one folder, and sums that have no sign."""
        for run, (scale, size) in enumerate(itertools.product((1, 10), (0.1, 0.2, 0.4)), 1):
            self.write(f"study/{run}/values.txt", f"mesh_size={size} young={scale}e6\n")
            self.write(f"study/{run}/steps.csv", STEPS)
            self.write(f"study/{run}/pairs.csv", "step,body_a,body_b,normal_x_N,friction_sum_N,area_m2\n"
                       f"2,jaw,bar,{scale * (9 + 3 * size**2)},2,3\n2,rod,jaw,0,4,5\n")
            self.write(f"study/{run}/summary.json", json.dumps({"steps": 2}))
        done = self.run_job("study_table.py", self.path("study"), "--refine", "mesh_size",
                            "-c", "jaw:normal_x_N,jaw:friction_sum_N,jaw:area_m2")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1].split()[3:], ["9.03", "6", "8"], done.stderr)
        self.assertEqual(lines[7:9], ["jaw:normal_x_N, young=1e6: limit 9 at order 2.00, the finest mesh is 0.33 % off",
                                      "jaw:normal_x_N, young=10e6: limit 90 at order 2.00, the finest mesh is 0.33 % off"])

    def test_step(self):
        code, lines, errors = self.table("--step", "1", "-c", "jaw:normal_x_N,contacts,min_gap_m")
        self.assertEqual(code, 1, errors)
        self.assertEqual(lines[1].split(), ["1", "0.4", "5", "2", "nan"])
        self.assertIn("no run has a step 99; there are 1 to 2", self.table("--step", "99", "-c", "contacts")[2])

    def test_runs_that_failed(self):
        self.runs()
        self.write("study/4/summary.json", json.dumps({"steps": 1, "exit_code": 4}))
        self.write("study/4/steps.csv", STEPS)
        done = self.run_job("study_table.py", self.path("study"), "-c", "steps")
        self.assertEqual((done.returncode, done.stderr), (1, "study_table.py: run 4 ended with exit code 4\n"))
        self.write("study/4/summary.json", json.dumps({"steps": 2, "exit_code": 0}))
        self.assertEqual(self.run_job("study_table.py", self.path("study"), "-c", "steps").returncode, 0)

    def test_runs_of_abut_study(self):
        for name, steps in (("soft", 2), ("hard", 3)):
            self.write(f"many/{name}/run.log", "")
            self.write(f"many/{name}/steps.csv", STEPS)
            self.write(f"many/{name}/summary.json", json.dumps({"steps": steps}))
        self.write("many/other/notes.txt", "")
        done = self.run_job("study_table.py", self.path("many"), "-c", "steps")
        self.assertEqual([line.split() for line in done.stdout.splitlines()], [["run", "steps"], ["hard", "3"], ["soft", "2"]], done.stderr)
        self.assertGreater(os.path.getsize(self.path("many/study.png")), 5000)

    def test_refused_columns(self):
        for column, words in (("jaws:normal_x_N", "no contact of jaws; it has bar, jaw, rod"),
                              ("jaw:normal_w_N", "no force or area normal_w_N"), ("newton", "has no column newton")):
            code, _, errors = self.table("-c", column)
            self.assertEqual(code, 1)
            self.assertIn(words, errors)
        self.assertIn("no run has the parameter size; they have mesh_size", self.table("--refine", "size")[2])


if __name__ == "__main__":
    unittest.main()
