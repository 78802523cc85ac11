/*
  Segments at which B, the front-facing part of the intersection region of a side, can end, projected along d: pieces of the intersection
  curve, and contours g = n . d_s = 0 with g linear in each face [Hertzmann, Zorin 2000]. Segments outside of B are harmless, because
  mapping.c tests points between them.
*/
#include "pairimpl.h"
#include <stdlib.h>

/* Coordinates (a, b) of a point in a face. */
static void PlanePoint(const AbutDeformPair *pair, PetscInt side, PetscInt face, const PetscReal bary[3], PetscReal point[2])
{
  const PetscInt *v = pair->surface[side]->face[face];

  for (PetscInt k = 0; k < 2; k++) {
    point[k] = 0;
    for (PetscInt i = 0; i < 3; i++) point[k] += bary[i] * pair->rays->position[side][3 * v[i] + k];
  }
}

static PetscErrorCode AddPieces(AbutDeformPair *pair, PetscInt side)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < pair->curve.num_pieces; i++) {
    const AbutCurvePiece *piece = &pair->curve.piece[i];
    PetscReal             segment[4];

    for (PetscInt k = 0; k < 2; k++) {
      PetscReal bary[3];

      AbutCrossingBary(pair, side, piece->face[side], &pair->curve.crossing[piece->crossing[k]], bary);
      PlanePoint(pair, side, piece->face[side], bary, &segment[2 * k]);
    }
    PetscCall(AbutRealsPush(&pair->contour[side], 4, segment));
  }
  PetscFunctionReturn(0);
}

/* Whether a face has points inside the other body. */
static PetscBool MeetsRegion(const AbutDeformPair *pair, PetscInt side, PetscInt face)
{
  const PetscInt  *v      = pair->surface[side]->face[face];
  const PetscBool *inside = pair->curve.inside[side];
  const PetscInt  *start  = &pair->curve.face_piece[side].start[face];

  return (PetscBool)(inside[v[0]] || inside[v[1]] || inside[v[2]] || start[0] < start[1]);
}

/* The segment of a face between the points of its edges with g = 0, if g has both signs. */
static PetscErrorCode AddContour(AbutDeformPair *pair, PetscInt side, PetscInt face)
{
  const AbutDeformSurface surface = pair->surface[side];
  const PetscInt         *v       = surface->face[face];
  PetscReal               g[3], segment[4];
  PetscInt                n = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; k++) g[k] = AbutDot(3, &surface->normal[3 * v[k]], pair->mapping[side].direction);
  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt next    = (k + 1) % 3;
    PetscReal      bary[3] = {0};

    if ((g[k] > 0) == (g[next] > 0)) continue;
    bary[next] = g[k] / (g[k] - g[next]);
    bary[k]    = 1 - bary[next];
    PlanePoint(pair, side, face, bary, &segment[2 * n++]);
  }
  if (n) PetscCall(AbutRealsPush(&pair->contour[side], 4, segment));
  PetscFunctionReturn(0);
}

/* Least coordinate a of a segment. */
static PetscReal Start(const PetscReal segment[4])
{
  return PetscMin(segment[0], segment[2]);
}

static int CompareSegments(const void *p, const void *q)
{
  const PetscReal a = Start(p), b = Start(q);

  return (a > b) - (a < b);
}

void AbutContourFind(const AbutDeformPair *pair, PetscInt side, PetscReal low, PetscReal high, PetscInt *first, PetscInt *end)
{
  const AbutReals *contour   = &pair->contour[side];
  const PetscReal  limits[2] = {low - pair->contour_width[side], high};
  PetscInt         at[2];

  for (PetscInt k = 0; k < 2; k++) {
    PetscInt from = 0, to = contour->n / 4;

    while (from < to) {
      const PetscInt  middle = (from + to) / 2;
      const PetscReal start  = Start(&contour->a[4 * middle]);

      if (k ? start <= limits[k] : start < limits[k])
        from = middle + 1;
      else
        to = middle;
    }
    at[k] = from;
  }
  *first = at[0];
  *end   = at[1];
}

PetscErrorCode AbutContourSet(AbutDeformPair *pair, PetscInt side)
{
  AbutReals *contour = &pair->contour[side];
  PetscReal  width   = 0;

  PetscFunctionBegin;
  contour->n = 0;
  PetscCall(AddPieces(pair, side));
  for (PetscInt f = 0; f < pair->surface[side]->num_faces; f++)
    if (MeetsRegion(pair, side, f)) PetscCall(AddContour(pair, side, f));
  if (contour->n) qsort(contour->a, (size_t)contour->n / 4, 4 * sizeof(PetscReal), CompareSegments);
  for (PetscInt i = 0; i < contour->n; i += 4) width = PetscMax(width, PetscAbsReal(contour->a[i] - contour->a[i + 2]));
  pair->contour_width[side] = width + 1e-6 * (pair->surface[0]->size + pair->surface[1]->size); /* more than rounding errors */
  PetscFunctionReturn(0);
}
