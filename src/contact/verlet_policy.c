/* When a Verlet list is built and how large its skin is. Decisions depend on counts, never on clocks, so that runs are reproducible. */
#include "contactimpl.h"

#define SKIN_MAX           64     /* largest skin, over the largest move of a vertex */
#define SKIN_MIN           0.0625 /* smallest skin, over the largest move of a vertex */
#define LIFETIME           4      /* a small list that serves fewer searches is followed by one with twice the skin [searches] */
#define CAPACITY_BASE      65536  /* constant part of the capacity of the list [pairs] */
#define CAPACITY_ENTITY    12     /* capacity of the list per surface entity [pairs] */
#define CAPACITY_CANDIDATE 6      /* capacity of the list per candidate of the last search [pairs] */
#define MAX_PAUSE          64     /* most searches without a list after one that overflowed [searches] */
#define COST_SEARCH        2000   /* cost of a search without the list [pair tests] */
#define COST_ENTITY        30     /* cost of a search without the list, per surface entity; a factor of two matters little [pair tests] */

void AbutVerletForget(AbutVerletList *list)
{
  list->skin = list->travel = list->t = 0;
  list->skin_factor                   = 1;
  list->candidates = list->pause = list->wait = 0;
}

static PetscInt NumEntities(AbutContact contact)
{
  PetscInt n = 0;

  for (int kind = 0; kind < NUM_KINDS; kind++) n += contact->local[kind].n;
  return n;
}

/* Stores the positions of the surface vertices at both ends of the sweep. */
static void RecordSweep(AbutContact contact, PetscReal step)
{
  AbutVerletList  *list  = &contact->verlet;
  const AbutSweep *sweep = &contact->search;
  const PetscInt   dim   = contact->m->dim;

  for (int32_t i = 0; i < contact->num_surface; i++) {
    for (PetscInt k = 0; k < dim; k++) {
      const size_t j = (size_t)(dim * contact->surface[i] + k);

      list->x[dim * i + k]     = sweep->x[j];
      list->x_end[dim * i + k] = sweep->x[j] + step * sweep->p[j];
    }
  }
}

void AbutVerletBegin(AbutContact contact, PetscReal step, PetscReal inflation)
{
  AbutVerletList *list = &contact->verlet;

  if (AbutSweepIsRestricted(&contact->search)) { /* its moves say little about full searches */
    list->skin = 0;
    return;
  }
  if (list->skin > 0 && list->small && list->uses < LIFETIME) list->skin_factor = PetscMin(2 * list->skin_factor, SKIN_MAX);
  list->skin = 0;
  if (list->wait > 0) list->wait--;
  if (!contact->params.verlet || list->wait > 0) return;
  list->skin      = PetscMax(list->skin_factor * list->travel, inflation / 4);
  list->inflation = inflation;
  list->reach     = inflation + 2 * list->skin;
  list->step      = step;
  list->uses      = 0;
  list->num       = 0;
  list->capacity =
    PetscMin(contact->params.max_pairs, CAPACITY_CANDIDATE * list->candidates + CAPACITY_ENTITY * NumEntities(contact) + CAPACITY_BASE);
  list->building = (PetscBool)(list->skin > 0);
  list->overflow = list->has_reference = PETSC_FALSE;
  RecordSweep(contact, step);
}

void AbutVerletGetVerdict(AbutContact contact, AbutVerletVerdict *verdict)
{
  const AbutVerletList *list = &contact->verlet;
  const PetscInt        cost = COST_SEARCH + COST_ENTITY * NumEntities(contact);

  verdict->overflow  = list->skin > 0 && list->overflow;
  verdict->expensive = list->skin > 0 && list->num > 2 * cost;
  verdict->large     = list->skin > 0 && 4 * list->num > PetscMin(cost, list->capacity);
}

void AbutVerletEnd(AbutContact contact, PetscInt found, const AbutVerletVerdict *verdict, PetscBool failed)
{
  AbutVerletList *list = &contact->verlet;

  list->uses++;
  list->t = 0;
  if (verdict->overflow) {
    list->pause = PetscMin(2 * list->pause + 1, MAX_PAUSE);
    list->wait  = list->pause + 1;
  } else if (!AbutSweepIsRestricted(&contact->search)) {
    list->candidates = found;
  }
  if (list->building && (verdict->overflow || verdict->expensive)) list->skin_factor = PetscMax(list->skin_factor / 2, SKIN_MIN);
  if (verdict->overflow || failed) list->skin = 0;
  list->small    = (PetscBool)!verdict->large;
  list->building = PETSC_FALSE;
}
