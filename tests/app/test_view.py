"""`abut run -abut_view` prints the value in force of every option that the user guide lists for `abut run`, changed values included,
and the predicted work of the linear solvers, by which one of them is chosen on 1 to 4 ranks."""
import os
import re
from pathlib import Path
from abut_runs import expect, run, scratch, write

SCENE = """abut: 1
time: {step: 0.01, steps: 1}
materials: {m: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: m, shape: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}
"""
GUIDE = Path(__file__).parents[2] / "docs" / "user-guide.md"
WITHOUT_VALUE = {"-abut_view"}  # the option that prints


with scratch() as folder:
    listed = re.findall(r"^\| `(-(?!abut_(?:deform|resolve|follow)_)(?:(?:abut|contact|mesh)_\w+|check_iterates))", GUIDE.read_text(), re.M)
    options = set(listed) - WITHOUT_VALUE
    expect(len(options) > 15, "options of the user guide:", sorted(options))
    changed = ("-mesh_partition_seed", "7", "-mesh_partition_imbalance", "1.25")
    done = run(write(folder, "scene.yaml", SCENE), folder, 1, "-abut_view", *changed)
    expect(done.code == 0, done.output)
    values = dict(re.findall(r"^ *(-\w+) ([^\s,]+)", done.output, re.M))
    expect(options == set(values), "not printed:", sorted(options - set(values)), "not in the guide:", sorted(set(values) - options))
    expect(float(values["-mesh_partition_seed"]) == 7 and float(values["-mesh_partition_imbalance"]) == 1.25, values)
    expect(float(values["-mesh_allow_system_calls"]) == 0, values)
    for ranks in (1, 2, 3, 4):
        always = ("-abut_view", "-abut_iterative_min_unknowns", "0")
        done = run(os.path.join(folder, "scene.yaml"), os.path.join(folder, str(ranks)), ranks, *always)
        expect(done.code == 0, done.output)
        number = r"([\d.e+-]+)"
        direct = re.findall(rf"^ +direct {number}, {number} MB: {number} operations, {number} entries of the factor$", done.output, re.M)
        multigrid = re.findall(rf"^ +multigrid {number}: {number} matrix entries$", done.output, re.M)
        expect(len(direct) == len(multigrid) == 1, ranks, done.output)
        expect(all(float(value) > 0 for value in direct[0] + multigrid[0]), ranks, direct, multigrid)
        best = "direct" if float(direct[0][0]) <= float(multigrid[0][0]) else "multigrid"
        expect(f"current solver: {best}" in done.output, "not the least work:", ranks, done.output)
print("ok")
