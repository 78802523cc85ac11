/* Shared inside src/results: text files written whole or not at all, and collective HDF5 whose every verdict all ranks share. */
#pragma once
#include <abut/results.h>
#include <hdf5.h>

/* Text */

/* A growing string; starts as {0}. */
typedef struct {
  char  *text;
  size_t length, size;
} AbutText;

PETSC_INTERN PetscErrorCode AbutTextAppend(AbutText *text, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
PETSC_INTERN PetscErrorCode AbutTextDestroy(AbutText *text);

/* Appends the shortest decimal that reads back as the very number; infinities and what stands for them (PETSC_INFINITY) as `infinity`. */
PETSC_INTERN PetscErrorCode AbutTextAppendReal(AbutText *text, PetscReal value, const char infinity[]);

/* Appends a JSON string with its quotes. */
PETSC_INTERN PetscErrorCode AbutTextAppendJSON(AbutText *text, const char string[]);

/*
  Puts `text` at `path` through a temporary file that is renamed: whole or absent when the program is killed, and with `sync` also when
  the machine stops. Not collective: ABUT_ERR_IO on this rank.
*/
PETSC_INTERN PetscErrorCode AbutTextReplaceFile(const AbutText *text, const char path[], PetscBool sync);

/* Renames `temporary` to `path`, synced first if `sync`. Not collective: ABUT_ERR_IO on this rank. */
PETSC_INTERN PetscErrorCode AbutFileCommit(const char temporary[], const char path[], PetscBool sync);

/*
  Reserves room for `bytes` and a margin beyond the end of a file, or from its start if it is to be overwritten, without changing its
  size. Not collective: ABUT_ERR_IO on this rank, for want of space, quota or by the limit of the process.
*/
PETSC_INTERN PetscErrorCode AbutFileReserve(const char path[], PetscBool overwrite, PetscInt64 bytes);

/* directory/name, checked to fit. Not collective. */
PETSC_INTERN PetscErrorCode AbutPathJoin(const char directory[], const char name[], char path[PETSC_MAX_PATH_LEN]);

/* Checksum line at the end of a file (checksum.c) */

/* Appends the line to a file. Not collective: ABUT_ERR_IO on this rank. */
PETSC_INTERN PetscErrorCode AbutChecksumAppend(const char path[], PetscInt64 format);

/* ABUT_ERR_IO unless `path` is a whole HDF5 file with a valid checksum line; ABUT_ERR_INPUT if its format version differs. Not collective. */
PETSC_INTERN PetscErrorCode AbutChecksumVerify(const char path[], PetscInt64 format);

/* HDF5 */

typedef enum { ABUT_H5_CREATE, ABUT_H5_EDIT, ABUT_H5_READ } AbutH5Mode;

/* An open file; all functions below are collective on its communicator and fail on all ranks or on none. */
typedef struct {
  MPI_Comm    comm;
  const char *path;
  hid_t       file;
} AbutH5;

/*
  Opens `path`, calls `work`, closes the file whatever happened, and returns the first error. `bytes` bounds the size of the data that
  `work` adds; room for them and for HDF5's own records is reserved before.
*/
typedef PetscErrorCode (*AbutH5Work)(const AbutH5 *h5, void *ctx);
PETSC_INTERN PetscErrorCode AbutH5Run(MPI_Comm comm, const char path[], AbutH5Mode mode, PetscInt64 bytes, AbutH5Work work, void *ctx);

/* The same for a new file that replaces `path` when it is complete; with `format` > 0 it ends with a checksum line of that format version. */
PETSC_INTERN PetscErrorCode AbutH5RunReplace(MPI_Comm comm, const char path[], PetscInt64 bytes, PetscInt64 format, AbutH5Work work,
                                             void *ctx);

/* Groups; `name` NULL makes one that AbutH5Link() names later. Each is to be closed with AbutH5CloseGroup(). */
PETSC_INTERN PetscErrorCode AbutH5CreateGroup(const AbutH5 *h5, hid_t where, const char name[], hid_t *group);
PETSC_INTERN PetscErrorCode AbutH5OpenGroup(const AbutH5 *h5, hid_t where, const char name[], hid_t *group);
PETSC_INTERN PetscErrorCode AbutH5CloseGroup(const AbutH5 *h5, hid_t group);
PETSC_INTERN PetscErrorCode AbutH5Link(const AbutH5 *h5, hid_t group, hid_t where, const char name[]);
PETSC_INTERN PetscErrorCode AbutH5Unlink(const AbutH5 *h5, hid_t where, const char name[]);

/* A dataset of `width` columns whose rows are those of rank 0, then rank 1, ...; one collective transfer. */
PETSC_INTERN PetscErrorCode AbutH5WriteRows(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width,
                                            const void *data);
PETSC_INTERN PetscErrorCode AbutH5ReadRows(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width,
                                           void *data);

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

/* Mesh in input order */

/* What makes two meshes the same for a file: equal on every rank and for every rank count. */
typedef struct {
  PetscInt64 dim, num_vertices, num_cells, hash; /* hash of the bits of rest positions by vertex id and of cells by cell id */
} AbutFingerprint;

PETSC_INTERN PetscErrorCode AbutMeshFingerprint(AbutMesh mesh, AbutFingerprint *print);
PETSC_INTERN PetscErrorCode AbutFingerprintSave(const AbutH5 *h5, const AbutFingerprint *print);

/* Checks format version and fingerprint of a file against ours: ABUT_ERR_INPUT that says what differs. Collective. */
PETSC_INTERN PetscErrorCode AbutFingerprintCheck(const AbutH5 *h5, const char what[], PetscInt64 format, const AbutFingerprint *print);

/* Rows of `width` values of `unit` on owned vertices to this rank's slice of ids, and back. Collective. */
PETSC_INTERN PetscErrorCode AbutVertexRowsToSlice(AbutMesh mesh, MPI_Datatype unit, PetscInt width, const void *owned, void *slice);
PETSC_INTERN PetscErrorCode AbutSliceToVertexRows(AbutMesh mesh, MPI_Datatype unit, PetscInt width, const void *slice, void *owned);

/* Deals entities that every rank names by ids out of [0, count) into contiguous slices of ids: rows are sent with AbutDealRows(). */
typedef struct {
  PetscSF  sf; /* roots: slots of the slice; leaves: this rank's entities */
  PetscInt slice_size;
} AbutDeal;

PETSC_INTERN PetscErrorCode AbutDealCreate(MPI_Comm comm, PetscInt count, PetscInt num_local, const PetscInt ids[], AbutDeal *deal);
PETSC_INTERN PetscErrorCode AbutDealDestroy(AbutDeal *deal);
PETSC_INTERN PetscErrorCode AbutDealRows(const AbutDeal *deal, MPI_Datatype unit, PetscInt width, const void *local, void *slice);

/* XDMF */

enum { ABUT_FIELD_VELOCITY = 1, ABUT_FIELD_CONTACT_FORCE = 2, ABUT_FIELD_CAUCHY = 4, ABUT_FIELD_MISES = 8, ABUT_FIELD_FRICTION_FORCE = 16 };

typedef struct {
  PetscInt64 step;
  PetscReal  time;
  int        fields; /* those present besides position and displacement */
} AbutLevelIndex;

/* What the index needs to know of fields.h5. */
typedef struct {
  PetscInt        dim;
  PetscInt        num_vertices, num_cells;
  PetscInt        num_triangles, num_segments, num_points; /* of obstacles */
  PetscInt        num_levels;
  AbutLevelIndex *levels;
  PetscInt        num_written; /* levels that `text` holds: a level is put in words once, not at every rewrite */
  AbutText        text;
} AbutXdmfIndex;

/* Writes the index of a file named "fields.h5" beside it. Not collective. */
PETSC_INTERN PetscErrorCode AbutXdmfWrite(AbutXdmfIndex *index, const char path[]);
