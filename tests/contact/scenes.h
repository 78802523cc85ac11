/* Surfaces on which the search is tried, each with a direction of motion, and what a search gives as sorted tuples of vertex ids. */
#pragma once
#include "soup.h"

typedef struct {
  const char *name;
  PetscInt    dim;
  PetscReal   inflation, speed; /* largest component of the motion */
  void (*fill)(Soup *soup);
} Scene;

PETSC_INTERN const Scene    Scenes[];
PETSC_INTERN const PetscInt NumScenes;

/* A scene on a communicator. x, p are those of all vertices, by id. */
typedef struct {
  Soup        soup;
  PetscReal  *p;
  AbutMesh    mesh;
  AbutContact contact;
  PetscReal  *x_local, *p_local;
  PetscReal   inflation;
} Stage;

void StageOpen(Stage *stage, const Scene *scene, MPI_Comm comm, SoupWay way, PetscInt num_planes, const AbutPlaneSpec planes[]);
void StageClose(Stage *stage);

/* Kind (0 FV, 1 EE, 2 EV, 3 plane-vertex) and vertex ids, -1 where unused. */
typedef PetscInt Tuple[5];

/* The candidates of all ranks, sorted; to be freed. */
Tuple *GatherTuples(const AbutCandidates *candidates, MPI_Comm comm, PetscInt *count);
int    CompareTuples(const void *a, const void *b);
