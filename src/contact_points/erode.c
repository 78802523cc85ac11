/*
  Erosion [Erleben 2018, section 6]: each vertex on the surface of a body moves inwards along its vertex normal, the mean of the normals of
  its faces weighted by their angles at the vertex. Faces are added in the order of their ids: the result does not depend on the ranks.
*/
#include "contact_pointsimpl.h"
#include <math.h>

/* Adds the unit normal of a face times its angle at vertex v. */
static void AddNormal(const PetscInt face[3], PetscInt v, const PetscReal x[], PetscReal sum[3])
{
  const int k = face[0] == v ? 0 : face[1] == v ? 1 : 2;
  PetscReal e[2][3], normal[3], length, angle;

  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 3; i++) e[j][i] = x[3 * face[(k + 1 + j) % 3] + i] - x[3 * v + i];
  AbutCross(e[0], e[1], normal);
  length = PetscSqrtReal(AbutDot(3, normal, normal));
  angle  = atan2(length, AbutDot(3, e[0], e[1]));
  for (int i = 0; i < 3 && length > 0; i++) sum[i] += angle * normal[i] / length;
}

PetscErrorCode AbutPointsErode(AbutContactPoints points, const PetscReal x[], PetscReal **eroded)
{
  const AbutMeshLocal *m = points->m;
  const AbutOneRing   *ring;
  PetscInt             num;
  PetscReal           *all;

  PetscFunctionBegin;
  if (!points->topology) PetscCall(AbutSurfaceCreate(points->mesh, NULL, &points->topology));
  ring = AbutSurfaceGetOneRing(points->topology);
  num  = m->num_local + AbutSurfaceGetRemoteVertices(points->topology).num;
  PetscCall(PetscMalloc1(3 * m->num_local, eroded));
  PetscCall(PetscMalloc1(3 * num, &all));
  PetscCall(PetscArraycpy(all, x, 3 * m->num_local));
  PetscCall(PetscArraycpy(*eroded, x, 3 * m->num_local));
  PetscCall(AbutSurfaceBroadcast(points->topology, 3, all));
  for (PetscInt p = 0; p < m->num_points; p++) {
    const PetscInt v      = m->points[p];
    PetscReal      sum[3] = {0, 0, 0}, length;

    if (m->bodies[m->vertex_body[v]].obstacle) continue;
    for (PetscInt i = ring->vertex_face_start[v]; i < ring->vertex_face_start[v + 1]; i++)
      AddNormal(ring->faces[ring->vertex_face[i]], v, all, sum);
    length = PetscSqrtReal(AbutDot(3, sum, sum));
    for (int i = 0; i < 3 && length > 0; i++) (*eroded)[3 * v + i] -= points->rules.erosion * sum[i] / length;
  }
  PetscCall(PetscFree(all));
  PetscCall(AbutMeshHaloBegin(points->mesh, 3, *eroded));
  PetscCall(AbutMeshHaloEnd(points->mesh, 3, *eroded));
  PetscFunctionReturn(0);
}
