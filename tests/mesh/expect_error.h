/* Checks that a mesh function fails with an input error on all ranks, and of its message. */
#pragma once
#include "mesh_support.h"

/* Fails unless `ierr` is ABUT_ERR_INPUT and the error message contains both texts. */
static inline void ExpectError(PetscErrorCode ierr, const char first[], const char second[])
{
  assert_int_equal(ierr, ABUT_ERR_INPUT);
  if (!strstr(AbutErrorMessage(), first) || !strstr(AbutErrorMessage(), second))
    fail_msg("\"%s\" lacks \"%s\" or \"%s\"", AbutErrorMessage(), first, second);
  AbutErrorClear();
}

static inline void ExpectSpecError(PetscInt dim, const AbutBodySpec *spec, const char first[], const char second[])
{
  AbutMesh mesh;

  ExpectError(AbutMeshCreate(PETSC_COMM_WORLD, dim, 1, spec, &mesh), first, second);
  assert_null(mesh);
}

static inline void ExpectFileError(PetscInt dim, const char name[], const char text[], const char first[], const char second[])
{
  char         path[PETSC_MAX_PATH_LEN];
  AbutBodySpec spec;

  WriteFile(name, text, path);
  spec = FileSpec("part", path);
  ExpectSpecError(dim, &spec, first, second);
  RemoveFile(path);
}
