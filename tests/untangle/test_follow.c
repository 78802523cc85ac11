/* The volume follows prescribed vertices: affine maps, equilibrium, equality on ranks, refusal to invert. */
#include "../elastic/meshes.h"
#include <abut/untangle.h>

typedef struct {
  Solid                    solid;
  PetscInt                 dim, num_owned;
  PetscReal               *target, *x;
  PetscBool               *prescribed;
  AbutUntangleFollowReport report;
} Case;

/* A box and a ball at rest, nothing prescribed. */
static void CaseOpen(MPI_Comm comm, PetscInt dim, PetscInt cells, Case *c)
{
  PetscInt n;

  SolidCreate(comm, dim, cells, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_NEO_HOOKEAN, &c->solid);
  c->dim       = dim;
  c->num_owned = c->solid.local->num_owned;
  n            = c->num_owned * dim;
  AbutTestCall(PetscMalloc3(n, &c->target, n, &c->x, c->num_owned, &c->prescribed));
  AbutTestCall(PetscArraycpy(c->x, c->solid.local->rest, n));
  AbutTestCall(PetscArraycpy(c->target, c->solid.local->rest, n));
  AbutTestCall(PetscArrayzero(c->prescribed, c->num_owned));
}

static void CaseSolve(Case *c)
{
  AbutTestCall(AbutUntangleFollow(c->solid.mesh, c->solid.elastic, c->target, c->prescribed, 0, NULL, c->x, &c->report));
}

static void CaseClose(Case *c)
{
  AbutTestCall(PetscFree3(c->target, c->x, c->prescribed));
  SolidDestroy(&c->solid);
}

static void PrescribeSurface(Case *c)
{
  for (PetscInt i = 0; i < c->solid.local->num_points; i++) c->prescribed[c->solid.local->points[i]] = PETSC_TRUE;
}

static PetscReal Largest(PetscReal value)
{
  PetscReal largest;

  assert_int_equal(MPI_Allreduce(&value, &largest, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD), 0);
  return largest;
}

/* Local positions with ghosts; free with free(). */
static PetscReal *Ghosted(const Case *c)
{
  PetscReal *x = calloc((size_t)(c->solid.local->num_local * c->dim + 1), sizeof(*x));

  memcpy(x, c->x, sizeof(*x) * (size_t)(c->num_owned * c->dim));
  AbutTestCall(AbutMeshUpdateGhosts(c->solid.mesh, c->dim, x));
  return x;
}

static PetscInt NumInverted(const Case *c)
{
  PetscReal *x = Ghosted(c);
  PetscInt   count, forbidden;

  AbutElasticCountInversions(c->solid.elastic, x, &count, &forbidden);
  free(x);
  return (PetscInt)Sum((PetscReal)count);
}

/* Largest elastic force on a vertex that is not prescribed over the largest one on any vertex. */
static PetscReal Imbalance(const Case *c)
{
  PetscReal *x = Ghosted(c), *g = Gradient(&c->solid, x), free_force = 0, force = 0;

  for (PetscInt i = 0; i < c->num_owned * c->dim; i++) {
    force = PetscMax(force, PetscAbsReal(g[i]));
    if (!c->prescribed[i / c->dim]) free_force = PetscMax(free_force, PetscAbsReal(g[i]));
  }
  free(x);
  free(g);
  return Largest(free_force) / Largest(force);
}

/* An affine motion of the surface moves the volume by the same map, also where it turns, stretches and shears bodies a lot. */
static void AffineSurface(void **state)
{
  static const PetscReal A[3][3] = {{0.4, -1.1, 0.1}, {0.9, 0.8, -0.3}, {0.2, 0.1, 1.2}}, shift[3] = {0.3, -0.2, 0.1};

  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    PetscReal error = 0;
    Case      c;

    CaseOpen(PETSC_COMM_WORLD, dim, 3, &c);
    PrescribeSurface(&c);
    for (PetscInt i = 0; i < c.num_owned * dim; i++)
      c.target[i] = shift[i % dim] + AbutDot(dim, A[i % dim], c.solid.local->rest + i / dim * dim);
    CaseSolve(&c);
    for (PetscInt i = 0; i < c.num_owned * dim; i++) error = PetscMax(error, PetscAbsReal(c.x[i] - c.target[i]));
    print_message("%dD: error %g, %d iterations\n", (int)dim, (double)Largest(error), (int)c.report.iterations);
    assert_true(c.report.reached && c.report.fraction == 1);
    assert_true(Largest(error) < 1e-10); /* tolerance 1e-6 of an edge, quadratic convergence */
    CaseClose(&c);
  }
}

