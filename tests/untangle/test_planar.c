/* Contact deformer in 2D: discs, relative stiffness, area, coarse sides, ties, random stars against brute force, refusals. */
#include "test.h"
#include <abut/containers.h>
#include <abut/untangle.h>
#include <string.h>

#define MAX 512

/* One curve with its displaced positions. */
typedef struct {
  PetscInt  n, elements[2 * MAX], contact[MAX];
  PetscReal x[2 * MAX], y[2 * MAX], stiffness;
} Curve;

static AbutDeformPairReport report;

/* Closed polygon with n vertices at radius(k), counter-clockwise; the first at `phase` rad. */
static void Polygon(PetscInt n, PetscReal x, PetscReal y, PetscReal radius, PetscReal phase, Curve *c)
{
  c->n         = n;
  c->stiffness = 1;
  for (PetscInt k = 0; k < n; k++) {
    const PetscReal angle  = phase + 2 * PETSC_PI * (PetscReal)k / (PetscReal)n;
    c->x[2 * k]            = x + radius * PetscCosReal(angle);
    c->x[2 * k + 1]        = y + radius * PetscSinReal(angle);
    c->elements[2 * k]     = k;
    c->elements[2 * k + 1] = (k + 1) % n;
  }
}

/* Rectangle with `cells` edges on each side. */
static void Rectangle(PetscInt cells, PetscReal x0, PetscReal y0, PetscReal x1, PetscReal y1, Curve *c)
{
  const PetscReal corner[5][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}};

  Polygon(4 * cells, 0, 0, 1, 0, c);
  for (PetscInt k = 0; k < 4 * cells; k++)
    for (PetscInt i = 0; i < 2; i++) {
      const PetscReal t = (PetscReal)(k % cells) / (PetscReal)cells;
      c->x[2 * k + i]   = (1 - t) * corner[k / cells][i] + t * corner[k / cells + 1][i];
    }
}

static PetscErrorCode Resolve(Curve *a, Curve *b, PetscReal extent)
{
  const AbutUntangleSurface surfaces[2] = {{"a", a->n, a->n, a->elements, NULL, a->stiffness, a->x},
                                           {"b", b->n, b->n, b->elements, NULL, b->stiffness, b->x}};
  const AbutUntanglePair    pair        = {{0, 1}};
  const PetscReal           extents[2]  = {extent, extent};
  PetscReal *const          y[2]        = {a->y, b->y};
  PetscInt *const           contact[2]  = {a->contact, b->contact};

  return AbutUntangleCurves(2, surfaces, 1, &pair, extents, y, contact, &report);
}

static PetscReal Area(PetscInt n, const PetscReal x[])
{
  PetscReal area = 0;

  for (PetscInt k = 0; k < n; k++) area += (x[2 * k] * x[(2 * k + 3) % (2 * n)] - x[2 * k + 1] * x[2 * ((k + 1) % n)]) / 2;
  return area;
}

