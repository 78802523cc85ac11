"""Press fits, whose surfaces overlap all around: `abut deform -resolve -resolve_rest keep` keeps the rest shapes and writes positions at
the start; the run finds the contact pressure of Lame's thick-walled cylinders. Closed contours of intersection, surfaces that do not even
cross, 2D and 3D, meshes that match and that do not; equal on several ranks; a restart takes its positions from the checkpoint."""
import math
import os
import re

from abut_runs import call, expect, near, run, scratch, write

INNER, OUTER = 0.05, 0.1  # radius of the shaft and of the ring [m]
FIT = 5.0e-5  # interference of the radii [m]
DHAT = FIT / 100
STEEL, ALUMINIUM = (2.0e11, 0.3), (0.7e11, 0.33)  # shaft, ring: Young's modulus [Pa], Poisson's ratio


def lame(fit):
    """Contact pressure of a solid shaft and a ring in plane strain [Pa]: the displacements of both radii add up to the interference."""
    (e_in, nu_in), (e_out, nu_out) = STEEL, ALUMINIUM
    ring = (1 + nu_out) * INNER * ((1 - 2 * nu_out) * INNER ** 2 + OUTER ** 2) / (e_out * (OUTER ** 2 - INNER ** 2))
    shaft = (1 + nu_in) * (1 - 2 * nu_in) * INNER / e_in
    return fit / (ring + shaft)


def section(inner, outer, count, turn):
    """Points and triangles of a ring, or of a disc if the inner radius is 0. All vertices of a circle have the same surroundings."""
    layers = count // 6
    points = [] if inner else [(0.0, 0.0)]
    rows = [] if inner else [[0] * count]
    for i in range(0 if inner else 1, layers + 1):
        radius = inner + (outer - inner) * i / layers
        rows.append(range(len(points), len(points) + count))
        angles = [2 * math.pi * (k + turn) / count for k in range(count)]
        points += [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]
    cells = []
    for low, high in zip(rows, rows[1:]):
        for k in range(count):
            a, b, c, d = low[k], high[k], high[(k + 1) % count], low[(k + 1) % count]
            cells += [(a, b, c)] + ([(a, c, d)] if a != d else [])
    return points, cells


def extrude(points, cells, height, layers):
    """Prisms over the triangles, each cut into three tetrahedra by the order of its vertices."""
    n, tetrahedra = len(points), []
    solid = [(x, y, height * (k / layers - 0.5)) for k in range(layers + 1) for x, y in points]
    for layer in range(layers):
        for cell in cells:
            low = [layer * n + vertex for vertex in sorted(cell)]
            high = [vertex + n for vertex in low]
            for four in ((*low, high[2]), (low[0], low[1], high[2], high[1]), (low[0], high[1], high[2], high[0])):
                p = [solid[vertex] for vertex in four]
                u, v, w = ([p[i][k] - p[0][k] for k in range(3)] for i in (1, 2, 3))
                volume = sum(u[k] * (v[k - 2] * w[k - 1] - v[k - 1] * w[k - 2]) for k in range(3))
                tetrahedra.append(four if volume > 0 else (four[1], four[0], *four[2:]))
    return solid, tetrahedra


def mesh(folder, name, points, cells):
    kind = {3: 2, 4: 4}[len(cells[0])]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += [f"{i + 1} " + " ".join(f"{x:.17g}" for x in (*point, 0.0)[:3]) for i, point in enumerate(points)]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{i + 1} {kind} 2 0 1 " + " ".join(str(vertex + 1) for vertex in cell) for i, cell in enumerate(cells)]
    write(folder, name, "\n".join([*lines, "$EndElements", ""]))


def fit_scene(folder, dim, fit, dhat, counts, turn=0.0, hard=False):
    """Shaft and ring with these numbers of vertices on the circles; the shaft is an obstacle if `hard`."""
    os.makedirs(folder)
    for name, inner, outer, count, height in (("shaft", 0, INNER + fit, counts[0], 0.16), ("ring", INNER, OUTER, counts[1], 0.05)):
        shape = section(inner, outer, count, turn if name == "ring" else 0)
        mesh(folder, name + ".msh", *(shape if dim == 2 else extrude(*shape, height, 8 if name == "shaft" else 4)))
    shaft = "{name: shaft, %sshape: {file: shaft.msh}}"
    bodies = "" if hard else f"  - {shaft % 'material: steel, '}\n"
    return write(folder, "scene.yaml", f"""abut: 1
dim: {dim}
time: {{step: 1, steps: 3, integrator: quasi-static, regularization: 1}}  # the springs only prevent rotation
materials:
  steel: {{young: {STEEL[0]}, poisson: {STEEL[1]}, density: 7800}}
  aluminium: {{young: {ALUMINIUM[0]}, poisson: {ALUMINIUM[1]}, density: 2700}}
bodies:
{bodies}  - {{name: ring, material: aluminium, shape: {{file: ring.msh}}}}
{"obstacles:" + chr(10) + "  - " + shaft % "" if hard else ""}
contact: {{dhat: {{absolute: {dhat}}}}}
output: {{checkpoint: {{every: 1}}}}
""")


