/* Shared inside src/io/results: temporary files, checksums, arrays in input order, the index of the fields. */
#pragma once
#include <abut/private/files.h>

/* Renames `temporary` to `path`, synced first if `sync`. Not collective: ABUT_ERR_IO on this rank. */
PETSC_INTERN PetscErrorCode AbutFileCommit(const char temporary[], const char path[], PetscBool sync);

/*
  Reserves disk space for `bytes` more and HDF5's own records, from the end of a file, or from its start if it will be overwritten. The size
  of the file stays. Not collective: ABUT_ERR_IO on this rank if disk, quota or the limit of the process does not suffice.
*/
PETSC_INTERN PetscErrorCode AbutFileReserve(const char path[], PetscBool overwrite, PetscInt64 bytes);

/* Checksum line at the end of a file (checksum.c) */

/* Appends the line to a file. Not collective: ABUT_ERR_IO on this rank. */
PETSC_INTERN PetscErrorCode AbutChecksumAppend(const char path[], PetscInt64 format);

/*
  ABUT_ERR_IO unless `path` is an HDF5 file that ends with a valid checksum line; ABUT_ERR_INPUT if its format version differs. Not
  collective.
*/
PETSC_INTERN PetscErrorCode AbutChecksumVerify(const char path[], PetscInt64 format);

/* HDF5 */

/* The same for a new file that replaces `path` when it is complete. With `format` > 0 it ends with a checksum line of this version. */
PETSC_INTERN PetscErrorCode AbutH5RunReplace(MPI_Comm comm, const char path[], PetscInt64 bytes, PetscInt64 format, AbutH5Work work,
                                             void *ctx);

/* Names a group that AbutH5CreateGroup() created without a name; removes a name. */
PETSC_INTERN PetscErrorCode AbutH5Link(const AbutH5 *h5, hid_t group, hid_t where, const char name[]);
PETSC_INTERN PetscErrorCode AbutH5Unlink(const AbutH5 *h5, hid_t where, const char name[]);

/* Mesh in input order */

/* Identifies a mesh in a file; equal on every rank and for every rank count. */
typedef struct {
  PetscInt64 dim, num_vertices, num_cells, hash; /* hash of the bits of rest positions by vertex id and of cells by cell id */
} AbutFingerprint;

PETSC_INTERN PetscErrorCode AbutMeshFingerprint(AbutMesh mesh, AbutFingerprint *print);

/* Writes the attributes that every file has: format version, versions of the program, fingerprint of the mesh. Collective. */
PETSC_INTERN PetscErrorCode AbutFingerprintSave(const AbutH5 *h5, PetscInt64 format, const AbutFingerprint *print);

/* ABUT_ERR_INPUT unless a file, a "checkpoint" or "field file", has this format version and this fingerprint. Collective. */
PETSC_INTERN PetscErrorCode AbutFingerprintCheck(const AbutH5 *h5, const char what[], PetscInt64 format, const AbutFingerprint *print);

/*
  Distribution of entities with ids in [0, count) into contiguous slices of ids, one per rank. Each entity is on one rank.
  AbutSFReduceRows() copies rows of the entities to the slices, AbutSFBcastRows() back.
*/
typedef struct {
  PetscSF  sf;          /* roots: ids of the slice; leaves: entities of this rank; PetscSFDestroy() frees it */
  PetscInt start, size; /* this rank has the ids [start, start + size) */
} AbutSlices;

PETSC_INTERN PetscErrorCode AbutSlicesCreate(MPI_Comm comm, PetscInt count, PetscInt num_local, const PetscInt ids[], AbutSlices *slices);

/* XDMF */

typedef struct {
  PetscInt64 step;
  PetscReal  time;
  int        fields; /* bits of AbutFieldInfos; position and displacement are always present */
  PetscInt   num_planes;
} AbutLevelIndex;

/* Contents of fields.h5 that the index lists. */
typedef struct {
  PetscInt        dim;
  PetscInt        num_vertices, num_cells;
  PetscInt        num_topology;    /* length of /mesh/cells_topology; 0: all cells are linear */
  PetscInt        num_obstacle[3]; /* points, segments, triangles of obstacles */
  PetscInt        num_surface[2];  /* vertices and facets of the contact surface */
  PetscBool       regions;         /* whether bodies have regions, and /mesh has cells_region */
  PetscInt        num_levels;
  AbutLevelIndex *levels;
  PetscInt        num_written; /* levels of the text; 0: the next AbutXdmfWrite() begins anew */
  size_t          end;         /* length of the text up to the last of them [bytes] */
  AbutText        text;
} AbutXdmfIndex;

/*
  Replaces the index of a file named "fields.h5" beside it as a whole: `path` names a complete index at any time, also for a reader and if
  the program is killed. Only the text of new levels is composed. Not collective.
*/
PETSC_INTERN PetscErrorCode AbutXdmfWrite(AbutXdmfIndex *index, const char path[]);
