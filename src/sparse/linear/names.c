/* Checks the solver names in the user's options. */
#include "linearimpl.h"
#include <string.h>

static PetscErrorCode CheckType(const char option[], PetscFunctionList list)
{
  char         name[128], valid[2048] = "";
  const char **names;
  void (*found)(void);
  PetscBool given;
  int       num;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, name, sizeof(name), &given));
  if (!given) PetscFunctionReturn(0);
  PetscCall(PetscFunctionListFind(list, name, &found));
  if (found) PetscFunctionReturn(0);
  PetscCall(PetscFunctionListGet(list, &names, &num));
  for (int k = 0; k < num && names[k]; k++) { /* the list ends with NULL, which `num` counts */
    PetscCall(PetscStrlcat(valid, " ", sizeof(valid)));
    PetscCall(PetscStrlcat(valid, names[k], sizeof(valid)));
  }
  PetscCall(PetscFree(names));
  AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "%s '%s' is not a valid type; valid are%s", option, name, valid);
}

/* One of the factorisations is for one rank, the other for several. */
static PetscErrorCode CheckRanks(MPI_Comm comm)
{
  char        type[64] = "";
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_type", type, sizeof(type), NULL));
  AbutCheck(strcmp(type, PCSHELL), ABUT_ERR_INPUT,
            "-pc_type shell needs a preconditioner of the calling program, which abut run has not; choose another type");
  AbutCheck(size == 1 || strcmp(type, "abut-cholesky"), ABUT_ERR_INPUT,
            "-pc_type abut-cholesky factorises on one rank, this run has %d; use abut-substructure", size);
  AbutCheck(size > 1 || strcmp(type, "abut-substructure"), ABUT_ERR_INPUT,
            "-pc_type abut-substructure factorises on several ranks, this run has one; use abut-cholesky");
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSolverNamesCheck(MPI_Comm comm)
{
  const char *const option = "-pc_factor_mat_solver_type";
  char              package[128];
  PetscBool         given, has;

  PetscFunctionBegin;
  PetscCall(CheckType("-ksp_type", KSPList));
  PetscCall(CheckType("-pc_type", PCList));
  PetscCall(CheckRanks(comm));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, package, sizeof(package), &given));
  if (!given) PetscFunctionReturn(0);
  PetscCall(MatSolverTypeGet(package, MATSEQAIJ, MAT_FACTOR_CHOLESKY, &has, NULL, NULL));
  AbutCheck(has, ABUT_ERR_INPUT, "%s '%s' is not a package of this PETSc; 'petsc' always is", option, package);
  PetscFunctionReturn(0);
}
