/* Pairs of surfaces that are tied to each other, which are no candidates. */
#include "contactimpl.h"

PetscErrorCode AbutContactAddTied(AbutContact contact, PetscInt tie, PetscInt side, PetscInt num, const PetscInt ids[])
{
  AbutTied *tied = &contact->tied;

  PetscFunctionBegin;
  if (!tied->number) PetscCall(PetscHMapICreate(&tied->number));
  for (PetscInt i = 0; i < num; i++) {
    PetscInt at;

    PetscCall(PetscHMapIGet(tied->number, ids[i], &at));
    if (at < 0) {
      at = tied->num;
      PetscCall(AbutReserve(tied->num + 1, &tied->capacity, &tied->set));
      tied->set[tied->num][0] = tied->set[tied->num][1] = 0;
      tied->num++;
      PetscCall(PetscHMapISet(tied->number, ids[i], at));
    }
    tied->set[at][side] |= (uint64_t)1 << tie;
  }
  PetscFunctionReturn(0);
}

/* Adds the ties in whose sets a vertex is. */
static inline void Collect(const AbutTied *tied, PetscInt id, uint64_t set[2])
{
  PetscInt at;

  (void)PetscHMapIGet(tied->number, id, &at);
  for (int side = 0; side < 2 && at >= 0; side++) set[side] |= tied->set[at][side];
}

static inline PetscBool Meet(const uint64_t p[2], const uint64_t q[2])
{
  return (PetscBool)(((p[0] & q[1]) | (p[1] & q[0])) != 0);
}

PetscBool AbutContactAreTied(const AbutTied *tied, const AbutSweep *sweep, int na, const int32_t a[], int nb, const int32_t b[])
{
  uint64_t p[2] = {0, 0}, q[2] = {0, 0};

  for (int i = 0; i < na; i++) Collect(tied, sweep->id[a[i]], p);
  if (!(p[0] | p[1])) return PETSC_FALSE;
  for (int i = 0; i < nb; i++) Collect(tied, sweep->id[b[i]], q);
  return Meet(p, q);
}

PetscBool AbutContactIsTied(AbutContact contact, PetscInt na, const PetscInt a[], PetscInt nb, const PetscInt b[])
{
  uint64_t p[2] = {0, 0}, q[2] = {0, 0};

  if (!contact || !contact->tied.number) return PETSC_FALSE;
  for (PetscInt i = 0; i < na; i++) Collect(&contact->tied, a[i], p);
  for (PetscInt i = 0; i < nb; i++) Collect(&contact->tied, b[i], q);
  return Meet(p, q);
}
