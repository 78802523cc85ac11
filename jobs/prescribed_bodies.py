"""Scenes of prescribed 2D bodies, whose contact energy belongs to configurations that a script chooses: meshes, runs."""

import math
import os
import subprocess

from scene_runs import ENVIRONMENT, rows_of

RADIUS, OPENING = 0.5, math.radians(20)
SCENE = """abut: 1
dim: 2
time: {{step: 1, steps: {steps}}}
materials: {{any: {{model: linear, young: 1.0, poisson: 0, density: 1}}}}
bodies:
{bodies}{obstacles}motions:
{motions}
contact: {{potential: {potential}, stiffness: 1.0, {contact}}}
solver: {{tolerance: {{absolute: 1.0e-12}}}}
output: {{fields: {{every: 0}}}}
"""


# ---- meshes: points and triangles

def fan(boundary):
    """A star-shaped polygon, triangles about its middle."""
    count = len(boundary)
    middle = [sum(point[k] for point in boundary) / count for k in (0, 1)]
    return [middle, *boundary], [(0, 1 + k, 1 + (k + 1) % count) for k in range(count)]


def disc(edges, turn, radius=RADIUS):
    angles = [2 * math.pi * (k + turn) / edges for k in range(edges)]
    return fan([(radius * math.cos(a), radius * math.sin(a)) for a in angles])


def polygon(corners, edges):
    """A convex polygon with `edges` equal edges on each side."""
    return fan([(a[0] + (b[0] - a[0]) * k / edges, a[1] + (b[1] - a[1]) * k / edges)
                for a, b in zip(corners, corners[1:] + corners[:1]) for k in range(edges)])


def needle(width=0.01, length=1.0):
    return [(0, 0), (width, length), (-width, length)], [(0, 1, 2)]


def strip(edges):
    """A flat strip that is 2 long and 0.1 thick, and the same strip folded so that its upper side encloses the angle OPENING."""
    c, s = math.cos(OPENING / 2), math.sin(OPENING / 2)
    flat, folded = [], []
    for depth in (0, 0.1):
        for k in range(-edges, edges + 1):
            side, r = (k > 0) - (k < 0), abs(k) / edges
            flat.append((k / edges, -depth))
            folded.append((side * (r * s + depth * c), r * c - depth * s) if side else (0, -depth))
    n = 2 * edges + 1
    triangles = [cell for k in range(2 * edges) for cell in ((k, n + k, n + k + 1), (k, n + k + 1, k + 1))]
    return (flat, triangles), (folded, triangles)


def write_mesh(path, mesh):
    points, cells = mesh
    nodes = "".join(f"{k} {x!r} {y!r} 0\n" for k, (x, y) in enumerate(points, 1))
    elements = "".join(f"{k} 2 0 {a + 1} {b + 1} {c + 1}\n" for k, (a, b, c) in enumerate(cells, 1))
    with open(path, "w", encoding="ascii") as stream:
        stream.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(points)}\n{nodes}$EndNodes\n"
                     f"$Elements\n{len(cells)}\n{elements}$EndElements\n")


# ---- runs

def approach(dhat, halvings):
    """Gaps from 1.5 dhat on, then from dhat on, each 0.71 times the one before: the push of prescribed bodies uses half of a gap."""
    return [1.5 * dhat, *(dhat * 0.5 ** (k / 2) for k in range(2 * halvings + 1))]


def body_entry(folder, name, meshes, place):
    """Writes the mesh of a body, or its meshes at rest and at the start, and returns its entry of the scene."""
    meshes = meshes if isinstance(meshes[0], tuple) else (meshes,)
    for mesh, kind in zip(meshes, ("rest", "start")):
        write_mesh(os.path.join(folder, f"{name}-{kind}.msh"), mesh)
    start = f", start: {name}-start.msh" if len(meshes) > 1 else f", translate: [{place[0]!r}, {place[1]!r}]"
    return f"  - {{name: {name}, material: any, shape: {{file: {name}-rest.msh}}{start}}}\n"


def motion_entries(names, path):
    """All bodies are held; the last one moves along the path, a step from each place to the next."""
    held = [f"  - {{select: {{body: {name}}}}}" for name in names]
    return "\n".join(held + [f"  - {{select: {{body: {names[-1]}}}, velocity: [{b[0] - a[0]!r}, {b[1] - a[1]!r}], start: {k}, "
                             f"end: {k + 1}, outside: hold}}" for k, (a, b) in enumerate(zip(path, path[1:]), 1)])


class Runs:
    """Runs scenes with one program, each in a folder of its own. `curves` is for pictures."""

    def __init__(self, abut, folder):
        self.abut, self.folder, self.count, self.curves = abut, folder, 0, {}

    def steps(self, potential, contact, bodies, path=((0, 0),), obstacle=""):
        """
        Energies [J] and forces [N] of steps.csv. bodies: mesh, or meshes at rest and at the start, by name. The last body is at path[k]
        after step k + 1.
        """
        self.count += 1
        out, names = os.path.join(self.folder, f"{self.count:03}"), list(bodies)
        os.makedirs(out, exist_ok=True)
        entries = "".join(body_entry(out, name, bodies[name], path[0] if name == names[-1] else (0, 0)) for name in names)
        scene = os.path.join(out, "scene.yaml")
        with open(scene, "w", encoding="ascii") as stream:
            stream.write(SCENE.format(steps=len(path), bodies=entries, obstacles=obstacle and f"obstacles:\n  - {obstacle}\n",
                                      motions=motion_entries(names, path), potential=potential, contact=contact))
        done = subprocess.run([self.abut, "run", scene, "-o", out, "-overwrite"], env=ENVIRONMENT, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{scene}: {done.stdout}")
        rows = [{key: float(row[key]) for key in ("energy_contact_J", "contact_force_x_N", "boundary_progress")} for row in rows_of(out)]
        if any(row["boundary_progress"] < 1 - 1e-9 for row in rows):
            raise SystemExit(f"{scene}: the body does not arrive")
        return rows

    def energies(self, *scene):
        return [row["energy_contact_J"] for row in self.steps(*scene)]
