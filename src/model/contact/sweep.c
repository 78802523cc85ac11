/* Positions of one search, boxes of its vertices and trees of its entities. */
#include "contactimpl.h"

PetscErrorCode AbutEntitiesReserve(AbutEntities *e, int32_t n)
{
  const AbutColumn column[] = {
    {&e->v, sizeof(*e->v) * (size_t)e->nv}, {&e->id, sizeof(*e->id)}, {&e->obstacle, sizeof(*e->obstacle)}, {&e->held, sizeof(*e->held)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(n, &e->capacity, 4, column));
  e->n = n;
  PetscCall(AbutBVHSetSize(&e->tree, n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetEntities(AbutContact contact, int kind, PetscInt n, const PetscInt which[], const PetscInt v[],
                                      const PetscInt id[])
{
  const AbutMeshLocal *m = contact->m;
  AbutEntities        *e = &contact->local[kind];

  PetscFunctionBegin;
  e->nv = AbutKindVertices(kind);
  PetscCheck(n <= INT32_MAX / 8, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " surface entities on one rank, at most %d are possible: use more ranks", n, INT32_MAX / 8);
  PetscCall(AbutEntitiesReserve(e, (int32_t)n));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt  entity = which ? which[i] : i;
    const PetscInt *at     = v + e->nv * entity;

    for (int k = 0; k < e->nv; k++) e->v[e->nv * i + k] = (int32_t)at[k];
    e->id[i]       = id ? id[entity] : m->vertex_id[at[0]];
    e->obstacle[i] = (unsigned char)m->bodies[m->vertex_body[at[0]]].obstacle;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutEntitiesDestroy(AbutEntities *e)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(e->v));
  PetscCall(PetscFree(e->id));
  PetscCall(PetscFree(e->obstacle));
  PetscCall(PetscFree(e->held));
  PetscCall(AbutBVHDestroy(&e->tree));
  PetscFunctionReturn(0);
}

enum { NUM_COLUMNS = 9 };

static void Columns(AbutSweep *s, PetscInt dim, AbutColumn column[NUM_COLUMNS])
{
  const size_t     vector = sizeof(PetscReal) * (size_t)dim;
  const AbutColumn all[]  = {{&s->global, sizeof(*s->global)},
                             {&s->id, sizeof(*s->id)},
                             {&s->body, sizeof(*s->body)},
                             {&s->rest, vector},
                             {&s->x, vector},
                             {&s->p, vector},
                             {&s->x_end, vector},
                             {&s->box, sizeof(*s->box)},
                             {&s->motion, sizeof(*s->motion)}};

  for (int i = 0; i < NUM_COLUMNS; i++) column[i] = all[i];
}

/* Makes room for contact vertices; the arrays keep their entries. */
PetscErrorCode AbutSweepReserve(AbutSweep *s, PetscInt dim, PetscInt num_vertices)
{
  AbutColumn column[NUM_COLUMNS];

  PetscFunctionBegin;
  PetscCheck(num_vertices <= INT32_MAX / 2, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " vertices on one rank, at most %d are possible: use more ranks", num_vertices, INT32_MAX / 2);
  Columns(s, dim, column);
  PetscCall(AbutReserveColumns(num_vertices, &s->capacity, NUM_COLUMNS, column));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepAddFixed(AbutSweep *s, PetscInt dim, const AbutRemoteVertices *v)
{
  const PetscInt first = s->num_fixed;

  PetscFunctionBegin;
  s->num_fixed += v->num;
  s->num_vertices = s->num_fixed;
  PetscCall(AbutSweepReserve(s, dim, s->num_fixed));
  PetscCall(PetscArraycpy(s->global + first, v->global, v->num));
  PetscCall(PetscArraycpy(s->id + first, v->id, v->num));
  PetscCall(PetscArraycpy(s->body + first, v->body, v->num));
  PetscCall(PetscArraycpy(s->rest + dim * first, v->rest, dim * v->num));
  PetscCall(PetscArraycpy(s->x + dim * first, v->rest, dim * v->num));
  PetscCall(PetscArrayzero(s->p + dim * first, dim * v->num));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepCreate(AbutContact contact, AbutSweep *sweep)
{
  const AbutMeshLocal *m = contact->m;

  PetscFunctionBegin;
  PetscCall(AbutSweepAddFixed(sweep, m->dim, &(AbutRemoteVertices){m->num_local, m->vertex_global, m->vertex_id, m->vertex_body, m->rest}));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    sweep->copies[kind].nv = AbutKindVertices(kind);
    PetscCall(AbutEntitiesReserve(&sweep->copies[kind], 0));
  }
  PetscCall(PetscHMapICreate(&sweep->map));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepDestroy(AbutSweep *sweep)
{
  AbutColumn column[NUM_COLUMNS];

  PetscFunctionBegin;
  Columns(sweep, 1, column);
  PetscCall(AbutFreeColumns(NUM_COLUMNS, column));
  for (int kind = 0; kind < NUM_KINDS; kind++) PetscCall(AbutEntitiesDestroy(&sweep->copies[kind]));
  PetscCall(PetscHMapIDestroy(&sweep->map));
  PetscCall(AbutNeighboursDestroy(&sweep->neighbours));
  PetscFunctionReturn(0);
}

void AbutSweepSetMotionKinds(PetscInt dim, unsigned meets[NUM_KINDS])
{
  meets[FACE]  = dim == 3 ? 1u << POINT : 0;
  meets[EDGE]  = dim == 3 ? 1u << EDGE : 1u << POINT;
  meets[POINT] = dim == 3 ? 1u << FACE : 1u << EDGE;
  meets[CURVE] = 0;
}

/*
  The search pairs faces with points and edges with edges, and curves with points if one-rings are on; the check pairs edges with faces.
  In 2D the search pairs edges with points, the check edges with edges.
*/
void AbutSweepSetKinds(AbutContact contact)
{
  const PetscBool three  = (PetscBool)(contact->m->dim == 3);
  unsigned       *search = contact->search.meets, *check = contact->check.meets;

  AbutSweepSetMotionKinds(contact->m->dim, search);
  search[CURVE] = contact->ring.on && contact->ring.any_curves ? 1u << POINT : 0;
  if (search[CURVE]) search[POINT] |= 1u << CURVE;
  check[FACE] = three ? 1u << EDGE : 0;
  check[EDGE] = three ? 1u << FACE : 1u << EDGE;
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
  PetscFunctionReturn(0);
}

/*
  Computes the end of the sweep of vertex v and its box. Every pair that AbutPairsSeparated() does not separate must have overlapping
  boxes, so the inflation is enlarged by more than the round-off of positions relative to the origin.
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

/* False for NaN. */
static inline PetscBool IsInRange(PetscReal length)
{
  return (PetscBool)(PetscAbsReal(length) <= ABUT_CONTACT_MAX_LENGTH);
}

static PetscErrorCode CheckPlanes(const AbutPlaneSet *planes)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * planes->num; i++) {
    const PetscReal from = planes->next[i / 3].point[i % 3], start = planes->start[i], end = start + planes->displacement[i];

    AbutCheck(IsInRange(from) && IsInRange(start) && IsInRange(end), ABUT_ERR_DIVERGED,
              "plane %s moves from %g to %g in coordinate %" PetscInt_FMT ": both must be finite and at most %g m",
              planes->next[i / 3].name, (double)start, (double)end, i % 3, ABUT_CONTACT_MAX_LENGTH);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepCheckRange(AbutContact contact, const AbutSweep *sweep, PetscReal step, PetscReal inflation)
{
  const PetscInt dim = contact->m->dim;

  PetscFunctionBegin;
  AbutCheck(IsInRange(inflation), ABUT_ERR_DIVERGED, "contact distance %g m: it must be finite and at most %g m", (double)inflation,
            ABUT_CONTACT_MAX_LENGTH);
  PetscCall(CheckPlanes(&contact->planes));
  for (int32_t i = 0; i < contact->num_surface; i++) {
    const int32_t v = contact->surface[i];

    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal x = sweep->x[dim * v + k], end = x + step * sweep->p[dim * v + k];

      AbutCheck(IsInRange(x) && IsInRange(end), ABUT_ERR_DIVERGED,
                "vertex %" PetscInt_FMT " of %s moves from %g to %g in coordinate %" PetscInt_FMT ": both must be finite and at most %g m",
                sweep->id[v], contact->m->bodies[sweep->body[v]].name, (double)x, (double)end, k, ABUT_CONTACT_MAX_LENGTH);
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSweepFitTrees(AbutContact contact, const AbutSweep *sweep)
{
  static const int order[NUM_KINDS] = {EDGE, FACE, POINT, CURVE};

  PetscFunctionBegin;
  for (int i = 0; i < NUM_KINDS; i++) {
    AbutEntities *e = &contact->local[order[i]];

    if (!sweep->meets[order[i]] || !e->n) continue;
    for (int attempt = 0; attempt < 2; attempt++) {
      if (e->tree.cost_built == 0) {
        PetscCall(AbutBVHBuild(&e->tree, e->nv, e->v, sweep->box));
        contact->counts.builds++;
      }
      AbutBVHRefit(&e->tree, e->nv, e->v, sweep->box, contact->local[EDGE].tree.extent);
      if (e->tree.cost <= contact->params.rebuild * e->tree.cost_built) break;
      e->tree.cost_built = 0;
    }
    AbutBVHSetPassive(&e->tree, AbutSweepPassive(sweep, e));
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

/* The vertices of copies may include ghosts of the mesh that belong to no entity of this rank. */
void AbutSweepPlaceCopies(AbutContact contact, AbutSweep *sweep)
{
  const int     dim       = (int)contact->m->dim;
  const int32_t num_local = (int32_t)contact->m->num_local, stamp = ++contact->marks.stamp;

  for (int32_t v = num_local; v < sweep->num_vertices; v++) SweepVertex(sweep, dim, v);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &sweep->copies[kind];

    for (size_t i = 0; i < (size_t)e->n * (size_t)e->nv; i++) {
      const int32_t v = e->v[i];

      if (v >= num_local || contact->marks.vertex[v] == stamp) continue;
      contact->marks.vertex[v] = stamp;
      SweepVertex(sweep, dim, v);
    }
  }
}
