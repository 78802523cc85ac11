/*
  The orientation-aware potentials "oipc" and "gcp" [Huang et al. 2025]: sums over pairs of primitives of a surface, see orientedimpl.h.

  The state stores the gradient of each contact over its support: the distinct vertices that it depends on, usually few of its stencil.
  Hessians are evaluated on request and projected over the same support.
*/
#include "oriented.h"

#define NEGLIGIBLE \
  1e-8 /* stiffness of a contact over the one without angles below which its Hessian is left out (1e-4: equal iterations) */

/* Reference force: the force between two vertices. */
static PetscReal GetForce_Oriented(AbutPotential pot, PetscReal dhat)
{
  const AbutOrientedSpec *spec = &((AbutOriented *)pot->data)->spec;
  const PetscInt          dim  = ((AbutOriented *)pot->data)->dim;
  PetscReal               slope, force;

  AbutOrientedBarrier(0.5, spec->power, &slope, NULL);
  force = -slope / dhat * PetscPowReal(spec->length, 2 * (PetscReal)(dim - 1));
  return spec->member == ABUT_ORIENTED_OIPC ? force * (1.5 * PetscPowReal(dhat, -spec->power)) : force;
}

/* ---- values ---- */

/* Whether `found` is valid for these candidates at these positions: all inputs are equal bit for bit. */
static PetscErrorCode IsCached(const AbutPotential pot, const AbutCandidates *c, const PetscReal xt[], PetscBool *known)
{
  const AbutOrientedCache *k = &((AbutOriented *)pot->data)->cache;
  const PetscInt           n = c->dim * c->num_vertices;
  const PetscReal         *x = k->x.a;

  PetscFunctionBegin;
  *known = (PetscBool)(c->search > 0 && k->search == c->search && k->candidates == c && k->dhat == pot->dhat);
  if (*known) PetscCall(PetscArraycmp(x, xt, n, known));
  for (PetscInt p = 0; p < c->num_planes && *known; p++) PetscCall(PetscArraycmp(x + n + 3 * p, c->planes[p].point, 3, known));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetCache(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutOrientedCache *k = &((AbutOriented *)pot->data)->cache;

  PetscFunctionBegin;
  k->candidates = c;
  k->search     = c->search;
  k->dhat       = pot->dhat;
  k->x.n        = 0;
  PetscCall(AbutRealsPush(&k->x, c->dim * c->num_vertices, xt));
  for (PetscInt p = 0; p < c->num_planes; p++) PetscCall(AbutRealsPush(&k->x, 3, c->planes[p].point));
  PetscFunctionReturn(0);
}

/* Sets `found` to the active contacts at xt, with distances and values; to none if bodies touch or have passed through each other. */
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
    AbutOrientedContact  *contact = &sm->found[i];
    AbutOrientedPairState state;
    PetscCall(AbutOrientedEvaluateContact(sm, c, contact, xt, &(AbutOrientedOutput){0}, &state));
    contact->dist  = state.dist;
    contact->value = state.value;
    if (state.value > 0) sm->found[count++] = *contact;
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
  for (PetscInt i = 0; i < sm->num_found; i++) sum += sm->found[i].value;
  *energy = sm->cache.min_dist2 > 0 && sum < PETSC_INFINITY ? pot->kappa * sum : PETSC_INFINITY;
  PetscFunctionReturn(0);
}

/* ---- state ---- */

/*
  Force on the second side of a pair: minus the sum of the gradient over its vertices. With a half space: minus the sum over all vertices,
  the force on the vertex.
*/
static void Force(const AbutOriented *sm, const AbutOrientedContact *contact, PetscInt n, const PetscReal g[], PetscReal force[3])
{
  const PetscInt dim  = sm->surface->dim;
  PetscInt       from = 0;

  if (contact->plane < 0) {
    AbutOrientedPrimitive p;
    AbutOrientedGetPrimitive(sm->surface, AbutOrientedKindOf(&contact->pair, 0), contact->pair.a, &p);
    from = p.n;
  }
  for (int k = 0; k < 3; k++) force[k] = 0;
  for (PetscInt k = from; k < n; k++) {
    for (PetscInt i = 0; i < dim; i++) force[i] -= g[dim * k + i];
  }
}

