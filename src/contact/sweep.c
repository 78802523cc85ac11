/* Positions of one search, boxes of its vertices and trees of its entities. */
#include "contactimpl.h"

PetscErrorCode AbutEntitiesReserve(AbutEntities *entities, int32_t n)
{
  PetscFunctionBegin;
  if (n > entities->capacity || !entities->v) {
    const int32_t room = n + n / 2 + 64;

    PetscCall(PetscFree3(entities->v, entities->id, entities->obstacle));
    PetscCall(PetscMalloc3((size_t)room * entities->nv, &entities->v, room, &entities->id, room, &entities->obstacle));
    entities->capacity = room;
  }
  entities->n = n;
  PetscCall(AbutBVHSetSize(&entities->tree, n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutEntitiesDestroy(AbutEntities *entities)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(entities->v, entities->id, entities->obstacle));
  PetscCall(AbutBVHDestroy(&entities->tree));
  PetscFunctionReturn(0);
}

/* Makes room for contact vertices; what the arrays hold stays. */
PetscErrorCode AbutSweepReserve(AbutSweep *sweep, PetscInt dim, PetscInt num_vertices)
{
  const size_t old = (size_t)sweep->capacity, room = (size_t)(num_vertices + num_vertices / 4 + 16);

  PetscFunctionBegin;
  PetscCheck(num_vertices <= INT32_MAX / 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " vertices on one rank, at most %d are possible: use more ranks", num_vertices, INT32_MAX / 2);
  if ((size_t)num_vertices <= old) PetscFunctionReturn(0);
  PetscInt  **ints[3]  = {&sweep->global, &sweep->id, &sweep->body};
  PetscReal **reals[4] = {&sweep->rest, &sweep->x, &sweep->p, &sweep->x_end};
  for (int i = 0; i < 3; i++) PetscCall(PetscRealloc(room * sizeof(PetscInt), ints[i]));
  for (int i = 0; i < 4; i++) PetscCall(PetscRealloc(room * (size_t)dim * sizeof(PetscReal), reals[i]));
  PetscCall(PetscRealloc(room * sizeof(AbutBox), &sweep->box));
  sweep->capacity = (PetscInt)room;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepCreate(AbutContact contact, AbutSweep *sweep)
{
  const AbutMeshLocal *m = contact->m;

  PetscFunctionBegin;
  PetscCall(AbutSweepReserve(sweep, m->dim, m->num_local));
  PetscCall(PetscArraycpy(sweep->global, m->vertex_global, m->num_local));
  PetscCall(PetscArraycpy(sweep->id, m->vertex_id, m->num_local));
  PetscCall(PetscArraycpy(sweep->body, m->vertex_body, m->num_local));
  PetscCall(PetscArraycpy(sweep->rest, m->rest, m->num_local * m->dim));
  PetscCall(PetscArraycpy(sweep->x, m->rest, m->num_local * m->dim));
  PetscCall(PetscArrayzero(sweep->p, m->num_local * m->dim));
  sweep->num_vertices = sweep->num_fixed = m->num_local;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    sweep->import[kind].nv = AbutKindVertices(kind);
    PetscCall(AbutEntitiesReserve(&sweep->import[kind], 0));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepDestroy(AbutSweep *sweep)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(sweep->global));
  PetscCall(PetscFree(sweep->id));
  PetscCall(PetscFree(sweep->body));
  PetscCall(PetscFree(sweep->rest));
  PetscCall(PetscFree(sweep->x));
  PetscCall(PetscFree(sweep->p));
  PetscCall(PetscFree(sweep->x_end));
  PetscCall(PetscFree(sweep->box));
  for (int kind = 0; kind < NUM_KINDS; kind++) PetscCall(AbutEntitiesDestroy(&sweep->import[kind]));
  PetscCall(AbutVertexMapDestroy(&sweep->map));
  PetscCall(AbutPartnersDestroy(&sweep->partners));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepSetPositions(AbutContact contact, AbutSweep *sweep, const PetscReal x[], const PetscReal p[])
{
  const PetscInt n = contact->m->num_local * contact->m->dim;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(sweep->x, x, n));
  if (p)
    PetscCall(PetscArraycpy(sweep->p, p, n));
  else
    PetscCall(PetscArrayzero(sweep->p, n));
  if (sweep->rings) PetscCall(AbutRingsSetPositions(contact, (PetscBool) !!p));
  PetscFunctionReturn(0);
}

/*
  Where vertex v ends, and its box. Boxes only have to hold every pair that AbutPairSeparated() lets through, so the range is widened by
  more than the round-off of positions about the origin.
*/
static inline void SweepVertex(AbutSweep *sweep, int dim, int32_t v)
{
  const PetscReal *x = sweep->x + (size_t)dim * v, *p = sweep->p + (size_t)dim * v, *o = sweep->origin;
  PetscReal       *x_end = sweep->x_end + (size_t)dim * v;
  AbutBox          box   = {{0}, {0}};

  for (int k = 0; k < dim; k++) {
    const PetscReal end = x[k] + sweep->step * p[k], lo = x[k] < end ? x[k] : end, hi = x[k] < end ? end : x[k];
    const PetscReal range = 0.5 * (1 + 1e-6) * sweep->inflation + 1e-15 * (PetscAbsReal(lo) + PetscAbsReal(hi) + PetscAbsReal(o[k]));

    x_end[k]  = end;
    box.lo[k] = AbutFloatBelow(lo - range - o[k]);
    box.hi[k] = AbutFloatAbove(hi + range - o[k]);
  }
  sweep->box[v] = box;
}

/* Centre of the surface, about which single precision is most precise. */
static void SetOrigin(AbutContact contact, AbutSweep *sweep)
{
  const int dim   = (int)contact->m->dim;
  PetscReal lo[3] = {0}, hi[3] = {0};

  for (int32_t i = 0; i < contact->num_surface; i++) {
    const PetscReal *x = sweep->x + (size_t)dim * contact->surface[i];

    for (int k = 0; k < dim; k++) {
      if (!i || x[k] < lo[k]) lo[k] = x[k];
      if (!i || x[k] > hi[k]) hi[k] = x[k];
    }
  }
  for (int k = 0; k < 3; k++) sweep->origin[k] = PetscIsInfOrNanReal(lo[k] + hi[k]) ? 0 : 0.5 * (lo[k] + hi[k]);
}

static PetscErrorCode CheckFinite(AbutContact contact, const AbutSweep *sweep)
{
  const PetscInt dim = contact->m->dim;

  PetscFunctionBegin;
  for (int32_t i = 0; i < contact->num_surface; i++) {
    const int32_t v = contact->surface[i];

    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal x = sweep->x[dim * v + k], end = sweep->x_end[dim * v + k];

      AbutCheck(x - x == 0 && end - end == 0, ABUT_ERR_DIVERGED,
                "vertex %" PetscInt_FMT " of %s moves from %g to %g in coordinate %" PetscInt_FMT ": both must be finite", sweep->id[v],
                contact->m->bodies[sweep->body[v]].name, (double)x, (double)end, k);
    }
  }
  PetscFunctionReturn(0);
}

