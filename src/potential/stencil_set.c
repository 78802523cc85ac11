/* Stencils of at most four vertices at a state: canonical order, derivatives, pattern, contact points. */
#include "stencil_set.h"
#include <abut/containers.h>

#define KEY_LENGTH 5 /* vertex ids or plane, form */

PetscErrorCode AbutStencilSetBegin(AbutStencilSet *set, const AbutCandidates *c, const PetscReal xt[])
{
  PetscFunctionBegin;
  set->candidates = c;
  set->num_found = set->num_stencils = 0;
  set->min_dist2                     = PETSC_INFINITY;
  PetscCall(Reserve(&set->x, c->num_vertices * c->dim, sizeof(PetscReal)));
  PetscCall(PetscArraycpy((PetscReal *)set->x.data, xt, c->num_vertices * c->dim));
  PetscFunctionReturn(0);
}

/* Sort key of a form. Mollified pairs with fixed features sort last. */
static inline PetscInt FormKey(const AbutStencil *st)
{
  return st->fixed ? 4 + (PetscInt)st->form : st->eps_cross > 0 ? (PetscInt)ABUT_DIST_LINE_LINE : (PetscInt)st->form;
}

PetscErrorCode AbutStencilSetMerge(AbutStencilSet *set)
{
  const PetscInt *id = set->candidates->vertex_id;
  AbutStencil    *from, *to;
  PetscInt(*key)[KEY_LENGTH], *perm, largest = 0;

  PetscFunctionBegin;
  PetscCall(Reserve(&set->keys, set->num_found, sizeof(*key)));
  PetscCall(Reserve(&set->perm, set->num_found, sizeof(PetscInt)));
  PetscCall(Reserve(&set->stencils, set->num_found, sizeof(AbutStencil)));
  key  = set->keys.data;
  perm = set->perm.data;
  from = set->found.data;
  to   = set->stencils.data;
  for (PetscInt s = 0; s < set->num_found; s++) {
    for (int a = 0; a < 4; a++) key[s][a] = a < from[s].n ? id[from[s].v[a]] + 1 : 0;
    if (from[s].plane >= 0) key[s][3] = from[s].plane + 1;
    key[s][4] = FormKey(&from[s]);
    for (int k = 0; k < KEY_LENGTH; k++) largest = PetscMax(largest, key[s][k]);
  }
  PetscCall(AbutSortTuples(set->num_found, KEY_LENGTH, largest + 1, (const PetscInt *)key, perm));
  set->num_stencils = 0;
  for (PetscInt s = 0; s < set->num_found; s++) {
    PetscBool same = (PetscBool)(s > 0);
    for (int k = 0; k < KEY_LENGTH && same; k++) same = (PetscBool)(key[perm[s]][k] == key[perm[s - 1]][k]);
    if (same)
      to[set->num_stencils - 1].weight += from[perm[s]].weight;
    else
      to[set->num_stencils++] = from[perm[s]];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetFree(AbutStencilSet *set)
{
  Buffer *buffers[] = {&set->x, &set->found, &set->stencils, &set->keys, &set->perm, &set->needed, &set->near, &set->points};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) PetscCall(PetscFree(buffers[i]->data));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetGetStats(AbutPotential pot, AbutPotentialStats *stats)
{
  const AbutStencilSet *set = pot->data;

  PetscFunctionBegin;
  stats->contacts       = set->areas ? set->num_stencils : set->num_found;
  stats->stencils       = set->num_stencils;
  stats->min_dist       = set->min_dist2 < PETSC_INFINITY ? PetscSqrtReal(set->min_dist2) : PETSC_INFINITY;
  stats->min_dist_ratio = set->num_stencils > 0 ? stats->min_dist / pot->dhat : PETSC_INFINITY;
  PetscFunctionReturn(0);
}

static inline const AbutPlaneSpec *PlaneOf(const AbutCandidates *c, const AbutStencil *st)
{
  return st->plane >= 0 ? &c->planes[st->plane] : NULL;
}

PetscErrorCode AbutStencilSetAddGradient(AbutPotential pot, PetscReal scale, PetscReal g[])
{
  const AbutStencilSet *set   = pot->data;
  const AbutCandidates *c     = set->candidates;
  const PetscReal       shat  = pot->dhat * pot->dhat;
  const PetscReal       kappa = set->scale * pot->kappa;
  const AbutStencil    *st    = set->stencils.data;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < set->num_stencils; s++) {
    PetscReal x[12], local[12];
    Gather(c->dim, st[s].n, st[s].v, set->x.data, x);
    AbutStencilGradient(c->dim, &st[s], PlaneOf(c, &st[s]), shat, x, local);
    for (PetscInt a = 0; a < st[s].n; a++) {
      for (PetscInt i = 0; i < c->dim; i++) g[c->dim * st[s].v[a] + i] += scale * kappa * local[c->dim * a + i];
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  const AbutStencilSet *set  = pot->data;
  const AbutCandidates *c    = set->candidates;
  const PetscReal       shat = pot->dhat * pot->dhat;
  const AbutStencil    *st   = set->stencils.data;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < set->num_stencils; s++) {
    PetscReal   x[12], H[144];
    PetscInt    global[4];
    AbutStencil scaled = st[s];
    scaled.weight *= scale * (set->scale * pot->kappa);
    Gather(c->dim, st[s].n, st[s].v, set->x.data, x);
    AbutStencilHessian(c->dim, &scaled, PlaneOf(c, &st[s]), shat, projection, x, H);
    for (PetscInt a = 0; a < st[s].n; a++) global[a] = c->vertex_global[st[s].v[a]];
    PetscCall(AbutAssemblerAdd(as, st[s].n, global, H));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetGetPattern(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near)
{
  AbutStencilSet    *set = pot->data;
  const PetscInt    *global;
  const AbutStencil *st = set->stencils.data;
  PetscInt(*out)[4];

  PetscFunctionBegin;
  global = set->candidates->vertex_global;
  PetscCall(Reserve(&set->needed, set->num_stencils, sizeof(*out)));
  out = set->needed.data;
  for (PetscInt s = 0; s < set->num_stencils; s++) {
    for (PetscInt a = 0; a < 4; a++) out[s][a] = a < st[s].n ? global[st[s].v[a]] : -1;
  }
  PetscCall(AbutCandidatesWithin(set->candidates, set->x.data, distance, &set->near, near));
  *needed = (AbutStencilList){set->num_stencils, NULL, set->needed.data};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStencilSetGetStencils(AbutPotential pot, PetscInt *count, const AbutStencil **stencils)
{
  const AbutStencilSet *set = pot->data;

  PetscFunctionBegin;
  *count    = set->num_stencils;
  *stencils = set->stencils.data;
  PetscFunctionReturn(0);
}

/*
  Replaces the mollifier of a stencil with fixed features by its value, as a factor of the weight. The gradient of the mollifier is a
  moment without resultant force, so it is left out.
*/
static AbutStencil Unmollified(const AbutStencil *st, const PetscReal x[])
{
  AbutStencil plain = *st;
  PetscInt    at[4];

  if (!st->fixed) return plain;
  plain.n = AbutStencilFixedPoints(st->form, at);
  plain.weight *= AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), st->eps_cross, NULL, NULL);
  plain.eps_cross = 0;
  plain.fixed     = PETSC_FALSE;
  for (PetscInt a = 0; a < 4; a++) plain.v[a] = a < plain.n ? st->v[at[a]] : -1;
  return plain;
}

PetscErrorCode AbutStencilSetGetContactPoints(AbutPotential pot, PetscInt *count, const AbutContactPoint **points)
{
  AbutStencilSet       *set   = pot->data;
  const AbutCandidates *c     = set->candidates;
  const PetscReal       shat  = pot->dhat * pot->dhat;
  const PetscReal       kappa = set->scale * pot->kappa;
  const AbutStencil    *st    = set->stencils.data;
  AbutContactPoint     *point;

  PetscFunctionBegin;
  PetscCall(Reserve(&set->points, set->num_stencils, sizeof(AbutContactPoint)));
  point  = set->points.data;
  *count = 0;
  for (PetscInt s = 0; s < set->num_stencils; s++) {
    AbutStencil plain;
    PetscReal   x[12];
    if (st[s].eps_cross > 0 && !st[s].fixed) continue;
    Gather(c->dim, st[s].n, st[s].v, set->x.data, x);
    plain = Unmollified(&st[s], x);
    Gather(c->dim, plain.n, plain.v, set->x.data, x);
    AbutStencilContactPoint(c->dim, &plain, PlaneOf(c, &plain), shat, kappa, x, &point[*count]);
    if (set->areas) point[*count].pairs = 1;
    ++*count;
  }
  *points = point;
  PetscFunctionReturn(0);
}
