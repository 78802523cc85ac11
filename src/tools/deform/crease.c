/*
  Two regions of one surface that share vertices (section 6): mapping direction from their bones, and the cut along the crease that
  separates them. Each shared vertex goes to one side. An edge between both sides costs 0.1 + min |n . d|, which is small at the outline of
  the shared region as seen along d; a vertex costs the weight of the other region in the partition of unity.

  The paper states these costs for a mesh and leaves their ratio open. Here edges count by their length at rest and vertices by their area
  at rest, so that the cut does not depend on the mesh: for ten rows of equal triangles across the shared region the factors are 1.
*/
#include <abut/dense.h>
#include "flowimpl.h"
#include "pairimpl.h"

/* Rows of triangles across the shared region at which edges and vertices have the weights of the paper. */
#define REFERENCE_ROWS 10
/* Costs of edges and vertices are rounded to multiples of 1 / COST_SCALE, so that the minimal cut is exact. */
#define COST_SCALE 1048576

/* Nodes of the network: shared vertices, then the first region as source and the second one as sink. */
struct _p_AbutCrease {
  PetscInt   num;         /* shared vertices */
  PetscInt  *vertex;      /* [num] ascending */
  PetscBool *shared;      /* [num_vertices] the vertex belongs to both regions */
  PetscInt  *node;        /* [num_vertices] position in `vertex`; num for vertices of the first region, num + 1 of the second, else -1 */
  AbutInts   edge;        /* edges at shared vertices with both ends in the regions, ascending */
  PetscReal  mean_edge;   /* mean length of the edges at shared vertices, at rest [m] */
  PetscReal  node_factor; /* cost of a vertex over its area and weight [1/m^2] */
  PetscBool *source_side; /* [num + 2] side of the nodes: result of the cut */
  PetscBool *moved;       /* [num] work space */
  AbutFlow   flow;
};

/* Mean edge, and the costs of vertices: the width of the shared region is sqrt(area / integral of |grad beta|^2). */
static void SetCosts(AbutDeformPair *pair)
{
  const AbutDeformSurface   surface = pair->surface[0];
  const AbutSurfaceRegions *regions = surface->regions;
  const PetscInt            first   = pair->region[0];
  AbutCrease                crease  = pair->crease;
  PetscReal                 area = 0, energy = 0, length = 0;
  PetscInt                  num = 0;

  for (PetscInt k = 0; k < crease->num; k++) area += regions->area[crease->vertex[k]];
  for (PetscInt e = 0; e < surface->num_edges; e++) {
    const PetscInt *v = surface->edge[e];

    if (!crease->shared[v[0]] && !crease->shared[v[1]]) continue;
    energy += regions->weight[e] * PetscSqr(AbutRegionWeight(regions, first, v[1]) - AbutRegionWeight(regions, first, v[0]));
    length += regions->length[e];
    num++;
  }
  crease->mean_edge   = length / num;
  crease->node_factor = REFERENCE_ROWS * crease->mean_edge * PetscSqrtReal(PetscMax(energy, 0) / area) * crease->num / area;
}

