/* Surfaces for tests of the search, each with a direction of motion. */
#pragma once
#include "soup.h"
#include "tuples.h"

typedef struct {
  const char *name;
  PetscInt    dim;
  PetscReal   inflation, speed; /* largest component of the motion */
  void (*fill)(Soup *soup);
} Scene;

PETSC_INTERN const Scene    Scenes[];
PETSC_INTERN const PetscInt NumScenes;

/* A scene on a communicator. x, p: all vertices, by id. */
typedef struct {
  Soup        soup;
  PetscReal  *p;
  AbutMesh    mesh;
  AbutContact contact;
  PetscReal  *x_local, *p_local;
  PetscReal   inflation;
} Stage;

void StageOpen(Stage *stage, const Scene *scene, MPI_Comm comm, SoupWay way, PetscInt num_planes, const AbutPlaneSpec planes[]);
/* Opens a ribbon cut into slabs, one per rank: each rank exchanges data with its neighbours only. */
void StageOpenRibbon(Stage *stage);
void StageClose(Stage *stage);

/* Lets ranks move candidates until none has more than the mean load, which counts those closer than `distance`. */
void StageSpread(Stage *stage, PetscReal distance);

/* Searches from x along the whole of p, and returns the candidates. Collective. */
const AbutCandidates *StageSearch(Stage *stage);
