/*
  The volumes of bodies follow their surfaces. Bodies do not act on each other: each has its own increments, so that a body whose cells are
  hard to move does not shorten the steps of the others. A rank solves the bodies that are copied to it. Bodies with more vertices than
  -abut_follow_alone stay distributed, and all ranks solve them together.
*/
#include "boundary.h"
#include "untangleimpl.h"
#include <abut/mesh_copy.h>

/* Ranks that solve a body; else the number of the only rank. */
#define NOBODY   -1
#define TOGETHER -2

#define POISSON 0.48 /* least Poisson's ratio of cells that follow a surface, so that bodies keep their volumes */

#define HOLD 1e-3 /* springs of the surfaces, see AbutUntangleFollow() */

#define REPORT_WIDTH 7 /* numbers of a report */

/* A body on the rank that solves it; zeros on other ranks. */
typedef struct {
  AbutMesh   mesh;
  PetscReal *target, *x; /* [dim * vertices] */
  PetscBool *prescribed; /* [vertices] */
} Alone;

/* A vertex on its way to the rank that solves its body, and back. */
typedef struct {
  PetscReal target[3], x[3];
  PetscInt  body, number; /* number in the body */
  PetscInt  local;        /* index on the rank that owns the vertex */
  PetscBool prescribed;
} Vertex;

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
    materials[i].kind    = ABUT_MATERIAL_NEO_HOOKEAN; /* forbids inversion */
    materials[i].poisson = PetscMax(materials[i].poisson, POISSON);
  }
  PetscCall(AbutElasticCreate(mesh, num_materials, materials, elastic));
  PetscCall(PetscFree(materials));
  PetscFunctionReturn(0);
}

/* ---- Ranks */

/* Rank with the fewest cells, the lowest one of several. */
static PetscMPIInt LeastLoaded(PetscMPIInt size, const PetscInt load[])
{
  PetscMPIInt least = 0;

  for (PetscMPIInt r = 1; r < size; r++)
    if (load[r] < load[least]) least = r;
  return least;
}

/* Bodies with many cells come first; each gets the rank with the fewest cells. */
static PetscErrorCode AssignRanks(PetscMPIInt size, PetscInt num, const AbutBody bodies[], PetscMPIInt to[])
{
  PetscInt *order, *key, *load;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(num, &order, num, &key));
  PetscCall(PetscCalloc1(size, &load));
  for (PetscInt b = 0; b < num; b++) {
    order[b] = b;
    key[b]   = bodies[b].cell_start - bodies[b].cell_end;
  }
  PetscCall(PetscSortIntWithArray(num, key, order));
  for (PetscInt i = 0; i < num; i++) {
    if (to[order[i]] < 0) continue;
    to[order[i]] = LeastLoaded(size, load);
    load[to[order[i]]] -= key[i];
  }
  PetscCall(PetscFree(load));
  PetscCall(PetscFree2(order, key));
  PetscFunctionReturn(0);
}

/* Chooses the ranks that solve each body, equal on all ranks [num_bodies]. */
static PetscErrorCode ChooseRanks(AbutMesh mesh, const PetscBool solve[], PetscMPIInt to[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);
  FollowConstants      constants;
  PetscMPIInt          size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(AbutMeshGetComm(mesh), &size));
  AbutOptionTableSetDefaults(&AbutUntangleFollowOptions, &constants);
  PetscCall(AbutOptionTableSetFromOptions(AbutMeshGetComm(mesh), &AbutUntangleFollowOptions, &constants));
  for (PetscInt b = 0; b < m->num_bodies; b++)
    to[b] = !solve[b] ? NOBODY : size == 1 || NumVertices(&m->bodies[b]) <= constants.alone ? 0 : TOGETHER;
  PetscCall(AssignRanks(size, m->num_bodies, m->bodies, to));
  PetscFunctionReturn(0);
}

/* ---- Bodies on one rank */

