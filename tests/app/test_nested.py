"""`abut check` warns of surfaces that lie wholly inside the material of another body, where no edge crosses a face. Bodies in
holes cause no warning. Equal on 1, 2 and 3 ranks."""
import re
from abut_runs import call, expect, scratch, write

HEAD = """abut: 1
dim: DIM
time: {step: 0.01, steps: 1}
materials: {m: {young: 1.0e5, poisson: 0.4, density: 1000}}
contact: {dhat: {absolute: 0.001}}
"""


def box(name, size, cells, dim=3):
    return f"  - {{name: {name}, material: m, shape: {{box: {{size: {[size] * dim}, cells: {[cells] * dim}}}}}}}\n"


def ball(name, radius, cells, place=None):
    place = f", translate: {place}" if place else ""
    return f"  - {{name: {name}, material: m, shape: {{ball: {{radius: {radius}, cells: {cells}}}}}{place}}}\n"


def torus(name, major, minor, cells):
    return f"  - {{name: {name}, material: m, shape: {{torus: {{major: {major}, minor: {minor}, cells: {cells}}}}}}}\n"


CASES = {  # dimension, bodies, surfaces inside bodies, the first of them and the body around it
    "bore": (2, torus("ring", 1, 0.3, 4) + ball("shaft", 0.9, 6), 2, ("ring", "shaft")),
    "loose": (2, torus("ring", 1, 0.3, 4) + ball("shaft", 0.6, 6), 0, None),
    "inside": (3, box("big", 1, 2) + ball("small", 0.3, 3), 1, ("small", "big")),
    "hole": (3, torus("donut", 1, 0.3, 3) + ball("small", 0.3, 3), 0, None),
}

with scratch() as folder:
    for case, (dim, bodies, count, names) in CASES.items():
        scene = write(folder, case + ".yaml", HEAD.replace("DIM", str(dim)) + "bodies:\n" + bodies)
        said = set()
        for ranks in (1, 2, 3):
            done = call(ranks, "check", scene)
            expect(done.code == 0 and "initial intersections        none" in done.output, case, ranks, "ranks:", done.output)
            said.add(tuple(re.findall(r"warning: a surface of '(\w+)' \(vertex (\d+)\) lies wholly inside the material of '(\w+)'.*"
                                      r"\(surfaces inside bodies: (\d+)\)", done.output)))
        expect(len(said) == 1, case, "warnings by ranks:", said)
        found = said.pop()
        expect(len(found) == (count > 0), case, found)
        if count:
            expect((found[0][0], found[0][2], int(found[0][3])) == (*names, count), case, found)
print("ok")
