/*
  Maximal flow by Dinic's algorithm: each round finds the levels of the nodes by a breadth-first search back from the sink, and saturates
  all paths along which the level decreases by 1. A search from the source in the last residual graph gives the minimal cut.
*/
#include "flowimpl.h"
#include <abut/containers.h>

PetscErrorCode AbutFlowReset(AbutFlow *flow, PetscInt num_nodes)
{
  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(num_nodes, &flow->node_capacity, 4,
                               (const AbutColumn[]){{&flow->first, sizeof(*flow->first)},
                                                    {&flow->current, sizeof(*flow->current)},
                                                    {&flow->level, sizeof(*flow->level)},
                                                    {&flow->queue, sizeof(*flow->queue)}}));
  flow->num_nodes = num_nodes;
  flow->num_arcs  = 0;
  for (PetscInt i = 0; i < num_nodes; i++) flow->first[i] = -1;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFlowDestroy(AbutFlow *flow)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(flow->to));
  PetscCall(PetscFree(flow->next));
  PetscCall(PetscFree(flow->left));
  PetscCall(PetscFree(flow->first));
  PetscCall(PetscFree(flow->current));
  PetscCall(PetscFree(flow->level));
  PetscCall(PetscFree(flow->queue));
  *flow = (AbutFlow){0};
  PetscFunctionReturn(0);
}

static void AddArc(AbutFlow *flow, PetscInt from, PetscInt to, PetscInt64 capacity)
{
  const PetscInt arc = flow->num_arcs++;

  flow->to[arc]     = to;
  flow->left[arc]   = capacity;
  flow->next[arc]   = flow->first[from];
  flow->first[from] = arc;
}

PetscErrorCode AbutFlowAddEdge(AbutFlow *flow, PetscInt a, PetscInt b, PetscInt64 forward, PetscInt64 backward)
{
  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(
    flow->num_arcs + 2, &flow->arc_capacity, 3,
    (const AbutColumn[]){{&flow->to, sizeof(*flow->to)}, {&flow->next, sizeof(*flow->next)}, {&flow->left, sizeof(*flow->left)}}));
  AddArc(flow, a, b, forward);
  AddArc(flow, b, a, backward);
  PetscFunctionReturn(0);
}

/*
  Sets the levels of the nodes between two nodes by a search from the first one along arcs with residual capacity, or against them if `back`
  is 1. Ends at the second node: nodes beyond have no level. Returns whether it is reached.
*/
static PetscBool SetLevels(AbutFlow *flow, PetscInt from, PetscInt last, PetscInt back)
{
  PetscInt head = 0, end = 0;

  for (PetscInt i = 0; i < flow->num_nodes; i++) flow->level[i] = -1;
  flow->level[from]  = 0;
  flow->queue[end++] = from;
  while (head < end && flow->level[last] < 0) {
    const PetscInt node = flow->queue[head++];

    for (PetscInt arc = flow->first[node]; arc >= 0; arc = flow->next[arc]) {
      const PetscInt to = flow->to[arc];

      if (flow->left[arc ^ back] <= 0 || flow->level[to] >= 0) continue;
      flow->level[to]    = flow->level[node] + 1;
      flow->queue[end++] = to;
    }
  }
  return (PetscBool)(flow->level[last] >= 0);
}

/* Sends as much as possible along the arcs queue[0 .. length). Returns the amount; *shortest is the first arc that it saturates. */
static PetscInt64 SendAlong(AbutFlow *flow, PetscInt length, PetscInt *shortest)
{
  PetscInt64 amount;

  *shortest = 0;
  for (PetscInt k = 1; k < length; k++)
    if (flow->left[flow->queue[k]] < flow->left[flow->queue[*shortest]]) *shortest = k;
  amount = flow->left[flow->queue[*shortest]];
  for (PetscInt k = 0; k < length; k++) {
    flow->left[flow->queue[k]] -= amount;
    flow->left[flow->queue[k] ^ 1] += amount;
  }
  return amount;
}

/* Saturates all paths of decreasing level, depth first: the queue holds the arcs of the path. */
static PetscInt64 SendRound(AbutFlow *flow, PetscInt source, PetscInt sink)
{
  PetscInt64 sum    = 0;
  PetscInt   length = 0, node = source, back;

  for (PetscInt i = 0; i < flow->num_nodes; i++) flow->current[i] = flow->first[i];
  for (;;) {
    PetscInt *arc = &flow->current[node];

    while (*arc >= 0 && (flow->left[*arc] <= 0 || flow->level[flow->to[*arc]] != flow->level[node] - 1)) *arc = flow->next[*arc];
    if (*arc >= 0) {
      flow->queue[length++] = *arc;
      node                  = flow->to[*arc];
    } else {
      if (!length) return sum;
      flow->level[node] = PETSC_MAX_INT; /* a dead end */
      node              = flow->to[flow->queue[--length] ^ 1];
    }
    if (node != sink) continue;
    sum += SendAlong(flow, length, &back);
    node   = flow->to[flow->queue[back] ^ 1];
    length = back;
  }
}

PetscErrorCode AbutFlowCut(AbutFlow *flow, PetscInt source, PetscInt sink, PetscBool source_side[], PetscInt64 *value)
{
  PetscFunctionBegin;
  *value = 0;
  while (SetLevels(flow, sink, source, 1)) *value += SendRound(flow, source, sink);
  (void)SetLevels(flow, source, sink, 0);
  for (PetscInt i = 0; i < flow->num_nodes; i++) source_side[i] = (PetscBool)(flow->level[i] >= 0);
  PetscFunctionReturn(0);
}
