/* Files of point contacts: tables, contacts.h5 and its index. */
#pragma once
#include "statsimpl.h"

/* A level of contacts.h5 that the index lists. */
typedef struct {
  char      method[32];
  PetscInt  step, contacts;
  PetscReal time;
} AbutContactIndexEntry;

struct _p_AbutContactResults {
  AbutMesh               mesh;
  MPI_Comm               comm;
  PetscMPIInt            rank;
  char                   name[256]; /* of the case */
  AbutTable              quality_csv, areas_csv, rigid_csv;
  char                   h5[PETSC_MAX_PATH_LEN], xdmf[PETSC_MAX_PATH_LEN];
  PetscInt               num_entries, capacity;
  AbutContactIndexEntry *entries; /* [num_entries] methods one after the other */
};

/* contacttables.c: all on rank 0 only. */
PETSC_INTERN PetscErrorCode AbutContactTablesOpen(AbutContactResults results, const char directory[]);
PETSC_INTERN PetscErrorCode AbutContactTablesAdd(AbutContactResults results, const AbutContactLevel *level);
PETSC_INTERN PetscErrorCode AbutContactTablesClose(AbutContactResults results);

/* contactxdmf.c: writes the index. Not collective. */
PETSC_INTERN PetscErrorCode AbutContactXdmfWrite(AbutContactResults results);
