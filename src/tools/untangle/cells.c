/*
  The cells follow the surfaces. Vertices of contact zones and vertices that have moved are prescribed. All other vertices are free, so that
  the surface bends with the volume. In bodies with flat cells only contact zones stay prescribed. Free vertices can come too close to
  other bodies: then the surfaces are moved apart again, and the vertices that move are prescribed.
*/
#include "boundary.h"
#include "untangleimpl.h"

#define MAX_ROUNDS 30
#define FLAT       0.2 /* determinant of a cell over that at rest */

typedef struct {
  const CellsParts         *parts;
  const AbutMeshLocal      *m;
  Boundary                 *b;
  PetscBool                *moved;      /* [num_bodies of b] the surface is not where it started */
  PetscBool                *solve;      /* [num_bodies of b] targets or held vertices have changed since the last solution */
  PetscBool                *freed;      /* [num_bodies of b] FreeFlat() has made vertices of the body free */
  PetscBool                *held;       /* [num_vertices of b] prescribed */
  PetscReal                *target;     /* [dim * num_owned] */
  PetscBool                *prescribed; /* [num_owned] */
  AbutUntangleFollowReport *reports;    /* [num_bodies of b] of the last solution of each body */
  AbutUntangleFollowReport *report;     /* of all */
} Cells;

/* ---- Life cycle */

/* Holds the vertices that moved, and marks their bodies for a new solution. Returns whether any vertex moved. */
static PetscBool HoldMoved(const Cells *c, const PetscReal before[])
{
  PetscBool any = PETSC_FALSE;

  for (PetscInt i = 0; i < c->b->dim * c->b->num_vertices; i++) {
    const PetscInt v = i / c->b->dim, body = c->b->body[v];

    if (c->b->x[i] != before[i]) any = c->held[v] = c->moved[body] = c->solve[body] = PETSC_TRUE;
  }
  return any;
}

static PetscErrorCode Create(const CellsParts *parts, Cells *c)
{
  PetscFunctionBegin;
  *c = (Cells){.parts = parts, .m = AbutMeshGetLocal(parts->mesh), .b = parts->boundary, .report = parts->report};
  PetscCall(
    PetscCalloc4(c->b->num_bodies, &c->freed, c->b->num_bodies, &c->moved, c->b->num_bodies, &c->solve, c->b->num_bodies, &c->reports));
  PetscCall(PetscMalloc1(c->b->num_vertices, &c->held));
  PetscCall(PetscMalloc2(c->m->dim * c->m->num_owned, &c->target, c->m->num_owned, &c->prescribed));
  PetscCall(PetscArraycpy(c->held, c->b->zone, c->b->num_vertices));
  (void)HoldMoved(c, parts->start);
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(Cells *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->held));
  PetscCall(PetscFree4(c->freed, c->moved, c->solve, c->reports));
  PetscCall(PetscFree2(c->target, c->prescribed));
  PetscFunctionReturn(0);
}

/* ---- One solution */

/* Index of a local vertex in the boundary; negative if it is not on a surface. */
static PetscErrorCode BoundaryIndex(const Cells *c, PetscInt vertex, PetscInt *index)
{
  PetscFunctionBegin;
  PetscCall(PetscFindInt(c->m->vertex_id[vertex], c->b->num_vertices, c->b->id, index));
  PetscFunctionReturn(0);
}

/* Sets the targets: held surface vertices and all vertices of bodies that did not move are prescribed. */
static PetscErrorCode SetTargets(const Cells *c)
{
  const PetscInt dim = c->m->dim;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(c->target, c->parts->origin, dim * c->m->num_owned));
  for (PetscInt v = 0; v < c->m->num_owned; v++) c->prescribed[v] = (PetscBool)!c->moved[c->m->vertex_body[v]];
  for (PetscInt i = 0; i < c->m->num_points; i++) {
    const PetscInt v = c->m->points[i];
    PetscInt       at;

    PetscCall(BoundaryIndex(c, v, &at));
    if (c->held[at]) c->prescribed[v] = PETSC_TRUE;
    for (PetscInt k = 0; k < dim; k++) c->target[dim * v + k] = c->b->x[dim * at + k];
  }
  PetscFunctionReturn(0);
}

