"""Triangle surfaces for the scenes of make_figures.py: (vertices, triangles), triangles counter-clockwise from outside."""

import math

CUBE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]
TETRAHEDRA = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]  # of a cube, around its diagonal


def subtract(a, b):
    return tuple(p - q for p, q in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def unit(a):
    length = math.sqrt(dot(a, a))
    return tuple(p / length for p in a)


def sphere(n, place=lambda p: p):
    """An octahedron with edges divided into n parts, on the unit sphere: 4 n^2 + 2 vertices, each moved by `place`."""
    number, points, triangles = {}, [], []

    def vertex(i, j, k):
        if (i, j, k) not in number:
            number[(i, j, k)] = len(points)
            points.append(place(unit((i, j, k))))
        return number[(i, j, k)]

    for signs in ((x, y, z) for x in (1, -1) for y in (1, -1) for z in (1, -1)):
        turned = signs[0] * signs[1] * signs[2] < 0

        def add(*corners, signs=signs, turned=turned):
            face = [vertex(*(s * c for s, c in zip(signs, corner))) for corner in corners]
            triangles.append((face[0], face[2], face[1]) if turned else tuple(face))

        for i in range(n):
            for j in range(n - i):
                k = n - i - j
                add((i + 1, j, k - 1), (i, j + 1, k - 1), (i, j, k))
                if k > 1:
                    add((i + 1, j, k - 1), (i + 1, j + 1, k - 2), (i, j + 1, k - 1))
    return points, triangles


def capsule(n, radius, length):
    """A capsule along x: a cylinder of this length between two half spheres."""
    total = math.pi * radius + length

    def place(p):
        along = (math.asin(max(-1, min(1, p[2]))) / math.pi + 0.5) * total - 0.5 * total  # arc length from the middle
        flat = math.hypot(p[0], p[1])
        around = (p[0] / flat, p[1] / flat) if flat > 1e-12 else (0, 0)
        beyond = (abs(along) - 0.5 * length) / radius
        r, x = radius, along
        if beyond > 0:
            r, x = radius * math.cos(beyond), math.copysign(0.5 * length + radius * math.sin(beyond), along)
        return (x, r * around[0], r * around[1])

    return sphere(n, place)


def grid(n, width, place=lambda x, y: (x, y, 0.0)):
    """A square of n x n cells, normal +z, each vertex moved by `place`."""
    points = [place(width * (i / n - 0.5), width * (j / n - 0.5)) for j in range(n + 1) for i in range(n + 1)]
    triangles = []
    for j in range(n):
        for i in range(n):
            a = j * (n + 1) + i
            b, c, d = a + 1, a + n + 1, a + n + 2
            triangles += [(a, b, d), (a, d, c)] if (i + j) % 2 else [(a, b, c), (b, d, c)]
    return points, triangles


def dome(n, radius, angle):
    """The cap of a sphere around -z up to an angle, as an open surface with normals towards its centre."""

    def place(x, y):
        longest = max(abs(x), abs(y))
        flat = math.hypot(x, y)
        polar = angle * longest  # squares become circles
        if flat < 1e-12:
            return (0.0, 0.0, -radius)
        return (radius * math.sin(polar) * x / flat, radius * math.sin(polar) * y / flat, -radius * math.cos(polar))

    return grid(n, 2.0, place)


def level_set(f, low, high, n):
    """The surface f = 0 with f < 0 inside, by marching tetrahedra on n[0] x n[1] x n[2] cells."""
    m = [cells + 1 for cells in n]
    place = [[a + (b - a) / cells * i for i in range(cells + 1)] for a, b, cells in zip(low, high, n)]
    value = [f((x, y, z)) or 1e-12 for z in place[2] for y in place[1] for x in place[0]]
    number, points, triangles = {}, [], []

    def node(index):
        return (place[0][index % m[0]], place[1][index // m[0] % m[1]], place[2][index // m[0] // m[1]])

    def crossing(a, b):
        key = (min(a, b), max(a, b))
        if key not in number:
            t = min(0.9, max(0.1, value[key[0]] / (value[key[0]] - value[key[1]])))  # no slivers at the nodes
            number[key] = len(points)
            points.append(tuple((1 - t) * p + t * q for p, q in zip(node(key[0]), node(key[1]))))
        return number[key]

    def add(face, inner):
        a, b, c = (points[v] for v in face)
        outward = dot(cross(subtract(b, a), subtract(c, a)), subtract(a, node(inner))) > 0
        triangles.append(face if outward else (face[0], face[2], face[1]))

    for cell in range(n[0] * n[1] * n[2]):
        i, j, k = cell % n[0], cell // n[0] % n[1], cell // n[0] // n[1]
        corner = [((k + c[2]) * m[1] + j + c[1]) * m[0] + i + c[0] for c in CUBE]
        if min(value[c] for c in corner) > 0 or max(value[c] for c in corner) < 0:
            continue
        for tetrahedron in TETRAHEDRA:
            inner = [corner[v] for v in tetrahedron if value[corner[v]] < 0]
            outer = [corner[v] for v in tetrahedron if value[corner[v]] > 0]
            if len(inner) == 1 or len(outer) == 1:
                apex, base = (inner[0], outer) if len(inner) == 1 else (outer[0], inner)
                add(tuple(crossing(apex, b) for b in base), inner[0])
            elif len(inner) == 2:
                a, b = (crossing(inner[0], o) for o in outer)
                c, d = (crossing(inner[1], o) for o in outer)
                add((a, b, d), inner[0])
                add((a, d, c), inner[0])
    return points, triangles


def smooth(surface, rounds):
    """Moves vertices to the means of their neighbours, then back by as much in the mean: the volume stays nearly the same."""
    points, triangles = surface
    neighbours = [set() for _ in points]
    for a, b, c in triangles:
        for p, q in ((a, b), (b, c), (c, a)):
            neighbours[p].add(q)
            neighbours[q].add(p)
    for step in range(2 * rounds):
        factor = 0.5 if step % 2 == 0 else -0.53
        means = [tuple(sum(points[q][d] for q in near) / len(near) for d in range(3)) for near in neighbours]
        points = [tuple(p + factor * (m - p) for p, m in zip(point, mean)) for point, mean in zip(points, means)]
    return points, triangles


def move(surface, place):
    return [place(p) for p in surface[0]], surface[1]


def write_obj(path, surface):
    with open(path, "w", encoding="ascii") as out:
        for p in surface[0]:
            out.write(f"v {p[0]:.12g} {p[1]:.12g} {p[2]:.12g}\n")
        for f in surface[1]:
            out.write(f"f {f[0] + 1} {f[1] + 1} {f[2] + 1}\n")
