/* Convex hull in the plane by Andrew's monotone chain. */
#include <abut/contact_measures.h>
#include <abut/geom.h>

static int Compare(const PetscReal a[2], const PetscReal b[2])
{
  for (int i = 0; i < 2; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/* Sorts the numbers of the points by coordinates: merge of halves. */
static void Sort(PetscInt n, const PetscReal (*points)[2], PetscInt order[], PetscInt work[])
{
  const PetscInt half = n / 2;
  PetscInt       i = 0, j = half;

  if (n < 2) return;
  Sort(half, points, order, work);
  Sort(n - half, points, order + half, work + half);
  for (PetscInt k = 0; k < n; k++)
    work[k] = j >= n || (i < half && Compare(points[order[i]], points[order[j]]) <= 0) ? order[i++] : order[j++];
  for (PetscInt k = 0; k < n; k++) order[k] = work[k];
}

/* Extends a chain of corners by a point; the corners from `first` on may be removed. Returns the new number of corners. */
static PetscInt Extend(const PetscReal (*points)[2], PetscInt first, PetscInt num, PetscInt corner[], PetscInt point)
{
  while (num >= first + 2 && AbutOrient2D(points[corner[num - 2]], points[corner[num - 1]], points[point]) <= 0) num--;
  if (num && !Compare(points[corner[num - 1]], points[point])) return num;
  corner[num] = point;
  return num + 1;
}

PetscErrorCode AbutConvexHull(PetscInt n, const PetscReal (*points)[2], PetscInt *num, PetscInt corner[])
{
  PetscInt *order, *work, lower;

  PetscFunctionBegin;
  *num = 0;
  PetscCall(PetscMalloc2(n, &order, n, &work));
  for (PetscInt i = 0; i < n; i++) order[i] = i;
  Sort(n, points, order, work);
  for (PetscInt i = 0; i < n; i++) *num = Extend(points, 0, *num, corner, order[i]);
  lower = *num;
  if (lower > 1) {
    for (PetscInt i = n - 1; i > 0; i--) *num = Extend(points, lower - 1, *num, corner, order[i - 1]);
    if (*num > 1) (*num)--; /* the last corner is the first one */
  }
  PetscCall(PetscFree2(order, work));
  PetscFunctionReturn(0);
}
