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
  Replaces a group, of which `rank` is a member but not the first, by the largest of its subgroups of which `rank` is the first. Returns the
  first rank of the group whose second half this is. Not collective.
*/
PETSC_INTERN PetscMPIInt RankGroupDescend(RankGroup *group, PetscMPIInt rank);
/* Messages of n values between two ranks. */
PETSC_INTERN PetscErrorCode RankSend(MPI_Comm comm, PetscMPIInt to, PetscMPIInt tag, PetscInt n, MPI_Datatype type, const void *values);
PETSC_INTERN PetscErrorCode RankReceive(MPI_Comm comm, PetscMPIInt from, PetscMPIInt tag, PetscInt n, MPI_Datatype type, void *values);
