"""`abut run -abut_view` prints the value in force of every option that the user guide lists for `abut run`, changed values included,
and the predicted costs of the linear solvers, from which the same one is chosen on 1 to 4 ranks."""
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
        number = r"[\d.e+-]+"
        work = rf"({number}) s, ({number}) MB, {number} set-ups of {number} s, {number} iterations of {number} s(, chosen)?"
        line = rf"^ +(direct|schwarz|multigrid) +(?:{work}|not predicted)$"
        costs = re.findall(line, done.output, re.M)
        expect([cost[0] for cost in costs] == ["direct", "schwarz", "multigrid"], ranks, costs, done.output)
        predicted = [cost for cost in costs if cost[1]]
        expect(len(predicted) == (2 if ranks == 1 else 3), "one rank has no subdomains:", ranks, costs)
        expect(all(float(cost[1]) > 0 and float(cost[2]) > 0 for cost in predicted), ranks, costs)
        best = min(predicted, key=lambda cost: float(cost[1]))
        expect([cost[0] for cost in costs if cost[3]] == [best[0]], "not the least work:", ranks, costs)
        expect(f"current solver: {best[0]}" in done.output, ranks, done.output)
print("ok")
