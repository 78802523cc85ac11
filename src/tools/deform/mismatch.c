/* Distance of displaced vertices of contact zones from S as the other side defines it. */
#include "deformerimpl.h"

/* Whether a vertex is in the zone of another pair, too. */
static PetscBool IsShared(AbutDeformer deformer, PetscInt pair, PetscInt side, PetscInt vertex)
{
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    for (PetscInt s = 0; s < 2; s++)
      if (p != pair && deformer->pair[p].side[s] == deformer->pair[pair].side[side] && deformer->pair[p].pair->zone[s].contains[vertex])
        return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
  Distance of the displaced position y of a vertex of a zone from the image of its own image. At an outline of the surface across d the
  rounded ray back may pass the vertex; the vertex itself is then the end of the ray.
*/
static PetscReal Distance(const AbutDeformPair *pair, PetscInt side, PetscInt vertex, const PetscReal y[3])
{
  const PetscInt          other   = 1 - side;
  const AbutDeformSurface surface = pair->surface[other];
  const AbutMapping      *mapping = &pair->mapping[side];
  const AbutMapPoint     *point   = &mapping->point[mapping->index[vertex]];
  PetscReal               x[3] = {0}, start[3] = {0}, square = 0;
  AbutRayEnds             ray;
  AbutMapPoint            back;

  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt v = surface->face[point->face][k];

    for (PetscInt l = 0; l < 3; l++) {
      x[l] += point->bary[k] * surface->x[3 * v + l];
      start[l] += point->bary[k] * pair->rays->position[other][3 * v + l];
    }
  }
  if (!AbutRaysFarthest(pair, other, start, &ray.image) || !AbutSharedEnds(pair, other, start, &ray)) return 0;
  AbutSharedPoint(pair, other, x, point->other_normal, &ray, &back);
  if (back.depth < point->depth) back.shift = (1 - pair->mapping[other].stiffness) * point->depth;
  for (PetscInt l = 0; l < 3; l++) square += PetscSqr(x[l] + back.shift * pair->mapping[other].direction[l] - y[l]);
  return PetscSqrtReal(square);
}

void AbutDeformerSetMismatch(AbutDeformer deformer, PetscReal *const y[])
{
  for (PetscInt p = 0; p < deformer->num_pairs; p++) {
    const DeformerPair *at   = &deformer->pair[p];
    PetscReal           most = 0;

    for (PetscInt s = 0; s < 2; s++) {
      for (PetscInt i = 0; i < at->pair->zone[s].num; i++) {
        const PetscInt v = at->pair->zone[s].vertex[i];

        if (!IsShared(deformer, p, s, v)) most = PetscMax(most, Distance(at->pair, s, v, &y[at->side[s]][3 * v]));
      }
    }
    deformer->pair_report[p].zone_mismatch = most / PetscMax(at->pair->surface[0]->size, at->pair->surface[1]->size);
  }
}
