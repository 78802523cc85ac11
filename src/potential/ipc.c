/*
  The potential of Incremental Potential Contact [Li et al. 2020]: the clamped log barrier of the distance of every primitive pair,
  evaluated by the closed form of the pair's closest features; nearly parallel edges are mollified [section 4.5, eq. 24].
*/
#include "candidates.h"

typedef struct {
  const AbutCandidates *candidates; /* of the state */
  Buffer                x;          /* PetscReal: positions of the state */
  Buffer                active;     /* AbutStencil: one for each active pair */
  Buffer                stencils;   /* AbutStencil: sorted and merged */
  Buffer                keys, perm, work, needed, near;
  Buffer                points; /* AbutContactPoint */
  PetscInt              num_active, num_stencils;
  PetscReal             min_dist2;
} IPC;

/* Mollifier threshold of an edge-edge candidate, from rest lengths [IPC supplement: 1e-3]. */
static PetscReal EpsCross(const AbutCandidates *c, const PetscInt v[4])
{
  PetscReal length2[2];

  for (int e = 0; e < 2; e++) {
    const PetscReal *a = c->rest + 3 * v[2 * e], *b = c->rest + 3 * v[2 * e + 1];
    const PetscReal  d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    length2[e]            = AbutDot(3, d, d);
  }
  return 1e-3 * length2[0] * length2[1];
}

/* Squared distance of a plane-vertex candidate; 0 on the plane and behind it. */
static inline PetscReal PlaneDist2(const AbutCandidates *c, PetscInt i, const PetscReal xt[])
{
  const PetscReal h = PlaneHeight(c, c->pv[i][0], c->pv[i][1], xt);

  return h > 0 ? h * h : 0;
}

/* ---- energy ---- */

static PetscReal SetEnergy(const PairSet *set, const AbutCandidates *c, PetscReal shat, const PetscReal xt[])
{
  PetscReal sum = 0;

  for (PetscInt p = 0; p < set->count; p++) {
    const PetscInt *v = PairOf(set, p);
    PetscReal       x[12], s, b;
    if (!IsNear(set, c->dim, v, xt, shat, x, &s)) continue;
    if (!(s > 0)) return PETSC_INFINITY;
    b = AbutBarrier(s, shat, NULL, NULL);
    if (set->kind == ABUT_PAIR_EE) b *= AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), EpsCross(c, v), NULL, NULL);
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

