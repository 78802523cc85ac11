/* Groups of consecutive ranks that share a recursive division: each group is divided in two halves until it has one rank. */
#pragma once
#include <petscsys.h>

/* Ranks first, ..., first + num - 1 of comm; tag: of all messages of the division. */
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt tag, first, num;
} RankGroup;

/* Half 0 or 1 of a group; half 1 of a single rank is empty. Not collective. */
PETSC_INTERN RankGroup RankGroupHalf(const RankGroup *group, int half);
/*
  `rank` is a member of the group, but not its first rank. Replaces the group by its largest subgroup that begins with `rank`. Returns the
  first rank of the group whose second half this subgroup is. Not collective.
*/
PETSC_INTERN PetscMPIInt RankGroupDescend(RankGroup *group, PetscMPIInt rank);
/* Messages of n values between two ranks. */
PETSC_INTERN PetscErrorCode RankSend(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, PetscInt n, MPI_Datatype type, const void *values);
PETSC_INTERN PetscErrorCode RankReceive(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, PetscInt n, MPI_Datatype type, void *values);
