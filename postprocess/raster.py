"""A z-buffer rasteriser in NumPy. Needs no display, graphics card or graphics library."""

from typing import NamedTuple

import numpy as np

CHUNK = 1 << 21  # fragments handled at a time, about
WIRE_AREA = 160.0  # smallest triangle with visible edges, and half the width of these, in pixels of the camera
WIRE_WIDTH = 0.9
INSIDE = -1e-9  # least barycentric coordinate of a pixel in a triangle: round-off leaves no gap between two triangles
SHADOW_SIDE = 700, 1600  # least and largest number of pixels along a side of the map of shadows
BACKGROUND = np.array([0.96, 0.97, 0.99], dtype=np.float32)
LINE = np.array([0.45, 0.45, 0.47])  # seen on dark and bright colours


class Layer(NamedTuple):
    """Triangles that hide each other; `render` puts layers over each other."""

    triangles: np.ndarray
    colors: np.ndarray  # by triangle [n, 3], or by corner [n, 3, 3]
    groups: np.ndarray  # triangles of one group have no outline between them
    over: float = 1.0  # opacity where the layer hides the first one
    alone: float = 1.0  # opacity elsewhere
    readable: bool = False  # almost no shading: the colours can be compared with a scale
    wired: bool = False  # edges of triangles show


