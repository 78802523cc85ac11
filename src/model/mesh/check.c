/* Checks of a shape: cells, triangles, vertices. Error messages name the body, the cell or vertex, and the value. */
#include "meshimpl.h"
#include <abut/dense.h>
#include <stdlib.h>
#include <string.h>

#define FLAT 1e-12 /* volume over (longest edge)^dim below which a simplex is degenerate; flat ones have about 1e-15 */

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

PetscErrorCode AbutShapeCheckFinite(const AbutBodySpec *spec, PetscInt first, const AbutShape *shape)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * shape->num_vertices; i++)
    AbutSpecCheck(PetscAbsReal(shape->x[i]) <= ABUT_COORDINATE_MAX, spec,
                  "coordinate %" PetscInt_FMT " of vertex %" PetscInt_FMT " of %s is %g; it must be in [%g, %g]", i % 3, first + i / 3,
                  spec->shape.path, (double)shape->x[i], -ABUT_COORDINATE_MAX, ABUT_COORDINATE_MAX);
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

PetscErrorCode AbutShapeCheckObstacle(const AbutBodySpec *spec, PetscInt dim, const AbutShape *shape)
{
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
    AbutSpecCheck(AbutNorm(3, n) > FLAT * length * length, spec,
                  "triangle %" PetscInt_FMT " (vertices %" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT
                  ") is degenerate: its longest edge is %g m and it has no area; remove it from the file",
                  f, face[0], face[1], face[2], (double)length);
  }
  for (PetscInt e = 0; e < shape->num_edges; e++) {
    const PetscInt *edge = &shape->edges[2 * e];

    AbutSpecCheck(LongestEdge(2, shape->x, edge) > 0, spec,
                  "segment %" PetscInt_FMT " (vertices %" PetscInt_FMT " %" PetscInt_FMT ") is degenerate: its length is 0", e, edge[0],
                  edge[1]);
  }
  PetscFunctionReturn(0);
}
