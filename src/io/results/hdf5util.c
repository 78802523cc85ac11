/* Collective HDF5 through MPI-IO. After each collective call the ranks agree on its result, so that no rank waits for a failed one. */
#include "resultsimpl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Copies the innermost entry of HDF5's error stack. */
static herr_t KeepFirst(unsigned n, const H5E_error2_t *entry, void *ctx)
{
  if (!n && entry->desc) snprintf((char *)ctx, 512, "%s", entry->desc);
  return 0;
}

/* Error of an HDF5 call, whose result is negative. The message names file, object and reason; the next HDF5 call clears the reason. */
static PetscErrorCode Judge(const AbutH5 *h5, hid_t result, const char doing[], const char name[])
{
  char why[512] = "HDF5 states no reason";

  if (result >= 0) return 0;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, KeepFirst, why);
  return AbutErrorSet(ABUT_ERR_IO, "cannot %s %s%s%s: %s", doing, name ? name : "", name ? " in " : "", h5->path, why);
}

static PetscErrorCode Share(const AbutH5 *h5, hid_t result, const char doing[], const char name[])
{
  return AbutAgree(h5->comm, Judge(h5, result, doing, name));
}

/* Whether HDF5 can open a file for reading on this rank alone; without locks, which some parallel file systems lack. */
static PetscBool CanOpen(const char path[])
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t       file;

  if (access < 0) return PETSC_FALSE;
  H5Pset_file_locking(access, 0, 1);
  file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return (PetscBool)(file >= 0 && H5Fclose(file) >= 0);
}

/*
  Checks on rank 0 before the collective open: HDF5 does not state why it refuses a file, and an error of one rank inside HDF5 or MPI-IO can
  leave the other ranks waiting. Reserves the disk space for the data to be written.
*/
static PetscErrorCode Preflight(const char path[], AbutH5Mode mode, PetscInt64 bytes)
{
  const int flags = mode == ABUT_H5_CREATE ? O_RDWR | O_CREAT : mode == ABUT_H5_EDIT ? O_RDWR : O_RDONLY;
  int       fd;

  PetscFunctionBegin;
  fd = open(path, flags, 0666);
  AbutCheck(fd >= 0, ABUT_ERR_IO, "cannot %s %s: %s", mode == ABUT_H5_READ ? "read" : "write", path, strerror(errno));
  close(fd);
  if (mode != ABUT_H5_READ) PetscCall(AbutFileReserve(path, mode == ABUT_H5_CREATE, bytes));
  if (mode != ABUT_H5_CREATE) AbutCheck(CanOpen(path), ABUT_ERR_IO, "%s is not an HDF5 file, or a damaged one", path);
  PetscFunctionReturn(0);
}

