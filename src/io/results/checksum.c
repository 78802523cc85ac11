/*
  Last line of a file: format version, length and checksum of the bytes before it. It tells a damaged or truncated file from a whole one
  before HDF5 opens it on several ranks, where an error of one rank can leave the others waiting.
*/
#include "resultsimpl.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINE_SIZE  80
#define BLOCK_SIZE ((size_t)1 << 20)

/* One word into the hash. A bijection of `hash` for every word, and of `word` for every hash: a single changed word is always found. */
static uint64_t AddWord(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

/* Hash of the next `length` bytes of a file; a short file counts as an error. */
static PetscErrorCode HashFile(FILE *file, const char path[], PetscInt64 length, uint64_t *hash)
{
  uint64_t *block;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(BLOCK_SIZE / sizeof(*block), &block));
  *hash = AddWord(0, (uint64_t)length);
  for (size_t n; length > 0; length -= (PetscInt64)n) {
    n                               = (size_t)PetscMin(length, (PetscInt64)BLOCK_SIZE);
    block[(n - 1) / sizeof(*block)] = 0; /* the last word may be partial */
    if (fread(block, 1, n, file) != n) break;
    for (size_t k = 0; k * sizeof(*block) < n; k++) *hash = AddWord(*hash, block[k]);
  }
  PetscCall(PetscFree(block));
  AbutCheck(length == 0, ABUT_ERR_IO, "cannot read %s: %s", path, ferror(file) ? strerror(errno) : "it ends too early");
  PetscFunctionReturn(0);
}

/* The line without its closing zero byte. */
static void FormatLine(PetscInt64 format, PetscInt64 length, uint64_t hash, char line[LINE_SIZE + 1])
{
  char text[128];

  snprintf(text, sizeof(text), "abut format %" PRId64 ", %" PRId64 " bytes, checksum %016" PRIx64, (int64_t)format, (int64_t)length,
           AddWord(hash, (uint64_t)format));
  snprintf(line, LINE_SIZE + 1, "\n%-*.*s\n", LINE_SIZE - 2, LINE_SIZE - 2, text);
}

static PetscErrorCode Append(FILE *file, const char path[], PetscInt64 format)
{
  char     line[LINE_SIZE + 1];
  long     length = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  uint64_t hash;

  PetscFunctionBegin;
  AbutCheck(length >= 0, ABUT_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  rewind(file);
  PetscCall(HashFile(file, path, length, &hash));
  FormatLine(format, length, hash, line);
  AbutCheck(!fseek(file, 0, SEEK_END) && fwrite(line, 1, LINE_SIZE, file) == LINE_SIZE && !fflush(file), ABUT_ERR_IO, "cannot write %s: %s",
            path, strerror(errno));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutChecksumAppend(const char path[], PetscInt64 format)
{
  FILE          *file = fopen(path, "r+b");
  PetscErrorCode ierr;

  PetscFunctionBegin;
  AbutCheck(file, ABUT_ERR_IO, "cannot write %s: %s", path, strerror(errno));
  ierr = Append(file, path, format);
  fclose(file);
  PetscFunctionReturn(ierr);
}

static PetscErrorCode Verify(FILE *file, const char path[], PetscInt64 format)
{
  char     line[LINE_SIZE + 1] = "", expected[LINE_SIZE + 1];
  long     size                = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  int64_t  found = 0, length = 0;
  uint64_t hash;

  PetscFunctionBegin;
  AbutCheck(size >= 0, ABUT_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  if (size >= LINE_SIZE && !fseek(file, size - LINE_SIZE, SEEK_SET) && fread(line, 1, LINE_SIZE, file) == LINE_SIZE)
    (void)sscanf(line, "\nabut format %" SCNd64 ", %" SCNd64 " bytes", &found, &length);
  AbutCheck(length == size - LINE_SIZE && length > 0, ABUT_ERR_IO,
            "%s is truncated or damaged, or an older version of abut wrote it: its %ld bytes do not end with their number and checksum",
            path, size);
  rewind(file);
  PetscCall(HashFile(file, path, length, &hash));
  FormatLine(found, length, hash, expected);
  AbutCheck(!memcmp(line, expected, LINE_SIZE), ABUT_ERR_IO, "%s is damaged: its %ld bytes do not have the checksum that the file states",
            path, size);
  AbutCheck(found == format, ABUT_ERR_INPUT, "%s has format version %" PRId64 ", this program reads version %" PRId64, path, found,
            (int64_t)format);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutChecksumVerify(const char path[], PetscInt64 format)
{
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char              first[8]     = {0};
  FILE                      *file         = fopen(path, "rb");
  PetscErrorCode             ierr;

  PetscFunctionBegin;
  AbutCheck(file, ABUT_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  if (fread(first, 1, sizeof(first), file) != sizeof(first) || memcmp(first, signature, sizeof(first)))
    ierr = AbutErrorSet(ABUT_ERR_IO, "%s is not an HDF5 file, or a damaged one", path);
  else
    ierr = Verify(file, path, format);
  fclose(file);
  PetscFunctionReturn(ierr);
}