/*
  Appends the support of a contact to the state: the distinct vertices of its stencil with influence, in the order of their first slots,
  and the sum of the gradient over each.
*/
static PetscErrorCode AddSupport(AbutOrientedState *state, const AbutCandidates *c, const AbutOrientedWork *w, PetscInt n)
{
  static const PetscReal zero[3] = {0};
  const PetscInt         dim = c->dim, first = state->v.n;

  PetscFunctionBegin;
  PetscCall(AbutIntsPush(&state->support, 1, (PetscInt[]){0}));
  for (PetscInt k = 0; k < n; k++) {
    PetscInt at = first, index = -1;
    if (w->used[k + 1]) {
      while (at < state->v.n && state->v.a[at] != w->v[k]) at++;
      if (at == state->v.n) {
        PetscCall(AbutIntsPush(&state->v, 1, &w->v[k]));
        PetscCall(AbutIntsPush(&state->global, 1, &c->vertex_global[w->v[k]]));
        PetscCall(AbutRealsPush(&state->g, dim, zero));
      }
      for (PetscInt i = 0; i < dim; i++) state->g.a[dim * at + i] += w->g[dim * k + i];
      index = at - first + 1;
    }
    PetscCall(AbutIntsPush(&state->support, 1, &index));
  }
  PetscCall(AbutIntsPush(&state->start, 1, &state->v.n));
  PetscFunctionReturn(0);
}

/*
  Whether the Hessian of contact i is not negligible. Near the border of its support a value v is a power of the distance to it, so that
  g g^T / v has the size of the Hessian; it tends to 0 more slowly than the force g. Products of the steps of many angles are often tiny.
  A compactor (inputs/oipc/fig23_trash_compactor.yaml) takes equal iterations in 0.87 of the time.
*/
static PetscBool IsStiff(AbutOriented *sm, PetscInt i, const PetscReal x[])
{
  const AbutOrientedState   *s       = &sm->state;
  const AbutOrientedContact *contact = &s->contacts[i];
  PetscReal                  most    = 0;

  if (contact->plane >= 0) return PETSC_TRUE;
  for (PetscInt k = sm->dim * s->start.a[i]; k < sm->dim * s->start.a[i + 1]; k++) most = PetscMax(most, PetscAbsReal(s->g.a[k]));
  return (PetscBool)(most * most > NEGLIGIBLE * contact->value *
                                     AbutOrientedPairStiffness(sm->surface, &sm->spec, &contact->pair, x, sm->work.scratch.a));
}

/* Appends an active contact to the state. */
static PetscErrorCode AddContact(AbutOriented *sm, const AbutCandidates *c, const AbutOrientedContact *contact, const PetscReal x[])
{
  AbutOrientedState        *to        = &sm->state;
  AbutOrientedWork         *w         = &sm->work;
  const PetscInt            n         = AbutOrientedPairSize(sm->surface, &contact->pair);
  const AbutOrientedSupport stencil   = {n, NULL, contact->value};
  const AbutColumn          columns[] = {{&w->v, sizeof(*w->v)}, {&w->used, sizeof(*w->used)}, {&w->g, 3 * sizeof(*w->g)}};
  AbutOrientedPairState     state;

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(n + 1, &w->capacity, 3, columns));
  PetscCall(AbutOrientedEvaluateContact(sm, c, contact, x, &(AbutOrientedOutput){.support = &stencil, .used = w->used, .g = w->g}, &state));
  AbutOrientedPairVertices(sm->surface, &contact->pair, w->v);
  PetscCall(AbutReserve(to->num_contacts + 1, &to->capacity, &to->contacts));
  to->contacts[to->num_contacts]         = *contact;
  to->contacts[to->num_contacts].support = to->support.n;
  Force(sm, contact, n, w->g, to->contacts[to->num_contacts++].force);
  PetscCall(AddSupport(to, c, w, n));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetState_Oriented(AbutPotential pot, const AbutCandidates *c, const PetscReal xt[])
{
  AbutOriented      *sm = pot->data;
  AbutOrientedState *s  = &sm->state;

  PetscFunctionBegin;
  s->candidates   = c;
  s->num_contacts = s->x.n = s->start.n = s->v.n = s->global.n = s->support.n = s->g.n = s->stiff.n = 0;
  PetscCall(AbutIntsPush(&s->start, 1, (PetscInt[]){0}));
  PetscCall(AbutRealsPush(&s->x, c->num_vertices * c->dim, xt));
  PetscCall(FindValues(pot, c, xt));
  s->min_dist2 = sm->cache.min_dist2;
  for (PetscInt i = 0; i < sm->num_found; i++) {
    PetscCall(AddContact(sm, c, &sm->found[i], s->x.a));
    if (IsStiff(sm, i, s->x.a)) PetscCall(AbutIntsPush(&s->stiff, 1, &i));
  }
  PetscFunctionReturn(0);
}

static void GetStats_Oriented(AbutPotential pot, AbutPotentialStats *stats)
{
  const AbutOriented *sm = pot->data;

  stats->contacts = stats->stencils = sm->state.num_contacts;
  stats->min_dist                   = sm->state.min_dist2 < PETSC_INFINITY ? PetscSqrtReal(sm->state.min_dist2) : PETSC_INFINITY;
  stats->min_dist_ratio             = PETSC_INFINITY;
  for (PetscInt k = 0; k < sm->state.num_contacts; k++) {
    const AbutOrientedContact *contact = &sm->state.contacts[k];
    stats->min_dist_ratio              = PetscMin(stats->min_dist_ratio, contact->dist / contact->pair.dhat);
  }
}

