/* Stencils of at most four vertices at a state: canonical order, derivatives, pattern, contact points. */
#include "stencil_set.h"

void AbutStencilSetBegin(AbutStencilSet *set, const AbutCandidates *c)
{
  set->candidates = c;
  set->num_found = set->num_stencils = 0;
  set->min_dist2                     = PETSC_INFINITY;
}

PetscErrorCode AbutStencilSetAdd(AbutStencilSet *set, const AbutStencil *st)
{
  PetscFunctionBegin;
  PetscCall(AbutReserve(set->num_found + 1, &set->found_capacity, &set->found));
  set->found[set->num_found++] = *st;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetAddPlanes(AbutStencilSet *set, const PetscReal xt[], PetscReal shat)
{
  const AbutCandidates *c = set->candidates;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->num_pv; i++) {
    const PetscReal   s  = PlaneDist2(c, i, xt);
    const AbutStencil st = {
      .n = 1, .v = {c->pv[i][1], -1, -1, -1}, .form = ABUT_DIST_POINT_PLANE, .plane = c->pv[i][0], .weight = 1, .dist2 = s};
    set->min_dist2 = PetscMin(set->min_dist2, s);
    if (s < shat) PetscCall(AbutStencilSetAdd(set, &st));
  }
  PetscFunctionReturn(0);
}

/* Sort key of a form. Mollified pairs with fixed features sort last. */
static inline PetscInt FormKey(const AbutStencil *st)
{
  return st->fixed ? 4 + (PetscInt)st->form : st->eps_cross > 0 ? (PetscInt)ABUT_DIST_LINE_LINE : (PetscInt)st->form;
}

static void SetKeys(AbutStencilSet *set, PetscInt *largest)
{
  const PetscInt *id = set->candidates->vertex_id;

  *largest = 0;
  for (PetscInt s = 0; s < set->num_found; s++) {
    const AbutStencil *st  = &set->found[s];
    PetscInt          *key = set->key[s];
    for (int a = 0; a < 4; a++) key[a] = a < st->n ? id[st->v[a]] + 1 : 0;
    if (st->plane >= 0) key[3] = st->plane + 1;
    key[4] = FormKey(st);
    for (int k = 0; k < ABUT_STENCIL_KEY; k++) *largest = PetscMax(*largest, key[k]);
  }
}

enum { NUM_COLUMNS = 5 };

static void Columns(AbutStencilSet *set, AbutColumn column[NUM_COLUMNS])
{
  column[0] = (AbutColumn){&set->stencils, sizeof(*set->stencils)};
  column[1] = (AbutColumn){&set->key, sizeof(*set->key)};
  column[2] = (AbutColumn){&set->order, sizeof(*set->order)};
  column[3] = (AbutColumn){&set->needed, sizeof(*set->needed)};
  column[4] = (AbutColumn){&set->points, sizeof(*set->points)};
}

