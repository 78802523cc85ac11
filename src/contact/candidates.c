/* Candidate pairs of the last search, as vertices. */
#include "contactimpl.h"

/* Makes room for `more` stencils of n vertices after the first `count`. */
static PetscErrorCode Reserve(PetscInt count, PetscInt more, size_t n, PetscInt *capacity, void *array)
{
  PetscFunctionBegin;
  if (count + more > *capacity) {
    *capacity = count + more + (count + more) / 4 + 256;
    PetscCall(PetscRealloc(sizeof(PetscInt) * n * (size_t)*capacity, array));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode EmitFV(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                             void *ctx)
{
  AbutCandidates *c = &contact->candidates;

  (void)ctx;
  PetscFunctionBegin;
  PetscCall(Reserve(c->num_fv, n, 4, &contact->fv_capacity, &contact->fv));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt      *fv   = contact->fv[c->num_fv++];
    const int32_t *face = A->v + 3 * (size_t)pairs[i][0];

    fv[0] = B->v[pairs[i][1]];
    for (int k = 0; k < 3; k++) fv[1 + k] = face[k];
  }
  if (contact->rings.on) PetscCall(AbutRingsCollect(contact, FACE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

static PetscErrorCode EmitEE(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                             void *ctx)
{
  AbutCandidates *c = &contact->candidates;

  (void)ctx;
  PetscFunctionBegin;
  PetscCall(Reserve(c->num_ee, n, 4, &contact->ee_capacity, &contact->ee));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt       *ee = contact->ee[c->num_ee++];
    const int32_t  *a = A->v + 2 * (size_t)pairs[i][0], *b = B->v + 2 * (size_t)pairs[i][1];
    const PetscBool in_order = (PetscBool)(A->id[pairs[i][0]] < B->id[pairs[i][1]]);

    for (int k = 0; k < 2; k++) {
      ee[k]     = in_order ? a[k] : b[k];
      ee[2 + k] = in_order ? b[k] : a[k];
    }
  }
  if (contact->rings.on) PetscCall(AbutRingsCollect(contact, EDGE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

static PetscErrorCode EmitEV(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                             void *ctx)
{
  AbutCandidates *c = &contact->candidates;

  (void)ctx;
  PetscFunctionBegin;
  PetscCall(Reserve(c->num_ev, n, 3, &contact->ev_capacity, &contact->ev));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt      *ev   = contact->ev[c->num_ev++];
    const int32_t *edge = A->v + 2 * (size_t)pairs[i][0];

    ev[0] = B->v[pairs[i][1]];
    ev[1] = edge[0];
    ev[2] = edge[1];
  }
  if (contact->rings.on) PetscCall(AbutRingsCollect(contact, EDGE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

/* Edges without faces near vertices: they are no candidates of their own, edges with edges bound the step. */
static PetscErrorCode EmitCurves(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                                 void *ctx)
{
  (void)ctx;
  PetscFunctionBegin;
  PetscCall(AbutRingsCollect(contact, CURVE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

/*
  Planes meet the surface vertices of bodies this rank owns. The distance is linear in time, so its ends decide; round-off of positions
  about the origin is allowed for.
*/
static PetscErrorCode CollectPlanes(AbutContact contact, PetscInt max_pairs, PetscInt *found)
{
  const AbutEntities *points = &contact->local[POINT];
  const AbutSweep    *sweep  = &contact->search;
  const PetscInt      dim    = contact->m->dim;
  AbutCandidates     *c      = &contact->candidates;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < contact->num_planes; p++) {
    const PetscReal *normal = contact->planes[p].normal, *q = sweep->plane_x + 3 * p;
    PetscReal        q_end[3], about                        = 0;

    for (PetscInt k = 0; k < dim; k++) {
      q_end[k] = q[k] + sweep->step * sweep->plane_p[3 * p + k];
      about += PetscAbsReal(q[k]) + PetscAbsReal(q_end[k]);
    }
    PetscCall(Reserve(c->num_pv, points->n, 2, &contact->pv_capacity, &contact->pv));
    for (int32_t i = 0; i < points->n && *found <= max_pairs; i++) {
      const PetscReal *x = sweep->x + dim * points->v[i], *x_end = sweep->x_end + dim * points->v[i];
      PetscReal        range = sweep->inflation + 1e-15 * about;

      if (points->obstacle[i]) continue;
      for (PetscInt k = 0; k < dim; k++) range += 1e-15 * (PetscAbsReal(x[k]) + PetscAbsReal(x_end[k]));
      if (AbutPlaneHeight(dim, normal, q, x) > range && AbutPlaneHeight(dim, normal, q_end, x_end) > range) continue;
      contact->pv[c->num_pv][0]   = p;
      contact->pv[c->num_pv++][1] = points->v[i];
      (*found)++;
    }
  }
  PetscFunctionReturn(0);
}

static void Publish(AbutContact contact)
{
  AbutCandidates  *c     = &contact->candidates;
  const AbutSweep *sweep = &contact->search;

  c->search        = contact->num_searches;
  c->dim           = contact->m->dim;
  c->num_vertices  = sweep->num_vertices;
  c->vertex_global = sweep->global;
  c->vertex_id     = sweep->id;
  c->vertex_body   = sweep->body;
  c->rest          = sweep->rest;
  c->x             = sweep->x;
  c->p             = sweep->p;
  c->fv            = (const PetscInt(*)[4])contact->fv;
  c->ee            = (const PetscInt(*)[4])contact->ee;
  c->ev            = (const PetscInt(*)[3])contact->ev;
  c->pv            = (const PetscInt(*)[2])contact->pv;
  c->num_planes    = contact->num_planes;
  c->planes        = contact->moved_planes;
  c->rings         = contact->rings.on ? &contact->rings.view : NULL;
}

PetscErrorCode AbutContactCollect(AbutContact contact, PetscInt *found)
{
  const AbutSweep *sweep = &contact->search;
  AbutCandidates  *c     = &contact->candidates;
  const PetscInt   max   = contact->max_pairs;

  PetscFunctionBegin;
  c->num_fv = c->num_ee = c->num_ev = c->num_pv = *found = 0;
  AbutRingsBegin(contact);
  PetscCall(CollectPlanes(contact, max, found));
  if (contact->m->dim == 3) {
    PetscCall(AbutSweepPairs(contact, sweep, FACE, POINT, max, found, EmitFV, NULL));
    PetscCall(AbutSweepPairs(contact, sweep, EDGE, EDGE, max, found, EmitEE, NULL));
    if (sweep->meets[CURVE]) PetscCall(AbutSweepPairs(contact, sweep, CURVE, POINT, max, found, EmitCurves, NULL));
  } else
    PetscCall(AbutSweepPairs(contact, sweep, EDGE, POINT, max, found, EmitEV, NULL));
  if (contact->rings.on) PetscCall(AbutRingsPublish(contact));
  Publish(contact);
  PetscFunctionReturn(0);
}
