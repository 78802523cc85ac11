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
  const PetscReal *x = c->rest;

  return EpsCross(AbutPointDist2(3, x + 3 * v[0], x + 3 * v[1]), AbutPointDist2(3, x + 3 * v[2], x + 3 * v[3]));
}

/* ---- energy ---- */

typedef struct {
  const AbutCandidates *c;
  PetscReal             shat, sum[4]; /* sums by kind of pair */
} Sums;

static PetscErrorCode AddEnergy(AbutPairKind kind, PetscInt p, const PetscInt v[], const PetscReal x[], PetscReal s, void *ctx)
{
  Sums     *sums = ctx;
  PetscReal b    = AbutBarrier(s, sums->shat, NULL, NULL);

  PetscFunctionBegin;
  (void)p;
  if (kind == ABUT_PAIR_EE && s > 0) b *= AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), EpsCrossOf(sums->c, v), NULL, NULL);
  sums->sum[kind] += b;
  PetscFunctionReturn(0);
}

static PetscErrorCode Energy_IPC(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *energy)
{
  Sums      sums = {c, pot->dhat * pot->dhat, {0}};
  PetscReal sum;

  PetscFunctionBegin;
  PetscCall(AbutCandidatesVisit(c, xt, sums.shat, NULL, AddEnergy, &sums));
  sum = sums.sum[ABUT_PAIR_FV] + sums.sum[ABUT_PAIR_EE] + sums.sum[ABUT_PAIR_EV];
  for (PetscInt i = 0; i < c->num_pv; i++) sum += AbutBarrier(PlaneDist2(c, i, xt), sums.shat, NULL, NULL);
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

/* Appends the stencil of an active pair. Its vertices are sorted by id if another pair can give the same stencil. */
static PetscErrorCode AddStencil(AbutPairKind kind, PetscInt p, const PetscInt v[], const PetscReal x[], PetscReal s, void *ctx)
{
  AbutStencilSet       *set = ctx;
  const AbutCandidates *c   = set->candidates;
  AbutStencil           st  = {.v = {-1, -1, -1, -1}, .plane = -1, .weight = 1, .dist2 = s};
  AbutClosest           closest;

  PetscFunctionBegin;
  (void)p;
  AbutClosestFeatures(kind, c->dim, x, &closest);
  st.n    = closest.n;
  st.form = closest.form;
  if (kind == ABUT_PAIR_EE) st.eps_cross = EpsCrossOf(c, v);
  if (st.eps_cross > 0 && AbutEdgeEdgeCross2(x, NULL, NULL) < st.eps_cross) {
    st.n = 4;
    PetscCall(PetscArraycpy(st.v, v, 4));
  } else {
    st.eps_cross = 0;
    for (PetscInt a = 0; a < st.n; a++) st.v[a] = v[closest.v[a]];
    if (st.form == ABUT_DIST_POINT_POINT) SwapToOrder(c->vertex_id, &st.v[0], &st.v[1]);
    if (st.form == ABUT_DIST_POINT_LINE) SwapToOrder(c->vertex_id, &st.v[1], &st.v[2]);
  }
  PetscCall(AbutStencilSetAdd(set, &st));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetState_IPC(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  const PetscReal shat = pot->dhat * pot->dhat;
  AbutStencilSet *set  = pot->data;

  PetscFunctionBegin;
  AbutStencilSetBegin(set, c);
  PetscCall(AbutCandidatesVisit(c, xt, shat, &set->min_dist2, AddStencil, set));
  PetscCall(AbutStencilSetAddPlanes(set, xt, shat));
  PetscCall(AbutStencilSetMerge(set, xt));
  PetscFunctionReturn(0);
}

static PetscReal GetForce_IPC(AbutPotential pot, PetscReal dhat)
{
  const PetscReal d = dhat / 2;
  PetscReal       db;

  (void)pot;
  AbutBarrier(d * d, dhat * dhat, &db, NULL);
  return -2 * d * db;
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

const AbutPotentialType AbutPotentialTypeIPC = {{.name = "ipc", .help = "[Li et al. 2020]", .unit = {"kg/m^2", "kg/m^2"}}, Create_IPC};
