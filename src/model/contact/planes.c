/* Half-space obstacles: their points and displacements. Normals never change. */
#include "contactimpl.h"

static PetscErrorCode Normalize(PetscInt dim, AbutPlaneSpec *plane)
{
  PetscReal *normal = plane->normal, norm;

  PetscFunctionBegin;
  if (dim == 2) normal[2] = 0;
  norm = AbutNorm(3, normal);
  AbutCheck(norm > 0 && !PetscIsInfOrNanReal(norm), ABUT_ERR_INPUT, "plane %s: normal %g %g %g; a finite vector other than zero is needed",
            plane->name, (double)normal[0], (double)normal[1], (double)normal[2]);
  for (int k = 0; k < 3; k++) normal[k] /= norm;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPlanesCreate(AbutContact contact, PetscInt n, const AbutPlaneSpec planes[])
{
  AbutPlaneSet *set = &contact->planes;

  PetscFunctionBegin;
  set->num = n;
  PetscCall(PetscMalloc2(n, &set->next, n, &set->current));
  PetscCall(PetscCalloc3(3 * n, &set->next_displacement, 3 * n, &set->start, 3 * n, &set->displacement));
  PetscCall(PetscArraycpy(set->next, planes, n));
  for (PetscInt i = 0; i < n; i++) PetscCall(Normalize(contact->m->dim, &set->next[i]));
  PetscCall(PetscArraycpy(set->current, set->next, n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPlanesDestroy(AbutPlaneSet *set)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(set->next, set->current));
  PetscCall(PetscFree3(set->next_displacement, set->start, set->displacement));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetPlanes(AbutContact contact, const PetscReal points[], const PetscReal displacement[])
{
  AbutPlaneSet *set = &contact->planes;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * set->num; i++) {
    set->next[i / 3].point[i % 3] = points[i];
    set->next_displacement[i]     = displacement ? displacement[i] : 0;
  }
  PetscFunctionReturn(0);
}

void AbutPlanesBeginSearch(AbutPlaneSet *set, PetscBool still)
{
  for (PetscInt i = 0; i < 3 * set->num; i++) {
    set->start[i]             = set->next[i / 3].point[i % 3];
    set->displacement[i]      = still ? 0 : set->next_displacement[i];
    set->next_displacement[i] = 0;
  }
  AbutPlanesMove(set, 0);
}

void AbutPlanesMove(AbutPlaneSet *set, PetscReal t)
{
  for (PetscInt i = 0; i < 3 * set->num; i++) set->current[i / 3].point[i % 3] = set->start[i] + t * set->displacement[i];
}
