/*
  Working regions of one surface that overlap each other (section 6): the painted map, and the partition of unity over shared regions by
  harmonic continuation on the rest shape.

  The position of a vertex is its region l if it belongs to no other, and between l and l + 1 in the region that both share. The weights of
  the partition are the hat functions beta_l = max(0, 1 - |position - l|): two of them are not 0 at most, and their sum is 1.
*/
#include <math.h>
#include "responseimpl.h"

#define MAX_REGIONS 1000

/* A vertex in two regions. */
static PetscBool IsShared(PetscReal position)
{
  return (PetscBool)(position != PetscFloorReal(position));
}

static PetscErrorCode CheckValues(AbutDeformSurface surface, const PetscReal map[])
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < surface->num_vertices; v++)
    AbutCheck(map[v] >= 0 && map[v] <= MAX_REGIONS - 1, ABUT_ERR_INPUT,
              "surface %s: the region map has %g at the vertex %" PetscInt_FMT ", must be in [0, %d]", surface->name, (double)map[v], v,
              MAX_REGIONS - 1);
  for (PetscInt e = 0; e < surface->num_edges; e++) {
    const PetscInt *v    = surface->edge[e];
    const PetscReal low  = PetscMax(PetscFloorReal(map[v[0]]), PetscFloorReal(map[v[1]])),
                    high = PetscMin(PetscCeilReal(map[v[0]]), PetscCeilReal(map[v[1]]));

    AbutCheck(low <= high, ABUT_ERR_INPUT,
              "surface %s: the neighbours %" PetscInt_FMT " and %" PetscInt_FMT
              " have the regions %g and %g; between two regions there must be vertices that both share",
              surface->name, v[0], v[1], (double)map[v[0]], (double)map[v[1]]);
    AbutCheck(low < high || !IsShared(map[v[0]]) || !IsShared(map[v[1]]), ABUT_ERR_INPUT,
              "surface %s: the neighbours %" PetscInt_FMT " and %" PetscInt_FMT
              " have the regions %g and %g; between two shared regions there must be vertices of one region only",
              surface->name, v[0], v[1], (double)map[v[0]], (double)map[v[1]]);
  }
  PetscFunctionReturn(0);
}

/* Every shared vertex must be connected to a vertex of one region through shared vertices. */
static PetscErrorCode CheckConnection(AbutDeformSurface surface, const PetscReal map[])
{
  const PetscInt nv = surface->num_vertices;
  PetscInt      *stack, top = 0, lost = -1;
  PetscBool     *reached;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nv, &stack, nv, &reached));
  for (PetscInt v = 0; v < nv; v++) {
    reached[v] = (PetscBool)!IsShared(map[v]);
    if (reached[v]) stack[top++] = v;
  }
  while (top) {
    const PetscInt v = stack[--top];

    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt next = AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v);

      if (reached[next]) continue;
      reached[next] = PETSC_TRUE;
      stack[top++]  = next;
    }
  }
  for (PetscInt v = nv - 1; v >= 0; v--)
    if (!reached[v]) lost = v;
  PetscCall(PetscFree2(stack, reached));
  AbutCheck(lost < 0, ABUT_ERR_INPUT,
            "surface %s: the shared region with the vertex %" PetscInt_FMT " touches no vertex that belongs to one region only",
            surface->name, lost);
  PetscFunctionReturn(0);
}

/* Lengths of edges, half cotangents and areas at rest. */
static void SetRestShape(AbutDeformSurface surface, const PetscReal x[], AbutSurfaceRegions *regions)
{
  for (PetscInt e = 0; e < surface->num_edges; e++) {
    const PetscReal *a = &x[3 * surface->edge[e][0]], *b = &x[3 * surface->edge[e][1]];

    regions->length[e] = PetscSqrtReal(PetscSqr(b[0] - a[0]) + PetscSqr(b[1] - a[1]) + PetscSqr(b[2] - a[2]));
  }
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v = surface->face[f], *e = surface->face_edge[f];
    PetscReal       square[3], sum           = 0, twice;

    for (PetscInt k = 0; k < 3; k++) {
      square[k] = PetscSqr(regions->length[e[k]]);
      sum += square[k];
    }
    /* Heron's formula; the cotangent opposite to edge k is (sum - 2 square[k]) / (4 area) */
    twice = PetscSqrtReal(PetscMax(sum * sum - 2 * (square[0] * square[0] + square[1] * square[1] + square[2] * square[2]), 0)) / 2;
    for (PetscInt k = 0; k < 3; k++) {
      regions->area[v[k]] += twice / 6;
      if (twice > 0) regions->weight[e[k]] += (sum - 2 * square[k]) / (4 * twice);
    }
  }
}

/* Pattern and entries of the cotangent operator on the shared vertices, and the contributions of their other neighbours to b. */
typedef struct {
  PetscInt n, *vertex, *unknown, *start, *neighbor;
  PetscReal (*diagonal)[2], (*value)[2], *b;
} Operator;