static void AddGradient_Oriented(AbutPotential pot, PetscReal scale, PetscReal g[])
{
  const AbutOrientedState *s   = &((AbutOriented *)pot->data)->state;
  const PetscInt           dim = s->candidates->dim;

  for (PetscInt k = 0; k < s->v.n; k++) {
    for (PetscInt i = 0; i < dim; i++) g[dim * s->v.a[k] + i] += scale * pot->kappa * s->g.a[dim * k + i];
  }
}

static PetscErrorCode GetPattern_Oriented(AbutPotential pot, PetscReal distance, AbutStencilList *needed, AbutStencilList *near)
{
  AbutOriented            *sm    = pot->data;
  const AbutOrientedState *s     = &sm->state;
  AbutInts                *start = &sm->work.pattern_start, *vertices = &sm->work.pattern;

  PetscFunctionBegin;
  start->n = vertices->n = 0;
  PetscCall(AbutIntsPush(start, 1, &vertices->n));
  for (PetscInt k = 0; k < s->stiff.n; k++) {
    const PetscInt first = s->start.a[s->stiff.a[k]], end = s->start.a[s->stiff.a[k] + 1];
    PetscCall(AbutIntsPush(vertices, end - first, s->global.a + first));
    PetscCall(AbutIntsPush(start, 1, &vertices->n));
  }
  *needed = (AbutStencilList){s->stiff.n, start->a, vertices->a};
  PetscCall(AbutCandidatesWithin(s->candidates, s->x.a, distance, &sm->work.near, near));
  PetscFunctionReturn(0);
}

/* ---- creation ---- */

static PetscErrorCode Destroy_Oriented(AbutPotential pot)
{
  AbutOriented      *sm       = pot->data;
  AbutOrientedState *s        = &sm->state;
  AbutOrientedWork  *w        = &sm->work;
  const AbutColumn   state[]  = {{&s->x.a},      {&s->contacts},  {&s->start.a}, {&s->v.a},
                                 {&s->global.a}, {&s->support.a}, {&s->g.a},     {&s->stiff.a}};
  const AbutColumn   arrays[] = {{&sm->found},    {&sm->cache.x.a}, {&w->v},       {&w->used},   {&w->g},
                                 {&w->scratch.a}, {&w->group.a},    {&w->order.a}, {&w->near.a}, {&w->pattern_start.a},
                                 {&w->pattern.a}, {&w->stencils},   {&w->points}};

  PetscFunctionBegin;
  PetscCall(AbutFreeColumns(PETSC_STATIC_ARRAY_LENGTH(state), state));
  PetscCall(AbutFreeColumns(PETSC_STATIC_ARRAY_LENGTH(arrays), arrays));
  for (int kind = 0; kind < 3; kind++) PetscCall(PetscFree(sm->dhat[kind]));
  PetscCall(AbutOrientedSurfaceDestroy(&sm->surface));
  PetscCall(PetscFree(pot->data));
  PetscFunctionReturn(0);
}

/* Creates either potential; the other parameters are set in AbutOrientedSetUp(). */
static PetscErrorCode Create_Oriented(AbutPotential pot)
{
  AbutOriented *sm;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sm));
  sm->ratio                = 0.5;
  sm->spec.member          = pot->info == &AbutPotentialTypeGCP.info ? ABUT_ORIENTED_GCP : ABUT_ORIENTED_OIPC;
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

#define FILTERS (ABUT_SPEC_ALPHA | ABUT_SPEC_BETA | ABUT_SPEC_LENGTH | ABUT_SPEC_MEASURE)

const AbutPotentialType AbutPotentialTypeOIPC = {{.name          = "oipc",
                                                  .help          = "which knows the outer side of surfaces [Huang et al. 2025]",
                                                  .unit          = {"N", "N/m"},
                                                  .oriented      = PETSC_TRUE,
                                                  .adaptive_dhat = PETSC_TRUE,
                                                  .physical      = PETSC_TRUE,
                                                  .reads         = FILTERS},
                                                 Create_Oriented};
const AbutPotentialType AbutPotentialTypeGCP  = {{.name          = "gcp",
                                                  .help          = "the form of `oipc` in its authors' library",
                                                  .unit          = {"N/m", "N/m^3"},
                                                  .oriented      = PETSC_TRUE,
                                                  .adaptive_dhat = PETSC_TRUE,
                                                  .physical      = PETSC_TRUE,
                                                  .reads         = FILTERS},
                                                 Create_Oriented};
