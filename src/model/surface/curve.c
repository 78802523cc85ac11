/* Edges without faces. */
#include "surfaceimpl.h"

PetscErrorCode AbutSurfaceFindCurves(AbutSurface s)
{
  const AbutMeshLocal *m     = s->m;
  const PetscInt      *start = s->table.edge_face.start;
  PetscInt             n     = 0, any;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_edges && m->dim == 3; i++) n += start[i] == start[i + 1];
  any = n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPIU_INT, MPI_MAX, s->comm));
  s->any_curves = (PetscBool)(any > 0);
  PetscCall(PetscMalloc1(n, &s->curve));
  for (PetscInt i = 0; i < m->num_edges && n; i++)
    if (start[i] == start[i + 1]) s->curve[s->num_curves++] = i;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceGetCurves(AbutSurface s, PetscInt *num, const PetscInt *edges[], PetscBool *any)
{
  PetscFunctionBegin;
  *num   = s->num_curves;
  *edges = s->curve;
  *any   = s->any_curves;
  PetscFunctionReturn(0);
}