/* Copies free surface vertices from x to the boundary; *any: there are some. Collective. */
static PetscErrorCode TakeFree(const Cells *c, const PetscReal x[], PetscBool *any)
{
  const PetscInt dim = c->m->dim, size = dim * c->b->num_vertices;
  PetscReal     *found;
  PetscMPIInt    length;

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  PetscCall(PetscMPIIntCast(size, &length));
  PetscCall(PetscCalloc1(size, &found));
  for (PetscInt i = 0; i < c->m->num_points; i++) {
    PetscInt at;

    PetscCall(BoundaryIndex(c, c->m->points[i], &at));
    PetscCall(PetscArraycpy(&found[dim * at], &x[dim * c->m->points[i]], dim));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, found, length, MPIU_REAL, MPIU_SUM, AbutMeshGetComm(c->parts->mesh)));
  for (PetscInt i = 0; i < size; i++) {
    if (c->held[i / dim]) continue;
    *any       = PETSC_TRUE;
    c->b->x[i] = found[i];
  }
  PetscCall(PetscFree(found));
  PetscFunctionReturn(0);
}

/* ---- Gap */

/* Fails with the name of a body that intersects itself, or of two bodies that do not stay apart. */
static PetscErrorCode RefuseClosed(const Cells *c)
{
  const Boundary *b = c->b;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->parts->pairs->n; i++) {
    const Pair *pair = &c->parts->pairs->a[i];

    for (int s = 0; s < 2 && pair->crossings; s++)
      if (pair->party[s] < b->num_bodies) c->parts->failed[pair->party[s]] = PETSC_TRUE;
  }
  for (PetscInt i = 0; i < c->parts->pairs->n; i++) {
    const Pair *pair = &c->parts->pairs->a[i];

    AbutCheck(!pair->crossings || pair->party[0] != pair->party[1], ABUT_ERR_DIVERGED,
              "body '%s' intersects itself after it was moved, near its vertex %" PetscInt_FMT
              "; the overlap is too deep for the thickness or the mesh of the body",
              BoundaryName(b, pair->party[0]), pair->vertex);
    AbutCheck(!pair->crossings, ABUT_ERR_DIVERGED, "'%s' and '%s' still intersect at the vertex %" PetscInt_FMT " after their cells moved",
              BoundaryName(b, pair->party[0]), BoundaryName(b, pair->party[1]), pair->vertex);
  }
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED, "bodies stay closer than the gap after their cells moved; reduce -abut_resolve_gap "
                                                      "or contact.dhat"));
}

/* Opens the gap again if free vertices have closed it, and holds the vertices that this moves. *done: the gap was open. */
static PetscErrorCode OpenAgain(const Cells *c, PetscBool *done)
{
  const PetscInt size = c->b->dim * c->b->num_vertices;
  PetscReal     *before;
  PetscBool      open, moved;

  PetscFunctionBegin;
  PetscCall(BoundaryIsOpen(c->parts->gap, c->b, c->parts->pairs, done));
  if (*done) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(size, &before));
  PetscCall(PetscArraycpy(before, c->b->x, size));
  PetscCall(BoundaryPass(c->parts->gap, c->b, c->parts->pairs, &open));
  moved = HoldMoved(c, before);
  PetscCall(PetscFree(before));
  PetscFunctionReturn(open || moved ? 0 : RefuseClosed(c));
}

/* ---- All */

/* Whether the cells of a body did not follow, or became too flat. */
static PetscBool HasFailed(const Cells *c, PetscInt body)
{
  return (PetscBool)(c->moved[body] && !(c->reports[body].reached && c->reports[body].smallest_det >= c->parts->least));
}

static PetscErrorCode RefuseInversion(const Cells *c)
{
  const AbutUntangleFollowReport *r        = c->report;
  char                            what[64] = "they become flat"; /* the solver failed */

  PetscFunctionBegin;
  for (PetscInt b = 0; b < c->b->num_bodies; b++) c->parts->failed[b] = HasFailed(c, b);
  if (r->cell >= 0) PetscCall(PetscSNPrintf(what, sizeof(what), "the cell %" PetscInt_FMT " would invert", r->cell));
  PetscFunctionReturn(AbutErrorSet(
    ABUT_ERR_DIVERGED,
    "the cells of '%s' cannot follow its surface: %s after %.3g of the way, and others leave no room for the body as a whole; the overlap "
    "is too deep for its thickness or its mesh: move the bodies apart in the scene, or refine the mesh",
    r->body >= 0 ? c->b->bodies[r->body].name : "a body", what, (double)r->fraction));
}