/* Winding number of a closed curve around a point that is not on it, by angles. */
static PetscInt Winding(const Curve *c, const PetscReal x[2])
{
  PetscReal sum = 0;

  for (PetscInt k = 0; k < c->n; k++) {
    const PetscReal *p = c->x + 2 * k, *q = c->x + 2 * ((k + 1) % c->n);
    const PetscReal  a[2] = {p[0] - x[0], p[1] - x[1]}, b[2] = {q[0] - x[0], q[1] - x[1]};
    sum += PetscAtan2Real(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
  }
  return (PetscInt)PetscFloorReal(sum / (2 * PETSC_PI) + 0.5);
}

/* Two discs: S lies between both circles, at the fraction of the stiffnesses. Vertices outside stay or bulge; areas are kept. */
static void Discs(void **state)
{
  static const PetscReal stiffness[3][2] = {{1, 1}, {3, 1}, {0, 1}};
  static Curve           a, b;

  (void)state;
  for (int k = 0; k < 3; k++) {
    PetscReal error = 0;

    Polygon(400, 0, 0, 1, 0, &a);
    Polygon(400, 1.9, 0, 1, 0.3, &b);
    a.stiffness = stiffness[k][0];
    b.stiffness = stiffness[k][1];
    AbutTestCall(Resolve(&a, &b, 0.4));
    assert_true(report.intersects && report.num_crossings == 2);
    assert_true(PetscAbsReal(report.depth - 0.1) < 2e-4 && report.direction[0] < -1 + 1e-4); /* edges 2 pi / 400: 1e-4 of sagitta */
    for (PetscInt s = 0; s < 2; s++) {
      const Curve    *c     = s ? &b : &a;
      const PetscReal share = a.stiffness == 0 ? (PetscReal)s : stiffness[k][1 - s] / (stiffness[k][0] + stiffness[k][1]);
      PetscInt        zone  = 0;

      for (PetscInt v = 0; v < c->n; v++) {
        const PetscReal *x = c->x + 2 * v, arc = PetscSqrtReal(PetscMax(0, 1 - x[1] * x[1]));
        const PetscReal  other = s ? arc : 1.9 - arc;

        assert_int_equal(c->contact[v], c->stiffness > 0 && Winding(s ? &a : &b, x) ? 0 : -1);
        if (c->contact[v]) continue;
        zone++;
        error = PetscMax(error, PetscAbsReal(c->y[2 * v] - (x[0] + share * (other - x[0]))));
      }
      assert_int_equal(zone, a.stiffness == 0 && !s ? 0 : report.num_zone[s]);
      assert_true(PetscAbsReal(Area(c->n, c->y) / Area(c->n, c->x) - 1) < 1e-12);
    }
    print_message("largest distance from S %g\n", (double)error);
    assert_true(error < 1e-3); /* the direction turns by 1e-3 with the vertices, over arcs of 0.3 */
  }
}

/* A side without vertices in the contact moves the ends of its edges, if the other is rigid; else the other side moves alone. */
static void CoarseSides(void **state)
{
  static Curve tip, box;

  (void)state;
  for (int rigid = 0; rigid < 2; rigid++) {
    Rectangle(1, -1, -1, 1, 0, &box);
    Polygon(4, 0, 0.9, 1, 0, &tip); /* its lowest vertex is (0, -0.1) */
    tip.stiffness = rigid ? 0 : 1;
    AbutTestCall(Resolve(&tip, &box, 0.5));
    assert_true(PetscAbsReal(report.depth - 0.1) < 1e-12);
    if (rigid) {
      assert_true(tip.contact[3] == -1 && box.contact[2] == 0 && box.contact[3] == 0);
      assert_true(PetscAbsReal(box.y[5] + 0.1) < 1e-12 && PetscAbsReal(box.y[7] + 0.1) < 1e-12);
    } else {
      assert_true(tip.contact[3] == 0 && box.contact[2] == -1 && box.contact[3] == -1);
      assert_true(PetscAbsReal(tip.y[7]) < 1e-12);
    }
  }
}

/* Boxes with equal sides on a line: vertices lie on the other curve, and edges coincide. One of both bodies counts as translated. */
static void AlignedBoxes(void **state)
{
  static Curve low, high;

  (void)state;
  for (PetscInt cells = 1; cells <= 4; cells *= 2) {
    Rectangle(cells, 0, 0, 1, 1, &low);
    Rectangle(cells, 0, 0.75, 1, 1.75, &high);
    AbutTestCall(Resolve(&low, &high, 0.2));
    assert_int_equal(report.num_crossings, 2);
    assert_true(report.direction[1] < -0.9 && report.depth > 0.2 && report.depth < 0.26);
    for (PetscInt v = 1; v < cells; v++) { /* inner vertices of the two horizontal sides */
      assert_true(PetscAbsReal(low.y[2 * (2 * cells + v) + 1] - 0.875) < 0.05);
      assert_true(PetscAbsReal(high.y[2 * v + 1] - 0.875) < 0.05);
    }
  }
}

/* Stars with random radii: the vertices in contact are the vertices inside of the other star. */
static void RandomStars(void **state)
{
  static Curve a, b;
  uint64_t     seed    = 7;
  PetscInt     refused = 0, inside = 0;

  (void)state;
  for (int trial = 0; trial < 200; trial++) {
    for (PetscInt s = 0; s < 2; s++) {
      Curve *c = s ? &b : &a;
      Polygon(40, 0, 0, 1, 0.1 * (PetscReal)s, c);
      for (PetscInt k = 0; k < c->n; k++) {
        const PetscReal r = 1 + 0.2 * AbutTestRandom(&seed);
        c->x[2 * k]       = 1.7 * (PetscReal)s + r * c->x[2 * k];
        c->x[2 * k + 1] *= r;
      }
    }
    if (Resolve(&a, &b, 0.2)) {
      AbutErrorClear();
      refused++;
      continue;
    }
    for (PetscInt s = 0; s < 2; s++)
      for (PetscInt v = 0; v < 40; v++) {
        const PetscBool in      = (PetscBool)(Winding(s ? &a : &b, (s ? b.x : a.x) + 2 * v) != 0);
        PetscInt        zone[2] = {0, 0};

        for (PetscInt w = 0; w < 40; w++) zone[0] += a.contact[w] == 0, zone[1] += b.contact[w] == 0;
        if (zone[0] == 0 || zone[1] == 0) continue; /* one side moves alone, or by its edges */
        assert_int_equal((s ? b.contact : a.contact)[v], in ? 0 : -1);
        inside += in;
      }
  }
  print_message("%d vertices inside, %d of 200 stars refused\n", (int)inside, (int)refused);
  assert_true(inside > 500 && refused < 20);
}

/* Repeated passes separate two discs up to their edges: the depth falls to the size of sagittas of the zone. */
static void Passes(void **state)
{
  static Curve a, b;
  PetscReal    first = 0;

  (void)state;
  Polygon(60, 0, 0, 1, 0, &a);
  Polygon(60, 1.8, 0, 1, 0.02, &b);
  for (int pass = 0; pass < 3; pass++) {
    AbutTestCall(Resolve(&a, &b, 1));
    if (!pass) first = report.depth;
    print_message("pass %d: depth %g\n", pass, (double)report.depth);
    AbutTestCall(PetscArraycpy(a.x, a.y, 2 * a.n));
    AbutTestCall(PetscArraycpy(b.x, b.y, 2 * b.n));
  }
  assert_true(report.depth < 0.02 * first);
}

static void Refused(Curve *a, Curve *b, const char reason[])
{
  assert_int_equal(Resolve(a, b, 0.2), ABUT_ERR_DIVERGED);
  if (!strstr(AbutErrorMessage(), reason)) fail_msg("'%s' is not in '%s'", reason, AbutErrorMessage());
  AbutErrorClear();
}

static void Refusals(void **state)
{
  static Curve a, b;

  (void)state;
  Rectangle(3, -1, -0.1, 1, 0.1, &a);
  Rectangle(3, -0.1, -1, 0.1, 1, &b);
  Refused(&a, &b, "' passes through '");
  Polygon(20, 0, 0, 0.3, 0, &b);
  Rectangle(3, -1, -1, 1, 1, &a);
  Refused(&a, &b, "lies wholly inside");
  Polygon(20, 0, 1, 0.3, 0, &b);
  b.n = 16; /* an open line that ends in the box; it starts outside */
  for (PetscInt k = 0; k < 16; k++) b.x[2 * k] = 0.01 * (PetscReal)k, b.x[2 * k + 1] = 1.5 - 0.1 * (PetscReal)k;
  {
    const AbutUntangleSurface surfaces[2] = {{"box", a.n, a.n, a.elements, NULL, 1, a.x}, {"line", 16, 15, b.elements, NULL, 0, b.x}};
    const PetscReal           extent[2]   = {1, 1};
    const AbutUntanglePair    pair        = {{0, 1}};

    assert_int_equal(
      AbutUntangleCurves(2, surfaces, 1, &pair, extent, (PetscReal *const[]){a.y, b.y}, (PetscInt *const[]){a.contact, b.contact}, &report),
      ABUT_ERR_DIVERGED);
    assert_non_null(strstr(AbutErrorMessage(), "ends inside"));
    AbutErrorClear();
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Discs),       cmocka_unit_test(CoarseSides), cmocka_unit_test(AlignedBoxes),
                                     cmocka_unit_test(RandomStars), cmocka_unit_test(Passes),      cmocka_unit_test(Refusals)};
  return AbutTestMain(argc, argv, tests);
}
