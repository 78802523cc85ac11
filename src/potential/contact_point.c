/* Contact point of a stencil: closest points, normal and force. */
#include "potentialimpl.h"

/* Number of vertices on the first side of a stencil, indexed by AbutDistForm. */
static const PetscInt first_side[] = {1, 1, 1, 2};

void AbutStencilContactPoint(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, PetscReal kappa,
                             const PetscReal x[], AbutContactPoint *point)
{
  PetscReal db;

  *point =
    (AbutContactPoint){.n = st->n, .plane = st->plane, .first = 1, .dhat = PetscSqrtReal(shat), .pairs = (PetscInt)(st->weight + 0.5)};
  for (int a = 0; a < ABUT_POINT_VERTICES; a++) point->v[a] = a < 4 ? st->v[a] : -1;
  if (plane) {
    point->weight[0] = 1;
    point->dist      = AbutPlaneHeight(dim, plane->normal, plane->point, x);
    for (PetscInt i = 0; i < dim; i++) point->normal[i] = plane->normal[i];
  } else {
    AbutDistFrame f;
    PetscReal     sign;
    AbutDist2Frame(st->form, dim, x, &f);
    sign         = f.h < 0 ? -1 : 1;
    point->first = first_side[st->form];
    point->dist  = sign * f.h;
    for (PetscInt a = 0; a < f.n; a++) point->weight[a] = f.c[a];
    for (PetscInt i = 0; i < dim; i++) point->normal[i] = sign * f.normal[i];
  }
  AbutBarrier(point->dist * point->dist, shat, &db, NULL);
  point->force = -2 * kappa * st->weight * point->dist * db;
  for (PetscInt i = 0; i < dim; i++) point->force_vector[i] = point->force * point->normal[i];
}
