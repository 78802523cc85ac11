/*
  Half spaces in a time level of fields.h5, for pictures: a square in the boundary of each half space (2D: a segment) beside the bodies,
  with the diagonal of the bodies as half its edge. The normal of the half space follows from the order of the corners.
*/
#include "fieldsimpl.h"
#include <abut/geom.h>

/* Middle of the bodies at positions x. Collective. */
static PetscErrorCode FindMiddle(AbutFields f, const PetscReal x[], PetscReal middle[3])
{
  const AbutMeshLocal *m      = AbutMeshGetLocal(f->mesh);
  PetscReal            low[6] = {PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->dim * m->num_owned; i++) {
    if (m->bodies[m->vertex_body[i / m->dim]].obstacle) continue;
    low[i % m->dim]     = PetscMin(low[i % m->dim], x[i]);
    low[3 + i % m->dim] = PetscMin(low[3 + i % m->dim], -x[i]); /* the upper corner, negated */
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, 6, MPIU_REAL, MPIU_MIN, f->comm));
  for (PetscInt i = 0; i < 3; i++) middle[i] = i < m->dim ? (low[i] - low[3 + i]) / 2 : 0;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsWritePlanes(const AbutH5 *h5, AbutFields f, hid_t group, const AbutFieldsLevel *level)
{
  static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const PetscInt   dim = f->index.dim, corners = dim == 3 ? 4 : 2, rows = AbutIsRoot(f->comm) ? corners * level->num_planes : 0;
  const PetscReal  half = AbutMeshGetLocal(f->mesh)->global.diagonal;
  PetscReal        middle[3], *x;

  PetscFunctionBegin;
  PetscCall(FindMiddle(f, level->x, middle));
  PetscCall(PetscMalloc1(3 * rows, &x));
  for (PetscInt r = 0; r < rows; r++) {
    const PetscReal *n = level->planes[r / corners].normal, *point = &level->plane_point[3 * (r / corners)];
    PetscReal        side[2][3], height                            = 0;

    AbutTangents(dim, n, side);
    for (PetscInt i = 0; i < 3; i++) height += (middle[i] - point[i]) * n[i];
    for (PetscInt i = 0; i < 3; i++)
      x[3 * r + i] = middle[i] - height * n[i] + half * (sign[r % corners][0] * side[0][i] + sign[r % corners][1] * side[1][i]);
  }
  PetscCall(AbutH5SetInt(h5, group, "num_planes", level->num_planes));
  PetscCall(AbutH5WriteRows(h5, group, "planes", AbutH5TypeReal(), rows, 3, x));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}
