/* Moves bodies that intersect at the start apart: passes over the surfaces, then the cells. */
#include "boundary.h"
#include "untangleimpl.h"

#define MAX_PASSES 10  /* largest number of passes */
#define MAX_IDLE   2   /* passes in which the number of crossings has not become smaller than ever before */
#define LEAST_DET  0.2 /* determinant of a cell over that at rest, below which the body first retreats as a whole */

static const AbutOption options[] = {{"-abut_resolve_gap", ABUT_OPTION_REAL, offsetof(AbutUntangleConstants, gap), 1, 1e-3, 10, "dhat",
                                      "Smallest distance between two bodies afterwards"}};
const AbutOptionTable   AbutUntangleOptions = {"Intersections at the start", PETSC_STATIC_ARRAY_LENGTH(options), options};

typedef struct {
  const AbutUntangleParts *parts;
  const AbutMeshLocal     *m;
  MPI_Comm                 comm;
  AbutUntangleConstants    constants;
  Boundary                 b;
  PetscReal               *start;  /* [dim * num_vertices of b] surface positions at the start of the passes [m] */
  PetscReal               *origin; /* [dim * num_owned] positions of all vertices then [m] */
  PetscReal               *part;   /* [num_bodies] part of the depth by which the body retreats as a whole */
  PetscReal               *way;    /* [dim * num_bodies] displacement as a whole [m] */
  PetscBool               *failed; /* [num_bodies] the last error depends on the body */
  Pairs                    pairs;
} Untangle;

static PetscErrorCode Create(const AbutUntangleParts *parts, Untangle *u)
{
  PetscReal *young;

  PetscFunctionBegin;
  *u = (Untangle){.parts = parts, .m = AbutMeshGetLocal(parts->mesh), .comm = AbutMeshGetComm(parts->mesh)};
  PetscCall(AbutOptionTableRead(u->comm, &AbutUntangleOptions, &u->constants));
  PetscCall(PetscMalloc1(parts->num_materials, &young));
  for (PetscInt i = 0; i < parts->num_materials; i++) young[i] = parts->materials[i].young;
  PetscCall(BoundaryCreate(parts->mesh, young, parts->num_planes, parts->planes, &u->b));
  PetscCall(PetscFree(young));
  u->b.watch   = parts->watch;
  u->b.contact = parts->contact;
  PetscCall(PetscMalloc2(u->b.dim * u->b.num_vertices, &u->start, u->b.dim * u->m->num_owned, &u->origin));
  PetscCall(PetscArraycpy(u->start, u->b.x, u->b.dim * u->b.num_vertices));
  PetscCall(PetscArraycpy(u->origin, AbutMeshGetStart(parts->mesh), u->b.dim * u->m->num_owned));
  PetscCall(PetscCalloc3(u->b.num_bodies, &u->part, u->b.dim * u->b.num_bodies, &u->way, u->b.num_bodies, &u->failed));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(Untangle *u)
{
  PetscFunctionBegin;
  PetscCall(BoundaryDestroy(&u->b));
  PetscCall(PairsDestroy(&u->pairs));
  PetscCall(PetscFree2(u->start, u->origin));
  PetscCall(PetscFree3(u->part, u->way, u->failed));
  PetscFunctionReturn(0);
}

/* ---- Surfaces */

static PetscErrorCode RefuseCell(const AbutMeshLocal *m, PetscInt num, PetscInt cell, PetscReal det)
{
  PetscFunctionBegin;
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT,
                                   "body '%s' has inverted cells at the start (%" PetscInt_FMT
                                   " in the scene): det F of the cell %" PetscInt_FMT
                                   " is %.3g; cells that follow a surface must not be inverted, so correct the positions of `start`",
                                   m->bodies[m->cell_body[cell]].name, num, m->cell_id[cell], (double)det));
}