static PetscErrorCode OperatorCreate(AbutDeformSurface surface, const AbutSurfaceRegions *regions, Operator *op)
{
  const PetscInt nv = surface->num_vertices, ne = surface->num_edges;
  PetscInt       num = 0;

  PetscFunctionBegin;
  *op = (Operator){0};
  PetscCall(PetscMalloc4(nv, &op->vertex, nv, &op->unknown, nv + 1, &op->start, 2 * ne, &op->neighbor));
  PetscCall(PetscCalloc3(nv, &op->diagonal, 2 * ne, &op->value, nv, &op->b));
  PetscCall(AbutFactorOrder(surface, op->unknown)); /* the fill-reducing order of the surface serves for a part of it, too */
  for (PetscInt k = 0; k < nv; k++)
    if (IsShared(regions->map[op->unknown[k]])) op->vertex[op->n++] = op->unknown[k];
  for (PetscInt k = 0; k < op->n; k++) op->unknown[op->vertex[k]] = k;
  for (PetscInt c = 0; c < op->n; c++) {
    const PetscInt v = op->vertex[c];

    op->start[c] = num;
    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt  e = surface->vertex_edge.item[k], other = AbutDeformOtherEnd(surface, e, v);
      const PetscReal weight = regions->weight[e];

      for (PetscInt l = 0; l < 2; l++) op->diagonal[c][l] += weight;
      if (IsShared(regions->map[other])) {
        op->value[num][0] = op->value[num][1] = -weight;
        op->neighbor[num++]                   = op->unknown[other];
      } else
        op->b[c] += weight * regions->map[other];
    }
  }
  op->start[op->n] = num;
  PetscFunctionReturn(0);
}

static PetscErrorCode OperatorSolve(Operator *op)
{
  AbutFactor     factor;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(AbutFactorCreate(&factor));
  code = AbutFactorAnalyze(factor, op->n, op->start, op->neighbor);
  if (!code) code = AbutFactorCompute(factor, (const PetscReal(*)[2])op->diagonal, (const PetscReal(*)[2])op->value);
  if (!code) AbutFactorSolve(factor, NULL, op->b);
  PetscCall(AbutFactorDestroy(&factor));
  PetscFunctionReturn(code);
}

/* Harmonic positions of the shared vertices. Obtuse angles may move them out of the interval of their two regions by a little. */
static PetscErrorCode SetPositions(AbutDeformSurface surface, AbutSurfaceRegions *regions)
{
  Operator       op;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(regions->position, regions->map, surface->num_vertices));
  PetscCall(OperatorCreate(surface, regions, &op));
  if (op.n) code = OperatorSolve(&op);
  for (PetscInt c = 0; c < op.n; c++) {
    const PetscReal low = PetscFloorReal(regions->map[op.vertex[c]]);

    regions->position[op.vertex[c]] = PetscMin(PetscMax(op.b[c], low), low + 1);
  }
  PetscCall(PetscFree4(op.vertex, op.unknown, op.start, op.neighbor));
  PetscCall(PetscFree3(op.diagonal, op.value, op.b));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutSurfaceRegionsDestroy(AbutSurfaceRegions **regions)
{
  PetscFunctionBegin;
  if (!*regions) PetscFunctionReturn(0);
  PetscCall(PetscFree6((*regions)->map, (*regions)->position, (*regions)->rest, (*regions)->length, (*regions)->weight, (*regions)->area));
  PetscCall(PetscFree(*regions));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformSurfaceSetRegions(AbutDeformSurface surface, const PetscReal rest[], const PetscReal map[])
{
  const PetscInt      nv = surface->num_vertices, ne = surface->num_edges;
  AbutSurfaceRegions *regions;
  PetscErrorCode      code;

  PetscFunctionBegin;
  PetscCall(CheckValues(surface, map));
  PetscCall(CheckConnection(surface, map));
  PetscCall(AbutSurfaceRegionsDestroy(&surface->regions));
  PetscCall(PetscNew(&regions));
  PetscCall(PetscCalloc6(nv, &regions->map, nv, &regions->position, 3 * nv, &regions->rest, ne, &regions->length, ne, &regions->weight, nv,
                         &regions->area));
  PetscCall(PetscArraycpy(regions->rest, rest, 3 * nv));
  PetscCall(PetscArraycpy(regions->map, map, nv));
  for (PetscInt v = 0; v < nv; v++) regions->num = PetscMax(regions->num, 1 + (PetscInt)PetscCeilReal(map[v]));
  SetRestShape(surface, rest, regions);
  code = SetPositions(surface, regions);
  if (code) PetscCall(AbutSurfaceRegionsDestroy(&regions));
  surface->regions = regions;
  PetscFunctionReturn(code);
}
