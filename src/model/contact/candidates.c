/* Builds AbutCandidates: the pairs of the last search as tuples of contact vertices. */
#include "contactimpl.h"

/* Number in the one-rings of the face or edge that is entity i of a set. Entities of this rank are numbered as in the mesh. */
static inline PetscInt NumberOf(AbutContact contact, int kind, const AbutEntities *set, int32_t i)
{
  if (set != &contact->local[kind]) return contact->ring.copied[kind].a[i];
  return kind == CURVE ? contact->ring.curve[i] : i;
}

static inline void Append(AbutInts *to, int n, const int32_t v[])
{
  for (int k = 0; k < n; k++) to->a[to->n++] = v[k];
}

/*
  Appends pairs: a vertex comes before a face or edge; of two edges, the one of lower id comes first. The kind CURVE, a vertex and an edge
  without faces, stores numbers only: pairs of edges already bound the step.
*/
static PetscErrorCode Emit(AbutContact contact, const AbutEntities *A, const AbutEntities *B, PetscInt n, const AbutPair pairs[], void *ctx)
{
  const int          kind  = *(const int *)ctx;
  AbutCandidateList *to    = &contact->lists[kind];
  const int          width = kind == CURVE ? 0 : A->nv + B->nv, numbers = !contact->ring.on ? 0 : kind == CURVE || B->nv > 1 ? 2 : 1;

  PetscFunctionBegin;
  PetscCall(AbutReserve(to->v.n + width * n, &to->v.capacity, &to->v.a));
  PetscCall(AbutReserve(to->number.n + numbers * n, &to->number.capacity, &to->number.a));
  for (PetscInt i = 0; i < n; i++) {
    const int32_t       a = pairs[i][0], b = pairs[i][1];
    const PetscBool     turn   = (PetscBool)(B->nv == 1 || !(A->id[a] < B->id[b]));
    const AbutEntities *set[2] = {turn ? B : A, turn ? A : B};
    const int32_t       at[2]  = {turn ? b : a, turn ? a : b};

    for (int s = 0; s < 2 && width; s++) Append(&to->v, set[s]->nv, set[s]->v + (size_t)set[s]->nv * (size_t)at[s]);
    if (numbers && kind == CURVE) Append(&to->number, 1, B->v + b);
    for (int s = 0; s < 2 && numbers; s++)
      if (set[s]->nv > 1) to->number.a[to->number.n++] = NumberOf(contact, kind, set[s], at[s]);
  }
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

  PetscFunctionBegin;
  for (PetscInt p = 0; p < contact->planes.num; p++) {
    const PetscReal *normal = contact->planes.next[p].normal, *q = contact->planes.start + 3 * p;
    PetscReal        q_end[3], about                             = 0;

    for (PetscInt k = 0; k < dim; k++) {
      q_end[k] = q[k] + sweep->step * contact->planes.displacement[3 * p + k];
      about += PetscAbsReal(q[k]) + PetscAbsReal(q_end[k]);
    }
    for (int32_t i = 0; i < points->n && *found <= max_pairs; i++) {
      const PetscReal *x = sweep->x + dim * points->v[i], *x_end = sweep->x_end + dim * points->v[i];
      PetscReal        range = sweep->inflation + 1e-15 * about;

      if (points->obstacle[i]) continue;
      for (PetscInt k = 0; k < dim; k++) range += 1e-15 * (PetscAbsReal(x[k]) + PetscAbsReal(x_end[k]));
      if (AbutPlaneHeight(dim, normal, q, x) > range && AbutPlaneHeight(dim, normal, q_end, x_end) > range) continue;
      PetscCall(AbutIntsPush(&contact->pv, 2, (PetscInt[]){p, points->v[i]}));
      (*found)++;
    }
  }
  PetscFunctionReturn(0);
}

void AbutContactPublish(AbutContact contact)
{
  const AbutSweep         *sweep = &contact->search;
  const AbutCandidateList *face = &contact->lists[FACE], *edge = &contact->lists[EDGE], *curve = &contact->lists[CURVE];
  const PetscBool          three = (PetscBool)(contact->m->dim == 3), on = contact->ring.on;

  contact->candidates = (AbutCandidates){.search        = contact->counts.searches,
                                         .dim           = contact->m->dim,
                                         .num_vertices  = sweep->num_vertices,
                                         .vertex_global = sweep->global,
                                         .vertex_id     = sweep->id,
                                         .vertex_body   = sweep->body,
                                         .rest          = sweep->rest,
                                         .x             = sweep->x,
                                         .p             = sweep->p,
                                         .num_fv        = face->v.n / 4,
                                         .num_ee        = three ? edge->v.n / 4 : 0,
                                         .num_ev        = three ? 0 : edge->v.n / 3,
                                         .fv            = (const PetscInt(*)[4])face->v.a,
                                         .ee            = (const PetscInt(*)[4])edge->v.a,
                                         .ev            = (const PetscInt(*)[3])edge->v.a,
                                         .num_planes    = contact->planes.num,
                                         .planes        = contact->planes.current,
                                         .num_pv        = contact->pv.n / 2,
                                         .pv            = (const PetscInt(*)[2])contact->pv.a,
                                         .one_ring      = on ? contact->ring.one_ring : NULL,
                                         .fv_face       = on ? face->number.a : NULL,
                                         .ee_edge       = on ? (const PetscInt(*)[2])edge->number.a : NULL,
                                         .ev_edge       = on ? edge->number.a : NULL,
                                         .num_free_ev   = curve->number.n / 2,
                                         .free_ev       = (const PetscInt(*)[2])curve->number.a};
}

PetscErrorCode AbutContactCollect(AbutContact contact, PetscInt *found)
{
  const AbutSweep *sweep = &contact->search;
  const PetscInt   max   = contact->params.max_pairs;

  PetscFunctionBegin;
  *found = contact->pv.n = 0;
  for (int kind = 0; kind < NUM_KINDS; kind++) contact->lists[kind].v.n = contact->lists[kind].number.n = 0;
  PetscCall(CollectPlanes(contact, max, found));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const int second = kind == EDGE && contact->m->dim == 3 ? EDGE : POINT;

    if (kind != POINT && sweep->meets[kind]) PetscCall(AbutSweepPairs(contact, sweep, kind, second, max, found, Emit, &kind));
  }
  AbutContactPublish(contact);
  PetscFunctionReturn(0);
}
