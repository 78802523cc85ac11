"""A z-buffer rasteriser in NumPy. Needs no display, graphics card or graphics library."""

import numpy as np

CHUNK = 1 << 21  # fragments handled at a time
WIRE_AREA = 160.0  # smallest triangle with visible edges, and half the width of these, in pixels of the camera
WIRE_WIDTH = 0.9


class Buffer:
    """Nearest triangle, its barycentric coordinates and its depth at every pixel; -1 where there is none."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.depth = np.full(width * height, np.inf)
        self.triangle = np.full(width * height, -1, dtype=np.int64)
        self.weights = np.zeros((width * height, 2), dtype=np.float32)

    def draw(self, points, triangles):
        """Triangles over points (x and y in pixels, z away from the eye)."""
        corners = points[triangles]
        low = np.floor(corners[:, :, :2].min(axis=1)).astype(np.int64)
        high = np.ceil(corners[:, :, :2].max(axis=1)).astype(np.int64)
        low = np.maximum(low, 0)
        high = np.minimum(high, [self.width - 1, self.height - 1])
        extent = high - low + 1
        seen = np.flatnonzero((extent > 0).all(axis=1))
        size = 1 << np.ceil(np.log2(extent[seen].max(axis=1))).astype(np.int64) if len(seen) else np.zeros(0, np.int64)
        for side in np.unique(size):
            group = seen[size == side]
            for start in range(0, len(group), max(1, CHUNK // int(side) ** 2)):
                part = group[start : start + max(1, CHUNK // int(side) ** 2)]
                self._draw_part(corners[part], part, low[part], extent[part])

    def _draw_part(self, corners, ids, low, extent):
        side_x, side_y = extent.max(axis=0)
        x = low[:, 0, None, None] + np.arange(side_x)[None, None, :]
        y = low[:, 1, None, None] + np.arange(side_y)[None, :, None]
        a, b, c = (corners[:, k, :, None, None] for k in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):  # a triangle seen edge-on has area 0 and covers no pixel
            v = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (y - a[:, 1]) * (c[:, 0] - a[:, 0])) / area
            w = ((b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0])) / area
            inside = (v >= 0) & (w >= 0) & (v + w <= 1) & (x < self.width) & (y < self.height)
        which, row, column = np.nonzero(inside)
        v, w = v[inside], w[inside]
        z = corners[:, :, 2]
        depth = z[which, 0] * (1 - v - w) + z[which, 1] * v + z[which, 2] * w
        pixel = (low[which, 1] + row) * self.width + low[which, 0] + column
        self._keep_nearest(pixel, depth, ids[which], np.column_stack([v, w]))

    def _keep_nearest(self, pixel, depth, ids, weights):
        order = np.flatnonzero(depth < self.depth[pixel])
        if len(order) and ids[order[0]] != ids[order[-1]]:  # one triangle covers a pixel once
            order = order[np.lexsort((depth[order], pixel[order]))]
            first = np.ones(len(order), dtype=bool)
            first[1:] = pixel[order[1:]] != pixel[order[:-1]]
            order = order[first]
        self.depth[pixel[order]] = depth[order]
        self.triangle[pixel[order]] = ids[order]
        self.weights[pixel[order]] = weights[order]


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


def _shadow(points, triangles, casts, where, light, width):
    """Shadow at the points `where`, from 0 (lit) to 1; triangles with `casts` throw shadows."""
    side = max(600, 2 * width)
    axis = [0.0, 0.0, 1.0] if abs(light[1]) > 0.9 * np.linalg.norm(light) else [0.0, 1.0, 0.0]
    used = np.unique(triangles[casts])
    if not len(used):
        return np.zeros(len(where))
    camera = Camera(points[used], light, axis, side, side, 0.02)
    buffer = Buffer(side, side)
    buffer.draw(camera.project(points), triangles[casts])
    flat = camera.project(where)
    dark = np.zeros(len(where), dtype=np.float32)
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            column, row = np.rint(flat[:, 0] + 2 * dx).astype(np.int64), np.rint(flat[:, 1] + 2 * dy).astype(np.int64)
            within = (column >= 0) & (column < side) & (row >= 0) & (row < side)
            nearest = np.full(len(where), np.inf)
            nearest[within] = buffer.depth[row[within] * side + column[within]]
            dark += flat[:, 2] > nearest + 0.006 * side
    return dark / 9


def _outlines(ids, depth, width, height, jump, flat=1 << 30):
    """Pixels at the boundary of a group or at a jump of depth; groups from `flat` on have no outlines at jumps."""
    ids, depth = ids.reshape(height, width), np.where(np.isfinite(depth), depth, 1e9).reshape(height, width)
    edge = np.zeros((height, width), dtype=bool)
    jumps = ids < flat  # at grazing view the depth of a plane changes much from pixel to pixel
    edge[:, 1:] |= (ids[:, 1:] != ids[:, :-1]) | (np.abs(depth[:, 1:] - depth[:, :-1]) > jump) & jumps[:, 1:]
    edge[1:, :] |= (ids[1:, :] != ids[:-1, :]) | (np.abs(depth[1:, :] - depth[:-1, :]) > jump) & jumps[1:, :]
    return edge.ravel()


def _wires(buffer, screen, triangles, hit, weights, wired):
    """Which of the pixels `hit` are on an edge of a triangle that `wired` marks; small triangles have no edges."""
    corners = screen[triangles, :2]
    edges = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)  # edge k is opposite to corner k
    lengths = np.linalg.norm(edges, axis=2)
    area = np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    seen = wired & (area > WIRE_AREA)
    heights = np.where(seen[:, None], area[:, None] / np.maximum(lengths, 1e-300), np.inf).astype(np.float32)
    near = (weights * heights[buffer.triangle[hit]]).min(axis=1)
    return near < WIRE_WIDTH


def _lines(buffer, image, points, segments, color):
    """Draws segments as rows of dots, hidden by nearer triangles."""
    ends = points[segments]
    for end_a, end_b in ends:
        n = int(min(20000, 2 + 2 * np.abs(end_b - end_a)[:2].max()))
        dots = end_a + np.linspace(0, 1, n)[:, None] * (end_b - end_a)
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                column, row = np.rint(dots[:, 0]).astype(np.int64) + dx, np.rint(dots[:, 1]).astype(np.int64) + dy
                within = (column >= 0) & (column < buffer.width) & (row >= 0) & (row < buffer.height)
                pixel = row[within] * buffer.width + column[within]
                image[pixel[dots[within, 2] <= buffer.depth[pixel] + 3]] = color


def render(points, triangles, colors, groups, casts, camera, light, flat=False, lines=None, wired=None):
    """
    An image [height, width, 3] in [0, 1] at half the camera's size.
    colors: a colour per triangle [n, 3] or per point [points, 3]; groups: triangles of one group have no outline between them;
    casts: triangles that throw shadows; flat: no lighting (2D); lines: segments [m, 2] drawn dark; wired: triangles whose
    edges show.
    """
    buffer = Buffer(camera.width, camera.height)
    screen = camera.project(points)
    if len(triangles):
        buffer.draw(screen, triangles)
    height = np.repeat(np.linspace(0, 1, camera.height), camera.width)[:, None]
    image = (1 - height) * np.array([0.93, 0.95, 0.98]) + height * np.array([1.0, 1.0, 1.0])
    hit = np.flatnonzero(buffer.triangle >= 0)
    triangle = buffer.triangle[hit]
    weights = np.column_stack([1 - buffer.weights[hit].sum(axis=1), buffer.weights[hit]])
    if colors.shape[0] == len(triangles):
        color = colors[triangle]
    else:
        color = np.einsum("nk,nkc->nc", weights, colors[triangles[triangle]])
    if not flat and len(hit):
        weights, color = weights.astype(np.float32), color.astype(np.float32)
        normal = np.einsum("nk,nkc->nc", weights, corner_normals(points, triangles).astype(np.float32)[triangle])
        normal *= np.where((normal @ camera.axes[2])[:, None] > 0, -1, 1)  # towards the eye
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        where = np.einsum("nk,nkc->nc", weights, points[triangles[triangle]])
        light = np.asarray(light, dtype=float) / np.linalg.norm(light)
        lit = np.maximum(normal @ light, 0) * (1 - 0.75 * _shadow(points, triangles, casts, where, light, camera.width))
        half = light - camera.axes[2]
        shine = np.maximum(normal @ (half / np.linalg.norm(half)), 0) ** 40 * (lit > 0.05)
        sky = 0.5 - 0.5 * (normal @ camera.axes[1])
        color = color * (0.52 + 0.18 * sky + 0.44 * lit)[:, None] + 0.08 * shine[:, None]
        if wired is not None:
            color[_wires(buffer, screen, triangles, hit, weights, wired)] *= 0.82
    image[hit] = np.clip(color, 0, 1)
    ids = np.full(len(buffer.triangle), -1, dtype=np.int64)
    ids[hit] = groups[triangle]
    edge = _outlines(ids, buffer.depth, camera.width, camera.height, 0.03 * camera.height)
    image[edge] *= 0.45
    if lines is not None and len(lines):
        _lines(buffer, image, screen, lines, np.array([0.25, 0.25, 0.27]))
    image = image.reshape(camera.height // 2, 2, camera.width // 2, 2, 3)
    return image.mean(axis=(1, 3))
