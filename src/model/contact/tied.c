/* Pairs of surfaces that are tied to each other, which are no candidates. */
#include "contactimpl.h"

PetscErrorCode AbutContactAddTied(AbutContact contact, PetscInt tie, PetscInt side, PetscInt num, const PetscInt global[])
{
  AbutTied *tied = &contact->tied;

  PetscFunctionBegin;
  if (!tied->number) PetscCall(PetscHMapICreate(&tied->number));
  for (PetscInt i = 0; i < num; i++) {
    PetscInt at;

    PetscCall(PetscHMapIGet(tied->number, global[i], &at));
    if (at < 0) {
      at = tied->num;
      PetscCall(AbutReserve(tied->num + 1, &tied->capacity, &tied->set));
      tied->set[tied->num][0] = tied->set[tied->num][1] = 0;
      tied->num++;
      PetscCall(PetscHMapISet(tied->number, global[i], at));
    }
    tied->set[at][side] |= (uint64_t)1 << tie;
  }
  PetscFunctionReturn(0);
}

/* Ties in whose sets an entity has a vertex. */
static void Collect(const AbutTied *tied, const AbutSweep *sweep, int n, const int32_t v[], uint64_t set[2])
{
  set[0] = set[1] = 0;
  for (int i = 0; i < n; i++) {
    PetscInt at;
    (void)PetscHMapIGet(tied->number, sweep->global[v[i]], &at);
    for (int side = 0; side < 2 && at >= 0; side++) set[side] |= tied->set[at][side];
  }
}

PetscBool AbutContactAreTied(const AbutTied *tied, const AbutSweep *sweep, int na, const int32_t a[], int nb, const int32_t b[])
{
  uint64_t p[2], q[2];

  Collect(tied, sweep, na, a, p);
  if (!(p[0] | p[1])) return PETSC_FALSE;
  Collect(tied, sweep, nb, b, q);
  return (PetscBool)(((p[0] & q[1]) | (p[1] & q[0])) != 0);
}
