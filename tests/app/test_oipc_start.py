"""Activation distances of oipc and gcp within a body follow from its undeformed shape, between bodies from the start (key `start`)."""
import re
from abut_runs import call, expect, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.001, steps: 2}
materials: {soft: {young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: u, material: soft, shape: {file: REST.msh}, start: START.msh}
  - {name: block, material: soft, shape: {box: {size: 1, cells: 1}}, translate: [0.5, BLOCK]}
contact: {potential: POTENTIAL, dhat: {absolute: 0.15}}
"""
FAR, NEAR = -2, -0.6


def mesh(gap):
    """A U of unit squares, three wide and two high, whose prongs are `gap` apart."""
    points = [(x, y) for y in range(3) for x in (0, 1, 1 + gap, 2 + gap)]
    corners = [4 * y + x for x, y in ((0, 0), (1, 0), (2, 0), (0, 1), (2, 1))]
    triangles = [(a + 1, a + b + 1, a + c + 1) for a in corners for b, c in ((1, 5), (5, 4))]
    nodes = "".join(f"{k + 1} {x} {y} 0\n" for k, (x, y) in enumerate(points))
    cells = "".join("%d 2 2 1 1 %d %d %d\n" % (k + 1, *triangle) for k, triangle in enumerate(triangles))
    return (f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(points)}\n{nodes}$EndNodes\n"
            f"$Elements\n{len(triangles)}\n{cells}$EndElements\n")


# undeformed gap between the prongs, gap at the start, height of the block below; active at the start, smallest activation distance
CASES = [("wide", "narrow", FAR, True, None), ("narrow", "wide", FAR, False, 0.05), ("narrow", "narrow", FAR, False, 0.05),
         ("wide", "narrow", NEAR, True, 0.05), ("wide", "wide", NEAR, False, 0.05)]

with scratch() as folder:
    for name, gap in (("wide", 1), ("narrow", 0.1)):
        write(folder, name + ".msh", mesh(gap))
    for potential in ("oipc", "gcp"):
        for rest, start, block, active, least in CASES:
            text = SCENE.replace("REST", rest).replace("START", start).replace("BLOCK", str(block)).replace("POTENTIAL", potential)
            scene = write(folder, "u.yaml", text)
            for ranks in (1, 3):
                done = call(ranks, "check", scene)
                found = re.search(r"contacts at the start +(\d+) of two bodies, (\d+) within", done.output)
                lowered = re.search(r"smallest activation distance (\S+) m at", done.output)
                expect(done.code == 0 and found.group(1) == "0", potential, rest, start, done.output)
                expect((int(found.group(2)) > 0) == active, potential, rest, start, done.output)
                expect((float(lowered.group(1)) if lowered else None) == least, potential, rest, start, ranks, done.output)
print("ok")
