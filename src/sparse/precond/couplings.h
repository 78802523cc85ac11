/*
  Graphs of couplings between vertices, for METIS. A vertex is a block of unknowns of a matrix with uniform dense blocks. The strength of
  the coupling between vertices v and w is |A_vw|^2 / (|A_vv| |A_ww|) with Frobenius norms, as an integer up to COUPLING_MAX. The square
  makes one stiff contact stronger than the couplings of a vertex to all its neighbours in a body.
*/
#pragma once
#include <metis.h>
#include <petscmat.h>

#define COUPLING_MAX 10000 /* couplings weaker than 0.5 are ignored */

/* Nodes and their couplings, without loops. A node represents one vertex or several. */
typedef struct {
  idx_t  n;
  idx_t *xadj, *adjncy, *strength; /* [n + 1], [xadj[n]], [xadj[n]]; symmetric */
  idx_t *weight;                   /* [n] number of vertices with couplings; 0: the node has no couplings */
} Couplings;

/* Couplings of the owned vertices to vertices of other ranks. */
typedef struct {
  PetscInt *start;    /* [owned vertices + 1] */
  PetscInt *ghost;    /* [start[n]] position of the other vertex among the leaves of `ghosts` */
  idx_t    *strength; /* [start[n]] */
  PetscSF   ghosts;   /* from owned vertices to their copies on other ranks */
} RemoteCouplings;

/* The sequential part of a matrix with the rows and columns of this rank; borrowed. Not collective. */
PETSC_INTERN PetscErrorCode CouplingsLocalMat(Mat A, Mat *local);

/* fixed[i]: whether owned row i has no couplings, as rows of fixed unknowns. Not collective. */
PETSC_INTERN PetscErrorCode CouplingsFindFixed(Mat A, PetscBool fixed[]);
/* Whether the rows without couplings are the same as before on all ranks. Collective. */
PETSC_INTERN PetscErrorCode CouplingsCompareFixed(Mat A, const PetscBool before[], PetscBool *same);

/* Couplings of the owned vertices with each other; each vertex is a node, with weight 0 if it has no couplings. Not collective. */
PETSC_INTERN PetscErrorCode CouplingsCreate(Mat A, Couplings *couplings);
/* Arrays for n nodes and a number of entries (i, j); their contents are undefined. Not collective. */
PETSC_INTERN PetscErrorCode CouplingsAllocate(PetscInt n, PetscInt entries, Couplings *couplings);
PETSC_INTERN PetscErrorCode CouplingsDestroy(Couplings *couplings);

/* Couplings of a matrix of type MPIAIJ between ranks. Collective. */
PETSC_INTERN PetscErrorCode CouplingsCreateRemote(Mat A, RemoteCouplings *remote);
PETSC_INTERN PetscErrorCode CouplingsDestroyRemote(RemoteCouplings *remote);

/*
  Unites nodes: to[i] in [0, num) is the new node of node i, or -1 for a node without couplings. Strengths between new nodes are sums of
  the old ones, weights likewise. Not collective.
*/
PETSC_INTERN PetscErrorCode CouplingsMerge(const Couplings *couplings, PetscInt num, const PetscInt to[], Couplings *merged);

PETSC_INTERN PetscInt CouplingsSumWeights(const Couplings *couplings);

/*
  part[i] in [0, num): METIS divides the nodes into parts of equal weight with weak couplings between parts. Nodes of weight 0 are divided
  in the order of their numbers. Not collective.
*/
PETSC_INTERN PetscErrorCode CouplingsDivide(const Couplings *couplings, PetscInt num, idx_t part[]);
/* Divides into two parts, the first with first / num of the weight: half[i] = 0 or 1, as by CouplingsDivide(). Not collective. */
PETSC_INTERN PetscErrorCode CouplingsBisect(const Couplings *couplings, PetscInt first, PetscInt num, idx_t half[]);
/* The subgraph of the nodes with part[i] = which, in their order; number: [n] work array. Not collective. */
PETSC_INTERN PetscErrorCode CouplingsExtract(const Couplings *couplings, const idx_t part[], idx_t which, PetscInt number[],
                                             Couplings *extracted);
