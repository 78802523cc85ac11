"""Bodies in a container: potentials that know sides need its walls turned inward; which way its file has them makes no difference."""
import os
from abut_runs import expect, near, run, scratch, write

SCENE = """abut: 1
dim: {dim}
time: {{step: 0.02, steps: 20}}
gravity: [1, -10{zero}]
materials: {{soft: {{model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}}}
bodies:
  - {{name: ball, material: soft, shape: {{ball: {{radius: 0.1, cells: 2}}}}, translate: [0.02, -0.04{near}]}}
obstacles:
  - {{name: box, shape: {shape}{oriented}}}
contact: {{potential: {potential}, dhat: {{absolute: 1.0e-2}}}}
output: {{fields: {{every: 0}}}}
"""
CORNERS = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.2, 0.2)]
QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))  # outward
BOX = "".join("v {} {} {}\n".format(*corner) for corner in CORNERS)
FILES = {"out.obj": BOX + "".join("f {} {} {} {}\n".format(*(k + 1 for k in quad)) for quad in QUADS),
         "in.obj": BOX + "".join("f {} {} {} {}\n".format(*(k + 1 for k in reversed(quad))) for quad in QUADS),
         "open.obj": BOX + "".join("f {} {} {} {}\n".format(*(k + 1 for k in quad)) for quad in QUADS[:3] + QUADS[4:])}
GENERATED = {2: "{box: {size: [0.4, 0.3], cells: [4, 3]}}", 3: "{box: {size: [0.4, 0.3, 0.4], cells: [2, 2, 2]}}"}


def fall(folder, name, ranks, dim, shape, oriented, potential="oipc"):
    text = SCENE.format(dim=dim, shape=shape, oriented=f", oriented: {oriented}" if oriented else "", potential=potential,
                        zero=", 0" if dim == 3 else "", near=", 0.01" if dim == 3 else "")
    return run(write(folder, name + ".yaml", text), os.path.join(folder, f"{name}-{ranks}"), ranks, "-verify")


def check_lands(done, name):
    expect(done.code == 0, name, done.output[-2000:])
    rows = done.steps
    expect(all(row["intersections"] == 0 for row in rows), name, "crosses")
    expect(rows[-1]["contacts"] > 0 and max(row["contact_force_y_N"] for row in rows) > 0, name, "is not carried by the floor")
    expect(rows[-1]["min_gap_m"] > 1e-4, name, "is held by nothing but the search for crossings:", rows[-1]["min_gap_m"])
    return rows[-1]["energy_gravity_J"]


with scratch() as folder:
    for name, content in FILES.items():
        write(folder, name, content)
    for dim in (2, 3):
        lowest = [check_lands(fall(folder, f"inward{dim}", ranks, dim, GENERATED[dim], "inward"), f"inward {dim} {ranks}")
                  for ranks in (1, 3)]
        for energy in lowest[1:]:
            near(energy, lowest[0], 1e-3 * abs(lowest[0]), "energy by ranks")
        done = fall(folder, f"solid{dim}", 2, dim, GENERATED[dim], "")
        expect(done.code == 2 and "'ball' starts inside obstacle 'box'" in done.output and "oriented: inward" in done.output, done.code,
               done.output)
        expect(done.output.count("starts inside") == 1, "said by more than one rank")
    check_lands(fall(folder, "both", 2, 3, GENERATED[3], "none"), "both sides")
    check_lands(fall(folder, "ipc", 1, 3, GENERATED[3], "", "ipc"), "ipc")
    for file in ("out.obj", "in.obj"):
        for potential in ("oipc", "gcp"):
            check_lands(fall(folder, potential + file, 1, 3, f"{{file: {file}}}", "inward", potential), f"{potential} {file}")
        expect(fall(folder, "solid" + file, 1, 3, f"{{file: {file}}}", "outward").code == 2, file, "is not solid")
    beside = SCENE.replace("-0.04{near}]", "-0.6{near}]")
    for dim, ranks in ((2, 2), (3, 1)):
        path = write(folder, f"beside{dim}.yaml", beside.format(dim=dim, shape=GENERATED[dim], oriented=", oriented: inward",
                                                                potential="oipc",
                                                                zero=", 0" if dim == 3 else "", near=", 0.01" if dim == 3 else ""))
        done = run(path, os.path.join(folder, f"beside{dim}"), ranks, "-steps", "1")
        expect(done.code == 0 and done.output.count("'ball' starts outside obstacle 'box'") == 1, done.code, done.output)
        within = SCENE.replace("obstacles:", "").replace("box, shape", "box, material: soft, shape").format(
            dim=dim, shape=GENERATED[dim], oriented="", potential="oipc", zero=", 0" if dim == 3 else "", near=", 0.01" if dim == 3 else "")
        done = run(write(folder, f"within{dim}.yaml", within), os.path.join(folder, f"within{dim}"), ranks)
        expect(done.code == 2 and done.output.count("'ball' starts inside body 'box'") == 1, done.code, done.output)
    done = fall(folder, "open", 2, 3, "{file: open.obj}", "inward")
    expect(done.code == 2 and "has a border" in done.output, done.output)
    check_lands(fall(folder, "bowl", 1, 3, "{file: open.obj}", ""), "a bowl without a lid")
    done = run(write(folder, "plane.yaml", SCENE.format(dim=2, shape="", oriented="", potential="oipc", zero="", near="").replace(
        "shape: }", "plane: {point: [0, -1], normal: [0, 1]}, oriented: inward}")), os.path.join(folder, "plane"))
    expect(done.code == 2 and "obstacles[0].oriented is not for a plane" in done.output, done.output)
print("ok")
