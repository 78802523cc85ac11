/*
  predicates.c: exact signs of orientation determinants. The floating-point value decides if it exceeds its error bound; otherwise the
  determinant is evaluated exactly as an expansion.
*/
#include <abut/geom.h>
#include "expansion.h"

/* Unit round-off, and error bounds relative to the permanents of the 2 x 2 and 3 x 3 determinants of differences [Shewchuk 1997]. */
static const PetscReal unit_roundoff = 0x1p-53;
#define ORIENT2D_BOUND ((3 + 16 * unit_roundoff) * unit_roundoff)
#define ORIENT3D_BOUND ((7 + 56 * unit_roundoff) * unit_roundoff)

/* h[0, 16) = a d - b c for expansions of at most two components, with lengths n; returns the length. */
static int ExactMinor(const int n[4], double a[2], double b[2], double c[2], double d[2], double h[16])
{
  double    work[8], ad[8], bc[8];
  const int nad = ExpansionMultiply2(n[0], a, n[3], d, work, ad);
  const int nbc = ExpansionMultiply2(n[1], b, n[2], c, work, bc);

  for (int i = 0; i < nbc; i++) bc[i] = -bc[i];
  return ExpansionAdd(nad, ad, nbc, bc, h);
}

static int ExactCross2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2], const PetscReal d[2])
{
  double    abx[2], aby[2], cdx[2], cdy[2], det[16];
  const int n[4] = {ExpansionDifference(b[0], a[0], abx), ExpansionDifference(b[1], a[1], aby), ExpansionDifference(d[0], c[0], cdx),
                    ExpansionDifference(d[1], c[1], cdy)};

  return ExpansionSign(ExactMinor(n, abx, aby, cdx, cdy, det), det);
}

int AbutCross2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2], const PetscReal d[2])
{
  const PetscReal left = (b[0] - a[0]) * (d[1] - c[1]), right = (b[1] - a[1]) * (d[0] - c[0]);
  const PetscReal det = left - right, bound = ORIENT2D_BOUND * (PetscAbsReal(left) + PetscAbsReal(right));

  if (det > bound) return 1;
  if (-det > bound) return -1;
  return ExactCross2D(a, b, c, d);
}

int AbutOrient2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2])
{
  return AbutCross2D(c, a, c, b);
}

static int ExactOrient3D(const PetscReal *const edges[3], const PetscReal a[3])
{
  double e[3][3][2], det[192], sum[192], minor[16], work[64], term[64];
  int    n[3][3], length = 0;

  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) n[i][k] = ExpansionDifference(edges[i][k], a[k], e[i][k]);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3, nm[4] = {n[j][0], n[j][1], n[k][0], n[k][1]};
    const int num_minor = ExactMinor(nm, e[j][0], e[j][1], e[k][0], e[k][1], minor);
    const int num_term  = ExpansionMultiply2(num_minor, minor, n[i][2], e[i][2], work, term);

    length = ExpansionAdd(length, det, num_term, term, sum);
    for (int l = 0; l < length; l++) det[l] = sum[l];
  }
  return ExpansionSign(length, det);
}

int AbutOrient3D(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3], const PetscReal d[3])
{
  const PetscReal bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
  const PetscReal cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
  const PetscReal dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
  const PetscReal cxdy = cx * dy, cydx = cy * dx, dxby = dx * by, dybx = dy * bx, bxcy = bx * cy, bycx = by * cx;
  const PetscReal det       = bz * (cxdy - cydx) + cz * (dxby - dybx) + dz * (bxcy - bycx);
  const PetscReal permanent = (PetscAbsReal(cxdy) + PetscAbsReal(cydx)) * PetscAbsReal(bz) +
                              (PetscAbsReal(dxby) + PetscAbsReal(dybx)) * PetscAbsReal(cz) +
                              (PetscAbsReal(bxcy) + PetscAbsReal(bycx)) * PetscAbsReal(dz);
  const PetscReal bound = ORIENT3D_BOUND * permanent;

  if (det > bound) return 1;
  if (-det > bound) return -1;
  return ExactOrient3D((const PetscReal *const[3]){b, c, d}, a);
}
