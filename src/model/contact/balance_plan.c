/*
  Plan of the redistribution of candidates. Ranks above the limit send their excess, in the order of ranks, to the ranks with room whose
  numbers are closest to their own: these often share a node.
*/
#include "contactimpl.h"

/* Largest load after the transfers: tolerance times the mean, at least the minimum of the policy. */
static PetscInt64 Limit(PetscMPIInt size, const PetscInt64 own[], const AbutBalancePolicy *policy)
{
  PetscInt64 sum = 0;

  for (PetscMPIInt r = 0; r < size; r++) sum += own[r];
  return PetscMax((PetscInt64)policy->minimum, (PetscInt64)PetscCeilReal(policy->tolerance * (PetscReal)sum / size));
}

/* Moves load from rank `from` to rank `to`, at most *excess; records it if it concerns rank `me`. */
static void Transfer(PetscMPIInt me, PetscMPIInt from, PetscMPIInt to, PetscInt64 *excess, PetscInt64 room[], PetscInt64 load[])
{
  const PetscInt64 moved = PetscMin(*excess, room[to]);

  room[to] -= moved;
  *excess -= moved;
  if (from == me) load[to] = moved;
  if (to == me) load[from] = moved;
}

void AbutBalancePlan(PetscMPIInt size, PetscMPIInt me, const PetscInt64 own[], const AbutBalancePolicy *policy, PetscInt64 *limit,
                     PetscInt64 room[], PetscInt64 load[])
{
  *limit = Limit(size, own, policy);
  for (PetscMPIInt r = 0; r < size; r++) {
    room[r] = PetscMax(*limit - own[r], 0);
    load[r] = 0;
  }
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscInt64 excess = own[r] - *limit;

    for (PetscMPIInt distance = 1; distance < size && excess > 0; distance++) {
      if (r + distance < size) Transfer(me, r, r + distance, &excess, room, load);
      if (r >= distance && excess > 0) Transfer(me, r, r - distance, &excess, room, load);
    }
  }
}