def resolve(scene, out, ranks=1):
    done = call(ranks, "deform", scene, "-resolve", "-resolve_rest", "keep", "-o", out, directory=out)
    expect(done.code == 0, scene, ranks, done.output)
    checked = call(ranks, "check", os.path.join(out, "scene.yaml"), "-o", out)
    gap = re.search(r"smallest gap +(\S+) m", checked.output)
    expect(checked.code == 0 and gap and float(gap[1]) >= 0.99999 * done.summary["gap_m"], checked.output)  # printed with six digits
    return done


def nodes(path):
    with open(path, encoding="ascii") as file:
        lines = file.read().split("$Nodes\n")[1].split("$EndNodes")[0].splitlines()[1:]
    return [[float(word) for word in line.split()[1:]] for line in lines]


def check_pressure(folder):
    """
    Pressure from the force on a vertex, which is equal for all vertices, and from the elastic energy, half of pressure times interference.
    The rest shapes are a gap nearer to each other than the surfaces are at the end: the interference is FIT plus the gap. Linear triangles
    with n vertices on the circle have an error of order 1/n^2: a quarter with twice n, and below 25/n^2 plus the strain, 0.001.
    """
    errors = {}
    for count in (24, 48):
        out = os.path.join(folder, f"pressure{count}", "resolved")
        done = resolve(fit_scene(os.path.dirname(out), 2, FIT, DHAT, (count, count)), out)
        expect(done.summary["passes"] == 1 and [pair["crossings"] for pair in done.summary["pairs"]] == [2 * count], done.summary)
        near(done.summary["pairs"][0]["depth_m"], FIT, 0.02 * FIT, "depth")
        ran = run(os.path.join(out, "scene.yaml"), os.path.join(out, "run"), 1, "-verify")
        expect(ran.code == 0, ran.output)
        last = ran.steps[-1]
        fit, width = FIT + last["min_gap_m"], 2 * math.pi * INNER
        force = last["contact_force_max_N"] * count / width / lame(fit) - 1
        energy = 2 * last["energy_elastic_J"] / (width * fit) / lame(fit) - 1
        print(f"{count} vertices on the circle: error of the pressure {force:.2%} by forces, {energy:.2%} by energy")
        for error in (force, energy):
            near(error, 0, 25 / count ** 2 + 1e-3, "pressure of the press fit")
        errors[count] = force
    expect(errors[24] > 3 * errors[48] > 0, "order of the error", errors)


def check_ranks_and_restart(folder):
    """Meshes that do not match and cross each other: the same on 1 and 3 ranks; a restart continues from the checkpoint."""
    scene = fit_scene(os.path.join(folder, "ranks"), 2, 5e-4, 1e-5, (48, 36), 0.3)
    outs = {ranks: os.path.join(folder, "ranks", str(ranks)) for ranks in (1, 3)}
    for ranks, out in outs.items():
        resolve(scene, out, ranks)
        for name in ("000_shaft_start.msh", "001_ring_start.msh"):
            pairs = zip(nodes(os.path.join(outs[1], name)), nodes(os.path.join(out, name)))
            near(max(abs(a - b) for p, q in pairs for a, b in zip(p, q)), 0, 1e-9, f"{name} on {ranks} ranks")
    with open(os.path.join(outs[1], "scene.yaml"), encoding="ascii") as file:
        text = file.read()
    expect('start: "000_shaft_start.msh", shape: {file: "../shaft.msh"}' in text, text)
    scene = os.path.join(outs[3], "scene.yaml")
    whole, part = run(scene, os.path.join(folder, "whole"), 2), run(scene, os.path.join(folder, "part"), 2, "-steps", 1)
    expect(whole.code == 0 and part.code == 0, whole.output, part.output)
    part = run(scene, part.directory, 2, "-restart", os.path.join(part.directory, "checkpoint.h5"))
    expect(part.code == 0 and "warning" not in part.output, part.output)
    one, other = whole.steps[-1], part.steps[-1]
    near(other["energy_elastic_J"], one["energy_elastic_J"], 0, "energy after a restart")  # both runs write a checkpoint after each step


def check_solids(folder):
    """A ring around a longer shaft, whose surfaces cross along two circles; a shaft that is an obstacle does not move."""
    for name, hard in (("bodies", False), ("hard", True)):
        out = os.path.join(folder, name, "resolved")
        done = resolve(fit_scene(os.path.dirname(out), 3, 5e-4, 5e-5, (30, 24), 0.3, hard), out, 2)
        expect({body["name"] for body in done.summary["bodies"]} == ({"ring"} if hard else {"ring", "shaft"}), done.summary)
        expect(all(body["smallest_det"] > 0.9 for body in done.summary["bodies"]), done.summary)
        ran = run(os.path.join(out, "scene.yaml"), os.path.join(out, "run"), 2, "-verify", "-steps", 1)
        expect(ran.code == 0 and ran.steps[-1]["contacts"] > 0, ran.output)


with scratch() as place:
    check_pressure(place)
    check_ranks_and_restart(place)
    check_solids(place)
