"""Energies, gradients and Hessians of the potential "oipc", written from docs/oipc_formula.md and from Huang et al. (2025).

    oipc_independent.py FILE  # writes the values of all configurations of oipc_configurations.py as JSON
    oipc_effects.py           # prints the effects of the deviations from the paper, as in docs/oipc_formula.md

The program shares no code with src. Derivatives come from forward-mode automatic differentiation of second order in extended precision.
"""
import dataclasses
import itertools
import json
import sys

from oipc_jets import REAL, combine, cosine, cross, dot, minus, np, sqrt, value, variables

VERTEX, EDGE, FACE = 0, 1, 2  # kinds of primitives; also the number of dimensions and of vertices less one


@dataclasses.dataclass(frozen=True)
class Rules:
    """Deviations of abut from the paper; False, or 0: as published."""
    smooth_ends: bool = True  # m_0 = 1 - h(s / c) instead of h(1 - s / c)
    normalised: bool = True  # means over faces and pairs of edges with normalised weights
    width: float = 1e-3  # c
    ratio: float = 0.1  # width over distance, for close pairs; 0: constant width
    parallel: float = 1e-3  # squared sine below which pairs of edges fade out
    shared_once: bool = True  # each edge of a vertex is one tangent, not one for each of its faces
    borders: bool = True  # pairs whose closest point is on the border of a primitive
    four_kinds: bool = True  # without pairs of face and edge, of two faces, and in 2D of two edges
    inner: float = 1e-2  # activation distance of pairs without angle factors over that of pairs and over L, equation (17); 0: no such pairs


ABUT = Rules()


# ---- functions of one variable, equations (2) to (5) of the page

def spline(x):
    v = value(x)
    if v >= 1:
        return x * 0
    return 2 / REAL(3) - 4 * x * x * (1 - x) if v < 0.5 else (1 - x) * (1 - x) * (1 - x) * (4 / REAL(3))


def step(z, alpha, beta):
    y = (z - beta) * (3 / REAL(alpha + beta))
    v = value(y)
    if v <= -3:
        return y * 0
    if v <= -2:
        return (y + 3) * (y + 3) * (y + 3) / 6
    if v <= -1:
        return (3 - 9 * y - 9 * y * y - 2 * y * y * y) / 6
    return 1 + y * y * y / 6 if v < 0 else y * 0 + 1


def rise(z):
    """h of the paper."""
    return z * 0 if value(z) <= 0 else z * 0 + 1 if value(z) >= 1 else z * (2 - z)


def ramp(z):
    return z * 0 if value(z) <= 0 else z * 0 + 1 if value(z) >= 1 else z * z * (3 - 2 * z)


# ---- closest points: weights of the vertices of both primitives, all >= 0

def along(q, p):
    """Parameter of the projection of q on the line through p[0] and p[1]."""
    e = minus(p[1], p[0])
    return dot(minus(q, p[0]), e) / dot(e, e)


def clamp(t):
    return t * 0 if value(t) <= 0 else t * 0 + 1 if value(t) >= 1 else t


def on_plane(q, p):
    """Barycentric coordinates of the projection of q on the plane of a triangle."""
    a, b, r = minus(p[1], p[0]), minus(p[2], p[0]), minus(q, p[0])
    aa, ab, bb, ra, rb = dot(a, a), dot(a, b), dot(b, b), dot(r, a), dot(r, b)
    det = aa * bb - ab * ab
    u, w = (bb * ra - ab * rb) / det, (aa * rb - ab * ra) / det
    return [1 - u - w, u, w]


def on_lines(p, q):
    """Parameters of the closest points of two lines."""
    a, b, r = minus(p[1], p[0]), minus(q[1], q[0]), minus(p[0], q[0])
    aa, ab, bb, ra, rb = dot(a, a), dot(a, b), dot(b, b), dot(r, a), dot(r, b)
    det = aa * bb - ab * ab
    return (ab * rb - bb * ra) / det, (aa * rb - ab * ra) / det


