"""`abut check` warns of bodies that lie wholly inside the material of another body, where no edge crosses a face. Bodies in
cavities, in holes and in closed obstacles cause no warning. Equal on 1 and on 2 or 3 ranks."""
import re
from abut_runs import call, expect, scratch, write

HEAD = """abut: 1
dim: DIM
time: {step: 0.01, steps: 1}
materials: {m: {young: 1.0e5, poisson: 0.4, density: 1000}}
contact: {dhat: {absolute: 0.001}}
"""
SPHERE = ["v 2 0 0", "v -2 0 0", "v 0 2 0", "v 0 -2 0", "v 0 0 2", "v 0 0 -2",
          *(f"f {x} {y} {z}" if sign > 0 else f"f {y} {x} {z}"
            for x, i in ((1, 1), (2, -1)) for y, j in ((3, 1), (4, -1)) for z, k in ((5, 1), (6, -1)) for sign in (i * j * k,))]


def box(name, size, cells, dim=3):
    return f"  - {{name: {name}, material: m, shape: {{box: {{size: {[size] * dim}, cells: {[cells] * dim}}}}}}}\n"


def ball(name, radius, cells, place=None):
    place = f", translate: {place}" if place else ""
    return f"  - {{name: {name}, material: m, shape: {{ball: {{radius: {radius}, cells: {cells}}}}}{place}}}\n"


def torus(name, major, minor, cells):
    return f"  - {{name: {name}, material: m, shape: {{torus: {{major: {major}, minor: {minor}, cells: {cells}}}}}}}\n"


def hollow():
    """Mesh file of a cube of side 3 without its middle cube of side 1; each cube has six tetrahedra around the same diagonal."""
    nodes = [f"{1 + i + 4 * j + 16 * k} {i - 1.5} {j - 1.5} {k - 1.5}" for k in range(4) for j in range(4) for i in range(4)]
    steps, cells = (1, 4, 16), []
    for corner in (i + 4 * j + 16 * k for k in range(3) for j in range(3) for i in range(3) if (i, j, k) != (1, 1, 1)):
        for a, b in ((0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)):
            path = [corner + 1, corner + 1 + steps[a], corner + 1 + steps[a] + steps[b], corner + 1 + sum(steps)]
            cells.append(path if (b - a) % 3 == 1 else [path[0], path[2], path[1], path[3]])
    elements = [f"{n + 1} 4 2 0 1 " + " ".join(map(str, cell)) for n, cell in enumerate(cells)]
    return "\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes)), *nodes, "$EndNodes", "$Elements",
                      str(len(elements)), *elements, "$EndElements", ""])


HOLLOW = "  - {name: hollow, material: m, shape: {file: hollow.msh}}\n"
CASES = {  # dimension, bodies and obstacles, pairs of a body inside another one, the first of them
    "bore": (2, torus("ring", 1, 0.3, 4) + ball("shaft", 0.9, 6), 1, ("shaft", "ring")),
    "loose": (2, torus("ring", 1, 0.3, 4) + ball("shaft", 0.6, 6), 0, None),
    "aligned": (3, box("big", 1, 4) + box("small", 0.5, 2), 1, ("small", "big")),
    "hole": (3, torus("donut", 1, 0.3, 3) + ball("small", 0.3, 3), 0, None),
    "cavity": (3, HOLLOW + box("small", 0.5, 2), 0, None),
    "wall": (3, HOLLOW + ball("small", 0.3, 3, "[1, 1, 0]"), 1, ("small", "hollow")),
    "core": (3, HOLLOW + box("core", 2, 3), 1, ("core", "hollow")),
    "container": (3, ball("small", 0.3, 3) + "obstacles: [{name: tank, shape: {file: sphere.obj}}]\n", 0, None),
    "anchor": (3, box("big", 5, 3) + "obstacles: [{name: anchor, shape: {file: sphere.obj}}]\n", 1, ("anchor", "big")),
}

with scratch() as folder:
    write(folder, "hollow.msh", hollow())
    write(folder, "sphere.obj", "\n".join(SPHERE) + "\n")
    for number, (case, (dim, bodies, count, names)) in enumerate(CASES.items()):
        scene = write(folder, case + ".yaml", HEAD.replace("DIM", str(dim)) + "bodies:\n" + bodies)
        said = set()
        for ranks in (1, 2 + number % 2):
            done = call(ranks, "check", scene)
            expect(done.code == 0 and "initial intersections        none" in done.output, case, ranks, "ranks:", done.output)
            said.add(tuple(re.findall(r"warning: '(\w+)' \(vertex (\d+)\) lies wholly inside the material of '(\w+)'.*"
                                      r"\(pairs of bodies: (\d+)\)", done.output)))
        expect(len(said) == 1, case, "warnings by ranks:", said)
        found = said.pop()
        expect(len(found) == (count > 0), case, found)
        if count:
            expect((found[0][0], found[0][2], int(found[0][3])) == (*names, count), case, found)
print("ok")
