/*
  Verlet list: pairs of one search from which later searches choose their candidates.

  A search that builds the list keeps every pair whose swept boxes no axis separates by more than inflation + 2 skin. Let r be positions
  on that sweep. As long as no coordinate of a vertex differs from r by more than the skin, a pair outside the list stays separated along
  the same axis by more than the inflation, and AbutPairsSeparated() discards such a pair. Searches within the skin of r therefore test the
  pairs of the list only, and find exactly the candidates of a search without a list. r is the last position on the sweep that
  AbutContactPositions() was called for.
*/
#include "contactimpl.h"

#define TRAVEL_DECAY 0.9 /* factor per search by which the recorded largest move of a vertex decays */

PetscErrorCode AbutVerletCreate(AbutContact contact)
{
  AbutVerletList *list = &contact->verlet;
  const PetscInt  n    = contact->num_surface * contact->m->dim;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(n, &list->x, n, &list->x_end));
  AbutVerletForget(list);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutVerletDestroy(AbutVerletList *list)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(list->x, list->x_end));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    for (int set = 0; set < 3; set++) PetscCall(PetscFree(list->list[kind][set].pair));
    for (int copies = 0; copies < 2; copies++) PetscCall(PetscFree(list->box[copies][kind]));
  }
  PetscFunctionReturn(0);
}

/* Sets the reference position r once the sweep of the search that built the list has been left at t. */
static void SetReference(AbutVerletList *list, PetscInt n, PetscReal t)
{
  const PetscReal fraction = list->step > 0 ? PetscMin(PetscMax(t / list->step, 0), 1) : 0;

  for (PetscInt i = 0; i < n; i++) list->x[i] += fraction * (list->x_end[i] - list->x[i]);
  list->has_reference = PETSC_TRUE;
}

/* Whether both ends of a sweep are within the skin of r, with an allowance for round-off; *move: largest coordinate of a displacement. */
static PetscBool StaysWithinSkin(AbutContact contact, PetscReal step, PetscReal *move)
{
  const AbutVerletList *list  = &contact->verlet;
  const AbutSweep      *sweep = &contact->search;
  const PetscInt        dim   = contact->m->dim;
  const PetscReal       most  = (1 - 1e-6) * list->skin;
  PetscBool             stays = PETSC_TRUE;

  *move = 0;
  for (int32_t i = 0; i < contact->num_surface; i++) {
    const PetscReal *x = sweep->x + dim * contact->surface[i], *p = sweep->p + dim * contact->surface[i], *r = list->x + dim * i;

    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal way = step * p[k], from = x[k] - r[k], error = 4e-15 * (PetscAbsReal(r[k]) + list->skin);

      if (!(PetscAbsReal(from) + error <= most && PetscAbsReal(from + way) + error <= most)) stays = PETSC_FALSE;
      *move = PetscMax(*move, PetscAbsReal(way));
    }
  }
  return stays;
}

PetscErrorCode AbutVerletServes(AbutContact contact, PetscReal step, PetscReal inflation, PetscBool *serves, PetscBool *failed)
{
  AbutVerletList *list = &contact->verlet;
  const PetscReal t    = list->t;
  PetscReal       mine[5], all[5]; /* largest move, list does not serve, largest t, -smallest t, failed */
  PetscBool       within;

  PetscFunctionBegin;
  if (list->skin > 0 && !list->has_reference) SetReference(list, contact->num_surface * contact->m->dim, t);
  within  = StaysWithinSkin(contact, step, &mine[0]);
  mine[1] = !(within && list->skin > 0 && inflation <= list->inflation);
  mine[2] = t;
  mine[3] = -t;
  mine[4] = *failed;
  PetscCallMPI(MPI_Allreduce(mine, all, 5, MPIU_REAL, MPIU_MAX, contact->comm));
  *failed = (PetscBool)(all[4] != 0);
  if (!*failed && !AbutSweepIsRestricted(&contact->search)) list->travel = PetscMax(all[0], TRAVEL_DECAY * list->travel);
  *serves = (PetscBool)(all[1] == 0 && all[2] == -all[3]);
  PetscFunctionReturn(0);
}

static PetscErrorCode SetEntityBoxes(AbutContact contact, const AbutEntities *entities, PetscInt *capacity, AbutBox **boxes)
{
  PetscFunctionBegin;
  PetscCall(AbutReserve(entities->n, capacity, boxes));
  for (int32_t i = 0; i < entities->n; i++)
    (*boxes)[i] = AbutBVHEntityBox(entities->nv, entities->v + (size_t)entities->nv * i, contact->search.box);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutVerletSetBoxes(AbutContact contact, PetscReal step, PetscReal inflation)
{
  AbutVerletList *list  = &contact->verlet;
  AbutSweep      *sweep = &contact->search;

  PetscFunctionBegin;
  AbutSweepPlaceVertices(contact, sweep, step, inflation);
  AbutSweepPlaceCopies(contact, sweep);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    PetscCall(SetEntityBoxes(contact, &contact->local[kind], &list->box_capacity[0][kind], &list->box[0][kind]));
    PetscCall(SetEntityBoxes(contact, &sweep->copies[kind], &list->box_capacity[1][kind], &list->box[1][kind]));
  }
  PetscFunctionReturn(0);
}
