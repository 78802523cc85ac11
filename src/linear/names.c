/* Checks the solver names in the user's options. */
#include "linearimpl.h"

static const char *const packages[] = {MATSOLVERPETSC,        MATSOLVERCHOLMOD,   MATSOLVERMUMPS,       MATSOLVERSUPERLU,
                                       MATSOLVERSUPERLU_DIST, MATSOLVERUMFPACK,   MATSOLVERKLU,         MATSOLVERSPQR,
                                       MATSOLVERSTRUMPACK,    MATSOLVERPASTIX,    MATSOLVERMKL_PARDISO, MATSOLVERMKL_CPARDISO,
                                       MATSOLVERELEMENTAL,    MATSOLVERSCALAPACK, MATSOLVERLUSOL};

/* Appends a name to a list, separated by blanks; drops names beyond the end of the text. */
static void Append(char text[], size_t size, const char name[])
{
  size_t length = strlen(text);

  if (length + strlen(name) + 2 > size) return;
  if (length > 0) text[length++] = ' ';
  strcpy(text + length, name);
}

/* Whether PETSc was built with a package for matrix factorisations. */
static PetscErrorCode HasPackage(const char name[], PetscBool *has)
{
  PetscFunctionBegin;
  PetscCall(MatSolverTypeGet(name, MATSEQAIJ, MAT_FACTOR_CHOLESKY, has, NULL, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckPackage(const char option[])
{
  char      name[128], valid[1024] = "";
  PetscBool given, has;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, option, name, sizeof(name), &given));
  if (!given) PetscFunctionReturn(0);
  PetscCall(HasPackage(name, &has));
  if (has) PetscFunctionReturn(0);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(packages); k++) {
    PetscCall(HasPackage(packages[k], &has));
    if (has) Append(valid, sizeof(valid), packages[k]);
  }
  AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "%s '%s' is not a package of this PETSc; valid are %s", option, name, valid);
}

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
  for (int k = 0; k < num && names[k]; k++) Append(valid, sizeof(valid), names[k]); /* the list ends with NULL, which `num` counts */
  PetscCall(PetscFree(names));
  AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "%s '%s' is not a valid type; valid are %s", option, name, valid);
}

PetscErrorCode AbutSolverNamesCheck(void)
{
  PetscFunctionBegin;
  PetscCall(CheckType("-ksp_type", KSPList));
  PetscCall(CheckType("-pc_type", PCList));
  PetscCall(CheckPackage("-pc_factor_mat_solver_type"));
  PetscFunctionReturn(0);
}
