/* Points and normals of the shared surface S (section 4.3, appendix A). */
#include "pairimpl.h"

/* sum_k bary_k values_k over the vertices of a face. */
static void Interpolate(const PetscInt v[3], const PetscReal bary[3], const PetscReal values[], PetscReal result[3])
{
  for (PetscInt k = 0; k < 3; k++)
    result[k] = bary[0] * values[3 * v[0] + k] + bary[1] * values[3 * v[1] + k] + bary[2] * values[3 * v[2] + k];
}

/* Normalises a vector; a vector without direction becomes `fallback`. */
static void Normalize(const PetscReal fallback[3], PetscReal a[3])
{
  const PetscReal length = AbutNorm(3, a);

  for (PetscInt k = 0; k < 3; k++) a[k] = length > PETSC_SMALL ? a[k] / length : fallback[k];
}

/*
  Outward normal of a side on S. S is the graph of the height h = kbar c + (1 - kbar) c'' along d_s over the plane across d_s. The surfaces
  with normals n and n'' have heights with the gradients -n_t / (n . d_s) and -n''_t / (n'' . d_s), where t marks tangential parts. Side s
  lies below the graph: n' is parallel to grad h - d_s. Multiplication with |n . d_s| |n'' . d_s| avoids the division. The formula printed
  in the paper has the opposite sign of the tangential part, and the stiffness of the other side.
*/
static void SharedNormal(const PetscReal d[3], PetscReal kbar, const PetscReal n[3], const PetscReal other[3], PetscReal normal[3])
{
  const PetscReal nd = AbutDot(3, n, d), od = AbutDot(3, other, d), fallback[3] = {-d[0], -d[1], -d[2]};
  const PetscReal wn = kbar * PetscAbsReal(od) * (nd > 0 ? 1 : -1), wo = (1 - kbar) * PetscAbsReal(nd) * (od < 0 ? -1 : 1);

  for (PetscInt k = 0; k < 3; k++)
    normal[k] = -wn * (n[k] - nd * d[k]) - wo * (other[k] - od * d[k]) - PetscAbsReal(nd) * PetscAbsReal(od) * d[k];
  Normalize(fallback, normal);
}

PetscBool AbutSharedEnds(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayEnds *ends)
{
  const PetscReal kbar = pair->mapping[side].stiffness, height = AbutRayHeight(side, start), tolerance = pair->rays->tolerance;
  PetscReal       first = height;

  if (AbutRaysFarthest(pair, 1 - side, start, &ends->first)) ends->first.height = -ends->first.height;
  if (ends->first.face >= 0 && ends->first.height < height - tolerance)
    first = ends->first.height;
  else
    ends->first.face = -1;
  ends->shift = kbar * (first - height) + (1 - kbar) * (ends->image.height - height);
  return (PetscBool)(ends->first.face < 0 || ends->shift > 0);
}

void AbutSharedPoint(const AbutDeformPair *pair, PetscInt side, const PetscReal x[3], const PetscReal n[3], const AbutRayEnds *ends,
                     AbutMapPoint *point)
{
  const AbutDeformSurface other   = pair->surface[1 - side];
  const AbutMapping      *mapping = &pair->mapping[side];
  const PetscReal        *d = mapping->direction, opposite[3] = {-d[0], -d[1], -d[2]};
  const PetscInt         *v = other->face[ends->image.face];
  PetscReal               image[3], first_normal[3] = {n[0], n[1], n[2]};

  point->face = ends->image.face;
  for (PetscInt k = 0; k < 3; k++) point->bary[k] = ends->image.bary[k];
  Interpolate(v, point->bary, other->x, image);
  Interpolate(v, point->bary, other->normal, point->other_normal);
  Normalize(d, point->other_normal);
  for (PetscInt k = 0; k < 3; k++) image[k] -= x[k];
  point->depth = PetscMax(0, AbutDot(3, image, d));
  point->shift = ends->first.face < 0 ? (1 - mapping->stiffness) * point->depth : ends->shift;
  for (PetscInt k = 0; k < 3; k++) point->target[k] = x[k] + point->shift * d[k];
  if (ends->first.face >= 0) {
    Interpolate(pair->surface[side]->face[ends->first.face], ends->first.bary, pair->surface[side]->normal, first_normal);
    Normalize(opposite, first_normal);
  }
  SharedNormal(d, mapping->stiffness, first_normal, point->other_normal, point->normal);
  point->score  = -point->depth * AbutDot(3, d, point->normal);
  point->facing = PetscMin(-AbutDot(3, d, n), AbutDot(3, d, point->other_normal));
}

PetscErrorCode AbutDeformPairMapEdgePoint(AbutDeformPair *pair, PetscInt side, const PetscInt ends[2], PetscReal alpha, AbutMapPoint *point,
                                          PetscBool *found)
{
  const AbutDeformSurface surface = pair->surface[side];
  const PetscReal        *d = pair->mapping[side].direction, fallback[3] = {-d[0], -d[1], -d[2]};
  PetscReal               x[3], n[3], start[3];
  AbutRayEnds             ray;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; k++) {
    const PetscInt i = 3 * ends[0] + k, j = 3 * ends[1] + k;

    x[k]     = (1 - alpha) * surface->x[i] + alpha * surface->x[j];
    n[k]     = (1 - alpha) * surface->normal[i] + alpha * surface->normal[j];
    start[k] = (1 - alpha) * pair->rays->position[side][i] + alpha * pair->rays->position[side][j];
  }
  Normalize(fallback, n);
  *found = (PetscBool)(AbutRaysFarthest(pair, side, start, &ray.image) && AbutSharedEnds(pair, side, start, &ray));
  if (*found) AbutSharedPoint(pair, side, x, n, &ray, point);
  PetscFunctionReturn(0);
}
