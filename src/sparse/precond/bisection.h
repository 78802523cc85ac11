/* Parts of a graph of couplings by the ranks of a communicator together. */
#pragma once
#include "couplings.h"

/*
  Divides a graph that the first rank has into `num` parts, at most one for each rank, by recursive bisection: part[i] in [0, num), equal
  weights and weak couplings between parts, as by CouplingsDivide(). couplings, part: used on the first rank. comm: of a PETSc object.
  Collective.
*/
PETSC_INTERN PetscErrorCode BisectionDivide(MPI_Comm comm, const Couplings *couplings, PetscInt num, idx_t part[]);
