/*
  Mapping regions against an independent search: every ray against every face in floating-point arithmetic, inside by solid angles instead
  of the intersection curve. Normals of S against finite differences of its height.
*/
#include "contacts.h"
#include "pairimpl.h"
#include <math.h>
#include <stdlib.h>

/* ---- Rays and solid angles by brute force */

static void Subtract(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  for (PetscInt k = 0; k < 3; k++) c[k] = a[k] - b[k];
}

static void Cross(const PetscReal a[3], const PetscReal b[3], PetscReal c[3])
{
  for (PetscInt k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static const PetscReal *Corner(AbutDeformSurface surface, PetscInt face, PetscInt k)
{
  return &surface->x[3 * surface->face[face][k]];
}

/* Whether the line x + t d meets a face, with t and barycentric coordinates. */
static PetscBool Meets(AbutDeformSurface surface, PetscInt face, const PetscReal x[3], const PetscReal d[3], PetscReal *t,
                       PetscReal bary[3])
{
  PetscReal u[3], v[3], p[3], q[3], from[3], det;

  Subtract(Corner(surface, face, 1), Corner(surface, face, 0), u);
  Subtract(Corner(surface, face, 2), Corner(surface, face, 0), v);
  Subtract(x, Corner(surface, face, 0), from);
  Cross(d, v, p);
  det = AbutDot(3, u, p);
  if (fabs(det) < 1e-14) return PETSC_FALSE;
  Cross(from, u, q);
  bary[1] = AbutDot(3, from, p) / det;
  bary[2] = AbutDot(3, d, q) / det;
  bary[0] = 1 - bary[1] - bary[2];
  *t      = AbutDot(3, v, q) / det;
  return (PetscBool)(bary[0] >= 0 && bary[1] >= 0 && bary[2] >= 0);
}

/* Solid angle of a closed surface at x over 4 pi: 1 inside, 0 outside [van Oosterom, Strackee 1983]. */
static PetscBool Inside(AbutDeformSurface surface, const PetscReal x[3])
{
  PetscReal sum = 0;

  for (PetscInt f = 0; f < surface->num_faces; f++) {
    PetscReal r[3][3], length[3], n[3];

    for (PetscInt k = 0; k < 3; k++) {
      Subtract(Corner(surface, f, k), x, r[k]);
      length[k] = sqrt(AbutDot(3, r[k], r[k]));
    }
    Cross(r[1], r[2], n);
    sum += 2 * atan2(AbutDot(3, r[0], n), length[0] * length[1] * length[2] + AbutDot(3, r[0], r[1]) * length[2] +
                                            AbutDot(3, r[1], r[2]) * length[0] + AbutDot(3, r[2], r[0]) * length[1]);
  }
  return (PetscBool)(sum > 2 * PETSC_PI);
}

/* ---- Membership of a vertex by its definition (section 4.2) */

/* Whether a point of a face is front-facing and inside the other body. */
static PetscBool InB(const AbutDeformPair *pair, PetscInt side, PetscInt face, const PetscReal bary[3], const PetscReal x[3])
{
  const AbutDeformSurface surface = pair->surface[side];
  PetscReal               facing  = 0;

  for (PetscInt k = 0; k < 3; k++)
    facing += bary[k] * AbutDot(3, &surface->normal[3 * surface->face[face][k]], pair->mapping[side].direction);
  return (PetscBool)(facing <= 0 && Inside(pair->surface[1 - side], x));
}

/* Distance from v back along the ray to the first part of its own side before it, 0 without; its faces do not count. */
static PetscReal FirstBefore(const AbutDeformPair *pair, PetscInt side, PetscInt v, PetscReal last)
{
  const AbutDeformSurface surface = pair->surface[side];
  PetscReal               first   = 0, t, bary[3];

  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *c = surface->face[f];

    if (c[0] == v || c[1] == v || c[2] == v) continue;
    if (Meets(surface, f, &surface->x[3 * v], pair->mapping[side].direction, &t, bary) && t < last) first = PetscMin(first, t);
  }
  return first;
}

static PetscBool Belongs(const AbutDeformPair *pair, PetscInt side, PetscInt v)
{
  const AbutDeformSurface own = pair->surface[side], other = pair->surface[1 - side];
  const PetscReal        *x = &own->x[3 * v], *d = pair->mapping[side].direction, kbar = pair->mapping[side].stiffness;
  PetscBool               meets = Inside(other, x);
  PetscReal               last  = -1, t, bary[3], first;

  if (AbutDot(3, &own->normal[3 * v], d) > 0) return PETSC_FALSE;
  for (PetscInt f = 0; f < other->num_faces; f++) {
    PetscReal y[3];

    if (!Meets(other, f, x, d, &t, bary) || t < 0) continue;
    last = PetscMax(last, t);
    for (PetscInt k = 0; k < 3; k++) y[k] = x[k] + t * d[k];
    meets = (PetscBool)(meets || InB(pair, 1 - side, f, bary, y));
  }
  if (last < 0 || !meets) return PETSC_FALSE;
  first = FirstBefore(pair, side, v, last);
  return (PetscBool)(first == 0 || kbar * first + (1 - kbar) * last > 0);
}

/* Vertices that belong and are connected with the intersection through vertices that belong. */
static void Spread(const AbutDeformPair *pair, PetscInt side, const PetscBool belongs[], PetscBool found[])
{
  const AbutDeformSurface surface = pair->surface[side];
  PetscBool               changed = PETSC_TRUE;

  for (PetscInt v = 0; v < surface->num_vertices; v++) found[v] = (PetscBool)(belongs[v] && pair->curve.inside[side][v]);
  for (PetscInt i = 0; i < pair->curve.num_pieces; i++)
    for (PetscInt k = 0; k < 3; k++) {
      const PetscInt v = surface->face[pair->curve.piece[i].face[side]][k];

      found[v] = belongs[v];
    }
  while (changed) {
    changed = PETSC_FALSE;
    for (PetscInt e = 0; e < surface->num_edges; e++) {
      const PetscInt *v = surface->edge[e];

      if (!belongs[v[0]] || !belongs[v[1]] || found[v[0]] == found[v[1]]) continue;
      found[v[0]] = found[v[1]] = changed = PETSC_TRUE;
    }
  }
}

/* ---- Tests */

/* A ball with bumps, so that rays enter and leave it several times. */
static void Bumpy(PetscInt n, PetscReal height, PetscReal phase, const PetscReal centre[3], Shape *shape)
{
  const PetscReal origin[3] = {0, 0, 0};

  ShapeSphere(n, 1, origin, shape);
  for (PetscInt v = 0; v < shape->num_vertices; v++) {
    PetscReal      *x = &shape->x[3 * v];
    const PetscReal r = 1 + height * sin(5 * x[0] + phase) * cos(4 * x[1] - phase) * cos(3 * x[2]);

    for (PetscInt k = 0; k < 3; k++) x[k] = centre[k] + r * x[k];
  }
}

static void Create(const Shape shape[2], const PetscReal d[3], PetscReal stiffness, AbutDeformPair **pair)
{
  AbutDeformSurface surface[2];

  for (PetscInt s = 0; s < 2; s++) ShapeSurface(&shape[s], s ? "second" : "first", &surface[s]);
  AbutTestCall(AbutDeformPairCreate(surface[0], surface[1], pair));
  for (PetscInt k = 0; k < 3; k++) (*pair)->control.direction[k] = d[k];
  (*pair)->control.stiffness[0] = stiffness;
  (*pair)->control.stiffness[1] = 1 - stiffness;
  AbutTestCall(AbutDeformPairIntersect(*pair));
  assert_true((*pair)->curve.num_crossings > 0);
  AbutTestCall(AbutDeformPairMap(*pair));
}

static void CompareSide(const AbutDeformPair *pair, PetscInt side, PetscInt *outside)
{
  const PetscInt nv      = pair->surface[side]->num_vertices;
  PetscBool     *belongs = malloc((size_t)nv * sizeof(PetscBool)), *found = malloc((size_t)nv * sizeof(PetscBool));

  for (PetscInt v = 0; v < nv; v++) {
    assert_int_equal(Inside(pair->surface[1 - side], &pair->surface[side]->x[3 * v]), pair->curve.inside[side][v]);
    belongs[v] = Belongs(pair, side, v);
  }
  Spread(pair, side, belongs, found);
  for (PetscInt v = 0; v < nv; v++) {
    if (found[v] != (PetscBool)(pair->mapping[side].index[v] >= 0)) fail_msg("side %d, vertex %d: %d", (int)side, (int)v, (int)found[v]);
    *outside += found[v] && !pair->curve.inside[side][v];
  }
  assert_true(pair->mapping[side].num > 30);
  free(belongs);
  free(found);
}

/* Three depths and directions off the line of centres. Vertices outside of the other body belong to the regions, too. */
static void Regions(void **state)
{
  const PetscReal centre[2][3] = {{0, 0, 0}, {0.31, -0.17, 1.6}}, d[3][3] = {{-0.2, 0.1, -1}, {0.4, 0.3, -1}, {-0.1, -0.5, -1}};
  PetscInt        outside = 0;

  (void)state;
  for (PetscInt k = 0; k < 3; k++) {
    const PetscReal low[3] = {centre[1][0], centre[1][1], centre[1][2] - 0.5 * (PetscReal)k};
    Shape           shape[2];
    AbutDeformPair *pair;

    Bumpy(14, 0.15, 0.3, centre[0], &shape[0]);
    Bumpy(11, 0.2, 1.1, low, &shape[1]);
    Create(shape, d[k], 0.25 * (PetscReal)(k + 1), &pair);
    for (PetscInt s = 0; s < 2; s++) CompareSide(pair, s, &outside);
    PairFree(&pair, shape);
  }
  assert_true(outside > 20);
}

/* Height of S along d over the point (a, b), for two unit spheres: the lower half of side 0 and the upper half of side 1. */
static PetscReal Height(const PetscReal centre[2][3], PetscReal kbar, PetscReal a, PetscReal b)
{
  const PetscReal low  = centre[0][2] - sqrt(1 - PetscSqr(a - centre[0][0]) - PetscSqr(b - centre[0][1]));
  const PetscReal high = centre[1][2] + sqrt(1 - PetscSqr(a - centre[1][0]) - PetscSqr(b - centre[1][1]));

  return kbar * low + (1 - kbar) * high;
}

/* Largest difference of the normals of S from finite differences of its height, away from the outline. */
static PetscReal NormalError(PetscInt n)
{
  const PetscReal centre[2][3] = {{0, 0, 0}, {0.31, -0.17, 1.5}}, d[3] = {0.1, 0.2, -1}, h = 1e-5, kbar = 0.7;
  PetscReal       largest = 0, moved[2][3];
  Shape           shape[2];
  AbutDeformPair *pair;

  for (PetscInt s = 0; s < 2; s++) ShapeSphere(n + s, 1, centre[s], &shape[s]);
  Create(shape, d, kbar, &pair);
  for (PetscInt s = 0; s < 2; s++)
    for (PetscInt k = 0; k < 3; k++) moved[s][k] = AbutDot(3, pair->rays->axis[k], centre[s]);
  for (PetscInt s = 0; s < 2; s++) {
    assert_true(pair->mapping[s].num > 20);
    for (PetscInt i = 0; i < pair->mapping[s].num; i++) {
      const AbutMapPoint *point    = &pair->mapping[s].point[i];
      const PetscReal    *p        = &pair->rays->position[s][3 * pair->mapping[s].vertex[i]];
      const PetscReal     slope[2] = {(Height(moved, kbar, p[0] + h, p[1]) - Height(moved, kbar, p[0] - h, p[1])) / (2 * h),
                                      (Height(moved, kbar, p[0], p[1] + h) - Height(moved, kbar, p[0], p[1] - h)) / (2 * h)};
      const PetscReal     length   = sqrt(1 + PetscSqr(slope[0]) + PetscSqr(slope[1]));
      PetscReal           square   = 0;

      if (point->facing < 0.4) continue;
      for (PetscInt k = 0; k < 3; k++) {
        const PetscReal n0 = (slope[0] * pair->rays->axis[0][k] + slope[1] * pair->rays->axis[1][k] - pair->rays->axis[2][k]) / length;

        square += PetscSqr((s ? -n0 : n0) - point->normal[k]);
      }
      largest = PetscMax(largest, sqrt(square));
    }
  }
  PairFree(&pair, shape);
  return largest;
}

static void Normals(void **state)
{
  const PetscReal coarse = NormalError(15), fine = NormalError(30);

  (void)state;
  if (!(coarse < 0.02 && fine < 0.5 * coarse)) fail_msg("errors of the normals of S: %g, %g", (double)coarse, (double)fine);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest brute[] = {cmocka_unit_test(Regions), cmocka_unit_test(Normals)};

  return AbutTestMain(argc, argv, brute);
}