static PetscErrorCode ListEdges(AbutDeformPair *pair)
{
  const AbutDeformSurface surface = pair->surface[0];
  AbutCrease              crease  = pair->crease;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < surface->num_edges; e++) {
    const PetscInt *v = surface->edge[e];

    if ((crease->shared[v[0]] || crease->shared[v[1]]) && crease->node[v[0]] >= 0 && crease->node[v[1]] >= 0)
      PetscCall(AbutIntsPush(&crease->edge, 1, &e));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCreaseCreate(AbutDeformPair *pair)
{
  const AbutDeformSurface   surface = pair->surface[0];
  const AbutSurfaceRegions *regions = surface->regions;
  const PetscInt            nv      = surface->num_vertices;
  PetscInt                  num     = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < nv; v++) num += AbutRegionHas(regions, pair->region[0], v) && AbutRegionHas(regions, pair->region[1], v);
  if (!num) PetscFunctionReturn(0);
  PetscCall(PetscNew(&pair->crease));
  PetscCall(PetscMalloc5(num, &pair->crease->vertex, nv, &pair->crease->shared, nv, &pair->crease->node, num + 2,
                         &pair->crease->source_side, num, &pair->crease->moved));
  for (PetscInt v = 0; v < nv; v++) {
    const PetscBool first = AbutRegionHas(regions, pair->region[0], v), second = AbutRegionHas(regions, pair->region[1], v);

    pair->crease->shared[v] = (PetscBool)(first && second);
    pair->crease->node[v]   = first && second ? pair->crease->num : first ? num : second ? num + 1 : -1;
    if (first && second) pair->crease->vertex[pair->crease->num++] = v;
  }
  PetscCall(ListEdges(pair));
  SetCosts(pair);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCreaseDestroy(AbutDeformPair *pair)
{
  PetscFunctionBegin;
  if (!pair->crease) PetscFunctionReturn(0);
  PetscCall(AbutFlowDestroy(&pair->crease->flow));
  PetscCall(PetscFree5(pair->crease->vertex, pair->crease->shared, pair->crease->node, pair->crease->source_side, pair->crease->moved));
  PetscCall(PetscFree(pair->crease->edge.a));
  PetscCall(PetscFree(pair->crease));
  PetscFunctionReturn(0);
}

/*
  Centre of the vertices of one region only, or of the shared ones with side -1. Weights are areas at rest, so that triangles that collapse
  in the fold do not matter.
*/
static void Centre(const AbutDeformPair *pair, PetscInt side, const PetscReal x[], PetscReal centre[3])
{
  const AbutSurfaceRegions *regions = pair->surface[0]->regions;
  PetscReal                 area = 0, sum[3] = {0, 0, 0};

  for (PetscInt v = 0; v < pair->surface[0]->num_vertices; v++) {
    const PetscBool chosen = side < 0 ? pair->crease->shared[v] : AbutRegionOwns(regions, pair->region[side], v);

    if (!chosen) continue;
    area += regions->area[v];
    for (PetscInt k = 0; k < 3; k++) sum[k] += regions->area[v] * x[3 * v + k];
  }
  for (PetscInt k = 0; k < 3; k++) centre[k] = sum[k] / area;
}

/* Turns a vector by the rotation that takes the vertices of one region only from the rest shape to the frame [Kabsch 1976]. */
static void Turn(const AbutDeformPair *pair, PetscInt side, const PetscReal at_rest[3], PetscReal turned[3])
{
  const AbutDeformSurface   surface = pair->surface[0];
  const AbutSurfaceRegions *regions = surface->regions;
  PetscReal                 from[3], to[3], sums[9] = {0}, u[9], s[3], w[9];

  Centre(pair, side, regions->rest, from);
  Centre(pair, side, surface->x, to);
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    if (!AbutRegionOwns(regions, pair->region[side], v)) continue;
    for (PetscInt k = 0; k < 9; k++)
      sums[k] += regions->area[v] * (surface->x[3 * v + k / 3] - to[k / 3]) * (regions->rest[3 * v + k % 3] - from[k % 3]);
  }
  AbutSVD(3, sums, u, s, w);
  for (PetscInt k = 0; k < 3; k++) {
    turned[k] = 0;
    for (PetscInt l = 0; l < 3; l++)
      for (PetscInt m = 0; m < 3; m++) turned[k] += u[3 * k + l] * w[3 * m + l] * at_rest[m];
  }
}

/*
  Sets the direction to the difference of the unit vectors along both bones. A bone is the line from the centre of the shared region to the
  centre of a region at rest, and turns with the region.
*/
static void SetBoneDirection(AbutDeformPair *pair)
{
  PetscReal joint[3], bone[2][3], at_rest[3];

  Centre(pair, -1, pair->surface[0]->regions->rest, joint);
  for (PetscInt s = 0; s < 2; s++) {
    Centre(pair, s, pair->surface[0]->regions->rest, at_rest);
    for (PetscInt k = 0; k < 3; k++) at_rest[k] -= joint[k];
    (void)AbutNormalize(3, at_rest);
    Turn(pair, s, at_rest, bone[s]);
  }
  for (PetscInt k = 0; k < 3; k++) pair->direction[k] = bone[0][k] - bone[1][k];
}

static PetscInt64 Cost(PetscReal cost)
{
  return (PetscInt64)(cost * COST_SCALE + 0.5);
}

/* The network without capacities: an edge from the source and one to the sink for each shared vertex, then the edges at shared vertices. */
static PetscErrorCode CreateNetwork(AbutCrease crease, const AbutDeformSurface surface)
{
  PetscFunctionBegin;
  PetscCall(AbutFlowReset(&crease->flow, crease->num + 2));
  for (PetscInt k = 0; k < crease->num; k++) {
    PetscCall(AbutFlowAddEdge(&crease->flow, crease->num, k, 0, 0));
    PetscCall(AbutFlowAddEdge(&crease->flow, k, crease->num + 1, 0, 0));
  }
  for (PetscInt i = 0; i < crease->edge.n; i++) {
    const PetscInt *v = surface->edge[crease->edge.a[i]];

    PetscCall(AbutFlowAddEdge(&crease->flow, crease->node[v[0]], crease->node[v[1]], 0, 0));
  }
  PetscFunctionReturn(0);
}

