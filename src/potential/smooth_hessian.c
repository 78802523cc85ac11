/*
  Hessians of the contacts at the state, each over the distinct vertices that it depends on. Those of as many vertices wait for each other
  until there are enough to be projected together.
*/
#include "smooth.h"

typedef struct {
  PetscInt   count, contact[ABUT_LANES];
  PetscReal *H; /* [count (dim m)^2], NULL until needed */
} Waiting;

/* What the Hessians of one call share. */
typedef struct {
  AbutSmooth    *sm;
  AbutAssembler  as;
  AbutProjection projection;
  Waiting       *waiting; /* [2 (m + 1)]: of m vertices, free to move together; the same, held by a plane */
  PetscReal     *scratch;
} Adding;

static PetscErrorCode AddOne(const Adding *adding, PetscInt contact, const PetscReal H[])
{
  const PetscInt *start = (PetscInt *)adding->sm->start.data + contact;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerAdd(adding->as, start[1] - start[0], (PetscInt *)adding->sm->global.data + start[0], H));
  PetscFunctionReturn(0);
}

/* Projects those that wait in place k and adds them. */
static PetscErrorCode Finish(const Adding *adding, PetscInt k)
{
  Waiting       *w   = &adding->waiting[k];
  const PetscInt dim = adding->sm->dim, m = k / 2, n = dim * m;

  PetscFunctionBegin;
  AbutSmoothProject(dim, m, (PetscBool)(k % 2 == 0), adding->projection, w->count, w->H, adding->scratch);
  for (PetscInt i = 0; i < w->count; i++) PetscCall(AddOne(adding, w->contact[i], w->H + n * n * i));
  w->count = 0;
  PetscFunctionReturn(0);
}

/* Hessian of a contact at the state over its m vertices. */
static PetscErrorCode Evaluate(AbutSmooth *sm, const AbutSmoothContact *contact, PetscInt m, PetscReal scale, PetscReal H[])
{
  const AbutSmoothPlaces places = {m, (PetscInt *)sm->place.data + contact->place, contact->value};
  const PetscInt         n      = sm->dim * m;
  AbutSmoothPairState    state;
  PetscInt               size;

  PetscFunctionBegin;
  PetscCall(AbutSmoothReserve(sm, contact, &size));
  AbutSmoothEvaluateContact(sm, sm->candidates, contact, sm->x.data, &places, &state, NULL, NULL, H);
  for (PetscInt k = 0; k < n * n; k++) H[k] *= scale;
  PetscFunctionReturn(0);
}

static PetscErrorCode AddContact(const Adding *adding, const AbutPotential pot, PetscInt i, PetscReal scale)
{
  AbutSmooth              *sm      = adding->sm;
  const AbutSmoothContact *contact = (AbutSmoothContact *)sm->contacts.data + i;
  const PetscInt          *start = (PetscInt *)sm->start.data + i, m = start[1] - start[0], n = sm->dim * m;
  const PetscInt           k = 2 * m + (contact->plane >= 0);
  Waiting                 *w = &adding->waiting[k];
  PetscReal               *H;

  PetscFunctionBegin;
  if (!w->H) PetscCall(PetscMalloc1(ABUT_LANES * n * n, &w->H));
  H = w->H + n * n * w->count;
  PetscCall(Evaluate(sm, contact, m, scale, H));
  if (AbutProjectionOf(adding->projection, pot->chosen, m, (PetscInt *)sm->v.data + start[0]) == ABUT_PSD_NONE) {
    PetscCall(AddOne(adding, i, H));
    PetscFunctionReturn(0);
  }
  w->contact[w->count++] = i;
  if (w->count == ABUT_LANES) PetscCall(Finish(adding, k));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSmoothAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  AbutSmooth     *sm     = pot->data;
  const PetscInt *start  = sm->start.data;
  Adding          adding = {sm, as, projection, NULL, NULL};
  PetscInt        max    = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sm->num_contacts; i++) max = PetscMax(max, start[i + 1] - start[i]);
  PetscCall(PetscCalloc1(2 * (max + 1), &adding.waiting));
  PetscCall(PetscMalloc1(AbutSmoothProjectScratch(sm->dim * max), &adding.scratch));
  for (PetscInt i = 0; i < sm->num_contacts; i++) PetscCall(AddContact(&adding, pot, i, scale * pot->kappa));
  for (PetscInt k = 0; k < 2 * (max + 1); k++) {
    if (adding.waiting[k].count) PetscCall(Finish(&adding, k));
    PetscCall(PetscFree(adding.waiting[k].H));
  }
  PetscCall(PetscFree(adding.waiting));
  PetscCall(PetscFree(adding.scratch));
  PetscFunctionReturn(0);
}
