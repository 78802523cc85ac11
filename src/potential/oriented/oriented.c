/*
  The orientation-aware potentials "oipc" and "gcp" [Huang et al. 2025]: sums over pairs of primitives of a surface, see orientedimpl.h.

  The state stores the gradient of each contact over its support: the distinct vertices that it depends on, usually few of its stencil.
  Hessians are evaluated on request and projected over the support.
*/
#include "oriented.h"

/* Reference force: between two vertices. */
static PetscErrorCode GetForce_Oriented(AbutPotential pot, PetscReal dhat, PetscReal *force)
{
  const AbutOriented     *sm   = pot->data;
  const AbutOrientedSpec *spec = &sm->spec;
  PetscReal               slope;

  PetscFunctionBegin;
  AbutOrientedBarrier(0.5, spec->power, &slope, NULL);
  *force = -slope / dhat * PetscPowReal(spec->length, 2 * (PetscReal)(sm->dim - 1));
  if (spec->member == ABUT_ORIENTED_OIPC) *force *= 1.5 * PetscPowReal(dhat, -spec->power);
  PetscFunctionReturn(0);
}

/* ---- values ---- */

/* Whether `found` has the values of these candidates at these positions: all inputs are equal bit for bit. */
static PetscErrorCode IsCached(const AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscBool *known)
{
  const AbutOrientedCache *k = &((AbutOriented *)pot->data)->cache;
  const PetscInt           n = c->dim * c->num_vertices;
  const PetscReal         *x = k->x.data;

  PetscFunctionBegin;
  *known = (PetscBool)(c->search > 0 && k->search == c->search && k->candidates == c && k->dhat == pot->dhat);
  if (*known) PetscCall(PetscArraycmp(x, xt, n, known));
  for (PetscInt p = 0; p < c->num_planes && *known; p++) PetscCall(PetscArraycmp(x + n + 3 * p, c->planes[p].point, 3, known));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetCache(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutOrientedCache *k = &((AbutOriented *)pot->data)->cache;
  const PetscInt     n = c->dim * c->num_vertices;
  PetscReal         *x;

  PetscFunctionBegin;
  k->candidates = c;
  k->search     = c->search;
  k->dhat       = pot->dhat;
  PetscCall(Reserve(&k->x, n + 3 * c->num_planes, sizeof(PetscReal)));
  x = k->x.data;
  PetscCall(PetscArraycpy(x, xt, n));
  for (PetscInt p = 0; p < c->num_planes; p++) PetscCall(PetscArraycpy(x + n + 3 * p, c->planes[p].point, 3));
  PetscFunctionReturn(0);
}

/* Sets `found` to the active contacts at xt with distances and values; to none if a contact is touched or passed. */
static PetscErrorCode FindValues(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutOriented *sm = pot->data;
  PetscBool     known;
  PetscInt      count = 0;

  PetscFunctionBegin;
  PetscCall(IsCached(pot, c, xt, &known));
  if (known) PetscFunctionReturn(0);
  PetscCall(AbutOrientedFindPairs(pot, c, xt, &sm->cache.min_dist2));
  for (PetscInt i = 0; i < sm->num_found && sm->cache.min_dist2 > 0; i++) {
    AbutOrientedContact  *contact = (AbutOrientedContact *)sm->found.data + i;
    AbutOrientedPairState state;
    PetscInt              n;
    PetscCall(AbutOrientedReserve(sm, contact, &n));
    AbutOrientedEvaluateContact(sm, c, contact, xt, &(AbutOrientedOutput){0}, &state);
    contact->dist  = state.dist;
    contact->value = state.value;
    if (state.value > 0) ((AbutOrientedContact *)sm->found.data)[count++] = *contact;
  }
  sm->num_found = count;
  PetscCall(SetCache(pot, c, xt));
  PetscFunctionReturn(0);
}

static PetscErrorCode Energy_Oriented(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscReal *energy)
{
  AbutOriented *sm  = pot->data;
  PetscReal     sum = 0;

  PetscFunctionBegin;
  PetscCall(FindValues(pot, c, xt));
  for (PetscInt i = 0; i < sm->num_found; i++) sum += ((AbutOrientedContact *)sm->found.data)[i].value;
  *energy = sm->cache.min_dist2 > 0 && sum < PETSC_INFINITY ? pot->kappa * sum : PETSC_INFINITY;
  PetscFunctionReturn(0);
}

/* ---- state ---- */

/* Lists the distinct used vertices of a stencil, in the order of their first slots; index: AbutOrientedSupport.index. */
static PetscInt Compress(PetscInt n, const PetscInt v[], const PetscBool used[], PetscInt index[], PetscInt distinct[])
{
  PetscInt count = 0;

  index[0] = 0;
  for (PetscInt s = 0; s < n; s++) {
    PetscInt k   = 0;
    index[s + 1] = -1;
    if (!used[s + 1]) continue;
    while (k < count && distinct[k] != v[s]) k++;
    if (k == count) distinct[count++] = v[s];
    index[s + 1] = k + 1;
  }
  return count;
}

/* Force on the second side: minus the sum of the gradient over its vertices; for a half space, over all vertices. */
static void Force(const AbutOriented *sm, const AbutOrientedContact *contact, PetscInt n, const PetscReal g[], PetscReal force[3])
{
  const PetscInt dim  = sm->surface->dim;
  PetscInt       from = 0;

  if (contact->plane < 0) {
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(sm->surface, AbutOrientedKindOf(dim, &contact->pair, 0), contact->pair.a, &p);
    from = p.n;
  }
  for (int k = 0; k < 3; k++) force[k] = 0;
  for (PetscInt k = from; k < n; k++) {
    for (PetscInt i = 0; i < dim; i++) force[i] -= g[dim * k + i];
  }
}

/* Appends an active contact to the state. */
static PetscErrorCode AddContact(AbutOriented *sm, const AbutCandidates *c, const AbutOrientedContact *contact, const PetscReal x[])
{
  const PetscInt        dim = c->dim;
  AbutOrientedPairState state;
  AbutOrientedContact  *kept;
  AbutOrientedSupport   stencil;
  PetscInt              n, m, *start, *slot_v, *index, *v, *global;
  PetscReal            *g, *to;
  PetscBool            *used;

  PetscFunctionBegin;
  PetscCall(AbutOrientedReserve(sm, contact, &n));
  stencil = (AbutOrientedSupport){n, NULL, contact->value};
  g       = (PetscReal *)sm->work.scratch.data + AbutOrientedScratch(dim, n);
  slot_v  = sm->work.slots.data;
  used    = sm->work.used.data;
  AbutOrientedEvaluateContact(sm, c, contact, x, &(AbutOrientedOutput){.support = &stencil, .used = used, .g = g}, &state);
  AbutOrientedContactVertices(sm, contact, slot_v);
  PetscCall(Reserve(&sm->state.contacts, sm->state.num_contacts + 1, sizeof(AbutOrientedContact)));
  PetscCall(Reserve(&sm->state.start, sm->state.num_contacts + 2, sizeof(PetscInt)));
  start = sm->state.start.data;
  PetscCall(Reserve(&sm->state.v, start[sm->state.num_contacts] + n, sizeof(PetscInt)));
  PetscCall(Reserve(&sm->state.global, start[sm->state.num_contacts] + n, sizeof(PetscInt)));
  PetscCall(Reserve(&sm->state.support, sm->state.num_support + n + 1, sizeof(PetscInt)));
  PetscCall(Reserve(&sm->state.g, dim * (start[sm->state.num_contacts] + n), sizeof(PetscReal)));
  v      = (PetscInt *)sm->state.v.data + start[sm->state.num_contacts];
  global = (PetscInt *)sm->state.global.data + start[sm->state.num_contacts];
  to     = (PetscReal *)sm->state.g.data + dim * start[sm->state.num_contacts];
  index  = (PetscInt *)sm->state.support.data + sm->state.num_support;
  m      = Compress(n, slot_v, used, index, v);
  for (PetscInt k = 0; k < m; k++) global[k] = c->vertex_global[v[k]];
  PetscCall(PetscArrayzero(to, dim * m));
  for (PetscInt k = 0; k < n; k++) {
    for (PetscInt i = 0; i < dim && index[k + 1] > 0; i++) to[dim * (index[k + 1] - 1) + i] += g[dim * k + i];
  }
  kept  = (AbutOrientedContact *)sm->state.contacts.data + sm->state.num_contacts;
  *kept = *contact;
  Force(sm, contact, n, g, kept->force);
  kept->support = sm->state.num_support;
  sm->state.num_support += n + 1;
  start[sm->state.num_contacts + 1] = start[sm->state.num_contacts] + m;
  sm->state.num_contacts++;
  PetscFunctionReturn(0);
}

static PetscErrorCode SetState_Oriented(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutOriented *sm = pot->data;

  PetscFunctionBegin;
  sm->state.candidates   = c;
  sm->state.num_contacts = sm->state.num_support = 0;
  PetscCall(Reserve(&sm->state.start, 1, sizeof(PetscInt)));
  ((PetscInt *)sm->state.start.data)[0] = 0;
  PetscCall(Reserve(&sm->state.x, c->num_vertices * c->dim, sizeof(PetscReal)));
  PetscCall(PetscArraycpy((PetscReal *)sm->state.x.data, xt, c->num_vertices * c->dim));
  PetscCall(FindValues(pot, c, xt));
  sm->state.min_dist2 = sm->cache.min_dist2;
  for (PetscInt i = 0; i < sm->num_found; i++) PetscCall(AddContact(sm, c, (AbutOrientedContact *)sm->found.data + i, sm->state.x.data));
  PetscFunctionReturn(0);
}

static PetscErrorCode GetStats_Oriented(AbutPotential pot, AbutPotentialStats *stats)
{
  const AbutOriented *sm = pot->data;

  PetscFunctionBegin;
  stats->contacts = stats->stencils = sm->state.num_contacts;
  stats->min_dist                   = sm->state.min_dist2 < PETSC_INFINITY ? PetscSqrtReal(sm->state.min_dist2) : PETSC_INFINITY;
  stats->min_dist_ratio             = PETSC_INFINITY;
  for (PetscInt k = 0; k < sm->state.num_contacts; k++) {
    const AbutOrientedContact *contact = (AbutOrientedContact *)sm->state.contacts.data + k;
    stats->min_dist_ratio              = PetscMin(stats->min_dist_ratio, contact->dist / contact->pair.dhat);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddGradient_Oriented(AbutPotential pot, PetscReal scale, PetscReal g[])
{
  const AbutOriented *sm  = pot->data;
  const PetscInt      dim = sm->state.candidates->dim, *start = sm->state.start.data, *v = sm->state.v.data;
  const PetscReal    *own = sm->state.g.data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < start[sm->state.num_contacts]; k++) {
    for (PetscInt i = 0; i < dim; i++) g[dim * v[k] + i] += scale * pot->kappa * own[dim * k + i];
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode GetPattern_Oriented(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near)
{
  AbutOriented *sm = pot->data;

  PetscFunctionBegin;
  *needed = (AbutStencilList){sm->state.num_contacts, sm->state.start.data, sm->state.global.data};
  PetscCall(AbutCandidatesWithin(sm->state.candidates, sm->state.x.data, distance, &sm->work.near, near));
  PetscFunctionReturn(0);
}

/* ---- creation ---- */

static PetscErrorCode Destroy_Oriented(AbutPotential pot)
{
  AbutOriented      *sm = pot->data;
  AbutOrientedState *s  = &sm->state;
  AbutOrientedWork  *w  = &sm->work;
  Buffer *buffers[]     = {&sm->vertex_dhat, &sm->edge_dhat, &sm->face_dhat, &sm->length[0], &sm->length[1], &sm->length[2], &sm->elements,
                           &sm->found,       &sm->cache.x,   &s->x,          &s->contacts,   &s->start,      &s->v,          &s->global,
                           &s->support,      &s->g,          &w->slots,      &w->used,       &w->scratch,    &w->order,      &w->group,
                           &w->near,         &w->stencils,   &w->points};

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) PetscCall(PetscFree(buffers[i]->data));
  PetscCall(AbutOrientedSurfaceDestroy(&sm->surface));
  PetscCall(PetscFree(pot->data));
  PetscFunctionReturn(0);
}

/* Creates either potential; the other parameters are set in AbutOrientedSetUp(). */
static PetscErrorCode Create(AbutPotential pot, AbutOrientedMember member)
{
  AbutOriented *sm;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sm));
  sm->ratio                = 0.5;
  sm->spec.member          = member;
  sm->spec.mollifier_width = 1e-3;
  sm->spec.mollifier_ratio = 0.1;
  pot->data                = sm;
  pot->ops                 = (AbutPotentialOps){.destroy          = Destroy_Oriented,
                                                .setup            = AbutOrientedSetUp,
                                                .getforce         = GetForce_Oriented,
                                                .energy           = Energy_Oriented,
                                                .setstate         = SetState_Oriented,
                                                .getstats         = GetStats_Oriented,
                                                .addgradient      = AddGradient_Oriented,
                                                .addhessian       = AbutOrientedAddHessian,
                                                .getpattern       = GetPattern_Oriented,
                                                .getstencils      = AbutOrientedGetStencils,
                                                .getcontactpoints = AbutOrientedGetContactPoints};
  PetscFunctionReturn(0);
}

static PetscErrorCode Create_OIPC(AbutPotential pot)
{
  PetscFunctionBegin;
  PetscCall(Create(pot, ABUT_ORIENTED_OIPC));
  PetscFunctionReturn(0);
}

static PetscErrorCode Create_GCP(AbutPotential pot)
{
  PetscFunctionBegin;
  PetscCall(Create(pot, ABUT_ORIENTED_GCP));
  PetscFunctionReturn(0);
}

#define FILTERS (ABUT_SPEC_ALPHA | ABUT_SPEC_BETA | ABUT_SPEC_LENGTH | ABUT_SPEC_SMOOTHNESS)

const AbutPotentialType AbutPotentialTypeOIPC = {{.name           = "oipc",
                                                  .oriented       = PETSC_TRUE,
                                                  .adaptive_dhat  = PETSC_TRUE,
                                                  .physical       = PETSC_TRUE,
                                                  .reads          = FILTERS | ABUT_SPEC_QUADRATURE,
                                                  .max_quadrature = {ABUT_ORIENTED_MAX_SAMPLES, 3}},
                                                 Create_OIPC};
const AbutPotentialType AbutPotentialTypeGCP  = {
   {.name = "gcp", .oriented = PETSC_TRUE, .adaptive_dhat = PETSC_TRUE, .physical = PETSC_TRUE, .reads = FILTERS}, Create_GCP};
