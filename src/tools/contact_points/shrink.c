/*
  Shrinking in place of erosion: each body is scaled about the mean of its vertices. Faces keep their normals, whatever the angles at their
  vertices. The author's own simulator does this (github.com/diku-dk/PROX, ProxEngine::set_tetramesh_shape, factor 0.99).
*/
#include "contact_pointsimpl.h"
#include <math.h>

#define SUM_BITS 61 /* of the integers that coordinates are summed in */

/*
  Units of integers in which the coordinates of each body, relative to points->origin, are summed [num_bodies]: the sum over the vertices of
  the body has at most SUM_BITS bits, however far the body is from the origin. Collective.
*/
static PetscErrorCode FindUnits(AbutContactPoints points, const PetscReal x[], PetscReal unit[])
{
  const AbutMeshLocal *m = points->m;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < m->num_bodies; b++) unit[b] = 0;
  for (PetscInt v = 0; v < m->num_owned; v++)
    for (int k = 0; k < 3; k++) unit[m->vertex_body[v]] = PetscMax(unit[m->vertex_body[v]], PetscAbsReal(x[3 * v + k] - points->origin[k]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, unit, (PetscMPIInt)m->num_bodies, MPIU_REAL, MPIU_MAX, points->comm));
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    const PetscReal largest = unit[b] * (PetscReal)(m->bodies[b].vertex_end - m->bodies[b].vertex_start);

    unit[b] = largest > 0 ? ldexp(largest, -SUM_BITS) : 1;
  }
  PetscFunctionReturn(0);
}

/*
  Mean of the vertices of each body, center[num_bodies * 3]. Sums of integers do not depend on their order: the result is the same on any
  number of ranks. Collective.
*/
static PetscErrorCode FindCenters(AbutContactPoints points, const PetscReal x[], PetscReal center[])
{
  const AbutMeshLocal *m = points->m;
  long long           *sum;
  PetscReal           *unit;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->num_bodies, &unit));
  PetscCall(FindUnits(points, x, unit));
  PetscCall(PetscCalloc1(3 * m->num_bodies, &sum));
  for (PetscInt v = 0; v < m->num_owned; v++) {
    const PetscInt b = m->vertex_body[v];

    for (int k = 0; k < 3; k++) sum[3 * b + k] += llround((x[3 * v + k] - points->origin[k]) / unit[b]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, (PetscMPIInt)(3 * m->num_bodies), MPI_LONG_LONG, MPI_SUM, points->comm));
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    const PetscReal n = (PetscReal)(m->bodies[b].vertex_end - m->bodies[b].vertex_start);

    for (int k = 0; k < 3; k++) center[3 * b + k] = points->origin[k] + (PetscReal)sum[3 * b + k] * unit[b] / n;
  }
  PetscCall(PetscFree(sum));
  PetscCall(PetscFree(unit));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPointsShrink(AbutContactPoints points, const PetscReal x[], PetscReal **shrunk)
{
  const AbutMeshLocal *m = points->m;
  PetscReal           *center;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * m->num_bodies, &center));
  PetscCall(FindCenters(points, x, center));
  PetscCall(PetscMalloc1(3 * m->num_local, shrunk));
  for (PetscInt v = 0; v < m->num_local; v++)
    for (int k = 0; k < 3; k++) {
      const PetscInt  body = m->vertex_body[v];
      const PetscReal c = center[3 * body + k], factor = m->bodies[body].obstacle ? 1 : points->policy.shrink;
      (*shrunk)[3 * v + k] = c + factor * (x[3 * v + k] - c);
    }
  PetscCall(PetscFree(center));
  PetscFunctionReturn(0);
}
