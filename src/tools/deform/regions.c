/*
  Working regions of one surface that overlap each other (section 6): the regions of every vertex, and the partition of unity over shared
  regions by harmonic continuation on the rest shape.

  The weight beta_l of region l is 1 at vertices that belong to l only, 0 at vertices outside of l, and harmonic on the vertices that l
  shares with other regions. Where the same regions share all vertices, as in the paper, the weights have the sum 1. Elsewhere, for example
  where shared regions meet, they are divided by their sum.
*/
#include <stdio.h>
#include <string.h>
#include "responseimpl.h"

#define MAX_REGIONS 1000

static PetscErrorCode CheckLists(AbutDeformSurface surface, const AbutCSR *of)
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    AbutCheck(of->start[v] < of->start[v + 1], ABUT_ERR_INPUT, "surface %s: the vertex %" PetscInt_FMT " belongs to no region",
              surface->name, v);
    for (PetscInt k = of->start[v]; k < of->start[v + 1]; k++) {
      AbutCheck(of->item[k] >= 0 && of->item[k] < MAX_REGIONS, ABUT_ERR_INPUT,
                "surface %s: the vertex %" PetscInt_FMT " has the region %" PetscInt_FMT ", must be in 0..%d", surface->name, v,
                of->item[k], MAX_REGIONS - 1);
      AbutCheck(k == of->start[v] || of->item[k] > of->item[k - 1], ABUT_ERR_INPUT,
                "surface %s: the vertex %" PetscInt_FMT " has the region %" PetscInt_FMT " after %" PetscInt_FMT ", must ascend",
                surface->name, v, of->item[k], of->item[k - 1]);
    }
  }
  PetscFunctionReturn(0);
}

/* Entry of a region in the list of a vertex, -1 without. */
static PetscInt Entry(const AbutCSR *of, PetscInt region, PetscInt vertex)
{
  for (PetscInt k = of->start[vertex]; k < of->start[vertex + 1]; k++)
    if (of->item[k] == region) return k;
  return -1;
}

/* The regions of a vertex as text, for messages. */
static const char *Text(const AbutCSR *of, PetscInt vertex, char text[], size_t bytes)
{
  size_t length = 0;

  for (PetscInt k = of->start[vertex]; k < of->start[vertex + 1] && length < bytes; k++)
    length += (size_t)snprintf(&text[length], bytes - length, "%s%" PetscInt_FMT, k > of->start[vertex] ? " " : "", of->item[k]);
  return text;
}

/* Every triangle lies in one region as a whole. */
static PetscErrorCode CheckFaces(AbutDeformSurface surface, const AbutCSR *of)
{
  PetscFunctionBegin;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v     = surface->face[f];
    PetscBool       found = PETSC_FALSE;
    char            text[3][64];

    for (PetscInt k = of->start[v[0]]; k < of->start[v[0] + 1]; k++)
      if (Entry(of, of->item[k], v[1]) >= 0 && Entry(of, of->item[k], v[2]) >= 0) found = PETSC_TRUE;
    AbutCheck(found, ABUT_ERR_INPUT,
              "surface %s: the neighbours %" PetscInt_FMT ", %" PetscInt_FMT " and %" PetscInt_FMT
              " have the regions (%s), (%s) and (%s); one region must contain a triangle as a whole: between two regions there must be "
              "vertices that both share",
              surface->name, v[0], v[1], v[2], Text(of, v[0], text[0], sizeof(text[0])), Text(of, v[1], text[1], sizeof(text[1])),
              Text(of, v[2], text[2], sizeof(text[2])));
  }
  PetscFunctionReturn(0);
}

/*
  Entries (vertex, region) that vertices of the region connect to a vertex that belongs to this region only: elsewhere its weight is 0.
  Every vertex must have such an entry. Work space: stack [entries], at [entries] vertex of each entry.
*/
static PetscErrorCode SetReached(AbutDeformSurface surface, const AbutCSR *of, PetscInt stack[], PetscInt at[], PetscBool reached[])
{
  PetscInt top = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    for (PetscInt k = of->start[v]; k < of->start[v + 1]; k++) {
      at[k]      = v;
      reached[k] = (PetscBool)(of->start[v + 1] == of->start[v] + 1);
      if (reached[k]) stack[top++] = k;
    }
  }
  while (top) {
    const PetscInt entry = stack[--top], v = at[entry];

    for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
      const PetscInt next = Entry(of, of->item[entry], AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], v));

      if (next < 0 || reached[next]) continue;
      reached[next] = PETSC_TRUE;
      stack[top++]  = next;
    }
  }
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    PetscBool found = PETSC_FALSE;

    for (PetscInt k = of->start[v]; k < of->start[v + 1]; k++) found = (PetscBool)(found || reached[k]);
    AbutCheck(found, ABUT_ERR_INPUT,
              "surface %s: the shared region with the vertex %" PetscInt_FMT " touches no vertex that belongs to one region only",
              surface->name, v);
  }
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

/* Cotangent operator on the shared vertices of a region, and the contributions of vertices that belong to the region only to b. */
typedef struct {
  PetscInt n, *vertex, *unknown;
  PetscReal (*diagonal)[2], *b;
  AbutFactor factor;
} Operator;

/* Adds the edges of an unknown to its diagonal and right-hand side. */
static void SetRow(AbutDeformSurface surface, const AbutSurfaceRegions *regions, PetscInt region, PetscInt row, Operator *op)
{
  const PetscInt v = op->vertex[row];

  op->diagonal[row][0] = op->diagonal[row][1] = op->b[row] = 0;
  for (PetscInt k = surface->vertex_edge.start[v]; k < surface->vertex_edge.start[v + 1]; k++) {
    const PetscInt e = surface->vertex_edge.item[k], other = AbutDeformOtherEnd(surface, e, v);

    for (PetscInt l = 0; l < 2; l++) op->diagonal[row][l] += regions->weight[e];
    if (op->unknown[other] < 0 && AbutRegionOwns(regions, region, other)) op->b[row] += regions->weight[e];
  }
}

