/* Parts of result files: growing texts, files replaced by rename, CSV tables, JSON, collective HDF5. */
#pragma once
#include <abut/containers.h>
#include <abut/results.h>
#include <hdf5.h>
#include <stdio.h>

/* SHA-256 of a file in hexadecimal digits, "" if it cannot be read (sha256.c). Not collective. */
#define ABUT_SHA256_SIZE 65
PETSC_INTERN void AbutFileSHA256(const char path[], char text[ABUT_SHA256_SIZE]);

/* Text */

/* A growing string; starts as {0}. Where memory runs out, it stays as it is; the functions that write it return the error. */
typedef struct {
  char          *text;
  size_t         length, size;
  PetscErrorCode error;
} AbutText;

PETSC_INTERN void           AbutTextAppend(AbutText *text, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
PETSC_INTERN PetscErrorCode AbutTextDestroy(AbutText *text);

/* Appends the shortest decimal that reads back as the same number; `infinity` for magnitudes from PETSC_INFINITY on, "nan" for nan. */
PETSC_INTERN void AbutTextAppendReal(AbutText *text, PetscReal value, const char infinity[]);

/* Appends a quoted JSON string; bytes that are no UTF-8 become U+FFFD. */
PETSC_INTERN void AbutTextAppendJSON(AbutText *text, const char string[]);

/*
  Replaces the file `path` by a temporary file that is renamed. If the program is killed, the old or the new file is there, never a part;
  with `sync` also if the machine stops. Not collective: ABUT_ERR_IO on this rank.
*/
PETSC_INTERN PetscErrorCode AbutTextReplaceFile(const AbutText *text, const char path[], PetscBool sync);

/* "directory/name"; ABUT_ERR_INPUT if it does not fit. Not collective. */
PETSC_INTERN PetscErrorCode AbutPathJoin(const char directory[], const char name[], char path[PETSC_MAX_PATH_LEN]);

/* A CSV file to which rank 0 appends whole rows. */
typedef struct {
  char     path[PETSC_MAX_PATH_LEN];
  FILE    *file;
  PetscInt last; /* step of the last row that was kept from an earlier run; without a file of that run, the step at which this one starts */
} AbutTable;

/* Tables (table.c), rank 0 only */

/*
  Opens directory/name with a header, which ends in a newline. With `append` the rows of an earlier run stay whose first column is at most
  first_step; ABUT_ERR_INPUT if that run wrote another header. ABUT_ERR_IO if the file cannot be written.
*/
PETSC_INTERN PetscErrorCode AbutTableOpen(AbutTable *table, const char directory[], const char name[], const char header[],
                                          PetscBool append, PetscInt first_step);
/* Appends rows, flushes them and frees the text; does nothing if there are none. */
PETSC_INTERN PetscErrorCode AbutTablePut(AbutTable *table, AbutText *rows);
PETSC_INTERN void           AbutTableClose(AbutTable *table);
/* A comma and a number. */
PETSC_INTERN void AbutTableReal(AbutText *row, PetscReal value);
PETSC_INTERN void AbutTableInteger(AbutText *row, PetscInt value);
/* A comma and a quoted text. */
PETSC_INTERN void AbutTableText(AbutText *row, const char value[]);

/* Members of JSON objects (json.c); `level` is the depth of indentation */

PETSC_INTERN void AbutJSONKey(AbutText *t, int level, const char key[]);
PETSC_INTERN void AbutJSONInteger(AbutText *t, int level, const char key[], PetscInt value);
PETSC_INTERN void AbutJSONBool(AbutText *t, int level, const char key[], PetscBool value);
PETSC_INTERN void AbutJSONString(AbutText *t, int level, const char key[], const char value[]);
/* A number, null if it is infinite or nan. */
PETSC_INTERN void AbutJSONReal(AbutText *t, int level, const char key[], PetscReal value);
/* A measured quantity with six decimals. */
PETSC_INTERN void AbutJSONMeasured(AbutText *t, int level, const char key[], double value);

/* HDF5 */

typedef enum { ABUT_H5_CREATE, ABUT_H5_EDIT, ABUT_H5_READ } AbutH5Mode;

/* An open file. All functions below are collective on its communicator and return the same error on all ranks. */
typedef struct {
  MPI_Comm    comm;
  const char *path;
  hid_t       file;
  PetscInt    compression; /* level of zlib, 1 to 9, for rows that are written; 0: contiguous rows */
} AbutH5;

/*
  Opens `path`, calls `work` and closes the file, also after an error; returns the first error. `bytes` bounds the size of the data that
  `work` adds; disk space for them is reserved first.
*/
typedef PetscErrorCode (*AbutH5Work)(const AbutH5 *h5, void *ctx);
PETSC_INTERN PetscErrorCode AbutH5Run(MPI_Comm comm, const char path[], AbutH5Mode mode, PetscInt64 bytes, AbutH5Work work, void *ctx);

/* Groups, to be closed with AbutH5CloseGroup(). A group created with `name` NULL is invisible until AbutH5Link() names it. */
PETSC_INTERN PetscErrorCode AbutH5CreateGroup(const AbutH5 *h5, hid_t where, const char name[], hid_t *group);
PETSC_INTERN PetscErrorCode AbutH5OpenGroup(const AbutH5 *h5, hid_t where, const char name[], hid_t *group);
PETSC_INTERN PetscErrorCode AbutH5CloseGroup(const AbutH5 *h5, hid_t group);

/* A dataset of `width` columns: the rows of rank 0, then of rank 1, ...; one collective transfer. */
PETSC_INTERN PetscErrorCode AbutH5WriteRows(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width,
                                            const void *data);
PETSC_INTERN PetscErrorCode AbutH5ReadRows(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width,
                                           void *data);

/*
  A dataset that one rank fills. AbutH5CreateDataset() and AbutH5CloseDataset() are collective with the same arguments on all ranks, and
  leave errors to be agreed on by the caller; AbutH5FillDataset() writes all of it from this rank alone.
*/
PETSC_INTERN PetscErrorCode AbutH5CreateDataset(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width,
                                                hid_t *dataset);
PETSC_INTERN PetscErrorCode AbutH5FillDataset(const AbutH5 *h5, hid_t dataset, const char name[], hid_t type, const void *data);
PETSC_INTERN PetscErrorCode AbutH5CloseDataset(const AbutH5 *h5, hid_t dataset);

PETSC_INTERN PetscErrorCode AbutH5SetInt(const AbutH5 *h5, hid_t where, const char name[], PetscInt64 value);
PETSC_INTERN PetscErrorCode AbutH5SetReal(const AbutH5 *h5, hid_t where, const char name[], PetscReal value);
PETSC_INTERN PetscErrorCode AbutH5SetString(const AbutH5 *h5, hid_t where, const char name[], const char value[]);
PETSC_INTERN PetscErrorCode AbutH5GetInt(const AbutH5 *h5, hid_t where, const char name[], PetscInt64 *value);
PETSC_INTERN PetscErrorCode AbutH5GetReal(const AbutH5 *h5, hid_t where, const char name[], PetscReal *value);

static inline hid_t AbutH5TypeInt(void)
{
  return sizeof(PetscInt) == 8 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
}

static inline hid_t AbutH5TypeReal(void)
{
  return sizeof(PetscReal) == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
}

/* XDMF */

/* Begins an XDMF array: format "HDF" or "XML", type of its numbers "Int" or "Float". */
PETSC_INTERN void AbutXdmfItemBegin(AbutText *t, const char format[], const char number_type[], size_t precision, PetscInt rows,
                                    PetscInt width);
