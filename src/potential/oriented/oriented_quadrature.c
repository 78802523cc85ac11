/*
  The rules that elements of a surface, edges in 2D and faces in 3D, are integrated over with, and what the integral stands beside: how much
  closest-point terms count for it, and from which distance on.

  2D: Gauss points. 3D: symmetric rules with N (N + 1) / 2 points, N along a side: the centroid, exact to degree 1, three points, to degree 2, and
  six, to degree 4 [Strang and Fix 1973, An Analysis of the Finite Element Method, table 4.1].
*/
#include <petscdt.h>
#include "orientedimpl.h"

#define RESOLVED 2 /* spacings of samples for which alpha times the distance stands */

/* The three points with `apex` for one barycentric coordinate and the same for the others. */
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
  2D: vertices stand for the length: of two edges each, of an edge and vertices on either side, of vertices alone.

  3D: on a mesh of regular triangles whose edges are `mean` long an area A has 2 A / (sqrt 3 mean^2) vertices and three times as many edges. Weighed by
  the length L squared and by L times their own, L = ratio mean, they cover it v and e times; faces do so once. The angles of a vertex are those of six
  directions, of an edge of four, of a face of three, for samples of all: integrals over flat sheets differ by constants, which for small alpha, beta
  = 0 and any turn of one mesh against the other are these to 3e-4, and for alpha = 0.7 to 5e-3.
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