@dataclasses.dataclass
class Closest:
    """Closest points of primitives with points a and b: the subsets of points that span the closest features."""
    a: tuple
    b: tuple
    inside: bool  # inside both primitives


def plain(points):
    return [[value(c) for c in p] for p in points]


def features(a, b):
    """Features of two primitives with the smallest distance among all that contain their closest points."""
    a, b = plain(a), plain(b)
    best = None
    for na, nb in itertools.product(range(1, len(a) + 1), range(1, len(b) + 1)):
        if na + nb > 4:
            continue
        for i, j in itertools.product(itertools.combinations(range(len(a)), na), itertools.combinations(range(len(b)), nb)):
            weights = weights_between([a[k] for k in i], [b[k] for k in j])
            if weights is None or not all(w >= 0 for side in weights for w in side):
                continue
            d = minus(combine(weights[1], [b[k] for k in j]), combine(weights[0], [a[k] for k in i]))
            if best is None or dot(d, d) < best[0] * (1 - REAL(1e-15)):
                best = dot(d, d), Closest(i, j, na == len(a) and nb == len(b))
    return best[1]


def weights_between(a, b):
    """Weights of the closest points of the affine hulls of a and b; None for parallel lines."""
    one = a[0][0] * 0 + 1
    if len(a) == 2 and len(b) == 2:
        u, w = minus(a[1], a[0]), minus(b[1], b[0])
        if len(u) < 3 or not value(dot(cross(u, w), cross(u, w))) > 0:
            return None
        s, t = on_lines(a, b)
        return [1 - s, s], [1 - t, t]
    if len(a) < len(b):
        return weights_between(b, a)[::-1]
    if len(a) == 1:
        return [one], [one]
    if len(a) == 2:
        t = along(b[0], a)
        return [1 - t, t], [one]
    return on_plane(b[0], a), [one]


# ---- mollified closest points, equations (9) to (14)

def inverse_width(points, dist2, rules):
    """1 / w of a primitive at a squared distance."""
    size2 = sum(dot(minus(p, q), minus(p, q)) for p, q in itertools.combinations(points, 2))
    if rules.ratio == 0:
        return size2 * 0 + 1 / REAL(rules.width)
    return sqrt(size2 / dist2 / REAL(rules.ratio)**2 + 1 / REAL(rules.width)**2)


def end_blend(t, inverse, rules):
    """Mollified parameter of a line."""
    if value(t) > 0.5:
        return 1 - end_blend(1 - t, inverse, rules)
    z = t * inverse
    if value(t) <= 0:
        return t * 0
    return t * (rise(z) if rules.smooth_ends else 1 - rise(1 - z))


def projection(q, line, primitive, rules):
    """Mollified parameter of the projection of q on a line that belongs to a primitive."""
    t = along(q, line)
    d = minus(q, combine([1 - t, t], line))
    return end_blend(t, inverse_width(primitive, dot(d, d), rules), rules)


def face_weights(q, p, s, dist2, rules):
    """Mollified weights of the corners p of a face below the point q."""
    inverse = inverse_width(p, dist2, rules)
    if rules.normalised:
        h = [ramp(x * inverse) for x in s]
    else:
        h = [1 - rise(1 - x * inverse) if not rules.smooth_ends else rise(x * inverse) for x in s]
    total = h[0] * h[1] * h[2]
    weights = [total * x for x in s]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        if value(h[i]) >= 1:
            continue
        share = (1 - h[i]) * h[j] * h[k]
        t = projection(q, [p[j], p[k]], p, rules) if rules.normalised else clamp(along(q, [p[j], p[k]]))
        weights[j] = weights[j] + share * (1 - t)
        weights[k] = weights[k] + share * t
        total = total + share
    for i in range(3 if not rules.normalised else 0):
        weights[i] = weights[i] + h[i] * (1 - h[i - 1]) * (1 - h[i - 2])
    return [w / total for w in weights] if rules.normalised else weights


