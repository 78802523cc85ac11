/* When a Verlet list is built and how large its skin is. Decisions depend on counts, never on clocks, so that runs are reproducible. */
#include "contactimpl.h"

#define MEMBER(name) offsetof(AbutVerletPolicy, name)

static const AbutOption options[] = {
  {"-contact_verlet_travel_decay", ABUT_OPTION_REAL, MEMBER(travel_decay), 0.9, 0, 1, "",
   "factor per search by which the recorded largest move of a vertex decays"},
  {"-contact_verlet_skin_max", ABUT_OPTION_REAL, MEMBER(skin_max), 64, 1, 1e6, "", "largest skin, over the largest move of a vertex"},
  {"-contact_verlet_skin_min", ABUT_OPTION_REAL, MEMBER(skin_min), 0.0625, 0, 1, "", "smallest skin, over the largest move of a vertex"},
  {"-contact_verlet_lifetime", ABUT_OPTION_INT, MEMBER(lifetime), 4, 1, 1e6, "searches",
   "a small list that serves fewer searches is followed by one with twice the skin"},
  {"-contact_verlet_capacity", ABUT_OPTION_INT, MEMBER(capacity_base), 65536, 0, 1e9, "pairs", "constant part of the capacity of the list"},
  {"-contact_verlet_capacity_entity", ABUT_OPTION_INT, MEMBER(capacity_entity), 12, 0, 1e6, "pairs",
   "capacity of the list per surface entity"},
  {"-contact_verlet_capacity_candidate", ABUT_OPTION_INT, MEMBER(capacity_candidate), 6, 0, 1e6, "pairs",
   "capacity of the list per candidate of the last search"},
  {"-contact_verlet_max_pause", ABUT_OPTION_INT, MEMBER(max_pause), 64, 0, 1e6, "searches",
   "most searches without a list after one that overflowed"},
  {"-contact_verlet_cost_search", ABUT_OPTION_INT, MEMBER(cost_search), 2000, 0, 1e9, "pair tests", "cost of a search without the list"},
  {"-contact_verlet_cost_entity", ABUT_OPTION_INT, MEMBER(cost_entity), 30, 0, 1e6, "pair tests",
   "cost of a search without the list, per surface entity; a factor of two matters little"}};

const AbutOptionTable AbutVerletOptions = {"Verlet list of the contact search", sizeof(options) / sizeof(options[0]), options};

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
  const AbutVerletPolicy *policy = &contact->verlet_policy;
  AbutVerletList         *list   = &contact->verlet;

  if (AbutSweepIsRestricted(&contact->search)) { /* its moves say little about full searches */
    list->skin = 0;
    return;
  }
  if (list->skin > 0 && list->small && list->uses < policy->lifetime) list->skin_factor = PetscMin(2 * list->skin_factor, policy->skin_max);
  list->skin = 0;
  if (list->wait > 0) list->wait--;
  if (!contact->params.verlet || list->wait > 0) return;
  list->skin      = PetscMax(list->skin_factor * list->travel, inflation / 4);
  list->inflation = inflation;
  list->reach     = inflation + 2 * list->skin;
  list->step      = step;
  list->uses      = 0;
  list->num       = 0;
  list->capacity  = PetscMin(contact->params.max_pairs, policy->capacity_candidate * list->candidates +
                                                          policy->capacity_entity * NumEntities(contact) + policy->capacity_base);
  list->building  = (PetscBool)(list->skin > 0);
  list->overflow = list->has_reference = PETSC_FALSE;
  RecordSweep(contact, step);
}

void AbutVerletGetVerdict(AbutContact contact, AbutVerletVerdict *verdict)
{
  const AbutVerletList *list = &contact->verlet;
  const PetscInt        cost = contact->verlet_policy.cost_search + contact->verlet_policy.cost_entity * NumEntities(contact);

  verdict->overflow  = list->skin > 0 && list->overflow;
  verdict->expensive = list->skin > 0 && list->num > 2 * cost;
  verdict->large     = list->skin > 0 && 4 * list->num > PetscMin(cost, list->capacity);
}

void AbutVerletEnd(AbutContact contact, PetscInt found, const AbutVerletVerdict *verdict, PetscBool failed)
{
  const AbutVerletPolicy *policy = &contact->verlet_policy;
  AbutVerletList         *list   = &contact->verlet;

  list->uses++;
  list->t = 0;
  if (verdict->overflow) {
    list->pause = PetscMin(2 * list->pause + 1, policy->max_pause);
    list->wait  = list->pause + 1;
  } else if (!AbutSweepIsRestricted(&contact->search)) {
    list->candidates = found;
  }
  if (list->building && (verdict->overflow || verdict->expensive)) list->skin_factor = PetscMax(list->skin_factor / 2, policy->skin_min);
  if (verdict->overflow || failed) list->skin = 0;
  list->small    = (PetscBool)!verdict->large;
  list->building = PETSC_FALSE;
}
