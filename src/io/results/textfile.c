/* Growing strings; files that replace others as a whole: temporary file, fsync, rename. */
#include "resultsimpl.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

void AbutTextAppend(AbutText *text, const char format[], ...)
{
  va_list args;
  size_t  more;

  va_start(args, format);
  more = (size_t)vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (text->length + more + 1 > text->size && !text->error) {
    text->size  = 2 * (text->length + more + 1);
    text->error = PetscRealloc(text->size, &text->text);
  }
  if (text->error) return;
  va_start(args, format);
  vsnprintf(text->text + text->length, more + 1, format, args);
  va_end(args);
  text->length += more;
}

void AbutTextAppendReal(AbutText *text, PetscReal value, const char infinity[])
{
  char number[40];

  if (PetscIsNanReal(value))
    AbutTextAppend(text, "nan");
  else if (PetscAbsReal(value) >= PETSC_INFINITY)
    AbutTextAppend(text, "%s%s", value < 0 ? "-" : "", infinity);
  else {
    for (int digits = 15; digits <= 17; digits++) {
      snprintf(number, sizeof(number), "%.*g", digits, (double)value);
      if (strtod(number, NULL) == (double)value) break;
    }
    AbutTextAppend(text, "%s", number);
  }
}

PetscErrorCode AbutTextDestroy(AbutText *text)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(text->text));
  *text = (AbutText){0};
  PetscFunctionReturn(0);
}

/* Length of the UTF-8 sequence at `c`, 0 if it is invalid: JSON must be UTF-8, file names need not be. */
static int SequenceUTF8(const unsigned char *c)
{
  const int length = c[0] < 0x80                   ? 1
                     : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
                     : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                     : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                   : 0;

  for (int i = 1; i < length; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90))
    return 0;
  return length;
}

void AbutTextAppendJSON(AbutText *text, const char string[])
{
  AbutTextAppend(text, "\"");
  for (const unsigned char *c = (const unsigned char *)string; *c;) {
    const int length = SequenceUTF8(c);
    if (!length)
      AbutTextAppend(text, "\\ufffd");
    else if (*c == '"' || *c == '\\')
      AbutTextAppend(text, "\\%c", *c);
    else if (*c < 0x20)
      AbutTextAppend(text, "\\u%04x", *c);
    else
      AbutTextAppend(text, "%.*s", length, (const char *)c);
    c += length ? length : 1;
  }
  AbutTextAppend(text, "\"");
}

PetscErrorCode AbutPathJoin(const char directory[], const char name[], char path[PETSC_MAX_PATH_LEN])
{
  const int length = snprintf(path, PETSC_MAX_PATH_LEN, "%s/%s", directory, name);

  PetscFunctionBegin;
  AbutCheck(length >= 0 && length < PETSC_MAX_PATH_LEN, ABUT_ERR_INPUT, "path %s/%s is longer than %d characters", directory, name,
            PETSC_MAX_PATH_LEN - 1);
  PetscFunctionReturn(0);
}

/* Syncs a rename to disk. No error if the file system refuses to sync folders: the data are on disk already. */
static void SyncDirectoryOf(const char path[])
{
  char copy[PETSC_MAX_PATH_LEN];
  int  fd;

  snprintf(copy, sizeof(copy), "%s", path);
  fd = open(dirname(copy), O_RDONLY);
  if (fd < 0) return;
  (void)fsync(fd);
  close(fd);
}

static PetscErrorCode SyncFile(const char path[])
{
  const int fd  = open(path, O_RDONLY);
  int       why = 0;

  PetscFunctionBegin;
  AbutCheck(fd >= 0, ABUT_ERR_IO, "cannot open %s: %s", path, strerror(errno));
  if (fsync(fd)) why = errno;
  close(fd);
  AbutCheck(!why, ABUT_ERR_IO, "cannot sync %s to disk: %s", path, strerror(why));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFileCommit(const char temporary[], const char path[], PetscBool sync)
{
  PetscFunctionBegin;
  if (sync) PetscCall(SyncFile(temporary));
  AbutCheck(!rename(temporary, path), ABUT_ERR_IO, "cannot rename %s to %s: %s", temporary, path, strerror(errno));
  if (sync) SyncDirectoryOf(path);
  PetscFunctionReturn(0);
}

/* Reserves blocks if the file system supports it, else compares with the free blocks. Returns 0 or errno. */
static int ReserveBlocks(int fd, off_t start, off_t length)
{
  struct statvfs disk;

#if defined(FALLOC_FL_KEEP_SIZE)
  if (!fallocate(fd, FALLOC_FL_KEEP_SIZE, start, length)) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
#endif
  if (fstatvfs(fd, &disk)) return errno;
  return (double)length > (double)disk.f_bavail * (double)disk.f_frsize ? ENOSPC : 0;
}

PetscErrorCode AbutFileReserve(const char path[], PetscBool overwrite, PetscInt64 bytes)
{
  const off_t   records = 1 << 16; /* HDF5's own records of some tens of objects */
  struct stat   info;
  struct rlimit limit;
  off_t         start;
  int           fd, why = 0;

  PetscFunctionBegin;
  fd = open(path, O_RDWR);
  AbutCheck(fd >= 0, ABUT_ERR_IO, "cannot write %s: %s", path, strerror(errno));
  start = overwrite || fstat(fd, &info) ? 0 : info.st_size;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && (rlim_t)(start + bytes + records) > limit.rlim_cur)
    why = EFBIG;
  else
    why = ReserveBlocks(fd, start, (off_t)bytes + records);
  close(fd);
  AbutCheck(!why, ABUT_ERR_IO, "cannot write %" PetscInt64_FMT " bytes more to %s: %s", bytes, path, strerror(why));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTextReplaceFile(const AbutText *text, const char path[], PetscBool sync)
{
  char           temporary[PETSC_MAX_PATH_LEN + 8];
  FILE          *file;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  PetscCall(text->error);
  snprintf(temporary, sizeof(temporary), "%s.tmp", path);
  file = fopen(temporary, "w");
  AbutCheck(file, ABUT_ERR_IO, "cannot write %s: %s", temporary, strerror(errno));
  errno = 0;
  if (fwrite(text->text, 1, text->length, file) != text->length || fflush(file))
    ierr = AbutErrorSet(ABUT_ERR_IO, "cannot write %s: %s", temporary, strerror(errno));
  fclose(file);
  if (!ierr) ierr = AbutFileCommit(temporary, path, sync);
  if (ierr) unlink(temporary);
  PetscFunctionReturn(ierr);
}
