/*
  "ipc", Incremental Potential Contact [Li et al. 2020]:

      energy = kappa sum_k m_k b(d_k^2; dhat^2),    b(s; shat) = -(s - shat)^2 ln(s / shat)  [eq. 6, on squared distances]

  over all pairs of primitives closer than dhat, d_k the distance of the pair by the closed form of its closest features. m_k is 1, except
  for nearly parallel edges [eq. 24]: (2 - c / eps) c / eps for c < eps, c = |a x b|^2 of the edges a, b and eps = 1e-3 |a|^2 |b|^2 at
  rest.
*/
#include "stencil_set.h"

/* Mollifier threshold of an edge-edge candidate. */
static PetscReal EpsCrossOf(const AbutCandidates *c, const PetscInt v[4])
{
  PetscReal length2[2];

  for (int e = 0; e < 2; e++) {
    const PetscReal *a = c->rest + 3 * v[2 * e], *b = c->rest + 3 * v[2 * e + 1];
    const PetscReal  d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    length2[e]            = AbutDot(3, d, d);
  }
  return EpsCross(length2[0], length2[1]);
}

/* ---- energy ---- */

static PetscReal SetEnergy(const PairSet *set, const AbutCandidates *c, PetscReal shat, const PetscReal xt[])
{
  PetscReal sum = 0;

  for (PetscInt p = 0; p < set->count; p++) {
    const PetscInt *v = PairOf(set, p);
    PetscReal       x[12], s, b;
    if (!IsWithin(set, c->dim, v, xt, shat, x, &s)) continue;
    if (!(s > 0)) return PETSC_INFINITY;
    b = AbutBarrier(s, shat, NULL, NULL);
    if (set->kind == ABUT_PAIR_EE) b *= AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), EpsCrossOf(c, v), NULL, NULL);
    sum += b;
  }
  return sum;
}

static PetscErrorCode Energy_IPC(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *energy)
{
  const PetscReal shat = pot->dhat * pot->dhat;
  PairSet         sets[NUM_SETS];
  PetscReal       sum = 0;

  PetscFunctionBegin;
  PairSets(c, sets);
  for (int i = 0; i < NUM_SETS; i++) sum += SetEnergy(&sets[i], c, shat, xt);
  for (PetscInt i = 0; i < c->num_pv; i++) sum += AbutBarrier(PlaneDist2(c, i, xt), shat, NULL, NULL);
  *energy = sum < PETSC_INFINITY ? pot->kappa * sum : PETSC_INFINITY;
  PetscFunctionReturn(0);
}

/* ---- state ---- */

static inline void SwapToOrder(const PetscInt id[], PetscInt *a, PetscInt *b)
{
  if (id[*a] > id[*b]) {
    const PetscInt swap = *a;
    *a                  = *b;
    *b                  = swap;
  }
}

/* Sets the stencil of an active pair. Sorts its vertices by id if another pair can give the same stencil. */
static void MakeStencil(const PairSet *set, const AbutCandidates *c, const PetscInt v[], const PetscReal x[], PetscReal s, AbutStencil *st)
{
  AbutClosest closest;
  PetscReal   eps_cross = 0;

  AbutClosestFeatures(set->kind, c->dim, x, &closest);
  if (set->kind == ABUT_PAIR_EE) {
    eps_cross = EpsCrossOf(c, v);
    if (!(AbutEdgeEdgeCross2(x, NULL, NULL) < eps_cross)) eps_cross = 0;
  }
  *st = (AbutStencil){
    .n = closest.n, .v = {-1, -1, -1, -1}, .form = closest.form, .plane = -1, .weight = 1, .dist2 = s, .eps_cross = eps_cross};
  if (eps_cross > 0) {
    st->n = 4;
    for (int a = 0; a < 4; a++) st->v[a] = v[a];
    return;
  }
  for (PetscInt a = 0; a < closest.n; a++) st->v[a] = v[closest.v[a]];
  if (st->form == ABUT_DIST_POINT_POINT) SwapToOrder(c->vertex_id, &st->v[0], &st->v[1]);
  if (st->form == ABUT_DIST_POINT_LINE) SwapToOrder(c->vertex_id, &st->v[1], &st->v[2]);
}

static PetscErrorCode CollectPairs(AbutStencilSet *found, const PairSet *set, PetscReal shat, const PetscReal xt[])
{
  const AbutCandidates *c = found->candidates;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < set->count; p++) {
    const PetscInt *v = PairOf(set, p);
    AbutStencil     st;
    PetscReal       x[12], s;
    if (!IsWithin(set, c->dim, v, xt, PetscMax(shat, found->min_dist2), x, &s)) continue;
    found->min_dist2 = PetscMin(found->min_dist2, s);
    if (s >= shat) continue;
    MakeStencil(set, c, v, x, s, &st);
    PetscCall(FoundAdd(found, &st));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode CollectPlanes(AbutStencilSet *found, PetscReal shat, const PetscReal xt[])
{
  const AbutCandidates *c = found->candidates;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscReal   s  = PlaneDist2(c, i, xt);
    const AbutStencil st = {
      .n = 1, .v = {c->pv[i][1], -1, -1, -1}, .form = ABUT_DIST_POINT_PLANE, .plane = c->pv[i][0], .weight = 1, .dist2 = s};
    found->min_dist2 = PetscMin(found->min_dist2, s);
    if (s < shat) PetscCall(FoundAdd(found, &st));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SetState_IPC(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  const PetscReal shat = pot->dhat * pot->dhat;
  AbutStencilSet *set  = pot->data;
  PairSet         sets[NUM_SETS];

  PetscFunctionBegin;
  PetscCall(AbutStencilSetBegin(set, c, xt));
  PairSets(c, sets);
  for (int i = 0; i < NUM_SETS; i++) PetscCall(CollectPairs(set, &sets[i], shat, xt));
  PetscCall(CollectPlanes(set, shat, xt));
  PetscCall(AbutStencilSetMerge(set));
  PetscFunctionReturn(0);
}

static PetscErrorCode GetForce_IPC(AbutPotential pot, PetscReal range, PetscReal *force)
{
  const PetscReal d = range / 2;
  PetscReal       db;

  PetscFunctionBegin;
  (void)pot;
  AbutBarrier(d * d, range * range, &db, NULL);
  *force = -2 * d * db;
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy_IPC(AbutPotential pot)
{
  PetscFunctionBegin;
  PetscCall(AbutStencilSetFree(pot->data));
  PetscCall(PetscFree(pot->data));
  PetscFunctionReturn(0);
}

static PetscErrorCode Create_IPC(AbutPotential pot)
{
  AbutStencilSet *set;

  PetscFunctionBegin;
  PetscCall(PetscNew(&set));
  set->scale = 1;
  pot->data  = set;
  pot->ops   = (AbutPotentialOps){
      .destroy = Destroy_IPC, .getforce = GetForce_IPC, .energy = Energy_IPC, .setstate = SetState_IPC, ABUT_STENCIL_SET_OPS};
  PetscFunctionReturn(0);
}

const AbutPotentialType AbutPotentialTypeIPC = {{.name = "ipc"}, Create_IPC};
