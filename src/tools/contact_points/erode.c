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
  length = AbutNorm(3, normal);
  angle  = atan2(length, AbutDot(3, e[0], e[1]));
  for (int i = 0; i < 3 && length > 0; i++) sum[i] += angle * normal[i] / length;
}

/* The cell of lowest id that the erosion inverts. */
typedef struct {
  PetscInt cell, body, vertex; /* cell: PETSC_MAX_INT if there is none */
} Inverted;

/* The vertex of a cell nearest to the opposite face. */
static int NearestVertex(const AbutMeshLocal *m, const PetscInt v[4], const PetscReal x[])
{
  AbutPointCell cell;
  int           nearest = 0;

  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) cell.tet.x[k][i] = x[m->dim * v[k] + i];
  AbutPointCellSetUp(&cell);
  for (int k = 1; k < 4; k++)
    if (AbutFaceHeight(&cell, k, cell.tet.x[k]) > AbutFaceHeight(&cell, nearest, cell.tet.x[nearest])) nearest = k; /* heights < 0 */
  return nearest;
}

static Inverted FindInverted(const AbutContactPoints points, const PetscReal x[], const PetscReal eroded[])
{
  const AbutMeshLocal *m     = points->m;
  Inverted             first = {PETSC_MAX_INT, 0, 0};

  for (PetscInt i = 0; i < points->num_cells; i++) {
    const PetscInt c = points->cells[i], *v = m->cells + 4 * c;

    if (m->cell_id[c] >= first.cell) continue;
    if (AbutOrient3D(eroded + 3 * v[0], eroded + 3 * v[1], eroded + 3 * v[2], eroded + 3 * v[3]) > 0) continue;
    first = (Inverted){m->cell_id[c], m->cell_body[c], m->vertex_id[v[NearestVertex(m, v, x)]]};
  }
  return first;
}

/* Warns once of a cell that the erosion inverts: faces then point inwards, and contacts are missing. Collective. */
static PetscErrorCode WarnOfInversion(AbutContactPoints points, const PetscReal x[], const PetscReal eroded[])
{
  const Inverted mine  = FindInverted(points, x, eroded);
  Inverted       first = mine;
  PetscMPIInt    owner;

  PetscFunctionBegin;
  if (points->warned) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first.cell, 1, MPIU_INT, MPI_MIN, points->comm));
  owner = mine.cell == first.cell ? points->rank : points->size;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &owner, 1, MPI_INT, MPI_MIN, points->comm));
  PetscCallMPI(MPI_Bcast(&first, 3, MPIU_INT, owner, points->comm));
  if (first.cell == PETSC_MAX_INT) PetscFunctionReturn(0);
  points->warned = PETSC_TRUE;
  PetscCall(AbutWarn(points->comm,
                     "%s: erosion by %g m inverts cell %" PetscInt_FMT " of body '%s' at vertex %" PetscInt_FMT
                     ": contacts there are missing or wrong; choose a smaller -points_erosion, or -points_shrink",
                     points->name, (double)points->rules.erosion, first.cell, points->m->bodies[first.body].name, first.vertex));
  PetscFunctionReturn(0);
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
    length = AbutNorm(3, sum);
    for (int i = 0; i < 3 && length > 0; i++) (*eroded)[3 * v + i] -= points->rules.erosion * sum[i] / length;
  }
  PetscCall(PetscFree(all));
  PetscCall(AbutMeshUpdateGhosts(points->mesh, 3, *eroded));
  PetscCall(WarnOfInversion(points, x, *eroded));
  PetscFunctionReturn(0);
}