/* Refuses cells that are inverted at the start: following a surface cannot undo an inversion. Names the worst one. Collective. */
static PetscErrorCode RefuseInverted(const Untangle *u)
{
  PetscReal      det, smallest;
  PetscInt       cell, num = CellsInverted(u->m, AbutMeshGetStart(u->parts->mesh), &det, &cell);
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&det, &smallest, 1, MPIU_REAL, MPIU_MIN, u->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &num, 1, MPIU_INT, MPI_SUM, u->comm));
  if (num && cell >= 0 && !(det > smallest)) code = RefuseCell(u->m, num, cell, det);
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

/* Counts intersections. */
static PetscErrorCode Count(Untangle *u, AbutUntangleReport *report, PetscInt *count)
{
  PetscFunctionBegin;
  PetscCall(FindCrossings(&u->b, &u->pairs, count));
  PetscCall(AppendPairs(u, report));
  PetscFunctionReturn(0);
}

/* Depths of pairs that penetrate each other. */
static void SetDepths(const Untangle *u, AbutUntangleReport *report)
{
  for (PetscInt i = 0; i < report->num_pairs; i++)
    if (u->pairs.a[i].found > TOUCHING * report->gap) report->pairs[i].depth = u->pairs.a[i].found;
}

/* Refuses pairs that still cross after the passes, and marks their bodies. */
static PetscErrorCode Unresolved(const Untangle *u, PetscInt passes)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < u->pairs.n; i++)
    for (int s = 0; s < 2; s++)
      if (u->pairs.a[i].crossings && !BoundaryIsRigid(&u->b, u->pairs.a[i].party[s])) u->failed[u->pairs.a[i].party[s]] = PETSC_TRUE;
  PetscFunctionReturn(RefuseUnresolved(&u->b, &u->pairs, passes));
}

/* Passes until the surfaces are apart, or crossings do not become fewer. */
static PetscErrorCode Passes(Untangle *u, AbutUntangleReport *report)
{
  PetscInt  count = 0, least = PETSC_MAX_INT;
  PetscBool done = PETSC_FALSE;
  int       idle = 0;

  PetscFunctionBegin;
  do {
    report->passes += PairsCross(&u->pairs);
    PetscCall(BoundaryPass(report->gap, &u->b, &u->pairs, &done));
    SetDepths(u, report);
    if (done) break;
    PetscCall(Count(u, report, &count));
    idle  = count < least ? 0 : idle + 1;
    least = PetscMin(least, count);
    if (!count || idle >= MAX_IDLE || report->passes >= MAX_PASSES) PetscFunctionReturn(Unresolved(u, report->passes));
  } while (!done);
  PetscFunctionReturn(0);
}

static PetscErrorCode MoveSurfaces(Untangle *u, AbutUntangleReport *report)
{
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(Count(u, report, &count));
  PetscCall(RefusePairs(&u->b, &u->pairs));
  PetscCall(RefusePoints(&u->b));
  PetscCall(SheetsTurn(&u->b, &u->pairs));
  PetscCall(CheckAllInside(&u->b, &u->pairs));
  PetscCall(AppendPairs(u, report));
  u->b.may_fold = PETSC_TRUE; /* from here on: the cells unfold surfaces */
  PetscCall(Passes(u, report));
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
  *r = (AbutUntangleBodyReport){r->num_moved, extremes[0], r->whole, sums[0], sums[1], -extremes[1]};
  PetscFunctionReturn(0);
}

static PetscErrorCode SetBodyReports(const Untangle *u, const PetscReal x[], AbutUntangleBodyReport bodies[])
{
  const AbutMeshLocal *m = u->m;
  PetscReal           *local;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_bodies; i++)
    bodies[i] = (AbutUntangleBodyReport){.smallest_det = 1, .whole = AbutNorm(m->dim, &u->way[m->dim * i])};
  PetscCall(PetscMalloc1(m->dim * m->num_local, &local));
  PetscCall(PetscArraycpy(local, x, m->dim * m->num_owned));
  PetscCall(AbutMeshUpdateGhosts(u->parts->mesh, m->dim, local));
  AddVertices(m, AbutMeshGetStart(u->parts->mesh), x, bodies);
  AddCells(m, local, bodies);
  PetscCall(PetscFree(local));
  for (PetscInt i = 0; i < m->num_bodies; i++) PetscCall(Reduce(u->comm, &bodies[i]));
  PetscFunctionReturn(0);
}

