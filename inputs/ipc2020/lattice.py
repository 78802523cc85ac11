"""Fills a body that is given by a function with tetrahedra, in the manner of isosurface stuffing [Labelle and Shewchuk 2007].

A function is negative inside and grows outwards about as fast as the distance. A body-centred cubic lattice is laid over it; lattice
points that the surface passes closely are moved onto it, and the cells that it still cuts are cut along it. So all cells have a decent
shape, whatever the function. Nothing here is random: the same function gives the same mesh.
"""

import itertools

# largest distance (fraction of a lattice edge) between the surface and a point that is moved onto it; edges between like points are the
# longer ones
CLOSE_LONG, CLOSE_SHORT = 0.25, 0.41
AXES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def shifted(p, *steps):
    return tuple(a + sum(step) for a, step in zip(p, zip(*steps)))


def times(s, p):
    return tuple(s * a for a in p)


class Lattice:
    """Points have whole coordinates in half cells: all even (corners) or all odd (middles); `inside` has the points with a negative
    value.
    """

    def __init__(self, function, lower, upper, cell):
        self.function, self.half, self.origin = function, cell / 2, lower
        counts = [2 * (int((b - a) / cell) + 2) for a, b in zip(lower, upper)]
        self.values = {}
        for parity in (0, 1):
            for p in itertools.product(*(range(parity - 2, n, 2) for n in counts)):
                self.values[p] = function(*self.place(p))

    def place(self, p):
        return tuple(o + self.half * a for o, a in zip(self.origin, p))

    def cells(self):
        """Every tetrahedron that touches the inside: two middles with a face of corners between them, and an edge of that face."""
        inside = {p for p, value in self.values.items() if value < 0}
        for middle in (p for p in self.values if p[0] % 2):
            for axis, (one, two) in zip(AXES, ((AXES[1], AXES[2]), (AXES[2], AXES[0]), (AXES[0], AXES[1]))):
                other = shifted(middle, times(2, axis))
                if other not in self.values:
                    continue
                face = [shifted(middle, axis, times(a, one), times(b, two)) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
                for k in range(4):
                    cell = (middle, other, face[k], face[(k + 1) % 4])
                    if any(p in inside for p in cell):
                        yield cell


class Mesher:
    """Turns a lattice into `points` and `tets`."""

    def __init__(self, lattice):
        self.lattice = lattice
        self.cells = list(lattice.cells())
        self.sign = {p: (value > 0) - (value < 0) for p, value in lattice.values.items()}
        self.position = {}  # of lattice points that were moved
        self.cuts = self._find_cuts()
        self._move_points()
        self.points, self.tets, self.number = [], [], {}
        for cell in self.cells:
            self._fill(cell)

    def _find_cuts(self):
        """Cuts of lattice edges by the surface: fraction of the edge from its first point."""
        cuts = {}
        for cell in self.cells:
            for p, q in itertools.combinations(sorted(cell), 2):
                if self.sign[p] * self.sign[q] < 0 and (p, q) not in cuts:
                    cuts[p, q] = self._root(p, q)
        return cuts

    def _root(self, p, q):
        """Root by false position with halving (Illinois method)."""
        a, b = self.lattice.place(p), self.lattice.place(q)
        low, high, at_low, at_high, side = 0.0, 1.0, self.lattice.values[p], self.lattice.values[q], 0
        for _ in range(12):
            t = (low * at_high - high * at_low) / (at_high - at_low)
            value = self.lattice.function(*(x + t * (y - x) for x, y in zip(a, b)))
            if abs(value) < 1e-6 * self.lattice.half:
                return t
            if (value < 0) == (at_low < 0):
                low, at_low, at_high, side = t, value, at_high * (0.5 if side < 0 else 1.0), -1
            else:
                high, at_high, at_low, side = t, value, at_low * (0.5 if side > 0 else 1.0), 1
        return t

    def _move_points(self):
        """Moves points with a close cut to the closest cut, and removes the cuts of their edges."""
        near = {}
        for (p, q), t in self.cuts.items():
            close = CLOSE_LONG if (p[0] - q[0]) % 2 == 0 else CLOSE_SHORT
            for point, share in ((p, t), (q, 1 - t)):
                if share < close:
                    near.setdefault(point, []).append((share, (p, q)))
        gone = set()
        for point in sorted(near, key=lambda p: (min(near[p])[0], p)):
            left = [(share, edge) for share, edge in near[point] if edge not in gone]
            if left:
                p, q = edge = min(left)[1]
                self.position[point] = self._between(p, q, self.cuts[edge])
                self.sign[point] = 0
                gone |= {other for other in self._edges_of(point) if other in self.cuts}

    @staticmethod
    def _edges_of(p):
        for step in (*itertools.product((-1, 1), repeat=3), *AXES, *(times(-1, axis) for axis in AXES)):
            q = shifted(p, step if 0 not in step else times(2, step))
            yield (p, q) if p < q else (q, p)

    def _between(self, p, q, t):
        return tuple(x + t * (y - x) for x, y in zip(self.lattice.place(p), self.lattice.place(q)))

    def _vertex(self, key):
        """Number of a lattice point, or of the cut of an edge."""
        if key not in self.number:
            self.number[key] = len(self.points)
            edge = isinstance(key[0], tuple)
            self.points.append(self._between(*key, self.cuts[key]) if edge else self.position.get(key) or self.lattice.place(key))
        return self.number[key]

    def _cut(self, p, q):
        return self._vertex((p, q) if p < q else (q, p))

    def _fill(self, cell):
        """The part of a cell that is inside."""
        inside, outside = [p for p in cell if self.sign[p] < 0], [p for p in cell if self.sign[p] > 0]
        on = [self._vertex(p) for p in cell if self.sign[p] == 0] if inside else []
        if not inside:
            return
        if not outside:
            self.tets.append(tuple([self._vertex(p) for p in inside] + on))
        elif len(inside) == 1:
            self.tets.append((self._vertex(inside[0]), *on, *(self._cut(inside[0], q) for q in outside)))
        elif len(inside) == 3:
            self._prism([self._vertex(p) for p in inside], [self._cut(p, outside[0]) for p in inside])
        elif len(outside) == 2:
            (a, b), (c, d) = inside, outside
            self._prism([self._vertex(a), self._cut(a, c), self._cut(a, d)], [self._vertex(b), self._cut(b, c), self._cut(b, d)])
        else:
            (a, b), (c,) = inside, outside
            self._pyramid((self._vertex(a), self._vertex(b), self._cut(b, c), self._cut(a, c)), on[0])

    def _pyramid(self, base, apex):
        """The diagonal of a four-sided face leaves from its vertex of smallest number, so that both cells at a face agree."""
        k = base.index(min(base))
        a, b, c, d = (base[(k + i) % 4] for i in range(4))
        self.tets += [(a, b, c, apex), (a, c, d, apex)]

    def _prism(self, one, two):
        if min(two) < min(one):
            one, two = two, one
        k = one.index(min(one))
        (a, b, c), (d, e, f) = (tuple(side[(k + i) % 3] for i in range(3)) for side in (one, two))
        self.tets.append((a, d, e, f))
        self._pyramid((b, c, f, e), a)


def largest_part(points, tets):
    """Keeps the largest connected part and renumbers its vertices."""
    parent = list(range(len(points)))

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for a, b, c, d in tets:
        for v in (b, c, d):
            parent[root(v)] = root(a)
    sizes = {}
    for tet in tets:
        sizes[root(tet[0])] = sizes.get(root(tet[0]), 0) + 1
    best = max(sizes, key=lambda r: (sizes[r], -r))
    kept = [tet for tet in tets if root(tet[0]) == best]
    number = {v: i for i, v in enumerate(sorted({v for tet in kept for v in tet}))}
    return [points[v] for v in number], [tuple(number[v] for v in tet) for tet in kept]


def fill(function, lower, upper, cell):
    """Points and tetrahedra of the inside of a function within a box, on a lattice with cells of this size."""
    mesher = Mesher(Lattice(function, lower, upper, cell))
    return largest_part(mesher.points, mesher.tets)
