/* Moves bodies that intersect at the start apart: passes over the surfaces, then the cells. */
#include "boundary.h"
#include "untangleimpl.h"

#define MAX_PASSES 10 /* largest number of passes */

typedef struct {
  const AbutUntangleParts *parts;
  const AbutMeshLocal     *m;
  MPI_Comm                 comm;
  AbutUntangleConstants    constants;
  Boundary                 b;
  PetscReal               *start; /* [dim * num_vertices of b] surface positions at the start [m] */
  Pairs                    pairs;
} Untangle;

static PetscErrorCode Create(const AbutUntangleParts *parts, Untangle *u)
{
  PetscReal *young;

  PetscFunctionBegin;
  *u = (Untangle){.parts = parts, .m = AbutMeshGetLocal(parts->mesh), .comm = AbutMeshGetComm(parts->mesh)};
  AbutOptionTableSetDefaults(&AbutUntangleOptions, &u->constants);
  PetscCall(AbutOptionTableSetFromOptions(u->comm, &AbutUntangleOptions, &u->constants));
  PetscCall(PetscMalloc1(parts->num_materials, &young));
  for (PetscInt i = 0; i < parts->num_materials; i++) young[i] = parts->materials[i].young;
  PetscCall(BoundaryCreate(parts->mesh, young, parts->num_planes, parts->planes, &u->b));
  PetscCall(PetscFree(young));
  PetscCall(PetscMalloc1(u->b.dim * u->b.num_vertices, &u->start));
  PetscCall(PetscArraycpy(u->start, u->b.x, u->b.dim * u->b.num_vertices));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(Untangle *u)
{
  PetscFunctionBegin;
  PetscCall(BoundaryDestroy(&u->b));
  PetscCall(PairsDestroy(&u->pairs));
  PetscCall(PetscFree(u->start));
  PetscFunctionReturn(0);
}

/* ---- Refusals */

/* Refuses a body that is behind a plane as a whole. */
static PetscErrorCode RefuseBehind(const Boundary *b, PetscInt body, PetscInt plane)
{
  const AbutPlaneSpec *p = &b->planes[plane];

  PetscFunctionBegin;
  for (PetscInt v = b->vertex_start[body]; v < b->vertex_start[body + 1]; v++)
    if (AbutPlaneHeight(b->dim, p->normal, p->point, &b->x[b->dim * v]) > 0) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED,
                                   "'%s' and '%s': the body with the vertex %" PetscInt_FMT
                                   " lies behind the plane as a whole; move it to the other side",
                                   b->bodies[body].name, p->name, b->id[b->vertex_start[body]]));
}

/* Whether a vertex is inside the closed surface of a body, by the winding number. */
static PetscBool IsInside(const Boundary *b, PetscInt vertex, PetscInt holder)
{
  const PetscReal *p   = &b->x[b->dim * vertex];
  PetscReal        sum = 0;

  for (PetscInt e = b->element_start[holder]; e < b->element_start[holder + 1]; e++) {
    const PetscReal *corner[3];

    for (PetscInt k = 0; k < b->dim; k++) corner[k] = &b->x[b->dim * b->element[b->dim * e + k]];
    sum += AbutSolidAngle(b->dim, p, corner);
  }
  return (PetscBool)(sum > (b->dim == 3 ? 2 : 1) * PETSC_PI);
}

