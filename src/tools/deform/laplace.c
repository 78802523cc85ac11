/*
  Cotangent operator on the elements of a region: (L v)_i = sum over neighbours j of w_ij (v_i - v_j), w_ij the sum of the half cotangents
  opposite to the edge ij. L approximates minus the Laplacian, integrated over the cell of each vertex.
*/
#include "responseimpl.h"

PetscErrorCode AbutLaplaceCreate(AbutDeformSurface surface, AbutLaplace *laplace)
{
  const PetscInt nv = surface->num_vertices;

  PetscFunctionBegin;
  *laplace = (AbutLaplace){0};
  PetscCall(PetscMalloc2(nv, &laplace->vertex, nv, &laplace->unknown));
  PetscCall(PetscMalloc4(nv, &laplace->diagonal, nv, &laplace->mass, surface->num_edges, &laplace->edge_weight, nv, &laplace->diagonals));
  PetscCall(AbutFactorCreate(surface, &laplace->factor));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLaplaceDestroy(AbutLaplace *laplace)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(laplace->vertex, laplace->unknown));
  PetscCall(PetscFree4(laplace->diagonal, laplace->mass, laplace->edge_weight, laplace->diagonals));
  PetscCall(PetscFree(laplace->border_entry));
  PetscCall(AbutFactorDestroy(&laplace->factor));
  PetscFunctionReturn(0);
}

/* Edge between two vertices of a face. */
static PetscInt FaceEdge(AbutDeformSurface surface, PetscInt face, PetscInt a, PetscInt b)
{
  const PetscInt *v = surface->face[face];
  PetscInt        k = 0;

  while (v[k] != a) k++;
  return surface->face_edge[face][v[(k + 1) % 3] == b ? k : (k + 2) % 3];
}

/* Adds the weight of the pair of nodes ab of an element. Pairs of border points have no unknown. */
static PetscErrorCode AddPair(AbutDeformSurface surface, PetscInt face, PetscInt a, PetscInt b, PetscReal weight, AbutLaplace *laplace)
{
  const PetscInt nv = surface->num_vertices;

  PetscFunctionBegin;
  if (a < nv) laplace->diagonal[a] += weight;
  if (b < nv) laplace->diagonal[b] += weight;
  if (a < nv && b < nv) {
    laplace->edge_weight[FaceEdge(surface, face, a, b)] += weight;
  } else if (a < nv || b < nv) {
    PetscCall(AbutReserve(laplace->num_border_entries + 1, &laplace->border_entry_capacity, &laplace->border_entry));
    laplace->border_entry[laplace->num_border_entries++] =
      (AbutBorderEntry){.vertex = PetscMin(a, b), .border = PetscMax(a, b) - nv, .weight = weight};
  }
  PetscFunctionReturn(0);
}

/* Adds the weights of an element that is a whole face. Its nodes are the vertices of the face. */
static inline void AddWhole(AbutDeformSurface surface, const AbutElement *element, AbutLaplace *laplace)
{
  const PetscReal *cot = element->cot;

  for (PetscInt n = 0; n < 3; n++) {
    laplace->edge_weight[surface->face_edge[element->face][n]] += cot[(n + 2) % 3];
    laplace->diagonal[element->node[n]] += cot[(n + 1) % 3] + cot[(n + 2) % 3];
  }
}

static PetscErrorCode AddElements(AbutDeformSurface surface, const AbutZoneRegion *region, AbutLaplace *laplace)
{
  const PetscInt nv = surface->num_vertices;

  PetscFunctionBegin;
  laplace->num_border_entries = 0;
  PetscCall(PetscArrayzero(laplace->diagonal, nv));
  PetscCall(PetscArraycpy(laplace->mass, region->open_mass, nv));
  PetscCall(PetscArrayzero(laplace->edge_weight, surface->num_edges));
  for (PetscInt v = 0; v < nv; v++) laplace->unknown[v] = -1;
  for (PetscInt k = 0; k < region->num_elements; k++) {
    const AbutElement *element = &region->element[k];

    for (PetscInt n = 0; n < 3 && element->node[n] < nv; n++) {
      laplace->unknown[element->node[n]] = 0;
      laplace->mass[element->node[n]] += element->mass / 3;
    }
    if (element->node[2] < nv)
      AddWhole(surface, element, laplace);
    else
      for (PetscInt n = 0; n < 3; n++)
        PetscCall(AddPair(surface, element->face, element->node[(n + 1) % 3], element->node[(n + 2) % 3], element->cot[n], laplace));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLaplaceSet(AbutDeformSurface surface, const AbutZoneRegion *region, AbutLaplace *laplace)
{
  PetscFunctionBegin;
  PetscCall(AddElements(surface, region, laplace));
  laplace->num = AbutFactorNumber(laplace->factor, laplace->unknown, laplace->vertex);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLaplaceFactor(AbutLaplace *laplace, PetscReal time)
{
  const PetscReal scale[2] = {-time, -1};

  PetscFunctionBegin;
  for (PetscInt c = 0; c < laplace->num; c++) {
    const PetscInt v = laplace->vertex[c];

    laplace->diagonals[c][0] = laplace->mass[v] + time * laplace->diagonal[v];
    laplace->diagonals[c][1] = laplace->diagonal[v];
  }
  PetscCall(AbutFactorCompute(laplace->factor, laplace->num, laplace->vertex, laplace->unknown, (const PetscReal(*)[2])laplace->diagonals,
                              scale, laplace->edge_weight));
  PetscFunctionReturn(0);
}

void AbutLaplaceAddBorder(const AbutLaplace *laplace, PetscReal factor, const PetscReal g[], PetscReal b[])
{
  for (PetscInt k = 0; k < laplace->num_border_entries; k++) {
    const AbutBorderEntry *entry = &laplace->border_entry[k];

    b[laplace->unknown[entry->vertex]] += factor * entry->weight * g[entry->border];
  }
}
