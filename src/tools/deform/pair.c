/* Memory of a pair of surfaces, and the order of its stages: lines 2 to 20 of Algorithm 1. */
#include "pairimpl.h"

void AbutDeformPairControlInit(AbutDeformPairControl *control)
{
  *control = (AbutDeformPairControl){.stiffness = {1, 1}};
}

PetscErrorCode AbutDeformPairCreate(AbutDeformSurface first, AbutDeformSurface second, AbutDeformPair **pair)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(pair));
  (*pair)->region[0] = (*pair)->region[1] = -1;
  (*pair)->surface[0]                     = first;
  (*pair)->surface[1]                     = second;
  AbutDeformPairControlInit(&(*pair)->control);
  for (PetscInt s = 0; s < 2; s++) {
    const PetscInt nv = (*pair)->surface[s]->num_vertices;

    PetscCall(PetscCalloc1(nv, &(*pair)->curve.inside[s]));
    PetscCall(PetscMalloc2(nv, &(*pair)->mapping[s].vertex, nv, &(*pair)->mapping[s].index));
    for (PetscInt i = 0; i < nv; i++) (*pair)->mapping[s].index[i] = -1;
    PetscCall(PetscCalloc2(nv, &(*pair)->zone[s].vertex, nv, &(*pair)->zone[s].contains));
  }
  PetscCall(AbutRaysCreate(*pair));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformPairSetRegions(AbutDeformPair *pair, const PetscInt region[2])
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) {
    const AbutDeformSurface surface = pair->surface[s];

    if (!surface->regions) continue;
    pair->region[s] = region[s];
    PetscCall(PetscMalloc1(surface->num_vertices, &pair->part[s]));
    for (PetscInt v = 0; v < surface->num_vertices; v++) pair->part[s][v] = AbutRegionHas(surface->regions, region[s], v);
    for (PetscInt f = 0; f < surface->num_faces; f++) {
      const PetscInt *v = surface->face[f];

      if (pair->part[s][v[0]] || pair->part[s][v[1]] || pair->part[s][v[2]]) PetscCall(AbutIntsPush(&pair->near[s], 1, &f));
    }
  }
  if (pair->surface[0] == pair->surface[1]) PetscCall(AbutCreaseCreate(pair));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformPairDestroy(AbutDeformPair **pair)
{
  PetscFunctionBegin;
  if (!*pair) PetscFunctionReturn(0);
  PetscCall(AbutRaysDestroy(*pair));
  PetscCall(AbutCreaseDestroy(*pair));
  for (PetscInt s = 0; s < 2; s++) {
    PetscCall(PetscFree((*pair)->part[s]));
    PetscCall(PetscFree((*pair)->near[s].a));
    PetscCall(PetscFree3((*pair)->part_tree[s].all, (*pair)->part_tree[s].face, (*pair)->part_tree[s].vertex));
    PetscCall(AbutBVHDestroy(&(*pair)->part_tree[s].tree));
    PetscCall(PetscFree((*pair)->curve.inside[s]));
    PetscCall(AbutCSRDestroy(&(*pair)->curve.face_piece[s]));
    PetscCall(PetscFree2((*pair)->mapping[s].vertex, (*pair)->mapping[s].index));
    PetscCall(PetscFree((*pair)->contour[s].a));
    PetscCall(PetscFree((*pair)->mapping[s].point));
    PetscCall(PetscFree((*pair)->mapping[s].border));
    PetscCall(PetscFree2((*pair)->zone[s].vertex, (*pair)->zone[s].contains));
    PetscCall(PetscFree((*pair)->zone[s].border));
  }
  PetscCall(PetscFree((*pair)->curve.crossing));
  PetscCall(PetscFree((*pair)->curve.piece));
  PetscCall(PetscFree(*pair));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformPairIntersect(AbutDeformPair *pair)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) PetscCall(AbutMappingClear(&pair->mapping[s]));
  if (pair->crease) PetscCall(AbutCreaseSet(pair));
  PetscCall(AbutCrossingsFind(pair));
  PetscCall(AbutCurveSet(pair));
  for (PetscInt s = 0; s < 2 && !pair->crease; s++) PetscCall(AbutInsideSet(pair, s));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformPairMap(AbutDeformPair *pair)
{
  const PetscReal *k     = pair->control.stiffness;
  PetscBool        found = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) PetscCall(AbutMappingClear(&pair->mapping[s]));
  if (!pair->crease) PetscCall(AbutDirectionSet(pair, &found));
  if (!found) PetscFunctionReturn(0);
  for (PetscInt s = 0; s < 2; s++) {
    pair->mapping[s].stiffness = k[s] / (k[0] + k[1]);
    for (PetscInt l = 0; l < 3; l++) pair->mapping[s].direction[l] = s ? -pair->direction[l] : pair->direction[l];
  }
  PetscCall(AbutRaysSet(pair, (const PetscReal *[]){pair->surface[0]->x, pair->surface[1]->x}));
  for (PetscInt s = 0; s < 2 && pair->crease; s++) AbutRaysSetInside(pair, s);
  for (PetscInt s = 0; s < 2; s++) PetscCall(AbutContourSet(pair, s));
  for (PetscInt s = 0; s < 2; s++) {
    PetscCall(AbutMappingSet(pair, s));
    PetscCall(AbutBorderSet(pair, s));
  }
  PetscFunctionReturn(0);
}
