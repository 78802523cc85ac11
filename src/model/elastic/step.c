/* Largest step that inverts no cell [Li et al. 2020, section 4.4], and exact count of inverted cells. */
#include "quadratic.h"
#include <abut/geom.h>

#define ROOT_TOLERANCE 1e-6 /* relative width of the bracket of a root; the lower end is used */
#define MAX_SHRINKS    64   /* number of halvings after which the step becomes 0 */

/* Bernstein coefficients b[0..dim] on t in [0, end] of det(e + t p), dim edges e and their displacements p. */
static inline void DeterminantAlong(PetscInt dim, const PetscReal e[], const PetscReal p[], PetscReal end, PetscReal b[4])
{
  PetscReal C[9], D[9];

  b[0] = AbutCofactor(dim, e, C);
  if (dim == 2) {
    const PetscReal a1 = AbutDot(4, p, C) * end, a2 = AbutCofactor(2, p, D) * end * end;
    b[1] = b[0] + a1 / 2;
    b[2] = b[0] + a1 + a2;
    b[3] = b[2];
  } else {
    const PetscReal a3 = AbutCofactor(3, p, D) * end * end * end, a1 = AbutDot(9, p, C) * end, a2 = AbutDot(9, e, D) * end * end;
    b[1] = b[0] + a1 / 3;
    b[2] = b[0] + (2 * a1 + a2) / 3;
    b[3] = b[0] + a1 + a2 + a3;
  }
}

/* Sufficient test of b(t) > 0 on [0, 1]: all Bernstein coefficients are positive (convex hull property). */
static inline PetscBool IsPositive(PetscInt n, const PetscReal b[])
{
  PetscReal min = b[0];
  for (PetscInt i = 1; i <= n; i++) min = PetscMin(min, b[i]);
  return (PetscBool)(min > 0);
}

/* Splits a polynomial on [0, 1] at 1/2 (de Casteljau). */
static void Split(PetscInt n, const PetscReal b[], PetscReal left[], PetscReal right[])
{
  for (PetscInt i = 0; i <= n; i++) right[i] = b[i];
  for (PetscInt k = 0; k <= n; k++) {
    left[k] = right[0];
    for (PetscInt i = 0; i < n - k; i++) right[i] = (right[i] + right[i + 1]) / 2;
  }
}

/*
  Lower bound of the smallest root in [lo, hi] of a polynomial with Bernstein coefficients b; hi if there is none. Bisection: an interval
  with positive coefficients has no root; the left half is searched first, so that the first root found is the smallest.
*/
static PetscReal FirstRoot(PetscInt n, const PetscReal b[], PetscReal lo, PetscReal hi, PetscBool *found)
{
  PetscReal left[4] = {0}, right[4] = {0}, t;

  *found = PETSC_FALSE;
  if (IsPositive(n, b)) return hi;
  if (!(b[0] > 0) || hi - lo <= ROOT_TOLERANCE * hi) {
    *found = PETSC_TRUE;
    return lo;
  }
  Split(n, b, left, right);
  t = FirstRoot(n, left, lo, (lo + hi) / 2, found);
  return *found ? t : FirstRoot(n, right, (lo + hi) / 2, hi, found);
}

/* Whether a cell has a positive volume at the rounded positions x + t p; exact. */
static PetscBool HasPositiveVolume(PetscInt dim, const PetscInt cell[], const PetscReal x[], const PetscReal p[], PetscReal t)
{
  PetscReal y[12];

  for (PetscInt a = 0; a <= dim; a++)
    for (PetscInt k = 0; k < dim; k++) y[dim * a + k] = x[dim * cell[a] + k] + (t > 0 ? t * p[dim * cell[a] + k] : 0);
  return (PetscBool)((dim == 3 ? AbutOrient3D(y, y + 3, y + 6, y + 9) : AbutOrient2D(y, y + 2, y + 4)) > 0);
}

