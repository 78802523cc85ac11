/*
  The volumes of bodies follow their surfaces. Bodies do not act on each other: each has its own increments, so that a body whose cells are
  hard to move does not shorten the steps of the others. A rank solves the bodies that are copied to it. Bodies with more vertices than
  -abut_follow_alone stay distributed, and all ranks solve them together.
*/
#include "boundary.h"
#include "untangleimpl.h"
#include <abut/mesh_copy.h>

/* Instead of the rank that solves a body: no rank solves it, or all ranks solve it. */
#define NOBODY   -1
#define TOGETHER -2

#define POISSON 0.48 /* least Poisson's ratio of cells that follow a surface, so that bodies keep their volumes */

#define HOLD 4e-3 /* springs of the surfaces, see AbutUntangleFollow() */

/* A body on the rank that solves it alone; zeros on other ranks. */
typedef struct {
  AbutMesh   mesh;
  PetscReal *target, *x; /* [dim * vertices] */
  PetscBool *prescribed; /* [vertices] */
} Alone;

static PetscInt NumVertices(const AbutBody *body)
{
  return body->vertex_end - body->vertex_start;
}

PetscErrorCode CellsCreateElastic(AbutMesh mesh, PetscInt num_materials, const AbutMaterialSpec given[], AbutElastic *elastic)
{
  AbutMaterialSpec *materials;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num_materials, &materials));
  PetscCall(PetscArraycpy(materials, given, num_materials));
  for (PetscInt i = 0; i < num_materials; i++) {
    materials[i].kind      = ABUT_MATERIAL_NEO_HOOKEAN; /* forbids inversion */
    materials[i].num_prony = 0;
    materials[i].poisson   = PetscMax(materials[i].poisson, POISSON);
  }
  PetscCall(AbutElasticCreate(mesh, num_materials, materials, elastic));
  PetscCall(PetscFree(materials));
  PetscFunctionReturn(0);
}

/* ---- Ranks */

/* Gives each body with to[body] >= 0 to the rank with the fewest cells so far. */
static PetscErrorCode AssignRanks(PetscMPIInt size, PetscInt num, const AbutBody bodies[], PetscMPIInt to[])
{
  PetscInt *load;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(size, &load));
  for (PetscInt b = 0; b < num; b++) {
    if (to[b] < 0) continue;
    for (PetscMPIInt r = 1; r < size; r++)
      if (load[r] < load[to[b]]) to[b] = r;
    load[to[b]] += bodies[b].cell_end - bodies[b].cell_start;
  }
  PetscCall(PetscFree(load));
  PetscFunctionReturn(0);
}

/* Sets to[num_bodies], equal on all ranks: the rank that solves each body, NOBODY or TOGETHER. */
static PetscErrorCode ChooseRanks(AbutMesh mesh, const PetscBool solve[], PetscMPIInt to[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);
  FollowConstants      constants;
  PetscMPIInt          size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(AbutMeshGetComm(mesh), &size));
  PetscCall(AbutOptionTableRead(AbutMeshGetComm(mesh), &AbutUntangleFollowOptions, &constants));
  for (PetscInt b = 0; b < m->num_bodies; b++)
    to[b] = !solve[b] ? NOBODY : size == 1 || NumVertices(&m->bodies[b]) <= constants.alone ? 0 : TOGETHER;
  PetscCall(AssignRanks(size, m->num_bodies, m->bodies, to));
  PetscFunctionReturn(0);
}

/* ---- Bodies on one rank */

