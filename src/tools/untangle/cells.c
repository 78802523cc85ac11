/*
  The cells follow the surfaces. All surface vertices of the bodies that moved are prescribed as long as no cell becomes flat. Otherwise the
  vertices of affected bodies outside of contact zones become free, so that the surface bends with the volume. Free vertices can come too
  close to other bodies: the gap is opened again, and the vertices that this moves are prescribed.
*/
#include "boundary.h"
#include "untangleimpl.h"

#define MAX_ROUNDS 30
#define FLAT       0.2 /* bodies with cells whose determinant falls below this part of that at rest get free vertices, if they have any */

typedef struct {
  const CellsParts         *parts;
  const AbutMeshLocal      *m;
  Boundary                 *b;
  PetscBool                *moved;      /* [num_bodies of b] the surface is not where it started */
  PetscBool                *solve;      /* [num_bodies of b] targets or held vertices have changed since the last solution */
  PetscBool                *held;       /* [num_vertices of b] prescribed */
  PetscReal                *target;     /* [dim * num_owned] */
  PetscBool                *prescribed; /* [num_owned] */
  AbutUntangleFollowReport *reports;    /* [num_bodies of b] of the last solution of each body */
  AbutUntangleFollowReport *report;     /* of all */
} Cells;

/* ---- Life cycle */

/* Bodies whose surface moved have to be solved. */
static void FindMoved(const Cells *c)
{
  const PetscInt dim = c->b->dim;

  for (PetscInt i = 0; i < dim * c->b->num_vertices; i++)
    if (c->b->x[i] != c->parts->start[i]) c->moved[c->b->body[i / dim]] = c->solve[c->b->body[i / dim]] = PETSC_TRUE;
}

static PetscErrorCode Create(const CellsParts *parts, Cells *c)
{
  PetscFunctionBegin;
  *c = (Cells){.parts = parts, .m = AbutMeshGetLocal(parts->mesh), .b = parts->boundary, .report = parts->report};
  PetscCall(PetscCalloc3(c->b->num_bodies, &c->moved, c->b->num_bodies, &c->solve, c->b->num_bodies, &c->reports));
  PetscCall(PetscMalloc1(c->b->num_vertices, &c->held));
  PetscCall(PetscMalloc2(c->m->dim * c->m->num_owned, &c->target, c->m->num_owned, &c->prescribed));
  for (PetscInt v = 0; v < c->b->num_vertices; v++) c->held[v] = PETSC_TRUE;
  FindMoved(c);
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(Cells *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->held));
  PetscCall(PetscFree3(c->moved, c->solve, c->reports));
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

/* Surfaces are prescribed as far as they are held, and bodies that did not move. */
static PetscErrorCode SetTargets(const Cells *c)
{
  const PetscInt dim = c->m->dim;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(c->target, AbutMeshGetStart(c->parts->mesh), dim * c->m->num_owned));
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

/* ---- Free vertices */

/* Whether a body is one whose cells keep a surface from its targets. */
static PetscBool Stops(const Cells *c, PetscInt body)
{
  const AbutUntangleFollowReport *r = &c->reports[body];

  return (PetscBool)(c->moved[body] && !r->reached && (r->body == body || r->body < 0));
}

/* Local positions: of x, or with x NULL the targets of surface vertices that are held and not a number for the others. Collective. */
static PetscErrorCode LocalPositions(const Cells *c, const PetscReal x[], PetscReal local[])
{
  const PetscInt dim = c->m->dim;

  PetscFunctionBegin;
  if (x) {
    PetscCall(PetscArraycpy(local, x, dim * c->m->num_owned));
    PetscCall(AbutMeshUpdateGhosts(c->parts->mesh, dim, local));
    PetscFunctionReturn(0);
  }
  for (PetscInt v = 0; v < c->m->num_local; v++) {
    PetscInt at;

    PetscCall(BoundaryIndex(c, v, &at));
    for (PetscInt k = 0; k < dim; k++) local[dim * v + k] = at >= 0 && c->held[at] ? c->b->x[dim * at + k] : NAN;
  }
  PetscFunctionReturn(0);
}

/* Whether a cell is flat at local positions; not if one of them is not a number. */
static PetscBool IsFlat(const AbutMeshLocal *m, PetscInt cell, const PetscReal local[])
{
  const PetscInt *v = &m->cells[(m->dim + 1) * cell];

  return (PetscBool)(CellDeterminant(m->dim, v, local) < FLAT * CellDeterminant(m->dim, v, m->rest));
}

/* Marks the bodies of flat cells. */
static PetscErrorCode FindFlat(const Cells *c, const PetscReal x[], PetscMPIInt affected[])
{
  PetscReal *local;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(c->m->dim * c->m->num_local, &local));
  PetscCall(LocalPositions(c, x, local));
  for (PetscInt i = 0; i < c->m->num_cells; i++)
    if (IsFlat(c->m, i, local)) affected[c->m->cell_body[i]] = 1;
  PetscCall(PetscFree(local));
  PetscFunctionReturn(0);
}

