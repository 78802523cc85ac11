/* Checks of a shape: cells, triangles, vertices. Error messages name the body, the cell or vertex, and the value. */
#include "meshimpl.h"
#include <abut/dense.h>
#include <math.h>
#include <string.h>

#define FLAT           1e-12 /* volume over (longest edge)^dim below which a simplex is degenerate; flat ones have about 1e-15 */
#define COORDINATE_MAX 1e12  /* [m] largest valid coordinate; the comparison also rejects NaN */
#define SAME_PLACE     1e-12 /* distance relative to the extent of the body below which two vertices coincide */
#define BUCKET         (64 * SAME_PLACE) /* edge of a hash bucket relative to the extent; most vertices search one bucket only */

static PetscReal LongestEdge(PetscInt n, const PetscReal x[], const PetscInt simplex[])
{
  PetscReal longest = 0;

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < i; j++) {
      PetscReal length2 = 0;
      for (PetscInt d = 0; d < 3; d++) length2 += PetscSqr(x[3 * simplex[i] + d] - x[3 * simplex[j] + d]);
      longest = PetscMax(longest, length2);
    }
  }
  return PetscSqrtReal(longest);
}

PetscErrorCode AbutShapeCheckFinite(const AbutBodySpec *spec, const AbutShape *shape)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * shape->num_vertices; i++)
    AbutSpecCheck(PetscAbsReal(shape->x[i]) <= COORDINATE_MAX, spec,
                  "coordinate %" PetscInt_FMT " of vertex %" PetscInt_FMT " of %s is %g; it must be in [%g, %g]", i % 3, i / 3,
                  spec->shape.path, (double)shape->x[i], -COORDINATE_MAX, COORDINATE_MAX);
  PetscFunctionReturn(0);
}

/* Writes the vertices of a simplex as text: "v0 v1 v2 v3". */
static void PrintVertices(PetscInt n, const PetscInt v[], size_t size, char text[])
{
  size_t at = 0;

  text[0] = '\0';
  for (PetscInt i = 0; i < n && at < size; i++) {
    (void)PetscSNPrintf(text + at, size - at, "%s%" PetscInt_FMT, i ? " " : "", v[i]);
    at += strlen(text + at);
  }
}

static PetscErrorCode CheckVolumes(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape)
{
  PetscInt  bad = 0, first = -1;
  PetscReal volume = 0, longest = 0;
  char      vertices[128];

  PetscFunctionBegin;
  for (PetscInt c = 0; c < shape->num_cells; c++) {
    const PetscInt *cell = &shape->cells[c * (dim + 1)];
    const PetscReal det = AbutCellDeterminant(dim, shape->x, cell), length = LongestEdge(dim + 1, shape->x, cell);

    if (det > FLAT * PetscPowRealInt(length, (int)dim)) continue;
    if (!bad++) {
      first   = c;
      volume  = det / (dim == 3 ? 6 : 2);
      longest = length;
    }
  }
  if (!bad) PetscFunctionReturn(0);
  PrintVertices(dim + 1, &shape->cells[first * (dim + 1)], sizeof(vertices), vertices);
  PetscFunctionReturn(AbutSpecError(
    spec,
    "cell %" PetscInt_FMT " (vertices %s) is %s: its %s is %g %s with a longest edge of %g m; it must be positive. %" PetscInt_FMT
    " of %" PetscInt_FMT " cells are such%s",
    first, vertices, volume < -FLAT * PetscPowRealInt(longest, (int)dim) ? "inverted" : "degenerate", dim == 3 ? "volume" : "area",
    (double)volume, dim == 3 ? "m^3" : "m^2", (double)longest, bad, shape->num_cells,
    bad == shape->num_cells && volume < 0 ? "; all of them are: the file numbers its cells the other way round" : ""));
}

static PetscErrorCode CheckConnected(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape)
{
  PetscBool *used;
  PetscInt   bad = 0, first = -1;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(shape->num_vertices, &used));
  for (PetscInt i = 0; i < shape->num_cells * (dim + 1); i++) used[shape->cells[i]] = PETSC_TRUE;
  for (PetscInt v = shape->num_vertices - 1; v >= 0; v--) {
    if (used[v]) continue;
    bad++;
    first = v;
  }
  PetscCall(PetscFree(used));
  AbutSpecCheck(!bad, spec,
                "vertex %" PetscInt_FMT " at (%g, %g, %g) belongs to no cell (vertices without: %" PetscInt_FMT " of %" PetscInt_FMT
                "); remove them from the file",
                first, (double)shape->x[3 * first], (double)shape->x[3 * first + 1], (double)shape->x[3 * first + 2], bad,
                shape->num_vertices);
  PetscFunctionReturn(0);
}

/* Spatial hash of vertices: head[] holds the first vertex of each bucket, next[] links the others. */
typedef struct {
  PetscReal low[3], edge;
  PetscInt  mask, *head, *next;
} Buckets;

static inline PetscInt BucketSlot(const Buckets *buckets, const PetscInt64 cell[3])
{
  uint64_t h = (uint64_t)cell[0] * 0x9E3779B97F4A7C15u;

  h = (h ^ (h >> 32) ^ (uint64_t)cell[1]) * 0xC2B2AE3D27D4EB4Fu;
  h = (h ^ (h >> 32) ^ (uint64_t)cell[2]) * 0x165667B19E3779F9u;
  return (PetscInt)((h ^ (h >> 32)) & (uint64_t)buckets->mask);
}