static PetscErrorCode Open(AbutH5 *h5, AbutH5Mode mode, PetscInt64 bytes)
{
  hid_t     access;
  PetscBool set;

  PetscFunctionBegin;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  PetscCall(AbutAgree(h5->comm, AbutIsRoot(h5->comm) ? Preflight(h5->path, mode, bytes) : 0));
  access = H5Pcreate(H5P_FILE_ACCESS);
  set = (PetscBool)(access >= 0 && H5Pset_fapl_mpio(access, h5->comm, MPI_INFO_NULL) >= 0 && H5Pset_all_coll_metadata_ops(access, 1) >= 0 &&
                    H5Pset_coll_metadata_write(access, 1) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0);
  if (!set)
    h5->file = H5I_INVALID_HID;
  else if (mode == ABUT_H5_CREATE)
    h5->file = H5Fcreate(h5->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  else
    h5->file = H5Fopen(h5->path, mode == ABUT_H5_EDIT ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  if (access >= 0) H5Pclose(access);
  PetscCall(Share(h5, h5->file, "open", NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5Run(MPI_Comm comm, const char path[], AbutH5Mode mode, PetscInt64 bytes, AbutH5Work work, void *ctx)
{
  AbutH5         h5 = {comm, path, H5I_INVALID_HID};
  PetscErrorCode worked, closed;

  PetscFunctionBegin;
  PetscCall(Open(&h5, mode, bytes));
  worked = work(&h5, ctx);
  closed = Share(&h5, H5Fclose(h5.file), "close", NULL);
  PetscCall(worked);
  PetscCall(closed);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5RunReplace(MPI_Comm comm, const char path[], PetscInt64 bytes, PetscInt64 format, AbutH5Work work, void *ctx)
{
  char           temporary[PETSC_MAX_PATH_LEN + 8];
  PetscErrorCode written, local = 0;

  PetscFunctionBegin;
  snprintf(temporary, sizeof(temporary), "%s.tmp", path);
  written = AbutH5Run(comm, temporary, ABUT_H5_CREATE, bytes, work, ctx);
  if (AbutIsRoot(comm)) {
    if (!written && format > 0) local = AbutChecksumAppend(temporary, format);
    if (!written && !local) local = AbutFileCommit(temporary, path, PETSC_TRUE);
    if (written || local) unlink(temporary);
  }
  PetscCall(written);
  PetscCall(AbutAgree(comm, local));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5CreateGroup(const AbutH5 *h5, hid_t where, const char name[], hid_t *group)
{
  PetscFunctionBegin;
  *group = name ? H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : H5Gcreate_anon(where, H5P_DEFAULT, H5P_DEFAULT);
  PetscCall(Share(h5, *group, "create group", name ? name : "of a time level"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5OpenGroup(const AbutH5 *h5, hid_t where, const char name[], hid_t *group)
{
  PetscFunctionBegin;
  *group = H5Gopen2(where, name, H5P_DEFAULT);
  PetscCall(Share(h5, *group, "open group", name));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5CloseGroup(const AbutH5 *h5, hid_t group)
{
  return Share(h5, H5Gclose(group), "close", "a group");
}

PetscErrorCode AbutH5Link(const AbutH5 *h5, hid_t group, hid_t where, const char name[])
{
  PetscFunctionBegin;
  PetscCall(Share(h5, H5Fflush(h5->file, H5F_SCOPE_GLOBAL), "flush", name));
  PetscCall(Share(h5, H5Olink(group, where, name, H5P_DEFAULT, H5P_DEFAULT), "name", name));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5Unlink(const AbutH5 *h5, hid_t where, const char name[])
{
  return Share(h5, H5Ldelete(where, name, H5P_DEFAULT), "delete", name);
}

/* Selects this rank's rows of a two-dimensional space in file and memory; negative after an error. */
static herr_t SelectRows(hid_t file_space, hid_t memory_space, const hsize_t start[2], const hsize_t count[2])
{
  if (!count[0] || !count[1]) return H5Sselect_none(file_space) < 0 ? -1 : H5Sselect_none(memory_space);
  return H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL);
}

static PetscErrorCode Transfer(const AbutH5 *h5, hid_t dataset, const char name[], hid_t type, const hsize_t start[2],
                               const hsize_t count[2], const void *out, void *in)
{
  const hid_t    file_space = H5Dget_space(dataset), memory_space = H5Screate_simple(2, count, NULL), how = H5Pcreate(H5P_DATASET_XFER);
  herr_t         status = H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE);
  PetscErrorCode local;

  PetscFunctionBegin;
  if (status >= 0) status = SelectRows(file_space, memory_space, start, count);
  PetscCall(Share(h5, status, "select rows of", name));
  status = out ? H5Dwrite(dataset, type, memory_space, file_space, how, out) : H5Dread(dataset, type, memory_space, file_space, how, in);
  local  = Judge(h5, status, out ? "write" : "read", name);
  H5Pclose(how);
  H5Sclose(memory_space);
  H5Sclose(file_space);
  PetscCall(AbutAgree(h5->comm, local));
  PetscFunctionReturn(0);
}

static PetscErrorCode Extent(MPI_Comm comm, PetscInt rows, PetscInt width, hsize_t start[2], hsize_t count[2], hsize_t total[2])
{
  PetscInt64 mine = rows, before = 0, all = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Exscan(&mine, &before, 1, MPIU_INT64, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_INT64, MPI_SUM, comm));
  start[0] = (hsize_t)before;
  count[0] = (hsize_t)mine;
  total[0] = (hsize_t)all;
  start[1] = 0;
  count[1] = total[1] = (hsize_t)width;
  PetscFunctionReturn(0);
}

/* Layout of a dataset: contiguous, or compressed chunks of at most 16384 rows. H5Pclose() frees it. */
static hid_t CreateLayout(const AbutH5 *h5, const hsize_t total[2])
{
  const hsize_t chunk[2] = {PetscMin(total[0], 16384), total[1]};
  const hid_t   layout   = H5Pcreate(H5P_DATASET_CREATE);

  if (layout < 0 || !h5->compression || !total[0]) return layout;
  if (H5Pset_chunk(layout, chunk[1] == 1 ? 1 : 2, chunk) < 0 || H5Pset_shuffle(layout) < 0 ||
      H5Pset_deflate(layout, (unsigned)h5->compression) < 0) {
    H5Pclose(layout);
    return H5I_INVALID_HID;
  }
  return layout;
}

PetscErrorCode AbutH5WriteRows(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width,
                               const void *data)
{
  static const double nothing = 0;
  hsize_t             start[2], count[2], total[2];
  hid_t               space, layout, dataset;

  PetscFunctionBegin;
  PetscCall(Extent(h5->comm, rows, width, start, count, total));
  space   = H5Screate_simple(width == 1 ? 1 : 2, total, NULL);
  layout  = CreateLayout(h5, total);
  dataset = layout < 0 ? layout : H5Dcreate2(where, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  PetscCall(Share(h5, dataset, "create", name));
  H5Pclose(layout);
  H5Sclose(space);
  if (total[0]) PetscCall(Transfer(h5, dataset, name, type, start, count, rows ? data : &nothing, NULL));
  PetscCall(Share(h5, H5Dclose(dataset), "close", name));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5CreateDataset(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width,
                                   hid_t *dataset)
{
  const hsize_t total[2] = {(hsize_t)rows, (hsize_t)width};
  const hid_t   space    = H5Screate_simple(width == 1 ? 1 : 2, total, NULL);

  PetscFunctionBegin;
  *dataset = H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (space >= 0) H5Sclose(space);
  PetscFunctionReturn(Judge(h5, *dataset, "create", name));
}

PetscErrorCode AbutH5FillDataset(const AbutH5 *h5, hid_t dataset, const char name[], hid_t type, const void *data)
{
  PetscFunctionBegin;
  PetscFunctionReturn(Judge(h5, H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write", name));
}

PetscErrorCode AbutH5CloseDataset(const AbutH5 *h5, hid_t dataset)
{
  PetscFunctionBegin;
  PetscFunctionReturn(Judge(h5, H5Dclose(dataset), "close", "a dataset"));
}

PetscErrorCode AbutH5ReadRows(const AbutH5 *h5, hid_t where, const char name[], hid_t type, PetscInt rows, PetscInt width, void *data)
{
  hsize_t        start[2], count[2], total[2], found[2] = {0, 1};
  hid_t          space, dataset;
  int            rank = -1;
  double         nothing;
  PetscErrorCode local = 0;

  PetscFunctionBegin;
  PetscCall(Extent(h5->comm, rows, width, start, count, total));
  dataset = H5Dopen2(where, name, H5P_DEFAULT);
  PetscCall(Share(h5, dataset, "open", name));
  space = H5Dget_space(dataset);
  if (space >= 0) rank = H5Sget_simple_extent_ndims(space);
  if (rank == 1 || rank == 2) H5Sget_simple_extent_dims(space, found, NULL);
  H5Sclose(space);
  if (found[0] != total[0] || found[1] != total[1])
    local =
      AbutErrorSet(ABUT_ERR_INPUT, "%s in %s has %llu x %llu entries, expected %llu x %llu", name, h5->path, (unsigned long long)found[0],
                   (unsigned long long)found[1], (unsigned long long)total[0], (unsigned long long)total[1]);
  PetscCall(AbutAgree(h5->comm, local));
  if (total[0]) PetscCall(Transfer(h5, dataset, name, type, start, count, NULL, rows ? data : &nothing));
  PetscCall(Share(h5, H5Dclose(dataset), "close", name));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetAttribute(const AbutH5 *h5, hid_t where, const char name[], hid_t type, const void *value)
{
  const hid_t space = H5Screate(H5S_SCALAR), attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

  PetscFunctionBegin;
  PetscCall(Share(h5, attribute < 0 ? attribute : H5Awrite(attribute, type, value), "write attribute", name));
  H5Sclose(space);
  PetscCall(Share(h5, H5Aclose(attribute), "close attribute", name));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5SetInt(const AbutH5 *h5, hid_t where, const char name[], PetscInt64 value)
{
  return SetAttribute(h5, where, name, H5T_NATIVE_INT64, &value);
}

PetscErrorCode AbutH5SetReal(const AbutH5 *h5, hid_t where, const char name[], PetscReal value)
{
  return SetAttribute(h5, where, name, AbutH5TypeReal(), &value);
}

PetscErrorCode AbutH5SetString(const AbutH5 *h5, hid_t where, const char name[], const char value[])
{
  const hid_t type = H5Tcopy(H5T_C_S1);

  PetscFunctionBegin;
  PetscCall(Share(h5, H5Tset_size(type, strlen(value) + 1) < 0 ? -1 : H5Tset_cset(type, H5T_CSET_UTF8), "write attribute", name));
  PetscCall(SetAttribute(h5, where, name, type, value));
  H5Tclose(type);
  PetscFunctionReturn(0);
}

static PetscErrorCode GetAttribute(const AbutH5 *h5, hid_t where, const char name[], hid_t type, void *value)
{
  const hid_t attribute = H5Aopen(where, name, H5P_DEFAULT);

  PetscFunctionBegin;
  PetscCall(Share(h5, attribute < 0 ? attribute : H5Aread(attribute, type, value), "read attribute", name));
  H5Aclose(attribute);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutH5GetInt(const AbutH5 *h5, hid_t where, const char name[], PetscInt64 *value)
{
  return GetAttribute(h5, where, name, H5T_NATIVE_INT64, value);
}

PetscErrorCode AbutH5GetReal(const AbutH5 *h5, hid_t where, const char name[], PetscReal *value)
{
  return GetAttribute(h5, where, name, AbutH5TypeReal(), value);
}