/*
  Harmonic weights of a region on the vertices that it shares and reaches. Obtuse angles may give values below 0 by a little, which become
  0.
*/
static PetscErrorCode SetWeights(AbutDeformSurface surface, PetscInt region, const PetscBool reached[], AbutSurfaceRegions *regions,
                                 Operator *op)
{
  const AbutCSR  *of       = &regions->of;
  const PetscReal scale[2] = {-1, -1};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < of->num_rows; v++) {
    const PetscInt entry = Entry(of, region, v);

    op->unknown[v] = entry < 0 || !reached[entry] || of->start[v + 1] == of->start[v] + 1 ? -1 : 0;
  }
  op->n = AbutFactorNumber(op->factor, op->unknown, op->vertex);
  for (PetscInt row = 0; row < op->n; row++) SetRow(surface, regions, region, row, op);
  PetscCall(AbutFactorCompute(op->factor, op->n, op->vertex, op->unknown, (const PetscReal(*)[2])op->diagonal, scale, regions->weight));
  AbutFactorSolve(op->factor, NULL, op->b);
  for (PetscInt row = 0; row < op->n; row++) regions->beta[Entry(of, region, op->vertex[row])] = PetscMax(op->b[row], 0);
  PetscFunctionReturn(0);
}

/* Divides the weights of every vertex by their sum. */
static void Normalize(const AbutCSR *of, PetscReal beta[])
{
  for (PetscInt v = 0; v < of->num_rows; v++) {
    PetscReal sum = 0;

    for (PetscInt k = of->start[v]; k < of->start[v + 1]; k++) sum += beta[k];
    for (PetscInt k = of->start[v]; k < of->start[v + 1]; k++)
      beta[k] = sum > 0 ? beta[k] / sum : 1.0 / (PetscReal)(of->start[v + 1] - of->start[v]);
  }
}

/* Number of regions and partition of unity. */
static PetscErrorCode SetPartition(AbutDeformSurface surface, const PetscBool reached[], AbutSurfaceRegions *regions)
{
  const AbutCSR *of = &regions->of;
  const PetscInt nv = of->num_rows;
  Operator       op;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < nv; v++)
    for (PetscInt k = of->start[v]; k < of->start[v + 1]; k++) {
      regions->beta[k] = of->start[v + 1] == of->start[v] + 1;
      regions->num     = PetscMax(regions->num, of->item[k] + 1);
    }
  PetscCall(PetscMalloc4(nv, &op.vertex, nv, &op.unknown, nv, &op.diagonal, nv, &op.b));
  PetscCall(AbutFactorCreate(surface, &op.factor));
  for (PetscInt l = 0; l < regions->num && !code; l++) code = SetWeights(surface, l, reached, regions, &op);
  Normalize(of, regions->beta);
  PetscCall(AbutFactorDestroy(&op.factor));
  PetscCall(PetscFree4(op.vertex, op.unknown, op.diagonal, op.b));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutSurfaceRegionsDestroy(AbutSurfaceRegions **regions)
{
  PetscFunctionBegin;
  if (!*regions) PetscFunctionReturn(0);
  PetscCall(AbutCSRDestroy(&(*regions)->of));
  PetscCall(PetscFree5((*regions)->beta, (*regions)->rest, (*regions)->length, (*regions)->weight, (*regions)->area));
  PetscCall(PetscFree(*regions));
  PetscFunctionReturn(0);
}

/* Copies and checks the lists, and computes everything that depends on them. */
static PetscErrorCode Fill(AbutDeformSurface surface, const PetscReal rest[], const PetscInt start[], const PetscInt region[],
                           AbutSurfaceRegions *regions)
{
  const PetscInt nv = surface->num_vertices, ne = surface->num_edges, num = start[nv];
  PetscInt      *stack, *at;
  PetscBool     *reached;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(num, &stack, num, &at, num, &reached));
  for (PetscInt v = 0; v < nv; v++)
    for (PetscInt k = start[v]; k < start[v + 1]; k++) at[k] = v;
  PetscCall(AbutCSRSetPairs(nv, num, 1, at, region, &regions->of));
  PetscCall(PetscCalloc5(num, &regions->beta, 3 * nv, &regions->rest, ne, &regions->length, ne, &regions->weight, nv, &regions->area));
  PetscCall(PetscArraycpy(regions->rest, rest, 3 * nv));
  SetRestShape(surface, rest, regions);
  code = CheckLists(surface, &regions->of);
  if (!code) code = CheckFaces(surface, &regions->of);
  if (!code) code = SetReached(surface, &regions->of, stack, at, reached);
  if (!code) code = SetPartition(surface, reached, regions);
  PetscCall(PetscFree3(stack, at, reached));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutDeformSurfaceSetRegions(AbutDeformSurface surface, const PetscReal rest[], const PetscInt start[],
                                           const PetscInt region[])
{
  AbutSurfaceRegions *regions;
  PetscErrorCode      code;

  PetscFunctionBegin;
  PetscCall(AbutSurfaceRegionsDestroy(&surface->regions));
  PetscCall(PetscNew(&regions));
  code = Fill(surface, rest, start, region, regions);
  if (code) PetscCall(AbutSurfaceRegionsDestroy(&regions));
  surface->regions = regions;
  PetscFunctionReturn(code);
}