/* Reduces *end to the smallest root of J over the active cells of barrier materials, in floating point; cell: its cell, if any. */
static inline void SmallestRoot(PetscInt dim, AbutElastic el, const PetscReal x[], const PetscReal p[], PetscReal *end, PetscInt *cell)
{
  const AbutMeshLocal *local = el->local;

  for (PetscInt k = 0; k < el->num_active; k++) {
    const PetscInt c = el->active[k];
    PetscReal      e[9], d[9], b[4];
    PetscBool      found;

    if (!el->materials[el->cell_material[c]].ops->barrier) continue;
    AbutCellEdges(dim, local->cells + (dim + 1) * c, x, e);
    AbutCellEdges(dim, local->cells + (dim + 1) * c, p, d);
    DeterminantAlong(dim, e, d, *end, b);
    if (IsPositive(dim, b)) continue;
    *end = FirstRoot(dim, b, 0, *end, &found);
    if (found) *cell = c;
  }
}

/* SmallestRoot() for the points of quadratic cells. */
static void SmallestQuadraticRoot(AbutElastic el, const PetscReal x[], const PetscReal p[], PetscReal *end, PetscInt *cell)
{
  const AbutMeshLocal *local = el->local;
  const PetscInt       dim   = local->dim;

  for (PetscInt k = 0; k < el->quadratic.num_active; k++) {
    const PetscInt i = el->quadratic.active[k], c = el->quadratic.cell[i];

    if (!el->materials[el->cell_material[c]].ops->barrier) continue;
    for (PetscInt q = 0; q < AbutPoints(el, i); q++) {
      PetscReal J[9], d[9], b[4];
      PetscBool found;

      AbutQuadraticJacobian(el, i, q, x, J);
      AbutQuadraticJacobian(el, i, q, p, d);
      DeterminantAlong(dim, J, d, *end, b);
      if (IsPositive(dim, b)) continue;
      *end = FirstRoot(dim, b, 0, *end, &found);
      if (found) *cell = c;
    }
  }
}

/* First active cell of a barrier material with J <= 0 at x + t p by exact predicates; -1 if there is none. */
static PetscInt FirstInverted(AbutElastic el, const PetscReal x[], const PetscReal p[], PetscReal t)
{
  const AbutMeshLocal *local = el->local;
  const PetscInt       dim   = local->dim;

  for (PetscInt k = 0; k < el->num_active; k++) {
    const PetscInt c = el->active[k];
    if (el->materials[el->cell_material[c]].ops->barrier && !HasPositiveVolume(dim, local->cells + (dim + 1) * c, x, p, t)) return c;
  }
  return -1;
}

void AbutElasticMaxStep(AbutElastic el, const PetscReal x[], const PetscReal p[], PetscReal safety, PetscReal *step, PetscInt *cell)
{
  PetscReal end = *step / safety;
  PetscInt  inverted;

  *cell = -1;
  ABUT_BY_DIM(el->local->dim, SmallestRoot, el, x, p, &end, cell);
  SmallestQuadraticRoot(el, x, p, &end, cell);
  if (*cell >= 0) *step = PetscMin(*step, safety * end);
  for (PetscInt k = 0; *step > 0 && (inverted = FirstInverted(el, x, p, *step)) >= 0;
       k++) { /* cells that are inverted at the rounded positions only */
    *step = k < MAX_SHRINKS ? *step / 2 : 0;
    *cell = inverted;
  }
}

/* Whether the Jacobian of quadratic cell i is not positive at a point, where the energy of a barrier material is infinite. */
static PetscBool HasInvertedPoint(AbutElastic el, PetscInt i, const PetscReal x[])
{
  PetscReal J[9], C[9];

  for (PetscInt q = 0; q < AbutPoints(el, i); q++) {
    AbutQuadraticJacobian(el, i, q, x, J);
    if (!(AbutCofactor(el->local->dim, J, C) > 0)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

void AbutElasticCountInversions(AbutElastic el, const PetscReal x[], PetscInt *count, PetscInt *forbidden)
{
  const AbutMeshLocal *local = el->local;

  *count     = 0;
  *forbidden = -1;
  for (PetscInt c = 0; c < local->num_cells; c++) {
    if (AbutCellIsQuadratic(local, c) ? AbutQuadraticIsPositive(local, c, x)
                                      : HasPositiveVolume(local->dim, local->cells + (local->dim + 1) * c, x, NULL, 0))
      continue;
    (*count)++;
    if (AbutCellIsQuadratic(local, c) && !HasInvertedPoint(el, el->quadratic.index[c], x)) continue;
    if (*forbidden < 0 && el->materials[el->cell_material[c]].ops->barrier) *forbidden = c;
  }
}
