/* Private to src/model/constraint: ties. */
#pragma once
#include <abut/containers.h>
#include <abut/tie.h>

/* Surface entity of the second surface of a tie, on all ranks. Vertex dim is the corner of its cell that is not on the surface. */
typedef struct {
  PetscInt  key[3];    /* ids of its vertices, ascending; -1 in 2D */
  PetscInt  global[4]; /* global indices */
  PetscInt  id[4], body;
  PetscReal x[12]; /* [dim + 1] positions at the start [m] */
  PetscInt  used;  /* some point is tied to it */
} TieFace;

typedef struct {
  PetscInt num;
  TieFace *face; /* [num] the same on all ranks, ascending */
} TieFaces;

/* Part of the mean gap of a vertex of the first surface: weight times area of one vertex. */
typedef struct {
  PetscInt  row, id, global; /* global index of the vertex of the first surface; id and global index of the other vertex */
  PetscReal weight;          /* [m^2, in 2D m] */
} TieEntry;

/* Result of the search of a tie. */
typedef struct {
  PetscInt  num, capacity;
  TieEntry *entry;    /* [num] of the faces of this rank */
  AbutInts  vertices; /* ids of the vertices of the first surface on this rank; with repetitions */
  AbutInts  bodies;   /* pairs of bodies that are tied */
  PetscReal gap;      /* largest distance on this rank [m] */
  PetscReal lever;    /* integral of minus the weight of the opposite corner */
} TieSearch;

struct _p_AbutTies {
  MPI_Comm             comm;
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  PetscInt             num;       /* ties */
  AbutTieReport       *report;    /* [num] */
  PetscInt            *first_row; /* [num + 1] first row of each tie */
  PetscInt            *first;     /* [num_bodies] see AbutTiesGetFirstBody() */
  PetscInt             num_rows;  /* mean gaps whose vertex of the first surface this rank owns */
  PetscInt            *start;     /* [num_rows + 1] */
  PetscInt            *global;    /* [start[num_rows]] vertices; the tied one comes first */
  PetscInt            *leaf;      /* [start[num_rows]] their numbers among the leaves */
  PetscReal           *weight;    /* [start[num_rows]] */
  PetscReal           *area;      /* [num_rows] a [m^2, in 2D m] */
  PetscReal           *stiffness; /* [num_rows] K [N/m] */
  PetscInt             most;      /* largest number of vertices of a row */
  PetscInt             num_leaves;
  PetscSF              sf;                 /* owned vertices to leaves */
  PetscReal           *x, *p, *now, *work; /* [num_leaves * dim] line, point of the gradient */
};

/* tie_search.c. Collective. */
PETSC_INTERN PetscErrorCode AbutTieFindFaces(AbutMesh mesh, const PetscReal marked[], TieFaces *faces);
/* Ties the faces of this rank whose vertices are marked. Errors: ABUT_ERR_INPUT. */
PETSC_INTERN PetscErrorCode AbutTieSearch(AbutMesh mesh, const AbutTieSpec *spec, const PetscReal marked[], TieFaces *faces,
                                          TieSearch *search);
