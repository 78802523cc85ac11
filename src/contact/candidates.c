/* Builds AbutCandidates: the pairs of the last search as tuples of contact vertices. */
#include "contactimpl.h"

static PetscErrorCode EmitFV(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                             void *ctx)
{
  AbutCandidates *c = &contact->candidates;

  (void)ctx;
  PetscFunctionBegin;
  PetscCall(AbutReserve(c->num_fv + n, &contact->stencils.fv_capacity, &contact->stencils.fv));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt      *fv   = contact->stencils.fv[c->num_fv++];
    const int32_t *face = A->v + 3 * (size_t)pairs[i][0];

    fv[0] = B->v[pairs[i][1]];
    for (int k = 0; k < 3; k++) fv[1 + k] = face[k];
  }
  if (contact->ring.on) PetscCall(AbutRingAddPairs(contact, FACE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

static PetscErrorCode EmitEE(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                             void *ctx)
{
  AbutCandidates *c = &contact->candidates;

  (void)ctx;
  PetscFunctionBegin;
  PetscCall(AbutReserve(c->num_ee + n, &contact->stencils.ee_capacity, &contact->stencils.ee));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt       *ee = contact->stencils.ee[c->num_ee++];
    const int32_t  *a = A->v + 2 * (size_t)pairs[i][0], *b = B->v + 2 * (size_t)pairs[i][1];
    const PetscBool in_order = (PetscBool)(A->id[pairs[i][0]] < B->id[pairs[i][1]]);

    for (int k = 0; k < 2; k++) {
      ee[k]     = in_order ? a[k] : b[k];
      ee[2 + k] = in_order ? b[k] : a[k];
    }
  }
  if (contact->ring.on) PetscCall(AbutRingAddPairs(contact, EDGE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

static PetscErrorCode EmitEV(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                             void *ctx)
{
  AbutCandidates *c = &contact->candidates;

  (void)ctx;
  PetscFunctionBegin;
  PetscCall(AbutReserve(c->num_ev + n, &contact->stencils.ev_capacity, &contact->stencils.ev));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt      *ev   = contact->stencils.ev[c->num_ev++];
    const int32_t *edge = A->v + 2 * (size_t)pairs[i][0];

    ev[0] = B->v[pairs[i][1]];
    ev[1] = edge[0];
    ev[2] = edge[1];
  }
  if (contact->ring.on) PetscCall(AbutRingAddPairs(contact, EDGE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

/* Pairs of a vertex and an edge without faces are not candidates of their own: pairs of edges bound the step. */
static PetscErrorCode EmitCurves(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[],
                                 void *ctx)
{
  (void)ctx;
  PetscFunctionBegin;
  PetscCall(AbutRingAddPairs(contact, CURVE, A, B, n, pairs));
  PetscFunctionReturn(0);
}

/*
  Pairs of a plane and an owned surface vertex of a body. The distance is linear in t, so both ends decide; the inflation is enlarged by
  more than the round-off of positions.
*/
static PetscErrorCode CollectPlanes(AbutContact contact, PetscInt max_pairs, PetscInt *found)
{
  const AbutEntities *points = &contact->local[POINT];
  const AbutSweep    *sweep  = &contact->search;
  const PetscInt      dim    = contact->m->dim;
  AbutCandidates     *c      = &contact->candidates;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < contact->planes.num; p++) {
    const PetscReal *normal = contact->planes.next[p].normal, *q = contact->planes.start + 3 * p;
    PetscReal        q_end[3], about                             = 0;

    for (PetscInt k = 0; k < dim; k++) {
      q_end[k] = q[k] + sweep->step * contact->planes.displacement[3 * p + k];
      about += PetscAbsReal(q[k]) + PetscAbsReal(q_end[k]);
    }
    PetscCall(AbutReserve(c->num_pv + points->n, &contact->stencils.pv_capacity, &contact->stencils.pv));
    for (int32_t i = 0; i < points->n && *found <= max_pairs; i++) {
      const PetscReal *x = sweep->x + dim * points->v[i], *x_end = sweep->x_end + dim * points->v[i];
      PetscReal        range = sweep->inflation + 1e-15 * about;

      if (points->obstacle[i]) continue;
      for (PetscInt k = 0; k < dim; k++) range += 1e-15 * (PetscAbsReal(x[k]) + PetscAbsReal(x_end[k]));
      if (AbutPlaneHeight(dim, normal, q, x) > range && AbutPlaneHeight(dim, normal, q_end, x_end) > range) continue;
      contact->stencils.pv[c->num_pv][0]   = p;
      contact->stencils.pv[c->num_pv++][1] = points->v[i];
      (*found)++;
    }
  }
  PetscFunctionReturn(0);
}

static void Publish(AbutContact contact)
{
  AbutCandidates  *c     = &contact->candidates;
  const AbutSweep *sweep = &contact->search;

  c->search        = contact->counts.searches;
  c->dim           = contact->m->dim;
  c->num_vertices  = sweep->num_vertices;
  c->vertex_global = sweep->global;
  c->vertex_id     = sweep->id;
  c->vertex_body   = sweep->body;
  c->rest          = sweep->rest;
  c->x             = sweep->x;
  c->p             = sweep->p;
  c->fv            = (const PetscInt(*)[4])contact->stencils.fv;
  c->ee            = (const PetscInt(*)[4])contact->stencils.ee;
  c->ev            = (const PetscInt(*)[3])contact->stencils.ev;
  c->pv            = (const PetscInt(*)[2])contact->stencils.pv;
  c->num_planes    = contact->planes.num;
  c->planes        = contact->planes.current;
  AbutRingEndCandidates(&contact->ring, c);
}

PetscErrorCode AbutContactCollect(AbutContact contact, PetscInt *found)
{
  const AbutSweep *sweep = &contact->search;
  AbutCandidates  *c     = &contact->candidates;
  const PetscInt   max   = contact->params.max_pairs;

  PetscFunctionBegin;
  c->num_fv = c->num_ee = c->num_ev = c->num_pv = *found = 0;
  AbutRingBeginCandidates(&contact->ring);
  PetscCall(CollectPlanes(contact, max, found));
  if (contact->m->dim == 3) {
    PetscCall(AbutSweepPairs(contact, sweep, FACE, POINT, max, found, EmitFV, NULL));
    PetscCall(AbutSweepPairs(contact, sweep, EDGE, EDGE, max, found, EmitEE, NULL));
    if (sweep->meets[CURVE]) PetscCall(AbutSweepPairs(contact, sweep, CURVE, POINT, max, found, EmitCurves, NULL));
  } else
    PetscCall(AbutSweepPairs(contact, sweep, EDGE, POINT, max, found, EmitEV, NULL));
  Publish(contact);
  PetscFunctionReturn(0);
}
