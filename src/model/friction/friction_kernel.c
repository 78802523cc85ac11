/*
  Friction of one contact [Li et al. 2020, eq. 13-15]: D = N phi(|u|), u = T^T sum_a w_a d_a, d_a the displacement of vertex a.

      grad D = N (phi' / y) w (x) T u,   hess D = N (w w^T) (x) T M T^T,   M = phi'/y (I - e e^T) + phi'' e e^T,   y = |u|, e = u / y

  The columns of w (x) T are orthogonal and of equal length, so projecting M projects the Hessian. phi' / y >= 0. phi'' < 0 where the
  friction coefficient falls faster than f1 rises.

  Majorizer: if mu_kinetic <= mu_static, phi is concave in y^2. Therefore the parabola N (phi + phi' / (2 y) (|v|^2 - y^2)) bounds the
  energy from above for all slips v and equals it at v = u. Its Hessian has M = phi' / y I.

  Primal-dual Hessian [Chan, Golub and Mulet 1999], for mu_static = mu_kinetic = mu: the force -N mu s is an unknown of its own, with
  a s = u and a(y) = mu y / phi'. Newton's step of both u and s, with the equation of s eliminated and the matrix made symmetric, is

      M = mu / a (I - a' (s e^T + e s^T) / 2),    s + ds = (u + du - a' (e . du) s) / a.

  M is the exact Hessian if s is the force at u, and positive semidefinite because |s| <= 1 and a' <= 1. Contacts that are to stick keep
  their resistance while they are beyond eps. So iterations hardly depend on eps, which sets the curvature of D at small slips.
*/
#include "frictionimpl.h"

/* phi of a contact. In the stick state phi' keeps its maximum beyond the peak slip. */
static PetscReal Phi(const AbutFrictionPoint *point, PetscReal y, PetscReal eps, PetscReal *f1_over_y, PetscReal *df1)
{
  const PetscReal most = point->peak * eps;
  PetscReal       energy, force;

  if (!(point->sticks && y > most)) return AbutFrictionPotential(y, eps, point->mu_static, point->mu_kinetic, f1_over_y, df1);
  energy = AbutFrictionPotential(most, eps, point->mu_static, point->mu_kinetic, &force, NULL);
  force *= most;
  if (f1_over_y) *f1_over_y = force / y;
  if (df1) *df1 = 0;
  return energy + force * (y - most);
}

void AbutFrictionSlip(PetscInt dim, const AbutFrictionPoint *point, const PetscReal displacement[], PetscReal u[])
{
  for (PetscInt k = 0; k < dim - 1; k++) u[k] = AbutDot(dim, point->tangent[k], displacement);
}

PetscReal AbutFrictionPointEnergy(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, const PetscReal u[])
{
  return point->normal_force * Phi(point, AbutFrictionNorm(dim, u), eps, NULL, NULL);
}

void AbutFrictionPointForce(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, const PetscReal u[], PetscReal force[3])
{
  PetscReal f1_over_y;

  Phi(point, AbutFrictionNorm(dim, u), eps, &f1_over_y, NULL);
  for (int i = 0; i < 3; i++) {
    force[i] = 0;
    for (PetscInt k = 0; k < dim - 1; k++) force[i] -= point->normal_force * f1_over_y * u[k] * point->tangent[k][i];
  }
}

/* a and da/dy at slip length y. */
static PetscReal DualScale(PetscReal y, PetscReal eps, PetscReal *slope)
{
  const PetscReal z = PetscMin(y / eps, 1);

  *slope = 1 / PetscSqr(2 - z);
  return PetscMax(y, eps / (2 - z));
}

void AbutFrictionUpdateDual(PetscReal eps, const PetscReal u[2], const PetscReal du[2], PetscReal dual[2])
{
  const PetscReal y     = AbutNorm(2, u);
  PetscReal       slope = 0, a = DualScale(y, eps, &slope), length;

  if (y > 0) slope *= AbutDot(2, u, du) / y;
  for (int k = 0; k < 2; k++) dual[k] = (u[k] + du[k] - (y > 0 ? slope * dual[k] : 0)) / a;
  length = AbutNorm(2, dual);
  for (int k = 0; k < 2 && length > 1; k++) dual[k] /= length;
}

/* K = T M T^T with the primal-dual M. e: direction of the slip of length y > 0. */
static void PrimalDualHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, PetscReal y, const PetscReal e[2],
                              PetscReal K[3][3])
{
  PetscReal       slope;
  const PetscReal factor = point->normal_force * point->mu_kinetic / DualScale(y, eps, &slope), *s = point->dual;

  for (int i = 0; i < 9; i++) K[i / 3][i % 3] = 0;
  for (PetscInt k = 0; k < dim - 1; k++) {
    for (PetscInt l = 0; l < dim - 1; l++) {
      const PetscReal M = factor * ((k == l) - slope * (s[k] * e[l] + e[k] * s[l]) / 2);
      for (int i = 0; i < 9; i++) K[i / 3][i % 3] += M * point->tangent[k][i / 3] * point->tangent[l][i % 3];
    }
  }
}

/*
  The eigenvectors of M are the direction of slip and, in 3D, the tangent normal to it. A negative normal force reverses the signs of the
  eigenvalues.
*/
void AbutFrictionTangentialHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection,
                                   const PetscReal u[], PetscReal K[3][3])
{
  const PetscReal y = AbutFrictionNorm(dim, u), sign = point->normal_force < 0 ? -1 : 1;
  PetscReal       across, along, e[2] = {1, 0}, direction[3];

  if (y > 0) {
    for (PetscInt k = 0; k < dim - 1; k++) e[k] = u[k] / y;
    if (point->primal_dual && sign > 0) {
      PrimalDualHessian(dim, point, eps, y, e, K);
      return;
    }
  }
  Phi(point, y, eps, &across, &along);
  across = sign * AbutProjectScalar(projection, sign * across);
  along  = sign * AbutProjectScalar(projection, sign * along);
  if (projection != ABUT_PSD_NONE && sign > 0 && y >= point->peak * eps) along = PetscMax(along, point->majorizer * across);
  for (int i = 0; i < 3; i++) direction[i] = e[0] * point->tangent[0][i] + e[1] * point->tangent[1][i];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      PetscReal plane = 0;
      for (PetscInt k = 0; k < dim - 1; k++) plane += point->tangent[k][i] * point->tangent[k][j];
      K[i][j] = point->normal_force * (across * (plane - direction[i] * direction[j]) + along * direction[i] * direction[j]);
    }
  }
}

void AbutFrictionPointHessian(PetscInt dim, const AbutFrictionPoint *point, PetscReal eps, AbutProjection projection, const PetscReal u[],
                              PetscReal H[])
{
  const PetscInt N = point->n * dim;
  PetscReal      K[3][3];

  AbutFrictionTangentialHessian(dim, point, eps, projection, u, K);
  for (PetscInt a = 0; a < point->n; a++) {
    for (PetscInt b = 0; b < point->n; b++) {
      for (PetscInt i = 0; i < dim; i++) {
        for (PetscInt j = 0; j < dim; j++) H[N * (dim * a + i) + dim * b + j] = point->weight[a] * point->weight[b] * K[i][j];
      }
    }
  }
}