/* Dent: the vertices in a part of the box move inwards. */
static void PrescribeDent(Case *c)
{
  const AbutMeshLocal *local = c->solid.local;
  const PetscReal     *low = local->bodies[0].box[0], *high = local->bodies[0].box[1];

  for (PetscInt i = 0; i < local->num_points; i++) {
    const PetscInt  v = local->points[i];
    const PetscReal s = (local->rest[v * c->dim] - low[0]) / (high[0] - low[0]);

    if (local->vertex_body[v] || (s > 0.3 && s < 0.7)) continue;
    c->prescribed[v] = PETSC_TRUE;
    c->target[v * c->dim] += (s < 0.5 ? 0.25 : -0.1) * (high[0] - low[0]);
  }
}

static PetscReal *PositionsByID(const Case *c)
{
  const AbutMeshLocal *local = c->solid.local;
  PetscReal           *x     = calloc((size_t)(local->num_global * c->dim), sizeof(*x));

  for (PetscInt i = 0; i < c->num_owned * c->dim; i++) x[local->vertex_id[i / c->dim] * c->dim + i % c->dim] = c->x[i];
  return x;
}

/* Prescribed vertices are at their targets, others in equilibrium; a body without prescribed vertices stays; one rank finds the same. */
static void DentedBox(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    Case       c, serial;
    PetscReal *x, *y;

    CaseOpen(PETSC_COMM_WORLD, dim, 5, &c);
    PrescribeDent(&c);
    CaseSolve(&c);
    assert_true(c.report.reached);
    for (PetscInt i = 0; i < c.num_owned * dim; i++)
      if (c.prescribed[i / dim] || c.solid.local->vertex_body[i / dim]) assert_true(c.x[i] == c.target[i]);
    print_message("%dD: imbalance %g, smallest det F %g, %d increments, %d iterations\n", (int)dim, (double)Imbalance(&c),
                  (double)c.report.smallest_det, (int)c.report.increments, (int)c.report.iterations);
    assert_true(Imbalance(&c) < 1e-8);
    assert_int_equal(NumInverted(&c), 0);
    assert_true(c.report.smallest_det > 0 && c.report.cell >= 0 && c.report.body == 0);

    CaseOpen(PETSC_COMM_SELF, dim, 5, &serial);
    PrescribeDent(&serial);
    CaseSolve(&serial);
    x = PositionsByID(&c);
    y = PositionsByID(&serial);
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, x, (int)(c.solid.local->num_global * dim), MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD), 0);
    AbutTestClose("positions", c.solid.local->num_global * dim, x, y, 1e-9);
    assert_int_equal(c.report.iterations, serial.report.iterations);
    AbutTestClose("det F", 1, &c.report.smallest_det, &serial.report.smallest_det,
                  1e-9); /* its cell depends on round-off: the box is symmetric */
    free(x);
    free(y);
    CaseClose(&serial);
    CaseClose(&c);
  }
}

/* The mirror image of a surface is out of reach. The surface goes on as long as no cell inverts. */
static void MirroredSurface(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    const AbutBody *body;
    PetscReal       moved = 0;
    Case            c;

    CaseOpen(PETSC_COMM_WORLD, dim, 3, &c);
    PrescribeSurface(&c);
    for (PetscInt v = 0; v < c.num_owned; v++)
      if (c.solid.local->vertex_body[v] == 1) c.target[v * dim] = 8 - c.target[v * dim];
    CaseSolve(&c);
    for (PetscInt i = 0; i < c.num_owned * dim; i++) moved = PetscMax(moved, PetscAbsReal(c.x[i] - c.solid.local->rest[i]));
    print_message("%dD: fraction %g after %d increments, cell %d\n", (int)dim, (double)c.report.fraction, (int)c.report.increments,
                  (int)c.report.cell);
    assert_false(c.report.reached);
    assert_true(c.report.fraction > 0.3 && c.report.fraction < 0.5); /* at one half the ball is flat */
    assert_true(Largest(moved) > 0.1 && c.report.smallest_det > 0);
    assert_int_equal(NumInverted(&c), 0);
    assert_int_equal(c.report.body, 1);
    body = &c.solid.local->bodies[1];
    assert_true(c.report.cell >= body->cell_start && c.report.cell < body->cell_end);
    CaseClose(&c);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(AffineSurface), cmocka_unit_test(DentedBox), cmocka_unit_test(MirroredSurface)};
  return AbutTestMain(argc, argv, tests);
}