def line_pair_weights(a, b, s, dist2, rules):
    """Mollified weights of two lines whose closest points are inside both; s: the parameters."""
    lines = (a, b)
    inverse = [inverse_width(line, dist2, rules) for line in lines]
    if not rules.normalised:
        t = [end_blend(s[e], inverse[e], rules) for e in range(2)]
        return [1 - t[0], t[0]], [1 - t[1], t[1]]
    near = [int(value(s[e]) > 0.5) for e in range(2)]
    x = [1 - s[e] if near[e] else s[e] for e in range(2)]  # parameter from the nearer end
    h = [ramp(x[e] * inverse[e]) for e in range(2)]
    total = h[0] + h[1] - h[0] * h[1]
    out = []
    for e in range(2):
        line = lines[e][::-1] if near[e] else lines[e]
        far = h[0] * h[1] * x[e]
        if value(h[1 - e]) < 1:
            far = far + h[e] * (1 - h[1 - e]) * projection(lines[1 - e][near[1 - e]], line, line, rules)
        far = far / total
        out.append([far, 1 - far] if near[e] else [1 - far, far])
    return out


def mollified(a, b, closest, weights, dist2, rules):
    """Difference of the mollified closest points."""
    na, nb = len(closest.a), len(closest.b)
    pa, pb = [a[k] for k in closest.a], [b[k] for k in closest.b]
    wa, wb = weights
    if na == 3:
        wa = face_weights(pb[0], pa, wa, dist2, rules)
    elif nb == 3:
        wb = face_weights(pa[0], pb, wb, dist2, rules)
    elif na == 2 and nb == 2:
        wa, wb = line_pair_weights(pa, pb, (wa[1], wb[1]), dist2, rules)
    elif na == 2:
        t = end_blend(wa[1], inverse_width(a, dist2, rules), rules)
        wa = [1 - t, t]
    elif nb == 2:
        t = end_blend(wb[1], inverse_width(b, dist2, rules), rules)
        wb = [1 - t, t]
    return minus(combine(wb, pb), combine(wa, pa))


# ---- surface and angle factors, equations (6) to (8)

class Surface:
    def __init__(self, dim, edges, faces, oriented, count):
        self.dim, self.edges, self.faces, self.oriented, self.count = dim, edges, faces, oriented, count
        self.at = [[f for f in faces if v in f] for v in range(count)]

    def primitives(self, kind):
        return [(v,) for v in range(self.count)] if kind == VERTEX else self.edges if kind == EDGE else self.faces

    def stencil(self, p):
        """Vertices that the angle factor of a primitive depends on."""
        if len(p) == 3:
            return set(p)
        near = [f for f in self.faces if set(p) <= set(f)] + ([e for e in self.edges if p[0] in e] if len(p) == 1 else [])
        return set(p).union(*near)

    def tangents(self, p, x, rules):
        if len(p) == 1:
            ends = [e[0] + e[1] - p[0] for e in self.edges if p[0] in e]
            counts = [1 if rules.shared_once else max(sum(w in f for f in self.at[p[0]]), 1) for w in ends]
            return [minus(x[w], x[p[0]]) for w, n in zip(ends, counts) for _ in range(n)]
        if len(p) == 2:
            line = [x[p[0]], x[p[1]]]
            out = [minus(line[1], line[0]), minus(line[0], line[1])]
            for f in self.faces:
                if set(p) <= set(f):
                    far = x[sum(f) - sum(p)]
                    t = along(far, line)
                    out.append(minus(far, combine([1 - t, t], line)))
            return out
        out = []
        for i in range(3):
            side = [x[p[(i + 1) % 3]], x[p[(i + 2) % 3]]]
            t = along(x[p[i]], side)
            out.append(minus(combine([1 - t, t], side), x[p[i]]))
        return out

    def normals(self, p, x):
        """Outward normals of the faces (2D: edges) at a primitive; none if it has no outer side."""
        if not all(self.oriented[v] for v in p):
            return []
        if self.dim == 3:
            return [cross(minus(x[f[1]], x[f[0]]), minus(x[f[2]], x[f[0]])) for f in self.faces if set(p) <= set(f)]
        if len(p) == 1:
            at = [e for e in self.edges if p[0] in e]
            if sorted(e.index(p[0]) for e in at) != [0, 1]:
                return []
        else:
            at = [p]
        return [[x[e[1]][1] - x[e[0]][1], x[e[0]][0] - x[e[1]][0]] for e in at]

    def factor(self, p, x, d, case, rules, inner):
        """Angle factor of a primitive for the direction d, which points away from it; inner: 1."""
        if inner:
            return d[0] * 0 + 1
        product = None
        for t in self.tangents(p, x, rules):
            h = step(-cosine(d, t), case.alpha, case.beta)
            if value(h) == 0:
                return h
            product = h if product is None else product * h
        normals = self.normals(p, x)
        if normals:
            h = step(sum(step(cosine(d, n), case.alpha, case.beta) for n in normals) - 1, 1, 0)
            product = h if product is None else product * h
        return d[0] * 0 + 1 if product is None else product

    def measure(self, p, x, length):
        """A of equation (1)."""
        scale = REAL(length)**(self.dim - len(p))
        if len(p) == 1:
            return scale
        if len(p) == 2:
            e = minus(x[p[1]], x[p[0]])
            return sqrt(dot(e, e)) * scale
        n = cross(minus(x[p[1]], x[p[0]]), minus(x[p[2]], x[p[0]]))
        return sqrt(dot(n, n)) * scale / 2