static PetscBool BoxHolds(PetscInt dim, const AbutBody *holder, const AbutBody *body)
{
  for (PetscInt k = 0; k < dim; k++)
    if (body->box[0][k] < holder->box[0][k] || body->box[1][k] > holder->box[1][k]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Adds a pair of two bodies that overlap all around although their surfaces do not cross. Refuses a body that is wholly inside another. */
static PetscErrorCode CheckInside(Untangle *u, PetscInt body, PetscInt holder)
{
  const Boundary *b = &u->b;
  PetscInt        num;
  Pair           *pair;

  PetscFunctionBegin;
  PetscCall(PairsFind(&u->pairs, body, holder, &pair));
  if (pair || (BoundaryIsRigid(b, body) && BoundaryIsRigid(b, holder))) PetscFunctionReturn(0);
  PetscCall(AroundFind(b, body, holder, &num));
  if (num) PetscCall(PairsAdd(&u->pairs, body, holder, &pair));
  if (num) pair->crossings = num;
  AbutCheck(num || b->bodies[holder].obstacle || !IsInside(b, b->vertex_start[body], holder), ABUT_ERR_DIVERGED,
            "'%s' and '%s': the surface of '%s', with its vertex %" PetscInt_FMT ", lies inside '%s' as a whole; it shows no way out",
            b->bodies[body].name, b->bodies[holder].name, b->bodies[body].name, b->id[b->vertex_start[body]], b->bodies[holder].name);
  PetscFunctionReturn(0);
}

/* Runs CheckInside() on all bodies and obstacles whose boxes lie in the box of another. */
static PetscErrorCode CheckAllInside(Untangle *u)
{
  const Boundary *b = &u->b;

  PetscFunctionBegin;
  for (PetscInt holder = 0; holder < b->num_bodies; holder++)
    for (PetscInt body = 0; body < b->num_bodies; body++)
      if (body != holder && b->vertex_start[body] < b->vertex_start[body + 1] && BoxHolds(b->dim, &b->bodies[holder], &b->bodies[body]))
        PetscCall(CheckInside(u, body, holder));
  PetscFunctionReturn(0);
}

static PetscBool BoxHoldsVertex(const Boundary *b, const AbutBody *holder, PetscInt v)
{
  for (PetscInt k = 0; k < b->dim; k++)
    if (b->x[b->dim * v + k] < holder->box[0][k] || b->x[b->dim * v + k] > holder->box[1][k]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Refuses obstacles of points or segments with a vertex inside a body: their surfaces do not cross it, and points have no normals. */
static PetscErrorCode RefusePoints(const Boundary *b)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->num_bodies; i++)
    for (PetscInt v = b->vertex_start[i]; b->element_start[i] == b->element_start[i + 1] && v < b->vertex_start[i + 1]; v++)
      for (PetscInt holder = 0; holder < b->num_bodies; holder++)
        AbutCheck(b->bodies[holder].obstacle || !BoxHoldsVertex(b, &b->bodies[holder], v) || !IsInside(b, v, holder), ABUT_ERR_INPUT,
                  "obstacle '%s' has its vertex %" PetscInt_FMT
                  " inside '%s'; only surfaces of triangles (2D: of edges) can be moved apart",
                  b->bodies[i].name, b->id[v], b->bodies[holder].name);
  PetscFunctionReturn(0);
}

/* Refuses bodies that intersect themselves and bodies behind planes. */
static PetscErrorCode RefusePairs(const Untangle *u)
{
  const Boundary *b = &u->b;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < u->pairs.n; i++) {
    const Pair *pair = &u->pairs.a[i];

    if (!pair->crossings) continue;
    AbutCheck(pair->party[0] != pair->party[1], ABUT_ERR_DIVERGED,
              "body '%s' intersects itself, near its vertex %" PetscInt_FMT "; only different bodies can be moved apart",
              BoundaryName(b, pair->party[0]), pair->vertex);
    if (pair->party[1] >= b->num_bodies) PetscCall(RefuseBehind(b, pair->party[0], pair->party[1] - b->num_bodies));
  }
  PetscFunctionReturn(0);
}

/* Fails with the name of a pair that the passes did not separate. */
static PetscErrorCode RefuseUnresolved(const Untangle *u, PetscInt passes)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < u->pairs.n; i++) {
    const Pair *pair = &u->pairs.a[i];

    AbutCheck(!pair->crossings, ABUT_ERR_DIVERGED,
              "'%s' and '%s' still intersect at the vertex %" PetscInt_FMT " of '%s' after %" PetscInt_FMT
              " pass%s: they overlap too deeply, or others leave no room; move them apart",
              BoundaryName(&u->b, pair->party[0]), BoundaryName(&u->b, pair->party[1]), pair->vertex, BoundaryName(&u->b, pair->party[0]),
              passes, passes == 1 ? "" : "es");
  }
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED,
                                   "bodies stay closer than the gap after %" PetscInt_FMT
                                   " pass%s: there is no room between rigid obstacles; reduce -abut_resolve_gap or contact.dhat",
                                   passes, passes == 1 ? "" : "es"));
}

/* ---- Surfaces */

