/*
  intersect.c: exact intersection tests of closed segments and triangles, by signs of exact predicates and comparisons of coordinates only.
  Coplanar points are projected by dropping one coordinate, which is exact; the coordinate is chosen such that the projection is one to one.
*/
#include <abut/geom.h>

static PetscBool BoxesMeet(PetscInt dim, const PetscReal a[], const PetscReal b[], const PetscReal c[], const PetscReal d[])
{
  for (PetscInt k = 0; k < dim; k++) {
    if (PetscMax(a[k], b[k]) < PetscMin(c[k], d[k]) || PetscMax(c[k], d[k]) < PetscMin(a[k], b[k])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscBool AbutSegmentsIntersect2D(const PetscReal a[2], const PetscReal b[2], const PetscReal c[2], const PetscReal d[2])
{
  if (!BoxesMeet(2, a, b, c, d)) return PETSC_FALSE;
  const int abc = AbutOrient2D(a, b, c), abd = AbutOrient2D(a, b, d), cda = AbutOrient2D(c, d, a), cdb = AbutOrient2D(c, d, b);

  if (abc * abd < 0 && cda * cdb < 0) return PETSC_TRUE;
  if (!abc && BoxesMeet(2, a, b, c, c)) return PETSC_TRUE;
  if (!abd && BoxesMeet(2, a, b, d, d)) return PETSC_TRUE;
  if (!cda && BoxesMeet(2, c, d, a, a)) return PETSC_TRUE;
  return !cdb && BoxesMeet(2, c, d, b, b) ? PETSC_TRUE : PETSC_FALSE;
}

static void Project(const PetscReal a[3], PetscInt axis, PetscReal b[2])
{
  b[0] = a[(axis + 1) % 3];
  b[1] = a[(axis + 2) % 3];
}

/* An axis along which the projection of the plane abc is one to one; -1 if the points are collinear. */
static PetscInt ProjectionAxis(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3])
{
  for (PetscInt axis = 0; axis < 3; axis++) {
    PetscReal pa[2], pb[2], pc[2];

    Project(a, axis, pa);
    Project(b, axis, pb);
    Project(c, axis, pc);
    if (AbutOrient2D(pa, pb, pc)) return axis;
  }
  return -1;
}

static PetscBool SegmentsIntersect3D(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3], const PetscReal d[3])
{
  PetscReal pa[2], pb[2], pc[2], pd[2];
  PetscInt  axis;

  if (!BoxesMeet(3, a, b, c, d) || AbutOrient3D(a, b, c, d)) return PETSC_FALSE;
  axis = ProjectionAxis(a, b, c);
  if (axis < 0) axis = ProjectionAxis(a, b, d);
  if (axis < 0) axis = ProjectionAxis(c, d, a);
  if (axis < 0) return PETSC_TRUE; /* collinear: they intersect because their boxes do */
  Project(a, axis, pa);
  Project(b, axis, pb);
  Project(c, axis, pc);
  Project(d, axis, pd);
  return AbutSegmentsIntersect2D(pa, pb, pc, pd);
}

/* Whether a segment and a triangle of positive area in one plane intersect; both are projected along `axis`. */
static PetscBool CoplanarIntersect(PetscInt axis, const PetscReal *const segment[2], const PetscReal *const triangle[3])
{
  PetscReal s[2][2], t[3][2];
  int       positive = 0, negative = 0;

  for (PetscInt i = 0; i < 2; i++) Project(segment[i], axis, s[i]);
  for (PetscInt i = 0; i < 3; i++) Project(triangle[i], axis, t[i]);
  for (PetscInt i = 0; i < 3; i++) {
    const int side = AbutOrient2D(t[i], t[(i + 1) % 3], s[0]);

    positive |= side > 0;
    negative |= side < 0;
    if (AbutSegmentsIntersect2D(t[i], t[(i + 1) % 3], s[0], s[1])) return PETSC_TRUE;
  }
  return positive && negative ? PETSC_FALSE : PETSC_TRUE;
}

PetscBool AbutSegmentTriangleIntersect(const PetscReal p[3], const PetscReal q[3], const PetscReal a[3], const PetscReal b[3],
                                       const PetscReal c[3])
{
  const int side_p = AbutOrient3D(a, b, c, p), side_q = AbutOrient3D(a, b, c, q);

  if (side_p * side_q > 0) return PETSC_FALSE;
  if (!side_p && !side_q) {
    const PetscInt axis = ProjectionAxis(a, b, c);

    if (axis >= 0) return CoplanarIntersect(axis, (const PetscReal *const[2]){p, q}, (const PetscReal *const[3]){a, b, c});
    /* a triangle of area 0 is the union of its edges */
    return SegmentsIntersect3D(p, q, a, b) || SegmentsIntersect3D(p, q, b, c) || SegmentsIntersect3D(p, q, c, a) ? PETSC_TRUE : PETSC_FALSE;
  }
  /* the segment crosses the plane at one point, which is in the triangle if the line pq passes all edges on the same side */
  const int ab = AbutOrient3D(p, q, a, b), bc = AbutOrient3D(p, q, b, c), ca = AbutOrient3D(p, q, c, a);
  return (ab > 0 || bc > 0 || ca > 0) && (ab < 0 || bc < 0 || ca < 0) ? PETSC_FALSE : PETSC_TRUE;
}