/* Copies the bodies to their ranks. Collective. */
static PetscErrorCode CopyBodies(AbutMesh mesh, const PetscMPIInt to[], Alone bodies[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);

  PetscFunctionBegin;
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    const PetscInt n = NumVertices(&m->bodies[b]);

    if (to[b] < 0) continue;
    PetscCall(AbutMeshCopyBody(mesh, b, to[b], &bodies[b].mesh));
    if (bodies[b].mesh) PetscCall(PetscMalloc3(m->dim * n, &bodies[b].target, m->dim * n, &bodies[b].x, n, &bodies[b].prescribed));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode DestroyBodies(PetscInt num, Alone bodies[])
{
  PetscFunctionBegin;
  for (PetscInt b = 0; b < num; b++) {
    if (!bodies[b].mesh) continue;
    PetscCall(PetscFree3(bodies[b].target, bodies[b].x, bodies[b].prescribed));
    PetscCall(AbutMeshDestroy(&bodies[b].mesh));
  }
  PetscFunctionReturn(0);
}

/* The record of an owned vertex at x. */
static Vertex VertexOf(const BodiesParts *parts, PetscInt v, const PetscReal x[])
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(parts->mesh);
  const PetscInt       body   = m->vertex_body[v];
  Vertex               record = {.body = body, .number = m->vertex_id[v] - m->bodies[body].vertex_start, .local = v};

  record.prescribed = parts->prescribed[v];
  for (PetscInt k = 0; k < m->dim; k++) {
    record.target[k] = parts->target[m->dim * v + k];
    record.x[k]      = x[m->dim * v + k];
  }
  return record;
}

/* Sends the owned vertices of the bodies to their ranks. Collective. */
static PetscErrorCode SendVertices(const BodiesParts *parts, const PetscMPIInt to[], const PetscReal x[], AbutExchange *exchange,
                                   Vertex **received)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(parts->mesh);
  Vertex              *send;
  PetscMPIInt         *rank;
  PetscInt             n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m->num_owned, &send, m->num_owned, &rank));
  for (PetscInt v = 0; v < m->num_owned; v++) {
    if (to[m->vertex_body[v]] < 0) continue;
    rank[n]   = to[m->vertex_body[v]];
    send[n++] = VertexOf(parts, v, x);
  }
  PetscCall(AbutExchangeRecords(AbutMeshGetComm(parts->mesh), sizeof(*send), n, rank, send, NULL, exchange, received));
  PetscCall(PetscFree2(send, rank));
  PetscFunctionReturn(0);
}

static PetscErrorCode TakeVertices(PetscInt dim, PetscInt num, const Vertex received[], Alone bodies[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) {
    const Vertex *v = &received[i];
    Alone        *b = &bodies[v->body];

    PetscCall(PetscArraycpy(&b->target[dim * v->number], v->target, dim));
    PetscCall(PetscArraycpy(&b->x[dim * v->number], v->x, dim));
    b->prescribed[v->number] = v->prescribed;
  }
  PetscFunctionReturn(0);
}

/* Sends the positions back to the owners of the vertices. Collective. */
static PetscErrorCode ReturnVertices(PetscInt dim, const AbutExchange *exchange, const Alone bodies[], Vertex received[], PetscReal x[])
{
  const PetscInt num_recv = exchange->recv_start[exchange->num_recv], num_send = exchange->send_start[exchange->num_send];
  Vertex        *back;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num_recv; i++)
    PetscCall(PetscArraycpy(received[i].x, &bodies[received[i].body].x[dim * received[i].number], dim));
  PetscCall(PetscMalloc1(num_send, &back));
  PetscCall(AbutExchangeReverse(exchange, sizeof(*back), received, back));
  for (PetscInt i = 0; i < num_send; i++) PetscCall(PetscArraycpy(&x[dim * back[i].local], back[i].x, dim));
  PetscCall(PetscFree(back));
  PetscFunctionReturn(0);
}

