/* Files of point contacts: tables, contacts.h5 and its index. */
#pragma once
#include <abut/contact_measures.h>
#include <abut/private/files.h>
#include <abut/rigid.h>

/* Writer of quality.csv, areas.csv, rigid.csv and contacts.h5 with contacts.xdmf. */
typedef struct _p_AbutContactResults *AbutContactResults;

/* Contact area of two bodies and an expected normal: a row of areas.csv. */
typedef struct {
  PetscInt  body[2];   /* body[0] < body[1] */
  PetscReal normal[3]; /* expected unit normal from body[0] to body[1] */
  PetscInt  contacts;  /* of the two bodies */
  PetscReal area;      /* [m^2] convex hull of the contacts, projected along the normal */
  PetscReal expected;  /* [m^2]; 0: not known */
  PetscReal quality;   /* mean of |normal of a contact . expected normal|; 0 without contacts */
} AbutContactAreaRow;

/* Contacts of one method at one step; all arrays are borrowed and equal on all ranks. */
typedef struct {
  const char               *method;      /* name */
  PetscInt                  step;        /* 0: starting state */
  PetscReal                 time;        /* [s] */
  const AbutPointContacts  *contacts;    /* sorted by bodies */
  const AbutContactQuality *quality;     /* NULL: no normals are expected */
  const PetscReal          *match;       /* [contacts->n] largest normal . expected normal of each contact; -2: none is expected */
  PetscInt                  num_areas;   /* rows of areas.csv */
  const AbutContactAreaRow *areas;       /* [num_areas] */
  const AbutRigidReport    *report;      /* of the step that led here; NULL: starting state */
  PetscBool                 with_points; /* write the points to contacts.h5 */
} AbutContactLevel;

/*
  Creates the files in an existing folder; files of the same names are replaced. `name` of the case, for the column `case`:
  characters that need quotes in a CSV file become `_`. The mesh is borrowed. ABUT_ERR_IO if a file cannot be written. Collective.
*/
PETSC_INTERN PetscErrorCode AbutContactResultsCreate(AbutMesh mesh, const char directory[], const char name[], AbutContactResults *results);

/* Appends the rows of a level to the tables and writes its points; each pair of method and step occurs once. ABUT_ERR_IO. Collective. */
PETSC_INTERN PetscErrorCode AbutContactResultsAdd(AbutContactResults results, const AbutContactLevel *level);

/* Writes contacts.xdmf, closes the files and frees the writer. ABUT_ERR_IO on rank 0 if the index cannot be written. Not collective. */
PETSC_INTERN PetscErrorCode AbutContactResultsDestroy(AbutContactResults *results);

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

/* tables.c: all on rank 0 only. */
PETSC_INTERN PetscErrorCode AbutContactTablesOpen(AbutContactResults results, const char directory[]);
PETSC_INTERN PetscErrorCode AbutContactTablesAdd(AbutContactResults results, const AbutContactLevel *level);
PETSC_INTERN PetscErrorCode AbutContactTablesClose(AbutContactResults results);

/* xdmf.c: writes the index. Not collective. */
PETSC_INTERN PetscErrorCode AbutContactXdmfWrite(AbutContactResults results);