/*
  Makes vertices outside of contact zones free: of bodies with cells that are flat at x, and of bodies whose cells stop the surface. With x
  NULL: of bodies with cells that are flat at the targets, and of bodies that bend. Bodies with a vertex that was held have to be solved;
  *any: there are some. Collective.
*/
static PetscErrorCode FreeVertices(const Cells *c, const PetscReal x[], PetscBool *any)
{
  PetscMPIInt *affected, num;

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  PetscCall(PetscMPIIntCast(c->b->num_bodies, &num));
  PetscCall(PetscMalloc1(num, &affected));
  for (PetscInt i = 0; i < num; i++) affected[i] = x ? Stops(c, i) : c->b->bends[i];
  PetscCall(FindFlat(c, x, affected));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, affected, num, MPI_INT, MPI_MAX, AbutMeshGetComm(c->parts->mesh)));
  for (PetscInt v = 0; v < c->b->num_vertices; v++) {
    if (!affected[c->b->body[v]] || c->b->zone[v] || !c->held[v]) continue;
    c->held[v]              = PETSC_FALSE;
    c->solve[c->b->body[v]] = c->moved[c->b->body[v]];
    *any                    = PETSC_TRUE;
  }
  PetscCall(PetscFree(affected));
  PetscFunctionReturn(0);
}

/* Names a body that intersects itself, or two bodies that do not stay apart. */
static PetscErrorCode RefuseClosed(const Cells *c)
{
  const Boundary *b = c->b;

  PetscFunctionBegin;
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

/* Opens the gap again if free vertices have closed it; vertices that move are held, their bodies solved. *done: the gap was open. */
static PetscErrorCode OpenAgain(const Cells *c, PetscBool *done)
{
  const PetscInt size = c->b->dim * c->b->num_vertices;
  PetscReal     *before;
  PetscBool      open;

  PetscFunctionBegin;
  PetscCall(BoundaryIsOpen(c->parts->gap, c->b, c->parts->pairs, done));
  if (*done) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(size, &before));
  PetscCall(PetscArraycpy(before, c->b->x, size));
  PetscCall(BoundaryOpen(c->parts->gap, c->b, c->parts->pairs, &open));
  for (PetscInt i = 0; i < size; i++) {
    const PetscInt v = i / c->b->dim, body = c->b->body[v];

    if (c->b->x[i] != before[i]) c->held[v] = c->moved[body] = c->solve[body] = PETSC_TRUE;
  }
  PetscCall(PetscFree(before));
  PetscFunctionReturn(open ? 0 : RefuseClosed(c));
}

/* ---- All */

static PetscErrorCode RefuseInversion(const Cells *c)
{
  const AbutUntangleFollowReport *r = c->report;

  PetscFunctionBegin;
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_DIVERGED,
                                   "the cells of '%s' cannot follow its surface: the cell %" PetscInt_FMT
                                   " would invert after %.3g of the way; the overlap is too deep for the thickness or the mesh of the body",
                                   r->body >= 0 ? c->b->bodies[r->body].name : "a body", r->cell, (double)r->fraction));
}

/* Adds the report of the last solution of a body to that of all. */
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
  const BodiesParts         parts = {c->parts->mesh, c->parts->num_materials, c->parts->materials, c->target, c->prescribed};

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

/* One solution: *done if the cells are in place and the gap is open, *stuck if they are not and no vertex is left to be free. */
static PetscErrorCode Round(const Cells *c, PetscReal x[], PetscBool *done, PetscBool *stuck)
{
  PetscBool any = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Follow(c, x));
  if (!c->report->reached || c->report->smallest_det < FLAT) PetscCall(FreeVertices(c, x, &any));
  *stuck = (PetscBool)(!c->report->reached && !any);
  if (!c->report->reached || any) PetscFunctionReturn(0);
  PetscCall(TakeFree(c, x, &any));
  *done = PETSC_TRUE;
  if (any) PetscCall(OpenAgain(c, done));
  PetscFunctionReturn(0);
}

static PetscErrorCode Rounds(const Cells *c, PetscReal x[])
{
  PetscBool done = PETSC_FALSE, stuck = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(x, AbutMeshGetStart(c->parts->mesh), c->m->dim * c->m->num_owned));
  PetscCall(FreeVertices(c, NULL, &done));
  done           = PETSC_FALSE;
  c->b->may_fold = PETSC_FALSE;
  for (int round = 0; round < MAX_ROUNDS && !done && !stuck; round++) PetscCall(Round(c, x, &done, &stuck));
  PetscFunctionReturn(done ? 0 : RefuseInversion(c));
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
