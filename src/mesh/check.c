/* Checks of a shape: cells, triangles, vertices. Error messages name the body, the cell or vertex, and the value. */
#include "meshimpl.h"
#include <abut/dense.h>
#include <stdlib.h>
#include <string.h>

#define FLAT           1e-12            /* volume over (longest edge)^dim below which a simplex is degenerate; flat ones have about 1e-15 */
#define COORDINATE_MAX 1e12             /* [m] largest valid coordinate; the comparison also rejects NaN */
#define SAME_PLACE     1e-12            /* distance relative to the extent of the body below which two vertices coincide */
#define WINDOW         (4 * SAME_PLACE) /* largest difference of their coordinates along a direction, relative to the extent */

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

PetscBool AbutCellIsFlat(PetscInt dim, const PetscReal x[], const PetscInt cell[])
{
  return (PetscBool) !(AbutCellDeterminant(dim, x, cell) > FLAT * PetscPowRealInt(LongestEdge(dim + 1, x, cell), (int)dim));
}

PetscErrorCode AbutFlatCellError(const AbutBodySpec *spec, PetscInt dim, const PetscReal x[], const PetscInt cell[], PetscInt number,
                                 const PetscInt vertices[], PetscInt bad, PetscInt num_cells)
{
  const PetscReal volume = AbutCellDeterminant(dim, x, cell) / (dim == 3 ? 6 : 2), longest = LongestEdge(dim + 1, x, cell);
  char            text[128];

  PrintVertices(dim + 1, vertices, sizeof(text), text);
  return AbutSpecError(spec,
                       "cell %" PetscInt_FMT
                       " (vertices %s) is %s: its %s is %g %s with a longest edge of %g m; it must be positive. %" PetscInt_FMT
                       " of %" PetscInt_FMT " cells are such%s",
                       number, text, volume < -FLAT * PetscPowRealInt(longest, (int)dim) ? "inverted" : "degenerate",
                       dim == 3 ? "volume" : "area", (double)volume, dim == 3 ? "m^3" : "m^2", (double)longest, bad, num_cells,
                       bad == num_cells && volume < 0 ? "; all of them are: the file numbers its cells the other way round" : "");
}

static PetscErrorCode CheckVolumes(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape)
{
  PetscInt bad = 0, first = -1;

  PetscFunctionBegin;
  for (PetscInt c = shape->num_cells - 1; c >= 0; c--) {
    if (!AbutCellIsFlat(dim, shape->x, &shape->cells[c * (dim + 1)])) continue;
    bad++;
    first = c;
  }
  if (!bad) PetscFunctionReturn(0);
  {
    const PetscInt *cell = &shape->cells[first * (dim + 1)];
    PetscFunctionReturn(AbutFlatCellError(spec, dim, shape->x, cell, first, cell, bad, shape->num_cells));
  }
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

/* Whether the coordinates of two vertices differ by at most tol. */
static inline PetscBool SamePlace(const PetscReal a[3], const PetscReal b[3], PetscReal tol)
{
  return (PetscBool)(PetscAbsReal(a[0] - b[0]) <= tol && PetscAbsReal(a[1] - b[1]) <= tol && PetscAbsReal(a[2] - b[2]) <= tol);
}

/* A vertex, and its coordinate along a direction in which vertices of structured meshes differ. */
typedef struct {
  PetscReal along;
  PetscInt  vertex;
} Projected;

static int CompareProjected(const void *a, const void *b)
{
  const Projected *x = (const Projected *)a, *y = (const Projected *)b;

  return x->along != y->along ? (x->along > y->along) - (x->along < y->along) : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* Finds the first vertex v that coincides with an earlier vertex w; w = -1 if there is none. */
static PetscErrorCode FindDuplicate(const AbutShape *shape, PetscInt *v, PetscInt *w)
{
  static const PetscReal direction[3] = {0.8191725133961644, 0.6710436067037893, 0.5497004779019703}; /* powers of 1 / 1.2207440846 */
  const PetscInt         n            = shape->num_vertices;
  PetscReal              low[3], extent = 0;
  Projected             *p;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 3; d++) {
    PetscReal high = low[d] = shape->x[d];
    for (PetscInt i = 0; i < n; i++) {
      low[d] = PetscMin(low[d], shape->x[3 * i + d]);
      high   = PetscMax(high, shape->x[3 * i + d]);
    }
    extent = PetscMax(extent, high - low[d]);
  }
  PetscCall(PetscMalloc1(n, &p));
  for (PetscInt i = 0; i < n; i++) {
    p[i] = (Projected){0, i};
    for (PetscInt d = 0; d < 3; d++) p[i].along += direction[d] * (shape->x[3 * i + d] - low[d]);
  }
  qsort(p, (size_t)n, sizeof(*p), CompareProjected);
  *v = n;
  *w = -1;
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = i + 1; k < n && p[k].along - p[i].along <= WINDOW * extent; k++) {
      const PetscInt later = PetscMax(p[i].vertex, p[k].vertex), earlier = PetscMin(p[i].vertex, p[k].vertex);
      if (!SamePlace(&shape->x[3 * later], &shape->x[3 * earlier], extent * SAME_PLACE)) continue;
      if (later < *v) *v = later, *w = earlier;
      break; /* the vertices of a place follow each other in ascending order, but for round-off */
    }
  PetscCall(PetscFree(p));
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
