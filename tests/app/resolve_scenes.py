"""Scenes and calls that tests of `abut deform -resolve` share."""
from abut_runs import call

HEAD = """abut: 1  # first line
dim: 3
time: {step: 0.005, steps: 3}
materials:
  soft: {model: fixed-corotated, young: 1.0e5, poisson: 0.4, density: 1000}
  hard: {young: 3.0e5, poisson: 0.3, density: 1000}
"""
BALLS = HEAD + """bodies:
  - name: left
    material: soft
    shape:
      ball: {radius: 1, cells: 8}   # radius
    translate: [-0.9, 0, 0]
    velocity: [0.1, 0, 0]
  - name: right   # second
    material: hard
    shape: {ball: {radius: 1, cells: 7}}
    rotate: [10, 20, 30]
    translate: [0.9, 0.1, 0]
obstacles:
  - name: floor
    plane: {point: [0, -0.95, 0], normal: [0, 2, 0]}
  - {name: wall, shape: {file: wall.obj}}
"""
WALL = "v -3 -3 9\nv 3 -3 9\nv 0 3 9\nf 1 2 3\n"
THREE = HEAD + """bodies:
  - {name: a, material: soft, shape: {box: {size: [1, 1, 1], cells: [4, 4, 4]}}}
  - {name: b, material: soft, shape: {box: {size: [1, 1, 1], cells: [5, 5, 5]}}, translate: [0.95, 0.1, 0.07]}
  - {name: c, material: soft, shape: {ball: {radius: 0.5, cells: 6}}, translate: [0.45, 0.93, 0.05]}
"""
STACK = HEAD + """bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}, copies: [2, 2, 1], spacing: [1, 1, 1]}
obstacles:
  - {name: floor, plane: {point: [0, 0, -0.5], normal: [0, 0, 1]}}
"""
FLAT = """abut: 1
dim: 2
time: {step: 0.005, steps: 3}
materials: {m: {young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: a, material: m, shape: {box: {size: [1, 1], cells: [6, 6]}}}
  - {name: c, material: m, shape: {ball: {radius: 0.5, cells: 8}}, translate: [0.05, 0.9]}
obstacles:
  - {name: floor, plane: {point: [0, -0.48], normal: [0, 1]}}
"""


def nodes(path):
    """Coordinates of a mesh file, and the rest of its text."""
    with open(path, encoding="ascii") as file:
        before, rest = file.read().split("$Nodes\n")
    lines, after = rest.split("$EndNodes")
    return [[float(word) for word in line.split()[1:]] for line in lines.splitlines()[1:]], before + after


def resolve(scene, out, ranks=1, *options):
    return call(ranks, "deform", scene, "-resolve", "-o", out, *options, directory=out)