# ---- pairs and sums, equation (1)

def barrier(dist, dhat, dim):
    return spline(dist / dhat) * REAL(1.5) / (dist if dim == 2 else dist * dist)


def parallel(a, b, rules):
    """Mollifier of two edges, equation (15)."""
    u, w = minus(a[1], a[0]), minus(b[1], b[0])
    n = cross(u, w)
    sine2 = dot(n, n) / (dot(u, u) * dot(w, w))
    return rise(sine2 / REAL(rules.parallel)) if rules.parallel > 0 else sine2 * 0 + 1


def pair(surface, pa, pb, x, dhat, case, rules, inner, factors_only=False):
    """Value of a pair of primitives at points x (by vertex), which are numbers or jets."""
    a, b = [x[v] for v in pa], [x[v] for v in pb]
    closest = features(a, b)
    weights = weights_between([a[k] for k in closest.a], [b[k] for k in closest.b])
    plain_d = minus(combine(weights[1], [b[k] for k in closest.b]), combine(weights[0], [a[k] for k in closest.a]))
    dist2 = dot(plain_d, plain_d)
    if not value(dist2) < dhat * dhat or not (rules.borders or closest.inside):
        return REAL(0)
    d = mollified(a, b, closest, weights, dist2, rules)
    product = surface.factor(pa, x, d, case, rules, inner) * surface.factor(pb, x, [-c for c in d], case, rules, inner)
    if factors_only or value(product) == 0:
        return product
    rest = case.rest if case.measure == "rest" else x
    product = product * surface.measure(pa, rest, case.length) * surface.measure(pb, rest, case.length)
    product = product * barrier(sqrt(dist2), dhat, surface.dim)
    return product * parallel(a, b, rules) if len(pa) == 2 and len(pb) == 2 and surface.dim == 3 else product


def pairs(surface, rules):
    """All pairs of primitives that share no vertex and of which at least one has an edge."""
    kinds = [(VERTEX, VERTEX), (EDGE, VERTEX)] + ([(EDGE, EDGE), (FACE, VERTEX)] if surface.dim == 3 else [])
    if not rules.four_kinds:
        kinds += [(FACE, EDGE), (FACE, FACE)] if surface.dim == 3 else [(EDGE, EDGE)]
    bare = {v for v in range(surface.count) if not any(v in e for e in surface.edges)}
    for ka, kb in kinds:
        a, b = surface.primitives(ka), surface.primitives(kb)
        for pa, pb in itertools.combinations(a, 2) if ka == kb else itertools.product(a, b):
            if not set(pa) & set(pb) and not set(pa) | set(pb) <= bare:
                yield tuple(pa), tuple(pb)


