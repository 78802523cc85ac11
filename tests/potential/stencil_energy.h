/* Energy of one stencil for unit stiffness, weight * mollifier * barrier: the function that AbutStencilGradient() differentiates. */
#pragma once
#include "../../src/model/potential/potentialimpl.h"

static inline PetscReal StencilEnergy(PetscInt dim, const AbutStencil *st, const AbutPlaneSpec *plane, PetscReal shat, const PetscReal x[])
{
  AbutClosest closest = {.form = st->form};
  PetscReal   s, mollifier = 1;

  if (plane) {
    const PetscReal h = AbutPlaneHeight(dim, plane->normal, plane->point, x);
    s                 = h > 0 ? h * h : 0;
  } else if (st->eps_cross > 0) {
    mollifier = AbutMollifier(AbutEdgeEdgeCross2(x, NULL, NULL), st->eps_cross, NULL, NULL);
    closest.n = AbutStencilFixedPoints(st->form, closest.v);
    s         = st->fixed ? AbutFeatureDist2(&closest, 3, 4, x, NULL, NULL) : AbutPairDist2(ABUT_PAIR_EE, 3, x);
  } else {
    s = AbutDist2(st->form, dim, x, NULL, NULL);
  }
  return st->weight * AbutBarrier(s, shat, NULL, NULL) * mollifier;
}
