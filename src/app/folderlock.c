/*
  Lock of the folder of results: two runs in one folder would mix their files. The lock belongs to the open file `run.lock`, so that it ends
  with the process, however that ends. File systems without locks have none.
*/
#include "app.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  int  file;
  char path[PETSC_MAX_PATH_LEN];
} FolderLock;

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
                                   "another run writes into the folder %s%s%s: end that run, or choose another folder with -o; if that run "
                                   "is dead, remove run.lock",
                                   directory, owner[0] ? ", " : "", owner));
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

/* An MPI_Comm_delete_attr_function: MPI_Finalize() deletes the attributes of MPI_COMM_SELF first. */
static int Release(MPI_Comm comm, int key, void *attribute, void *extra)
{
  FolderLock *lock = (FolderLock *)attribute;

  (void)comm, (void)key, (void)extra;
  (void)unlink(lock->path);
  close(lock->file);
  free(lock);
  return MPI_SUCCESS;
}

/* Keeps the lock as an attribute. */
static PetscErrorCode Keep(const FolderLock *lock, int *key)
{
  FolderLock *kept = (FolderLock *)malloc(sizeof(*kept)); /* freed after PetscFinalize() */

  PetscFunctionBegin;
  PetscCheck(kept, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  *kept = *lock;
  WriteOwner(lock->file);
  PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, Release, key, NULL));
  PetscCallMPI(MPI_Comm_set_attr(MPI_COMM_SELF, *key, kept));
  PetscFunctionReturn(0);
}

static PetscErrorCode TakeOnRoot(const char directory[], int *key)
{
  FolderLock lock;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(lock.path, sizeof(lock.path), "%s/run.lock", directory));
  for (;;) {
    lock.file = open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    AbutCheck(lock.file >= 0, ABUT_ERR_IO, "cannot write %s: %s", lock.path, strerror(errno));
    if (flock(lock.file, LOCK_EX | LOCK_NB)) {
      if (errno == EWOULDBLOCK) PetscFunctionReturn(Refuse(directory, lock.file));
      close(lock.file);
      (void)unlink(lock.path);
      PetscFunctionReturn(0);
    }
    if (IsCurrent(lock.file, lock.path)) PetscFunctionReturn(Keep(&lock, key));
    close(lock.file);
  }
}

PetscErrorCode FolderLockTake(MPI_Comm comm, const char directory[], int *lock)
{
  int key = MPI_KEYVAL_INVALID, *taken = lock ? lock : &key;

  *taken = MPI_KEYVAL_INVALID;
  return AbutAgree(comm, AbutIsRoot(comm) ? TakeOnRoot(directory, taken) : 0);
}

PetscErrorCode FolderLockRelease(int *lock)
{
  PetscFunctionBegin;
  if (*lock == MPI_KEYVAL_INVALID) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_delete_attr(MPI_COMM_SELF, *lock));
  PetscCallMPI(MPI_Comm_free_keyval(lock));
  PetscFunctionReturn(0);
}
