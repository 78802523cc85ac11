/* Files: whether one can be read, and its whole text. */
#include <abut/core.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *AbutFileWhyUnreadable(const char path[])
{
  struct stat info;

  if (stat(path, &info) || access(path, R_OK)) return strerror(errno);
  return S_ISDIR(info.st_mode) ? strerror(EISDIR) : NULL;
}

PetscErrorCode AbutFileRead(const char path[], size_t most, char **text, size_t *length, const char **why)
{
  FILE  *file = fopen(path, "rb");
  size_t size = 1 << 16, got;

  PetscFunctionBegin;
  *text   = NULL;
  *length = 0;
  *why    = file ? NULL : strerror(errno);
  if (!file) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(size, text));
  while (*length <= most && (got = fread(*text + *length, 1, size - 1 - *length, file)) > 0) { /* no fseek: the file may be a pipe */
    *length += got;
    if (*length + 1 < size) continue;
    size *= 2;
    PetscCall(PetscRealloc(size, text));
  }
  if (*length > most || ferror(file)) *why = strerror(*length > most ? EFBIG : errno);
  fclose(file);
  (*text)[*length] = '\0';
  if (*why) PetscCall(PetscFree(*text));
  PetscFunctionReturn(0);
}