def distance(pa, pb, x):
    a, b = [x[v] for v in pa], [x[v] for v in pb]
    c = features(a, b)
    w = weights_between([a[k] for k in c.a], [b[k] for k in c.b])
    d = minus(combine(w[1], [b[k] for k in c.b]), combine(w[0], [a[k] for k in c.a]))
    return sqrt(dot(d, d))


def reaches(surface, pa, pb, x, eps, case, rules):
    """Activation distances of a pair with and, if one of its primitives has an outer side, without angle factors."""
    yield False, eps
    if rules.inner > 0 and (surface.normals(pa, x) or surface.normals(pb, x)):
        yield True, REAL(rules.inner) * min(eps, REAL(case.length))


def activation(surface, case, rules):
    """Activation distances of primitives, lowered so that no pair is active at rest: equation (16)."""
    dhat = {p: REAL(case.dhat) for kind in (VERTEX, EDGE, FACE) for p in map(tuple, surface.primitives(kind))}
    if not case.adaptive:
        return dhat
    for pa, pb in pairs(surface, rules):
        dist = distance(pa, pb, case.rest)
        for inner, reach in reaches(surface, pa, pb, case.rest, REAL(case.dhat), case, rules):
            if dist < reach and pair(surface, pa, pb, case.rest, reach, case, rules, inner, True) > 0:
                for p in (pa, pb):
                    dhat[p] = min(dhat[p], dist / 2)
    for f in map(tuple, surface.faces):
        parts = [p for p in dhat if len(p) < 3 and set(p) <= set(f)]
        dhat[f] = min([dhat[f]] + [dhat[p] for p in parts])
    for e in map(tuple, surface.edges):
        dhat[e] = min(dhat[e], dhat[e[:1]], dhat[e[1:]])
    return dhat


def half_space(surface, v, plane, x, dhat, case, rules):
    """Value of a vertex and a half space, equation (8)."""
    point, normal = plane
    height = dot(minus(x[v], point), normal)
    if not value(height) < dhat:
        return REAL(0)
    d = [-height * n for n in normal]
    product = surface.factor((v,), x, d, case, rules, False)
    return product * REAL(case.length)**(2 * (surface.dim - 1)) * barrier(height, dhat, surface.dim)


def terms(surface, case, rules):
    """Functions of the positions with the vertices that they depend on."""
    dhat = activation(surface, case, rules)
    for pa, pb in pairs(surface, rules):
        for inner, eps in reaches(surface, pa, pb, case.x, min(dhat[pa], dhat[pb]), case, rules):
            yield (surface.stencil(pa) | surface.stencil(pb),
                   lambda x, pa=pa, pb=pb, eps=eps, inner=inner: pair(surface, pa, pb, x, eps, case, rules, inner))
    for plane in case.planes:
        for v in range(surface.count):
            yield surface.stencil((v,)), lambda x, v=v, plane=plane: half_space(surface, v, plane, x, dhat[v,], case, rules)


def total(case, rules=ABUT, derivatives=True):
    """Energy, gradient, Hessian and number of active pairs of a configuration."""
    surface = Surface(case.dim, case.edges, case.faces, case.oriented, len(case.x))
    size = case.dim * len(case.x)
    energy, g, H, active = REAL(0), np.zeros(size, REAL), np.zeros((size, size), REAL), 0
    for stencil, function in terms(surface, case, rules):
        if not value(function(case.x)) > 0:
            continue
        active += 1
        if not derivatives:
            energy += function(case.x)
            continue
        order = sorted(stencil)
        jet = function(variables({v: case.x[v] for v in order}))
        at = [case.dim * v + i for v in order for i in range(case.dim)]
        energy += jet.v
        g[at] += jet.g
        H[np.ix_(at, at)] += jet.H
    return energy, g, H, active


def write(path):
    import oipc_configurations
    cases = []
    for case in oipc_configurations.CASES:
        energy, g, H, active = total(case)
        cases.append({**case.as_json(), "energy": float(energy), "gradient": [float(v) for v in g], "active": active,
                      "hessian": [float(v) for v in H.ravel()]})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"cases": cases}, file)


if __name__ == "__main__":
    write(sys.argv[1])