/*
  Boxes of the trees; a tree is built when it is used first and when its boxes have grown bad for lack of coherence. Edges come first:
  their size is that of a typical query, in all trees.
*/
static PetscErrorCode FitTrees(AbutContact contact, const AbutSweep *sweep)
{
  static const int order[NUM_KINDS] = {EDGE, FACE, POINT, CURVE};

  PetscFunctionBegin;
  for (int i = 0; i < NUM_KINDS; i++) {
    AbutEntities *e = &contact->local[order[i]];

    if (!sweep->meets[order[i]] || !e->n) continue;
    for (int attempt = 0; attempt < 2; attempt++) {
      if (e->tree.cost_built == 0) {
        PetscCall(AbutBVHBuild(&e->tree, e->nv, e->v, sweep->box));
        contact->num_builds++;
      }
      AbutBVHRefit(&e->tree, e->nv, e->v, sweep->box, contact->local[EDGE].tree.extent);
      if (e->tree.cost <= contact->rebuild * e->tree.cost_built) break;
      e->tree.cost_built = 0;
    }
  }
  PetscFunctionReturn(0);
}

void AbutSweepPlaceVertices(AbutContact contact, AbutSweep *sweep, PetscReal step, PetscReal inflation)
{
  sweep->step      = step;
  sweep->inflation = inflation;
  SetOrigin(contact, sweep);
  for (int32_t i = 0; i < contact->num_surface; i++) {
    if (contact->m->dim == 3)
      SweepVertex(sweep, 3, contact->surface[i]);
    else
      SweepVertex(sweep, 2, contact->surface[i]);
  }
}

/* Vertices of copies of entities may be in the mesh here, as ghosts that no entity of this rank has. */
void AbutSweepPlaceCopies(AbutContact contact, AbutSweep *sweep)
{
  const int     dim       = (int)contact->m->dim;
  const int32_t num_local = (int32_t)contact->m->num_local, stamp = ++contact->stamp;

  for (int32_t v = num_local; v < sweep->num_vertices; v++) SweepVertex(sweep, dim, v);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &sweep->import[kind];

    for (size_t i = 0; i < (size_t)e->n * (size_t)e->nv; i++) {
      const int32_t v = e->v[i];

      if (v >= num_local || contact->vertex_mark[v] == stamp) continue;
      contact->vertex_mark[v] = stamp;
      SweepVertex(sweep, dim, v);
    }
  }
}

/* Sets step and inflation, and with them the boxes of what is on this rank. *finite is this rank's verdict, to be agreed by all. */
PetscErrorCode AbutSweepSetRange(AbutContact contact, AbutSweep *sweep, PetscReal step, PetscReal inflation, PetscErrorCode *finite)
{
  PetscFunctionBegin;
  AbutSweepPlaceVertices(contact, sweep, step, inflation);
  *finite = CheckFinite(contact, sweep);
  PetscCall(FitTrees(contact, sweep));
  PetscFunctionReturn(0);
}

/* The same for the copies of what is on other ranks. */
PetscErrorCode AbutSweepImportBoxes(AbutContact contact, AbutSweep *sweep)
{
  PetscFunctionBegin;
  AbutSweepPlaceCopies(contact, sweep);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    AbutEntities *e = &sweep->import[kind];

    AbutBVHRefit(&e->tree, e->nv, e->v, sweep->box, 0);
  }
  PetscFunctionReturn(0);
}
