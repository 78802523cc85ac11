/*
  How deep displaced surfaces still penetrate each other: their triangles are flat where the shared surface S is not. Distances are from the
  faces in the ray grids, which lack faces that no ray meets: an upper bound.
*/
#include <abut/geom.h>
#include "deformerimpl.h"

/* Lowers *distance to that of a point from the nearest face of a side, or to less than `least` [m]; all in coordinates a, b, c. */
static void NearestFace(const AbutDeformPair *pair, PetscInt side, const PetscReal point[3], PetscReal least, PetscReal *distance)
{
  const AbutRayGrid *grid = &pair->rays->grid[side];
  PetscInt           from[2], to[2];
  PetscReal          x[12];

  for (PetscInt k = 0; k < 2; k++) {
    from[k] = AbutRayGridCell(grid, k, point[k] - *distance);
    to[k]   = AbutRayGridCell(grid, k, point[k] + *distance);
  }
  PetscArraycpy(x, point, 3);
  for (PetscInt j = from[1]; j <= to[1]; j++) {
    for (PetscInt i = grid->start[j * grid->cells[0] + from[0]]; i < grid->start[j * grid->cells[0] + to[0] + 1]; i++) {
      const AbutRayFace *face = &grid->face[grid->item[i]];
      const PetscInt    *v    = pair->surface[side]->face[face->face];

      if (face->lo[0] > point[0] + *distance || face->hi[0] < point[0] - *distance || face->lo[1] > point[1] + *distance ||
          face->hi[1] < point[1] - *distance || !AbutPairHasFace(pair, side, face->face))
        continue;
      for (PetscInt k = 0; k < 3; k++) PetscArraycpy(&x[3 + 3 * k], &pair->rays->position[side][3 * v[k]], 3);
      *distance = PetscMin(*distance, PetscSqrtReal(AbutPairDist2(ABUT_PAIR_FV, 3, x)));
      if (*distance < least) return;
    }
  }
}

/* Distance of a point of a side inside the other body from the surface of that body, if it exceeds `least`; else at most `least` [m]. */
static PetscReal Depth(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], PetscReal least)
{
  PetscReal   depth;
  AbutRayHits hits;

  if (!AbutRaysInside(pair, side, start)) return 0;
  AbutRaysHits(pair, side, start, &hits);
  if (!hits.num) return 0;
  depth = PetscMax(0, hits.hit[0].height - AbutRayHeight(side, start));
  if (depth > least) NearestFace(pair, 1 - side, start, least, &depth);
  return depth;
}

/* Whether a vertex belongs to the mapping region or has moved. */
static PetscBool Counts(const AbutDeformPair *pair, PetscInt side, PetscInt v, const PetscReal y[])
{
  const PetscReal *x = &pair->surface[side]->x[3 * v];

  return (PetscBool)(pair->mapping[side].index[v] >= 0 || y[3 * v] != x[0] || y[3 * v + 1] != x[1] || y[3 * v + 2] != x[2]);
}

/* Largest depth of the vertices of a side and of the centres of its faces at the mapping region. */
static PetscReal DepthOfSide(const AbutDeformPair *pair, PetscInt side, const PetscReal y[])
{
  const AbutDeformSurface surface  = pair->surface[side];
  const PetscReal        *position = pair->rays->position[side];
  const PetscInt         *index    = pair->mapping[side].index;
  PetscReal               most     = 0;

  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    if ((pair->part[side] && !pair->part[side][v]) || !Counts(pair, side, v, y)) continue;
    most = PetscMax(most, Depth(pair, side, &position[3 * v], most));
  }
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v = surface->face[f];
    PetscReal       centre[3];

    if ((index[v[0]] < 0 && index[v[1]] < 0 && index[v[2]] < 0) || !AbutPairHasFace(pair, side, f)) continue;
    for (PetscInt k = 0; k < 3; k++) centre[k] = (position[3 * v[0] + k] + position[3 * v[1] + k] + position[3 * v[2] + k]) / 3;
    most = PetscMax(most, Depth(pair, side, centre, most));
  }
  return most;
}

PetscErrorCode AbutDeformerSetPenetration(AbutDeformer deformer, PetscReal *const y[])
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    const DeformerPair   *at     = &deformer->pair[p];
    AbutDeformPairReport *report = &deformer->pair_report[p];

    if (!at->pair->mapping[0].num && !at->pair->mapping[1].num) continue;
    PetscCall(AbutRaysSet(at->pair, (const PetscReal *[]){y[at->side[0]], y[at->side[1]]}));
    for (PetscInt s = 0; s < 2; s++)
      report->penetration_after = PetscMax(report->penetration_after, DepthOfSide(at->pair, s, y[at->side[s]]));
  }
  PetscFunctionReturn(0);
}
