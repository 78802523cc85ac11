/*
  Reads a mesh from an HDF5 file: "vertices" [n x 3], or [n x 2] in 2D, and "cells" with vertex numbers from 0: [m x (dim + 1)] linear,
  [m x 10], in 2D [m x 6], quadratic, corners before the nodes of the edges in the order of AbutCellEdgeCorner(). Optional are groups
  of vertices "groups/NAME" [k] and of cells "cell_groups/NAME" [k], with numbers from 0. Each rank opens the file on its own and reads a
  block of each dataset. No call into HDF5 is collective, so an error of one rank leaves no other waiting.
*/
#include "blocks.h"
#include "read.h"
#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  const AbutBodySpec *spec;
  PetscMPIInt         rank, size;
  PetscInt            dim, num_vertices, num_cells; /* of the file */
  hid_t               file;
  AbutShape          *shape;
} Reader;

/* An open dataset with its extents. */
typedef struct {
  const char *name;
  hid_t       id;
  hsize_t     extent[2]; /* rows, columns; 1 column if the dataset has one dimension */
  H5T_class_t class;
  PetscBool of_cells; /* its numbers are of cells, not of vertices */
} Dataset;

/* Number of vertices or cells that a dataset may name. */
static PetscInt NumNamed(const Reader *reader, const Dataset *data)
{
  return data->of_cells ? reader->num_cells : reader->num_vertices;
}

static hid_t TypeOf(PetscBool integers)
{
  if (!integers) return sizeof(PetscReal) == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  return sizeof(PetscInt) == 8 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
}

static void CloseDataset(Dataset *data)
{
  if (data->id >= 0) H5Dclose(data->id);
  data->id = H5I_INVALID_HID;
}

/* Opens a dataset and reads its extents. */
static PetscErrorCode OpenDataset(const Reader *reader, const char name[], Dataset *data)
{
  hid_t space, type;
  int   rank;

  PetscFunctionBegin;
  *data = (Dataset){.name = name, .id = H5Dopen2(reader->file, name, H5P_DEFAULT), .extent = {0, 1}};
  AbutSpecCheck(data->id >= 0, reader->spec, "%s has no dataset \"%s\"", reader->spec->shape.path, name);
  space       = H5Dget_space(data->id);
  type        = H5Dget_type(data->id);
  rank        = H5Sget_simple_extent_ndims(space);
  data->class = H5Tget_class(type);
  if (rank == 1 || rank == 2) H5Sget_simple_extent_dims(space, data->extent, NULL);
  H5Tclose(type);
  H5Sclose(space);
  AbutSpecCheck(rank == 1 || rank == 2, reader->spec, "%s: %s has %d dimensions; it must have 1 or 2", reader->spec->shape.path, name,
                rank);
  AbutSpecCheck(data->extent[0] <= (hsize_t)PETSC_MAX_INT, reader->spec,
                "%s: %s has %llu rows, more than the indices of this PETSc can number (%" PetscInt_FMT ")", reader->spec->shape.path, name,
                (unsigned long long)data->extent[0], PETSC_MAX_INT);
  PetscFunctionReturn(0);
}

/* Reads this rank's block of rows; free `rows` with PetscFree(). */
static PetscErrorCode ReadBlock(const Reader *reader, const Dataset *data, PetscBool integers, PetscInt *n, void **rows)
{
  const PetscInt total = (PetscInt)data->extent[0], first = AbutBlockStart(total, reader->rank, reader->size);
  const hsize_t  start[2] = {(hsize_t)first, 0},
                count[2]  = {(hsize_t)(AbutBlockStart(total, reader->rank + 1, reader->size) - first), data->extent[1]};
  const hid_t type = TypeOf(integers), file_space = H5Dget_space(data->id), memory_space = H5Screate_simple(2, count, NULL);
  herr_t      status = 0;

  PetscFunctionBegin;
  *n = (PetscInt)count[0];
  PetscCall(PetscMalloc((size_t)count[0] * (size_t)count[1] * H5Tget_size(type), rows));
  if (count[0]) status = H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL);
  if (count[0] && status >= 0) status = H5Dread(data->id, type, memory_space, file_space, H5P_DEFAULT, *rows);
  H5Sclose(memory_space);
  H5Sclose(file_space);
  AbutSpecCheck(status >= 0, reader->spec, "%s: cannot read rows %" PetscInt_FMT " to %" PetscInt_FMT " of %s", reader->spec->shape.path,
                first, first + *n - 1, data->name);
  PetscFunctionReturn(0);
}

