/* Scenes from text: files of a directory that is made for the test and removed after it. */
#pragma once
#include <test.h>
#include <abut/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCENE_FILE_NAME "scene.yaml"

/* A file written on rank 0 and complete on return. */
static inline void WriteText(const char directory[], const char name[], size_t length, const char text[])
{
  PetscMPIInt rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!rank) {
    char  path[PETSC_MAX_PATH_LEN];
    FILE *file;
    AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s", directory, name));
    file = fopen(path, "wb");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file)) fail_msg("cannot write %s", path);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
}

static inline void RemoveSceneDirectory(const char directory[], const char other[])
{
  char        path[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Barrier(PETSC_COMM_WORLD);
  if (rank) return;
  AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s", directory, SCENE_FILE_NAME));
  unlink(path);
  AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s", directory, other ? other : ""));
  if (other) unlink(path);
  rmdir(directory);
}

/* Reads text as the scene of a directory. */
static inline PetscErrorCode ReadSceneText(const char directory[], const char text[], AbutScene **scene)
{
  char path[PETSC_MAX_PATH_LEN];

  WriteText(directory, SCENE_FILE_NAME, strlen(text), text);
  AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/%s", directory, SCENE_FILE_NAME));
  return AbutSceneRead(PETSC_COMM_WORLD, path, scene);
}