PetscErrorCode AbutStencilSetMerge(AbutStencilSet *set, const PetscReal xt[])
{
  AbutColumn column[NUM_COLUMNS];
  PetscInt   largest;

  PetscFunctionBegin;
  set->x.n = 0;
  PetscCall(AbutRealsPush(&set->x, set->candidates->num_vertices * set->candidates->dim, xt));
  Columns(set, column);
  PetscCall(AbutReserveColumns(set->num_found, &set->capacity, NUM_COLUMNS, column));
  SetKeys(set, &largest);
  PetscCall(AbutSortTuples(set->num_found, ABUT_STENCIL_KEY, largest + 1, (const PetscInt *)set->key, set->order));
  for (PetscInt i = 0; i < set->num_found; i++) {
    const PetscInt s    = set->order[i];
    PetscBool      same = PETSC_FALSE;
    if (i > 0) PetscCall(PetscArraycmp(set->key[s], set->key[set->order[i - 1]], ABUT_STENCIL_KEY, &same));
    if (same)
      set->stencils[set->num_stencils - 1].weight += set->found[s].weight;
    else
      set->stencils[set->num_stencils++] = set->found[s];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetFree(AbutStencilSet *set)
{
  AbutColumn column[NUM_COLUMNS];

  PetscFunctionBegin;
  Columns(set, column);
  PetscCall(AbutFreeColumns(NUM_COLUMNS, column));
  PetscCall(PetscFree(set->found));
  PetscCall(PetscFree(set->x.a));
  PetscCall(PetscFree(set->near.a));
  PetscFunctionReturn(0);
}

void AbutStencilSetGetStats(AbutPotential pot, AbutPotentialStats *stats)
{
  const AbutStencilSet *set = pot->data;

  stats->contacts       = set->areas ? set->num_stencils : set->num_found;
  stats->stencils       = set->num_stencils;
  stats->min_dist       = set->min_dist2 < PETSC_INFINITY ? PetscSqrtReal(set->min_dist2) : PETSC_INFINITY;
  stats->min_dist_ratio = set->num_stencils > 0 ? stats->min_dist / pot->dhat : PETSC_INFINITY;
}

static inline const AbutPlaneSpec *PlaneOf(const AbutCandidates *c, const AbutStencil *st)
{
  return st->plane >= 0 ? &c->planes[st->plane] : NULL;
}

void AbutStencilSetAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[])
{
  const AbutStencilSet *set   = pot->data;
  const AbutCandidates *c     = set->candidates;
  const PetscReal       shat  = pot->dhat * pot->dhat;
  const PetscReal       kappa = set->scale * pot->kappa;
  const AbutStencil    *st    = set->stencils;

  for (PetscInt s = 0; s < set->num_stencils; s++) {
    PetscReal x[12], local[12];
    AbutGather(c->dim, st[s].n, st[s].v, set->x.a, x);
    AbutStencilGradient(c->dim, &st[s], PlaneOf(c, &st[s]), shat, x, local);
    for (PetscInt a = 0; a < st[s].n; a++) {
      for (PetscInt i = 0; i < c->dim; i++) g[c->dim * st[s].v[a] + i] += scale * kappa * local[c->dim * a + i];
    }
  }
}

PetscErrorCode AbutStencilSetAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  const AbutStencilSet *set  = pot->data;
  const AbutCandidates *c    = set->candidates;
  const PetscReal       shat = pot->dhat * pot->dhat;
  const AbutStencil    *st   = set->stencils;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < set->num_stencils; s++) {
    PetscReal   x[12], H[144];
    PetscInt    global[4];
    AbutStencil scaled = st[s];
    for (PetscInt a = 0; a < st[s].n; a++) global[a] = c->vertex_global[st[s].v[a]];
    if (!AbutAssemblerNeeds(as, st[s].n, global)) continue;
    scaled.weight *= scale * (set->scale * pot->kappa);
    AbutGather(c->dim, st[s].n, st[s].v, set->x.a, x);
    AbutStencilHessian(c->dim, &scaled, PlaneOf(c, &st[s]), shat, projection, x, H);
    PetscCall(AbutAssemblerAdd(as, st[s].n, global, H));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetGetPattern(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near)
{
  AbutStencilSet *set = pot->data;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < set->num_stencils; s++) {
    const AbutStencil *st = &set->stencils[s];
    for (PetscInt a = 0; a < 4; a++) set->needed[s][a] = a < st->n ? set->candidates->vertex_global[st->v[a]] : -1;
  }
  *needed = (AbutStencilList){set->num_stencils, NULL, (const PetscInt *)set->needed};
  PetscCall(AbutCandidatesWithin(set->candidates, set->x.a, distance, &set->near, near));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils)
{
  const AbutStencilSet *set = pot->data;

  PetscFunctionBegin;
  *count    = set->num_stencils;
  *stencils = set->stencils;
  PetscFunctionReturn(0);
}

/*
  Replaces the mollifier of a stencil by its value, as a factor of the weight. The gradient of the mollifier is left out, because it is a
  moment without resultant force. Closest points jump where edges turn through parallel positions, but the weight is 0 there.
*/
static AbutStencil Unmollified(const AbutStencil *st, const PetscReal x[])
{
  AbutStencil plain = *st;
  AbutClosest closest;

  if (!(st->eps_cross > 0)) return plain;
  if (st->fixed) {
    closest.form = st->form;
    closest.n    = AbutStencilFixedPoints(st->form, closest.v);
  } else {
    AbutClosestFeatures(ABUT_PAIR_EE, 3, x, &closest);
  }
  plain.n    = closest.n;
  plain.form = closest.form;
  plain.weight *= AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), st->eps_cross, NULL, NULL);
  plain.eps_cross = 0;
  plain.fixed     = PETSC_FALSE;
  for (PetscInt a = 0; a < 4; a++) plain.v[a] = a < plain.n ? st->v[closest.v[a]] : -1;
  return plain;
}

PetscErrorCode AbutStencilSetGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points)
{
  AbutStencilSet       *set   = pot->data;
  const AbutCandidates *c     = set->candidates;
  const PetscReal       shat  = pot->dhat * pot->dhat;
  const PetscReal       kappa = set->scale * pot->kappa;
  const AbutStencil    *st    = set->stencils;

  PetscFunctionBegin;
  *count = 0;
  for (PetscInt s = 0; s < set->num_stencils; s++) {
    AbutStencil plain;
    PetscReal   x[12];
    AbutGather(c->dim, st[s].n, st[s].v, set->x.a, x);
    plain = Unmollified(&st[s], x);
    if (plain.weight == 0) continue;
    AbutGather(c->dim, plain.n, plain.v, set->x.a, x);
    AbutStencilContactPoint(c->dim, &plain, PlaneOf(c, &plain), shat, kappa, x, &set->points[*count]);
    if (set->areas) set->points[*count].pairs = 1;
    ++*count;
  }
  *points = set->points;
  PetscFunctionReturn(0);
}