class Buffer:
    """Nearest triangle and its depth at every pixel; -1 where there is none nearer than `depth`."""

    def __init__(self, width, height, depth=np.inf):
        self.width, self.height = width, height
        self.depth = np.full(width * height, depth)
        self.triangle = np.full(width * height, -1, dtype=np.int64)

    def draw(self, points, triangles):
        """Triangles over points (x and y in pixels, z away from the eye)."""
        self.plane = plane = _barycentric(points[triangles])
        corners = points[triangles][:, :, :2]
        low = np.clip(np.ceil(corners.min(axis=1)), 0, [self.width, self.height]).astype(np.int64)
        high = np.clip(np.floor(corners.max(axis=1)), -1, [self.width - 1, self.height - 1]).astype(np.int64)
        extent = np.maximum(high - low + 1, 0)
        seen = np.flatnonzero(extent.all(axis=1) & np.isfinite(plane).all(axis=(1, 2)))
        depth = np.einsum("nk,nkc->nc", points[triangles][:, :, 2], plane)
        chunk = np.cumsum(extent[seen].prod(axis=1)) // CHUNK
        for part in np.split(seen, np.flatnonzero(np.diff(chunk)) + 1):
            self._draw_part(part, plane[part], depth[part], low[part, 1], extent[part, 1])

    def _draw_part(self, ids, plane, depth, low, rows):
        """Spans of pixels, one for each row of each triangle, then the pixels in the spans."""
        of, step = _expand(rows)
        y = low[of] + step
        slope, rest = plane[of, :, 0], plane[of, :, 1] * y[:, None] + plane[of, :, 2] - INSIDE
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = -rest / slope
        left = np.clip(np.ceil(np.where(slope > 0, bound, 0).max(axis=1)), 0, self.width).astype(np.int64)
        right = np.clip(np.floor(np.where(slope < 0, bound, self.width - 1).min(axis=1)), -1, self.width - 1).astype(np.int64)
        outside = ((slope == 0) & (rest < 0)).any(axis=1)
        span, step = _expand(np.where(outside, 0, np.maximum(right - left + 1, 0)))
        pixel = (y * self.width + left)[span] + step
        start = depth[of, 0] * left + depth[of, 1] * y + depth[of, 2]
        self._keep_nearest(pixel, start[span] + depth[of, 0][span] * step, ids[of][span])

    def _keep_nearest(self, pixel, depth, ids):
        """Of several fragments at a pixel NumPy stores the last one: repeated while a nearer one is left."""
        while True:
            nearer = np.flatnonzero(depth < self.depth[pixel])
            if not len(nearer):
                return
            pixel, depth, ids = pixel[nearer], depth[nearer], ids[nearer]
            self.depth[pixel], self.triangle[pixel] = depth, ids

    def weights(self, hit):
        """Barycentric coordinates at these pixels."""
        triangle, weights = self.triangle[hit], np.empty((len(hit), 3), dtype=np.float32)
        for k in (0, 1):
            plane = self.plane[:, k][triangle]
            weights[:, k] = plane[:, 0] * (hit % self.width) + plane[:, 1] * (hit // self.width) + plane[:, 2]
        weights[:, 2] = 1 - weights[:, 0] - weights[:, 1]
        return weights


def _expand(counts):
    """For 0, 1, ... repeated `counts` times: the number that is repeated, and how often before."""
    of = np.repeat(np.arange(len(counts)), counts)
    return of, np.arange(len(of)) - (np.cumsum(counts) - counts)[of]


def _barycentric(corners):
    """Barycentric coordinates k = c[k, 0] x + c[k, 1] y + c[k, 2] in triangles [n, 3, 3]; not finite for one seen edge-on."""
    after, before = np.roll(corners, -1, axis=1), np.roll(corners, -2, axis=1)
    x, y = after[:, :, 1] - before[:, :, 1], before[:, :, 0] - after[:, :, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        area = x[:, :1] * (corners[:, :1, 0] - after[:, :1, 0]) + y[:, :1] * (corners[:, :1, 1] - after[:, :1, 1])
        x, y = x / area, y / area
        return np.stack([x, y, -x * after[:, :, 0] - y * after[:, :, 1]], axis=2)


class Camera:
    """Parallel projection that fits `points` into an image."""

    def __init__(self, points, toward, up, width, height, margin=0.06):
        forward = -np.asarray(toward, dtype=float) / np.linalg.norm(toward)
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        self.axes = np.array([right, np.cross(forward, right), forward])  # the second points down, as pixel rows do
        flat = points @ self.axes.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        span = np.maximum(high - low, 1e-12)
        self.scale = (1 - 2 * margin) * min(width / span[0], height / span[1])
        self.shift = 0.5 * np.array([width, height]) / self.scale - 0.5 * (low + high)[:2]
        self.width, self.height = width, height

    @staticmethod
    def aspect(points, toward, up):
        """Height over width of the projection of `points`."""
        camera = Camera(points, toward, up, 1.0, 1.0)
        span = np.ptp(points @ camera.axes[:2].T, axis=0)
        return span[1] / max(span[0], 1e-12)

    def project(self, points):
        """Pixels and depth; depth in pixels too."""
        flat = points @ self.axes.T
        flat[:, :2] += self.shift
        return flat * self.scale


def corner_normals(points, triangles, crease=40.0):
    """Unit normals at the corners of triangles [n, 3, 3]: smooth over a vertex but for edges sharper than `crease` degrees."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    weighted = np.cross(b - a, c - a)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    face = weighted / np.maximum(length, 1e-300)
    order = np.argsort(triangles.ravel(), kind="stable")  # corners by vertex
    vertex = triangles.ravel()[order]
    start = np.searchsorted(vertex, vertex, side="left")
    count = np.searchsorted(vertex, vertex, side="right") - start
    limit = np.cos(np.radians(crease))
    normals = np.zeros((len(order), 3))
    for k in range(int(count.max()) if len(count) else 0):
        has = np.flatnonzero(count > k)
        mine, other = order[has] // 3, order[start[has] + k] // 3
        close = (face[mine] * face[other]).sum(axis=1) >= limit
        normals[order[has[close]]] += weighted[other[close]]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return normals.reshape(-1, 3, 3)


class Shadows:
    """Shadows that triangles throw in a light from far away."""

    def __init__(self, points, triangles, light, width):
        self.side = int(np.clip(width // 2, *SHADOW_SIDE))
        axis = [0.0, 0.0, 1.0] if abs(light[1]) > 0.9 * np.linalg.norm(light) else [0.0, 1.0, 0.0]
        self.camera = Camera(points[np.unique(triangles)], light, axis, self.side, self.side, 0.02)
        self.buffer = Buffer(self.side, self.side)
        self.buffer.draw(self.camera.project(points), triangles)

    def at(self, where):
        """Shadow at points, from 0 (lit) to 1."""
        flat = self.camera.project(where)
        dark = np.zeros(len(where), dtype=np.float32)
        inside = np.flatnonzero(((flat[:, :2] > 2) & (flat[:, :2] < self.side - 3)).all(axis=1))
        column, row, depth = np.rint(flat[inside, 0]).astype(np.int64), np.rint(flat[inside, 1]).astype(np.int64), flat[inside, 2]
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                dark[inside] += depth > self.buffer.depth[(row + dy) * self.side + column + dx] + 0.006 * self.side
        return dark / 9


def _outlines(ids, depth, width, height, flat=1 << 30):
    """Pixels at the boundary of a group or at a jump of depth, on its nearer side; groups from `flat` on have no outlines at jumps."""
    ids, depth = ids.reshape(height, width), np.minimum(depth, 1e9).reshape(height, width)
    edge = np.zeros((height, width), dtype=bool)
    jumps = ids < flat  # at grazing view the depth of a plane changes much from pixel to pixel
    for a, b in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:, :], np.s_[:-1, :])):
        border = (ids[a] != ids[b]) | (np.abs(depth[a] - depth[b]) > 0.03 * height) & jumps[a]
        edge[a] |= border & (depth[a] <= depth[b])
        edge[b] |= border & (depth[a] > depth[b])
    return edge.ravel()


def _wires(screen, triangles, triangle, weights):
    """Which pixels with these triangles and weights are on an edge of a triangle; small triangles have no edges."""
    corners = screen[triangles, :2]
    edges = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)  # edge k is opposite to corner k
    lengths = np.linalg.norm(edges, axis=2)
    area = np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    heights = np.where((area > WIRE_AREA)[:, None], area[:, None] / np.maximum(lengths, 1e-300), np.inf).astype(np.float32)
    return (weights * heights[triangle]).min(axis=1) < WIRE_WIDTH


def _lines(depth, image, camera, points, segments):
    """Draws segments as rows of dots, hidden by nearer triangles; returns None."""
    first, last = points[segments[:, 0]], points[segments[:, 1]]
    length = np.abs(last - first)[:, :2].max(axis=1)
    of, step = _expand(np.minimum(20000, 2 + 2 * length).astype(np.int64))
    count = np.bincount(of, minlength=len(segments))
    dots = first[of] + (step / (count[of] - 1))[:, None] * (last - first)[of]
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            column, row = np.rint(dots[:, 0]).astype(np.int64) + dx, np.rint(dots[:, 1]).astype(np.int64) + dy
            within = (column >= 0) & (column < camera.width) & (row >= 0) & (row < camera.height)
            pixel = row[within] * camera.width + column[within]
            image[pixel[dots[within, 2] <= depth[pixel] + 3]] = LINE


def _blend(corners, weights):
    """Values at corners [n, 3, components], weighted."""
    return sum(corners[:, k] * weights[:, k, None] for k in range(3))


def _shade(color, points, layer, triangle, weights, camera, light, shadows):
    """Colours of pixels in the light."""
    normal = _blend(corner_normals(points, layer.triangles).astype(np.float32)[triangle], weights)
    normal *= np.where(normal @ camera.axes[2] > 0, -1, 1)[:, None].astype(np.float32)  # towards the eye
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    lit = np.maximum(normal @ light, 0)
    if layer.readable:
        return color * (0.8 + 0.2 * lit)[:, None]
    if shadows:
        bright = np.flatnonzero(lit > 0)
        lit[bright] *= 1 - 0.75 * shadows.at(_blend(points[layer.triangles[triangle[bright]]], weights[bright]))
    half = light - camera.axes[2].astype(np.float32)
    eighth = ((np.maximum(normal @ (half / np.linalg.norm(half)), 0) ** 2) ** 2) ** 2
    shine = eighth * (eighth**2) ** 2 * (lit > 0.05)  # power 40: NumPy is fast at squares
    sky = 0.5 - 0.5 * (normal @ camera.axes[1].astype(np.float32))
    return color * (0.52 + 0.18 * sky + 0.44 * lit)[:, None] + 0.08 * shine[:, None]


def _draw_layer(points, screen, layer, camera, depth, light, shadows):
    """Pixels at which a layer is nearer than `depth`, their colours, which are on outlines, and the depth of all pixels."""
    buffer = Buffer(camera.width, camera.height, depth)
    buffer.draw(screen, layer.triangles)
    hit = np.flatnonzero(buffer.triangle >= 0)
    triangle, weights = buffer.triangle[hit], buffer.weights(hit)
    colors = layer.colors.astype(np.float32)[triangle]
    color = _blend(colors, weights) if colors.ndim == 3 else colors
    if light is not None:
        color = _shade(color, points, layer, triangle, weights, camera, light, shadows)
    if layer.wired:
        color[_wires(screen, layer.triangles, triangle, weights)] *= 0.82
    ids = np.full(len(buffer.triangle), -1, dtype=np.int64)
    ids[hit] = layer.groups[triangle]
    border = _outlines(ids, buffer.depth, camera.width, camera.height)[hit]
    color[border] *= 0.45
    return hit, np.clip(color, 0, 1), border, buffer.depth


def render(points, layers, camera, light=None, casts=None, lines=None):
    """
    An image of bytes [height, width, 3] at half the camera's size.
    light: direction to the light, None: colours as they are (2D); casts: triangles that throw shadows; lines: segments [m, 2] drawn dark.
    """
    screen, layers = camera.project(points), [layer for layer in layers if len(layer.triangles)]
    light = None if light is None else (np.asarray(light) / np.linalg.norm(light)).astype(np.float32)
    shadows = None if light is None or casts is None or not len(casts) else Shadows(points, casts, light, camera.width)
    image = np.tile(BACKGROUND, (camera.width * camera.height, 1))
    depth, first = np.full(camera.width * camera.height, np.inf), None
    for layer in sorted(layers, key=lambda layer: layer.alone < 1):
        if layer.alone < 1 and lines is not None:  # behind panes
            lines = _lines(depth, image, camera, screen, lines)
        hit, color, border, depth = _draw_layer(points, screen, layer, camera, depth, light, shadows)
        first = depth < np.inf if first is None else first
        if layer.over < 1:
            opacity = np.where(border, 0.5, np.where(first[hit], layer.over, layer.alone))[:, None].astype(np.float32)
            color = opacity * color + (1 - opacity) * image[hit]
        image[hit] = color
    if lines is not None:
        _lines(depth, image, camera, screen, lines)
    image = image.reshape(camera.height, camera.width, 3)
    mean = 0.25 * (image[::2, ::2] + image[::2, 1::2] + image[1::2, ::2] + image[1::2, 1::2])
    return (255 * mean + 0.5).astype(np.uint8)