/* Copies a body with n vertices to a rank; vertex[num] are the vertices that this rank owns. Collective. */
static PetscErrorCode CopyBody(const BodiesParts *parts, PetscInt body, PetscMPIInt to, PetscInt num, const PetscInt vertex[],
                               const PetscReal x[], Alone *alone)
{
  const AbutMeshLocal *m   = AbutMeshGetLocal(parts->mesh);
  const PetscInt       dim = m->dim, n = NumVertices(&m->bodies[body]);
  PetscReal           *own, *all       = NULL; /* targets, positions, and 1 for prescribed vertices: of this rank, of all ranks */
  PetscMPIInt          length;

  PetscFunctionBegin;
  PetscCall(AbutMeshCopyBody(parts->mesh, body, to, &alone->mesh));
  PetscCall(PetscMPIIntCast((2 * dim + 1) * n, &length));
  PetscCall(PetscCalloc1(length, &own));
  if (alone->mesh) PetscCall(PetscMalloc1(length, &all));
  for (PetscInt i = 0; i < num; i++) {
    const PetscInt v = vertex[i], at = m->vertex_id[v] - m->bodies[body].vertex_start;

    PetscCall(PetscArraycpy(&own[dim * at], &parts->target[dim * v], dim));
    PetscCall(PetscArraycpy(&own[dim * (n + at)], &x[dim * v], dim));
    own[2 * dim * n + at] = parts->prescribed[v];
  }
  /* MPICH 4.0.2 fails with MPI_IN_PLACE on other roots than rank 0 */
  PetscCallMPI(MPI_Reduce(own, all, length, MPIU_REAL, MPIU_SUM, to, AbutMeshGetComm(parts->mesh)));
  if (alone->mesh) {
    PetscCall(PetscMalloc3(dim * n, &alone->target, dim * n, &alone->x, n, &alone->prescribed));
    PetscCall(PetscArraycpy(alone->target, all, dim * n));
    PetscCall(PetscArraycpy(alone->x, &all[dim * n], dim * n));
    for (PetscInt i = 0; i < n; i++) alone->prescribed[i] = (PetscBool)(all[2 * dim * n + i] != 0);
  }
  PetscCall(PetscFree(own));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

/*
  Sends positions and report of a body from the rank that solved it to all ranks; this rank takes the positions of its own vertices
  vertex[num]. Collective.
*/
static PetscErrorCode ReturnBody(const BodiesParts *parts, PetscInt body, PetscMPIInt from, PetscInt num, const PetscInt vertex[],
                                 const Alone *alone, PetscReal x[], AbutUntangleFollowReport *report)
{
  const AbutMeshLocal *m    = AbutMeshGetLocal(parts->mesh);
  const MPI_Comm       comm = AbutMeshGetComm(parts->mesh);
  const PetscInt       dim = m->dim, n = NumVertices(&m->bodies[body]);
  PetscReal           *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(dim * n, &all));
  if (alone->mesh) PetscCall(PetscArraycpy(all, alone->x, dim * n));
  PetscCallMPI(MPI_Bcast(all, (PetscMPIInt)(dim * n), MPIU_REAL, from, comm));
  PetscCallMPI(MPI_Bcast(report, (int)sizeof(*report), MPI_BYTE, from, comm));
  for (PetscInt i = 0; i < num; i++)
    PetscCall(PetscArraycpy(&x[dim * vertex[i]], &all[dim * (m->vertex_id[vertex[i]] - m->bodies[body].vertex_start)], dim));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

/* Solves the bodies of this rank. Not collective. */
static PetscErrorCode SolveBodies(const BodiesParts *parts, Alone bodies[], AbutUntangleFollowReport reports[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(parts->mesh);

  PetscFunctionBegin;
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    AbutElastic    elastic;
    PetscErrorCode code;

    if (!bodies[b].mesh) continue;
    PetscCall(CellsCreateElastic(bodies[b].mesh, parts->num_materials, parts->materials, &elastic));
    code =
      AbutUntangleFollow(bodies[b].mesh, elastic, bodies[b].target, bodies[b].prescribed, HOLD, parts->watch, bodies[b].x, &reports[b]);
    PetscCall(AbutElasticDestroy(&elastic));
    if (code) PetscFunctionReturn(code);
    if (reports[b].cell >= 0) reports[b].cell += m->bodies[b].cell_start;
    reports[b].body = b;
  }
  PetscFunctionReturn(0);
}

/* Solves the bodies that have a rank of their own. Collective. */
static PetscErrorCode FollowAlone(const BodiesParts *parts, const PetscMPIInt to[], PetscReal x[], AbutUntangleFollowReport reports[])
{
  const AbutMeshLocal *m     = AbutMeshGetLocal(parts->mesh);
  AbutCSR              owned = {0};
  Alone               *bodies;
  PetscErrorCode       code;

  PetscFunctionBegin;
  PetscCall(AbutCSRSetPairs(m->num_bodies, m->num_owned, 1, m->vertex_body, NULL, &owned));
  PetscCall(PetscCalloc1(m->num_bodies, &bodies));
  for (PetscInt b = 0; b < m->num_bodies; b++)
    if (to[b] >= 0) PetscCall(CopyBody(parts, b, to[b], owned.start[b + 1] - owned.start[b], &owned.item[owned.start[b]], x, &bodies[b]));
  code = AbutAgree(AbutMeshGetComm(parts->mesh), SolveBodies(parts, bodies, reports));
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    if (to[b] < 0) continue;
    if (!code)
      PetscCall(ReturnBody(parts, b, to[b], owned.start[b + 1] - owned.start[b], &owned.item[owned.start[b]], &bodies[b], x, &reports[b]));
    PetscCall(PetscFree3(bodies[b].target, bodies[b].x, bodies[b].prescribed));
    PetscCall(AbutMeshDestroy(&bodies[b].mesh));
  }
  PetscCall(AbutCSRDestroy(&owned));
  PetscCall(PetscFree(bodies));
  PetscFunctionReturn(code);
}

