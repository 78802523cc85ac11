/* The clamped log barrier [Li et al. 2020, eq. 6] in squared distances and the edge-edge mollifier [eq. 24]. */
#include <abut/potential.h>
#include <math.h>

/* With y = shat / s - 1, ln(s / shat) = -log1p(y), which keeps full accuracy near shat, where value and derivatives vanish. */
PetscReal AbutBarrier(PetscReal s, PetscReal shat, PetscReal *db, PetscReal *ddb)
{
  PetscReal depth, y, log_y;

  if (s >= shat) {
    if (db) *db = 0;
    if (ddb) *ddb = 0;
    return 0;
  }
  if (!(s > 0)) {
    if (db) *db = -PETSC_INFINITY;
    if (ddb) *ddb = PETSC_INFINITY;
    return PETSC_INFINITY;
  }
  depth = shat - s;
  y     = depth / s;
  log_y = log1p(y);
  if (db) *db = -depth * (2 * log_y + y);
  if (ddb) *ddb = 2 * log_y + y * (4 + y);
  return depth * depth * log_y;
}

PetscReal AbutMollifier(PetscReal c, PetscReal eps, PetscReal *dm, PetscReal *ddm)
{
  const PetscReal z = c / eps;

  if (c >= eps) {
    if (dm) *dm = 0;
    if (ddm) *ddm = 0;
    return 1;
  }
  if (dm) *dm = 2 * (1 - z) / eps;
  if (ddm) *ddm = -2 / (eps * eps);
  return (2 - z) * z;
}