/* The stencil of an active pair, the vertices of those that may be reached from several pairs in the order of their ids. */
static void MakeStencil(const PairSet *set, const AbutCandidates *c, const PetscInt v[], const PetscReal x[], PetscReal s, AbutStencil *st)
{
  AbutClosest closest;
  PetscReal   eps_cross = 0;

  AbutClosestFeatures(set->kind, c->dim, x, &closest);
  if (set->kind == ABUT_PAIR_EE) {
    eps_cross = EpsCross(c, v);
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

static PetscErrorCode CollectPairs(IPC *ipc, const PairSet *set, PetscReal shat, const PetscReal xt[])
{
  const AbutCandidates *c = ipc->candidates;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < set->count; p++) {
    const PetscInt *v = PairOf(set, p);
    PetscReal       x[12], s;
    if (!IsNear(set, c->dim, v, xt, PetscMax(shat, ipc->min_dist2), x, &s)) continue;
    ipc->min_dist2 = PetscMin(ipc->min_dist2, s);
    if (s >= shat) continue;
    PetscCall(Reserve(&ipc->active, ipc->num_active + 1, sizeof(AbutStencil)));
    MakeStencil(set, c, v, x, s, (AbutStencil *)ipc->active.data + ipc->num_active++);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode CollectPlanes(IPC *ipc, PetscReal shat, const PetscReal xt[])
{
  const AbutCandidates *c = ipc->candidates;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscReal s = PlaneDist2(c, i, xt);
    ipc->min_dist2    = PetscMin(ipc->min_dist2, s);
    if (s >= shat) continue;
    PetscCall(Reserve(&ipc->active, ipc->num_active + 1, sizeof(AbutStencil)));
    ((AbutStencil *)ipc->active.data)[ipc->num_active++] =
      (AbutStencil){.n = 1, .v = {c->pv[i][1], -1, -1, -1}, .form = ABUT_DIST_POINT_PLANE, .plane = c->pv[i][0], .weight = 1, .dist2 = s};
  }
  PetscFunctionReturn(0);
}

/* Sorts the active stencils by vertex ids; equal ones become one with the sum of their weights. */
static PetscErrorCode Merge(IPC *ipc)
{
  const PetscInt *id = ipc->candidates->vertex_id;
  AbutStencil    *from, *to;
  PetscInt(*key)[ABUT_KEY_LENGTH], *perm;

  PetscFunctionBegin;
  PetscCall(Reserve(&ipc->keys, ipc->num_active, sizeof(*key)));
  PetscCall(Reserve(&ipc->perm, ipc->num_active, sizeof(PetscInt)));
  PetscCall(Reserve(&ipc->work, ipc->num_active, sizeof(PetscInt)));
  PetscCall(Reserve(&ipc->stencils, ipc->num_active, sizeof(AbutStencil)));
  key  = ipc->keys.data;
  perm = ipc->perm.data;
  from = ipc->active.data;
  to   = ipc->stencils.data;
  for (PetscInt s = 0; s < ipc->num_active; s++) {
    for (int a = 0; a < 4; a++) key[s][a] = a < from[s].n ? id[from[s].v[a]] + 1 : 0;
    if (from[s].plane >= 0) key[s][3] = from[s].plane + 1;
    key[s][4] = from[s].eps_cross > 0 ? ABUT_DIST_LINE_LINE : from[s].form;
  }
  AbutSortKeys(ipc->num_active, (const PetscInt(*)[ABUT_KEY_LENGTH])key, perm, ipc->work.data);
  ipc->num_stencils = 0;
  for (PetscInt s = 0; s < ipc->num_active; s++) {
    PetscBool same = (PetscBool)(s > 0);
    for (int k = 0; k < ABUT_KEY_LENGTH && same; k++) same = (PetscBool)(key[perm[s]][k] == key[perm[s - 1]][k]);
    if (same)
      to[ipc->num_stencils - 1].weight += from[perm[s]].weight;
    else
      to[ipc->num_stencils++] = from[perm[s]];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SetState_IPC(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  const PetscReal shat = pot->dhat * pot->dhat;
  IPC            *ipc  = pot->data;
  PairSet         sets[NUM_SETS];

  PetscFunctionBegin;
  ipc->candidates = c;
  ipc->num_active = 0;
  ipc->min_dist2  = PETSC_INFINITY;
  PetscCall(Reserve(&ipc->x, c->num_vertices * c->dim, sizeof(PetscReal)));
  PetscCall(PetscArraycpy((PetscReal *)ipc->x.data, xt, c->num_vertices * c->dim));
  PairSets(c, sets);
  for (int i = 0; i < NUM_SETS; i++) PetscCall(CollectPairs(ipc, &sets[i], shat, xt));
  PetscCall(CollectPlanes(ipc, shat, xt));
  PetscCall(Merge(ipc));
  PetscFunctionReturn(0);
}

static PetscErrorCode GetForce_IPC(AbutPotential pot, PetscReal *force)
{
  const PetscReal d = pot->dhat / 2;
  PetscReal       db;

  PetscFunctionBegin;
  AbutBarrier(d * d, pot->dhat * pot->dhat, &db, NULL);
  *force = -2 * d * db;
  PetscFunctionReturn(0);
}

static PetscErrorCode GetStats_IPC(AbutPotential pot, AbutPotentialStats *stats)
{
  const IPC *ipc = pot->data;

  PetscFunctionBegin;
  stats->contacts = ipc->num_active;
  stats->stencils = ipc->num_stencils;
  stats->min_dist = ipc->min_dist2 < PETSC_INFINITY ? PetscSqrtReal(ipc->min_dist2) : PETSC_INFINITY;
  PetscFunctionReturn(0);
}

static inline const AbutPlaneSpec *PlaneOf(const AbutCandidates *c, const AbutStencil *st)
{
  return st->plane >= 0 ? &c->planes[st->plane] : NULL;
}

static PetscErrorCode AddGradient_IPC(AbutPotential pot, PetscReal scale, PetscReal g[])
{
  const IPC            *ipc  = pot->data;
  const AbutCandidates *c    = ipc->candidates;
  const PetscReal       shat = pot->dhat * pot->dhat;
  const AbutStencil    *st   = ipc->stencils.data;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < ipc->num_stencils; s++) {
    PetscReal x[12], local[12];
    Gather(c->dim, st[s].n, st[s].v, ipc->x.data, x);
    AbutStencilGradient(c->dim, &st[s], PlaneOf(c, &st[s]), shat, x, local);
    for (PetscInt a = 0; a < st[s].n; a++) {
      for (PetscInt i = 0; i < c->dim; i++) g[c->dim * st[s].v[a] + i] += scale * pot->kappa * local[c->dim * a + i];
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHessian_IPC(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  const IPC            *ipc  = pot->data;
  const AbutCandidates *c    = ipc->candidates;
  const PetscReal       shat = pot->dhat * pot->dhat;
  const AbutStencil    *st   = ipc->stencils.data;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < ipc->num_stencils; s++) {
    const AbutProjection own = AbutProjectionOf(projection, pot->chosen, st[s].n, st[s].v);
    PetscReal            x[12], H[144];
    PetscInt             global[4];
    AbutStencil          scaled = st[s];
    scaled.weight *= scale * pot->kappa;
    Gather(c->dim, st[s].n, st[s].v, ipc->x.data, x);
    AbutStencilHessian(c->dim, &scaled, PlaneOf(c, &st[s]), shat, own, x, H);
    for (PetscInt a = 0; a < st[s].n; a++) global[a] = c->vertex_global[st[s].v[a]];
    PetscCall(AbutAssemblerAdd(as, st[s].n, global, H));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode GetPattern_IPC(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near)
{
  IPC               *ipc = pot->data;
  const PetscInt    *global;
  const AbutStencil *st = ipc->stencils.data;
  PetscInt(*out)[4];

  PetscFunctionBegin;
  global = ipc->candidates->vertex_global;
  PetscCall(Reserve(&ipc->needed, ipc->num_stencils, sizeof(*out)));
  out = ipc->needed.data;
  for (PetscInt s = 0; s < ipc->num_stencils; s++) {
    for (PetscInt a = 0; a < 4; a++) out[s][a] = a < st[s].n ? global[st[s].v[a]] : -1;
  }
  PetscCall(AbutCandidatesNear(ipc->candidates, ipc->x.data, distance, &ipc->near, near));
  *needed = (AbutStencilList){ipc->num_stencils, NULL, ipc->needed.data};
  PetscFunctionReturn(0);
}

static PetscErrorCode GetStencils_IPC(AbutPotential pot, PetscInt *count, const AbutStencil **stencils)
{
  const IPC *ipc = pot->data;

  PetscFunctionBegin;
  *count    = ipc->num_stencils;
  *stencils = ipc->stencils.data;
  PetscFunctionReturn(0);
}

static PetscErrorCode GetContactPoints_IPC(AbutPotential pot, PetscInt *count, const AbutContactPoint **points)
{
  IPC                  *ipc  = pot->data;
  const AbutCandidates *c    = ipc->candidates;
  const PetscReal       shat = pot->dhat * pot->dhat;
  const AbutStencil    *st   = ipc->stencils.data;
  AbutContactPoint     *point;

  PetscFunctionBegin;
  PetscCall(Reserve(&ipc->points, ipc->num_stencils, sizeof(AbutContactPoint)));
  point  = ipc->points.data;
  *count = 0;
  for (PetscInt s = 0; s < ipc->num_stencils; s++) {
    PetscReal x[12];
    if (st[s].eps_cross > 0) continue;
    Gather(c->dim, st[s].n, st[s].v, ipc->x.data, x);
    AbutStencilContactPoint(c->dim, &st[s], PlaneOf(c, &st[s]), shat, pot->kappa, x, &point[(*count)++]);
  }
  *points = point;
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy_IPC(AbutPotential pot)
{
  IPC    *ipc       = pot->data;
  Buffer *buffers[] = {&ipc->x, &ipc->active, &ipc->stencils, &ipc->keys, &ipc->perm, &ipc->work, &ipc->needed, &ipc->near, &ipc->points};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) PetscCall(PetscFree(buffers[i]->data));
  PetscCall(PetscFree(pot->data));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPotentialCreate_IPC(AbutPotential pot)
{
  IPC *ipc;

  PetscFunctionBegin;
  PetscCall(PetscNew(&ipc));
  pot->data = ipc;
  pot->ops  = (AbutPotentialOps){.destroy          = Destroy_IPC,
                                 .getforce         = GetForce_IPC,
                                 .energy           = Energy_IPC,
                                 .setstate         = SetState_IPC,
                                 .getstats         = GetStats_IPC,
                                 .addgradient      = AddGradient_IPC,
                                 .addhessian       = AddHessian_IPC,
                                 .getpattern       = GetPattern_IPC,
                                 .getstencils      = GetStencils_IPC,
                                 .getcontactpoints = GetContactPoints_IPC};
  PetscFunctionReturn(0);
}