/* ---- Bodies on all ranks */

/* Sets the reports of bodies that are solved together: the first has the work, one has the smallest determinant. */
static void SetReports(PetscInt num, const PetscMPIInt to[], AbutUntangleFollowReport *all, AbutUntangleFollowReport reports[])
{
  for (PetscInt b = 0; b < num; b++) {
    if (to[b] != TOGETHER) continue;
    reports[b]      = *all;
    all->increments = all->iterations = 0;
    if (all->body != b) reports[b].smallest_det = PETSC_INFINITY;
  }
}

/* Solves the large bodies on all ranks. Collective. */
static PetscErrorCode FollowTogether(const BodiesParts *parts, const PetscMPIInt to[], PetscReal x[], AbutUntangleFollowReport reports[])
{
  const AbutMeshLocal     *m = AbutMeshGetLocal(parts->mesh);
  AbutUntangleFollowReport report;
  AbutElastic              elastic;
  PetscBool               *prescribed, any = PETSC_FALSE;
  PetscErrorCode           code;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < m->num_bodies; b++) any = (PetscBool)(any || to[b] == TOGETHER);
  if (!any) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(m->num_owned, &prescribed));
  for (PetscInt v = 0; v < m->num_owned; v++) prescribed[v] = (PetscBool)(parts->prescribed[v] && to[m->vertex_body[v]] == TOGETHER);
  PetscCall(CellsCreateElastic(parts->mesh, parts->num_materials, parts->materials, &elastic));
  code = AbutUntangleFollow(parts->mesh, elastic, parts->target, prescribed, HOLD, parts->watch, x, &report);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  if (!code) SetReports(m->num_bodies, to, &report, reports);
  PetscCall(AbutElasticDestroy(&elastic));
  PetscCall(PetscFree(prescribed));
  PetscFunctionReturn(code);
}

PetscErrorCode BodiesFollow(const BodiesParts *parts, const PetscBool solve[], PetscReal x[], AbutUntangleFollowReport reports[])
{
  PetscMPIInt   *to;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(AbutMeshGetLocal(parts->mesh)->num_bodies, &to));
  PetscCall(ChooseRanks(parts->mesh, solve, to));
  code = FollowAlone(parts, to, x, reports);
  if (!code) code = FollowTogether(parts, to, x, reports);
  PetscCall(PetscFree(to));
  PetscFunctionReturn(code);
}
