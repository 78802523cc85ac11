/*
  WARNING: private header of deform. Minimal cut of a network between two of its nodes, by a maximal flow [Dinic 1970]. Capacities are
  integers, so that the flow is exact.
*/
#pragma once
#include <abut/core.h>

/*
  Nodes and arcs. The arcs 2 k and 2 k + 1 are opposite: both belong to edge k. Initialise with zeros; AbutFlowReset() reuses the memory.
*/
typedef struct {
  PetscInt    num_nodes, node_capacity; /* nodes, allocated nodes */
  PetscInt    num_arcs, arc_capacity;   /* arcs, allocated arcs */
  PetscInt   *to;                       /* [num_arcs] node at the end of the arc */
  PetscInt   *next;                     /* [num_arcs] next arc from the same node, -1 at the end of the list */
  PetscInt64 *left;                     /* [num_arcs] residual capacity */
  PetscInt   *first;                    /* [num_nodes] first arc of each node, -1 without */
  PetscInt   *current;                  /* [num_nodes] work space: first arc that may carry flow */
  PetscInt   *level;                    /* [num_nodes] work space: arcs to the sink, -1 if it is not reached */
  PetscInt   *queue;                    /* [num_nodes] work space: nodes or arcs */
} AbutFlow;

/* Removes all edges and sets the number of nodes. */
PETSC_INTERN PetscErrorCode AbutFlowReset(AbutFlow *flow, PetscInt num_nodes);

/* Adds an edge with a capacity >= 0 from a to b, and one from b to a. Sums of capacities must be below 2^62. */
PETSC_INTERN PetscErrorCode AbutFlowAddEdge(AbutFlow *flow, PetscInt a, PetscInt b, PetscInt64 forward, PetscInt64 backward);

/* Replaces the capacities of the edge that was added as number k, before a new cut of the same network. */
static inline void AbutFlowSetEdge(AbutFlow *flow, PetscInt k, PetscInt64 forward, PetscInt64 backward)
{
  flow->left[2 * k]     = forward;
  flow->left[2 * k + 1] = backward;
}

/*
  Sets source_side[num_nodes]: the smallest set of nodes with the source and without the sink whose outgoing edges have the least total
  capacity. Returns this capacity in *value. The residual capacities change: a second call needs new edges or capacities.
*/
PETSC_INTERN PetscErrorCode AbutFlowCut(AbutFlow *flow, PetscInt source, PetscInt sink, PetscBool source_side[], PetscInt64 *value);

PETSC_INTERN PetscErrorCode AbutFlowDestroy(AbutFlow *flow);