/* Solves the bodies of this rank. Not collective. */
static PetscErrorCode SolveBodies(const BodiesParts *parts, Alone bodies[], AbutUntangleFollowReport reports[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(parts->mesh);

  PetscFunctionBegin;
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    AbutElastic elastic;

    if (!bodies[b].mesh) continue;
    PetscCall(CellsCreateElastic(bodies[b].mesh, parts->num_materials, parts->materials, &elastic));
    PetscCall(AbutUntangleFollow(bodies[b].mesh, elastic, bodies[b].target, bodies[b].prescribed, HOLD, bodies[b].x, &reports[b]));
    PetscCall(AbutElasticDestroy(&elastic));
    if (reports[b].cell >= 0) reports[b].cell += m->bodies[b].cell_start;
    reports[b].body = b;
  }
  PetscFunctionReturn(0);
}

static void Pack(const AbutUntangleFollowReport *r, PetscReal v[REPORT_WIDTH])
{
  v[0] = (PetscReal)r->reached;
  v[1] = r->fraction;
  v[2] = (PetscReal)r->increments;
  v[3] = (PetscReal)r->iterations;
  v[4] = r->smallest_det;
  v[5] = (PetscReal)r->cell;
  v[6] = (PetscReal)r->body;
}

static AbutUntangleFollowReport Unpack(const PetscReal v[REPORT_WIDTH])
{
  return (AbutUntangleFollowReport){(PetscBool)v[0], v[1], (PetscInt)v[2], (PetscInt)v[3], v[4], (PetscInt)v[5], (PetscInt)v[6]};
}

/* Gives all ranks the reports of the bodies that a rank has solved. Collective. */
static PetscErrorCode ShareReports(MPI_Comm comm, PetscInt num, const PetscMPIInt to[], AbutUntangleFollowReport reports[])
{
  PetscReal  *all;
  PetscMPIInt rank, length;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMPIIntCast(REPORT_WIDTH * num, &length));
  PetscCall(PetscCalloc1(length, &all));
  for (PetscInt b = 0; b < num; b++)
    if (to[b] == rank) Pack(&reports[b], &all[REPORT_WIDTH * b]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, length, MPIU_REAL, MPIU_SUM, comm));
  for (PetscInt b = 0; b < num; b++)
    if (to[b] >= 0) reports[b] = Unpack(&all[REPORT_WIDTH * b]);
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

/* Solves the bodies that have a rank of their own. Collective. */
static PetscErrorCode FollowAlone(const BodiesParts *parts, const PetscMPIInt to[], PetscReal x[], AbutUntangleFollowReport reports[])
{
  const AbutMeshLocal *m        = AbutMeshGetLocal(parts->mesh);
  const MPI_Comm       comm     = AbutMeshGetComm(parts->mesh);
  AbutExchange         exchange = {0};
  Vertex              *received;
  Alone               *bodies;
  PetscErrorCode       code;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->num_bodies, &bodies));
  PetscCall(CopyBodies(parts->mesh, to, bodies));
  PetscCall(SendVertices(parts, to, x, &exchange, &received));
  PetscCall(TakeVertices(m->dim, exchange.recv_start[exchange.num_recv], received, bodies));
  code = AbutAgree(comm, SolveBodies(parts, bodies, reports));
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  if (!code) PetscCall(ReturnVertices(m->dim, &exchange, bodies, received, x));
  if (!code) PetscCall(ShareReports(comm, m->num_bodies, to, reports));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(received));
  PetscCall(DestroyBodies(m->num_bodies, bodies));
  PetscCall(PetscFree(bodies));
  PetscFunctionReturn(code);
}

/* ---- Bodies on all ranks */

/* Reports of the bodies that are solved together. The first of them reports the work, the one with the smallest determinant that. */
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
  code = AbutUntangleFollow(parts->mesh, elastic, parts->target, prescribed, HOLD, x, &report);
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
