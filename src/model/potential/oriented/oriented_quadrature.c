/*
  Quadrature rules of elements (2D: edges, 3D: faces), the limit of the closest-point terms relative to the integral, and the distance
  from which on a rule resolves the integrand.

  2D: Gauss points. 3D: symmetric rules with N (N + 1) / 2 points, N along a side: the centroid (exact to degree 1), three points (degree
  2), six points (degree 4) [Strang and Fix 1973, An Analysis of the Finite Element Method, table 4.1].
*/
#include <petscdt.h>
#include "orientedimpl.h"

#define RESOLVED 2 /* alpha times the distance must be at least this many spacings of quadrature points */

/* Adds the three points with one barycentric coordinate `apex` and two equal others. */
static void AddOrbit(PetscReal apex, PetscReal weight, AbutOrientedSpec *spec)
{
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) spec->at[spec->samples][i] = i == k ? apex : (1 - apex) / 2;
    spec->weight[spec->samples++] = weight;
  }
}

static void FaceRule(PetscInt n, AbutOrientedSpec *spec)
{
  spec->samples = 0;
  if (n == 1) {
    for (int i = 0; i < 3; i++) spec->at[0][i] = 1.0 / 3;
    spec->weight[spec->samples++] = 1;
  } else if (n == 2) {
    AddOrbit(2.0 / 3, 1.0 / 3, spec);
  } else if (n == 3) {
    for (int sign = -1; sign <= 1; sign += 2) {
      const PetscReal side = (8 - PetscSqrtReal(10) + sign * PetscSqrtReal(38 - 44 * PetscSqrtReal(0.4))) / 18;
      AddOrbit(1 - 2 * side, (620 + sign * PetscSqrtReal(213125 - 53320 * PetscSqrtReal(10))) / 3720, spec);
    }
  }
}

static PetscErrorCode EdgeRule(PetscInt n, AbutOrientedSpec *spec)
{
  PetscReal t[ABUT_ORIENTED_MAX_SAMPLES];

  PetscFunctionBegin;
  spec->samples = n;
  if (n > 0) PetscCall(PetscDTGaussQuadrature(n, 0, 1, t, spec->weight));
  for (PetscInt k = 0; k < n; k++) {
    spec->at[k][0] = 1 - t[k];
    spec->at[k][1] = t[k];
    spec->at[k][2] = 0;
  }
  PetscFunctionReturn(0);
}

/*
  The closest-point terms of two flat sheets as a multiple of the integral over both. ratio: L / mean edge length.

  2D: edge-vertex pairs with edges on either side count the vertices by the length L, vertex pairs by L^2.

  3D: with regular triangles of edge length h, an area A has 2 A / (sqrt 3 h^2) vertices and three times as many edges. Weighted by L^2
  and by L times their length, they cover A v and e times; faces cover it once. The angle factors of vertices, edges and faces test six,
  four and three directions, the angle factors of quadrature points all directions. The constants are the resulting ratios of integrals
  over flat sheets: computed for small alpha, beta = 0 and all rotations of one mesh against the other, with deviations of 3e-4 (alpha =
  0.7: 5e-3).
*/
static PetscReal Share(PetscInt dim, PetscReal ratio)
{
  const PetscReal vv = 0.880, ev = 0.986, ee = 1.136, fv = 1.062;
  const PetscReal v = 2 / PetscSqrtReal(3) * ratio * ratio, e = 2 * PetscSqrtReal(3) * ratio;

  if (dim == 2) return ratio * (2 + ratio);
  return vv * v * v + 2 * ev * e * v + ee * e * e + 2 * fv * v;
}

PetscErrorCode AbutOrientedSetSamples(PetscInt dim, PetscInt n, PetscReal mean, AbutOrientedSpec *spec)
{
  PetscFunctionBegin;
  spec->points_per_edge = n;
  spec->share           = Share(dim, spec->length / mean);
  if (dim == 3)
    FaceRule(n, spec);
  else
    PetscCall(EdgeRule(n, spec));
  PetscFunctionReturn(0);
}

PetscReal AbutOrientedResolvedDistance(const AbutOrientedSpec *spec, PetscReal edge)
{
  return RESOLVED * edge / ((PetscReal)spec->points_per_edge * spec->alpha_t);
}
