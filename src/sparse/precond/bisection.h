/* Division of a graph of couplings into parts, for which the ranks of a communicator work together. */
#pragma once
#include "couplings.h"

/*
  Divides a graph on the first rank into `num` parts, at most one for each rank, by recursive bisection: part[i] in [0, num). As with
  CouplingsDivide(), parts have equal weights and weak couplings between them. couplings, part: used on the first rank only. comm: of a
  PETSc object. Collective.
*/
PETSC_INTERN PetscErrorCode BisectionDivide(MPI_Comm comm, const Couplings *couplings, PetscInt num, idx_t part[]);
