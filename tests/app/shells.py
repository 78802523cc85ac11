"""Meshes of rings and of eighths of spherical shells in Gmsh's format, with the inner surface as a group; thick shells in closed form."""
import itertools
import math

PERMUTATIONS = list(itertools.permutations(range(3)))


def msh(dim, points, cells, inner):
    """Text of a mesh with faces (2D: edges) `inner` in the physical group of this name; and the volume from the origin to them."""
    lines = ["$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2", f'{dim - 1} 2 "inner"', f'{dim} 1 "solid"']
    lines += ["$EndPhysicalNames\n$Nodes"]
    lines += [str(len(points)), *(f"{i + 1} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points)), "$EndNodes\n$Elements"]
    rows = [(4 if dim == 3 else 2, 1, c) for c in cells] + [(2 if dim == 3 else 1, 2, f) for f in inner]
    lines += [str(len(rows))]
    lines += [f"{i + 1} {kind} 2 {tag} {tag} {' '.join(str(v + 1) for v in c)}" for i, (kind, tag, c) in enumerate(rows)]
    volume = sum(abs(determinant(*(points[v] for v in face))) for face in inner) / (6 if dim == 3 else 2)
    return "\n".join(lines + ["$EndElements\n"]), volume


def determinant(a, b, c=(0, 0, 1)):
    return (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + (a[0] * b[1] - a[1] * b[0]) * c[2]


def ring(inside, outside, around, layers):
    """A ring of triangles; `around` is a multiple of 4, so that vertices lie exactly on both axes."""
    radii = [inside + (outside - inside) * i / layers for i in range(layers + 1)]
    unit = [(round(math.cos(2 * math.pi * k / around), 15), round(math.sin(2 * math.pi * k / around), 15)) for k in range(around)]
    points = [(r * x, r * y, 0.0) for r in radii for x, y in unit]
    cells = []
    for i, k in itertools.product(range(layers), range(around)):
        a, b = i * around + k, i * around + (k + 1) % around
        cells += [(a, a + around, b + around), (a, b + around, b)]
    return msh(2, points, cells, [(k, (k + 1) % around) for k in range(around)])


def eighth(inside, outside, cells_along, layers):
    """An eighth of a spherical shell of tetrahedra; its three plane sides lie exactly in the coordinate planes."""
    number, points, cells, inner = {}, [], [], []
    radii = [inside + (outside - inside) * i / layers for i in range(layers + 1)]

    def vertex(layer, p):
        key = (layer, tuple(round(math.tan(math.pi / 4 * c / cells_along) * 1e9) for c in p))
        if key not in number:
            number[key] = len(points)
            x = [math.tan(math.pi / 4 * c / cells_along) for c in p]
            points.append(tuple(radii[layer] * c / math.hypot(*x) for c in x))
        return number[key]

    for axis, u, v, layer in itertools.product(range(3), range(cells_along), range(cells_along), range(layers)):
        def at(du, dv, dr):
            p = [0, 0, 0]
            p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3] = cells_along, u + du, v + dv
            return vertex(layer + dr, p)
        for order in PERMUTATIONS:
            corner, cell = [0, 0, 0], [at(0, 0, 0)]
            for k in order:
                corner[k] = 1
                cell.append(at(*corner))
            odd = sum(order[i] > order[k] for k in range(3) for i in range(k)) % 2
            cells.append((cell[1], cell[0], *cell[2:]) if odd else tuple(cell))
        if layer == 0:
            inner += [(at(0, 0, 0), at(1, 0, 0), at(1, 1, 0)), (at(0, 0, 0), at(1, 1, 0), at(0, 1, 0))]
    return msh(3, points, cells, inner)


def inflation(dim, mu, inside, outside, stretch, parts=4000):
    """
    Pressure in an incompressible neo-Hookean ring (plane strain) or sphere whose inner radius has this stretch: integral of
    (dim - 1) mu (s^2 - s^(2 - 2 dim)) dr / r over the wall, s = r / R, by Simpson's rule in R.
    """
    def rate(R):
        r = (R**dim + (stretch**dim - 1) * inside**dim)**(1 / dim)
        s = r / R
        return (dim - 1) * mu * (s**2 - s**(2 - 2 * dim)) * R**(dim - 1) / r**dim

    h = (outside - inside) / parts
    values = [rate(inside + i * h) for i in range(parts + 1)]
    return h / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))