/*
  The error for entry i of this rank's block of rows of vertex numbers. HDF5 has limited the number that was read to the range of PetscInt;
  the message has the number of the file.
*/
static PetscErrorCode NumberError(const Reader *reader, const Dataset *data, PetscInt i)
{
  const PetscInt  w = (PetscInt)data->extent[1], row = AbutBlockStart((PetscInt)data->extent[0], reader->rank, reader->size) + i / w;
  const hsize_t   start[2] = {(hsize_t)row, (hsize_t)(i % w)}, count[2] = {1, 1};
  const hid_t     type = H5Dget_type(data->id), file_space = H5Dget_space(data->id), memory_space = H5Screate_simple(1, count, NULL);
  const PetscBool has_sign = (PetscBool)(H5Tget_sign(type) != H5T_SGN_NONE);
  int64_t         number   = 0; /* memory of an unsigned one, too */
  char            text[32];

  PetscFunctionBegin;
  H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL);
  H5Dread(data->id, has_sign ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, memory_space, file_space, H5P_DEFAULT, &number);
  H5Tclose(type);
  H5Sclose(memory_space);
  H5Sclose(file_space);
  snprintf(text, sizeof(text), has_sign ? "%" PRId64 : "%" PRIu64, number);
  PetscFunctionReturn(AbutSpecError(reader->spec, "%s: row %" PetscInt_FMT " of %s names %s %s; valid are 0 to %" PetscInt_FMT,
                                    reader->spec->shape.path, row, data->name, data->of_cells ? "cell" : "vertex", text,
                                    NumNamed(reader, data) - 1));
}