/* Costs of the vertices and of the edges. */
static void SetCapacities(AbutDeformPair *pair)
{
  const AbutDeformSurface   surface = pair->surface[0];
  const AbutSurfaceRegions *regions = surface->regions;
  AbutCrease                crease  = pair->crease;

  for (PetscInt k = 0; k < crease->num; k++) {
    const PetscReal factor = crease->node_factor * regions->area[crease->vertex[k]];

    for (PetscInt s = 0; s < 2; s++)
      AbutFlowSetEdge(&crease->flow, 2 * k + s, Cost(factor * AbutRegionWeight(regions, pair->region[s], crease->vertex[k])), 0);
  }
  for (PetscInt i = 0; i < crease->edge.n; i++) {
    const PetscInt  e = crease->edge.a[i];
    const PetscInt *v = surface->edge[e];
    PetscReal       g[2], facing;
    PetscInt64      cost;

    for (PetscInt k = 0; k < 2; k++) g[k] = AbutDot(3, &surface->normal[3 * v[k]], pair->direction);
    facing = g[0] * g[1] <= 0 ? 0 : PetscMin(PetscAbsReal(g[0]), PetscAbsReal(g[1]));
    cost   = Cost((0.1 + facing) * regions->length[e] / crease->mean_edge);
    AbutFlowSetEdge(&crease->flow, 2 * crease->num + i, cost, cost);
  }
}

/* Whether a vertex faces the other side as vertices of this side in a fold do. */
static PetscBool Faces(const AbutDeformPair *pair, PetscInt side, PetscInt v)
{
  const PetscReal g = AbutDot(3, &pair->surface[0]->normal[3 * v], pair->direction);

  return (PetscBool)(side ? g > 0 : g < 0);
}

/* Whether a vertex has a neighbour on a side of the cut that faces the other side. */
static PetscBool HasFacingNeighbour(const AbutDeformPair *pair, PetscInt side, PetscInt v)
{
  const AbutDeformSurface surface = pair->surface[0];

  for (PetscInt i = surface->vertex_edge.start[v]; i < surface->vertex_edge.start[v + 1]; i++) {
    const PetscInt next = AbutDeformOtherEnd(surface, surface->vertex_edge.item[i], v), node = pair->crease->node[next];

    if (node >= 0 && pair->crease->source_side[node] == (PetscBool)!side && Faces(pair, side, next)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
  A shared vertex between front-facing vertices of both sides goes to the side that it faces like, so that vertices of the fold change sides
  where n . d = 0, and not where the costs of two cuts are equal. Once only: repeated, it would spread over the outer side of the fold,
  where both sides face away from each other.
*/
static void FollowOutline(AbutDeformPair *pair)
{
  AbutCrease crease = pair->crease;

  for (PetscInt k = 0; k < crease->num; k++) {
    const PetscInt v = crease->vertex[k];

    crease->moved[k] =
      (PetscBool)(Faces(pair, crease->source_side[k], v) && HasFacingNeighbour(pair, 0, v) && HasFacingNeighbour(pair, 1, v));
  }
  for (PetscInt k = 0; k < crease->num; k++)
    if (crease->moved[k]) crease->source_side[k] = (PetscBool)!crease->source_side[k];
}

/* Separates the shared vertices, and sets the vertices of both sides. */
static PetscErrorCode Cut(AbutDeformPair *pair)
{
  AbutCrease crease = pair->crease;
  PetscInt64 value;

  PetscFunctionBegin;
  if (!crease->flow.num_nodes) PetscCall(CreateNetwork(crease, pair->surface[0]));
  SetCapacities(pair);
  PetscCall(AbutFlowCut(&crease->flow, crease->num, crease->num + 1, crease->source_side, &value));
  FollowOutline(pair);
  for (PetscInt v = 0; v < pair->surface[0]->num_vertices; v++) {
    const PetscInt node = crease->node[v];

    pair->part[0][v] = (PetscBool)(node >= 0 && crease->source_side[node]);
    pair->part[1][v] = (PetscBool)(node >= 0 && !crease->source_side[node]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutCreaseSet(AbutDeformPair *pair)
{
  const PetscReal *d = pair->control.direction;

  PetscFunctionBegin;
  if (d[0] || d[1] || d[2])
    PetscCall(PetscArraycpy(pair->direction, d, 3));
  else
    SetBoneDirection(pair);
  PetscCall(AbutDirectionNormalize(pair));
  PetscCall(Cut(pair));
  PetscFunctionReturn(0);
}
