/*
  Hessians of the contacts at the state, each over its support. ABUT_SIMD_WIDTH matrices are projected side by side. They are sorted by
  size, because the largest matrix of a group determines its cost.
*/
#include "oriented.h"

/* Group of up to ABUT_SIMD_WIDTH Hessians that are projected together, and the arguments of AbutOrientedAddHessian(). */
typedef struct {
  AbutOriented  *sm;
  AbutAssembler  as;
  AbutProjection projection;
  PetscBool      held; /* contacts with a half space: translations change their energy */
  PetscInt       count, contact[ABUT_SIMD_WIDTH], m[ABUT_SIMD_WIDTH];
  PetscReal     *H, *end, *scratch; /* the matrices one after the other; their end */
} Group;

static inline PetscInt SizeOf(const AbutOriented *sm, PetscInt contact)
{
  const PetscInt *start = sm->state.start.a + contact;
  return start[1] - start[0];
}

static inline PetscBool IsHeld(const AbutOriented *sm, PetscInt contact)
{
  return (PetscBool)(sm->state.contacts[contact].plane >= 0);
}

/* Sorts the stiff contacts: pairs of primitives before half spaces, large supports before small ones. most: largest support. */
static PetscErrorCode SortBySize(AbutOriented *sm, PetscInt *most, const PetscInt **order)
{
  const PetscInt n = sm->state.stiff.n;
  PetscInt      *key, *contact;

  PetscFunctionBegin;
  PetscCall(AbutReserve(2 * n, &sm->work.order.capacity, &sm->work.order.a));
  contact = sm->work.order.a;
  key     = contact + n;
  *order  = contact;
  *most   = 0;
  (void)PetscArraycpy(contact, sm->state.stiff.a, n);
  for (PetscInt i = 0; i < n; i++) *most = PetscMax(*most, SizeOf(sm, contact[i]));
  for (PetscInt i = 0; i < n; i++) key[i] = (IsHeld(sm, contact[i]) ? *most + 1 : 0) - SizeOf(sm, contact[i]);
  PetscCall(PetscSortIntWithArray(n, key, contact));
  PetscFunctionReturn(0);
}

/* Projects and assembles the matrices of the group. */
static PetscErrorCode Finish(Group *group)
{
  const AbutOrientedState *state = &group->sm->state;
  const PetscInt           dim   = group->sm->dim;

  PetscFunctionBegin;
  AbutOrientedProject(dim, (PetscBool)!group->held, group->projection, group->count, group->m, group->H, group->scratch);
  group->end = group->H;
  for (PetscInt i = 0; i < group->count; i++) {
    PetscCall(AbutAssemblerAdd(group->as, group->m[i], state->global.a + state->start.a[group->contact[i]], group->end));
    group->end += PetscSqr(dim * group->m[i]);
  }
  group->count = 0;
  group->end   = group->H;
  PetscFunctionReturn(0);
}

/* Appends the Hessian of contact i of the state over its support. */
static PetscErrorCode AddContact(Group *group, PetscInt i, PetscReal scale)
{
  AbutOriented              *sm      = group->sm;
  const AbutOrientedContact *contact = &sm->state.contacts[i];
  const PetscInt             m       = SizeOf(sm, i);
  const AbutOrientedSupport  support = {m, sm->state.support.a + contact->support, contact->value};
  AbutOrientedPairState      state;

  PetscFunctionBegin;
  if (!AbutAssemblerNeeds(group->as, m, sm->state.global.a + sm->state.start.a[i])) PetscFunctionReturn(0);
  if (group->count == ABUT_SIMD_WIDTH || group->held != IsHeld(sm, i)) PetscCall(Finish(group));
  group->held = IsHeld(sm, i);
  PetscCall(AbutOrientedEvaluateContact(sm, sm->state.candidates, contact, sm->state.x.a,
                                        &(AbutOrientedOutput){.support = &support, .H = group->end}, &state));
  for (PetscInt k = 0; k < PetscSqr(sm->dim * m); k++) group->end[k] *= scale;
  group->m[group->count]         = m;
  group->contact[group->count++] = i;
  group->end += PetscSqr(sm->dim * m);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutOrientedAddHessian(AbutPotential pot, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  AbutOriented   *sm    = pot->data;
  Group           group = {.sm = sm, .as = as, .projection = projection};
  const PetscInt *order = NULL;
  PetscInt        most  = 0;
  size_t          size;

  PetscFunctionBegin;
  PetscCall(SortBySize(sm, &most, &order));
  size = AbutOrientedProjectScratch(sm->dim * most);
  PetscCall(AbutReserve((PetscInt)size + ABUT_SIMD_WIDTH * PetscSqr(sm->dim * most), &sm->work.group.capacity, &sm->work.group.a));
  group.scratch = sm->work.group.a;
  group.H = group.end = group.scratch + size;
  for (PetscInt k = 0; k < sm->state.stiff.n; k++) PetscCall(AddContact(&group, order[k], scale * pot->kappa));
  PetscCall(Finish(&group));
  PetscFunctionReturn(0);
}
