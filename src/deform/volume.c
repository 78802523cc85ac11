/*
  Volume between a surface and its displacement as a cubic polynomial of the bulge, and the bulge that makes the volume 0 (section 5.3).
*/
#include "deformimpl.h"
#include "responseimpl.h"

static PetscReal Det(const PetscReal a[3], const PetscReal b[3], const PetscReal c[3])
{
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Position x, displacement w without bulge, displaced position y = x + w, and displacement q by a unit bulge. */
typedef struct {
  PetscReal x[3], w[3], y[3], q[3];
} Point;

static Point PointAt(AbutDeformSurface surface, const PetscReal fixed[], const PetscReal unit[], PetscInt v)
{
  Point p;

  for (PetscInt k = 0; k < 3; k++) {
    p.x[k] = surface->x[3 * v + k] - (surface->box[0][k] + surface->box[1][k]) / 2;
    p.w[k] = fixed[3 * v + k];
    p.y[k] = p.x[k] + p.w[k];
    p.q[k] = unit ? unit[3 * v + k] : 0;
  }
  return p;
}

/* Adds factor det(a + h qa, b + h qb, c + h qc) except for its value at h = 0. */
static void AddPowers(const PetscReal a[3], const PetscReal qa[3], const PetscReal b[3], const PetscReal qb[3], const PetscReal c[3],
                      const PetscReal qc[3], PetscReal factor, PetscReal sum[4])
{
  sum[1] += factor * (Det(qa, b, c) + Det(a, qb, c) + Det(a, b, qc));
  sum[2] += factor * (Det(qa, qb, c) + Det(a, qb, qc) + Det(qa, b, qc));
  sum[3] += factor * Det(qa, qb, qc);
}

/* det of the displaced triangle minus det of the triangle, without cancellation; without the bulge only for h = 0. */
static void AddFace(const Point *a, const Point *b, const Point *c, PetscBool bulge, PetscReal sum[4])
{
  sum[0] += (Det(a->w, b->x, c->x) + Det(a->y, b->w, c->x) + Det(a->y, b->y, c->w)) / 6;
  if (bulge) AddPowers(a->y, a->q, b->y, b->q, c->y, c->q, 1. / 6, sum);
}

/*
  Surface swept by a border edge ab, directed as in its face: the mean of both divisions of the quadrangle y_b, y_a, x_a, x_b into
  triangles.
*/
static void AddWall(const Point *a, const Point *b, PetscReal sum[4])
{
  const PetscReal none[3] = {0, 0, 0};

  sum[0] += (Det(b->y, a->w, a->x) + Det(b->w, a->x, b->x) + Det(b->w, a->y, b->x) + Det(a->w, a->x, b->x)) / 12;
  AddPowers(b->y, b->q, a->w, a->q, a->x, none, 1. / 12, sum);
  AddPowers(b->w, b->q, a->x, none, b->x, none, 1. / 12, sum);
  AddPowers(b->w, b->q, a->y, a->q, b->x, none, 1. / 12, sum);
  AddPowers(a->w, a->q, a->x, none, b->x, none, 1. / 12, sum);
}

static PetscBool Moves(const PetscReal fixed[], const PetscReal unit[], PetscInt v)
{
  for (PetscInt k = 3 * v; k < 3 * v + 3; k++)
    if (fixed[k] != 0 || (unit && unit[k] != 0)) return PETSC_TRUE;
  return PETSC_FALSE;
}

void AbutVolumePolynomial(AbutDeformSurface surface, const PetscReal fixed[], const PetscReal unit[], PetscReal c[4])
{
  for (PetscInt k = 0; k < 4; k++) c[k] = 0;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v = surface->face[f];
    Point           p[3];

    if (!Moves(fixed, unit, v[0]) && !Moves(fixed, unit, v[1]) && !Moves(fixed, unit, v[2])) continue;
    for (PetscInt k = 0; k < 3; k++) p[k] = PointAt(surface, fixed, unit, v[k]);
    AddFace(&p[0], &p[1], &p[2], (PetscBool)(unit != NULL), c);
    for (PetscInt k = 0; k < 3; k++) {
      const PetscInt *faces = surface->edge_face[surface->face_edge[f][k]];

      if (faces[0] < 0 || faces[1] < 0) AddWall(&p[k], &p[(k + 1) % 3], c);
    }
  }
}

static PetscReal Value(const PetscReal c[4], PetscReal h)
{
  return c[0] + h * (c[1] + h * (c[2] + h * c[3]));
}

/* Ascending stationary points in (0, limit) of a cubic polynomial; returns their number. */
static PetscInt Stationary(const PetscReal c[4], PetscReal limit, PetscReal at[2])
{
  const PetscReal a = 3 * c[3], half = c[2], discriminant = half * half - a * c[1];
  PetscReal       root[2];
  PetscInt        num = 0;

  if (discriminant <= 0) return 0;
  root[0] = -half - (half >= 0 ? 1 : -1) * PetscSqrtReal(discriminant);
  root[1] = root[0] != 0 ? c[1] / root[0] : 0;
  root[0] = a != 0 ? root[0] / a : -1;
  for (PetscInt k = 0; k < 2; k++)
    if (root[k] > 0 && root[k] < limit) at[num++] = root[k];
  if (num == 2 && at[0] > at[1]) {
    const PetscReal swap = at[0];

    at[0] = at[1];
    at[1] = swap;
  }
  return num;
}

/* Root between low, where the polynomial is positive, and high, where it is not: Newton's method in a bracket. */
static PetscReal RootBetween(const PetscReal c[4], PetscReal low, PetscReal high)
{
  PetscReal h = (low + high) / 2;

  for (PetscInt k = 0; k < 200; k++) {
    const PetscReal value = Value(c, h), derivative = c[1] + h * (2 * c[2] + 3 * h * c[3]);
    PetscReal       next = derivative != 0 ? h - value / derivative : low;

    if (value > 0)
      low = h;
    else
      high = h;
    if (value == 0) return h;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (PetscAbsReal(next - h) <= PETSC_MACHINE_EPSILON * PetscAbsReal(h)) return next;
    h = next;
  }
  return h;
}

PetscReal AbutVolumeRoot(const PetscReal c[4], PetscReal limit)
{
  const PetscReal sign = c[0] < 0 ? -1 : 1, way = sign * c[1] > 0 ? -1 : 1;
  const PetscReal p[4] = {sign * c[0], sign * way * c[1], sign * c[2], sign * way * c[3]}; /* in |h|, positive at 0 */
  PetscReal       at[3], low = 0;
  PetscInt        num;

  if (c[0] == 0 || (c[1] == 0 && c[2] == 0 && c[3] == 0)) return 0;
  num       = Stationary(p, limit, at);
  at[num++] = limit;
  for (PetscInt k = 0; k < num; k++) {
    if (Value(p, at[k]) <= 0) return way * RootBetween(p, low, at[k]);
    low = at[k];
  }
  return way * at[0];
}