/* Reads rows of vertex numbers and checks them. */
static PetscErrorCode ReadNumbers(const Reader *reader, const Dataset *data, PetscInt *n, PetscInt **rows)
{
  const PetscInt w = (PetscInt)data->extent[1];

  PetscFunctionBegin;
  AbutSpecCheck(data->class == H5T_INTEGER, reader->spec, "%s: %s must have integers", reader->spec->shape.path, data->name);
  PetscCall(ReadBlock(reader, data, PETSC_TRUE, n, (void **)rows));
  for (PetscInt i = 0; i < *n * w; i++)
    if ((*rows)[i] < 0 || (*rows)[i] >= NumNamed(reader, data)) PetscCall(NumberError(reader, data, i));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadVertices(Reader *reader, const Dataset *data)
{
  const PetscInt w    = (PetscInt)data->extent[1];
  PetscReal     *rows = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  AbutSpecCheck(data->class == H5T_FLOAT || data->class == H5T_INTEGER, reader->spec, "%s: vertices must have numbers",
                reader->spec->shape.path);
  AbutSpecCheck(w == 3 || w == reader->dim, reader->spec, "%s: vertices has %" PetscInt_FMT " columns; it must have %" PetscInt_FMT,
                reader->spec->shape.path, w, reader->dim);
  ierr = ReadBlock(reader, data, PETSC_FALSE, &reader->shape->num_vertices, (void **)&rows);
  if (!ierr) ierr = PetscCalloc1(3 * reader->shape->num_vertices, &reader->shape->x);
  for (PetscInt i = 0; i < w * reader->shape->num_vertices && !ierr; i++) reader->shape->x[3 * (i / w) + i % w] = rows[i];
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(ierr);
}

static PetscErrorCode ReadCells(Reader *reader, const Dataset *data)
{
  const PetscInt corners = reader->dim + 1, nodes = corners + AbutNumCellEdges(reader->dim);
  PetscInt       num, *rows                       = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  AbutSpecCheck(data->extent[1] == (hsize_t)corners || data->extent[1] == (hsize_t)nodes, reader->spec,
                "%s: cells has %llu columns; it must have %" PetscInt_FMT " or %" PetscInt_FMT ", the nodes of a linear or quadratic %s",
                reader->spec->shape.path, (unsigned long long)data->extent[1], corners, nodes,
                reader->dim == 3 ? "tetrahedron" : "triangle");
  if (data->extent[1] == (hsize_t)corners) {
    PetscCall(ReadNumbers(reader, data, &reader->shape->num_cells, &reader->shape->cells));
    PetscFunctionReturn(0);
  }
  ierr = ReadNumbers(reader, data, &num, &rows);
  if (!ierr) PetscCall(AbutShapeSetQuadraticCells(reader->dim, num, rows, reader->shape));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(ierr);
}

/* Reads the group "groups/NAME" or "cell_groups/NAME". */
static PetscErrorCode ReadGroup(Reader *reader, const Dataset *data)
{
  AbutInts      *pairs = data->of_cells ? &reader->shape->groups.cells : &reader->shape->groups.marks;
  PetscInt       group, n = 0, *members = NULL;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  AbutSpecCheck(data->extent[1] == 1, reader->spec, "%s: %s must have one dimension", reader->spec->shape.path, data->name);
  PetscCall(AbutGroupsFind(&reader->shape->groups, strchr(data->name, '/') + 1, &group));
  ierr = ReadNumbers(reader, data, &n, &members);
  for (PetscInt i = 0; i < n && !ierr; i++) ierr = AbutIntsPush(pairs, 2, (PetscInt[]){group, members[i]});
  PetscCall(PetscFree(members));
  PetscFunctionReturn(ierr);
}

/* Calls a function with a dataset. */
static PetscErrorCode WithDataset(Reader *reader, const char name[], PetscErrorCode (*read)(Reader *, const Dataset *))
{
  Dataset        data;
  PetscErrorCode ierr = OpenDataset(reader, name, &data);

  PetscFunctionBegin;
  data.of_cells = (PetscBool)!strncmp(name, "cell_groups/", 12);
  if (!ierr && read == ReadVertices) reader->num_vertices = (PetscInt)data.extent[0];
  if (!ierr && read == ReadCells) reader->num_cells = (PetscInt)data.extent[0];
  if (!ierr) ierr = read(reader, &data);
  CloseDataset(&data);
  PetscFunctionReturn(ierr);
}

/* Reads all groups of a folder, if the file has it, in the order of their names. */
static PetscErrorCode ReadGroups(Reader *reader, const char folder[])
{
  char       name[ABUT_GROUP_NAME + 16];
  H5G_info_t info;

  PetscFunctionBegin;
  if (H5Lexists(reader->file, folder, H5P_DEFAULT) <= 0) PetscFunctionReturn(0);
  AbutSpecCheck(H5Gget_info_by_name(reader->file, folder, &info, H5P_DEFAULT) >= 0, reader->spec, "%s: \"%s\" is no HDF5 group",
                reader->spec->shape.path, folder);
  for (hsize_t i = 0; i < info.nlinks; i++) {
    const size_t  prefix = (size_t)snprintf(name, sizeof(name), "%s/", folder);
    const ssize_t length =
      H5Lget_name_by_idx(reader->file, folder, H5_INDEX_NAME, H5_ITER_INC, i, name + prefix, sizeof(name) - prefix, H5P_DEFAULT);

    AbutSpecCheck(length > 0 && length < ABUT_GROUP_NAME, reader->spec, "%s: the name of a group has %zd characters; at most %d are read",
                  reader->spec->shape.path, length, ABUT_GROUP_NAME - 1);
    PetscCall(WithDataset(reader, name, ReadGroup));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode OpenFile(Reader *reader)
{
  const char *path = reader->spec->shape.path;
  hid_t       how;

  PetscFunctionBegin;
  AbutSpecCheck(!access(path, R_OK), reader->spec, "cannot read %s: %s", path, strerror(errno));
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  how = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_locking(how, 0, 1); /* some parallel file systems lack locks */
  reader->file = H5Fopen(path, H5F_ACC_RDONLY, how);
  H5Pclose(how);
  AbutSpecCheck(reader->file >= 0, reader->spec, "%s is not an HDF5 file, or a damaged one", path);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadHDF5(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape)
{
  const PetscBool all    = (PetscBool)(parts != ABUT_FILE_VERTICES);
  Reader          reader = {.spec = spec, .dim = dim, .file = H5I_INVALID_HID, .shape = shape};
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &reader.rank));
  PetscCallMPI(MPI_Comm_size(comm, &reader.size));
  ierr = OpenFile(&reader);
  if (!ierr) ierr = WithDataset(&reader, "vertices", ReadVertices);
  if (!ierr && all && H5Lexists(reader.file, "cells", H5P_DEFAULT) > 0) ierr = WithDataset(&reader, "cells", ReadCells);
  if (!ierr && all) ierr = ReadGroups(&reader, "groups");
  if (!ierr && spec->num_regions) ierr = ReadGroups(&reader, "cell_groups");
  if (reader.file >= 0) H5Fclose(reader.file);
  PetscFunctionReturn(AbutAgree(comm, ierr));
}
