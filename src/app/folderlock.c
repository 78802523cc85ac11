/*
  Lock of the folder of results: two runs in one folder would mix their files. The lock belongs to the open file `run.lock`, so that it ends
  with the process, however that ends. File systems without locks have none.
*/
#include "app.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process locks one folder, the first that it prepares; the others of `abut contacts` lie in it. */
static struct {
  PetscBool taken;
  int       file; /* -1: the file system has no locks */
  char      path[PETSC_MAX_PATH_LEN];
} lock = {PETSC_FALSE, -1, ""};

/* Whether `file` still is the file of that name: a run that ends removes it, perhaps after this run has opened it. */
static PetscBool IsCurrent(int file, const char path[])
{
  struct stat here, there;

  return (PetscBool)(!fstat(file, &here) && !stat(path, &there) && here.st_ino == there.st_ino && here.st_dev == there.st_dev);
}

static PetscErrorCode Refuse(const char directory[], int file)
{
  char          owner[128] = "";
  const ssize_t length     = read(file, owner, sizeof(owner) - 1);

  PetscFunctionBegin;
  close(file);
  owner[PetscMax(length, 0)] = '\0';
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT,
                                   "another run writes into the folder %s%s%s: choose another folder with -o, or end that run", directory,
                                   owner[0] ? ", " : "", owner));
}

/* Host and process, for the message of another run. It does not matter whether they can be written. */
static void WriteOwner(int file)
{
  char host[64] = "", text[128];
  int  length;

  (void)gethostname(host, sizeof(host) - 1);
  length = snprintf(text, sizeof(text), "process %ld on %s", (long)getpid(), host);
  if (!ftruncate(file, 0)) (void)!write(file, text, (size_t)length);
}

PetscErrorCode FolderLockTake(const char directory[])
{
  PetscFunctionBegin;
  if (lock.taken) PetscFunctionReturn(0);
  AbutCheck(snprintf(lock.path, sizeof(lock.path), "%s/run.lock", directory) < (int)sizeof(lock.path), ABUT_ERR_INPUT,
            "-o is a text of %zu characters, too long for the names of files in this folder", strlen(directory));
  for (;;) {
    const int file = open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

    AbutCheck(file >= 0, ABUT_ERR_IO, "cannot write %s: %s", lock.path, strerror(errno));
    if (flock(file, LOCK_EX | LOCK_NB)) {
      if (errno == EWOULDBLOCK) PetscFunctionReturn(Refuse(directory, file));
      close(file);
      (void)unlink(lock.path);
      PetscFunctionReturn(0);
    }
    if (IsCurrent(file, lock.path)) {
      lock.file  = file;
      lock.taken = PETSC_TRUE;
      WriteOwner(file);
      PetscFunctionReturn(0);
    }
    close(file);
  }
}

void FolderLockRelease(void)
{
  if (!lock.taken) return;
  (void)unlink(lock.path);
  close(lock.file);
  lock.taken = PETSC_FALSE;
}