/* Smallest determinant of the deformation gradient at the start of the cells of this rank, its cell, and the number of inverted cells. */
static void FindInverted(const Untangle *u, PetscReal *smallest, PetscInt *cell, PetscInt *num)
{
  const AbutMeshLocal *m     = u->m;
  const PetscReal     *start = AbutMeshGetStart(u->parts->mesh);

  *smallest = PETSC_INFINITY;
  *cell     = -1;
  *num      = 0;
  for (PetscInt c = 0; c < m->num_cells; c++) {
    const PetscReal det = AbutCellStretch(m, c, m->rest, start);

    if (det < *smallest) *cell = c;
    *smallest = PetscMin(*smallest, det);
    *num += !(det > 0);
  }
}

static PetscErrorCode RefuseCell(const AbutMeshLocal *m, PetscInt num, PetscInt cell, PetscReal det)
{
  PetscFunctionBegin;
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT,
                                   "body '%s' has inverted cells at the start (%" PetscInt_FMT
                                   " in the scene): det F of the cell %" PetscInt_FMT
                                   " is %.3g; cells that follow a surface must not be inverted, so correct the positions of `start`",
                                   m->bodies[m->cell_body[cell]].name, num, m->cell_id[cell], (double)det));
}

/* Refuses cells that are inverted at the start: following a surface cannot undo an inversion. Collective. */
static PetscErrorCode RefuseInverted(const Untangle *u)
{
  struct {
    double det;
    int    rank;
  } smallest;
  PetscReal      det;
  PetscInt       cell, num;
  PetscMPIInt    rank;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  FindInverted(u, &det, &cell, &num);
  PetscCallMPI(MPI_Comm_rank(u->comm, &rank));
  smallest.det  = (double)det;
  smallest.rank = rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &smallest, 1, MPI_DOUBLE_INT, MPI_MINLOC, u->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &num, 1, MPIU_INT, MPI_SUM, u->comm));
  if (num && smallest.rank == rank) code = RefuseCell(u->m, num, cell, det);
  PetscFunctionReturn(AbutAgree(u->comm, code));
}

static PetscErrorCode AppendPairs(const Untangle *u, AbutUntangleReport *report)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)u->pairs.n * sizeof(*report->pairs), &report->pairs));
  for (; report->num_pairs < u->pairs.n; report->num_pairs++) {
    const Pair *pair = &u->pairs.a[report->num_pairs];

    report->pairs[report->num_pairs] = (AbutUntanglePairReport){{pair->party[0], pair->party[1]}, pair->crossings, 0};
  }
  PetscFunctionReturn(0);
}

/* Counts intersections and refuses pairs that no pass can separate. */
static PetscErrorCode Check(Untangle *u, AbutUntangleReport *report)
{
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(FindCrossings(&u->b, &u->pairs, &count));
  PetscCall(AppendPairs(u, report));
  PetscCall(RefusePairs(u));
  PetscFunctionReturn(0);
}

/* Keeps the greatest depths of all passes. */
static void SetDepths(const Untangle *u, AbutUntangleReport *report)
{
  for (PetscInt i = 0; i < report->num_pairs; i++)
    if (u->pairs.a[i].depth > TOUCHING * report->gap) report->pairs[i].depth = PetscMax(report->pairs[i].depth, u->pairs.a[i].depth);
}

static PetscErrorCode MoveSurfaces(Untangle *u, AbutUntangleReport *report)
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Check(u, report));
  PetscCall(RefusePoints(&u->b));
  PetscCall(SheetsTurn(&u->b, &u->pairs));
  PetscCall(CheckAllInside(u));
  PetscCall(AppendPairs(u, report));
  u->b.may_fold = PETSC_TRUE; /* from here on: the cells unfold surfaces */
  do {
    report->passes += PairsCross(&u->pairs);
    PetscCall(BoundaryPass(report->gap, &u->b, &u->pairs, &done));
    SetDepths(u, report);
    if (!done) PetscCall(Check(u, report));
    if (!done && (report->passes >= MAX_PASSES || !PairsCross(&u->pairs))) PetscCall(RefuseUnresolved(u, report->passes));
  } while (!done);
  PetscFunctionReturn(0);
}

/* ---- Report */