/* Adds the report of the last solution of one body to the report of all bodies. */
static void AddReport(const AbutUntangleFollowReport *r, AbutUntangleFollowReport *all)
{
  const PetscBool worse = (PetscBool)(r->fraction < all->fraction || (all->reached && r->reached && r->smallest_det < all->smallest_det));

  if (worse || all->body < 0) {
    all->cell = r->cell;
    all->body = r->body;
  }
  all->reached      = (PetscBool)(all->reached && r->reached);
  all->fraction     = PetscMin(all->fraction, r->fraction);
  all->smallest_det = PetscMin(all->smallest_det, r->smallest_det);
}

/* Solves the bodies that need it. Collective. */
static PetscErrorCode Follow(const Cells *c, PetscReal x[])
{
  AbutUntangleFollowReport *all   = c->report;
  const BodiesParts         parts = {c->parts->mesh, c->parts->num_materials, c->parts->materials, c->target, c->prescribed, c->b->watch};

  PetscFunctionBegin;
  PetscCall(SetTargets(c));
  PetscCall(BodiesFollow(&parts, c->solve, x, c->reports));
  *all = (AbutUntangleFollowReport){PETSC_TRUE, 1, all->increments, all->iterations, PETSC_INFINITY, -1, -1};
  for (PetscInt b = 0; b < c->b->num_bodies; b++) {
    if (c->moved[b]) AddReport(&c->reports[b], all);
    if (c->solve[b]) all->increments += c->reports[b].increments;
    if (c->solve[b]) all->iterations += c->reports[b].iterations;
    c->solve[b] = (PetscBool)(c->moved[b] && !c->reports[b].reached);
  }
  if (all->smallest_det == PETSC_INFINITY) all->smallest_det = 1; /* nothing moved */
  PetscFunctionReturn(0);
}

/* Whether cells of a body are flat, or stop its surface. */
static PetscBool IsFlat(const Cells *c, PetscInt body)
{
  return (PetscBool)(c->moved[body] && !(c->reports[body].reached && c->reports[body].smallest_det > FLAT));
}

/* Frees the held vertices outside of contact zones of bodies with flat cells, once for each body. *any: some were held. */
static void FreeFlat(const Cells *c, PetscBool *any)
{
  *any = PETSC_FALSE;
  for (PetscInt v = 0; v < c->b->num_vertices; v++) {
    const PetscInt body = c->b->body[v];

    if (!IsFlat(c, body) || c->freed[body] || !c->held[v] || c->b->zone[v]) continue;
    *any = c->solve[body] = PETSC_TRUE;
    c->held[v]            = PETSC_FALSE;
  }
  for (PetscInt i = 0; i < c->b->num_bodies; i++) c->freed[i] = (PetscBool)(c->freed[i] || IsFlat(c, i));
}

/* Solves once. *done: the cells are in place and the gap is open. */
static PetscErrorCode Round(const Cells *c, PetscReal x[], PetscBool *done)
{
  PetscBool any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Follow(c, x));
  FreeFlat(c, &any);
  if (any) PetscFunctionReturn(0);
  if (!c->report->reached) PetscFunctionReturn(RefuseInversion(c));
  PetscCall(TakeFree(c, x, &any));
  *done = PETSC_TRUE;
  if (any) PetscCall(OpenAgain(c, done));
  if (*done && c->report->smallest_det < c->parts->least) PetscFunctionReturn(RefuseInversion(c));
  PetscFunctionReturn(0);
}

static PetscErrorCode Rounds(const Cells *c, PetscReal x[])
{
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(x, c->parts->origin, c->m->dim * c->m->num_owned));
  c->b->may_fold = PETSC_FALSE;
  for (int round = 0; round < MAX_ROUNDS && !done; round++) PetscCall(Round(c, x, &done));
  if (done) PetscFunctionReturn(0);
  PetscFunctionReturn(c->report->reached ? RefuseClosed(c) : RefuseInversion(c));
}

PetscErrorCode CellsFollow(const CellsParts *parts, PetscReal x[])
{
  Cells          c;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(Create(parts, &c));
  code = Rounds(&c, x);
  PetscCall(Destroy(&c));
  PetscFunctionReturn(code);
}
