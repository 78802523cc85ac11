/*
  Volume between a surface and its displacement as a cubic polynomial of the bulge, and the bulge that makes the volume 0 (section 5.3).
*/
#include "deformimpl.h"
#include "responseimpl.h"
#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(PetscReal) == sizeof(uint64_t), "Moves() reads the bits of numbers in double precision");

/* Coordinates x, y, z and 0 in SIMD registers. Functions take pointers: how values are passed depends on the processor. */
typedef PetscReal Vector __attribute__((vector_size(4 * sizeof(PetscReal))));

/* c = a x b */
static inline void Cross(const Vector *a, const Vector *b, Vector *c)
{
  const Vector ra = {(*a)[1], (*a)[2], (*a)[0], 0}, rb = {(*b)[1], (*b)[2], (*b)[0], 0}, r = *a * rb - ra * *b;

  *c = (Vector){r[1], r[2], r[0], 0};
}

/* The sum over the vertices of a triangle, and the differences of vertices 1 and 2 from vertex 0. */
typedef struct {
  Vector sum, u, v;
} Triangle;

static inline void SetTriangle(const PetscReal values[], const PetscInt vertex[3], Triangle *triangle)
{
  const PetscReal *p = &values[3 * vertex[0]], *q = &values[3 * vertex[1]], *r = &values[3 * vertex[2]];
  const Vector     a = {p[0], p[1], p[2], 0}, b = {q[0], q[1], q[2], 0}, c = {r[0], r[1], r[2], 0};

  triangle->sum = a + b + c;
  triangle->u   = b - a;
  triangle->v   = c - a;
}

/*
  Adds the volume that a triangle x sweeps while it moves by w + h q, times 6. At the time t the edges from vertex 0 are
  x.u + t (w.u + h q.u) and x.v + t (w.v + h q.v). Their vector product, integrated over t, is A + h B + h^2 C; the volume is its product
  with the sum of the displacements.
*/
static inline void AddFace(const Triangle *x, const Triangle *w, const Triangle *q, PetscBool bulge, Vector sum[4])
{
  const Vector first = x->v + w->v / 2, second = x->v / 2 + w->v / 3, third = x->u / 2 + w->u / 3;
  Vector       A, B, C, part;

  Cross(&x->u, &first, &A);
  Cross(&w->u, &second, &part);
  A += part;
  sum[0] += w->sum * A;
  if (!bulge) return;
  Cross(&third, &q->v, &B);
  Cross(&q->u, &second, &part);
  B += part;
  Cross(&q->u, &q->v, &C);
  C /= 3;
  sum[1] += w->sum * B + q->sum * A;
  sum[2] += w->sum * C + q->sum * B;
  sum[3] += q->sum * C;
}

/* Whether a vertex moves: a component is not 0 or -0. Tests of bits take a fraction of the time of comparisons. */
static inline PetscBool Moves(const PetscReal fixed[], const PetscReal unit[], PetscInt v)
{
  uint64_t bits[6];

  memcpy(bits, &fixed[3 * v], 3 * sizeof(PetscReal));
  memcpy(bits + 3, &unit[3 * v], 3 * sizeof(PetscReal));
  return (PetscBool)((bits[0] | bits[1] | bits[2] | bits[3] | bits[4] | bits[5]) << 1 != 0);
}

PetscErrorCode AbutVolumeListFaces(AbutDeformSurface surface, const PetscReal fixed[], const PetscReal unit[], PetscInt *num,
                                   PetscInt faces[])
{
  PetscBool *moves;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(surface->num_vertices, &moves));
  for (PetscInt v = 0; v < surface->num_vertices; v++) moves[v] = Moves(fixed, unit, v);
  *num = 0;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v = surface->face[f];

    faces[*num] = f;
    *num += moves[v[0]] | moves[v[1]] | moves[v[2]];
  }
  PetscCall(PetscFree(moves));
  PetscFunctionReturn(0);
}

void AbutVolumePolynomial(AbutDeformSurface surface, PetscInt num, const PetscInt faces[], const PetscReal fixed[], const PetscReal unit[],
                          PetscReal c[4])
{
  Vector sum[4] = {{0}};

  for (PetscInt i = 0; i < num; i++) {
    const PetscInt *v = surface->face[faces[i]];
    Triangle        x, w, q;

    SetTriangle(surface->x, v, &x);
    SetTriangle(fixed, v, &w);
    if (unit) SetTriangle(unit, v, &q);
    AddFace(&x, &w, &q, (PetscBool)(unit != NULL), sum);
  }
  for (PetscInt k = 0; k < 4; k++) c[k] = (sum[k][0] + sum[k][1] + sum[k][2]) / 6;
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