/* ---- Attempts */

/* Surfaces, then cells; `least`: smallest determinant of the cells. Collective. */
static PetscErrorCode Attempt(Untangle *u, PetscReal least, PetscReal x[], AbutUntangleReport *report)
{
  const AbutUntangleParts *parts = u->parts;
  PetscErrorCode           code;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(u->failed, u->b.num_bodies));
  report->passes = 0;
  code           = AbutAgree(u->comm, MoveSurfaces(u, report));
  if (!code)
    code = CellsFollow(&(CellsParts){parts->mesh, parts->num_materials, parts->materials, &u->b, &u->pairs, u->start, u->origin,
                                     report->gap, least, u->failed, &report->follow},
                       x);
  PetscFunctionReturn(code);
}

/* Bodies that failed retreat half of the way, and all of it after a second failure. Whether there are some. */
static PetscBool RaiseParts(const Untangle *u)
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt i = 0; i < u->b.num_bodies; i++) {
    if (!u->failed[i] || BoundaryIsRigid(&u->b, i) || u->part[i] >= 1) continue;
    u->part[i] += 0.5;
    any = PETSC_TRUE;
  }
  return any;
}

/* Back to the start, then bodies retreat as wholes. */
static PetscErrorCode Retreat(Untangle *u, PetscReal gap)
{
  const PetscInt   dim = u->b.dim;
  const PetscReal *all = AbutMeshGetStart(u->parts->mesh);

  PetscFunctionBegin;
  for (PetscInt v = 0; v < u->b.num_vertices; v++)
    for (PetscInt k = 0; k < dim; k++) u->b.x[dim * v + k] = u->start[dim * v + k] - u->way[dim * u->b.body[v] + k];
  PetscCall(PetscArraycpy(u->b.bodies, u->m->bodies, u->b.num_bodies));
  PetscCall(PetscArrayzero(u->b.zone, u->b.num_vertices));
  PairsForget(&u->pairs);
  PetscCall(BoundaryRetreat(gap, &u->b, &u->pairs, u->part, u->way));
  PairsForget(&u->pairs);
  PetscCall(PetscArraycpy(u->start, u->b.x, dim * u->b.num_vertices));
  for (PetscInt i = 0; i < dim * u->m->num_owned; i++) u->origin[i] = all[i] + u->way[dim * u->m->vertex_body[i / dim] + i % dim];
  PetscFunctionReturn(0);
}

/* Repeats attempts, from which more and more bodies retreat as wholes. If the last one fails, the reason is the first one's. Collective. */
static PetscErrorCode Attempts(Untangle *u, PetscReal x[], AbutUntangleReport *report)
{
  PetscReal      least        = LEAST_DET;
  char           reason[1024] = "";
  PetscErrorCode code;

  PetscFunctionBegin;
  while ((code = Attempt(u, least, x, report)) == ABUT_ERR_DIVERGED) {
    if (!reason[0]) PetscCall(PetscStrncpy(reason, AbutErrorMessage(), sizeof(reason)));
    AbutErrorClear();
    if (!RaiseParts(u)) {
      if (least == 0 || !report->follow.reached) break;
      least = 0;
    }
    PetscCall(Retreat(u, report->gap));
  }
  if (code == ABUT_ERR_DIVERGED) code = AbutErrorSet(code, "%s", reason);
  PetscFunctionReturn(code);
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
  if (!code) code = Attempts(&u, x, report);
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
