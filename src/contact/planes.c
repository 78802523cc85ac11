/* Half-space obstacles: where they are, where they go. Their normals never change. */
#include "contactimpl.h"
#include <abut/dense.h>

static PetscErrorCode Normalize(PetscInt dim, AbutPlaneSpec *plane)
{
  PetscReal *normal = plane->normal, norm;

  PetscFunctionBegin;
  if (dim == 2) normal[2] = 0;
  norm = PetscSqrtReal(AbutDot(3, normal, normal));
  AbutCheck(norm > 0 && !PetscIsInfOrNanReal(norm), ABUT_ERR_INPUT, "plane %s: normal %g %g %g; a vector other than zero is needed",
            plane->name, (double)normal[0], (double)normal[1], (double)normal[2]);
  for (int k = 0; k < 3; k++) normal[k] /= norm;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPlanesCreate(AbutContact contact, PetscInt n, const AbutPlaneSpec planes[])
{
  PetscFunctionBegin;
  contact->num_planes = n;
  PetscCall(PetscMalloc2(n, &contact->planes, n, &contact->moved_planes));
  PetscCall(PetscCalloc3(3 * n, &contact->plane_displacement, 3 * n, &contact->search.plane_x, 3 * n, &contact->search.plane_p));
  PetscCall(PetscArraycpy(contact->planes, planes, n));
  for (PetscInt i = 0; i < n; i++) PetscCall(Normalize(contact->m->dim, &contact->planes[i]));
  PetscCall(PetscArraycpy(contact->moved_planes, contact->planes, n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPlanesDestroy(AbutContact contact)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(contact->planes, contact->moved_planes));
  PetscCall(PetscFree3(contact->plane_displacement, contact->search.plane_x, contact->search.plane_p));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetPlanes(AbutContact contact, const PetscReal points[], const PetscReal displacement[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * contact->num_planes; i++) {
    contact->planes[i / 3].point[i % 3] = points[i];
    contact->plane_displacement[i]      = displacement ? displacement[i] : 0;
  }
  PetscFunctionReturn(0);
}

void AbutPlanesBeginSearch(AbutContact contact, PetscBool still)
{
  for (PetscInt i = 0; i < 3 * contact->num_planes; i++) {
    contact->search.plane_x[i]     = contact->planes[i / 3].point[i % 3];
    contact->search.plane_p[i]     = still ? 0 : contact->plane_displacement[i];
    contact->plane_displacement[i] = 0;
  }
  AbutPlanesMove(contact, 0);
}

void AbutPlanesMove(AbutContact contact, PetscReal t)
{
  const AbutSweep *sweep = &contact->search;

  for (PetscInt i = 0; i < 3 * contact->num_planes; i++)
    contact->moved_planes[i / 3].point[i % 3] = sweep->plane_x[i] + t * sweep->plane_p[i];
}