/* Adds the volumes of the cells of this rank, at rest and now, and the smallest ratio. x: local positions. */
static void AddCells(const AbutMeshLocal *m, const PetscReal x[], AbutUntangleBodyReport bodies[])
{
  for (PetscInt c = 0; c < m->num_cells; c++) {
    AbutUntangleBodyReport *r    = &bodies[m->cell_body[c]];
    const PetscReal         rest = AbutCellMeasure(m, c, m->rest);

    r->volume += rest;
    r->volume_change += AbutCellMeasure(m, c, x) - rest;
    r->smallest_det = PetscMin(r->smallest_det, AbutCellStretch(m, c, m->rest, x));
  }
}

static void AddVertices(const AbutMeshLocal *m, const PetscReal start[], const PetscReal x[], AbutUntangleBodyReport bodies[])
{
  for (PetscInt v = 0; v < m->num_owned; v++) {
    AbutUntangleBodyReport *r  = &bodies[m->vertex_body[v]];
    PetscReal               d2 = 0;

    for (PetscInt k = 0; k < m->dim; k++) d2 += PetscSqr(x[m->dim * v + k] - start[m->dim * v + k]);
    r->num_moved += d2 > 0;
    r->displacement = PetscMax(r->displacement, PetscSqrtReal(d2));
  }
}

/* Reduces the report of a body over the ranks. */
static PetscErrorCode Reduce(MPI_Comm comm, AbutUntangleBodyReport *r)
{
  PetscReal sums[2] = {r->volume, r->volume_change}, extremes[2] = {r->displacement, -r->smallest_det};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPIU_REAL, MPIU_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &r->num_moved, 1, MPIU_INT, MPI_SUM, comm));
  *r = (AbutUntangleBodyReport){r->num_moved, extremes[0], sums[0], sums[1], -extremes[1]};
  PetscFunctionReturn(0);
}

static PetscErrorCode SetBodyReports(const Untangle *u, const PetscReal x[], AbutUntangleBodyReport bodies[])
{
  const AbutMeshLocal *m = u->m;
  PetscReal           *local;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_bodies; i++) bodies[i] = (AbutUntangleBodyReport){.smallest_det = 1};
  PetscCall(PetscMalloc1(m->dim * m->num_local, &local));
  PetscCall(PetscArraycpy(local, x, m->dim * m->num_owned));
  PetscCall(AbutMeshUpdateGhosts(u->parts->mesh, m->dim, local));
  AddVertices(m, AbutMeshGetStart(u->parts->mesh), x, bodies);
  AddCells(m, local, bodies);
  PetscCall(PetscFree(local));
  for (PetscInt i = 0; i < m->num_bodies; i++) PetscCall(Reduce(u->comm, &bodies[i]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutUntangle(const AbutUntangleParts *parts, PetscReal dhat, PetscReal x[], AbutUntangleReport *report)
{
  Untangle       u;
  PetscErrorCode code;

  PetscFunctionBegin;
  *report = (AbutUntangleReport){0};
  PetscCall(Create(parts, &u));
  PetscCall(PetscMalloc1(u.b.num_bodies, &report->bodies));
  report->gap = u.constants.gap * dhat;
  code        = RefuseInverted(&u);
  if (!code) code = AbutAgree(u.comm, MoveSurfaces(&u, report));
  if (!code)
    code = CellsFollow(
      &(CellsParts){parts->mesh, parts->num_materials, parts->materials, &u.b, &u.pairs, u.start, report->gap, &report->follow}, x);
  if (!code) PetscCall(SetBodyReports(&u, x, report->bodies));
  PetscCall(Destroy(&u));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutUntangleReportDestroy(AbutUntangleReport *report)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(report->pairs));
  PetscCall(PetscFree(report->bodies));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutUntangleView(MPI_Comm comm, PetscViewer viewer)
{
  AbutUntangleConstants constants;
  FollowConstants       follow;
  const struct {
    const AbutOptionTable *table;
    void                  *object;
  } all[] = {{&AbutUntangleOptions, &constants}, {&AbutUntangleFollowOptions, &follow}};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(all); i++) {
    AbutOptionTableSetDefaults(all[i].table, all[i].object);
    PetscCall(AbutOptionTableSetFromOptions(comm, all[i].table, all[i].object));
    if (viewer) PetscCall(AbutOptionTableView(all[i].table, all[i].object, viewer));
  }
  PetscFunctionReturn(0);
}