static inline PetscInt64 BucketIndex(const Buckets *buckets, PetscInt d, PetscReal value)
{
  return (PetscInt64)floor((value - buckets->low[d]) / buckets->edge);
}

/* Index of an earlier vertex within tol of vertex v, -1 if there is none. */
static PetscInt FindNear(const Buckets *buckets, const PetscReal x[], PetscInt v, PetscReal tol)
{
  PetscInt64 from[3], to[3], cell[3];

  for (PetscInt d = 0; d < 3; d++) {
    from[d] = BucketIndex(buckets, d, x[3 * v + d] - tol);
    to[d]   = BucketIndex(buckets, d, x[3 * v + d] + tol);
  }
  for (cell[0] = from[0]; cell[0] <= to[0]; cell[0]++)
    for (cell[1] = from[1]; cell[1] <= to[1]; cell[1]++)
      for (cell[2] = from[2]; cell[2] <= to[2]; cell[2]++)
        for (PetscInt w = buckets->head[BucketSlot(buckets, cell)]; w >= 0; w = buckets->next[w])
          if (PetscAbsReal(x[3 * w] - x[3 * v]) <= tol && PetscAbsReal(x[3 * w + 1] - x[3 * v + 1]) <= tol &&
              PetscAbsReal(x[3 * w + 2] - x[3 * v + 2]) <= tol)
            return w;
  return -1;
}

/* Finds the first vertex v that coincides with an earlier vertex w; w = -1 if there is none. */
static PetscErrorCode FindDuplicate(const AbutShape *shape, PetscInt *v, PetscInt *w)
{
  Buckets          buckets;
  PetscReal        extent = 0;
  PetscInt         slots  = 64;
  const PetscReal *x      = shape->x;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; d++) {
    PetscReal high = x[d];
    buckets.low[d] = x[d];
    for (PetscInt i = 0; i < shape->num_vertices; i++) {
      buckets.low[d] = PetscMin(buckets.low[d], x[3 * i + d]);
      high           = PetscMax(high, x[3 * i + d]);
    }
    extent = PetscMax(extent, high - buckets.low[d]);
  }
  buckets.edge = extent > 0 ? extent * BUCKET : 1;
  while (slots < shape->num_vertices && slots < PETSC_MAX_INT / 4) slots *= 2;
  buckets.mask = slots - 1;
  PetscCall(PetscMalloc2(slots, &buckets.head, shape->num_vertices, &buckets.next));
  for (PetscInt s = 0; s < slots; s++) buckets.head[s] = -1;
  for (*v = 0, *w = -1; *v < shape->num_vertices; (*v)++) {
    PetscInt64 cell[3];
    PetscInt  *head;

    *w = FindNear(&buckets, x, *v, extent * SAME_PLACE);
    if (*w >= 0) break;
    for (PetscInt d = 0; d < 3; d++) cell[d] = BucketIndex(&buckets, d, x[3 * *v + d]);
    head             = &buckets.head[BucketSlot(&buckets, cell)];
    buckets.next[*v] = *head;
    *head            = *v;
  }
  PetscCall(PetscFree2(buckets.head, buckets.next));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeCheckBody(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape)
{
  PetscInt v = -1, w = -1;

  PetscFunctionBegin;
  PetscCall(CheckVolumes(spec, dim, shape));
  PetscCall(CheckConnected(spec, dim, shape));
  PetscCall(FindDuplicate(shape, &v, &w));
  AbutSpecCheck(w < 0, spec, "vertices %" PetscInt_FMT " and %" PetscInt_FMT " coincide at (%g, %g, %g); merge them in the file", w, v,
                (double)shape->x[3 * v], (double)shape->x[3 * v + 1], (double)shape->x[3 * v + 2]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeCheckObstacle(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape)
{
  char vertices[128];

  PetscFunctionBegin;
  (void)dim;
  for (PetscInt f = 0; f < shape->num_faces; f++) {
    const PetscInt *face   = &shape->faces[3 * f];
    const PetscReal length = LongestEdge(3, shape->x, face);
    PetscReal       a[3], b[3], n[3];

    for (PetscInt d = 0; d < 3; d++) {
      a[d] = shape->x[3 * face[1] + d] - shape->x[3 * face[0] + d];
      b[d] = shape->x[3 * face[2] + d] - shape->x[3 * face[0] + d];
    }
    AbutCross(a, b, n);
    PrintVertices(3, face, sizeof(vertices), vertices);
    AbutSpecCheck(PetscSqrtReal(AbutDot(3, n, n)) > FLAT * length * length, spec,
                  "triangle %" PetscInt_FMT
                  " (vertices %s) is degenerate: its longest edge is %g m and it has no area; remove it from the file",
                  f, vertices, (double)length);
  }
  for (PetscInt e = 0; e < shape->num_edges; e++) {
    PrintVertices(2, &shape->edges[2 * e], sizeof(vertices), vertices);
    AbutSpecCheck(LongestEdge(2, shape->x, &shape->edges[2 * e]) > 0, spec,
                  "segment %" PetscInt_FMT " (vertices %s) is degenerate: its length is 0", e, vertices);
  }
  PetscFunctionReturn(0);
}
