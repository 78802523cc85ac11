/*
  Elimination order in two stages, so that ranks can share the work: first the vertices within parts, then the separators, with one vertex
  in place of each part.
*/
#pragma once
#include "separators.h"

/* Divides the parts into connected pieces, each of which becomes a part, and orders their vertices by minimum degree. Not collective. */
PETSC_INTERN PetscErrorCode QuotientOrderParts(PetscInt n, const PetscInt ptr[], const PetscInt adj[], SeparatorTree *tree);
/*
  Elimination order of a tree whose parts are connected. `together` 1: nested dissection, in the order of the tree, each subtree
  contiguous. Otherwise all parts come first, then the separators as by AbutOrderingFromHeights(). Not collective.
*/
PETSC_INTERN PetscErrorCode QuotientOrder(PetscInt together, PetscInt n, const PetscInt ptr[], const PetscInt adj[],
                                          const SeparatorTree *tree, PetscInt order[]);
